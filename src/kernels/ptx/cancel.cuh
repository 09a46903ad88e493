// Work taken over from clusters that are not launched yet, and then never are (PTX ISA 8.6,
// clusterlaunchcontrol): sm_100 and later.
#pragma once

#include "ptx.cuh"

namespace ptx
{

// Asks for one: 16 bytes of answer, told to the barrier as a copy's; with `all`, to the same places
// of every block of the cluster.
PTX_FN void try_cancel(uint32_t answer, uint32_t bar, bool all)
{
    if (all)
        asm volatile(
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
            ".multicast::cluster::all.b128 [%0], [%1];" ::"r"(answer),
            "r"(bar)
            : "memory");
    else
        asm volatile(
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
            ".b128 [%0], [%1];" ::"r"(answer),
            "r"(bar)
            : "memory");
}
// The x of the cancelled cluster's first block; -1 where there was none left.
PTX_FN int32_t cancelled(uint32_t answer)
{
    int32_t x;
    asm volatile(
        "{ .reg .b128 h; .reg .pred p; ld.shared.b128 h, [%1];\n"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h;\n"
        "mov.u32 %0, -1;\n"
        "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%0, _, _, _}, h; }"
        : "=r"(x)
        : "r"(answer)
        : "memory");
    return x;
}
// Arrives on a barrier of another block, which waits for so many bytes more.
PTX_FN void mbarrier_arrive_expect_tx_cluster(uint32_t remote_bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(
                     remote_bar),
                 "r"(bytes)
                 : "memory");
}

} // namespace ptx
