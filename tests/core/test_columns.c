/* tmap_check_columns() says of every descriptor what tmap_verdict_of() says of it alone: a million
 * of them, drawn near every row's bounds, of all kinds and ranks, in tables of which any subset of
 * the members are columns, over targets that sources cover and that none does, under every
 * contract, and with each processor's vectors that this one has. */
#include "../../bench/columns.h"
#include "driver/rng.h"
#include "support/vectors.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define OF_A_ROW 32u
#define POOL (OF_A_ROW * SUBJECT_DESC_END)
#define MOST 5000 /* of a table; some are past the number from which rows are folded */
#define DRAWN 1000000ul

static const char *const targets[][4] = {
    {"13.0", NULL, NULL, "sm_90a"},   {"12.0", NULL, NULL, "sm_90"},
    {"12.8", NULL, NULL, "sm_100a"},  {"13.5", NULL, NULL, "sm_120f"},
    {"12.6", "8.7", "570", "sm_90a"}, {"13.4", NULL, NULL, "sm_107"},
    {"12.4", NULL, NULL, "sm_90a"},   {"13.0", NULL, "9999", "sm_90a"}, /* of the last: unknown */
};
#define TARGETS (sizeof targets / sizeof targets[0])

static struct tmap_desc pool[POOL], table[MOST];
static enum tmap_verdict said[MOST];

static struct tmap_checker checker_drawn(uint64_t *s)
{
    struct tmap_target t;
    struct tmap_checker c;
    const char *const *text = targets[rng_step(s) % TARGETS];
    assert_int_equal(tmap_target_from(text[0], text[1], text[2], text[3], &t), TMAP_OK);
    assert_int_equal(tmap_checker_prepare(&t, (enum tmap_contract)(rng_step(s) % 4), &c), TMAP_OK);
    return c;
}

static void make_pool(void)
{
    struct vector v;
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++) {
        const struct vector_plan plan = vector_plan_of(row);
        for (uint32_t k = 0; k < OF_A_ROW; k++) {
            vector_make(&plan, k, &v);
            pool[row * OF_A_ROW + k] = v.desc;
        }
    }
}

static const struct tmap_desc *drawn(uint64_t *s)
{
    return &pool[rng_step(s) % POOL];
}

/* A table: one descriptor of the pool, half of them legal as they stand, and members of others. */
static size_t make_table(uint64_t *s)
{
    const size_t n = rng_step(s) % 16 ? 1 + rng_step(s) % 300 : MOST;
    const uint64_t often = 1 + rng_step(s) % 64;
    table[0] = rng_step(s) % 2 ? *drawn(s) : pool[rng_step(s) % SUBJECT_DESC_END * OF_A_ROW];
    for (size_t i = 1; i < n; i++) {
        table[i] = table[0];
#define ONE(word, member, type)                                                                    \
    if (rng_step(s) % 64 < often) table[i].member = drawn(s)->member;
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++)                                                              \
        if (rng_step(s) % 64 < often) table[i].member[j] = drawn(s)->member[j];
        if (rng_step(s) % 4 == 0) {
            COLUMNS(ONE, MANY)
        }
#undef ONE
#undef MANY
    }
    return n;
}

/* Members that are no column from here on: each descriptor has the first's. */
static void drop_columns(struct table *t, uint64_t *s)
{
#define ONE(word, member, type)                                                                    \
    if (rng_step(s) % 4 == 0) DROP(t->column.member, member, type)
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++)                                                              \
        if (rng_step(s) % 4 == 0) DROP(t->column.member[j], member[j], type)
#define DROP(column, value, type)                                                                  \
    {                                                                                              \
        free((type *)(uintptr_t)(column));                                                         \
        (column) = NULL;                                                                           \
        for (size_t i = 1; i < t->n; i++) table[i].value = table[0].value;                         \
    }
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
#undef DROP
}

static void same_as_alone(const struct tmap_checker *c, const enum tmap_verdict *verdicts, size_t n,
                          unsigned long count[3])
{
    for (size_t i = 0; i < n; i++) {
        const enum tmap_verdict alone = tmap_verdict_of(c, &table[i]);
        if (verdicts[i] != alone)
            fail_msg("descriptor %zu of %zu, kind %d, rank %u: %d, alone %d", i, n, table[i].kind,
                     table[i].rank, verdicts[i], alone);
        count[alone]++;
    }
}

static void every_verdict_is_the_one_alone(void **state)
{
    (void)state;
    uint64_t s = 20;
    unsigned long count[3] = {0}, asked = 0, fitting = 0;
    make_pool();
    while (count[0] + count[1] + count[2] < DRAWN) {
        struct table t;
        size_t one_by_one = MOST + 1;
        const struct tmap_checker c = checker_drawn(&s);
        table_make(table, make_table(&s), &t);
        drop_columns(&t, &s);
        assert_int_equal(tmap_check_columns(&c, &t.column, t.n, said, &one_by_one), TMAP_OK);
        same_as_alone(&c, said, t.n, count);
        if (columns_fit(&c, &t.column.common)) asked += one_by_one, fitting += t.n;
        table_free(&t);
    }
    print_message(
        "%lu legal, %lu illegal, %lu unknown; one by one %lu of the %lu in tables that fit\n",
        count[TMAP_LEGAL], count[TMAP_ILLEGAL], count[TMAP_UNKNOWN], asked, fitting);
    for (int v = 0; v < 3; v++) assert_true(count[v] > DRAWN / 100);
    assert_true(fitting > DRAWN / 2);
}

static void every_processor_says_the_same(void **state)
{
    (void)state;
    uint64_t s = 18;
    make_pool();
    for (int isa = 0; isa < COLUMNS_ISAS; isa++) {
        columns_rows *rows = columns_rows_of((enum columns_isa)isa);
        unsigned long count[3] = {0};
        if (rows == NULL) {
            print_message("vectors %d: not this processor's\n", isa);
            continue;
        }
        while (count[TMAP_LEGAL] < DRAWN / 20 || count[TMAP_ILLEGAL] < DRAWN / 10) {
            struct table t;
            const struct tmap_checker c = checker_drawn(&s);
            table_make(table, make_table(&s), &t);
            drop_columns(&t, &s);
            if (columns_fit(&c, &t.column.common)) {
                columns_check(rows, &c, &t.column, t.n, said);
                same_as_alone(&c, said, t.n, count);
            }
            table_free(&t);
        }
    }
}

/* A block of one kind and rank: what is drawn near the rows' bounds, of any kind and rank, taken as
 * of these. */
static void make_block(enum tmap_kind kind, uint32_t rank, uint64_t *s)
{
    for (int k = 0; k < COLUMNS_BLOCK; k++) {
        table[k] = k % 2 ? *drawn(s) : pool[rng_step(s) % SUBJECT_DESC_END * OF_A_ROW];
        table[k].kind = kind;
        table[k].rank = rank;
        table[k].flags = 0;
    }
}

/* Two values at most of each enumeration, so that rows about others are passed over. */
static void hold_few_values(uint64_t *s)
{
    const struct tmap_desc a = table[rng_step(s) % COLUMNS_BLOCK],
                           b = table[rng_step(s) % COLUMNS_BLOCK];
    for (int k = 0; k < COLUMNS_BLOCK; k++) {
        const uint64_t bits = rng_step(s) >> 32;
        table[k].dtype = bits & 1 ? a.dtype : b.dtype;
        table[k].interleave = bits & 2 ? a.interleave : b.interleave;
        table[k].swizzle = bits & 4 ? a.swizzle : b.swizzle;
        table[k].oob_fill = bits & 8 ? a.oob_fill : b.oob_fill;
    }
}

/* Whether a descriptor violates one row, or any, of those that decide; -1: what the row needs does
 * not hold, so that nothing is said of it. */
static int native_says(const struct tmap_target *target, const struct tmap_desc *d, tmap_row only)
{
    const struct derived none = {0};
    const struct subject s = {.target = target, .desc = d, .derived = &none};
    if (only != ROW_COUNT) {
        if (row_table[only].effect != EFFECT_VIOLATION) return 0; /* it only advises */
        for (const tmap_row *n = row_table[only].needs; *n != ROW_END; n++)
            if (row_native(*n, &s)) return -1;
        return row_native(only, &s) != 0;
    }
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++)
        if (row_table[row].effect == EFFECT_VIOLATION && row_native(row, &s)) return 1;
    return 0;
}

/* The block's verdicts by the rows with a class; the row, or ROW_COUNT for any. */
static void hold_to(columns_rows *rows, bool every, tmap_row only, uint64_t *compared)
{
    uint8_t class[SUBJECT_DESC_END] = {0};
    const struct tmap_target target = tmap_default_target();
    struct columns_bad bad;
    struct table t;
    table_make(table, COLUMNS_BLOCK, &t);
    struct columns_view view = {.target = target,
                                .kind = table[0].kind,
                                .rank = table[0].rank,
                                .flags = table[0].flags,
                                .map_address = table[0].map_address,
                                .column = &t.column,
                                .every = every,
                                .of_all = CLASS_NOTHING,
                                .class = class};
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++)
        if (row == only || (only == ROW_COUNT && row_table[row].effect == EFFECT_VIOLATION))
            class[row] = CLASS_DECIDES;
    columns_narrow(&view);
    rows(&view, &bad, said);
    for (int k = 0; k < COLUMNS_BLOCK; k++) {
        const int native = native_says(&target, &table[k], only);
        if (native >= 0 && native != (said[k] == TMAP_ILLEGAL))
            fail_msg("%s, kind %d, rank %u: one by one %d",
                     only == ROW_COUNT ? "any row" : tmap_row_id(only), table[k].kind,
                     table[k].rank, native);
        *compared += native >= 0;
    }
    table_free(&t);
}

/* Row by row: each alone, and all in both ways of looking at many, of every kind and rank. */
static void each_row_is_the_one_alone(void **state)
{
    uint64_t s = 16, compared = 0;
    (void)state;
    make_pool();
    for (int isa = 0; isa < COLUMNS_ISAS; isa++) {
        columns_rows *rows = columns_rows_of((enum columns_isa)isa);
        for (int kind = TMAP_TILED; rows && kind <= TMAP_IM2COL_WIDE; kind++)
            for (uint32_t rank = kind == TMAP_TILED ? 1 : 3; rank <= TMAP_MAX_RANK; rank++) {
                make_block((enum tmap_kind)kind, rank, &s);
                hold_to(rows, true, ROW_COUNT, &compared);
                hold_to(rows, false, ROW_COUNT, &compared);
                for (tmap_row row = 0; row < SUBJECT_DESC_END; row++)
                    hold_to(rows, false, row, &compared);
            }
    }
    assert_true(compared > 11 * SUBJECT_DESC_END * COLUMNS_BLOCK / 2);
}

/* A box of 1 x box x so many planes that the steps of its second dimension, box / stride rounded
 * down, fill the cap of a box's bytes, or exceed it by one plane of them. */
static struct tmap_desc filled(uint32_t box, uint32_t stride, bool beyond)
{
    enum { INNER = 256, CAP = 233472 }; /* of floats; the row about a box of 228 KiB */
    const uint32_t steps = box / stride > 0 ? box / stride : 1;
    const uint32_t planes = CAP / INNER / 4 / steps + beyond;
    return (struct tmap_desc){.kind = TMAP_TILED,
                              .dtype = TMAP_FLOAT32,
                              .rank = 3,
                              .address = 4096,
                              .dim = {1024, 1024, 1024},
                              .stride_bytes = {4096, 1 << 22},
                              .box = {INNER, box, planes < 256 ? planes : 256},
                              .elem_stride = {1, stride, 1}};
}

/* Of each processor's own quotients: every box over every element stride. */
static void blocks_of_few_values(void **state)
{
    uint64_t s = 19, compared = 0;
    (void)state;
    make_pool();
    for (int isa = 0; isa < COLUMNS_ISAS; isa++) {
        columns_rows *rows = columns_rows_of((enum columns_isa)isa);
        for (int draw = 0; rows && draw < 600; draw++) {
            const int kind = draw % 3;
            const uint32_t rank = kind == TMAP_TILED ? 1 + draw / 3 % 5u : 3 + draw / 3 % 3u;
            make_block((enum tmap_kind)kind, rank, &s);
            hold_few_values(&s);
            hold_to(rows, true, ROW_COUNT, &compared);
        }
    }
    assert_true(compared > 0);
}

/* A long table in which a mode other than the usual ones comes up now and then: what is remembered
 * of some blocks is not all that the next ones have. */
static void modes_come_and_go(void **state)
{
    enum { LONG = 200 * COLUMNS_BLOCK };
    static struct tmap_desc many[LONG];
    static enum tmap_verdict verdicts[LONG];
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker c;
    unsigned long count[3] = {0};
    uint64_t s = 21;
    (void)state;
    make_pool();
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    for (int draw = 0; draw < 30; draw++) {
        struct table t;
        for (size_t i = 0; i < LONG; i++) {
            struct tmap_desc *d = &many[i];
            *d = filled(8, 1, false);
            if (rng_step(&s) % 256) continue;
            const uint64_t bits = rng_step(&s) >> 32;
            if (bits & 1) d->dtype = drawn(&s)->dtype;
            if (bits & 2) d->interleave = drawn(&s)->interleave;
            if (bits & 4) d->swizzle = drawn(&s)->swizzle;
            if (bits & 8) d->oob_fill = drawn(&s)->oob_fill;
        }
        table_make(many, LONG, &t);
        for (int isa = 0; isa < COLUMNS_ISAS; isa++) {
            columns_rows *rows = columns_rows_of((enum columns_isa)isa);
            if (rows == NULL) continue;
            columns_check(rows, &c, &t.column, LONG, verdicts);
            for (size_t i = 0; i < LONG; i++) {
                const enum tmap_verdict alone = tmap_verdict_of(&c, &many[i]);
                assert_int_equal(verdicts[i], alone);
                count[alone]++;
            }
        }
        table_free(&t);
    }
    assert_true(count[TMAP_LEGAL] > 1000 && count[TMAP_ILLEGAL] > 1000);
}

static void every_quotient_rounds_down(void **state)
{
    (void)state;
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker c;
    size_t n = 0;
    struct table t;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    for (uint32_t stride = 1; stride <= 8; stride++)
        for (uint32_t box = 1; box <= 256; box++)
            for (int beyond = 0; beyond < 2; beyond++) table[n++] = filled(box, stride, beyond);
    table_make(table, n, &t);
    for (int isa = 0; isa < COLUMNS_ISAS; isa++) {
        unsigned long count[3] = {0};
        if (columns_rows_of((enum columns_isa)isa) == NULL) continue;
        columns_check(columns_rows_of((enum columns_isa)isa), &c, &t.column, t.n, said);
        same_as_alone(&c, said, t.n, count);
        assert_true(count[TMAP_LEGAL] > 2000 && count[TMAP_ILLEGAL] > 1000);
    }
    table_free(&t);
}

static void misuse_is_an_error(void **state)
{
    (void)state;
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker c;
    struct tmap_columns columns = {.common = pool[0]};
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c), TMAP_OK);
    assert_int_equal(tmap_check_columns(NULL, &columns, 1, said, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_check_columns(&c, NULL, 1, said, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_check_columns(&c, &columns, 1, NULL, NULL), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_check_columns(&c, &columns, 0, NULL, NULL), TMAP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verdict_is_the_one_alone),
        cmocka_unit_test(every_processor_says_the_same),
        cmocka_unit_test(each_row_is_the_one_alone),
        cmocka_unit_test(blocks_of_few_values),
        cmocka_unit_test(modes_come_and_go),
        cmocka_unit_test(every_quotient_rounds_down),
        cmocka_unit_test(misuse_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
