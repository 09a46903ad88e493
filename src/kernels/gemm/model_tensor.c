/* What a configuration should cost on a chip after Hopper. Predicted: nothing here has run on one.
 * The rates follow from public figures, of which docs/BLACKWELL.md has the sources; the rest is
 * Hopper's order of size. They rank configurations, and no more is meant. */
#include "kernels/gemm/model_arithmetic.h"
#include "kernels/gemm/suite.h"

/* By family, of the chip that the device does not say itself: a B200 (2.25 PFLOP/s of dense bf16,
 * 8 TB/s, 148 SMs), and an RTX PRO 6000 (503.8 TFLOP/s, 1792 GB/s, 188 SMs at 2617 MHz). 8192 and
 * 1024 operations of bf16 a clock and an SM: 128 rows by one column take two and 16 clocks for 128
 * bytes of K, of whatever type, as 8 bits double the rate and 4 bits double it again.
 * single_again: a multiply of one block reads all of B from shared memory, of a pair half of it;
 * mma.sync knows no pairs. */
static const struct rates {
    int32_t clock_mhz, memory_bytes_per_us;
    double clocks_per_column, single_again;
} of_family[GEMM_FAMILIES] = {
    [GEMM_SM100] = {1850, 8000000, 2, 1.1},
    [GEMM_SM120] = {2617, 1792000, 16, 1},
};
static const double LOAD_BYTES_PER_CLOCK = 40;
static const double TILE_CLOCKS = 600; /* until the first sums of a tile can be read */
static const double PANEL_CLOCKS = 400;
static const double PART_CLOCKS = 3000; /* a part through L2 */
static const double LAUNCH_US = 2;

static double rate(double told, double otherwise)
{
    return told > 0 ? told : otherwise;
}

/* Of one tile: its sums, and storing it, in clocks of its SM. */
struct tile_clocks {
    double sum, store;
};

static struct tile_clocks tile_clocks(const struct gemm_view *view,
                                      const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const struct gemm_instance *g = choice->instance;
    const double k_blocks = up((double)view->k / view->span);
    const struct rates *r = &of_family[g->family];
    const double multiply =
        r->clocks_per_column * g->bn * gemm_a_rows(g) / 128 * (g->ctas == 1 ? r->single_again : 1);
    const double load =
        128.0 * ((double)gemm_a_rows(g) / c->cluster_n + (double)gemm_b_rows(g) / c->cluster_m) /
        LOAD_BYTES_PER_CLOCK;
    const double panels =
        up((double)gemm_d_columns(view, g->bn) / gemm_panel_columns(view)) * (view->second ? 2 : 1);
    return (struct tile_clocks){k_blocks * larger(multiply, load),
                                TILE_CLOCKS + panels * PANEL_CLOCKS};
}

static double tiles_of(const struct gemm_view *view, const struct tmap_gemm_config *c)
{
    return up(up((double)view->m / c->tile_m) / c->cluster_m) *
           up(up((double)view->n / c->tile_n) / c->cluster_n) * view->batch;
}

double gemm_tensor_work_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                           const struct gemm_choice *choice)
{
    const struct tile_clocks t = tile_clocks(view, choice);
    return tiles_of(view, &choice->config) * larger(t.sum, t.store) /
           rate(suite->gpu.clock_mhz, of_family[suite->family].clock_mhz);
}

double gemm_tensor_cost_us(const struct tmap_gemm *suite, const struct gemm_view *view,
                           const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const struct tile_clocks t = tile_clocks(view, choice);
    const double tiles = tiles_of(view, c);
    const double shared = c->stream_k > 0 ? c->stream_k : 0;
    const double at_once = c->dynamic > 0 ? suite->resident[gemm_members(choice)] : c->clusters;
    const double rounds = c->stream_k > 0 ? (tiles - shared) / c->clusters + shared / c->clusters
                                          : up(tiles / at_once);
    /* A tile is stored under the next one's multiplies, unless there is none or nowhere to sum it.
     */
    const bool hides = gemm_accumulators(choice->instance) > 1;
    const double clocks = rounds * (hides ? larger(t.sum, t.store) : t.sum + t.store) +
                          (hides ? t.store : 0) + (shared > 0 ? PART_CLOCKS : 0);
    const double bytes =
        ((double)view->m + view->n) * view->k * (view->element_bits / 8.0) * view->batch +
        (double)view->m * gemm_d_columns(view, view->n) * view->out_bytes * view->batch *
            (view->second ? 2 : 1);
    const struct rates *r = &of_family[suite->family];
    return LAUNCH_US + larger(clocks / rate(suite->gpu.clock_mhz, r->clock_mhz),
                              bytes / rate(suite->gpu.memory_bytes_per_us, r->memory_bytes_per_us));
}
