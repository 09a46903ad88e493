/* tmap_check_columns(): blocks of descriptors to the rows compiled for vectors, and what their
 * answer means. */
#include "core/columns.h"
#include "expr/tables.h"

#include <stddef.h>
#include <string.h>

columns_rows *columns_rows_of(enum columns_isa isa)
{
    switch (isa) {
#ifdef __x86_64__
    case COLUMNS_AVX2:
        return __builtin_cpu_supports("avx2") ? columns_rows_avx2 : NULL;
    case COLUMNS_AVX512:
        return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512bw")
                   ? columns_rows_avx512
                   : NULL;
#endif
    case COLUMNS_BASE:
        return columns_rows_base;
    default:
        return NULL;
    }
}

columns_rows *columns_rows_here(void)
{
    columns_rows *rows = NULL;
    for (int isa = COLUMNS_ISAS; rows == NULL; isa--)
        rows = columns_rows_of((enum columns_isa)(isa - 1));
    return rows;
}

/* What stands for a column that is not given, and for the last block of one that is. */
#define ONE(word, member, type) type member[1][COLUMNS_BLOCK];
#define MANY(word, member, type, count) type member[count][COLUMNS_BLOCK];
struct block {
    COLUMNS(ONE, MANY)
};
#undef ONE
#undef MANY

/* Entries of a column from `from` on, as what all descriptors share has them. */
#define FILL(copy, from, value)                                                                    \
    for (size_t k = (from); k < COLUMNS_BLOCK; k++) (copy)[k] = (value)

static void fill_common(const struct tmap_columns *c, struct block *b)
{
#define ONE(word, member, type)                                                                    \
    if (c->member == NULL) FILL(b->member[0], 0, c->common.member);
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++)                                                              \
        if (c->member[j] == NULL) FILL(b->member[j], 0, c->common.member[j]);
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
}

/* A column of struct tmap_columns that is given: where its pointer stands, and the bytes of a
 * block.
 */
struct moving {
    uint16_t place, bytes;
};
#define MOVING_MOST (sizeof(struct tmap_columns) / sizeof(void *))

/* Points to the first block of each column, or to what stands for it; those that a rank has and
 * that are given, to out[]. */
static size_t point(const struct tmap_columns *c, struct block *b, struct tmap_columns *column,
                    struct moving *out)
{
    size_t moving = 0;
#define POINT(member, copy) column->member = c->member != NULL ? c->member : (copy);
#define MOVE(member, type)                                                                         \
    out[moving++] =                                                                                \
        (struct moving){offsetof(struct tmap_columns, member), COLUMNS_BLOCK * sizeof(type)};
#define ONE(word, member, type)                                                                    \
    POINT(member, b->member[0])                                                                    \
    if (c->member != NULL) MOVE(member, type)
#define MANY(word, member, type, count)                                                            \
    for (uint32_t j = 0; j < (count); j++) {                                                       \
        POINT(member[j], b->member[j])                                                             \
        if (c->member[j] != NULL && j < c->common.rank) MOVE(member[j], type)                      \
    }
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
#undef MOVE
#undef POINT
    return moving;
}

static void next_block(struct tmap_columns *column, const struct moving *moving, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const char *p;
        memcpy(&p, (char *)column + moving[k].place, sizeof p);
        p += moving[k].bytes;
        memcpy((char *)column + moving[k].place, &p, sizeof p);
    }
}

/* Of the last m descriptors, from `base` on, that are no whole block: a copy. */
static void point_last(const struct tmap_columns *c, size_t base, size_t m, struct block *b,
                       struct tmap_columns *column)
{
#define POINT(member, copy)                                                                        \
    if (c->member != NULL) {                                                                       \
        memcpy((copy), c->member + base, m * sizeof *(copy));                                      \
        FILL((copy), m, c->common.member);                                                         \
        column->member = (copy);                                                                   \
    }
#define ONE(word, member, type) POINT(member, b->member[0])
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++) {                                                            \
        POINT(member[j], b->member[j])                                                             \
    }
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
#undef POINT
}
#undef FILL

/* What is asked of the rows: of each its class, and what those say of all descriptors. */
struct asked {
    uint8_t class[SUBJECT_DESC_END], of_all;
    bool every; /* of the rows that are violations decides */
};

static void ask(const struct tmap_checker *c, struct asked *a)
{
    a->of_all = CLASS_NOTHING;
    a->every = true;
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++) {
        a->class[row] = row_set_has(c->active, row) ? CLASS_DECIDES
                        : row_set_has(c->gate, row) ? CLASS_ASKS
                                                    : CLASS_NOTHING;
        if (row_table[row].effect == EFFECT_VIOLATION) a->every &= a->class[row] == CLASS_DECIDES;
    }
}

#define FOLD_NODES 200
#define FOLD_FROM                                                                                  \
    4096 /* descriptors looked at row by row: folding takes as long as a few thousand */

/* A row that target and common decide, whatever the columns hold, is asked no more. */
static void fold_row(tmap_row row, struct tree_binding *binding, struct asked *a)
{
    struct tree_node nodes[FOLD_NODES];
    int first;
    bool open = false;
    const int places = row_instances(row_table[row].span, binding->subject->desc->rank, &first);
    for (int i = first; i < first + places && !open; i++) {
        struct tree t;
        bool holds;
        tree_init(&t, nodes, FOLD_NODES, tree_bind_subject, binding);
        if (!tree_is_bool(&t, row_tree(&t, row, i), &holds))
            open = true;
        else if (!holds)
            a->of_all |= a->class[row];
    }
    if (!open) a->class[row] = CLASS_NOTHING;
}

static void fold(const struct tmap_checker *checker, const struct tmap_columns *c, struct asked *a)
{
    const struct derived none = {0}; /* of an allocation, which no folded table has */
    const struct subject s = {.target = &checker->target, .desc = &c->common, .derived = &none};
    struct tree_binding binding = {.subject = &s};
#define ONE(word, member, type)                                                                    \
    if (c->member != NULL) tree_binding_free(&binding, F_##word);
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++)                                                              \
        if (c->member[j] != NULL) tree_binding_free(&binding, F_##word + j);
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
    for (tmap_row row = 0; row < SUBJECT_DESC_END; row++)
        if (a->class[row]) fold_row(row, &binding, a);
}

/* Whether folding can leave fewer rows: most ask for modes, and where each of these is a column
 * every block is asked for what it has of them. */
static bool shares_modes(const struct tmap_columns *c)
{
    return c->dtype == NULL || c->interleave == NULL || c->swizzle == NULL ||
           c->l2_promotion == NULL || c->oob_fill == NULL || c->elem_stride[0] == NULL;
}

static enum tmap_verdict one(const struct tmap_checker *checker, const struct tmap_columns *c,
                             size_t i)
{
    struct tmap_desc d = c->common;
#define ONE(word, member, type)                                                                    \
    if (c->member != NULL) d.member = c->member[i];
#define MANY(word, member, type, count)                                                            \
    for (int j = 0; j < (count); j++)                                                              \
        if (c->member[j] != NULL) d.member[j] = c->member[j][i];
    COLUMNS(ONE, MANY)
#undef ONE
#undef MANY
    return tmap_verdict_of(checker, &d);
}

_Static_assert(TMAP_LEGAL == 0 && TMAP_ILLEGAL == 1, "a verdict is whether any row is violated");

/* Those of a block that the rows do not decide; how many. */
static size_t ask_one_by_one(const struct tmap_checker *checker, const struct tmap_columns *c,
                             size_t base, size_t m, const uint32_t *bad,
                             enum tmap_verdict *verdicts)
{
    size_t asked = 0;
    for (size_t k = 0; k < m; k++)
        if (bad[k] & CLASS_ASKS) verdicts[k] = one(checker, c, base + k), asked++;
    return asked;
}

/* Descriptors that no row compiled for vectors speaks of. */
static void all_one_by_one(const struct tmap_checker *checker, const struct tmap_columns *c,
                           size_t n, enum tmap_verdict *verdicts)
{
    for (size_t i = 0; i < n; i++) verdicts[i] = one(checker, c, i);
}

bool columns_fit(const struct tmap_checker *checker, const struct tmap_desc *d)
{
    const struct subject s = {.target = &checker->target, .desc = d};
    return checker->covered == TMAP_OK && !(d->flags & TMAP_HAS_ALLOCATION) &&
           !row_native(ROW_TMA001, &s) && !row_native(ROW_TMA002, &s) &&
           !row_native(ROW_TMA003, &s);
}

#define KNOWN_BLOCKS 64 /* through which the values of enumerations are remembered */

size_t columns_check(columns_rows *rows, const struct tmap_checker *checker,
                     const struct tmap_columns *c, size_t n, enum tmap_verdict *verdicts)
{
    struct block b;
    struct asked a;
    struct columns_bad bad;
    struct tmap_columns column;
    struct moving moving[MOVING_MOST];
    enum tmap_verdict few[COLUMNS_BLOCK];
    size_t one_by_one = 0;
    ask(checker, &a);
    if (!a.every && n >= FOLD_FROM && shares_modes(c)) fold(checker, c, &a);
    fill_common(c, &b);
    const size_t movings = point(c, &b, &column, moving);
    struct columns_view w = {.target = checker->target,
                             .kind = c->common.kind,
                             .rank = c->common.rank,
                             .flags = c->common.flags,
                             .map_address = c->common.map_address,
                             .column = &column,
                             .every = a.every,
                             .of_all = a.of_all,
                             .class = a.class};
    columns_narrow(&w);
    for (size_t base = 0; base < n; base += COLUMNS_BLOCK) {
        const size_t m = n - base < COLUMNS_BLOCK ? n - base : COLUMNS_BLOCK;
        const bool whole = m == COLUMNS_BLOCK;
        if (!whole) point_last(c, base, m, &b, &column);
        if (base % (KNOWN_BLOCKS * COLUMNS_BLOCK) == 0) w.known = (struct columns_seen){0};
        const uint32_t any = rows(&w, &bad, whole ? verdicts + base : few);
        if (!whole) memcpy(verdicts + base, few, m * sizeof few[0]);
        if (any & CLASS_ASKS)
            one_by_one += ask_one_by_one(checker, c, base, m, bad.of_32, verdicts + base);
        next_block(&column, moving, movings);
    }
    return one_by_one;
}

enum tmap_status tmap_check_columns(const struct tmap_checker *checker,
                                    const struct tmap_columns *columns, size_t n,
                                    enum tmap_verdict *verdicts, size_t *one_by_one)
{
    size_t asked = n;
    if (checker == NULL || columns == NULL || (n > 0 && verdicts == NULL)) return TMAP_E_ARGUMENT;
    if (columns_fit(checker, &columns->common))
        asked = columns_check(columns_rows_here(), checker, columns, n, verdicts);
    else
        all_one_by_one(checker, columns, n, verdicts);
    if (one_by_one != NULL) *one_by_one = asked;
    return TMAP_OK;
}
