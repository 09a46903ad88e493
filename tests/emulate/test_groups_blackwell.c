/* Groups of products on the chips after Hopper, on the emulator: one to five members, a third of
 * them empty, some of less than one block of K, with and without C, in either order of D, their
 * maps made on the device. Integers bitwise, normal numbers within the bound of their roundings,
 * nothing of an empty member touched, and no finding. The first member's maps for all show.
 *
 * TMAP_EMULATE_SHAPES says how many groups of each instance (3), TMAP_EMULATE_SHARD=I/N that every
 * Nth instance is this process's. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/group.h"
#include "support/emulated_suites.h"
#include "support/splitmix.h"

enum { MEMBERS = 5 };

static struct tmap_gemm *suite;
static struct emulated *emulator;

static uint32_t below(uint64_t *r, uint32_t n)
{
    return (uint32_t)(splitmix(r) >> 33) % n;
}

static struct tmap_gemm_problem like_of(const struct gemm_instance *g, uint64_t *r)
{
    struct tmap_gemm_problem p = {
        .kind = g->kind, .batch = 1, .alpha = below(r, 2) ? 1 : -2, .beta = below(r, 3) ? 0 : 2};
    const bool wide = below(r, 2);
    p.out = g->kind == GEMM_S8    ? (wide ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32)
            : wide                ? TMAP_GEMM_OUT_F32
            : g->kind == GEMM_F16 ? TMAP_GEMM_OUT_F16
                                  : TMAP_GEMM_OUT_BF16;
    p.d.mn_major = below(r, 4) == 0;
    if (p.d.mn_major) p.kind = gemm_exchanged_kind(p.kind);
    return p;
}

/* The members' products; an empty one has the memory of a small one. */
struct members {
    struct emulated_product product[MEMBERS];
    struct tmap_gemm_member member[MEMBERS];
    size_t count;
};

static void draw(const struct gemm_instance *g, const struct tmap_gemm_problem *like,
                 enum emulated_fill fill, uint64_t *r, struct members *out)
{
    out->count = 1 + below(r, MEMBERS);
    for (size_t i = 0; i < out->count; i++) {
        struct tmap_gemm_problem p = *like;
        const bool empty = i > 0 && below(r, 3) == 0;
        p.m = empty ? 8 : 1 + (int32_t)below(r, 2 * (uint32_t)gemm_tile_m(g));
        p.n = empty ? 8 : 1 + (int32_t)below(r, 2 * (uint32_t)g->bn);
        p.k = 1 + (int32_t)below(r, below(r, 2) ? 30 : 300);
        if (gemm_element_bits(p.kind) < 8) p.k *= 2; /* two to a byte */
        if (!emulated_product_fill(suite, &p, splitmix(r), fill, &out->product[i]))
            fail_msg("memory");
        const struct tmap_gemm_problem *q = &out->product[i].problem;
        const bool no_rows = empty && below(r, 2);
        out->member[i] = gemm_problem_member(q);
        if (no_rows) out->member[i].m = 0;
        if (empty && !no_rows) out->member[i].n = 0;
    }
}

static bool is_poison(const struct tmap_gemm_problem *p)
{
    const uint8_t *d = (const uint8_t *)(uintptr_t)p->d.address;
    return d[0] == 0xff && d[1] == 0xff;
}

static bool right(const struct members *m, enum emulated_fill fill)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct tmap_gemm_problem *p = &m->product[i].problem;
        const double half_ulp = p->out == TMAP_GEMM_OUT_BF16 ? 0x1p-8 : 0;
        if (m->member[i].m == 0 || m->member[i].n == 0) {
            if (!is_poison(p)) return false;
        } else if (fill == EMULATED_INTEGERS) {
            if (emulated_product_wrong(&m->product[i])) return false;
        } else if (!(emulated_product_worst(&m->product[i]) <= half_ulp + (p->k + 3) * 0x1p-23)) {
            return false;
        }
    }
    return true;
}

/* faulty: the kernel with planted faults that runs in the plan's place, with one of them; or NULL.
 */
static enum tmap_status run(const struct gemm_instance *g, const struct tmap_gemm_problem *like,
                            const struct members *m, uint64_t *r, const char *faulty,
                            uint32_t fault, struct tmap_gemm_refusal *why)
{
    const struct tmap_gemm_config request = {.tile_m = gemm_tile_m(g),
                                             .tile_n = g->bn,
                                             .stages = below(r, 2) ? 0 : 2,
                                             .cluster_m =
                                                 g->family == GEMM_SM100 && below(r, 2) ? 2 : 1,
                                             .swapped = like->d.mn_major ? 1 : -1,
                                             .clusters = 1 + (int32_t)below(r, 2)};
    struct tmap_gemm_group group;
    uint64_t memory;
    if (suite->gpu.api.mem_alloc(&memory, tmap_gemm_group_bytes(m->count))) return TMAP_E_MEMORY;
    enum tmap_status status =
        tmap_gemm_make_group(suite, like, m->member, m->count, memory, &request, &group, why);
    if (status == TMAP_OK && group.multiply != emulated_function(g->name))
        status = TMAP_E_INTERNAL; /* another kernel than this one */
    if (faulty) {
        struct gemm_params params;
        memcpy(&params, group.params, sizeof params);
        params.fault = fault;
        memcpy(group.params, &params, sizeof params);
        group.multiply = emulated_function(faulty);
        if (gemm_is_scaled(like->kind)) group.make = emulated_function("make_scaled_faulty");
    }
    if (status == TMAP_OK) status = tmap_gemm_group_run(&group, NULL);
    suite->gpu.api.mem_free(memory);
    return status;
}

static void one(const struct gemm_instance *g, uint64_t seed)
{
    uint64_t r = seed * 7919 + (uint64_t)(g - gemm_group_instances);
    const struct tmap_gemm_problem like = like_of(g, &r);
    const enum emulated_fill fill =
        seed % 3 == 2 && like.out != TMAP_GEMM_OUT_F16 ? EMULATED_NORMAL : EMULATED_INTEGERS;
    struct tmap_gemm_refusal why = {0};
    struct members m;
    draw(g, &like, fill, &r, &m);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    emulator->how.tensor_fences = true;
    emulator->how.budget = 0;
    const enum tmap_status status = run(g, &like, &m, &r, NULL, 0, &why);
    const bool good = status == TMAP_OK && right(&m, fill);
    if (!good || emulator->findings) {
        emulated_print();
        fail_msg("%s seed %u, %zu members: status %d %s, %zu findings, %s", g->name, (unsigned)seed,
                 m.count, status, why.text, emulator->findings, good ? "right" : "wrong");
    }
    for (size_t i = 0; i < m.count; i++) emulated_product_free(suite, &m.product[i]);
}

static bool is_mine(size_t i)
{
    const char *shard = getenv("TMAP_EMULATE_SHARD");
    unsigned mine = 0, of = 1;
    if (shard && (sscanf(shard, "%u/%u", &mine, &of) != 2 || of == 0)) fail_msg("shard %s", shard);
    return i % of == mine;
}

static void groups(void **state)
{
    const char *more = getenv("TMAP_EMULATE_SHAPES"), *source = *state;
    const uint64_t shapes = more ? strtoull(more, NULL, 10) : 3;
    size_t seen = 0, mine = 0;
    for (size_t i = 0; i < gemm_group_instance_count; i++) {
        const struct gemm_instance *g = &gemm_group_instances[i];
        if (g->family != suite->family || !emulated_function(g->name)) continue;
        seen++;
        if (!is_mine(i)) continue;
        for (uint64_t seed = 1; seed <= shapes; seed++) one(g, seed);
        mine++;
    }
    assert_true(seen > 0);
    print_message("# %s: %zu instances, %u groups each: %u launches\n", source, mine,
                  (unsigned)shapes, (unsigned)(mine * shapes));
}

/* One launch of the faulty kernel; whether it shows. */
static bool shows(const struct gemm_instance *g, const char *kernel, uint32_t fault, uint64_t seed)
{
    uint64_t r = seed;
    const struct tmap_gemm_problem like = {
        .kind = g->kind, .batch = 1, .alpha = 1, .out = TMAP_GEMM_OUT_F32};
    struct tmap_gemm_refusal why = {0};
    struct members m;
    draw(g, &like, EMULATED_INTEGERS, &r, &m);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    emulator->how.budget = 3000000;
    const enum tmap_status status = run(g, &like, &m, &r, kernel, fault, &why);
    const bool good = status == TMAP_OK && right(&m, EMULATED_INTEGERS) && !emulator->findings;
    if (fault == 0 && !good) fail_msg("%s: control: %d %s", kernel, status, why.text);
    for (size_t i = 0; i < m.count; i++) emulated_product_free(suite, &m.product[i]);
    return !good;
}

/* Of a kernel with planted faults, the instance whose plan carries it and each fault's number. */
enum { MOST_FAULTS = 8 };
static const struct planted {
    const char *instance, *kernel;
    uint32_t faults[MOST_FAULTS];
} planted[] = {
    /* loads, and stores, by the first member's maps and extents */
    {"tensor_group_f16_2x256", "tensor_group_faulty_2x256", {63, 64}},
    {"warps_group_bf16_2x128", "warps_group_faulty_2x128", {63, 64}},
    /* of factors: the first member's; A's for B's; rows of the largest member's length; another
     * k-block's; a pair's own half; the odd block's untold and not waited for */
    {"tensor_group_mxf8f6f4_2x256",
     "tensor_group_scaled_faulty_2x256",
     {140, 141, 142, 75, 92, 93, 94}},
    /* as above; each row as long as its k-blocks; a tile behind the row's last */
    {"tensor_group_mxf4_1x128", "tensor_group_mxf4_faulty_1x128", {140, 141, 142, 75, 90, 91}},
    {"warps_group_mxf8_2x128", "warps_group_scaled_faulty_2x128", {140, 141, 142, 75}},
    {"warps_group_mxf4_2x64", "warps_group_mxf4_faulty_2x64", {140, 141, 142, 75, 90, 91}}};

/* The last of the kernels with this name: of bf16 where bf16 and fp16 share one. */
static const struct gemm_instance *instance_of(const char *name)
{
    const struct gemm_instance *found = NULL;
    for (size_t i = 0; i < gemm_group_instance_count; i++)
        if (strcmp(gemm_group_instances[i].name, name) == 0) found = &gemm_group_instances[i];
    return found;
}

static void faults_show(void **state)
{
    enum { TRIES = 8 };
    unsigned seen = 0;
    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        const struct gemm_instance *g = instance_of(planted[i].instance);
        assert_non_null(g);
        if (g->family != suite->family) continue;
        for (uint64_t seed = 0; seed < TRIES; seed++) shows(g, planted[i].kernel, 0, seed);
        for (int k = 0; k < MOST_FAULTS && planted[i].faults[k]; k++, seen++) {
            const uint32_t fault = planted[i].faults[k];
            bool shown = false;
            for (uint64_t seed = 0; seed < TRIES && !shown; seed++)
                shown = shows(g, planted[i].kernel, fault, seed);
            if (!shown) fail_msg("%s: fault %u does not show", planted[i].kernel, fault);
        }
    }
    print_message("# %u faults of groups show\n", seen);
}

/* integers: their image, where they have one of their own. */
static int on(int cc_major, const char *name, const char *source, const char *integers,
              const char *plain, const char *faulty)
{
    const struct CMUnitTest tests[] = {{"groups", groups, NULL, NULL, (void *)(uintptr_t)source},
                                       cmocka_unit_test(faults_show)};
    suite = emulated_gemm_suite_for(cc_major, 0);
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx(source) || (integers && !emulated_ptx(integers)) || !emulated_ptx(plain) ||
        !emulated_ptx(faulty)) {
        printf("ok 1 # SKIP %s: no PTX of the kernels (nvcc)\n", name);
        return 0;
    }
    const int failed = _cmocka_run_group_tests(name, tests, 2, NULL, NULL);
    emulated_close();
    return failed;
}

int main(void)
{
    return on(10, "groups by tensor memory", "src/kernels/gemm/sm100/groups",
              "src/kernels/gemm/sm100/groups_i8", "src/kernels/gemm/sm100/f16",
              "tests/device/gemm/faults_sm100") +
           on(12, "groups by mma.sync", "src/kernels/gemm/sm120/groups", NULL,
              "src/kernels/gemm/sm120/bf16", "tests/device/gemm/faults_sm120");
}
