// D = activations x weights, the weights of 4 or 8 bits with a scale (and a zero) for every group
// of K: made numbers of 16 bits in registers, multiplied by mma.sync, and each group's sum scaled
// in fp32. Weights are the multiply's first operand, so a tile is 256 of them by as few rows of
// activations as there are; what counts is that memory never waits.
//
// No shuffle of the weights beforehand: in a multiply, which column of K a lane holds is free as
// long as both operands agree. A lane takes the word of 4 bytes that ldmatrix gives it of every 16
// bytes of a row of weights, as 8 or 4 neighbours along K, and those columns of the activations.
// And which rows a lane holds is free, too: its eight are neighbours in D, so that their scales are
// one load and their sums one store. For that the weights' map has rank 3: its boxes have every
// eighth row first, and ldmatrix reads eight rows of 128 bytes that lie side by side.
//
//   full[slot]   the loading thread's arrival and the slot's bytes
//   empty[slot]  an arrival of every multiplying warp
#pragma once

#include "mixed_load.cuh"

// --- a warp's place -----------------------------------------------------------------------------

// The row of activations, of eight, that is column g of a multiply: so that the lanes that
// load_columns() serves at once find their bytes in different banks.
template <class S> PTX_FN uint32_t column_of(uint32_t g)
{
    return S::BITS == 4 ? g >> 1 | (g & 1) << 2 : (g & 3) << 1 | g >> 2;
}

template <class S> struct mixed_lane {
    uint32_t warp, lane;
    uint32_t eight;                          // of the tile's rows
    uint32_t first_row;                      // of the eight
    uint32_t first_chunk;                    // of a slot's rows
    uint32_t weights, weights_mask, columns; // in a slot

    PTX_FN mixed_lane(const gemm_params &p) : warp(threadIdx.x / 32), lane(threadIdx.x % 32)
    {
        const uint32_t g = lane / 4, t = lane % 4;
        const uint32_t across = warp % S::ACROSS;
        const uint32_t group = S::ROWS == 8 ? across : across / 2;
        eight = group * 8 + g;
        first_row = S::ROWS == 8 ? 0 : across % 2 * 4;
        first_chunk = warp / S::ACROSS * S::CHUNKS;
        // ldmatrix takes matrix i's rows from lanes 8 i to 8 i + 7.
        weights = ((first_row + lane / 8) * (MIXED_ROWS / 8) + group * 8 + lane % 8) * 128;
        weights_mask = lane % 8;
        const uint32_t n = FAULT(p, 111) ? g : column_of<S>(g);
        columns = MIXED_WEIGHTS_BYTES + n * 128 +
                  (S::BITS == 4 ? (t ^ n) * 16 : ((t / 2 ^ n) * 16 | t % 2 * 8));
    }
};

// --- multiplying --------------------------------------------------------------------------------

// Where the lane's activations of a chunk begin, in the first strip of eight rows.
template <class S> PTX_FN uint32_t columns_at(uint32_t slot, uint32_t columns, uint32_t chunk)
{
    constexpr uint32_t PER_BOX = 64 * S::BITS / 8 / MIXED_CHUNK_BYTES;
    return slot + chunk / PER_BOX * (S::COLS * 128) + (columns ^ chunk % PER_BOX * (128 / PER_BOX));
}

// A strip's activations that meet a chunk's words: pairs as unpack() makes them.
template <class S> PTX_FN void load_columns(uint32_t (&pair)[S::PAIRS], uint32_t from)
{
    uint32_t x[4];
    if constexpr (S::BITS == 4)
        ptx::load_shared_128(from, x);
    else
        ptx::load_shared_64(from, x[0], x[1]);
#pragma unroll
    for (int i = 0; i < S::PAIRS; i++)
        pair[i] = __byte_perm(x[i / 2], x[i / 2 + S::PAIRS / 2], i % 2 ? 0x7632 : 0x5410);
}

// Four rows' words by a strip's columns.
template <class S>
PTX_FN void multiply_strip(float (&part)[S::SUMS], const uint32_t (&row)[4][S::PAIRS],
                           const uint32_t (&column)[S::PAIRS], int half, int strip, bool first)
{
    const float none[4] = {0, 0, 0, 0};
#pragma unroll
    for (int s = 0; s < S::PAIRS; s += 2)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float *d = part + ((2 * half + i) * S::STRIPS + strip) * 4;
            const uint32_t(&above)[S::PAIRS] = row[2 * i], (&below)[S::PAIRS] = row[2 * i + 1];
            const uint32_t a[4] = {above[s], below[s], above[s + 1], below[s + 1]};
            ptx::mma_16x8x16<S::KIND == GEMM_BF16>(d, first && s == 0 ? none : d, a, column[s],
                                                   column[s + 1]);
        }
}

// One chunk of every row that the warp has. part: sums of the group, begun anew with its first.
// Columns are read before the rows where there are few, else one strip's after the other's.
template <class S>
PTX_FN void multiply_chunk(float (&part)[S::SUMS], const gemm_params &p,
                           const uint32_t (&bias)[S::ROWS], uint32_t slot, const mixed_lane<S> &at,
                           uint32_t chunk, bool first)
{
    constexpr bool KEEP = S::ROWS == 8;
    uint32_t column[KEEP ? S::STRIPS : 1][S::PAIRS];
    const uint32_t from = slot + at.weights + (chunk ^ at.weights_mask) * MIXED_CHUNK_BYTES;
    const uint32_t columns = columns_at<S>(slot, at.columns, chunk);
#pragma unroll
    for (int n = 0; KEEP && n < S::STRIPS; n++) load_columns<S>(column[n], columns + n * 1024);
#pragma unroll
    for (int half = 0; half < S::ROWS / 4; half++) {
        uint32_t word[4], row[4][S::PAIRS];
        ptx::ldmatrix_x4(word, from + half * (4 * MIXED_ROWS / 8 * 128));
#pragma unroll
        for (int i = 0; i < 4; i++) unpack<S>(row[i], word[i], bias[4 * half + i], p);
#pragma unroll
        for (int n = 0; n < S::STRIPS; n++) {
            if (!KEEP) load_columns<S>(column[0], columns + n * 1024);
            multiply_strip<S>(part, row, column[KEEP ? n : 0], half, n, first);
        }
    }
}

// The scales of the lane's rows, 1 where there are no groups: what is loaded then are weights. A
// branch would keep the loads after it from being issued before it.
template <class S>
PTX_FN void load_scales(uint32_t (&scales)[S::ROWS / 2], const gemm_mixed &q, uint32_t slot,
                        const mixed_lane<S> &at, uint32_t group)
{
    constexpr uint32_t ONES = S::KIND == GEMM_BF16 ? 0x3f803f80 : 0x3c003c00;
    const uint32_t from =
        slot + q.scales_at + (group * MIXED_ROWS + at.eight * 8 + at.first_row) * 2;
    if constexpr (S::ROWS == 8)
        ptx::load_shared_128(from, scales);
    else
        ptx::load_shared_64(from, scales[0], scales[1]);
#pragma unroll
    for (int i = 0; i < S::ROWS / 2; i++) scales[i] = q.group_chunks ? scales[i] : ONES;
}

// Without zeros they are the same of every group.
template <class S, bool ZEROS>
PTX_FN void load_biases(uint32_t (&bias)[S::ROWS], const gemm_params &p, const gemm_mixed &q,
                        uint32_t slot, const mixed_lane<S> &at, uint32_t group)
{
    const uint32_t from = slot + q.zeros_at + group * MIXED_ROWS + at.eight * 8 + at.first_row;
    uint32_t x[2] = {NO_ZEROS<S>, NO_ZEROS<S>};
    if constexpr (ZEROS && S::ROWS == 8)
        ptx::load_shared_64(from, x[0], x[1]);
    else if constexpr (ZEROS)
        x[0] = ptx::load_shared_32(from);
    if (FAULT(p, 112)) x[0] = x[1] = NO_ZEROS<S>;
#pragma unroll
    for (int r = 0; r < S::ROWS; r++) bias[r] = unpack_bias<S>(x[r / 4], r % 4);
}

// A group's sums. Of the narrowest tile, which has registers for it, they are scaled late: while
// the next group's first words are on their way.
template <class S, int SEGMENT> struct mixed_group {
    static constexpr bool LATE = S::STRIPS == 1;
    float part[S::SUMS];
    uint32_t scales[S::ROWS / 2];

    PTX_FN void add_to(float (&acc)[S::SUMS], const gemm_params &p) const
    {
        float scale[S::ROWS];
#pragma unroll
        for (int r = 0; r < S::ROWS; r += 2)
            two_floats<S::KIND>(scales[r / 2], scale[r], scale[r + 1]);
#pragma unroll
        for (int i = 0; i < S::SUMS; i++) {
            const int row = i / (4 * S::STRIPS) * 2 + i / 2 % 2;
            acc[i] += part[i] * (FAULT(p, 114) ? scale[row / 2 * 2] : scale[row]);
        }
    }
};

// A slot, SEGMENT chunks by one group's scales.
template <class S, int SEGMENT, bool ZEROS>
PTX_FN void multiply_slot(float (&acc)[S::SUMS], mixed_group<S, SEGMENT> &g, const gemm_params &p,
                          const gemm_mixed &q, uint32_t slot, const mixed_lane<S> &at)
{
    constexpr int AT_ONCE = SEGMENT == 1 && S::STRIPS == 1 ? 2 : 1;
#pragma unroll AT_ONCE
    for (uint32_t first = at.first_chunk; first < at.first_chunk + S::CHUNKS; first += SEGMENT) {
        const uint32_t group = FAULT(p, 113) ? 0 : first >> q.group_shift;
        uint32_t bias[S::ROWS];
        load_biases<S, ZEROS>(bias, p, q, slot, at, group);
        if (g.LATE) g.add_to(acc, p);
        load_scales<S>(g.scales, q, slot, at, group);
#pragma unroll
        for (int c = 0; c < SEGMENT; c++)
            multiply_chunk<S>(g.part, p, bias, slot, at, first + c, c == 0);
        if (!g.LATE) g.add_to(acc, p);
    }
}

// --- parts of a tile ----------------------------------------------------------------------------

template <class S, int SEGMENT, bool ZEROS>
PTX_FN void sum_slots(float (&acc)[S::SUMS], const gemm_params &p, const gemm_mixed &q,
                      const mixed_smem &smem, const mixed_lane<S> &at, int32_t k_blocks,
                      ring_position &ring, const ptx::watch &watch)
{
    mixed_group<S, SEGMENT> g = {};
#pragma unroll 1
    for (int32_t k = 0; k < k_blocks; k++) {
        if (!FAULT(p, 115))
            ptx::mbarrier_wait_often(smem.full(ring.slot), ring.parity, watch, GEMM_FULL,
                                     ring.slot);
        multiply_slot<S, SEGMENT, ZEROS>(acc, g, p, q, smem.slot(ring.slot), at);
        __syncwarp();
        if (at.lane == 0) ptx::mbarrier_arrive(smem.empty(ring.slot));
        ring.advance(p.stages);
    }
    if (g.LATE) g.add_to(acc, p);
}

template <class S, bool ZEROS>
PTX_FN void sum_any(float (&acc)[S::SUMS], const gemm_params &p, const gemm_mixed &q,
                    const mixed_smem &smem, const mixed_lane<S> &at, int32_t k_blocks,
                    ring_position &ring, const ptx::watch &watch)
{
    if (S::BITS == 4 && q.group_chunks == 1)
        sum_slots<S, 1, ZEROS>(acc, p, q, smem, at, k_blocks, ring, watch);
    else if (q.group_chunks == 2)
        sum_slots<S, 2, ZEROS>(acc, p, q, smem, at, k_blocks, ring, watch);
    else
        sum_slots<S, 4, ZEROS>(acc, p, q, smem, at, k_blocks, ring, watch);
}

template <class S>
PTX_FN void sum_blocks(float (&acc)[S::SUMS], const gemm_params &p, const gemm_mixed &q,
                       const mixed_smem &smem, const mixed_lane<S> &at, int32_t k_blocks,
                       ring_position &ring, const ptx::watch &watch)
{
#pragma unroll
    for (int i = 0; i < S::SUMS; i++) acc[i] = 0;
    if (S::WEIGHT != MIXED_E4M3 && q.has_zeros)
        sum_any<S, S::WEIGHT != MIXED_E4M3>(acc, p, q, smem, at, k_blocks, ring, watch);
    else
        sum_any<S, false>(acc, p, q, smem, at, k_blocks, ring, watch);
}

// Warps have the same rows and a part of every k-block each: the others' sums are added to the
// first's.
template <class S>
PTX_FN void join(float (&acc)[S::SUMS], const gemm_params &p, const mixed_smem &smem,
                 const mixed_lane<S> &at)
{
    constexpr uint32_t STEP = S::ACROSS * 32 * S::SUMS * 4;
    const uint32_t across = at.warp % S::ACROSS, part = at.warp / S::ACROSS;
    const uint32_t first = smem.exchange() + across * (32 * S::SUMS * 4) + at.lane * 16;
    if (part > 0) {
        if (FAULT(p, 116)) ptx::pause_us(50);
#pragma unroll
        for (int i = 0; i < S::SUMS; i += 4)
            ptx::store_shared_128(first + (part - 1) * STEP + i * 128, __float_as_uint(acc[i]),
                                  __float_as_uint(acc[i + 1]), __float_as_uint(acc[i + 2]),
                                  __float_as_uint(acc[i + 3]));
    }
    if (!FAULT(p, 116)) ptx::named_barrier_sync(1 + across, 32 * S::DEEP);
    if (part == 0 && !FAULT(p, 117)) {
#pragma unroll
        for (int other = 0; other < S::DEEP - 1; other++)
#pragma unroll
            for (int i = 0; i < S::SUMS; i += 4) {
                uint32_t x[4];
                ptx::load_shared_128(first + other * STEP + i * 128, x);
#pragma unroll
                for (int j = 0; j < 4; j++) acc[i + j] += __uint_as_float(x[j]);
            }
    }
    // The next part's are written where these lay.
    ptx::named_barrier_sync(1 + across, 32 * S::DEEP);
}

// A tile that several blocks share: a part travels through L2, a warp's by itself (split.cuh has
// the same between warpgroups). A block leaves at most one.
template <class S> struct mixed_parcel {
    uint64_t data, flag;

    PTX_FN mixed_parcel(const gemm_params &p, int32_t block, const mixed_lane<S> &at)
    {
        const int64_t index = (int64_t)block * S::ACROSS + at.warp;
        data = p.parts + index * (32 * S::SUMS * 4) + at.lane * 16;
        flag = p.flags + index * 4;
    }
};

template <class S>
PTX_FN void send(const float (&acc)[S::SUMS], const gemm_params &p, const mixed_lane<S> &at)
{
    const mixed_parcel<S> to(p, blockIdx.x, at);
    if (FAULT(p, 118)) ptx::pause_us(50);
#pragma unroll
    for (int i = 0; i < S::SUMS; i += 4)
        ptx::store_global_128(to.data + i * 128, __float_as_uint(acc[i]),
                              __float_as_uint(acc[i + 1]), __float_as_uint(acc[i + 2]),
                              __float_as_uint(acc[i + 3]));
    __syncwarp(); // what the lanes wrote is released with the flag
    if (at.lane == 0) ptx::store_release(to.flag, 1);
}

// Adds the parts of AT_ONCE blocks from `block` on, as far as they come before `end`: all are on
// their way before the first is added.
template <class S, int AT_ONCE>
PTX_FN void add_parts(float (&acc)[S::SUMS], const gemm_params &p, const mixed_lane<S> &at,
                      int32_t block, int32_t end)
{
    uint32_t x[AT_ONCE][S::SUMS / 4][4];
#pragma unroll
    for (int b = 0; b < AT_ONCE; b++)
#pragma unroll
        for (int i = 0; i < S::SUMS / 4; i++)
            if (block + b < end)
                ptx::load_global_128(mixed_parcel<S>(p, block + b, at).data + i * 512, x[b][i]);
#pragma unroll
    for (int b = 0; b < AT_ONCE; b++)
#pragma unroll
        for (int i = 0; i < S::SUMS; i++)
            if (block + b < end) acc[i] += __uint_as_float(x[b][i / 4][i % 4]);
}

// Adds the parts of every lower block that shares the tile, lowest first. A lane waits for each
// block's flag and clears it, which nobody sets again before this launch has ended.
template <class S>
PTX_FN void collect(float (&acc)[S::SUMS], const gemm_params &p, const mixed_lane<S> &at,
                    int32_t index, const ptx::watch &watch)
{
    constexpr int AT_ONCE = S::WARPS > 8 || S::SUMS > 32 ? 1 : S::SUMS > 16 ? 2 : 4;
    const int32_t end = blockIdx.x;
    int32_t lowest = end;
    while (stream_begin(p, lowest) > index * p.k_blocks) lowest--;
#pragma unroll 1
    for (int32_t block = lowest + (int32_t)at.lane; block < end; block += 32) {
        const uint64_t flag = mixed_parcel<S>(p, block, at).flag;
        if (!FAULT(p, 118)) ptx::flag_wait(flag, watch, GEMM_PART, block);
        ptx::store_global_32(flag, 0);
    }
    __syncwarp();
#pragma unroll 1
    for (int32_t block = lowest; block < end; block += AT_ONCE)
        add_parts<S, AT_ONCE>(acc, p, at, block, end);
}

// --- D ------------------------------------------------------------------------------------------

// Neighbours in a row of D.
template <class S> PTX_FN void store_row(const float (&x)[S::ROWS], int32_t out, uint64_t to)
{
    if (out == GEMM_OUT_F32) {
#pragma unroll
        for (int r = 0; r < S::ROWS; r += 4)
            *(float4 *)(to + r * 4) = make_float4(x[r], x[r + 1], x[r + 2], x[r + 3]);
        return;
    }
    uint32_t y[S::ROWS / 2];
#pragma unroll
    for (int r = 0; r < S::ROWS; r += 2)
        y[r / 2] = out == GEMM_OUT_BF16 ? two_halves<GEMM_BF16>(x[r], x[r + 1])
                                        : two_halves<GEMM_F16>(x[r], x[r + 1]);
    if constexpr (S::ROWS == 8)
        *(uint4 *)to = make_uint4(y[0], y[1], y[2], y[3]);
    else
        *(uint2 *)to = make_uint2(y[0], y[1]);
}

template <class S>
PTX_FN void store_mixed(const float (&acc)[S::SUMS], const gemm_params &p, const gemm_mixed &q,
                        const mixed_lane<S> &at, const tile &t)
{
    const int32_t n = t.n * MIXED_ROWS + at.eight * 8 + at.first_row;
    const int32_t first = t.m * S::COLS;
    const int32_t bytes = p.out == GEMM_OUT_F32 ? 4 : 2;
    if (n >= p.n) return; // N is a multiple of 8: all of them are in D, or none is
    float scale[S::ROWS];
#pragma unroll
    for (int r = 0; r < S::ROWS; r++)
        scale[r] = UNIT<S> * (q.row_scales ? ((const float *)q.row_scales)[n + r] : 1);
#pragma unroll
    for (int strip = 0; strip < S::STRIPS; strip++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const int32_t m = first + strip * 8 + column_of<S>(at.lane % 4 * 2 + e);
            float x[S::ROWS];
#pragma unroll
            for (int r = 0; r < S::ROWS; r++)
                x[r] = scale[r] * acc[(r / 2 * S::STRIPS + strip) * 4 + r % 2 * 2 + e];
            if (m < p.m)
                store_row<S>(x, p.out,
                             (uint64_t)p.d_address + m * p.d_row_bytes + (int64_t)n * bytes);
        }
}

// --- who does what ------------------------------------------------------------------------------

template <class S>
PTX_FN void consume(const gemm_params &p, const gemm_mixed &q, const mixed_smem &smem,
                    const ptx::watch &watch)
{
    const mixed_lane<S> at(p);
    worklist list(p, blockIdx.x);
    ring_position ring;
    work w;
    float acc[S::SUMS];
#pragma unroll 1
    while (list.take(p, w)) {
        sum_blocks<S>(acc, p, q, smem, at, w.k_end - w.k_begin, ring, watch);
        if constexpr (S::DEEP > 1) {
            join<S>(acc, p, smem, at);
            if (at.warp >= S::ACROSS) continue;
        }
        if (w.k_end < p.k_blocks) {
            send<S>(acc, p, at);
            continue;
        }
        if (w.k_begin > 0) collect<S>(acc, p, at, w.index, watch);
        store_mixed<S>(acc, p, q, at, tile_of(p, w.index));
    }
}

template <class S> PTX_FN void gemm_mixed_weights(const gemm_mixed_params &all)
{
    extern __shared__ __align__(1024) uint8_t dynamic_smem[];
    const gemm_params &p = all.product;
    const gemm_mixed &q = all.mixed;
    const mixed_smem smem = {ptx::smem_addr(dynamic_smem), p.stages, p.stage_bytes};
    const ptx::watch watch = {p.mailbox, p.limit_ms};
    ptx::grid_let_next_start();
    if (threadIdx.x == S::WARPS * 32) {
        refuse_mismatch(p, MIXED_ROWS, S::COLS, p.stage_bytes, smem.base, watch);
        ptx::prefetch_tensormap(&p.a);
        ptx::prefetch_tensormap(&p.b);
        if (q.group_chunks) ptx::prefetch_tensormap(&q.scales);
        if (q.has_zeros) ptx::prefetch_tensormap(&q.zeros);
        for (int32_t slot = 0; slot < p.stages; slot++) {
            ptx::mbarrier_init(smem.full(slot), 1);
            ptx::mbarrier_init(smem.empty(slot), S::WARPS);
        }
        ptx::fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < S::WARPS * 32) {
        ptx::registers_raise<S::MANY_REGISTERS>();
        ptx::grid_wait();
        consume<S>(p, q, smem, watch);
    } else {
        ptx::registers_lower<S::FEW_REGISTERS>();
        if (threadIdx.x / 32 == S::WARPS && ptx::elect_one())
            produce<S>(p, q, all.next, smem, watch);
    }
}

#define MIXED_KERNEL(NAME, ...)                                                                    \
    extern "C" __global__ __launch_bounds__(mixed_shape<__VA_ARGS__>::THREADS, 1) void NAME(       \
        const __grid_constant__ gemm_mixed_params p)                                               \
    {                                                                                              \
        gemm_mixed_weights<mixed_shape<__VA_ARGS__>>(p);                                           \
    }

#ifdef GEMM_ONLY
#define MIXED(kind, weight, cols, warps)                                                           \
    MIXED_KERNEL(mixed_##kind##_##weight##_##cols, GEMM_KIND_##kind, MIXED_WEIGHT_##weight, cols,  \
                 warps)
#include "kernels/gemm/mixed.def"
#endif
