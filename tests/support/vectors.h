/* Subjects to hold every row to: the row's two witnesses, and around them what is near a bound, of
 * another kind, type, rank or target, or breaks one of the rows it needs. Each is drawn from the
 * row and a number alone, so that what a row says over all of them is a line of text. */
#ifndef TMAP_TESTS_SUPPORT_VECTORS_H
#define TMAP_TESTS_SUPPORT_VECTORS_H

#include "expr/row.h"

#define VECTORS_PER_ROW 40000u

struct vector {
    struct tmap_target target;
    struct tmap_desc desc;
    struct tmap_use use;
    struct pipeline_facts pipeline;
    struct derived derived;
};

/* What is moved for a row: the field slots that its condition and those of its needs speak of, each
 * with the numbers that those compare it with. */
#define VECTOR_VALUES 64
struct vector_slot {
    int number;
    int64_t value[VECTOR_VALUES];
    int values;
};
struct vector_plan {
    tmap_row row;
    struct vector_slot slot[FIELD_SLOTS];
    int slots, own; /* the first `own` are the row's, then its needs' */
};

struct vector_plan vector_plan_of(tmap_row row);
/* An empty plan, and what it speaks of more: a row's `when`, its `must`. */
void vector_plan_clear(struct vector_plan *plan, tmap_row row);
void vector_plan_add(struct vector_plan *plan, tmap_row row, bool when, bool must);
/* The subject of this number; 0 and 1 are the legal and the illegal witness. */
void vector_make(const struct vector_plan *plan, uint32_t number, struct vector *out);
/* The witness itself, with nothing derived. */
void vector_start(tmap_row row, bool legal, struct vector *out);
/* The fields that a witness's kind or rank leaves unused get legal values, so that another kind or
 * rank is not refused for their sake. */
void vector_fill(struct tmap_desc *desc);
void vector_write(struct vector *v, int slot, int64_t value);
/* How many values, from 0 on, a slot has that chooses (kind, rank, type, operation, ...), one or
 * more beyond the last included; 0 for a quantity. */
int vector_choices(int slot);
struct subject vector_subject(const struct vector *v);
/* The places at which row is violated: its condition fails, and every row it needs holds. */
uint32_t vector_violates(tmap_row row, const struct subject *s);

#endif
