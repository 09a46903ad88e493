/* What a configuration should cost. A tile takes as long as the slowest of three: the tensor cores,
 * the copies into shared memory, and its share of the device's memory bandwidth; then come the
 * epilogue and what one launch costs anyway. */
#include "kernels/gemm/suite.h"

/* Measured on an H200 (docs/GEMM.md): per SM and clock, a warpgroup's multiply of 64 x N x 32 bytes
 * takes N / 2 clocks; L2 gives an SM about 64 bytes a clock; memory gives all of them 4.3 TB/s. */
static const double CLOCKS_PER_US = 1600.0;
static const double L2_BYTES_PER_CLOCK = 52.0;
static const double MEMORY_BYTES_PER_US = 4.2e6;
static const double LAUNCH_US = 3.0;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double ceil_div(double a, double b)
{
    const int64_t q = (int64_t)(a / b);
    return (double)q + ((double)q * b < a);
}

/* One k-block of one block's tile, in clocks. */
static double block_clocks(const struct gemm_instance *instance, const struct tmap_gemm_config *c)
{
    const double n = instance->bn < 32 ? 32 : instance->bn;
    const double multiply = 4 * instance->wgs * n / 2 * (instance->promote ? 1.15 : 1.0);
    const double rows = (double)c->tile_m / c->cluster_n, cols = (double)c->tile_n / c->cluster_m;
    /* What arrives by multicast costs less than what is fetched, but not nothing. */
    const double bytes = 128 * (0.75 * (rows + cols) + 0.25 * (c->tile_m + c->tile_n));
    return larger(multiply, bytes / L2_BYTES_PER_CLOCK);
}

static double epilogue_clocks(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    const double panels = (double)c->tile_n / 64 * (view->out_bytes == 4 ? 2 : 1);
    const double reduce = c->split > 1 ? 800 + 120.0 * c->split * c->tile_n / 16 : 0;
    return 900 + 350 * panels + reduce + (view->adds_c ? 30.0 * c->tile_n : 0);
}

double gemm_cost_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                    const struct gemm_choice *choice)
{
    (void)suite;
    const struct tmap_gemm_config *c = &choice->config;
    const double span = 128.0 / view->element_bytes;
    const double tiles_m = ceil_div(ceil_div(view->m, c->tile_m), c->cluster_m);
    const double tiles_n = ceil_div(ceil_div(view->n, c->tile_n), c->cluster_n);
    const double total = tiles_m * tiles_n * view->batch;
    const double waves = ceil_div(total, c->clusters);
    const double k_blocks = ceil_div(ceil_div(view->k, span), c->split);
    const double fill = 1200 + 600; /* clocks until the first tile is there, and the last store */
    const double tile = k_blocks * block_clocks(choice->instance, c) + epilogue_clocks(view, c);
    const double compute_us = (fill + waves * tile) / CLOCKS_PER_US;
    const double once = view->batch * (((double)view->m + view->n) * view->k * view->element_bytes +
                                       (double)view->m * view->n * view->out_bytes);
    const double blocks = c->clusters * c->cluster_m * c->cluster_n * c->split;
    const double in_flight =
        larger(1, 5.0e6 / (blocks * c->stages * gemm_stage_bytes(choice->instance)));
    return LAUNCH_US + larger(compute_us, once / MEMORY_BYTES_PER_US * in_flight);
}
