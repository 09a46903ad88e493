/* What a configuration should cost: the larger of the time that the busiest block takes and the
 * time that memory takes, softly, and what a launch takes anyway. */
#include "kernels/gemm/model_terms.h"

double gemm_cost_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                    const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const double members = c->cluster_m * c->cluster_n * c->split_k;
    const double tiles = cluster_tiles(view, c);
    const double bytes = memory_bytes(view, c), clocks = clocks_per_us(suite);
    const struct traffic traffic = traffic_of(suite, view, c, tiles);
    double compute_us = (busiest_clocks(suite, view, choice, &traffic, tiles) +
                         FIRST_CLOCKS * traffic.received / 32768) /
                        clocks;
    const double power_us = energy_us(suite, view, choice, bytes);
    /* Beyond its power the device lowers the clock, the voltage and a clock's energy with it. */
    if (power_us > compute_us) compute_us = mean(compute_us, power_us);
    const bool own = is_own(view);
    compute_us *= in_step(c, up(tiles / c->clusters), k_blocks_of(view) / c->split_k, own);
    if (c->stream_k > 0 && c->split_k == 1)
        compute_us *= stream_fit(view, c) * stream_cold(own, traffic.unique, c->stream_k / tiles);
    compute_us *= tile_fit(suite, view, choice->instance, c, compute_us);
    if (c->pingpong > 0) compute_us *= turn_fit(view);
    compute_us *= gemm_settled_fit(suite, view, c);
    if (gemm_is_from_registers(view, c)) compute_us *= FROM_REGISTERS;
    if (gemm_is_high(choice->instance)) compute_us *= HIGH_FIT;
    if (view->conv.images > 0) compute_us *= conv_fit(c);
    if (view->conv.images == 0) compute_us = softly(compute_us, cache_us(suite, view, &traffic));
    const double memory_us =
        larger(bytes / memory_bytes_per_us(suite), stored_us(suite, view, traffic.blocks));
    const double full = smaller(c->clusters * members, suite->gpu.sm_count) / suite->gpu.sm_count;
    return full * start_us(view, choice->instance) - ready_us(choice->instance) +
           softly(compute_us, memory_us);
}

double gemm_work_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                    const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const double tiles = up(up((double)view->m / c->tile_m) / c->cluster_m) *
                         up(up((double)view->n / c->tile_n) / c->cluster_n);
    const struct traffic traffic = traffic_of(suite, view, c, tiles);
    const double sum = k_blocks_of(view) * block_clocks(view, choice->instance, c, &traffic);
    const double tile = c->pingpong > 0 ? turn_clocks(sum, turn_end_clocks(view, choice))
                                        : sum + tile_clocks(view, choice);
    return tiles * tile / clocks_per_us(suite);
}
