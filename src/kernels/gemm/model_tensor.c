/* What a configuration should cost on a chip with tensor memory. Predicted: nothing here has run on
 * one. The rates follow from public figures of a B200 (NVIDIA's DGX B200 data sheet: 2.25 PFLOP/s
 * of dense bf16 and 8 TB/s a GPU of 148 SMs), the rest is Hopper's order of size; they rank
 * configurations, and docs/BLACKWELL.md says that no more is meant. */
#include "kernels/gemm/suite.h"

enum { CLOCK_MHZ = 1850, MEMORY_BYTES_PER_US = 8000000 };
/* 2.25e15 / (148 SMs * 1.85e9 Hz) is 8192 operations of bf16 a clock and an SM: a block's 128 rows
 * by one column take two clocks for 128 bytes of K, of whatever type. */
static const double CLOCKS_PER_COLUMN = 2;
/* A multiply of one block reads all of B from shared memory, of a pair half of it. */
static const double SINGLE_AGAIN = 1.1;
static const double LOAD_BYTES_PER_CLOCK = 40;
static const double TILE_CLOCKS = 600; /* until the first sums of a tile can be read */
static const double PANEL_CLOCKS = 400;
static const double PART_CLOCKS = 3000; /* a part through L2 */
static const double LAUNCH_US = 2;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double up(double x)
{
    const double whole = (double)(int64_t)x;
    return whole + (whole < x);
}

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
    const double multiply = CLOCKS_PER_COLUMN * g->bn * (g->ctas == 1 ? SINGLE_AGAIN : 1);
    const double load =
        128.0 * ((double)gemm_a_rows(g) / c->cluster_n + (double)gemm_b_rows(g) / c->cluster_m) /
        LOAD_BYTES_PER_CLOCK;
    const double panels = up(g->bn * view->out_bytes / 128.0);
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
           rate(suite->gpu.clock_mhz, CLOCK_MHZ);
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
        (double)view->m * view->n * view->out_bytes * view->batch;
    return LAUNCH_US + larger(clocks / rate(suite->gpu.clock_mhz, CLOCK_MHZ),
                              bytes / rate(suite->gpu.memory_bytes_per_us, MEMORY_BYTES_PER_US));
}
