// What racecheck follows of a ring in shared memory (docs/GROUPS.md): one thread fills its slots
// with a word, two warpgroups read it and give the slot back in one of several ways, all but the
// last ordered by the memory model.
//
//   nvcc -O2 -arch=sm_90a -Isrc -o ring tests/device/racecheck_ring.cu
//   for way in 0 1 2 3 4 5; do compute-sanitizer --tool racecheck ./ring $way; done
#include <stdio.h>
#include <stdlib.h>

#include "kernels/ptx/ptx.cuh"

enum { SLOTS = 4, FILLS = 13, READERS = 256, GROUP = 128, TURN = 9 };
// Each reader arrives for itself; a lane for its warp, a thread for its warpgroup, one after the
// warpgroups' turns (promote.cuh), each after them; a lane before its warp has read.
enum way { EACH, BY_WARP, BY_GROUP, BY_TURN, EACH_BY_TURN, EARLY };

struct rings {
    uint64_t full[SLOTS], empty[SLOTS];
    uint32_t word[SLOTS];
};

PTX_FN void await(const uint64_t *bar, int round)
{
    while (!ptx::mbarrier_try_wait(ptx::smem_addr(bar), round & 1)) {
    }
}

PTX_FN void fill(rings &r)
{
    for (int i = 0; i < FILLS; i++) {
        await(&r.empty[i % SLOTS], i / SLOTS ^ 1);
        ptx::store_shared_32(ptx::smem_addr(&r.word[i % SLOTS]), i);
        ptx::mbarrier_arrive(ptx::smem_addr(&r.full[i % SLOTS]));
    }
}

PTX_FN void meet(way w, int group)
{
    if (w == BY_WARP) __syncwarp();
    if (w == BY_GROUP) ptx::named_barrier_sync(TURN + group, GROUP);
    if (w != BY_TURN && w != EACH_BY_TURN) return;
    ptx::named_barrier_sync(TURN + group, READERS);
    ptx::named_barrier_arrive(TURN + 1 - group, READERS);
}

PTX_FN uint32_t read(rings &r, way w, int thread)
{
    const bool by_warp = w == BY_WARP || w == EARLY, each = w == EACH || w == EACH_BY_TURN;
    const bool gives = each || thread % (by_warp ? 32 : GROUP) == 0;
    uint32_t sum = 0;
    for (int i = 0; i < FILLS; i++) {
        const uint32_t empty = ptx::smem_addr(&r.empty[i % SLOTS]);
        await(&r.full[i % SLOTS], i / SLOTS);
        if (w == EARLY && gives) ptx::mbarrier_arrive(empty);
        sum += ptx::load_shared_32(ptx::smem_addr(&r.word[i % SLOTS]));
        meet(w, thread / GROUP);
        if (w != EARLY && gives) ptx::mbarrier_arrive(empty);
    }
    return sum;
}

__global__ __launch_bounds__(GROUP + READERS) void ring(way w, uint32_t *out)
{
    __shared__ rings r;
    const int thread = (int)threadIdx.x - GROUP;
    const bool turns = w == BY_TURN || w == EACH_BY_TURN;
    const int givers = w == EACH || w == EACH_BY_TURN ? READERS
                       : w == BY_WARP || w == EARLY   ? READERS / 32
                                                      : READERS / GROUP;
    for (int i = 0; i < SLOTS && threadIdx.x == 0; i++) {
        ptx::mbarrier_init(ptx::smem_addr(&r.full[i]), 1);
        ptx::mbarrier_init(ptx::smem_addr(&r.empty[i]), givers);
    }
    __syncthreads();
    if (threadIdx.x == 0) fill(r);
    if (thread < 0) return;
    if (turns && thread >= GROUP) ptx::named_barrier_arrive(TURN, READERS);
    out[thread] = read(r, w, thread);
    if (turns && thread < GROUP) ptx::named_barrier_sync(TURN, READERS);
}

int main(int argc, char **argv)
{
    uint32_t *out, sum[READERS];
    const way w = (way)(argc > 1 ? atoi(argv[1]) : 0);
    int wrong = 0;
    if (cudaMalloc(&out, sizeof sum) != cudaSuccess) return 2;
    ring<<<1, GROUP + READERS>>>(w, out);
    if (cudaMemcpy(sum, out, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
    for (int i = 0; i < READERS; i++) wrong += sum[i] != FILLS * (FILLS - 1) / 2;
    printf("way %d: %d of %d wrong\n", w, wrong, READERS);
    return wrong != 0;
}
