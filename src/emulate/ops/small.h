// Floating numbers of 4, 6 and 8 bits.
#ifndef TMAP_EMULATE_SMALL_H
#define TMAP_EMULATE_SMALL_H

#include "emulate/ops/ops.h"

// e4m3 has no infinity; e2m1, e2m3 and e3m2 have neither infinity nor NaN; ue8m0 is a power of two.
enum small_format { SMALL_E4M3, SMALL_E5M2, SMALL_E2M3, SMALL_E3M2, SMALL_E2M1, SMALL_UE8M0 };

float emu_from_small(enum small_format format, uint32_t bits);
// To nearest even; what is too large becomes the largest.
uint32_t emu_to_small(enum small_format format, float value);

bool dec_cvt_small(struct decoder *d, enum ptx_type to, enum ptx_type from, bool zero, bool relu,
                   bool finite);
bool dec_cvt_pack(struct decoder *d);

#endif
