/* rule.h : the words of a row, for people: its conditions as the table writes them, and its
 * evidence in a sentence. Everything else of it is row_table's (expr/row.h). */
#ifndef TMAP_IO_RULE_H
#define TMAP_IO_RULE_H

#include "expr/row.h"

#include <jansson.h>

/* A row's conditions as src/rules writes them, without the WHEN() and MUST() around them. */
struct io_words {
    const char *kinds, *span, *needs, *when, *must;
};

/* What it is about, in words: "tiled and im2col", "each stride i". row_print()'s formulas fit into
 * FORMULA_SIZE. */
enum { FORMULA_SIZE = 1000 };
const char *io_kinds_text(tmap_row row);
const char *io_span_text(tmap_row row);

const char *io_subject_name(enum row_subject subject); /* "descriptor" */
const char *io_effect_name(enum row_effect effect);    /* "violation" */
const char *io_fix_name(enum row_fix fix);             /* "free" */
const char *io_source_name(enum row_source source);    /* "API" */
const char *io_sign_text(enum row_sign sign);          /* "+", "-", "?" */

/* io_subject_find() : by that name; false when there is none. */
bool io_subject_find(const char *name, enum row_subject *out);

/* io_since_text() : "CUDA 12.8", "PTX 8.3", "driver 580", "sm_90"; "" for a guide. */
char *io_since_text(const struct row_evidence *evidence, char text[24]);

/* io_evidence_line() : "documented since CUDA 12.0; seen on driver 580; cannot be tried on sm_90".
 */
char *io_evidence_line(tmap_row row, char *text, size_t size);
json_t *io_evidence_json(tmap_row row);

/* io_row_is_active() : whether the row decides under that contract on that target. */
bool io_row_is_active(const struct tmap_target *target, enum tmap_contract contract, tmap_row row);

/* io_example_json() : the row's witness as a record of the input, legal or illegal; NULL for a row
 *  about a pipeline. io_example_field() : the field in which the two differ, "stride[0]". */
json_t *io_example_json(tmap_row row, bool legal);
char *io_example_field(tmap_row row, char text[40]);

/* io_flag_name() : the key that is null where a bit of tmap_desc.flags says so; NULL for no bit. */
const char *io_flag_name(int bit);

/* io_rule_json() : the whole row; the caller owns it. */
json_t *io_rule_json(const struct tmap_target *target, tmap_row row);

#endif
