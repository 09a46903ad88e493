#include "law.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/rng.h"

void law_open(struct law *law, uint64_t seed)
{
    const char *path = getenv("MODELS") ? getenv("MODELS") : "bench/gemm/models.tsv";
    char line[256], model[24], layer[20];
    FILE *f = fopen(path, "r");
    memset(law, 0, sizeof *law);
    law->state = seed;
    if (!f) {
        fprintf(stderr, "gemm bench: cannot read %s\n", path);
        exit(2);
    }
    while (law->layer_count < LAW_MAX_LAYERS && fgets(line, sizeof line, f)) {
        struct law_layer *x = &law->layers[law->layer_count];
        if (line[0] == '#' || sscanf(line, "%23s %19s %d %d", model, layer, &x->n, &x->k) != 4)
            continue;
        snprintf(x->name, sizeof x->name, "%s.%s", model, layer);
        law->layer_count++;
    }
    fclose(f);
}

static double uniform(struct law *law)
{
    return (double)(rng_step(&law->state) >> 11) * 0x1p-53;
}

/* Log-uniform from 2^from to 2^to; a fourth of them odd, the others multiples of 8 from 8 on. */
static int log_uniform(struct law *law, double from, double to)
{
    const int x = (int)exp2(from + (to - from) * uniform(law));
    const bool odd = rng_step(&law->state) % 4 == 0;
    return odd ? x | 1 : x < 8 ? x : x / 8 * 8;
}

/* Of operations, and of bytes where an element has two: what the stand's memory holds. */
static bool is_too_large(const struct law_shape *x)
{
    const double m = x->m, n = x->n, k = x->k;
    return 2 * m * n * k > 0x1p43 || 2 * (m * k + n * k + m * n) > 10e9;
}

const struct law_layer *law_layer(struct law *law)
{
    return &law->layers[rng_step(&law->state) % (uint64_t)law->layer_count];
}

struct law_shape law_draw(struct law *law)
{
    struct law_shape x = {.name = "law"};
    do {
        if (rng_step(&law->state) % 4 == 0 && law->layer_count > 0) {
            const struct law_layer *layer = law_layer(law);
            memcpy(x.name, layer->name, sizeof x.name);
            x.m = (int)exp2(14 * uniform(law));
            x.n = layer->n;
            x.k = layer->k;
        } else {
            snprintf(x.name, sizeof x.name, "law");
            x.m = log_uniform(law, 0, 16);
            x.n = log_uniform(law, 6, 16);
            x.k = log_uniform(law, 6, 16);
        }
    } while (is_too_large(&x));
    return x;
}

bool law_is_test(const struct law_shape *x)
{
    const uint64_t mn = (uint64_t)x->m << 32 | (uint64_t)x->n;
    return rng_mix(rng_mix(mn) + (uint64_t)x->k) & 1;
}

uint64_t law_fresh_seed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return rng_mix((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) % 1000000000u;
}
