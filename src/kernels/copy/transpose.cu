// Transposition through shared memory. The copy engine brings a tile in and takes its transpose
// out, both with the 128-byte swizzle, under which the threads' 16-byte accesses meet no bank
// conflict; the threads turn blocks of 16 x 16 bytes around in registers.
//
// A tile is a square of SIDE x SIDE panels; a panel is 128 bytes wide and as many rows high as 128
// bytes have elements. Global maps have rank 3: {elements of 128 bytes, rows, panels}.
#include "kernels/copy/ring.cuh"

using namespace copy;

namespace
{

template <int SIZE> constexpr uint32_t panel_bytes = 128 * (128 / SIZE);

PTX_FN uint32_t swizzled(uint32_t at, uint32_t mask)
{
    return at ^ ((at >> 7 & mask) << 4);
}

// Element (row, chunk position) of ROWS rows of 16 bytes becomes its transpose, in place.
template <int SIZE> struct turn;

template <> struct turn<4> {
    static constexpr int ROWS = 4;
    PTX_FN static void run(uint32_t (&v)[4][4])
    {
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = i + 1; j < 4; j++) {
                const uint32_t t = v[i][j];
                v[i][j] = v[j][i];
                v[j][i] = t;
            }
    }
};

template <> struct turn<2> {
    static constexpr int ROWS = 8;
    // Words hold two elements: turn 2 x 2 elements between row pairs, and the pairs as words.
    PTX_FN static void run(uint32_t (&v)[8][4])
    {
        uint32_t w[8][4];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const uint32_t a = v[2 * i][j], b = v[2 * i + 1][j];
                w[2 * j][i] = __byte_perm(a, b, 0x5410);
                w[2 * j + 1][i] = __byte_perm(a, b, 0x7632);
            }
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) v[i][j] = w[i][j];
    }
};

template <> struct turn<1> {
    static constexpr int ROWS = 16;
    PTX_FN static void run(uint32_t (&v)[16][4])
    {
        uint32_t w[16][4];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const uint32_t a = v[4 * i][j], b = v[4 * i + 1][j];
                const uint32_t c = v[4 * i + 2][j], d = v[4 * i + 3][j];
                const uint32_t ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
                const uint32_t ef = __byte_perm(a, b, 0x7362), gh = __byte_perm(c, d, 0x7362);
                w[4 * j][i] = __byte_perm(ab, cd, 0x5410);
                w[4 * j + 1][i] = __byte_perm(ab, cd, 0x7632);
                w[4 * j + 2][i] = __byte_perm(ef, gh, 0x5410);
                w[4 * j + 3][i] = __byte_perm(ef, gh, 0x7632);
            }
#pragma unroll
        for (int i = 0; i < 16; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) v[i][j] = w[i][j];
    }
};

// Which block of a panel a lane turns: block column bc of 16-byte chunks, block row br. Eight lanes
// of one access must hit eight chunks both when they read rows of bc and write rows of br.
template <int SIZE> PTX_FN void block_of(uint32_t t, uint32_t &bc, uint32_t &br)
{
    const uint32_t i = t & 7, k = t >> 3 & 7;
    if constexpr (SIZE == 4) {
        // Rows advance by four a block, so its low bit moves the XOR by four: cross the bits.
        bc = (k & 1) << 2 | (i & 3);
        br = ((k >> 1 & 1) << 2 | (i & 2) | (i >> 2)) ^ (k >> 2 & 1) << 1;
    } else {
        bc = i;
        br = (i + k) & 7;
    }
}

template <int SIZE>
PTX_FN void turn_block(uint32_t from, uint32_t to, uint32_t bc, uint32_t br, uint32_t mask)
{
    uint32_t v[turn<SIZE>::ROWS][4];
#pragma unroll
    for (int j = 0; j < turn<SIZE>::ROWS; j++)
        ptx::load_shared_128(from + swizzled((br * turn<SIZE>::ROWS + j) * 128 + bc * 16, mask),
                             v[j]);
    turn<SIZE>::run(v);
#pragma unroll
    for (int j = 0; j < turn<SIZE>::ROWS; j++)
        ptx::store_shared_128(to + swizzled((bc * turn<SIZE>::ROWS + j) * 128 + br * 16, 7),
                              v[j][0], v[j][1], v[j][2], v[j][3]);
}

// In a tile, panel (pc, row block pr) of the input lies at pc * SIDE + pr panels: one load brings
// SIDE panels of SIDE times the height. Its transpose is panel (pr, pc).
template <int SIZE, int SIDE>
PTX_FN void turn_tile(const copy_params &p, uint32_t from, uint32_t to)
{
    const uint32_t mask = planted(p, COPY_FAULT_SWIZZLE) ? 3 : 7;
    for (uint32_t t = threadIdx.x; t < 64 * SIDE * SIDE; t += blockDim.x) {
        const uint32_t panel = t / 64, pc = panel / SIDE, pr = panel % SIDE;
        uint32_t bc, br;
        block_of<SIZE>(t, bc, br);
        turn_block<SIZE>(from + panel * panel_bytes<SIZE>,
                         to + (pr * SIDE + pc) * panel_bytes<SIZE>, bc, br, mask);
    }
}

template <int SIDE>
PTX_FN void load_tile(const copy_params &p, uint32_t t, uint32_t slot, uint32_t bar)
{
    const uint32_t row = divide(p.tiles[0], t), col = t - row * p.tiles[0].divisor;
    const int32_t c[3] = {0, (int32_t)(row * p.step[1]), (int32_t)(col * SIDE)};
    uint32_t bytes = p.tx_bytes;
    if (planted(p, COPY_FAULT_TX_LESS)) bytes -= 16;
    if (planted(p, COPY_FAULT_TX_MORE)) bytes += 16;
    ptx::mbarrier_arrive_expect_tx(bar, bytes);
    ptx::tma_load_hint<3>(slot, &p.src, bar, c, p.load_policy);
}

template <int SIDE> PTX_FN void store_tile(const copy_params &p, uint32_t t, uint32_t from)
{
    const uint32_t row = divide(p.tiles[0], t), col = t - row * p.tiles[0].divisor;
    const int32_t c[3] = {0, (int32_t)(col * p.step[1]), (int32_t)(row * SIDE)};
    ptx::tma_store_hint<3>(&p.dst, from, c, p.store_policy);
    ptx::bulk_commit();
}

// The tile in a slot, for all threads to read; and its load, where it is one.
template <int SIDE>
PTX_FN void fill_slot(const copy_params &p, uint32_t t, uint32_t base, uint32_t slot, uint32_t bars)
{
    ptx::store_shared_32(bars + 8 * p.stages + 4 * slot, t);
    if (t < p.total) load_tile<SIDE>(p, t, base + slot * p.stage_bytes, bars + 8 * slot);
}

// Input ring of `stages` slots, output ring of two.
template <int SIZE, int SIDE> PTX_FN void transpose(const copy_params &p, uint32_t base)
{
    const ptx::watch w = watch_of(p);
    const shared_order order;
    const uint32_t s = p.stages, bytes = SIDE * SIDE * panel_bytes<SIZE>;
    const uint32_t out = base + s * p.stage_bytes, bars = out + 2 * bytes;
    const bool leader = threadIdx.x == 0;
    uint32_t next = 0;
    if (leader) {
        check_plan(p, base, 1, 2 * bytes);
        for (uint32_t i = 0; i < s; i++) ptx::mbarrier_init(bars + 8 * i, 1);
        ptx::fence_mbarrier_init();
        for (uint32_t i = 0; i < s; i++) fill_slot<SIDE>(p, order.start(p, i), base, i, bars);
        next = order.draw(p);
    }
    position at = {0, 0};
    for (uint32_t i = 0;; i++) {
        const uint32_t from = base + at.slot * p.stage_bytes, to = out + (i & 1) * bytes;
        if (leader && !planted(p, COPY_FAULT_EARLY)) ptx::bulk_wait_read<1>();
        __syncthreads(); // the output slot's last store has been read, the slot's tile is known
        const uint32_t t = ptx::load_shared_32(bars + 8 * s + 4 * at.slot);
        if (t >= p.total) break;
        if (!planted(p, COPY_FAULT_NO_WAIT))
            ptx::mbarrier_wait(bars + 8 * at.slot, at.parity, w, COPY_FULL, at.slot);
        turn_tile<SIZE, SIDE>(p, from, to);
        if (!planted(p, COPY_FAULT_NO_FENCE)) ptx::fence_proxy_async();
        __syncthreads(); // everybody has read the input and written the output
        if (leader) {
            if (!planted(p, COPY_FAULT_LAST_TILE) || t + 1 < p.total) store_tile<SIDE>(p, t, to);
            fill_slot<SIDE>(p, next, base, at.slot, bars);
            if (next < p.total) next = order.draw(p);
        }
        advance(at, p);
    }
    if (leader && !planted(p, COPY_FAULT_NO_DRAIN)) ptx::bulk_wait<0>();
    if (leader) leave(p);
}

} // namespace

#define COPY_TRANSPOSE(SIZE, SIDE, BLOCKS)                                                         \
    extern "C" __global__ void __launch_bounds__(256, BLOCKS)                                      \
        COPY_KERNEL(copy_transpose_##SIZE)(const __grid_constant__ copy_params p)                  \
    {                                                                                              \
        extern __shared__ __align__(1024) uint8_t smem[];                                          \
        transpose<SIZE, SIDE>(p, ptx::smem_addr(smem));                                            \
    }
COPY_TRANSPOSE(4, 2, 2)
COPY_TRANSPOSE(2, 2, 1)
COPY_TRANSPOSE(1, 2, 1)
