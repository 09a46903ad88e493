/* Orders that are left out: of small kernels every sequence of choices, one by one, and what sleep
 * sets leave of them. Both must end in the same set of results and findings. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/emulate_orders.h"

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"
enum { WORDS = 256, MOST_DECISIONS = 256, MOST_ENDS = 64, FINDINGS = 8, MOST_RUNS = 40000 };

#define BEGIN                                                                                      \
    HEAD ".visible .entry k(.param .u64 p) {\n"                                                    \
         ".reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<8>;\n"                                 \
         ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar[2];\n"                         \
         "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1; mov.u32 %r1, %tid.x;\n"           \
         "mov.u32 %r10, %ctaid.x; shl.b32 %r10, %r10, 6; shr.u32 %r3, %r1, 5;\n"                   \
         "mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n"
#define FIRST_LANES "and.b32 %r2, %r1, 31; setp.ne.u32 %p1, %r2, 0; @%p1 bra done;\n"
/* A turn ends where a warp waits: here, for nobody. */
#define TURN "bar.warp.sync 1;\n"
#define END "done: ret;\n}\n"

static const struct {
    const char *name, *text;
    uint32_t threads, ctas;
    uint64_t at_most; /* orders that are left */
} kernels[] = {
    {"each warp by itself",
     BEGIN FIRST_LANES "st.global.u32 [%rd3], %r1; ld.global.u32 %r4, [%rd3];\n"
                       "st.global.u32 [%rd3 + 128], %r4;\n" END,
     96, 1, 1},
    {"each CTA by itself",
     BEGIN FIRST_LANES "mul.wide.u32 %rd4, %r10, 1; add.s64 %rd3, %rd3, %rd4;\n"
                       "st.global.u32 [%rd3], %r10;\n" END,
     32, 4, 1},
    {"tickets of three warps",
     BEGIN FIRST_LANES "atom.global.add.u32 %r4, [%rd1 + 64], 1; st.global.u32 [%rd3], %r4;\n" END,
     96, 1, 6},
    {"two barriers, then tickets",
     BEGIN "bar.sync 0; bar.sync 1;\n" FIRST_LANES
           "atom.global.add.u32 %r4, [%rd1 + 64], 1; st.global.u32 [%rd3], %r4;\n" END,
     64, 1, 2},
    {"a flag that is looked at once",
     BEGIN "setp.eq.u32 %p2, %r1, 0; @%p2 st.shared.u32 [s], 0; bar.sync 0;\n" FIRST_LANES
           "setp.ne.u32 %p2, %r3, 0; @%p2 bra other; st.relaxed.cta.shared.u32 [s], 1; bra done;\n"
           "other: ld.relaxed.cta.shared.u32 %r2, [s]; setp.eq.u32 %p2, %r2, 0; @%p2 trap;\n" END,
     64, 1, 2},
    {"a race", BEGIN FIRST_LANES "st.global.u32 [%rd1], %r3;\n" END, 64, 1, 2},
    {"two copies, and who waits for each",
     BEGIN "setp.ne.u32 %p2, %r1, 0; @%p2 bra ready;\n"
           "mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [bar + 8], 1;\n"
           "fence.mbarrier_init.release.cluster;\n"
           "ready: bar.sync 0;\n" FIRST_LANES
           "mov.u32 %r5, bar; shl.b32 %r6, %r3, 3; add.u32 %r5, %r5, %r6; mov.u32 %r7, s;\n"
           "shl.b32 %r8, %r3, 7; add.u32 %r7, %r7, %r8; mul.wide.u32 %rd4, %r8, 1;\n"
           "add.s64 %rd5, %rd1, %rd4; add.s64 %rd5, %rd5, 256;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%rd5], 128, "
           "[%r5];\n"
           "wait: mbarrier.try_wait.parity.shared.b64 %p3, [%r5], 0; @!%p3 bra wait;\n"
           "ld.shared.u32 %r9, [%r7]; st.global.u32 [%rd3], %r9;\n" END,
     64, 1, 8},
    {"a copy that nobody waits for",
     BEGIN "setp.ne.u32 %p2, %r1, 0; @%p2 bra ready;\n"
           "mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 128, "
           "[bar];\n"
           "ready: bar.sync 0;\n" FIRST_LANES
           "ld.shared.u32 %r9, [s]; st.global.u32 [%rd3], %r9;\n" END,
     64, 1, 12},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

struct search {
    struct tmap_emulate_module *module;
    struct tmap_emulate_launch launch;
    uint64_t params, end[MOST_ENDS], runs;
    struct tmap_emulate_buffer buffer;
    uint32_t data[WORDS], ends;
};

static void before(void *self)
{
    struct search *x = self;
    for (uint32_t i = 0; i < WORDS; i++) x->data[i] = i >= 64 ? i : 0;
}

/* What a run left, as a number; findings by kind and line. */
static bool each(void *self, const struct tmap_emulate_finding *found, size_t findings,
                 const struct tmap_emulate_result *result)
{
    struct search *x = self;
    uint64_t h = result->finished;
    for (uint32_t i = 0; i < WORDS; i++) h = (h ^ x->data[i]) * 0x100000001b3ull;
    for (size_t i = 0; i < findings; i++)
        h = (h ^ (found[i].line * 64 + (uint64_t)found[i].kind + 1)) * 0x100000001b3ull;
    for (uint32_t i = 0; i < x->ends; i++)
        if (x->end[i] == h) return true;
    assert_true(x->ends < MOST_ENDS);
    x->end[x->ends++] = h;
    return true;
}

static void prepare(struct search *x, uint32_t i)
{
    struct tmap_emulate_error error;
    memset(x, 0, sizeof *x);
    if (tmap_emulate_load(kernels[i].text, strlen(kernels[i].text), &x->module, &error) != TMAP_OK)
        fail_msg("%s: line %u: %s", kernels[i].name, error.line, error.text);
    x->buffer = (struct tmap_emulate_buffer){0x10000, sizeof x->data, x->data, "data"};
    x->params = x->buffer.address;
    x->launch = (struct tmap_emulate_launch){.kernel = "k",
                                             .grid = {kernels[i].ctas, 1, 1},
                                             .block = {kernels[i].threads, 1, 1},
                                             .params = &x->params,
                                             .param_bytes = 8,
                                             .buffers = &x->buffer,
                                             .buffer_count = 1,
                                             .schedule = TMAP_EMULATE_CHOSEN,
                                             .budget = 100000};
}

/* Every sequence of choices, depth first; false where they are too many. */
static bool one_by_one(struct search *x)
{
    static uint32_t choice[MOST_DECISIONS], options[MOST_DECISIONS];
    struct tmap_emulate_finding finding[FINDINGS];
    struct tmap_emulate_result result;
    size_t n = 0, found, decided;
    for (;;) {
        const struct tmap_emulate_watch watch = {.size = sizeof watch,
                                                 .choice = choice,
                                                 .choices = n,
                                                 .options = options,
                                                 .option_room = MOST_DECISIONS,
                                                 .decided = &decided};
        decided = 0;
        before(x);
        assert_int_equal(tmap_emulate_run_watched(x->module, &x->launch, &watch, finding, FINDINGS,
                                                  &found, &result),
                         TMAP_OK);
        each(x, finding, found, &result);
        if (++x->runs == MOST_RUNS) return false;
        assert_true(decided <= MOST_DECISIONS);
        for (size_t i = n; i < decided; i++) choice[i] = 0;
        for (n = decided; n > 0 && choice[n - 1] + 1 >= options[n - 1]; n--) continue;
        if (n == 0) return true;
        choice[n - 1]++;
    }
}

static void same_ends(const struct search *a, const struct search *b, const char *name)
{
    for (uint32_t i = 0; i < a->ends; i++) {
        bool there = false;
        for (uint32_t k = 0; k < b->ends; k++) there |= a->end[i] == b->end[k];
        if (!there) fail_msg("%s: an end of %u is not among %u", name, a->ends, b->ends);
    }
}

static void sleep_sets_lose_no_end(void **state)
{
    static struct search all, left;
    (void)state;
    for (uint32_t i = 0; i < KERNELS; i++) {
        struct emulate_seen seen;
        const struct emulate_looks looks = {&left, before, each};
        prepare(&all, i);
        prepare(&left, i);
        const bool whole = one_by_one(&all);
        assert_int_equal(emulate_orders(left.module, &left.launch, MOST_RUNS, &looks, &seen),
                         TMAP_OK);
        print_message("# %s: %llu%s orders, %llu left (%llu runs), %u ends\n", kernels[i].name,
                      (unsigned long long)all.runs, whole ? "" : " and more",
                      (unsigned long long)seen.orders, (unsigned long long)seen.runs, left.ends);
        assert_true(seen.all && seen.orders <= kernels[i].at_most && seen.orders <= all.runs);
        same_ends(&all, &left, kernels[i].name);
        if (whole) same_ends(&left, &all, kernels[i].name);
        tmap_emulate_free(all.module);
        tmap_emulate_free(left.module);
    }
}

static void a_budget_of_runs_is_kept(void **state)
{
    static struct search x;
    struct emulate_seen seen;
    const struct emulate_looks looks = {&x, before, each};
    (void)state;
    prepare(&x, 2);
    assert_int_equal(emulate_orders(x.module, &x.launch, 2, &looks, &seen), TMAP_OK);
    assert_true(seen.runs == 2 && !seen.all);
    tmap_emulate_free(x.module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleep_sets_lose_no_end),
        cmocka_unit_test(a_budget_of_runs_is_kept),
    };
    return cmocka_run_group_tests_name("orders", tests, NULL, NULL);
}
