/* tmap_gemm_group_rows on this machine's GPU: the members' M are lowered between two runs by a copy
 * on the device, in the stream's order and unseen by the host. Only the rows that still count may
 * be written, and all of them must be right; then the planned M again. Prints TAP; skips where
 * there is no GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/rng.h"
#include "kernels/gemm/suite.h"

enum { MEMBERS = 6, ROUNDS = 15, MOST_M = 300, MOST_N = 270, MOST_K = 208, POISON = 0xff };
/* Of D: rows padded to a multiple of 16 bytes and more, and one row behind the last. */
enum { MOST_ELEMENTS = (MOST_M + 16) * (MOST_M + 1) };

static const char *const kind_name[] = {"bf16", "f16", "tf32", "e4m3", "e5m2", "s8"};
/* -1, 0 and 1 of each kind; sums of at most MOST_K products of them are exact in all outputs. */
static const uint32_t code[][3] = {
    {0xbf80, 0, 0x3f80}, {0xbc00, 0, 0x3c00}, {0xbf800000, 0, 0x3f800000},
    {0xb8, 0, 0x38},     {0xbc, 0, 0x3c},     {0xff, 0, 1}};
static const int32_t element_bytes[] = {2, 2, 4, 1, 1, 1};

struct rig {
    struct tmap_gemm *suite;
    const struct tmap_libcuda *api;
    uint64_t a, b, d[MEMBERS], memory, lowered;
    int8_t a_value[MOST_M * MOST_K], b_value[MOST_N * MOST_K];
    uint32_t words[MOST_ELEMENTS];
};

static uint64_t below(uint64_t *state, uint64_t n)
{
    return rng_step(state) % n;
}

/* One operand for all members: rows of MOST_K values, of which a member takes the first. */
static bool fill(struct rig *r, int32_t kind, uint64_t to, int8_t *value, int32_t rows,
                 uint64_t *state)
{
    const int32_t size = element_bytes[kind];
    uint8_t *bytes = (uint8_t *)r->words;
    for (int32_t i = 0; i < rows * MOST_K; i++) {
        const uint32_t which = (uint32_t)below(state, 3);
        value[i] = (int8_t)((int)which - 1);
        memcpy(bytes + i * size, &code[kind][which], (size_t)size);
    }
    return !r->api->memcpy_htod(to, bytes, (size_t)(rows * MOST_K * size));
}

static bool set_up(struct rig *r)
{
    bool good = !r->api->mem_alloc(&r->a, MOST_M * MOST_K * 4) &&
                !r->api->mem_alloc(&r->b, MOST_N * MOST_K * 4) &&
                !r->api->mem_alloc(&r->memory, tmap_gemm_group_bytes(MEMBERS)) &&
                !r->api->mem_alloc(&r->lowered, sizeof(int32_t) * MEMBERS);
    for (int i = 0; i < MEMBERS && good; i++)
        good = !r->api->mem_alloc(&r->d[i], MOST_ELEMENTS * 4);
    return good;
}

/* Element (i, j) of D as a number, or that nobody wrote there. */
static bool read_out(const struct rig *r, int32_t out, int64_t at, float *value)
{
    const uint8_t *bytes = (const uint8_t *)r->words;
    const int32_t size = out >= GEMM_OUT_F32 ? 4 : 2;
    uint32_t bits = 0, poison = size == 4 ? 0xffffffff : 0xffff;
    memcpy(&bits, bytes + at * size, (size_t)size);
    if (bits == poison && out != GEMM_OUT_S32) return false;
    if (out == GEMM_OUT_S32) {
        *value = (float)(int32_t)bits;
        return true;
    }
    if (size == 2) bits <<= 16; /* bf16 is fp32's upper half */
    memcpy(value, &bits, 4);
    return true;
}

static float sum_of(const struct rig *r, int32_t i, int32_t j, int32_t k)
{
    int32_t sum = 0;
    for (int32_t x = 0; x < k; x++) sum += r->a_value[i * MOST_K + x] * r->b_value[j * MOST_K + x];
    return (float)sum;
}

/* Elements of member x that are not what `rows` of it should leave: the product inside, poison
 * everywhere else of the whole buffer. An integer of all ones is -1 and told from poison by whether
 * it should be there. */
static long wrong_of(struct rig *r, const struct tmap_gemm_problem *like,
                     const struct tmap_gemm_member *x, uint64_t d, int32_t rows)
{
    const bool columns = like->d.mn_major;
    const int64_t stored = columns ? x->n : x->m, size = like->out >= GEMM_OUT_F32 ? 4 : 2;
    long wrong = 0;
    if (r->api->memcpy_dtoh(r->words, d, (size_t)(x->ldd * (stored + 1) * size))) return -1;
    for (int64_t at = 0; at < x->ldd * (stored + 1); at++) {
        const int32_t outer = (int32_t)(at / x->ldd), inner = (int32_t)(at % x->ldd);
        const int32_t i = columns ? inner : outer, j = columns ? outer : inner;
        const bool inside = i < rows && j < x->n;
        float value = 0;
        const bool written = read_out(r, like->out, at, &value);
        if (like->out == GEMM_OUT_S32 && !inside)
            wrong += value != -1.0f;
        else
            wrong += inside ? !written || value != sum_of(r, i, j, x->k) : written;
    }
    return wrong;
}

static bool poison(struct rig *r)
{
    bool good = true;
    for (int i = 0; i < MEMBERS; i++)
        good = good && !r->api->memset_d8_async(r->d[i], POISON, MOST_ELEMENTS * 4, NULL);
    return good;
}

/* The rows that count from now on, by a copy from device memory for each member. */
static bool lower(struct rig *r, const struct tmap_gemm_group *group, const int32_t *rows)
{
    bool good = !r->api->memcpy_htod(r->lowered, rows, sizeof(int32_t) * MEMBERS);
    for (size_t i = 0; i < MEMBERS && good; i++)
        good = !r->api->memcpy_dtod_async(tmap_gemm_group_rows(group, i),
                                          r->lowered + i * sizeof(int32_t), sizeof(int32_t), NULL);
    return good;
}

static long run_with(struct rig *r, const struct tmap_gemm_group *group,
                     const struct tmap_gemm_member *member, const int32_t *rows)
{
    long wrong = 0;
    if (!poison(r) || !lower(r, group, rows) || tmap_gemm_group_run(group, NULL) != TMAP_OK)
        return -1;
    for (int i = 0; i < MEMBERS; i++) {
        const long found = wrong_of(r, &group->like, &member[i], r->d[i], rows[i]);
        if (found < 0) return -1;
        wrong += found;
    }
    return wrong;
}

/* One random group: planned, run with fewer rows, and again with all. */
static long round_of(struct rig *r, int32_t kind, uint64_t *state)
{
    struct tmap_gemm_member member[MEMBERS];
    struct tmap_gemm_group group;
    int32_t fewer[MEMBERS], all[MEMBERS];
    struct tmap_gemm_problem like = {
        .kind = kind, .out = kind == TMAP_GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32};
    const struct tmap_gemm_config request = {.swapped = below(state, 2) ? 1 : -1,
                                             .cluster_m = (int32_t)below(state, 3)};
    if (below(state, 2)) like.out = TMAP_GEMM_OUT_BF16;
    like.alpha = 1;
    like.precise = true;
    like.d.mn_major = below(state, 2);
    for (int i = 0; i < MEMBERS; i++) {
        struct tmap_gemm_member *x = &member[i];
        *x = (struct tmap_gemm_member){.m = 1 + (int32_t)below(state, MOST_M),
                                       .n = 1 + (int32_t)below(state, MOST_N),
                                       .k = 1 + (int32_t)below(state, MOST_K)};
        x->a = r->a;
        x->b = r->b;
        x->d = r->d[i];
        x->lda = x->ldb = MOST_K;
        x->ldd = ((like.d.mn_major ? x->m : x->n) + 15) / 8 * 8;
        all[i] = x->m;
        fewer[i] = below(state, 4) ? (int32_t)below(state, (uint64_t)x->m + 1) : 0;
    }
    if (tmap_gemm_make_group(r->suite, &like, member, MEMBERS, r->memory, &request, &group, NULL) !=
        TMAP_OK)
        return -1;
    const long less = run_with(r, &group, member, fewer);
    const long more = less < 0 ? -1 : run_with(r, &group, member, all);
    return more < 0 ? -1 : less + more;
}

int main(void)
{
    static struct rig r;
    char why[160] = "";
    bool failed = false;
    if (tmap_gemm_open(&(struct tmap_open){.watchdog_ms = 2000}, &r.suite, why, sizeof why) !=
        TMAP_OK) {
        printf("ok 1 # SKIP gemm rows: %s\n1..1\n", why);
        return 0;
    }
    r.api = &r.suite->gpu.api;
    if (!set_up(&r)) return 1;
    for (int32_t kind = TMAP_GEMM_BF16; kind <= TMAP_GEMM_S8; kind++) {
        uint64_t state = 31u + (uint64_t)kind;
        long wrong = 0, broken = 0;
        if (!fill(&r, kind, r.a, r.a_value, MOST_M, &state) ||
            !fill(&r, kind, r.b, r.b_value, MOST_N, &state))
            return 1;
        for (int i = 0; i < ROUNDS; i++) {
            const long found = round_of(&r, kind, &state);
            broken += found < 0;
            wrong += found < 0 ? 0 : found;
        }
        printf("%s %d - rows: %s: %d groups of %d members with fewer rows and with all again, %ld "
               "wrong elements, %ld not run\n",
               wrong || broken ? "not ok" : "ok", kind + 1, kind_name[kind], ROUNDS, MEMBERS, wrong,
               broken);
        failed |= wrong || broken;
    }
    printf("1..%d\n", TMAP_GEMM_S8 + 1);
    tmap_gemm_close(r.suite);
    return failed;
}
