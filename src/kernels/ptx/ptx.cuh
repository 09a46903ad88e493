// Each PTX instruction that the kernels use, wrapped once. Nothing here decides anything: a wrapper
// is one instruction (or one loop around one), named after what it does. The PTX ISA's section on
// each is the source; where a form is chosen over another, the comment says why.
#pragma once

#include <stdint.h>

#define PTX_FN __device__ __forceinline__

namespace ptx
{

// --- addresses and identity -------------------------------------------------------------------

PTX_FN uint32_t smem_addr(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

PTX_FN int32_t cluster_index()
{
    int32_t i;
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(i));
    return i;
}
PTX_FN uint32_t cluster_rank()
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

// The address of the same shared variable in another block of the cluster.
PTX_FN uint32_t map_to_rank(uint32_t addr, uint32_t rank)
{
    uint32_t out;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(out) : "r"(addr), "r"(rank));
    return out;
}

// x, which all lanes of the warp agree on, where the compiler can see that they do: it keeps such
// values, and what follows from them, in the warp's own registers.
PTX_FN uint32_t uniform(uint32_t x)
{
    return __shfl_sync(~0u, x, 0);
}

PTX_FN bool elect_one()
{
    uint32_t p;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(p));
    return p != 0;
}

// --- the watchdog -----------------------------------------------------------------------------
// A wait that outlasts its limit writes who waited for what into a mailbox in host memory (device
// memory is out of reach once the context has failed), then traps. Words of the mailbox:
//   0  1 when a wait ran out        3  parity waited for
//   1  barrier id (the caller's)    4  block index
//   2  slot or index (the caller's) 5  thread index
// A refusal (a plan constant that does not match the kernel) writes 2 in word 0 and its own code.

struct watch {
    volatile uint32_t *mailbox;
    uint32_t limit_ms;
};

PTX_FN uint64_t globaltimer_ns()
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// Near enough (2^20 ns), in one register.
PTX_FN uint32_t globaltimer_ms()
{
    return (uint32_t)(globaltimer_ns() >> 20);
}

PTX_FN void report_and_trap(const watch &w, uint32_t what, uint32_t id, uint32_t slot,
                            uint32_t parity)
{
    if (w.mailbox) {
        w.mailbox[1] = id;
        w.mailbox[2] = slot;
        w.mailbox[3] = parity;
        w.mailbox[4] = blockIdx.x;
        w.mailbox[5] = threadIdx.x;
        __threadfence_system();
        w.mailbox[0] = what;
        __threadfence_system();
    }
    __trap();
}

// Sleeps, for the planted delays of the fault controls.
PTX_FN void pause_us(uint32_t us)
{
    const uint64_t start_ns = globaltimer_ns();
    while (globaltimer_ns() - start_ns < (uint64_t)us * 1000) asm volatile("nanosleep.u32 500;");
}

// --- mbarriers --------------------------------------------------------------------------------

PTX_FN void mbarrier_init(uint32_t bar, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(arrivals) : "memory");
}

PTX_FN void mbarrier_inval(uint32_t bar)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(bar) : "memory");
}

PTX_FN void mbarrier_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}

// Arrive on a barrier of another block; the address comes from map_to_rank.
PTX_FN void mbarrier_arrive_cluster(uint32_t remote_bar)
{
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote_bar) : "memory");
}

// By the lanes that `when` holds for, without a branch.
PTX_FN void mbarrier_arrive_if(bool when, uint32_t bar)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;\n"
                 "  @p mbarrier.arrive.shared::cta.b64 _, [%0]; }" ::"r"(bar),
                 "r"((uint32_t)when)
                 : "memory");
}
PTX_FN void mbarrier_arrive_cluster_if(bool when, uint32_t remote_bar)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0;\n"
                 "  @p mbarrier.arrive.shared::cluster.b64 _, [%0]; }" ::"r"(remote_bar),
                 "r"((uint32_t)when)
                 : "memory");
}

PTX_FN void mbarrier_arrive_expect_tx(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes)
                 : "memory");
}

PTX_FN bool mbarrier_try_wait(uint32_t bar, uint32_t parity)
{
    uint32_t done;
    asm volatile("{ .reg .pred p;\n"
                 "  mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "  selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return done != 0;
}

// Whether the phase of that parity has completed: a look, no wait.
PTX_FN bool mbarrier_test(uint32_t bar, uint32_t parity)
{
    uint32_t done;
    asm volatile("{ .reg .pred p;\n"
                 "  mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "  selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar), "r"(parity)
                 : "memory");
    return done != 0;
}

// Waits until the phase of that parity has completed, or reports `id` and `slot` and traps.
PTX_FN void mbarrier_wait(uint32_t bar, uint32_t parity, const watch &w, uint32_t id, uint32_t slot)
{
    if (mbarrier_try_wait(bar, parity)) return;
    const uint64_t start_ns = globaltimer_ns();
    while (!mbarrier_try_wait(bar, parity))
        if (globaltimer_ns() - start_ns > (uint64_t)w.limit_ms * 1000000)
            report_and_trap(w, 1, id, slot, parity);
}

// The same, for a wait on which a ring depends: the timer is far away, so it is asked once in many
// tries, and in fewer registers.
PTX_FN void mbarrier_wait_often(uint32_t bar, uint32_t parity, const watch &w, uint32_t id,
                                uint32_t slot)
{
    uint32_t start_ms = 0;
#pragma unroll 1
    while (true) {
#pragma unroll
        for (int tries = 0; tries < 8; tries++)
            if (mbarrier_try_wait(bar, parity)) return;
        const uint32_t now_ms = globaltimer_ms();
        if (start_ms == 0) start_ms = now_ms;
        if (now_ms - start_ms > w.limit_ms) report_and_trap(w, 1, id, slot, parity);
    }
}

// --- fences and barriers ----------------------------------------------------------------------

// After mbarrier.init, before another block or the async proxy may use the barrier.
PTX_FN void fence_mbarrier_init()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Orders this thread's ordinary shared-memory accesses before later ones of the copy engine and
// the tensor cores. Every writing thread needs it, then a barrier, then the one that issues.
PTX_FN void fence_proxy_async()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
PTX_FN void fence_proxy_async_all()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}

PTX_FN void named_barrier_sync(uint32_t id, uint32_t threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

PTX_FN void named_barrier_arrive(uint32_t id, uint32_t threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// The same; whether it is so of every thread.
PTX_FN bool named_barrier_all(uint32_t id, uint32_t threads, bool mine)
{
    uint32_t all;
    asm volatile("{ .reg .pred p, q; setp.ne.b32 p, %1, 0; bar.red.and.pred q, %2, %3, p; "
                 "selp.b32 %0, 1, 0, q; }"
                 : "=r"(all)
                 : "r"((uint32_t)mine), "r"(id), "r"(threads)
                 : "memory");
    return all;
}

// The same, with the number of threads in the instruction.
template <int THREADS> PTX_FN void named_barrier_pass(uint32_t id)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "n"(THREADS) : "memory");
}

// For barriers that a fence of their own makes known (fence_mbarrier_init): the arrival that
// releases waits for every access to memory of the thread.
PTX_FN void cluster_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
PTX_FN void cluster_arrive()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
PTX_FN void cluster_wait()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

PTX_FN void cluster_sync()
{
    cluster_arrive();
    cluster_wait();
}

// --- grids that follow one another --------------------------------------------------------------
// In a launch that may start before its predecessor has ended: nothing the predecessor wrote may be
// read, and nothing it reads written, before the wait. In any other launch both do nothing.

PTX_FN void grid_wait()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
PTX_FN void grid_let_next_start()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// --- warpgroup control --------------------------------------------------------------------------

template <int N> PTX_FN void registers_raise()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N> PTX_FN void registers_lower()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

PTX_FN void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
PTX_FN void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> PTX_FN void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}

// --- shared memory by the warp ------------------------------------------------------------------

PTX_FN uint32_t dynamic_smem_bytes()
{
    uint32_t v;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(v));
    return v;
}

PTX_FN uint32_t load_shared_32(uint32_t addr)
{
    uint32_t v;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v) : "r"(addr) : "memory");
    return v;
}

// Where it is wanted; else v stays.
PTX_FN void load_shared_if(uint32_t addr, bool wanted, float &v)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.shared.f32 %0, [%1]; }"
                 : "+f"(v)
                 : "r"(addr), "r"((uint32_t)wanted)
                 : "memory");
}
PTX_FN void load_shared_pair_if(uint32_t addr, bool wanted, float &x, float &y)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p ld.shared.v2.f32 {%0, %1}, [%2]; }"
                 : "+f"(x), "+f"(y)
                 : "r"(addr), "r"((uint32_t)wanted)
                 : "memory");
}
PTX_FN void load_shared_four_if(uint32_t addr, bool wanted, float &x, float &y, float &z, float &w)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;\n"
                 "  @p ld.shared.v4.f32 {%0, %1, %2, %3}, [%4]; }"
                 : "+f"(x), "+f"(y), "+f"(z), "+f"(w)
                 : "r"(addr), "r"((uint32_t)wanted)
                 : "memory");
}

PTX_FN void load_shared_128(uint32_t addr, uint32_t (&v)[4])
{
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(addr)
                 : "memory");
}

PTX_FN void load_shared_64(uint32_t addr, uint32_t &a, uint32_t &b)
{
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(addr) : "memory");
}

PTX_FN void ldmatrix_x4(uint32_t (&v)[4], uint32_t addr)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(addr)
                 : "memory");
}

PTX_FN void stmatrix_x4(uint32_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(addr),
                 "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
}

// Two of them: lanes 0 to 15 say where the rows go.
PTX_FN void stmatrix_x2(uint32_t addr, uint32_t a, uint32_t b)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(addr), "r"(a),
                 "r"(b)
                 : "memory");
}
PTX_FN void stmatrix_x2_trans(uint32_t addr, uint32_t a, uint32_t b)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(addr),
                 "r"(a), "r"(b)
                 : "memory");
}

PTX_FN void stmatrix_x4_trans(uint32_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(addr),
        "r"(a), "r"(b), "r"(c), "r"(d)
        : "memory");
}

PTX_FN void store_shared_32(uint32_t addr, uint32_t v)
{
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(addr), "r"(v) : "memory");
}

PTX_FN void store_shared_64(uint32_t addr, uint32_t a, uint32_t b)
{
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(addr), "r"(a), "r"(b) : "memory");
}

PTX_FN void store_shared_128(uint32_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(addr), "r"(a), "r"(b), "r"(c),
                 "r"(d)
                 : "memory");
}

PTX_FN void store_shared_16(uint32_t addr, uint16_t v)
{
    asm volatile("st.shared.b16 [%0], %1;" ::"r"(addr), "h"(v) : "memory");
}

PTX_FN void store_shared_8(uint32_t addr, uint16_t v)
{
    asm volatile("st.shared.b8 [%0], %1;" ::"r"(addr), "h"(v) : "memory");
}

// From the shared memory of any block of the cluster; the address comes from map_to_rank.
PTX_FN void load_cluster_128(uint32_t addr, uint32_t (&v)[4])
{
    asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "r"(addr)
                 : "memory");
}

// 32 or 16 bits from global memory, or 0 where neither is asked for. No branch, so that a row of
// them stays straight code, and one register.
PTX_FN uint32_t load_global_if(uint64_t addr, bool wide, bool half)
{
    uint32_t v;
    asm volatile("{ .reg .pred w, h;\n"
                 "  setp.ne.u32 w, %2, 0; setp.ne.u32 h, %3, 0; mov.b32 %0, 0;\n"
                 "  @w ld.global.b32 %0, [%1];\n"
                 "  @h ld.global.u16 %0, [%1]; }"
                 : "=&r"(v)
                 : "l"(addr), "r"((uint32_t)wide), "r"((uint32_t)half));
    return v;
}

// Two neighbours, or the first of them, or zeros: as load_global_if.
PTX_FN void load_global_pair(uint64_t addr, bool both, bool one, float &x, float &y)
{
    asm volatile("{ .reg .pred w, h;\n"
                 "  setp.ne.u32 w, %3, 0; setp.ne.u32 h, %4, 0; mov.b32 %0, 0; mov.b32 %1, 0;\n"
                 "  @w ld.global.v2.f32 {%0, %1}, [%2];\n"
                 "  @h ld.global.f32 %0, [%2]; }"
                 : "=&f"(x), "=&f"(y)
                 : "l"(addr), "r"((uint32_t)both), "r"((uint32_t)one));
}

// Into L2, past the first cache.
PTX_FN void store_global_64(uint64_t addr, uint32_t a, uint32_t b)
{
    asm volatile("st.global.cg.v2.b32 [%0], {%1, %2};" ::"l"(addr), "r"(a), "r"(b) : "memory");
}

// Between blocks, through L2: data with a flag that is released after it and acquired before it.
PTX_FN void store_global_128(uint64_t addr, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    asm volatile("st.global.cg.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(addr), "r"(a), "r"(b), "r"(c),
                 "r"(d)
                 : "memory");
}

PTX_FN void load_global_128(uint64_t addr, uint32_t (&v)[4])
{
    asm volatile("ld.global.cg.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(addr)
                 : "memory");
}

PTX_FN void store_global_32(uint64_t addr, uint32_t v)
{
    asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(addr), "r"(v) : "memory");
}

PTX_FN void store_release(uint64_t addr, uint32_t v)
{
    asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(addr), "r"(v) : "memory");
}

PTX_FN void store_relaxed(uint64_t addr, uint32_t v)
{
    asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(addr), "r"(v));
}

PTX_FN uint32_t load_relaxed(uint64_t addr)
{
    uint32_t v;
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(addr));
    return v;
}

PTX_FN uint32_t load_acquire(uint64_t addr)
{
    uint32_t v;
    asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(addr) : "memory");
    return v;
}

// Waits until the flag is set, or reports and traps. What it is then.
PTX_FN uint32_t flag_wait(uint64_t addr, const watch &w, uint32_t id, uint32_t slot)
{
    uint32_t flag = load_acquire(addr);
    if (flag) return flag;
    const uint32_t start_ms = globaltimer_ms();
    while (!(flag = load_acquire(addr)))
        if (globaltimer_ms() - start_ms > w.limit_ms) report_and_trap(w, 1, id, slot, 1);
    return flag;
}

// Keeps what was computed before a wait from being computed after it.
template <class T> PTX_FN void settle(T &x)
{
    asm volatile("" : "+r"(x));
}

} // namespace ptx

#include "copy.cuh"
