// The warps that multiply: each takes 16 tokens of every slot through both products, with a maximum
// and a sum of its own for each head. A thread has the scores and outputs of heads lane / 4 and
// lane / 4 + 8, as mma.sync lays out its sums; the scores' layout is that of the second product's
// first operand.
#pragma once

#include "layout.cuh"

namespace paged
{

template <class S> struct state {
    float out[S::DIM / 8][4];
    float maximum[2], sum[2];
    uint32_t query[S::DIM / 16][4];
};

PTX_FN float minus_infinity()
{
    return __int_as_float(0xff800000);
}

// The group's heads as rows; those that it has not are zeros.
template <class S> PTX_FN void read_query(state<S> &x, const paged_params &p, const work &w)
{
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < S::DIM / 16; i++)
#pragma unroll
        for (int part = 0; part < 4; part++) {
            const uint32_t row = lane / 4 + part % 2 * 8;
            const int64_t element = (int64_t)w.request * p.query_stride +
                                    (int64_t)(w.head * p.group + row) * p.query_head_stride +
                                    i * 16 + part / 2 * 8 + lane % 4 * 2;
            x.query[i][part] =
                ptx::load_global_if(p.query + (uint64_t)element * 2, row < p.group, false);
        }
}

template <class S> PTX_FN void begin(state<S> &x, const paged_params &p, const work &w)
{
#pragma unroll
    for (int i = 0; i < S::DIM / 8; i++)
#pragma unroll
        for (int part = 0; part < 4; part++) x.out[i][part] = 0;
#pragma unroll
    for (int row = 0; row < 2; row++) x.maximum[row] = minus_infinity(), x.sum[row] = 0;
    read_query(x, p, w);
}

// Scores of 16 tokens, in powers of two: those of the first eight, then of the others.
template <class S>
PTX_FN void scores(float (&score)[2][4], const state<S> &x, const token_rows<S> &rows,
                   uint32_t half, uint32_t odd)
{
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) score[n][i] = 0;
#pragma unroll
    for (uint32_t i = 0; i < S::DIM / 16; i++) {
        uint32_t b[4];
        ptx::ldmatrix_x4(b, rows.chunk(half, i / 4, i % 4 * 2 + odd));
        ptx::mma_16x8x16<S::BF16>(score[0], x.query[i], b[0], b[1]);
        ptx::mma_16x8x16<S::BF16>(score[1], x.query[i], b[2], b[3]);
    }
}

// Scores become weights against the new maxima, and what was summed is made smaller. left: tokens
// from this warp's first one to the last.
template <class S>
PTX_FN void weigh(float (&score)[2][4], state<S> &x, const paged_params &p, uint32_t left)
{
    const uint32_t column = threadIdx.x % 4 * 2;
    float most[2] = {x.maximum[0], x.maximum[1]};
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const bool real = n * 8 + column + i % 2 < left || PAGED_FAULT(p, 8);
            score[n][i] = real ? score[n][i] * p.scale_log2 : minus_infinity();
            most[i / 2] = fmaxf(most[i / 2], score[n][i]);
        }
#pragma unroll
    for (int row = 0; row < 2; row++) {
        most[row] = fmaxf(most[row], __shfl_xor_sync(~0u, most[row], 1));
        most[row] = fmaxf(most[row], __shfl_xor_sync(~0u, most[row], 2));
        const float base = most[row] == minus_infinity() ? 0 : most[row];
        const float less = ptx::exp2_approx(x.maximum[row] - base);
        x.maximum[row] = most[row];
        if (!PAGED_FAULT(p, 10)) x.sum[row] *= less;
#pragma unroll
        for (int i = 0; i < S::DIM / 8; i++)
            if (!PAGED_FAULT(p, 9)) x.out[i][row * 2] *= less, x.out[i][row * 2 + 1] *= less;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float &weight = score[i / 2][row * 2 + i % 2];
            weight = ptx::exp2_approx(weight - base);
            x.sum[row] += weight;
        }
    }
}

// Two tokens' bits of a register, those before `left` alone: what a page holds behind the last
// token may be no number.
PTX_FN uint32_t mask_of(uint32_t token, uint32_t left)
{
    return (token < left ? 0xffffu : 0) | (token + 1 < left ? 0xffff0000u : 0);
}

template <class S>
PTX_FN void add_values(state<S> &x, const float (&weight)[2][4], const paged_params &p,
                       const token_rows<S> &rows, uint32_t half, uint32_t odd, uint32_t left)
{
    const uint32_t column = threadIdx.x % 4 * 2, all = PAGED_FAULT(p, 11) ? PAGED_TOKENS : left;
    const uint32_t low = mask_of(column, all), high = mask_of(column + 8, all);
    const uint32_t a[4] = {ptx::pack_16<S::BF16>(weight[0][0], weight[0][1]),
                           ptx::pack_16<S::BF16>(weight[0][2], weight[0][3]),
                           ptx::pack_16<S::BF16>(weight[1][0], weight[1][1]),
                           ptx::pack_16<S::BF16>(weight[1][2], weight[1][3])};
#pragma unroll
    for (uint32_t i = 0; i < S::DIM / 16; i++) {
        uint32_t b[4];
        ptx::ldmatrix_x4_trans(b, rows.chunk(half, i / 4, i % 4 * 2 + odd));
        ptx::mma_16x8x16<S::BF16>(x.out[2 * i], a, b[0] & low, b[1] & high);
        ptx::mma_16x8x16<S::BF16>(x.out[2 * i + 1], a, b[2] & low, b[3] & high);
    }
}

// All slots of this block. ldmatrix takes matrix i's rows from lanes 8 i to 8 i + 7: of K the
// second matrix is the next chunk, of V it is the next tokens.
template <class S>
PTX_FN void multiply(state<S> &x, const paged_params &p, const work &w, const shared<S> &s)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = lane / 8;
    const token_rows<S> of_k(p, warp * 16 + i / 2 * 8 + lane % 8);
    const token_rows<S> of_v(p, warp * 16 + i % 2 * 8 + lane % 8);
    const ptx::watch watch = watch_of(p);
    const uint32_t tiles = w.tiles();
    position at = {0, 0};
    begin(x, p, w);
#pragma unroll 1
    for (uint32_t tile = 0; tile < tiles; tile++) {
        const uint32_t before = tile * PAGED_TOKENS + warp * 16, all = w.end - w.first;
        const uint32_t left = before < all ? all - before : 0;
        const uint32_t slot = s.slots + at.slot * S::SLOT_BYTES;
        float score[2][4];
        if (!PAGED_FAULT(p, 14))
            ptx::mbarrier_wait(s.full(at.slot), at.parity, watch, PAGED_FULL, at.slot);
        scores(score, x, of_k, slot, i % 2);
        if (PAGED_FAULT(p, 4) && lane == 0) ptx::mbarrier_arrive(s.empty(at.slot));
        weigh(score, x, p, left);
        add_values(x, score, p, of_v, slot + S::HALF_BYTES, i / 2, left);
        __syncwarp();
        if (!PAGED_FAULT(p, 4) && lane == 0) ptx::mbarrier_arrive(s.empty(at.slot));
        at.advance(p);
    }
}

} // namespace paged
