/* size.c : every kernel of the family at full size: instance x cluster x way of storing x overlap x
 * D's type, at least four rounds of tiles on every SM, every element of D compared with plain exact
 * sums of integers on the same GPU, D by the other order of the operands too (swapped), reruns that
 * must give the same bytes. Prints TAP; skips where there is no GPU.
 *
 *   size [--seconds N] [--seed N] [--from N] [--reruns N] [--small] [KIND...]
 *
 * --small: each kernel once, of a few tiles, its other choices drawn: for a slow checker.
 * The cases are dealt in an order that the seed says; what does not fit into the time is left, and
 * the last line says where to go on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gemm/rig.h"
#include "driver/rng.h"
#include "kernels/gemm/sm90/geometry.h"

enum { CLUSTERS = 4, STORES = 3, OVERLAPS = 2, ORDERS = 2, ROUNDS = 4 };
enum { CHOICES = CLUSTERS * STORES * OVERLAPS * ORDERS * 4 };
static const int32_t clusters[CLUSTERS][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};
static const char *const kind_name[] = {"bf16", "f16", "tf32", "e4m3", "e5m2", "s8"};

struct options {
    double seconds;
    uint64_t seed, from;
    int reruns;
    unsigned kinds;
    bool small;
};

struct tally {
    unsigned long cases, wrong, none, elements;
};

/* What a case gives back the next one takes: the driver's calls would last longer than most cases.
 * Sizes are powers of two. */
enum { KEPT = 32 };
static struct {
    tmap_cu_deviceptr at;
    size_t bytes;
    bool taken;
} kept[KEPT];
static tmap_cu_result (*driver_alloc)(tmap_cu_deviceptr *at, size_t bytes);
static tmap_cu_result (*driver_free)(tmap_cu_deviceptr at);

static tmap_cu_result keep_alloc(tmap_cu_deviceptr *at, size_t bytes)
{
    size_t whole = 4096;
    int room = -1;
    while (whole < bytes) whole *= 2;
    for (int i = 0; i < KEPT; i++) {
        if (kept[i].taken) continue;
        if (kept[i].bytes == whole) {
            kept[i].taken = true;
            *at = kept[i].at;
            return 0;
        }
        if (room < 0 || kept[i].bytes < kept[room].bytes) room = i;
    }
    if (room < 0) return driver_alloc(at, bytes);
    if (kept[room].bytes) driver_free(kept[room].at);
    kept[room].bytes = 0;
    const tmap_cu_result result = driver_alloc(at, whole);
    if (result) return result;
    kept[room].at = *at, kept[room].bytes = whole, kept[room].taken = true;
    return 0;
}

static tmap_cu_result keep_free(tmap_cu_deviceptr at)
{
    for (int i = 0; i < KEPT; i++)
        if (kept[i].taken && kept[i].at == at) {
            kept[i].taken = false;
            return 0;
        }
    return driver_free(at);
}

static void keep_memory(struct tmap_libcuda *api)
{
    driver_alloc = api->mem_alloc, driver_free = api->mem_free;
    api->mem_alloc = keep_alloc, api->mem_free = keep_free;
}

static int32_t outs_of(int32_t kind)
{
    return kind == TMAP_GEMM_S8 ? 4 : 3;
}

/* Case number n of the product of everything; false when this one does not exist. */
static bool case_at(const struct tmap_gemm *suite, uint64_t n, const struct options *o,
                    struct tmap_gemm_case *c)
{
    const struct gemm_instance *i = &gemm_instances[n % gemm_instance_count];
    n /= gemm_instance_count;
    const int32_t *cluster = clusters[n % CLUSTERS];
    const uint64_t store = n / CLUSTERS % STORES, overlap = n / CLUSTERS / STORES % OVERLAPS,
                   order = n / CLUSTERS / STORES / OVERLAPS % ORDERS,
                   out = n / CLUSTERS / STORES / OVERLAPS / ORDERS;
    if (!(o->kinds >> i->kind & 1) || (int32_t)out >= outs_of(i->kind)) return false;
    const int32_t tile_m = gemm_tile_m(i), tile_n = i->bn, sms = suite->gpu.sm_count;
    const int32_t columns = o->small ? 2 : 24;
    const struct tmap_gemm_config clustered = {.cluster_m = cluster[0],
                                               .cluster_n = cluster[1],
                                               .split_k = 1,
                                               .clusters = sms / (cluster[0] * cluster[1])};
    const int32_t apart = !o->small && gemm_has_turns(suite, &clustered) ? GEMM_LATE : -1;
    const int32_t rows = o->small ? 3 : (ROUNDS * sms + columns - 1) / columns;
    /* Of widths between the multiples of 64 some store whole rows of 16 bytes only. */
    const bool whole = tile_n % GEMM_SLAB_ROWS != 0 && !gemm_stores_itself(i);
    const int32_t down = rows * tile_m - (whole ? 8 : 3),
                  across = columns * tile_n - (whole ? 8 : 5);
    memset(c, 0, sizeof *c);
    c->problem = (struct tmap_gemm_problem){.kind = i->kind,
                                            .out = (int32_t)out,
                                            .m = down,
                                            .n = across,
                                            .k = o->small ? 136 : 264,
                                            .batch = 1,
                                            .alpha = 1,
                                            .precise = i->promote};
    c->problem.a.mn_major = i->a_mn;
    c->problem.b.mn_major = i->b_mn;
    if (order) { /* the kernel computes D transposed: its rows are the problem's columns */
        c->problem.m = across;
        c->problem.n = down;
        c->problem.a.mn_major = i->b_mn;
        c->problem.b.mn_major = i->a_mn;
    }
    c->request = (struct tmap_gemm_config){.tile_m = tile_m,
                                           .tile_n = tile_n,
                                           .cluster_m = cluster[0],
                                           .cluster_n = cluster[1],
                                           .pingpong = i->pingpong ? 1 : -1,
                                           .swapped = order ? 1 : -1,
                                           .stream_k = -1,
                                           .direct = store == 2 ? 1 : -1,
                                           .store_warp = store == 1 ? 1 : -1,
                                           .overlap = overlap ? apart : 1};
    const bool short_sums = (i->kind == TMAP_GEMM_E4M3 || i->kind == TMAP_GEMM_E5M2) && !i->promote;
    c->fill_a = c->fill_b = short_sums ? TMAP_GEMM_FILL_SIGNS : TMAP_GEMM_FILL_INTEGERS;
    c->seed = n + 1;
    c->every = true;
    c->reruns = o->reruns;
    return true;
}

static void say_wrong(const struct tmap_gemm_case *c, const struct tmap_gemm_outcome *x,
                      enum tmap_status status)
{
    const struct tmap_gemm_config *g = &x->config;
    printf("# %s out %d %dx%dx%d majors %d%d tile %dx%d cluster %dx%d direct %d store_warp %d "
           "pingpong %d swapped %d overlap %d: status %d (%s), wrong %llu of %llu, guard %llu, "
           "rerun %llu, first %llu expected %.9g got %.9g\n",
           kind_name[c->problem.kind], c->problem.out, c->problem.m, c->problem.n, c->problem.k,
           c->problem.a.mn_major, c->problem.b.mn_major, g->tile_m, g->tile_n, g->cluster_m,
           g->cluster_n, g->direct, g->store_warp, g->pingpong, g->swapped, c->request.overlap,
           status, x->refusal.text, (unsigned long long)x->wrong, (unsigned long long)x->checked,
           (unsigned long long)x->guard_wrong, (unsigned long long)x->rerun_wrong,
           (unsigned long long)x->first, x->expected, x->got);
}

/* False when the context is lost. */
static bool hold(struct tmap_gemm *suite, const struct tmap_gemm_case *c, struct tally *t)
{
    struct tmap_gemm_outcome x;
    struct tmap_gemm_config config;
    if (tmap_gemm_configs(suite, &c->problem, &c->request, &config, 1) == 0) {
        t->none++;
        return true;
    }
    memset(&x, 0, sizeof x);
    const enum tmap_status status = tmap_gemm_verify(suite, c, &x);
    const bool good = status == TMAP_OK && x.checked > 0 && !x.wrong && !x.guard_wrong &&
                      !x.rerun_wrong && x.config.tile_m == c->request.tile_m &&
                      x.config.tile_n == c->request.tile_n;
    t->cases++;
    t->elements += x.checked;
    if (good) return true;
    if (t->wrong++ < 10) say_wrong(c, &x, status);
    if (status != TMAP_E_DRIVER) return true;
    const struct tmap_gemm_report r = tmap_gemm_last_report(suite);
    printf("# report %u barrier %u slot %u block %u\nBail out! the device context is lost\n",
           r.what, r.barrier, r.slot, r.block);
    return false;
}

static bool read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        int kind = 0;
        while (kind < 6 && strcmp(argv[i], kind_name[kind])) kind++;
        if (kind < 6) {
            o->kinds |= 1u << kind;
            continue;
        }
        if (!strcmp(argv[i], "--small")) {
            o->small = true;
            continue;
        }
        if (i + 1 == argc) return false;
        if (!strcmp(argv[i], "--seconds"))
            o->seconds = atof(argv[++i]);
        else if (!strcmp(argv[i], "--seed"))
            o->seed = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--from"))
            o->from = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--reruns"))
            o->reruns = atoi(argv[++i]);
        else
            return false;
    }
    if (o->kinds == 0) o->kinds = 63;
    return true;
}

/* One case of kernel i: the first of its choices that exists. False when the context is lost. */
static bool hold_once(struct tmap_gemm *suite, uint64_t i, const struct options *o, struct tally *t)
{
    struct tmap_gemm_case c;
    const unsigned long before = t->cases;
    for (uint64_t k = 0; k < CHOICES && t->cases == before; k++) {
        const uint64_t choice = (i * 37 + k * 7 + o->seed) % CHOICES; /* 7 divides no count */
        if (case_at(suite, i + choice * gemm_instance_count, o, &c) && !hold(suite, &c, t))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options o = {.seconds = 240, .seed = 1, .reruns = 1};
    struct tally t = {0};
    struct rig r = {0};
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: size [--seconds N] [--seed N] [--from N] [--reruns N] [--small] "
                        "[KIND...]\n");
        return 3;
    }
    if (!rig_open(&r, 0, 5000, "gemm size")) return 0;
    if (!o.small) keep_memory(&r.gemm->gpu.api); /* a checker of memory sees every case's own */
    const uint64_t all = gemm_instance_count * (o.small ? 1 : CHOICES);
    const double from = rig_seconds();
    uint64_t i = o.from;
    bool alive = true;
    for (; i < all && alive && rig_seconds() - from < o.seconds; i++) {
        struct tmap_gemm_case c;
        if (o.small) {
            alive = hold_once(r.gemm, i, &o, &t);
            continue;
        }
        /* 2^61 - 1 is prime and no count's divisor: the order is a permutation */
        const uint64_t at = (i * (((UINT64_C(1) << 61) - 1) % all) + o.seed) % all;
        if (case_at(r.gemm, at, &o, &c)) alive = hold(r.gemm, &c, &t);
    }
    printf("%s 1 - %s: %lu cases of %zu kernels, %lu wrong, %lu elements compared, %lu "
           "combinations have no kernel; %.0f s, %s --from %llu of %llu\n1..1\n",
           alive && t.wrong == 0 && t.cases > 0 ? "ok" : "not ok",
           o.small ? "each kernel once" : "at full size", t.cases, gemm_instance_count, t.wrong,
           t.elements, t.none, rig_seconds() - from,
           i < all ? "go on with" : "all done:", (unsigned long long)i, (unsigned long long)all);
    if (alive) rig_close(&r);
    return !alive || t.wrong || t.cases == 0;
}
