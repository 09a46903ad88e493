/* What the GEMM host side decides without a GPU: configurations, descriptors, refusals. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../support/gemm_suite.h"

static const struct tmap_gemm_config nothing;

static void every_choice_has_legal_maps(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {{1, 1, 1},       {17, 33, 65},       {128, 256, 64},
                                       {1, 8192, 8192}, {4096, 4096, 4096}, {3, 1000003, 7}};
    struct tmap_gemm *suite = pretend();
    size_t seen = 0;
    for (int32_t kind = 0; kind <= GEMM_S8; kind++) /* Hopper's */
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct gemm_choice choices[GEMM_MAX_CHOICES];
            const struct tmap_gemm_problem p = product(kind, sizes[i][0], sizes[i][1], sizes[i][2]);
            size_t n = gemm_enumerate(suite, &p, &nothing, choices, GEMM_MAX_CHOICES);
            assert_in_range(n, 1, GEMM_MAX_CHOICES);
            for (size_t j = 0; j < n; j++, seen++) {
                struct tmap_desc desc[3];
                struct tmap_gemm_refusal refusal = {0};
                const struct tmap_gemm_config *c = &choices[j].config;
                const struct gemm_view view = gemm_view_of(&p, c->swapped > 0);
                const int32_t sharers[3] = {c->cluster_n, c->cluster_m, 1};
                gemm_describe(&view, &choices[j], desc);
                for (int d = 0; d < 3; d++)
                    if (gemm_check(suite, &desc[d], "ABD"[d], sharers[d], &refusal) != TMAP_OK)
                        fail_msg("%s: %s", choices[j].instance->name, refusal.text);
                assert_true(choices[j].smem_bytes <= suite->smem_optin_bytes);
            }
        }
    assert_true(seen > 1000);
}

/* The bytes that a stage's barrier expects are the tx bytes of the maps that fill it, in every
 * order of the operands. */
static void stage_bytes_are_the_maps_tx_bytes(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    for (int majors = 0; majors < 4; majors++) {
        struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 4096, 4096, 4096);
        p.a.mn_major = majors & 1;
        p.b.mn_major = majors & 2;
        size_t n = gemm_enumerate(suite, &p, &nothing, choices, GEMM_MAX_CHOICES);
        assert_in_range(n, 20, GEMM_MAX_CHOICES);
        for (size_t j = 0; j < n; j++) {
            struct tmap_desc desc[3];
            const struct tmap_gemm_config *c = &choices[j].config;
            const struct gemm_view view = gemm_view_of(&p, c->swapped > 0);
            gemm_describe(&view, &choices[j], desc);
            assert_int_equal(
                gemm_operand_tx_bytes(suite, &desc[0], view.a.mn_major, c->tile_m, c->cluster_n) +
                    gemm_operand_tx_bytes(suite, &desc[1], view.b.mn_major,
                                          gemm_b_rows(choices[j].instance), c->cluster_m),
                gemm_stage_bytes(choices[j].instance));
        }
    }
}

/* Of few rows and columns a kernel is left, whichever order the operands have: a tile is a waste
 * only where there is a smaller one. */
static void few_rows_and_columns_have_a_plan(void **state)
{
    static const int32_t extents[] = {1, 2, 15, 17, 31, 33, 65, 129};
    enum { N = sizeof extents / sizeof extents[0] };
    (void)state;
    struct tmap_gemm *suite = pretend();
    for (int i = 0; i < 4 * N * N; i++) {
        struct tmap_gemm_problem p =
            product(TMAP_GEMM_BF16, extents[i / 4 % N], extents[i / 4 / N], 3);
        struct gemm_choice choice;
        p.out = TMAP_GEMM_OUT_F32;
        p.a.mn_major = i & 1;
        p.b.mn_major = i & 2;
        if (gemm_enumerate(suite, &p, &nothing, &choice, 1) == 0)
            fail_msg("%d x %d, majors %d%d", p.m, p.n, p.a.mn_major, p.b.mn_major);
    }
}

/* What is asked for is planned though it is a waste. */
static void a_waste_may_be_asked_for(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    const struct tmap_gemm_config turns = {.pingpong = 1}, pair = {.cluster_n = 2};
    struct gemm_choice choice;
    for (int majors = 0; majors < 4; majors++) {
        struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 24, 65536, 4096);
        p.a.mn_major = majors & 1;
        p.b.mn_major = majors & 2;
        assert_true(gemm_enumerate(suite, &p, &turns, &choice, 1) > 0);
        assert_true(gemm_enumerate(suite, &p, &pair, &choice, 1) > 0);
    }
}

/* Three boxes of an operand by rows of M or N may be two blocks' to load. */
static void uneven_boxes_are_shared(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 4096, 4096, 4096);
    p.a.mn_major = p.b.mn_major = true;
    struct gemm_choice choice;
    const struct tmap_gemm_config high = {.tile_m = 192, .tile_n = 192, .cluster_n = 2},
                                  wide = {.tile_m = 192, .tile_n = 192, .cluster_m = 2},
                                  many = {.tile_m = 192, .tile_n = 192, .cluster_m = 4};
    assert_true(gemm_enumerate(suite, &p, &high, &choice, 1) > 0);
    assert_true(gemm_enumerate(suite, &p, &wide, &choice, 1) > 0);
    assert_int_equal(gemm_enumerate(suite, &p, &many, &choice, 1), 0); /* one would load none */
}

/* An operand of fewer rows than a tile is loaded in boxes of its own height, unless shared. */
static void a_short_operand_fills_no_rows(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 5, 4096, 4096);
    const size_t n = gemm_enumerate(suite, &p, &nothing, choices, GEMM_MAX_CHOICES);
    size_t alone = 0;
    assert_in_range(n, 20, GEMM_MAX_CHOICES);
    for (size_t j = 0; j < n; j++) {
        struct tmap_desc desc[3];
        const struct tmap_gemm_config *c = &choices[j].config;
        const struct gemm_view view = gemm_view_of(&p, c->swapped > 0);
        const int32_t sharers[2] = {c->cluster_n, c->cluster_m}, is_b = c->swapped > 0;
        gemm_describe(&view, &choices[j], desc);
        if (sharers[is_b] > 1) continue;
        alone++;
        assert_int_equal(desc[is_b].box[1], 5);
        assert_int_equal(gemm_operand_tx_bytes(suite, &desc[is_b], false, 64, 1), 5 * 128);
    }
    assert_true(alone > 10);
}

static bool deep(const struct gemm_choice *choice)
{
    return choice->config.split_k > 1 && choice->config.stream_k > 0;
}

/* Few tiles of a long K are shared by as many clusters as fit, evenly, and all run at once. */
static void a_deep_split_fills_the_device(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 128, 128, 65536);
    const size_t n = gemm_enumerate(suite, &p, &nothing, choices, GEMM_MAX_CHOICES);
    int32_t widest = 0;
    assert_in_range(n, 20, GEMM_MAX_CHOICES);
    for (size_t j = 0; j < n; j++) {
        const struct tmap_gemm_config *c = &choices[j].config;
        if (!deep(&choices[j])) continue;
        assert_int_equal(c->clusters % c->stream_k, 0);
        assert_in_range(c->clusters, 2 * c->stream_k, suite->resident[c->split_k]);
        if (c->clusters * c->split_k > widest) widest = c->clusters * c->split_k;
    }
    assert_in_range(widest, 128, 132);
}

/* So are those that blocks of a cluster share without a split, each cluster by one stretch of K;
 * clusters of four and more share tiles in no other way. */
static void few_tiles_are_shared_evenly(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 320, 1328, 18600);
    const size_t n = gemm_enumerate(suite, &p, &nothing, choices, GEMM_MAX_CHOICES);
    size_t large = 0, uneven = 0;
    for (size_t j = 0; j < n && j < GEMM_MAX_CHOICES; j++) {
        const struct tmap_gemm_config *c = &choices[j].config;
        if (c->stream_k <= 0 || c->split_k > 1) continue;
        const struct gemm_view view = gemm_view_of(&p, c->swapped > 0);
        struct gemm_params params = {0};
        gemm_fill_params(suite, &view, &choices[j], &p, &params);
        const bool even = c->stream_k == params.total && c->clusters % c->stream_k == 0;
        const bool four = c->cluster_m * c->cluster_n >= 4;
        assert_int_equal(params.deep, even ? c->clusters / c->stream_k : 1);
        if (even && params.deep > 1)
            assert_int_equal(params.deep * params.stream_share + params.stream_rest,
                             params.k_blocks);
        assert_true(even || !four);
        large += four && params.deep > 1;
        uneven += !even;
    }
    assert_in_range(large, 5, n);
    assert_in_range(uneven, 5, n);
}

/* Few tiles of a long K are looked at in both orientations: with the long side of D along the rows
 * a split reads half of what it reads the other way (1 x 248 x 64072: 14 us and 28). */
static void few_tiles_of_a_long_k_may_lie_either_way(void **state)
{
    (void)state;
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 1, 248, 64072);
    const size_t n = gemm_enumerate(pretend(), &p, &nothing, choices, GEMM_MAX_CHOICES);
    size_t swapped = 0;
    for (size_t j = 0; j < n; j++) swapped += choices[j].config.swapped > 0;
    assert_in_range(swapped, 1, n - 1);
}

/* The words that go to the device decode to the descriptor that was checked. */
static void the_map_is_the_descriptor(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    struct gemm_choice choice;
    struct tmap_desc desc[3];
    struct gemm_map map;
    struct tmap_map words;
    const struct tmap_gemm_problem p = product(TMAP_GEMM_E4M3, 300, 500, 700);
    assert_true(gemm_enumerate(suite, &p, &nothing, &choice, 1) > 0);
    const struct gemm_view view = gemm_view_of(&p, choice.config.swapped > 0);
    gemm_describe(&view, &choice, desc);
    assert_int_equal(gemm_encode(suite, &desc[0], &map), TMAP_OK);
    assert_int_equal(tmap_encode(&suite->checker, &desc[0], &words), TMAP_OK);
    assert_memory_equal(&map, &words, sizeof words);
    assert_true(words.word[0] == desc[0].address);
    desc[0].stride_bytes[0] = 8;
    assert_int_equal(gemm_encode(suite, &desc[0], &map), TMAP_E_ILLEGAL);
}

static void costs_are_sorted(void **state)
{
    (void)state;
    struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_problem p = product(TMAP_GEMM_F16, 512, 8192, 8192);
    size_t n = gemm_enumerate(pretend(), &p, &nothing, choices, GEMM_MAX_CHOICES);
    assert_true(n > 20 && n <= GEMM_MAX_CHOICES);
    for (size_t i = 1; i < n; i++) assert_true(choices[i - 1].cost_us <= choices[i].cost_us);
    struct gemm_choice best;
    assert_in_range(gemm_enumerate(pretend(), &p, &nothing, &best, 1), 1, n);
    assert_memory_equal(&best.config, &choices[0].config, sizeof best.config);
}

/* Asking for one passes over what cannot be it, and over nothing else: also of batches, with an
 * epilogue, and where a request names how many clusters run, which the bounds do not know. */
static void the_first_is_found_without_the_others(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    struct gemm_choice best;
    for (uint32_t i = 0; i < 300; i++) {
        const uint32_t mix = i * 2654435761u;
        struct tmap_gemm_problem p =
            product((int32_t)(i % (GEMM_S8 + 1)), 1 + (int32_t)(mix >> (16 + i % 13)),
                    16 << (mix >> 3) % 11, 16 << (mix >> 7) % 12);
        if (i == 0) p = product(TMAP_GEMM_BF16, 1, 8, 368); /* whose bound the promise moved */
        p.b_ready = i % 4 == 0;
        if (i % 5 == 1 && !p.b_ready) p.batch = 1 + (int32_t)(mix >> 5) % 6;
        if (i % 5 == 2 && !p.b_ready && p.kind <= TMAP_GEMM_F16)
            p.epilogue.activation = TMAP_GEMM_RELU;
        if (i % 5 > 2 && !p.b_ready && p.kind <= TMAP_GEMM_F16)
            p.a.mn_major = mix >> 1 & 1, p.b.mn_major = mix >> 2 & 1;
        const struct tmap_gemm_config named = {.clusters = 1 + (int32_t)(mix >> 9) % 66};
        const struct tmap_gemm_config *const requests[] = {&nothing, &named};
        for (int j = 0; j < 2; j++) {
            const size_t all = gemm_enumerate(suite, &p, requests[j], choices, GEMM_MAX_CHOICES);
            assert_true(all > 0 || j == 1);
            assert_int_equal(gemm_enumerate(suite, &p, requests[j], &best, 1) > 0, all > 0);
            if (all > 0) assert_true(best.cost_us == choices[0].cost_us);
        }
    }
}

/* Of two ways to deal out the same tiles by k-blocks, the one that uses fewer clusters may come. */
static bool same_config(const struct tmap_gemm_config *x, const struct tmap_gemm_config *y)
{
    return x->tile_m == y->tile_m && x->tile_n == y->tile_n && x->stages == y->stages &&
           x->cluster_m == y->cluster_m && x->cluster_n == y->cluster_n &&
           x->split_k == y->split_k && x->swapped == y->swapped && x->stream_k == y->stream_k &&
           x->pingpong == y->pingpong && x->store_warp == y->store_warp && x->direct == y->direct &&
           x->panels == y->panels;
}

/* What the tuner times is what it says: no request may give a better one of another kind. */
static void a_choice_taken_as_a_request_gives_itself(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {{17, 33, 65}, {16, 8192, 8192}, {1000, 3000, 2048}};
    struct tmap_gemm *suite = pretend();
    for (int32_t kind = 0; kind <= GEMM_S8; kind++) /* Hopper's */
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct gemm_choice choices[GEMM_MAX_CHOICES], again;
            const struct tmap_gemm_problem p = product(kind, sizes[i][0], sizes[i][1], sizes[i][2]);
            const size_t n = gemm_enumerate(suite, &p, &nothing, choices, GEMM_MAX_CHOICES);
            for (size_t j = 0; j < n; j++) {
                assert_true(gemm_enumerate(suite, &p, &choices[j].config, &again, 1) > 0);
                if (!same_config(&choices[j].config, &again.config))
                    fail_msg("%s, cluster %d x %d, split_k %d, stream_k %d",
                             choices[j].instance->name, choices[j].config.cluster_m,
                             choices[j].config.cluster_n, choices[j].config.split_k,
                             choices[j].config.stream_k);
            }
        }
}

/* Sixteen rows leave most of a tile of 64 empty, and that is the lowest there is. */
static void few_rows_take_low_tiles(void **state)
{
    (void)state;
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_config request = {.swapped = -1};
    struct tmap_gemm_problem p = product(TMAP_GEMM_E4M3, 16, 8192, 8192);
    for (int precise = 0; precise < 2; precise++) {
        p.precise = precise;
        const size_t count = gemm_enumerate(pretend(), &p, &request, choices, GEMM_MAX_CHOICES);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) assert_int_equal(choices[i].config.tile_m, 64);
    }
}

static void a_bad_stride_is_refused_by_its_row(void **state)
{
    (void)state;
    struct tmap_gemm *suite = pretend();
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 64, 64, 60);
    struct gemm_choice choice;
    struct tmap_desc desc[3];
    struct tmap_gemm_refusal refusal = {0};
    p.a.ld = 60; /* 120 bytes: not a multiple of 16 */
    assert_true(gemm_enumerate(suite, &p, &nothing, &choice, 1) > 0);
    const struct gemm_view view = gemm_view_of(&p, choice.config.swapped > 0);
    gemm_describe(&view, &choice, desc);
    const int bad = choice.config.swapped > 0 ? 1 : 0;
    assert_int_equal(gemm_check(suite, &desc[bad], 'A', 1, &refusal), TMAP_E_ILLEGAL);
    assert_int_equal(refusal.operand, 'A');
    assert_string_equal(tmap_row_name(refusal.violation.row), "stride_multiple_16");
    assert_non_null(strstr(refusal.text, tmap_row_id(refusal.violation.row)));
}

/* A warp of its own stores whole rows by the copy engine; the rest is left to who has the sums. */
static void a_warp_stores_what_the_engine_can(void **state)
{
    (void)state;
    struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_config never = {.store_warp = -1};
    struct tmap_gemm *suite = pretend();
    for (int32_t n = 4096; n >= 4095; n--) { /* 4095: whichever way D lies, its rows end oddly */
        const struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, n, n, 4096);
        size_t with = 0, count = gemm_enumerate(suite, &p, &nothing, choices, GEMM_MAX_CHOICES);
        for (size_t i = 0; i < count; i++) {
            const struct tmap_gemm_config *c = &choices[i].config;
            const bool may = n % 8 == 0 && c->tile_m < 192 && c->split_k == 1 && c->direct < 0 &&
                             c->pingpong < 0;
            assert_int_equal(c->store_warp, may ? 1 : -1);
            with += may;
        }
        assert_true(n % 8 ? with == 0 : with > 0);
        count = gemm_enumerate(suite, &p, &never, choices, GEMM_MAX_CHOICES);
        for (size_t i = 0; i < count; i++) assert_int_equal(choices[i].config.store_warp, -1);
    }
}

/* Of a pingpong's configurations, those with a tile of so many rows and columns. */
static int pingpongs(const struct tmap_gemm_problem *p, int32_t tile_m, int32_t tile_n)
{
    struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_config request = {.tile_m = tile_m, .tile_n = tile_n, .pingpong = 1};
    struct tmap_gemm *suite = pretend();
    const size_t n = gemm_enumerate(suite, p, &request, choices, GEMM_MAX_CHOICES);
    for (size_t i = 0; i < n; i++) {
        const struct tmap_gemm_config *c = &choices[i].config;
        const struct gemm_view view = gemm_view_of(p, c->swapped > 0);
        struct tmap_desc desc[3];
        assert_true(c->pingpong == 1 && c->split_k == 1 && c->stream_k == -1);
        assert_int_equal(gemm_threads(choices[i].instance), 384);
        assert_true(choices[i].smem_bytes <= suite->smem_optin_bytes);
        gemm_describe(&view, &choices[i], desc);
        assert_int_equal(
            gemm_operand_tx_bytes(suite, &desc[0], view.a.mn_major, c->tile_m, c->cluster_n) +
                gemm_operand_tx_bytes(suite, &desc[1], view.b.mn_major,
                                      gemm_b_rows(choices[i].instance), c->cluster_m),
            gemm_stage_bytes(choices[i].instance));
    }
    return (int)n;
}

/* Two tiles at a time: whole, not promoted; the one with the most sums has no room for C. */
static void a_pingpong_sums_whole_tiles(void **state)
{
    (void)state;
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 4096, 4096, 512);
    assert_true(pingpongs(&p, 128, 128) > 4 && pingpongs(&p, 128, 192) > 2);
    p.beta = 1;
    assert_true(pingpongs(&p, 128, 128) > 4 && pingpongs(&p, 128, 192) == 0);
    p.a.mn_major = p.b.mn_major = true;
    assert_true(pingpongs(&p, 128, 128) > 2 && pingpongs(&p, 128, 192) == 0);
    p.beta = 0, p.a.mn_major = false;
    assert_true(pingpongs(&p, 128, 128) > 2 && pingpongs(&p, 128, 192) > 2);
    assert_true(pingpongs(&p, 128, 160) > 2); /* of A by rows of M, exchanged */
    p = product(TMAP_GEMM_E4M3, 4096, 4096, 512);
    assert_true(pingpongs(&p, 128, 192) > 2);
    p.precise = true;
    assert_int_equal(pingpongs(&p, 0, 0), 0);
}

/* D by columns, which the exchanged product writes, fits beside the most sums, not beside the steps
 * of an epilogue as well. */
static void a_pingpong_writes_columns(void **state)
{
    (void)state;
    struct gemm_choice first;
    struct tmap_gemm_config request = {.tile_n = 192, .swapped = 1, .pingpong = 1};
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 275, 41704, 3552);
    p.out = TMAP_GEMM_OUT_BF16;
    assert_true(gemm_enumerate(pretend(), &p, &request, &first, 1) > 0);
    p.epilogue.row_scale = 4096;
    assert_int_equal(gemm_enumerate(pretend(), &p, &request, &first, 1), 0);
    request.tile_n = 128;
    assert_true(gemm_enumerate(pretend(), &p, &request, &first, 1) > 0);
}

/* A second output, which it stores the straight way alone: rows of whole 16 bytes of 16-bit D. */
static void the_widest_pingpong_stores_a_second_output(void **state)
{
    (void)state;
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 4096, 4096, 512);
    p.out = TMAP_GEMM_OUT_BF16, p.epilogue.second.address = 4096;
    p.epilogue.row_scale = 4096; /* more than a bias and an activation */
    assert_true(pingpongs(&p, 128, 192) > 2);
    p.n = 4095;
    assert_true(pingpongs(&p, 128, 128) > 2 && pingpongs(&p, 128, 192) == 0);
    p.n = 4096, p.out = TMAP_GEMM_OUT_F32;
    assert_true(pingpongs(&p, 128, 128) > 2 && pingpongs(&p, 128, 192) == 0);
}

/* Where rows of D end inside a sector of 32 bytes, single blocks walk along N first; where a tile
 * has two k-blocks or one, all do. */
static void neighbours_write_a_sector_together(void **state)
{
    (void)state;
    static const struct {
        int32_t n, k, cluster_m, group;
    } cases[] = {{21304, 192, 1, 1}, {21312, 192, 1, 16}, {21304, 192, 2, 8},
                 {21312, 128, 1, 1}, {21304, 64, 2, 1},   {21312, 136, 2, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gemm_choice first;
        struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 5192, cases[i].n, cases[i].k);
        const struct tmap_gemm_config request = {.tile_m = 128,
                                                 .tile_n = 192,
                                                 .cluster_m = cases[i].cluster_m,
                                                 .cluster_n = 1,
                                                 .swapped = -1,
                                                 .apart = -1};
        p.out = TMAP_GEMM_OUT_BF16;
        p.d.ld = p.n;
        assert_true(gemm_enumerate(pretend(), &p, &request, &first, 1) > 0);
        assert_int_equal(first.config.group, cases[i].group);
    }
}

/* Where D is most of the traffic, and every second row begins inside a sector, even and odd rows
 * are tiled apart: not where C is read, K is long, or D begins inside a sector or is asked for by
 * columns; nor an odd number of rows of a small D. */
static void torn_rows_are_tiled_apart(void **state)
{
    (void)state;
    static const struct {
        int32_t m, k, ld;
        float beta;
        uint64_t at;
        bool columns, apart;
    } cases[] = {
        {30336, 64, 16664, 0, 0, false, true},   {30336, 64, 16672, 0, 0, false, false},
        {30336, 64, 16664, 1, 0, false, false},  {30336, 2048, 16664, 0, 0, false, false},
        {30336, 64, 16664, 0, 16, false, false}, {30336, 64, 30344, 0, 0, true, false},
        {30336, 128, 16664, 0, 0, false, true},  {30336, 136, 16664, 0, 0, false, false},
        {30337, 64, 16664, 0, 0, false, true},   {4096, 64, 16664, 0, 0, false, true},
        {4097, 64, 16664, 0, 0, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gemm_choice first;
        struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, cases[i].m, 16664, cases[i].k);
        p.out = TMAP_GEMM_OUT_BF16;
        p.d.ld = cases[i].ld;
        p.d.mn_major = cases[i].columns;
        p.d.address = cases[i].at;
        p.beta = cases[i].beta;
        assert_true(gemm_enumerate(pretend(), &p, &nothing, &first, 1) > 0);
        assert_int_equal(first.config.apart > 0, cases[i].apart);
    }
}

/* A column-major B's first column moves by half a sector of D: 16 bytes of both, or not at all. */
static void columns_of_b_move_by_whole_pieces(void **state)
{
    (void)state;
    for (int32_t wide = 0; wide < 2; wide++) {
        struct gemm_choice first;
        const struct tmap_gemm_config request = {.apart = 1};
        struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 529, wide ? 772 : 776, 64);
        p.out = wide ? TMAP_GEMM_OUT_F32 : TMAP_GEMM_OUT_BF16;
        p.d.ld = p.n;
        p.b.mn_major = true;
        assert_true(gemm_enumerate(pretend(), &p, &request, &first, 1) > 0);
        assert_int_equal(first.config.apart > 0, !wide);
    }
}

/* A request for it is met by kernels that can. */
static void rows_are_apart_where_they_can_be(void **state)
{
    (void)state;
    struct gemm_choice first;
    struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, 300, 264, 4096);
    p.out = TMAP_GEMM_OUT_BF16;
    p.d.ld = p.n;
    for (int32_t tile_n = 128; tile_n <= 136; tile_n += 8) {
        const struct tmap_gemm_config request = {.tile_n = tile_n, .apart = 1};
        assert_true(gemm_enumerate(pretend(), &p, &request, &first, 1) > 0);
        assert_int_equal(first.config.apart, tile_n == 128 ? 1 : -1);
    }
}

/* The odd rows' map begins a row before D where there is one row less of them. */
static void odd_rows_have_a_map_of_their_own(void **state)
{
    (void)state;
    for (int32_t m = 300; m <= 301; m++) {
        struct gemm_choice choice;
        struct gemm_params params = {0};
        struct tmap_desc desc[3];
        struct tmap_gemm_problem p = product(TMAP_GEMM_BF16, m, 264, 64);
        const struct tmap_gemm_config request = {.tile_m = 128, .tile_n = 128, .apart = 1};
        p.out = TMAP_GEMM_OUT_BF16;
        p.a.address = p.d.address = 1 << 20;
        p.a.ld = 64, p.d.ld = p.n;
        assert_true(gemm_enumerate(pretend(), &p, &request, &choice, 1) > 0);
        const struct gemm_view view = gemm_view_in(&p, &choice);
        gemm_describe(&view, &choice, desc);
        assert_int_equal(desc[0].address, p.a.address - (m % 2 ? 64 * 2 : 0));
        assert_int_equal(desc[2].address, p.d.address - (m % 2 ? 264 * 2 : 0));
        assert_int_equal(desc[2].dim[1], (m + 1) / 2);
        assert_int_equal(desc[2].stride_bytes[0], 2 * 264 * 2);
        gemm_describe_first(&view, 128, &desc[2]);
        assert_int_equal(desc[2].dim[0], 120);
        gemm_fill_params(pretend(), &view, &choice, &p, &params);
        assert_int_equal(params.odd_left, 8);
        assert_int_equal(params.odd_first, m % 2);
    }
}

static void without_a_gpu_opening_says_why(void **state)
{
    (void)state;
    struct tmap_gemm *suite = NULL;
    char why[160] = "";
    enum tmap_status status = tmap_gemm_open(NULL, &suite, why, sizeof why);
    if (status == TMAP_OK)
        tmap_gemm_close(suite);
    else
        assert_true(suite == NULL && why[0] != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_has_legal_maps),
        cmocka_unit_test(stage_bytes_are_the_maps_tx_bytes),
        cmocka_unit_test(few_rows_and_columns_have_a_plan),
        cmocka_unit_test(a_waste_may_be_asked_for),
        cmocka_unit_test(uneven_boxes_are_shared),
        cmocka_unit_test(a_short_operand_fills_no_rows),
        cmocka_unit_test(a_deep_split_fills_the_device),
        cmocka_unit_test(few_tiles_are_shared_evenly),
        cmocka_unit_test(few_tiles_of_a_long_k_may_lie_either_way),
        cmocka_unit_test(the_map_is_the_descriptor),
        cmocka_unit_test(costs_are_sorted),
        cmocka_unit_test(the_first_is_found_without_the_others),
        cmocka_unit_test(a_choice_taken_as_a_request_gives_itself),
        cmocka_unit_test(few_rows_take_low_tiles),
        cmocka_unit_test(a_warp_stores_what_the_engine_can),
        cmocka_unit_test(a_bad_stride_is_refused_by_its_row),
        cmocka_unit_test(a_pingpong_sums_whole_tiles),
        cmocka_unit_test(a_pingpong_writes_columns),
        cmocka_unit_test(the_widest_pingpong_stores_a_second_output),
        cmocka_unit_test(neighbours_write_a_sector_together),
        cmocka_unit_test(torn_rows_are_tiled_apart),
        cmocka_unit_test(columns_of_b_move_by_whole_pieces),
        cmocka_unit_test(rows_are_apart_where_they_can_be),
        cmocka_unit_test(odd_rows_have_a_map_of_their_own),
        cmocka_unit_test(without_a_gpu_opening_says_why),
    };
    return cmocka_run_group_tests_name("gemm_choose", tests, NULL, NULL);
}
