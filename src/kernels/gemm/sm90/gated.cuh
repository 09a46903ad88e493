// Gates: D = act(A B1) * (A B2), whose two halves of B lie one after the other or row by row in
// turns. Either way B is a map of rank 4, (K, column of D, half, batch), or by rows of N (column of
// D, K, half, batch), so a tile's B is BN / 2 columns of the first half, then the same of the
// second, and the thread that holds a column of one holds the other's: no shuffle, and what is
// stored is a tile of half as many columns.
#pragma once

#include "compose.cuh"

// Where a column of the tile has its number in a vector of N: `first` and `end` are D's columns.
template <class S> struct gated_columns {
    int32_t step, apart; // from one column of D to the next, and from one half to the other

    PTX_FN gated_columns(const gemm_params &p, const gemm_epilogue &e)
    {
        const bool pairs = e.gate == GEMM_GATE_PAIRS;
        step = pairs ? 2 : 1;
        apart = pairs ? 1 : p.n;
        if (FAULT(p, 108)) apart = 0;
    }
    PTX_FN void ask(spread<S> &to, uint64_t vector, int32_t type, int32_t first, int32_t end) const
    {
        const bool wide = type == GEMM_OUT_F32;
#pragma unroll
        for (int i = 0; i < 2 * spread<S>::SPANS; i++) {
            const int32_t col = 64 * (i / 2) + this_thread() % 32 * 2, half = col >= S::BN / 2;
            const int32_t at = first + col - half * (S::BN / 2) + i % 2;
            const int64_t index = (int64_t)at * step + half * apart;
            if (wide)
                to.x[i / 2][i % 2] = load_if(vector + index * 4, at < end, false);
            else
                to.x[i / 2][i % 2] = load_if(vector + index * 2, false, at < end);
        }
    }
};

// v: the gate's half, activated, times the other.
template <class S>
PTX_FN void gate_tile(float (&v)[S::REGS / 2], const float (&acc)[S::REGS], const gemm_params &p,
                      const gemm_epilogue &e, const place &at)
{
    constexpr int HALF = S::REGS / 2;
    const bool turned = FAULT(p, 105);
#pragma unroll
    for (int i = 0; i < HALF; i++)
        v[i] = turned ? acc[i + HALF] : FAULT(p, 107) ? acc[i * 2] : acc[i];
    if (wants<S>(e, GEMM_STEP_activation)) step_activation<S>(v, p, e, at);
    if (FAULT(p, 109) && wants<S>(e, GEMM_STEP_amax)) step_amax<S>(v, p, e, at);
#pragma unroll
    for (int i = 0; i < HALF; i++)
        v[i] *= turned ? acc[i] : FAULT(p, 107) ? acc[i * 2 + 1] : acc[i + HALF];
    if (FAULT(p, 106)) step_activation<S>(v, p, e, at);
}
