/* Calls of solve.h that lack what they need: refused, their outputs as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tmap/solve.h"

#include <string.h>

static struct tmap_checker checker;
static const struct tmap_target uncovered = {.cuda = 9000, .arch = 1};
static const struct tmap_desc desc = {.dtype = TMAP_BFLOAT16,
                                      .rank = 2,
                                      .dim = {64, 64},
                                      .stride_bytes = {128},
                                      .box = {64, 64},
                                      .elem_stride = {1, 1}};
static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
static size_t found;

/* Every byte of an output that no call may have written. */
#define MARK(x) memset(&(x), 0x5a, sizeof(x))
#define EXPECT_MARKED(x)                                                                           \
    do {                                                                                           \
        const unsigned char *byte_ = (const void *)&(x);                                           \
        for (size_t k = 0; k < sizeof(x); k++)                                                     \
            if (byte_[k] != 0x5a) fail_msg("%s is written, byte %zu", #x, k);                      \
    } while (0)

static void expect_refused(const enum tmap_status *said, size_t n, enum tmap_status with)
{
    for (size_t i = 0; i < n; i++)
        if (said[i] != with) fail_msg("call %zu: %d", i, (int)said[i]);
}
#define REFUSED(with, ...)                                                                         \
    do {                                                                                           \
        const enum tmap_status said[] = {__VA_ARGS__};                                             \
        expect_refused(said, sizeof said / sizeof said[0], with);                                  \
    } while (0)

static int prepare(void **state)
{
    const struct tmap_target target = tmap_default_target();
    (void)state;
    MARK(found);
    return tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
}

static void tiles(void **state)
{
    static struct tmap_tile_plan plans[1];
    const struct tmap_tile_request good = {.tensor = desc, .tile = {64, 64}},
                                   odd = {.tensor = desc, .tile = {64, 64}, .consumer = 99};
    struct tmap_search_log log = {NULL, 0, 0};
    bool closed;
    char why[80];
    (void)state;
    MARK(plans), MARK(closed), MARK(why);
    REFUSED(TMAP_E_ARGUMENT,
            tmap_solve(NULL, &good, workspace, sizeof workspace, plans, 1, &found, why, sizeof why),
            tmap_solve(&checker, NULL, workspace, sizeof workspace, plans, 1, &found, NULL, 0),
            tmap_solve(&checker, &good, workspace, sizeof workspace, NULL, 1, &found, NULL, 0),
            tmap_solve(&checker, &good, workspace, sizeof workspace, plans, 0, &found, NULL, 0),
            tmap_solve(&checker, &good, workspace, sizeof workspace, plans, 1, NULL, NULL, 0),
            tmap_solve(&checker, &good, workspace, sizeof workspace, plans, 1, &found, NULL, 9),
            tmap_solve(&checker, &odd, workspace, sizeof workspace, plans, 1, &found, NULL, 0),
            tmap_solve_account(NULL, &good, 0, workspace, sizeof workspace, &log, &closed),
            tmap_solve_account(&checker, NULL, 0, workspace, sizeof workspace, &log, &closed),
            tmap_solve_account(&checker, &good, 0, workspace, sizeof workspace, NULL, &closed),
            tmap_solve_account(&checker, &good, 0, workspace, sizeof workspace, &log, NULL),
            tmap_solve_account(&checker, &odd, 0, workspace, sizeof workspace, &log, &closed));
    REFUSED(TMAP_E_ROOM, tmap_solve_account(&checker, &good, 0, NULL, 0, &log, &closed),
            tmap_solve_account(&checker, &good, 0, (char *)workspace + 1, 1 << 16, &log, &closed),
            tmap_solve(&checker, &good, NULL, 0, plans, 1, &found, why, sizeof why),
            tmap_solve(&checker, &good, workspace, 64, plans, 1, &found, why, sizeof why));
    struct tmap_checker none;
    tmap_checker_prepare(&uncovered, TMAP_CONTRACT_SAFE, &none);
    REFUSED(
        TMAP_E_TARGET,
        tmap_solve(&none, &good, workspace, sizeof workspace, plans, 1, &found, why, sizeof why),
        tmap_solve_account(&none, &good, 0, workspace, sizeof workspace, &log, &closed));
    EXPECT_MARKED(found);
    EXPECT_MARKED(plans);
    EXPECT_MARKED(closed);
    EXPECT_MARKED(why);
}

/* A tensor of more dimensions than there is room for is no tensor: a plain refusal. */
static void ranks(void **state)
{
    struct tmap_tile_request request = {.tensor = desc, .tile = {64, 64}};
    struct tmap_tile_plan plan;
    size_t n = 7;
    char why[160];
    (void)state;
    for (request.tensor.rank = TMAP_MAX_RANK + 1; request.tensor.rank < 40; request.tensor.rank++) {
        assert_int_equal(tmap_solve(&checker, &request, workspace, sizeof workspace, &plan, 1, &n,
                                    why, sizeof why),
                         TMAP_E_NO_PLAN);
        assert_int_equal(n, 0);
        assert_ptr_equal(strstr(why, "TMA002"), why);
    }
}

static void repairs(void **state)
{
    static struct tmap_plan plans[1];
    struct tmap_repair_report report;
    struct tmap_checker none;
    const struct tmap_request odd = {.consumer = 99};
    (void)state;
    MARK(plans), MARK(report);
    tmap_checker_prepare(&uncovered, TMAP_CONTRACT_SAFE, &none);
#define REPAIR(c, d, r, w, bytes, p, cap, said) tmap_repair(c, d, r, w, bytes, p, cap, said, NULL)
    REFUSED(TMAP_E_ARGUMENT,
            REPAIR(NULL, &desc, NULL, workspace, sizeof workspace, plans, 1, &report),
            REPAIR(&checker, NULL, NULL, workspace, sizeof workspace, plans, 1, &report),
            REPAIR(&checker, &desc, NULL, workspace, sizeof workspace, NULL, 1, &report),
            REPAIR(&checker, &desc, NULL, workspace, sizeof workspace, plans, 0, &report),
            REPAIR(&checker, &desc, NULL, workspace, sizeof workspace, plans, 1, NULL),
            REPAIR(&checker, &desc, &odd, workspace, sizeof workspace, plans, 1, &report));
    REFUSED(TMAP_E_TARGET,
            REPAIR(&none, &desc, NULL, workspace, sizeof workspace, plans, 1, &report));
    EXPECT_MARKED(plans);
    EXPECT_MARKED(report);
}

static void configurations(void **state)
{
    const struct tmap_problem good = {.dtype = TMAP_BFLOAT16,
                                      .out_dtype = TMAP_BFLOAT16,
                                      .m = 4096,
                                      .n = 4096,
                                      .k = 4096},
                              no_model = {.dtype = TMAP_BFLOAT16,
                                          .out_dtype = TMAP_BFLOAT16,
                                          .model = TMAP_MODEL_COUNT},
                              no_type = {.dtype = -1, .out_dtype = TMAP_BFLOAT16},
                              no_out = {.dtype = TMAP_BFLOAT16, .out_dtype = -1};
    const struct tmap_config config = {128, 128, 64, 4, 8, 1};
    struct tmap_config_answer answers[1];
    struct tmap_config_copy copies[1];
    (void)state;
    MARK(answers), MARK(copies);
    REFUSED(TMAP_E_ARGUMENT, tmap_prune(NULL, &good, &config, 1, answers),
            tmap_prune(&checker, NULL, &config, 1, answers),
            tmap_prune(&checker, &good, NULL, 1, answers),
            tmap_prune(&checker, &good, &config, 1, NULL),
            tmap_prune(&checker, &no_model, &config, 1, answers),
            tmap_prune(&checker, &no_type, &config, 1, answers),
            tmap_prune(&checker, &no_out, &config, 1, answers),
            tmap_config_copies(NULL, &config, 0, copies, 1, &found),
            tmap_config_copies(&good, NULL, 0, copies, 1, &found),
            tmap_config_copies(&good, &config, 0, NULL, 1, &found),
            tmap_config_copies(&good, &config, 0, copies, 1, NULL),
            tmap_config_copies(&no_model, &config, 0, copies, 1, &found),
            tmap_config_copies(&no_type, &config, 0, copies, 1, &found),
            tmap_config_copies(&no_out, &config, 0, copies, 1, &found));
    EXPECT_MARKED(answers);
    EXPECT_MARKED(copies);
    EXPECT_MARKED(found);
    assert_int_equal(tmap_prune(&checker, &good, NULL, 0, NULL), TMAP_OK);
    assert_null(tmap_model_name(TMAP_MODEL_COUNT));
}

static void spaces(void **state)
{
    static const uint32_t block[] = {64, 128}, few[] = {4}, none = 0;
    const struct tmap_space space = {.block_m = block,
                                     .block_n = block,
                                     .block_k = few,
                                     .stages = few,
                                     .warps = few,
                                     .block_m_count = 2,
                                     .block_n_count = 2,
                                     .block_k_count = 1,
                                     .stages_count = 1,
                                     .warps_count = 1},
                            empty = {.block_m = &none};
    const struct tmap_problem good = {.dtype = TMAP_BFLOAT16,
                                      .out_dtype = TMAP_BFLOAT16,
                                      .m = 4096,
                                      .n = 4096,
                                      .k = 4096},
                              no_model = {.dtype = TMAP_BFLOAT16, .model = TMAP_MODEL_COUNT};
    uint64_t counts[3];
    uint8_t verdicts[4];
    struct tmap_config at;
    struct tmap_checker uncovering;
    (void)state;
    MARK(counts), MARK(verdicts);
    assert_int_equal(tmap_space_size(NULL), 0);
    assert_int_equal(tmap_space_size(&space), 4);
#define SPACE(c, p, s, first, n, counted, w, bytes)                                                \
    tmap_prune_space(c, p, s, first, n, verdicts, counted, w, bytes)
    REFUSED(TMAP_E_ARGUMENT, SPACE(NULL, &good, &space, 0, 4, counts, workspace, sizeof workspace),
            SPACE(&checker, NULL, &space, 0, 4, counts, workspace, sizeof workspace),
            SPACE(&checker, &good, NULL, 0, 4, counts, workspace, sizeof workspace),
            SPACE(&checker, &good, &space, 0, 4, NULL, workspace, sizeof workspace),
            SPACE(&checker, &no_model, &space, 0, 4, counts, workspace, sizeof workspace),
            SPACE(&checker, &good, &space, 5, 0, counts, workspace, sizeof workspace),
            SPACE(&checker, &good, &space, 1, 4, counts, workspace, sizeof workspace));
    REFUSED(
        TMAP_E_ROOM, SPACE(&checker, &good, &space, 0, 4, counts, NULL, sizeof workspace),
        SPACE(&checker, &good, &space, 0, 4, counts, workspace, 1),
        SPACE(&checker, &good, &space, 0, 4, counts, (char *)workspace + 1, sizeof workspace - 8));
    EXPECT_MARKED(counts);
    EXPECT_MARKED(verdicts);
    tmap_space_at(&empty, 3, &at);
    assert_true(at.block_m == 0 && at.warps == 0);
    tmap_checker_prepare(&uncovered, TMAP_CONTRACT_SAFE, &uncovering);
    const enum tmap_status s =
        SPACE(&uncovering, &good, &space, 0, 4, counts, workspace, sizeof workspace);
    if (s == TMAP_OK) assert_int_equal(counts[TMAP_UNKNOWN], 4);
    assert_int_equal(SPACE(&checker, &good, &space, 4, 0, counts, workspace, sizeof workspace),
                     TMAP_OK);
    assert_true(counts[0] == 0 && counts[1] == 0 && counts[2] == 0);
    assert_int_equal(
        tmap_prune_space(&checker, &good, &space, 0, 4, NULL, counts, workspace, sizeof workspace),
        TMAP_OK);
    assert_int_equal(counts[0] + counts[1] + counts[2], 4);
}

static void places(void **state)
{
    static const struct tmap_plan none = {.skip = true};
    int64_t out[TMAP_MAX_RANK];
    const int64_t coord[TMAP_MAX_RANK] = {0};
    const uint32_t tile[TMAP_MAX_RANK] = {0};
    uint32_t copy;
    uint64_t offset;
    (void)state;
    MARK(out), MARK(copy), MARK(offset);
    tmap_plan_coords(&none, coord, 0, NULL);
    tmap_plan_coords(&none, coord, 0, out);
    for (int i = 0; i < TMAP_MAX_RANK; i++) assert_int_equal(out[i], 0);
    assert_false(tmap_plan_place_bits(NULL, &desc, coord, tile, 0, &copy, &offset));
    assert_false(tmap_plan_place_bits(&none, &desc, coord, tile, 0, &copy, &offset));
    static const struct tmap_plan one = {.desc = {.rank = 1}, .dim = {{.copies = 1}}};
    tmap_plan_coords(&one, NULL, 0, out);
    for (int i = 0; i < TMAP_MAX_RANK; i++) assert_int_equal(out[i], 0);
    assert_false(tmap_plan_place_bits(&one, NULL, coord, tile, 0, &copy, &offset));
    assert_false(tmap_plan_place_bits(&one, &desc, NULL, tile, 0, &copy, &offset));
    assert_false(tmap_plan_place_bits(&one, &desc, coord, NULL, 0, &copy, &offset));
    assert_false(tmap_plan_place_bits(&one, &desc, coord, tile, 0, NULL, &offset));
    assert_false(tmap_plan_place_bits(&one, &desc, coord, tile, 0, &copy, NULL));
    EXPECT_MARKED(copy);
    EXPECT_MARKED(offset);
}

/* What snprintf() does: the length is that of the whole text, with or without room. */
static void texts(void **state)
{
    const struct tmap_search_event none = {.kind = TMAP_SEARCH_PLAN + 1},
                                   im2col = {.kind = TMAP_SEARCH_IM2COL,
                                             .u.state = {.rank = 2,
                                                         .dim = {{.size = 64}, {.size = 8}},
                                                         .channels = 3,
                                                         .address = 16}};
    const struct tmap_plan_step step = {.rewrite = TMAP_REWRITE_IGNORED, .index = 2, .from = 1};
    char text[200] = "as it was", few[8];
    (void)state;
    assert_int_equal(tmap_plan_step_text(&step, text, 0), tmap_plan_step_text(&step, NULL, 200));
    assert_string_equal(text, "as it was");
    assert_true(tmap_plan_step_text(&step, text, sizeof text) > 0);
    assert_non_null(strstr(text, "[2]: 1 -> 0"));
    assert_int_equal(tmap_search_text(NULL, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(tmap_search_text(&none, text, sizeof text), 0);
    const size_t n = tmap_search_text(&im2col, text, sizeof text);
    assert_string_equal(text, "im2col 2 64 0 0 0 8 0 0 0 | 3 16");
    assert_int_equal(n, strlen(text));
    assert_int_equal(tmap_search_text(&im2col, NULL, 99), n);
    assert_int_equal(tmap_search_text(&im2col, few, sizeof few), n);
    assert_string_equal(few, "im2col ");
}

static void protocols_and_pipelines(void **state)
{
    static const struct tmap_protocol protocol;
    struct tmap_protocol designed;
    struct tmap_protocol_result result;
    struct tmap_pipeline pipeline = {.loads = &desc, .load_count = 1, .stages = 1};
    struct tmap_pipeline_design designs[TMAP_PIPELINE_DESIGNS];
    struct tmap_pipeline_box box;
    struct tmap_budget budget;
    const struct tmap_design_options far = {.design = TMAP_DESIGN_COUNT},
                                     odd = {.defect = TMAP_DEFECT_COUNT},
                                     deep = {.stages = TMAP_PROTOCOL_DEPTH + 1};
    (void)state;
    MARK(designed), MARK(result), MARK(designs), MARK(box), MARK(budget);
    const struct tmap_pipeline empty = {.loads = &desc}, absent = {.load_count = 1},
                               wide = {.loads = &desc, .load_count = TMAP_PIPELINE_LOADS + 1};
#define BUDGET(c, p, b, f) tmap_pipeline_budget(c, p, b, NULL, 0, NULL, 0, f)
    REFUSED(
        TMAP_E_ARGUMENT, tmap_protocol_explore(NULL, workspace, sizeof workspace, &result, NULL, 0),
        tmap_protocol_explore(&protocol, NULL, 0, &result, NULL, 0),
        tmap_protocol_explore(&protocol, workspace, sizeof workspace, NULL, NULL, 0),
        tmap_protocol_design(NULL, &designed), tmap_protocol_design(&far, NULL),
        tmap_protocol_design(&far, &designed), tmap_protocol_design(&odd, &designed),
        tmap_protocol_design(&deep, &designed), BUDGET(NULL, &pipeline, &budget, &found),
        BUDGET(&checker, NULL, &budget, &found), BUDGET(&checker, &pipeline, NULL, &found),
        BUDGET(&checker, &pipeline, &budget, NULL), BUDGET(&checker, &empty, &budget, &found),
        BUDGET(&checker, &absent, &budget, &found),
        tmap_pipeline_budget(&checker, &pipeline, &budget, NULL, 1, NULL, 0, &found),
        tmap_pipeline_budget(&checker, &pipeline, &budget, NULL, 0, NULL, 1, &found),
        tmap_pipeline_nearest(NULL, &pipeline, &box), tmap_pipeline_nearest(&checker, NULL, &box),
        tmap_pipeline_nearest(&checker, &pipeline, NULL),
        tmap_pipeline_nearest(&checker, &wide, &box),
        tmap_pipeline_designs(NULL, &pipeline, 2, designs, &found),
        tmap_pipeline_designs(&checker, NULL, 2, designs, &found),
        tmap_pipeline_designs(&checker, &pipeline, 2, NULL, &found),
        tmap_pipeline_designs(&checker, &pipeline, 2, designs, NULL),
        tmap_pipeline_designs(&checker, &pipeline, 0, designs, &found),
        tmap_pipeline_designs(&checker, &empty, 2, designs, &found),
        tmap_pipeline_designs(&checker, &absent, 2, designs, &found));
    EXPECT_MARKED(designed);
    EXPECT_MARKED(result);
    EXPECT_MARKED(designs);
    EXPECT_MARKED(box);
    EXPECT_MARKED(budget);
    EXPECT_MARKED(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles),   cmocka_unit_test(ranks),
        cmocka_unit_test(repairs), cmocka_unit_test(configurations),
        cmocka_unit_test(spaces),  cmocka_unit_test(places),
        cmocka_unit_test(texts),   cmocka_unit_test(protocols_and_pipelines)};
    return cmocka_run_group_tests_name("arguments of solve.h", tests, prepare, NULL);
}
