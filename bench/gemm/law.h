/* Shapes drawn by a law, so that nothing can be fitted to a list. */
#ifndef BENCH_GEMM_LAW_H
#define BENCH_GEMM_LAW_H

#include <stdbool.h>
#include <stdint.h>

struct law_shape {
    char name[48];
    int m, n, k;
};

struct law_layer {
    char name[48];
    int n, k;
};

#define LAW_MAX_LAYERS 64

struct law {
    uint64_t state;
    struct law_layer layers[LAW_MAX_LAYERS];
    int layer_count;
};

/* Reads the layers of bench/gemm/models.tsv (or of the file that MODELS names). */
void law_open(struct law *law, uint64_t seed);

/* The next shape: three of four with M (1 to 65536), N and K (64 to 65536) log-uniform, multiples
 * of 8 and odd ones, at most 2^43 operations; the fourth a layer of a public model, M log-uniform
 * to 16384. */
struct law_shape law_draw(struct law *law);

/* One of the layers; there must be some. */
const struct law_layer *law_layer(struct law *law);

/* Whether a shape is of the half that figures are reported of; the other half is for fitting. By
 * the shape alone, so that no seed moves one over. */
bool law_is_test(const struct law_shape *shape);

/* A seed from the clock, for a run that was given none. */
uint64_t law_fresh_seed(void);

#endif
