/* A row as data: everything of it but its conditions, which native.h and tree_rows.c compile from
 * the same text in src/rules. */
#ifndef TMAP_EXPR_ROW_H
#define TMAP_EXPR_ROW_H

#include "expr/tree.h"

#define ROW_END TMAP_NO_ROW /* ends a list of needs */
#define NOTHING ROW_END

enum row_subject { SUBJECT_DESC, SUBJECT_ERRATA, SUBJECT_MAP, SUBJECT_USE, SUBJECT_PIPELINE };

/* Row numbers. SUBJECT_<x>_FIRST and SUBJECT_<x>_END bracket a subject's. */
enum row_number {
#define ROW(id, ...) ROW_##id,
#define SUBJECT_BEGIN(s) SUBJECT_##s##_FIRST, SUBJECT_##s##_BACK = SUBJECT_##s##_FIRST - 1,
#define SUBJECT_END(s) SUBJECT_##s##_END, SUBJECT_##s##_END_BACK = SUBJECT_##s##_END - 1,
#include "rules/rows.def"
    ROW_COUNT
};

enum row_effect { EFFECT_VIOLATION, EFFECT_ADVISORY };
enum row_fix { FIX_FREE, FIX_PADDING, FIX_DECISION };

enum row_source {
    SOURCE_NONE,
    SOURCE_API,
    SOURCE_PTX,
    SOURCE_GUIDE,
    SOURCE_DRIVER,
    SOURCE_HARDWARE
};
enum row_sign { SIGN_SEEN, SIGN_NOT, SIGN_UNTRIED };

struct row_evidence {
    uint8_t source, sign;
    uint16_t since; /* toolkit, PTX version, driver branch or sm number, by source */
    const char *where;
};

enum witness_base { BASE_TILED2, BASE_TILED3, BASE_IM2COL4, BASE_WIDE3, BASE_WIDE4, BASE_PIPELINE };

struct row_setup {
    int16_t slot; /* the first entry is a place holder; slot 0 after it ends the list */
    int64_t value;
};

/* Two subjects that differ in one field: one legal, one that violates the row. */
struct row_witness {
    uint8_t base;
    struct tmap_target target;
    int16_t slot;
    int64_t legal, illegal;
    struct row_setup setup[12];
};

struct row {
    const char *id, *name, *message, *why;
    uint8_t fix_kind;
    const char *fix;
    uint8_t kinds, span, effect;
    tmap_row needs[12];              /* ends with ROW_END; transitively complete */
    struct row_evidence evidence[6]; /* ends with SOURCE_NONE */
    struct row_witness witness;
};

extern const struct row row_table[ROW_COUNT];

/* The slot that a violation of row at index blames, for this descriptor (desc may be NULL). */
int row_blame(tmap_row row, int index, const struct tmap_desc *desc);

enum row_subject row_subject_of(tmap_row row);

/* How many instances a row has for a rank in 1..5, and the index of the first. */
int row_instances(enum row_span span, uint32_t rank, int *first);

/* The row's `when` and `must` at an index, in t's environment. Words whose shape depends on the
 * rank, the kind or the interleave read them through t's binding: where those are free, the words
 * say so as conditional trees. */
tnode row_when_tree(struct tree *t, tmap_row row, int index);
tnode row_must_tree(struct tree *t, tmap_row row, int index);
/* not when, or must */
tnode row_tree(struct tree *t, tmap_row row, int index);

/* row_print() : the row's `when` or `must` as a formula of all fields: "stride[i] % 16 = 0". Of the
 * kinds that the row is about the formula says nothing; "always" where nothing is asked. */
enum row_part { ROW_WHEN, ROW_MUST };
size_t row_print(tmap_row row, enum row_part part, char *out, size_t size);

/* The witness as structs; a row that is not about a use or a pipeline ignores those. */
void row_witness_make(tmap_row row, bool legal, struct tmap_desc *desc, struct tmap_use *use,
                      struct pipeline_facts *pipeline);

/* One row natively: a bit per index (bit 0 for a row evaluated once) where `when` holds and `must`
 * does not; needs are not looked at. */
uint32_t row_native(tmap_row row, const struct subject *s);

#endif
