// Planted faults and delays of gemm_params.fault, in the builds that have them; elsewhere the
// conditions are a constant false.
#pragma once

#ifdef GEMM_FAULTS
#define FAULT(p, n) (((p).fault & 0xffff) == (n))
#define DELAY(p, n) ((p).fault >> 16 == (n))
#elif defined(GEMM_PLANT) // one fault, at compile time
#define FAULT(p, n) ((n) == GEMM_PLANT)
#define DELAY(p, n) false
#else
#define FAULT(p, n) false
#define DELAY(p, n) false
#endif
