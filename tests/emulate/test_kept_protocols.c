/* The protocols of the kept kernels (tests/data/emulate/kernels): proved for any number of tiles
 * and k blocks on machines without nvcc too, and refuted where a statement is cut out of the text.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_suites.h"
#include "support/proved.h"

enum { RUNS = PROVED_RUNS, MEGABYTES = 64 };
#define WHOLE 1u   /* all barriers as one protocol */
#define STAGING 2u /* what the warps stage and store */
#define RING(n) (4u << (n))

static struct prover prover;

struct kept {
    const char *kernel;
    int cc_major;
    struct tmap_gemm_config request;
    struct tmap_gemm_problem shape;
    uint32_t proves;
};

enum { SAME = TMAP_GEMM_OUT_F32 };

static const struct kept kernels[] = {
    {"gemm_bf16_1x16_000", 9,
     REQUEST(64, 16, 3, 2, ALONE, .split_k = 1, .direct = -1, .pingpong = -1, .store_warp = -1),
     OF(TMAP_GEMM_BF16, SAME, 130, 40, 270), RING(0) | WHOLE | STAGING},
    {"tensor_f16_1x128_00", 10, REQUEST(128, 128, 3, 2, ALONE),
     OF(TMAP_GEMM_BF16, SAME, 250, 200, 270), RING(0) | RING(1) | WHOLE | STAGING},
    {"tensor_f8f6f4_2x128_00", 10, REQUEST(256, 128, 3, 2, ALONE),
     OF(TMAP_GEMM_E4M3, TMAP_GEMM_OUT_BF16, 250, 376, 530), RING(0) | WHOLE | STAGING},
    {"tensor_mxf8f6f4_1x128_00", 10, REQUEST(128, 128, 3, 2, ALONE),
     OF(TMAP_GEMM_MXF8, SAME, 250, 200, 530), WHOLE | STAGING},
    {"tensor_dynamic_f16_1x128", 10, REQUEST(128, 128, 2, 2, .cluster_m = 1, .dynamic = 1),
     OF(TMAP_GEMM_BF16, SAME, 250, 600, 270), RING(0) | RING(1) | RING(2) | STAGING},
    {"warps_bf16_1x64", 12, REQUEST(64, 64, 3, 2, ALONE), OF(TMAP_GEMM_BF16, SAME, 250, 200, 270),
     RING(0) | WHOLE | STAGING},
    {"warps_s8_1x64", 12, REQUEST(64, 64, 3, 2, ALONE),
     OF(TMAP_GEMM_S8, TMAP_GEMM_OUT_S32, 250, 200, 530), RING(0) | WHOLE | STAGING},
    {"warps_mxf8_2x128", 12, REQUEST(128, 128, 2, 2, ALONE),
     OF(TMAP_GEMM_MXF8, SAME, 250, 200, 530), RING(0) | STAGING},
};

/* What is cut out, everywhere, and as what that is refuted. */
static const struct cut {
    const char *kernel, *statement;
    enum tmap_emulate_part part;
    enum tmap_hazard hazard;
} cuts[] = {
    {"gemm_bf16_1x16_000", "fence.mbarrier_init.release.cluster;", TMAP_EMULATE_BARRIERS,
     TMAP_HAZARD_UNINITIALIZED},
    {"gemm_bf16_1x16_000", "fence.proxy.async.shared::cta;", TMAP_EMULATE_STAGING,
     TMAP_HAZARD_UNFENCED},
    {"gemm_bf16_1x16_000", "cp.async.bulk.wait_group.read 0;", TMAP_EMULATE_STAGING,
     TMAP_HAZARD_UNWAITED_STORE},
    {"tensor_f16_1x128_00", "fence.mbarrier_init.release.cluster;", TMAP_EMULATE_BARRIERS,
     TMAP_HAZARD_UNINITIALIZED},
    {"tensor_f16_1x128_00", "fence.proxy.async.shared::cta;", TMAP_EMULATE_STAGING,
     TMAP_HAZARD_UNFENCED},
    {"tensor_f16_1x128_00", "cp.async.bulk.wait_group.read 1;", TMAP_EMULATE_STAGING,
     TMAP_HAZARD_UNWAITED_STORE},
    {"warps_bf16_1x64", "fence.mbarrier_init.release.cluster;", TMAP_EMULATE_BARRIERS,
     TMAP_HAZARD_UNINITIALIZED},
    {"warps_bf16_1x64", "fence.proxy.async.shared::cta;", TMAP_EMULATE_STAGING,
     TMAP_HAZARD_UNFENCED},
    {"warps_bf16_1x64", "cp.async.bulk.wait_group.read 0;", TMAP_EMULATE_STAGING,
     TMAP_HAZARD_UNWAITED_STORE},
};

/* The kernel's text with the statement blank. */
static void load(const char *kernel, const char *statement)
{
    char path[128], *text = calloc(1, 1 << 20);
    snprintf(path, sizeof path, "tests/data/emulate/kernels/%s.ptx", kernel);
    FILE *f = fopen(path, "r");
    assert_true(f && text);
    const size_t bytes = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    size_t found = 0;
    for (char *p = text; statement && (p = strstr(p, statement)) != NULL; found++)
        memset(p, ' ', strlen(statement));
    assert_true(!statement || found > 0);
    assert_true(emulated_load_text(text, bytes, path));
    free(text);
}

/* Of one configuration: another number of k blocks, and of tiles. */
static void record(struct tmap_gemm *suite, const struct kept *k, int run,
                   struct tmap_emulate_record **out)
{
    struct emulated *emulator = emulated_state();
    struct tmap_gemm_problem shape = k->shape;
    struct emulated_product product;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    shape.n += run == 2 ? 2 * k->request.tile_n : 0;
    shape.k += run == 1 ? shape.k / 2 : 0;
    assert_int_equal(tmap_emulate_record_open(0, out), TMAP_OK);
    assert_true(emulated_product_make(suite, &shape, 1, &product));
    if (tmap_gemm_make_plan(suite, &product.problem, &k->request, &plan, &why) != TMAP_OK)
        fail_msg("%s: %s", k->kernel, why.text);
    assert_ptr_equal(plan.function, emulated_function(k->kernel));
    emulator->how = (struct tmap_emulate_launch){
        .schedule = TMAP_EMULATE_EARLIEST, .no_races = true, .seed = (uint64_t)run};
    emulator->how.residents = k->request.dynamic == 1 ? plan.cluster : 0;
    emulator->record = *out;
    assert_int_equal(emulated_recorded(tmap_gemm_run(&plan, NULL)), TMAP_OK);
    emulated_product_free(suite, &product);
}

static void take(struct tmap_gemm *suite, const struct kept *k, const char *statement,
                 struct tmap_emulate_record *records[RUNS])
{
    load(k->kernel, statement);
    memset(suite->functions, 0, sizeof suite->functions);
    for (int i = 0; i < RUNS; i++) record(suite, k, i, &records[i]);
}

static void give_back(struct tmap_emulate_record *records[RUNS])
{
    for (int i = 0; i < RUNS; i++) tmap_emulate_record_free(records[i]);
    emulated_unload();
}

static void proved_part_of(const struct kept *k, struct tmap_emulate_record *records[RUNS],
                           enum tmap_emulate_part part, unsigned n)
{
    struct proved p;
    prove(&prover, records, part, n, &p);
    print_message("# %s, %s %u: %s, %u states %s\n", k->kernel, proved_part(part), n,
                  proved_words(&p), p.result.states, p.error.text);
    assert_int_equal(p.status, TMAP_OK);
    assert_int_equal(p.result.verdict, TMAP_LEGAL);
}

static void kept_protocols(void **state)
{
    const int cc_major = *(const int *)*state;
    struct tmap_gemm *suite = emulated_gemm_suite_for(cc_major, 0);
    assert_non_null(suite);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const struct kept *k = &kernels[i];
        struct tmap_emulate_record *records[RUNS];
        if (k->cc_major != cc_major) continue;
        take(suite, k, NULL, records);
        for (unsigned n = 0; n < 3; n++)
            if (k->proves & RING(n)) proved_part_of(k, records, TMAP_EMULATE_RING, n);
        if (k->proves & STAGING) proved_part_of(k, records, TMAP_EMULATE_STAGING, 0);
        if (k->proves & WHOLE) proved_part_of(k, records, TMAP_EMULATE_BARRIERS, 0);
        give_back(records);
    }
    emulated_close();
}

static void cut_statements(void **state)
{
    const int cc_major = *(const int *)*state;
    struct tmap_gemm *suite = emulated_gemm_suite_for(cc_major, 0);
    assert_non_null(suite);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct tmap_emulate_record *records[RUNS];
        const struct kept *k = kernels;
        struct proved p;
        while (strcmp(k->kernel, cuts[i].kernel) != 0) k++;
        if (k->cc_major != cc_major) continue;
        take(suite, k, cuts[i].statement, records);
        prove(&prover, records, cuts[i].part, 0, &p);
        print_message("# %s without %s %s: %s\n", k->kernel, cuts[i].statement,
                      p.result.fault ? tmap_hazard_name(p.result.fault) : proved_words(&p),
                      p.error.text);
        assert_int_equal(p.status, TMAP_OK);
        assert_int_equal(p.result.fault, cuts[i].hazard);
        assert_int_equal(p.result.verdict, TMAP_ILLEGAL);
        give_back(records);
    }
    emulated_close();
}

int main(void)
{
    static int chips[] = {9, 10, 12};
    const struct CMUnitTest tests[] = {
        {"kept protocols, 9.0", kept_protocols, NULL, NULL, &chips[0]},
        {"kept protocols, 10.0", kept_protocols, NULL, NULL, &chips[1]},
        {"kept protocols, 12.0", kept_protocols, NULL, NULL, &chips[2]},
        {"a statement less, 9.0", cut_statements, NULL, NULL, &chips[0]},
        {"a statement less, 10.0", cut_statements, NULL, NULL, &chips[1]},
        {"a statement less, 12.0", cut_statements, NULL, NULL, &chips[2]}};
    if (!prover_open(&prover, MEGABYTES)) return 1;
    const int failed = cmocka_run_group_tests_name("kept protocols", tests, NULL, NULL);
    prover_close(&prover);
    return failed;
}
