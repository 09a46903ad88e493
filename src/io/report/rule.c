/* rule.c : see rule.h. The tables are read once more here, for the text of their conditions. */
#include "io/report/rule.h"
#include "io/json/number.h"
#include "io/report/report.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define NEEDS(...) #__VA_ARGS__
#define WHEN(...) #__VA_ARGS__
#define MUST(...) #__VA_ARGS__
#define ROW(id, name, kinds, span, needs, when, must, ...)                                         \
    [ROW_##id] = {#kinds, #span, needs, when, must},
static const struct io_words words[ROW_COUNT] = {
#include "rules/rows.def"
};
/* clang-format on */

/* By the bits of expr/field.h's KINDS_. */
const char *io_kinds_text(tmap_row row)
{
    static const char *const text[] = {[KINDS_TILED] = "tiled",
                                       [KINDS_IM2COL] = "im2col",
                                       [KINDS_WIDE] = "im2col_wide",
                                       [KINDS_CONV] = "im2col and im2col_wide",
                                       [KINDS_NOT_WIDE] = "tiled and im2col",
                                       [KINDS_ANY] = "every kind"};
    return text[row_table[row].kinds];
}

const char *io_span_text(tmap_row row)
{
    static const char *const text[] = {[SPAN_ONCE] = "once",
                                       [SPAN_DIMS] = "each dimension i",
                                       [SPAN_STRIDES] = "each stride i",
                                       [SPAN_OUTER] = "each dimension i but the innermost",
                                       [SPAN_SPATIALS] = "each spatial dimension i"};
    return text[row_table[row].span];
}

static const char *const subjects[] = {"descriptor", "errata", "map", "use", "pipeline"};

const char *io_subject_name(enum row_subject subject)
{
    return subjects[subject];
}

bool io_subject_find(const char *name, enum row_subject *out)
{
    for (int i = 0; i < 5; i++)
        if (strcmp(name, subjects[i]) == 0) {
            *out = (enum row_subject)i;
            return true;
        }
    return false;
}

const char *io_effect_name(enum row_effect effect)
{
    return effect == EFFECT_ADVISORY ? "advisory" : "violation";
}

const char *io_source_name(enum row_source source)
{
    static const char *const names[] = {"", "API", "PTX", "GUIDE", "DRIVER", "HARDWARE"};
    return names[source];
}

const char *io_sign_text(enum row_sign sign)
{
    return sign == SIGN_SEEN ? "+" : sign == SIGN_NOT ? "-" : "?";
}

const char *io_fix_name(enum row_fix fix)
{
    return fix == FIX_FREE ? "free" : fix == FIX_PADDING ? "padding" : "decision";
}

char *io_since_text(const struct row_evidence *e, char text[24])
{
    text[0] = 0;
    switch (e->source) {
    case SOURCE_API:
        snprintf(text, 24, "CUDA %u.%u", e->since / 100, e->since % 100);
        break;
    case SOURCE_PTX:
        snprintf(text, 24, "PTX %u.%u", e->since / 10, e->since % 10);
        break;
    case SOURCE_DRIVER:
        snprintf(text, 24, "driver %u", e->since);
        break;
    case SOURCE_HARDWARE:
        snprintf(text, 24, "sm_%u", e->since);
        break;
    default:
        break;
    }
    return text;
}

/* One source in words: which verb fits depends on whether it is a text or a thing. */
static int evidence_words(const struct row_evidence *e, char *text, size_t size)
{
    static const char *const texts[] = {"documented", "not demanded", "not stated"};
    static const char *const things[] = {"seen", "not enforced", "cannot be tried"};
    char since[24];

    io_since_text(e, since);
    if (e->source == SOURCE_GUIDE) return snprintf(text, size, "stated in guides");
    if (e->source == SOURCE_API || e->source == SOURCE_PTX)
        return snprintf(text, size, "%s since %s", texts[e->sign], since);
    return snprintf(text, size, "%s on %s", things[e->sign], since);
}

char *io_evidence_line(tmap_row row, char *text, size_t size)
{
    const struct row_evidence *e = row_table[row].evidence;
    size_t used = 0;

    for (text[0] = 0; e->source != SOURCE_NONE && used + 1 < size; e++) {
        if (used) used += (size_t)snprintf(text + used, size - used, "; ");
        if (used < size) used += (size_t)evidence_words(e, text + used, size - used);
    }
    return text;
}

json_t *io_evidence_json(tmap_row row)
{
    json_t *out = json_array();
    char since[24];

    for (const struct row_evidence *e = row_table[row].evidence; e->source != SOURCE_NONE; e++)
        json_array_append_new(out, json_pack("{s:s, s:s, s:s, s:s}", "source",
                                             io_source_name((enum row_source)e->source), "sign",
                                             io_sign_text((enum row_sign)e->sign), "since",
                                             io_since_text(e, since), "where", e->where));
    return out;
}

bool io_row_is_active(const struct tmap_target *target, enum tmap_contract contract, tmap_row row)
{
    struct tmap_checker checker;

    if (tmap_checker_prepare(target, contract, &checker) != TMAP_OK) return false;
    return (checker.active[row / 64] | checker.advisory[row / 64]) >> row % 64 & 1;
}

static json_t *contracts(const struct tmap_target *target, tmap_row row)
{
    json_t *out = json_array();
    for (int i = 0; i < 4; i++)
        if (io_row_is_active(target, (enum tmap_contract)i, row))
            json_array_append_new(out, json_string(io_contract_name((enum tmap_contract)i)));
    return out;
}

static json_t *needs(tmap_row row)
{
    json_t *out = json_array();
    for (const tmap_row *need = row_table[row].needs; *need != ROW_END; need++)
        json_array_append_new(out, json_string(tmap_row_id(*need)));
    return out;
}

char *io_example_field(tmap_row row, char text[40])
{
    const int slot = row_table[row].witness.slot;
    const struct field_info *info = field_info_of(field_of_slot(slot));

    io_path_of(info->json, NULL, info->count > 1 ? slot - info->first_slot : -1, text, 40);
    return text;
}

json_t *io_example_json(tmap_row row, bool legal)
{
    const enum row_subject subject = row_subject_of(row);
    struct tmap_desc desc;
    struct tmap_use use;
    struct pipeline_facts pipeline;
    json_t *out;

    if (subject == SUBJECT_PIPELINE) return NULL;
    row_witness_make(row, legal, &desc, &use, &pipeline);
    out = io_desc_json(&desc, row_table[row].name);
    if (subject == SUBJECT_MAP || subject == SUBJECT_USE)
        json_object_set_new(out, "uses", json_pack("[o]", io_use_json(&use)));
    return out;
}

static json_t *example(tmap_row row)
{
    const struct row_witness *w = &row_table[row].witness;
    char field[40];
    json_t *out = json_pack("{s:o, s:s, s:o, s:o}", "target", io_target_json(&w->target), "field",
                            io_example_field(row, field), "legal_value",
                            io_number_json(io_number_of(w->legal)), "illegal_value",
                            io_number_json(io_number_of(w->illegal)));

    if (row_subject_of(row) == SUBJECT_PIPELINE) return out;
    json_object_set_new(out, "legal", io_example_json(row, true));
    json_object_set_new(out, "illegal", io_example_json(row, false));
    return out;
}

static json_t *formula(tmap_row row)
{
    char when[FORMULA_SIZE], must[FORMULA_SIZE];

    row_print(row, ROW_WHEN, when, sizeof when);
    row_print(row, ROW_MUST, must, sizeof must);
    return json_pack("{s:s, s:s, s:s, s:s}", "kinds", io_kinds_text(row), "span", io_span_text(row),
                     "when", when, "must", must);
}

json_t *io_rule_json(const struct tmap_target *target, tmap_row row)
{
    const struct row *r = &row_table[row];
    const struct io_words *w = &words[row];

    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:o}",
        "rule", r->id, "name", r->name, "subject", io_subject_name(row_subject_of(row)), "effect",
        io_effect_name((enum row_effect)r->effect), "kinds", w->kinds, "span", w->span, "needs",
        needs(row), "when", w->when, "must", w->must, "formula", formula(row), "message",
        r->message, "why", r->why, "fix_kind", io_fix_name((enum row_fix)r->fix_kind), "help",
        r->fix, "evidence", io_evidence_json(row), "contracts", contracts(target, row), "example",
        example(row));
}
