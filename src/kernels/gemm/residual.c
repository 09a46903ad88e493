/* What the model's errors on an H200 have in common: boosted trees over the logarithm of the
 * measured time over the modelled one, each of one question a level (residual_trees.def, which
 * bench/gemm/fit/learn.py writes). The model says why a configuration takes its time; these say by
 * how much it is off, as far as that was seen. */
#include "kernels/gemm/residual.h"

#include <string.h>

#include "kernels/gemm/model_terms.h"

const char *const gemm_residual_names[GEMM_RESIDUAL_FEATURES] = {
#define FEATURE(name, value) #name,
#include "kernels/gemm/residual_features.def"
#undef FEATURE
};

enum { DEPTH = 6, LEAVES = 1 << DEPTH };

/* Whether a feature is more than `most`. The i-th question's answer is the i-th bit of the number
 * of a tree's leaf; its value is in 1/UNITS of the natural logarithm (learn.py has both, too). */
struct question {
    int16_t feature, most;
};
struct tree {
    struct question questions[DEPTH];
    int8_t values[LEAVES];
};
static const double UNITS = 1024;
#define ASKS(feature, most)                                                                        \
    {                                                                                              \
        GEMM_RESIDUAL_##feature, most                                                              \
    }
static const struct tree trees[] = {
#define TREE(a, b, c, d, e, f, ...) {{a, b, c, d, e, f}, {__VA_ARGS__}},
#include "kernels/gemm/residual_trees.def"
#undef TREE
};

/* The logarithm in sixteenths of a doubling, straight in between; the same on every machine. */
static int32_t steps(double x)
{
    enum { MANTISSA = 52, STEP_BITS = 4, BIAS = 1023 };
    uint64_t bits;
    if (!(x > 0)) return INT16_MIN;
    memcpy(&bits, &x, sizeof bits);
    return (int32_t)(bits >> (MANTISSA - STEP_BITS)) - (BIAS << STEP_BITS);
}

static int32_t parts(double share)
{
    return (int32_t)(share * 64);
}

struct facts {
    const struct tmap_gemm *suite;
    const struct gemm_view *view;
    const struct gemm_choice *choice;
    const struct tmap_gemm_config *c;
    const struct gemm_instance *instance;
    struct traffic traffic;
    int32_t members;
    double tiles, k_blocks, block, bytes, cost_us;
};

static struct facts facts_of(const struct tmap_gemm *suite, const struct gemm_view *view,
                             const struct gemm_choice *choice)
{
    const struct tmap_gemm_config *c = &choice->config;
    const double tiles = cluster_tiles(view, c);
    const struct traffic traffic = traffic_of(suite, view, c, tiles);
    return (struct facts){.suite = suite,
                          .view = view,
                          .choice = choice,
                          .c = c,
                          .instance = choice->instance,
                          .traffic = traffic,
                          .members = c->cluster_m * c->cluster_n * c->split_k,
                          .tiles = tiles,
                          .k_blocks = k_blocks_of(view),
                          .block = block_clocks(view, choice->instance, c, &traffic),
                          .bytes = memory_bytes(view, c),
                          .cost_us = choice->cost_us};
}

void gemm_residual_features(const struct tmap_gemm *suite, const struct gemm_view *view,
                            const struct gemm_choice *choice, int32_t x[GEMM_RESIDUAL_FEATURES])
{
    const struct facts f = facts_of(suite, view, choice);
#define FEATURE(name, value) x[GEMM_RESIDUAL_##name] = (value);
#include "kernels/gemm/residual_features.def"
#undef FEATURE
}

/* Timed were bf16 and e4m3 to D of bf16, tf32 to fp32 and int8 to int32. fp16 and e5m2 have the
 * same kernels in all but the type, and with a bias, of which the trees knew nothing, the picks
 * were as near to the best; a second output is taken for no more. */
static bool is_like_measured(const struct gemm_view *view)
{
    const int32_t out_bytes = view->element_bits == 32 || view->kind == TMAP_GEMM_S8 ? 4 : 2;
    return view->out_bytes == out_bytes && view->batch == 1 && !view->adds_c && !view->grouped &&
           !view->blocks && !view->gate && view->conv.images == 0;
}

bool gemm_has_residuals(const struct tmap_gemm *suite, const struct gemm_view *view)
{
    enum { H200_SMS = 132 };
    static const double NEAR = 0.05;
    const double rate = suite->gpu.memory_bytes_per_us / MEMORY_BYTES_PER_US;
    return suite->family == GEMM_SM90 && suite->gpu.sm_count == H200_SMS && rate > 1 - NEAR &&
           rate < 1 + NEAR && is_like_measured(view);
}

/* e^x for small x, near enough. */
static double exp_of(double x)
{
    return 1 + x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4)));
}

/* One number of each configuration, side by side. */
typedef int16_t lanes __attribute__((vector_size(GEMM_LIKELY * sizeof(int16_t))));

static int16_t clamped(int32_t x)
{
    return (int16_t)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
}

static lanes leaves_of(const struct tree *tree, const lanes x[GEMM_RESIDUAL_FEATURES])
{
    lanes leaf = {0};
    for (int j = 0; j < DEPTH; j++) {
        const struct question *q = &tree->questions[j];
        leaf |= (x[q->feature] > q->most) & (int16_t)(1 << j);
    }
    return leaf;
}

void gemm_residuals(const struct tmap_gemm *suite, const struct tmap_gemm_problem *problem,
                    const struct gemm_choice *choices, size_t count, double factors[])
{
    lanes x[GEMM_RESIDUAL_FEATURES] = {{0}};
    int32_t sum[GEMM_LIKELY] = {0}, own[GEMM_RESIDUAL_FEATURES];
    for (size_t i = 0; i < count; i++) {
        const struct gemm_view view = gemm_view_in(problem, &choices[i]);
        gemm_residual_features(suite, &view, &choices[i], own);
        for (int j = 0; j < GEMM_RESIDUAL_FEATURES; j++) x[j][i] = clamped(own[j]);
    }
    for (size_t t = 0; t < sizeof trees / sizeof trees[0]; t++) {
        const lanes leaf = leaves_of(&trees[t], x);
        for (int i = 0; i < GEMM_LIKELY; i++) sum[i] += trees[t].values[leaf[i]];
    }
    for (size_t i = 0; i < count; i++)
        factors[i] =
            exp_of(larger(-GEMM_MOST_RESIDUAL, smaller(GEMM_MOST_RESIDUAL, sum[i] / UNITS)));
}
