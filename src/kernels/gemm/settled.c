/* What multiplies alone take, and what the energy of loads makes of a product's time. Launch after
 * launch of multiplies brings the device to its power limit, and the clock follows, within a
 * second: shorter slices, which the rest of the model is fitted to, do not show it. By slices that
 * had settled (docs/EXPERIMENTS.md). */
#include "kernels/gemm/model_constants.h"
#include "kernels/gemm/suite.h"

/* Of what multiplies alone take: from where on, and from where on wholly. */
static const double SETTLED_FROM_US = 40, SETTLED_US = 100;
/* What is less where the pairs of a GPC merge what they ask of B, were B all that they ask for; and
 * what pingpongs in pairs along M take more. */
static const double MERGED_SAVES = 0.08, TURNS_ALONG_M = 0.04;
enum { MULTIPLIES_OF_16_BITS = 2048 }; /* of a clock on an SM */

double gemm_multiply_us(const struct tmap_gemm *suite, const struct gemm_view *view)
{
    const double mhz = suite->gpu.clock_mhz > 0 ? suite->gpu.clock_mhz : CLOCK_MHZ;
    const double multiplies = (double)view->batch * view->m * view->n * view->k;
    return multiplies * view->element_bits / 16 / MULTIPLIES_OF_16_BITS / suite->gpu.sm_count / mhz;
}

bool gemm_may_settle(const struct gemm_view *view)
{
    enum { LEAST_K = 1024 }; /* with a shorter one D is most of what there is */
    /* Where rows of D end inside 16 bytes nothing is gained by being late: of 13 such products the
     * best late configuration took 4 % longer than the best other one and up to twice as long
     * (docs/EXPERIMENTS.md). */
    return view->element_bits == 16 && !view->grouped && view->conv.images == 0 &&
           view->k >= LEAST_K && !gemm_is_ragged(view);
}

/* How much of a product's time counts as settled. */
static double settled(const struct tmap_gemm *suite, const struct gemm_view *view)
{
    if (!gemm_may_settle(view)) return 0;
    const double share =
        (gemm_multiply_us(suite, view) - SETTLED_FROM_US) / (SETTLED_US - SETTLED_FROM_US);
    return share < 0 ? 0 : share < 1 ? share : 1;
}

double gemm_merged(const struct tmap_gemm *suite, const struct gemm_view *view,
                   const struct tmap_gemm_config *c)
{
    return gemm_asked_of_b(suite, c) < 1 ? settled(suite, view) : 0;
}

double gemm_merged_fit(const struct tmap_gemm *suite, const struct gemm_view *view,
                       const struct tmap_gemm_config *c)
{
    const double share_of_b = c->tile_n / (c->tile_n + c->tile_m / 2.0);
    return 1 - MERGED_SAVES * share_of_b * settled(suite, view);
}

double gemm_settled_fit(const struct tmap_gemm *suite, const struct gemm_view *view,
                        const struct tmap_gemm_config *c)
{
    const bool along_m = c->cluster_m == 2 && c->cluster_n * c->split_k == 1;
    if (gemm_asked_of_b(suite, c) < 1) return gemm_merged_fit(suite, view, c);
    return c->pingpong > 0 && along_m ? 1 + TURNS_ALONG_M * settled(suite, view) : 1;
}
