/* Which kernels the model needs: how often its pick is each one, and what it would lose without.
 *
 *   needed KIND [-n SHAPES] [-r SEED] [-p] [-a] [-b] [-k PERCENT] [-d KERNEL...]
 *
 * KIND is a word of kinds.def; -p promotes, -a and -b take the operand contiguous along M or N.
 * Shapes are drawn by law.c, half of them for an H200's memory and half for an H100's. First each
 * kernel alone, then without those of -d (2x104_000), then those that cost least, dropped one after
 * the other up to a mean loss of PERCENT. All by the model: whether a kernel is as fast as it says
 * is measured elsewhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../law.h"
#include "kernels/gemm/suite.h"

enum { MOST = 128 };

static struct tmap_gemm suite;
static const struct gemm_instance *kernels[MOST];
static bool dropped[MOST];
static int kernel_count, shape_count = 10000;
static float (*cost)[MOST]; /* of a shape by a kernel, microseconds */
static float *best;         /* by the cheapest of all kernels */

static int kind_of(const char *word)
{
    static const char *const words[] = {
#define KIND(word, ...) #word,
#include "kernels/gemm/kinds.def"
    };
    for (int i = 0; i < GEMM_KINDS; i++)
        if (!strcmp(words[i], word)) return i;
    fprintf(stderr, "needed: no kind %s\n", word);
    exit(3);
}

static int index_of(const struct gemm_instance *kernel)
{
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i] == kernel) return i;
    kernels[kernel_count] = kernel;
    return kernel_count++;
}

static void price(const struct tmap_gemm_problem *p, float *row)
{
    static const struct tmap_gemm_config nothing;
    static struct gemm_choice all[GEMM_MAX_CHOICES];
    const size_t n = gemm_enumerate(&suite, p, &nothing, all, GEMM_MAX_CHOICES);
    for (int i = 0; i < MOST; i++) row[i] = INFINITY;
    for (size_t i = 0; i < n && i < GEMM_MAX_CHOICES; i++) {
        float *at = &row[index_of(all[i].instance)];
        if ((float)all[i].cost_us < *at) *at = (float)all[i].cost_us;
    }
}

static float least(const float *row, int without)
{
    float at_best = INFINITY;
    for (int i = 0; i < kernel_count; i++)
        if (!dropped[i] && i != without && row[i] < at_best) at_best = row[i];
    return at_best;
}

static void price_all(struct tmap_gemm_problem *p, uint64_t seed)
{
    const double memory[] = {suite.gpu.memory_bytes_per_us, 3.35e6};
    struct law law;
    law_open(&law, seed);
    for (int i = 0; i < shape_count; i++) {
        const struct law_shape x = law_draw(&law);
        suite.gpu.memory_bytes_per_us = memory[i % 2];
        p->m = x.m, p->n = x.n, p->k = x.k;
        p->a.ld = ((p->a.mn_major ? x.m : x.k) + 15) / 16 * 16;
        p->b.ld = ((p->b.mn_major ? x.n : x.k) + 15) / 16 * 16;
        p->d.ld = (x.n + 15) / 16 * 16;
        price(p, cost[i]);
        best[i] = least(cost[i], -1);
    }
}

/* By how much more time shapes take, as a logarithm: on average and at worst. */
struct loss {
    double mean, worst;
    int picks, over; /* shapes whose pick it is, and those that lose more than 3 % */
};

static struct loss loss_without(int without)
{
    struct loss l = {0};
    for (int i = 0; i < shape_count; i++) {
        const float now = least(cost[i], without);
        const double x = now < INFINITY ? log(now / best[i]) : 1;
        l.mean += x / shape_count;
        l.over += x > 0.03;
        if (x > l.worst) l.worst = x;
        l.picks += cost[i][without] < now;
    }
    return l;
}

static void print_loss(const char *what, int i, const struct loss *l)
{
    printf("%s\t%s\t%d\t%.4f\t%.2f\t%d\n", what, kernels[i]->name, l->picks, 100 * l->mean,
           100 * l->worst, l->over);
}

static void print_each(const char *what)
{
    for (int i = 0; i < kernel_count; i++) {
        if (dropped[i]) continue;
        const struct loss l = loss_without(i);
        print_loss(what, i, &l);
    }
}

/* A kernel by what its name says after its kind. */
static void drop(const char *tail)
{
    for (int i = 0; i < kernel_count; i++) {
        const size_t all = strlen(kernels[i]->name), n = strlen(tail);
        if (dropped[i] || all <= n || kernels[i]->name[all - n - 1] != '_' ||
            strcmp(kernels[i]->name + all - n, tail))
            continue;
        const struct loss l = loss_without(i);
        dropped[i] = true;
        print_loss("dropped", i, &l);
    }
}

static void drop_in_turn(double percent)
{
    for (int left = kernel_count; left > 1; left--) {
        struct loss lowest = {.mean = INFINITY};
        int at = 0;
        for (int i = 0; i < kernel_count; i++) {
            const struct loss l = dropped[i] ? lowest : loss_without(i);
            if (l.mean < lowest.mean) lowest = l, at = i;
        }
        if (100 * lowest.mean > percent) break;
        dropped[at] = true;
        print_loss("dropped", at, &lowest);
    }
}

int main(int argc, char **argv)
{
    double percent = 1;
    uint64_t seed = 1;
    if (argc < 2) return 3;
    struct tmap_gemm_problem p = {.kind = kind_of(argv[1]), .batch = 1, .alpha = 1};
    p.out = p.kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_BF16;
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "-n")) shape_count = atoi(argv[++i]);
        if (!strcmp(argv[i], "-r")) seed = strtoull(argv[++i], NULL, 10);
        if (!strcmp(argv[i], "-k")) percent = atof(argv[++i]);
        p.precise |= !strcmp(argv[i], "-p");
        p.a.mn_major |= !strcmp(argv[i], "-a");
        p.b.mn_major |= !strcmp(argv[i], "-b");
    }
    if (gemm_as_h200(&suite) != TMAP_OK) return 1;
    cost = malloc(sizeof *cost * (size_t)shape_count);
    best = malloc(sizeof *best * (size_t)shape_count);
    if (!cost || !best) return 5;
    price_all(&p, seed);
    printf("# %d kernels, %d shapes of seed %llu\n"
           "what\tkernel\tpicks\tmean loss %%\tworst %%\tover 3 %%\n",
           kernel_count, shape_count, (unsigned long long)seed);
    print_each("alone");
    for (int i = 2; i < argc - 1; i++)
        if (!strcmp(argv[i], "-d")) drop(argv[++i]);
    drop_in_turn(percent);
    print_each("kept");
    free(best);
    free(cost);
    return 0;
}
