/* The products of every chip, as plans on an emulated driver: what each has, what each refuses and
 * in which words, and that the rows about pipelines judge what the kernels use. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "kernels/gemm/sm100/geometry.h"
#include "support/emulated_suites.h"

static const int chips[][2] = {{9, 0}, {10, 0}, {10, 3}, {11, 0}, {12, 0}, {12, 1}};
enum { CHIPS = sizeof chips / sizeof chips[0] };

static struct tmap_gemm_problem square(int32_t kind, int32_t n)
{
    struct tmap_gemm_problem p = {.kind = kind, .m = n, .n = n, .k = n, .batch = 1, .alpha = 1};
    p.out = kind == GEMM_S8 ? TMAP_GEMM_OUT_S32 : TMAP_GEMM_OUT_F32;
    p.a.address = p.b.address = p.d.address = 0x10000000;
    p.a.ld = p.b.ld = p.d.ld = n;
    if (gemm_is_scaled(kind)) p.a_scales = p.b_scales = 0x20000000;
    return p;
}

static void the_capability_picks_the_family(void **state)
{
    static const enum gemm_family families[] = {GEMM_SM90,  GEMM_SM100, GEMM_SM100,
                                                GEMM_SM100, GEMM_SM120, GEMM_SM120};
    enum gemm_family family;
    const char *why = "";
    (void)state;
    for (int i = 0; i < CHIPS; i++) {
        assert_true(gemm_family_of(chips[i][0], chips[i][1], &family, &why));
        assert_int_equal(family, families[i]);
    }
    assert_false(gemm_family_of(8, 9, &family, &why));
    assert_non_null(strstr(why, "12.1 only"));
    assert_false(gemm_family_of(10, 7, &family, &why));
}

/* Every kind that a chip has, it has for one row and one column, too. */
static void the_least_has_a_kernel(void **state)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config none = {0};
    (void)state;
    for (int i = 1; i < CHIPS; i++)
        for (int32_t kind = 0; kind < GEMM_KINDS; kind++) {
            struct tmap_gemm *suite = emulated_gemm_suite_for(chips[i][0], chips[i][1]);
            const struct tmap_gemm_problem p = square(kind, 1);
            const size_t n = gemm_enumerate(suite, &p, &none, choices, GEMM_MAX_CHOICES);
            if ((n > 0) != gemm_has_kind(suite->family, kind))
                fail_msg("kind %d on %d.%d: %zu", kind, chips[i][0], chips[i][1], n);
        }
}

/* A large product is predicted to take what the chip's public rate allows, and not much more. */
static void predictions_are_of_the_chip(void **state)
{
    static const struct {
        int cc_major, sms;
        double flops; /* dense, of bf16: docs/BLACKWELL.md */
    } of[] = {{10, 148, 2.25e15}, {12, 188, 503.8e12}};
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config none = {0};
    const struct {
        int32_t kind;
        double faster;
    } kinds[] = {{GEMM_BF16, 1}, {GEMM_TF32, 0.5}, {GEMM_E4M3, 2}, {GEMM_MXF4, 4}};
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            struct tmap_gemm *suite = emulated_gemm_suite_for(of[i].cc_major, 0);
            const struct tmap_gemm_problem p = square(kinds[k].kind, 8192);
            suite->gpu.sm_count = of[i].sms;
            for (int size = 1; size <= GEMM_MAX_CLUSTER; size++)
                suite->resident[size] = of[i].sms / size;
            const size_t n = gemm_enumerate(suite, &p, &none, choices, GEMM_MAX_CHOICES);
            const double least_us = 2 * 8192.0 * 8192 * 8192 / of[i].flops / kinds[k].faster * 1e6;
            if (n == 0 || choices[0].cost_us < least_us || choices[0].cost_us > 1.6 * least_us)
                fail_msg("%d.0, kind %d: %.0f us, least %.0f", of[i].cc_major, kinds[k].kind,
                         n ? choices[0].cost_us : 0, least_us);
            print_message("# %d.0, kind %d: predicted %.0f us, %.2f of the rate's\n",
                          of[i].cc_major, kinds[k].kind, choices[0].cost_us,
                          choices[0].cost_us / least_us);
        }
}

/* Every configuration that is offered is the chip's own, fits its memory, and is legal. */
static void all_that_is_offered_is_legal(void **state)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config any = {.stream_k = TMAP_GEMM_STREAM_K_ANY};
    static const struct tmap_gemm_config none = {0};
    (void)state;
    for (int i = 1; i < CHIPS; i++)
        for (int32_t kind = 0; kind < GEMM_KINDS; kind++)
            for (int way = 0; way < 2; way++) {
                struct tmap_gemm *suite = emulated_gemm_suite_for(chips[i][0], chips[i][1]);
                struct tmap_gemm_problem p = square(kind, 512);
                p.k = p.a.ld = p.b.ld = 4096; /* k-blocks enough to deal them out */
                size_t n = gemm_enumerate(suite, &p, way ? &any : &none, choices, GEMM_MAX_CHOICES);
                assert_int_equal(n > 0, gemm_has_kind(suite->family, kind));
                assert_true(n <= GEMM_MAX_CHOICES);
                for (size_t k = 0; k < n; k++) {
                    const struct gemm_choice *c = &choices[k];
                    const struct gemm_view view = gemm_view_of(&p, c->config.swapped > 0);
                    const bool tensor = suite->family == GEMM_SM100;
                    struct tmap_gemm_refusal why = {0};
                    struct tmap_desc desc[3];
                    assert_int_equal(c->instance->family, suite->family);
                    assert_true(c->smem_bytes <= suite->smem_optin_bytes);
                    gemm_describe(&view, c, desc);
                    if (!tensor) continue;
                    const bool lacking = chips[i][0] == 10 && chips[i][1] == 3 && kind == GEMM_S8;
                    const enum tmap_status status = gemm_check_tensor(suite, &view, c, desc, &why);
                    if (status != (lacking ? TMAP_E_ILLEGAL : TMAP_OK))
                        fail_msg("%s on %d.%d: %s", c->instance->name, chips[i][0], chips[i][1],
                                 why.text);
                    if (lacking) assert_non_null(strstr(why.text, "TMA196 mma_kind_on_target"));
                }
            }
}

static struct tmap_gemm_problem with_steps(int32_t kind, int32_t out)
{
    struct tmap_gemm_problem p = square(kind, 512);
    p.out = out;
    p.epilogue = (struct tmap_gemm_epilogue){.activation = TMAP_GEMM_GELU_ERF,
                                             .row_bias = 0x20000000,
                                             .col_bias = 0x20000000,
                                             .amax = 0x20000000};
    return p;
}

static struct tmap_gemm_problem with_gate(int32_t kind, int32_t gate, bool a_mn, bool b_mn)
{
    struct tmap_gemm_problem p = with_steps(kind, TMAP_GEMM_OUT_BF16);
    p.epilogue.gate = gate;
    p.a.mn_major = a_mn, p.b.mn_major = b_mn;
    return p;
}

struct lack {
    int major;
    struct tmap_gemm_problem p;
    struct tmap_gemm_config request;
    const char *words;
};

static void what_a_chip_lacks_is_refused_in_words(void **state)
{
    struct lack lacks[] = {
        {10, square(GEMM_E4M3, 512), {0}, "promoted out of the tensor core"},
        {12, square(GEMM_E5M2, 512), {0}, "promoted out of the tensor core"},
        {10, square(GEMM_TF32, 512), {0}, "tf32 operands are contiguous along K"},
        {12, square(GEMM_BF16, 512), {0}, "products of mma.sync"},
        {12, square(GEMM_BF16, 512), {.cluster_m = 2}, "no kernel of the family fits"},
        {9, square(GEMM_BF16, 512), {.dynamic = 1}, "no kernel of the family fits"},
        {9, square(GEMM_E4M3_E5M2, 512), {0}, "for compute capability 10.0 and later"},
        {9, square(GEMM_MXF8, 512), {0}, "products with scale factors are for"},
        {9, square(GEMM_NVF4, 512), {0}, "products with scale factors are for"},
        {9, square(GEMM_MXF8_E4M3_E5M2, 512), {0}, "products with scale factors are for"},
        {12, square(GEMM_MXF4, 512), {.tile_n = 256}, "no kernel of the family fits"},
        {10, square(GEMM_MXF8, 512), {.tile_n = 64}, "no kernel of the family fits"},
        {10, square(GEMM_E4M3, 512), {.dynamic = 1}, "no kernel of the family fits"},
        {12, square(GEMM_BF16, 512), {.dynamic = 1}, "no kernel of the family fits"},
        {10, square(GEMM_BF16, 512), {.split_k = 8}, "no kernel of the family fits"},
        {10, square(GEMM_BF16, 512), {.store_warp = 1}, "no kernel of the family fits"},
        {10, square(GEMM_BF16, 512), {.tile_m = 64}, "no kernel of the family fits"},
        {10,
         with_steps(GEMM_TF32, TMAP_GEMM_OUT_F32),
         {0},
         "epilogues are for floats of 16 bits and less"},
        {10, with_steps(GEMM_BF16, TMAP_GEMM_OUT_BF16), {0}, "beside a gate D is row-major"},
        {10, with_steps(GEMM_NVF4, TMAP_GEMM_OUT_BF16), {0}, "without scale factors"},
        {9, with_steps(GEMM_E5M2, TMAP_GEMM_OUT_BF16), {0}, "for bf16 and fp16, and for e4m3"},
        {9,
         with_gate(GEMM_BF16, GEMM_GATE_PAIRS, false, true),
         {0},
         "pairs of columns are of a B contiguous"},
        {9,
         with_gate(GEMM_BF16, GEMM_GATE_HALVES, true, false),
         {0},
         "gates are for an A contiguous along K"},
        {9,
         with_gate(GEMM_E4M3, GEMM_GATE_NONE, false, true),
         {0},
         "and for e4m3 contiguous along K"},
        {9,
         with_gate(GEMM_E5M2, GEMM_GATE_HALVES, false, true),
         {0},
         "for bf16 and fp16, and for e4m3"},
        {10, with_gate(GEMM_BF16, GEMM_GATE_PAIRS, false, true), {0}, "less contiguous along K"},
    };
    struct tmap_gemm_plan plan;
    (void)state;
    lacks[0].p.precise = lacks[1].p.precise = true;
    lacks[2].p.a.mn_major = lacks[3].p.b.mn_major = true;
    lacks[18].p.epilogue.gate = TMAP_GEMM_GATE_HALVES;
    lacks[18].p.d.mn_major = true;
    lacks[19].p.epilogue.gate = TMAP_GEMM_GATE_PAIRS;
    for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
        struct tmap_gemm *suite = emulated_gemm_suite_for(lacks[i].major, 0);
        struct tmap_gemm_refusal why = {0};
        const enum tmap_status status =
            tmap_gemm_make_plan(suite, &lacks[i].p, &lacks[i].request, &plan, &why);
        if (status != TMAP_E_NO_PLAN || !strstr(why.text, lacks[i].words))
            fail_msg("%zu: status %d: %s", i, status, why.text);
    }
}

/* Each configuration for steps of an epilogue is of a kernel that has them, its pipeline legal. */
static void offers(struct tmap_gemm *suite, int32_t kind, int32_t out, int32_t gate)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config none = {0};
    struct tmap_gemm_problem p = with_steps(kind, out);
    const bool both = !gemm_is_narrow(out) && !gate;
    const enum gemm_image image = gate ? GEMM_IMAGE_GATED : GEMM_FINISHED;
    p.epilogue.gate = gate;
    if (both) p.epilogue.second = (struct tmap_gemm_matrix){.address = 0x30000000, .ld = 512};
    const size_t n = gemm_enumerate(suite, &p, &none, choices, GEMM_MAX_CHOICES);
    const bool gateless =
        gemm_is_scaled(kind) || (suite->family == GEMM_SM120 && kind == GEMM_E5M2_E4M3);
    if ((n == 0) != (gate && gateless))
        fail_msg("kind %d out %d gate %d on %d.x: %zu", kind, out, gate, suite->gpu.cc_major, n);
    for (size_t i = 0; i < n; i++) {
        const struct gemm_view view = gemm_view_of(&p, choices[i].config.swapped > 0);
        struct tmap_desc desc[3];
        assert_int_equal(choices[i].instance->image, image);
        assert_true(gemm_writes_columns(choices[i].instance) || !view.transposed);
        assert_true(!both || choices[i].config.panels >= 2 || suite->family != GEMM_SM100);
        if (suite->family != GEMM_SM100) continue;
        gemm_describe(&view, &choices[i], desc);
        assert_int_equal(gemm_check_tensor(suite, &view, &choices[i], desc, NULL), TMAP_OK);
    }
}

/* And with D of any type. */
static void epilogues_are_offered(void **state)
{
    static const int32_t kinds[] = {
        GEMM_BF16,           GEMM_F16,       GEMM_E4M3, GEMM_E5M2,
        GEMM_E4M3_E5M2,      GEMM_E5M2_E4M3, GEMM_MXF8, GEMM_MXF8_E4M3_E5M2,
        GEMM_MXF8_E5M2_E4M3, GEMM_MXF4,      GEMM_NVF4};
    (void)state;
    for (int i = 1; i < CHIPS; i++) {
        struct tmap_gemm *suite = emulated_gemm_suite_for(chips[i][0], chips[i][1]);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int32_t out = 0; out < GEMM_OUTS; out++)
                for (int32_t gate = 0; gate < GEMM_GATES; gate++)
                    if (out != GEMM_OUT_S32) offers(suite, kinds[k], out, gate);
    }
}

/* On Hopper, operands of 16 bits by rows of M or N: kernels of that order, with any steps. */
static void offers_by_rows(struct tmap_gemm *suite, struct tmap_gemm_problem p, enum gemm_image end)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config none = {0};
    const size_t n = gemm_enumerate(suite, &p, &none, choices, GEMM_MAX_CHOICES);
    const bool lacks = p.epilogue.gate && p.a.mn_major;
    if ((n == 0) != lacks)
        fail_msg("kind %d out %d order %d%d gate %d: %zu", p.kind, p.out, p.a.mn_major,
                 p.b.mn_major, p.epilogue.gate, n);
    for (size_t i = 0; i < n; i++) {
        const struct gemm_instance *g = choices[i].instance;
        const bool swapped = choices[i].config.swapped > 0;
        assert_int_equal(g->a_mn, swapped ? p.b.mn_major : p.a.mn_major);
        assert_int_equal(g->b_mn, swapped ? p.a.mn_major : p.b.mn_major);
        assert_int_equal(gemm_end_of(g), end);
    }
}

static void epilogues_by_rows_are_offered(void **state)
{
    static const int32_t kinds[] = {GEMM_BF16, GEMM_F16};
    struct tmap_gemm *suite = emulated_gemm_suite_for(9, 0);
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int order = 1; order < 4; order++)
            for (int32_t out = 0; out < GEMM_OUTS; out++) {
                if (out == GEMM_OUT_S32) continue;
                struct tmap_gemm_problem p = with_steps(kinds[k], out);
                p.a.mn_major = order & 1, p.b.mn_major = order >> 1;
                offers_by_rows(suite, p, GEMM_FINISHED);
                p.epilogue.amax = p.epilogue.row_bias = 0; /* a bias and an activation alone */
                p.epilogue.bias_type = TMAP_GEMM_OUT_BF16;
                const bool quick = order < 3 && (out == GEMM_OUT_BF16 || out == GEMM_OUT_F16);
                offers_by_rows(suite, p, quick ? GEMM_QUICK : GEMM_FINISHED);
                p.epilogue.gate = TMAP_GEMM_GATE_HALVES;
                offers_by_rows(suite, p, GEMM_IMAGE_GATED);
            }
}

/* Both outputs' columns are staged at once: one panel is too few. */
static void a_second_output_takes_a_second_panel(void **state)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    static const struct tmap_gemm_config one = {.panels = 1};
    struct tmap_gemm *suite = emulated_gemm_suite_for(10, 0);
    struct tmap_gemm_problem p = with_steps(GEMM_BF16, TMAP_GEMM_OUT_BF16);
    (void)state;
    assert_true(gemm_enumerate(suite, &p, &one, choices, GEMM_MAX_CHOICES) > 0);
    p.epilogue.second = (struct tmap_gemm_matrix){.address = 0x30000000, .ld = 512};
    assert_int_equal(gemm_enumerate(suite, &p, &one, choices, GEMM_MAX_CHOICES), 0);
}

/* Two to a byte: a row that begins inside one has no address. */
static void rows_of_four_bits_are_whole_bytes(void **state)
{
    struct tmap_gemm *suite = emulated_gemm_suite_for(10, 0);
    struct tmap_gemm_problem p = square(GEMM_MXF4, 512);
    struct tmap_gemm_refusal why = {0};
    struct tmap_gemm_plan plan;
    (void)state;
    p.b.ld = 513;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_ARGUMENT);
    assert_non_null(strstr(why.text, "must be even"));
    p.b.ld = 512;
    p.k = 511;
    assert_int_equal(tmap_gemm_make_plan(suite, &p, NULL, &plan, &why), TMAP_E_ARGUMENT);
}

/* A group is of the chip's kernels, its member's maps and pipeline checked; of integers
 * 10.3 has none. */
static void groups_are_the_chips_own(void **state)
{
    (void)state;
    for (int i = 1; i < CHIPS; i++) {
        struct tmap_gemm *suite = emulated_gemm_suite_for(chips[i][0], chips[i][1]);
        for (int32_t kind = 0; kind < GEMM_KINDS; kind++) {
            const struct tmap_gemm_problem like = square(kind, 512);
            const struct tmap_gemm_member member = {.m = 64,
                                                    .n = 64,
                                                    .k = 64,
                                                    .a = 4096,
                                                    .b = 4096,
                                                    .d = 4096,
                                                    .a_scales = 4096,
                                                    .b_scales = 4096,
                                                    .lda = 64,
                                                    .ldb = 64,
                                                    .ldd = 64};
            const bool integers = chips[i][1] == 3 && kind == GEMM_S8; /* rule TMA196 */
            struct tmap_gemm_refusal why = {0};
            struct tmap_gemm_group group;
            uint64_t memory;
            assert_int_equal(suite->gpu.api.mem_alloc(&memory, tmap_gemm_group_bytes(1)), 0);
            const enum tmap_status status =
                tmap_gemm_make_group(suite, &like, &member, 1, memory, NULL, &group, &why);
            /* All is checked by the time that a kernel is missed, which this test has not loaded.
             */
            if (status != (integers ? TMAP_E_ILLEGAL : TMAP_E_DRIVER))
                fail_msg("kind %d on %d.%d: %d, %s", kind, chips[i][0], chips[i][1], status,
                         why.text);
            if (integers) assert_non_null(strstr(why.text, "member 0: TMA196"));
            suite->gpu.api.mem_free(memory);
        }
    }
}

/* A member's rows of 4 bits are whole bytes, and its factors where the copy engine takes them. */
static void a_members_factors_lie_right(void **state)
{
    struct tmap_gemm *suite = emulated_gemm_suite_for(12, 0);
    const struct tmap_gemm_problem like = square(GEMM_NVF4, 512);
    const struct tmap_gemm_member good = {.m = 64, .n = 64, .k = 64, .lda = 64, .ldb = 64};
    struct tmap_gemm_member odd = good, aside = good;
    struct tmap_gemm_refusal why = {0};
    struct tmap_gemm_group group;
    (void)state;
    odd.lda = 65;
    assert_int_equal(tmap_gemm_make_group(suite, &like, &odd, 1, 128, NULL, &group, &why),
                     TMAP_E_ARGUMENT);
    assert_non_null(strstr(why.text, "member 0: K, ld and batch_stride"));
    assert_int_equal(tmap_gemm_make_group(suite, &like, &good, 1, 128, NULL, &group, &why),
                     TMAP_E_ARGUMENT);
    assert_non_null(strstr(why.text, "member 0: a_scales has no address"));
    aside.b_scales = 8;
    assert_int_equal(tmap_gemm_make_group(suite, &like, &aside, 1, 128, NULL, &group, &why),
                     TMAP_E_ARGUMENT);
    assert_non_null(strstr(why.text, "member 0: the address of scale factors"));
}

/* What the host adds to the kernels' instruction descriptor is what another compiler has there. */
static void types_are_those_of(const char *table, unsigned lines)
{
    enum { TYPES = 7 << 7 | 7 << 10 };
    static const char *const kinds[GEMM_KINDS] = {
#define KIND(word, ...) #word,
#include "kernels/gemm/kinds.def"
    };
    FILE *f = fopen(table, "r");
    char line[200], word[16];
    unsigned instruction, compared = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%15s %*u %*u %*u %*s %x", word, &instruction) != 2) continue;
        for (int32_t kind = 0; kind < GEMM_KINDS; kind++) {
            if (strcmp(kinds[kind], word) != 0) continue;
            assert_int_equal(gemm_tensor_types(kind), instruction & TYPES);
            compared++;
        }
    }
    fclose(f);
    assert_int_equal(compared, lines);
}

static void types_are_those_of_others_descriptors(void **state)
{
    (void)state;
    types_are_those_of("tests/data/triton-descriptors.tsv", 16);
    types_are_those_of("tests/data/cutlass-descriptors.tsv", 107);
}

/* A transposed product has the other order of types, and keeps its factors. */
static void exchanged_kinds_keep_their_factors(void **state)
{
    (void)state;
    assert_int_equal(gemm_exchanged_kind(GEMM_E4M3_E5M2), GEMM_E5M2_E4M3);
    assert_int_equal(gemm_exchanged_kind(GEMM_MXF8_E4M3_E5M2), GEMM_MXF8_E5M2_E4M3);
    for (int32_t kind = 0; kind < GEMM_KINDS; kind++)
        assert_int_equal(gemm_exchanged_kind(gemm_exchanged_kind(kind)), kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_capability_picks_the_family),
                                       cmocka_unit_test(the_least_has_a_kernel),
                                       cmocka_unit_test(predictions_are_of_the_chip),
                                       cmocka_unit_test(all_that_is_offered_is_legal),
                                       cmocka_unit_test(what_a_chip_lacks_is_refused_in_words),
                                       cmocka_unit_test(epilogues_are_offered),
                                       cmocka_unit_test(epilogues_by_rows_are_offered),
                                       cmocka_unit_test(a_second_output_takes_a_second_panel),
                                       cmocka_unit_test(rows_of_four_bits_are_whole_bytes),
                                       cmocka_unit_test(groups_are_the_chips_own),
                                       cmocka_unit_test(a_members_factors_lie_right),
                                       cmocka_unit_test(exchanged_kinds_keep_their_factors),
                                       cmocka_unit_test(types_are_those_of_others_descriptors)};
    const int failed = cmocka_run_group_tests_name("families of products", tests, NULL, NULL);
    emulated_close();
    return failed;
}
