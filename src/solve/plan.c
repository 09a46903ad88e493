/* What a plan costs against another, and says in words. */
#include "expr/field.h"
#include "tmap/solve.h"

#include <stdio.h>

int tmap_cost_compare(const struct tmap_cost *a, const struct tmap_cost *b)
{
#define BY(field)                                                                                  \
    if (a->field != b->field) return a->field < b->field ? -1 : 1
    BY(kind);
    BY(copied_bytes);
    BY(extra_instructions);
    BY(extra_maps);
    BY(layout_changes);
    BY(wasted_traffic_bytes);
    BY(wasted_shared_bytes);
    BY(steps);
#undef BY
    return 0;
}

const char *tmap_plan_kind_name(uint32_t kind)
{
    static const char *const names[] = {"free", "padding", "decision"};
    return kind <= TMAP_PLAN_DECISION ? names[kind] : NULL;
}

static const struct {
    const char *name, *text; /* %i index, %f from, %t to, %n the field's name */
} rewrites[TMAP_REWRITE_COUNT] = {
    {"skip", "the tensor is empty: launch nothing"},
    {"choose", "%n is %f, which means nothing: choose, for instance %t"},
    {"canonical_stride", "stride of dimension %i, which has size 1: %f -> %t (any legal value)"},
    {"without_effect", "%n: %f -> %t (without effect on the copy)"},
    {"drop", "leave out dimension %i, which has size 1"},
    {"merge", "merge dimension %i and the next, which are contiguous"},
    {"split", "split dimension %i of %f into one of %t and one of %q"},
    {"widen", "copy elements of type %f as pairs of type %t"},
    {"bytes", "copy pairs of 4-bit elements as bytes"},
    {"swizzle", "swizzle %f -> %t: changes the shared-memory layout"},
    {"split_box", "several copies of %t along dimension %i instead of one of %f"},
    {"grow_box", "box of dimension %i: %f -> %t, the rest is not used"},
    {"shift_base", "begin the map %f bytes earlier; the tile starts %t elements into each row"},
    {"round_coordinate", "round coordinate 0 down to a multiple of %t; the tile starts inside"},
    {"copy", "copy the tensor once into rows of %t bytes instead of %f"},
    {"swap", "make dimension %i, whose elements are contiguous, the innermost"},
    {"unstride", "take every %f-th element of dimension %i as a dimension of stride %t"},
    {"slices", "take the slices of %f bytes as dimension 0, of %t elements each"},
    {"last_box",
     "the last copy along dimension %i has a descriptor of its own, of %t instead of %f"},
    {"im2col", "walk along dimension %i by an im2col map of rank %t, with offsets 0"},
    {"split_pixels", "several copies of %t pixels each instead of one of %f"},
    {"pad", "rows of %t elements in the copy instead of %f: the last ones are zeros"},
};

const char *tmap_rewrite_name(uint32_t rewrite)
{
    return rewrite < TMAP_REWRITE_COUNT ? rewrites[rewrite].name : NULL;
}

/* A copy that is made for the base alone keeps its rows. */
static const char *text_of(const struct tmap_plan_step *step)
{
    if (!step || step->rewrite >= TMAP_REWRITE_COUNT) return "";
    if (step->rewrite == TMAP_REWRITE_COPY && step->from == step->to)
        return "copy the tensor once to an aligned address, in rows of %t bytes as before";
    return rewrites[step->rewrite].text;
}

/* %f, %t, and %q: how many `to` there are in `from`. */
static uint64_t number_of(const struct tmap_plan_step *step, char which)
{
    if (which == 'q') return step->to ? step->from / step->to : 0;
    return which == 'f' ? step->from : step->to;
}

/* A step that no search made may name no field. */
static const char *field_name(const struct tmap_plan_step *step)
{
    const struct field_info *f = field_info_of((enum field)step->field);
    return f ? f->json : "a field";
}

size_t tmap_plan_step_text(const struct tmap_plan_step *step, char *out, size_t size)
{
    size_t at = 0;
    const char *t = text_of(step);
    if (!out) size = 0;
    if (size) out[0] = 0;
    for (; *t; t++) {
        char piece[40] = {*t, 0};
        if (*t == '%') {
            t++;
            if (*t == 'i')
                snprintf(piece, sizeof piece, "%d", step->index);
            else if (*t == 'n' && step->index >= 0)
                snprintf(piece, sizeof piece, "%s[%d]", field_name(step), step->index);
            else if (*t == 'n')
                snprintf(piece, sizeof piece, "%s", field_name(step));
            else
                snprintf(piece, sizeof piece, "%llu", (unsigned long long)number_of(step, *t));
        }
        const int n = snprintf(at < size ? out + at : NULL, at < size ? size - at : 0, "%s", piece);
        at += n > 0 ? (size_t)n : 0;
    }
    return at;
}
