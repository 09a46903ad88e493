/* plan.c : repair plans as JSON, text and patches. */
#include "io/plan/plan.h"
#include "expr/values.h"
#include "io/json/number.h"
#include "io/report/report.h"

#include "expr/field.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

json_t *io_cost_json(const struct tmap_cost *c)
{
    return json_pack("{s:s, s:I, s:I, s:i, s:I, s:I, s:i, s:i}", "kind",
                     tmap_plan_kind_name(c->kind), "copied_bytes", (json_int_t)c->copied_bytes,
                     "extra_instructions", (json_int_t)c->extra_instructions, "extra_maps",
                     (int)c->extra_maps, "wasted_traffic_bytes",
                     (json_int_t)c->wasted_traffic_bytes, "wasted_shared_bytes",
                     (json_int_t)c->wasted_shared_bytes, "layout_changes", (int)c->layout_changes,
                     "steps", (int)c->steps);
}

/* The enum whose names a step's values have, or -1. */
static int step_enum(const struct tmap_plan_step *s)
{
    if (s->rewrite == TMAP_REWRITE_SWIZZLE) return VALUES_SWIZZLE;
    if (s->rewrite == TMAP_REWRITE_WIDEN || s->rewrite == TMAP_REWRITE_BYTES) return VALUES_DTYPE;
    if (s->rewrite != TMAP_REWRITE_CHOOSE && s->rewrite != TMAP_REWRITE_IGNORED) return -1;
    return values_are_named(field_info_of((enum field)s->field)->values)
               ? (int)field_info_of((enum field)s->field)->values
               : -1;
}

/* The step's sentence; values of enums by name. */
static void step_text(const struct tmap_plan_step *s, char *out, size_t size)
{
    const int which = step_enum(s);
    tmap_plan_step_text(s, out, size);
    if (which < 0) return;
    const char *from = value_name((enum values)which, (int32_t)s->from);
    const char *to = value_name((enum values)which, (int32_t)s->to);
    if (s->rewrite == TMAP_REWRITE_SWIZZLE)
        snprintf(out, size, "swizzle %s -> %s: changes the shared-memory layout", from ? from : "?",
                 to ? to : "?");
    else if (s->rewrite == TMAP_REWRITE_WIDEN || s->rewrite == TMAP_REWRITE_BYTES)
        snprintf(out, size, "copy pairs of %s as %s", from ? from : "?", to ? to : "?");
    else
        snprintf(out, size, "%s: %s -> %s (%s)", field_info_of((enum field)s->field)->json,
                 from ? from : "a value without meaning", to ? to : "?",
                 s->rewrite == TMAP_REWRITE_CHOOSE ? "yours to confirm" : "no effect on the copy");
}

static json_t *steps_json(const struct tmap_plan *p)
{
    json_t *list = json_array();
    char text[200];
    for (uint32_t i = 0; i < p->step_count; i++) {
        const struct tmap_plan_step *s = &p->step[i];
        step_text(s, text, sizeof text);
        json_t *o = json_pack("{s:s, s:s}", "step", tmap_rewrite_name(s->rewrite), "text", text);
        if (s->index >= 0) json_object_set_new(o, "index", json_integer(s->index));
        json_object_set_new(o, "from", io_u64_json(s->from));
        json_object_set_new(o, "to", io_u64_json(s->to));
        json_array_append_new(list, o);
    }
    return list;
}

/* One new coordinate of the first copy as a formula over the request's c0, c1, ...; "0" where it
 * follows from none. Returns where the text ends. */
static size_t first_coordinate(const struct tmap_plan_dim *d, uint32_t rank, char *out, size_t size)
{
    size_t at = 0, terms = 0;
    char sum[160] = "";
    for (uint32_t i = 0; i < rank && i < TMAP_MAX_RANK; i++) {
        if (d->coef[i] == 0) continue;
        char times[24] = "";
        if (d->coef[i] != 1) snprintf(times, sizeof times, "%" PRIu64 "*", d->coef[i]);
        at += (size_t)snprintf(sum + at, at < sizeof sum ? sizeof sum - at : 0, "%s%sc%u",
                               terms++ ? " + " : "", times, i);
        if (at >= sizeof sum) at = sizeof sum - 1;
    }
    const bool group = terms > 1 && (d->div > 1 || d->mod);
    at = (size_t)snprintf(out, size, "%s%s%s", group ? "(" : "", terms ? sum : "0",
                          group ? ")" : "");
    if (d->div > 1 && at < size) at += (size_t)snprintf(out + at, size - at, " / %" PRIu64, d->div);
    if (d->mod && at < size) at += (size_t)snprintf(out + at, size - at, " %% %" PRIu64, d->mod);
    if (d->round > 1 && at < size)
        at += (size_t)snprintf(out + at, size - at, " rounded down to %u", d->round);
    return at;
}

/* The same of all copies. Pixels go on over the ends of rows and images. */
static void formula(const struct tmap_plan *p, uint32_t dim, uint32_t rank, char *out, size_t size)
{
    const struct tmap_plan_dim *d = &p->dim[dim];
    const bool walks = p->desc.kind == TMAP_IM2COL && dim == 1;
    const size_t at = first_coordinate(d, rank, out, size);
    if (d->copies > 1 && at < size)
        snprintf(out + at, size - at, " + %u*k%s, k = 0..%u", d->step,
                 walks ? " pixels of the walk" : "", d->copies - 1);
}

/* Appends to a text of bounded size. */
struct writer {
    char *out;
    size_t at, size;
};
static void put(struct writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(w->at < w->size ? w->out + w->at : NULL,
                            w->at < w->size ? w->size - w->at : 0, format, args);
    va_end(args);
    if (n > 0) w->at += (size_t)n;
}

/* The map of a copy: the only one, or that of its number in binary, a digit for each dimension
 * whose last box is smaller. */
static void put_map(struct writer *w, const struct tmap_plan *p)
{
    const bool several = p->cost.extra_maps > 1;
    unsigned weight = 1;
    put(w, "map");
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        if (!p->dim[i].tail) continue;
        put(w, weight == 1 ? "[" : " + ");
        if (weight > 1) put(w, "%u*", weight);
        put(w, "%sk%u == %u%s", several ? "(" : "", i, p->dim[i].copies - 1, several ? ")" : "");
        weight *= 2;
    }
    if (weight > 1) put(w, "]");
}

/* Copies are counted with dimension 0 fastest, and land one slot apart. */
static void put_place(struct writer *w, const struct tmap_plan *p)
{
    uint64_t apart = p->slot_bytes;
    put(w, "smem");
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        if (p->dim[i].copies > 1) put(w, " + %" PRIu64 "*k%u", apart, i);
        apart *= p->dim[i].copies;
    }
}

static void put_coords(struct writer *w, const struct tmap_plan *p, const struct tmap_desc *request)
{
    char text[IO_ERROR_SIZE];
    for (uint32_t i = 0; i < p->desc.rank; i++) {
        first_coordinate(&p->dim[i], request->rank, text, sizeof text);
        put(w, "%s%s", i ? ", " : "", text);
        if (p->dim[i].copies > 1) put(w, " + %u*k%u", p->dim[i].step, i);
    }
}

/* The loops over the copies, the outermost dimension outside, and the copy in them. */
static void put_copies(struct writer *w, const struct tmap_plan *p, const struct tmap_desc *request,
                       bool stores, uint32_t ctas)
{
    int deep = 0;
    for (uint32_t i = p->desc.rank; i-- > 0;)
        if (p->dim[i].copies > 1)
            put(w, "%*sfor (k%u = 0; k%u < %u; k%u++)\n", 4 * deep++, "", i, i, p->dim[i].copies,
                i);
    put(w, "%*s%s_%ud%s(", 4 * deep, "", stores ? "store" : "load", p->desc.rank,
        ctas > 1 ? "_multicast" : "");
    put_map(w, p);
    put(w, ", ");
    put_place(w, p);
    put(w, stores ? ", {" : ", full, {");
    put_coords(w, p, request);
    put(w, "}");
    if (ctas > 1) put(w, ", %u CTAs", ctas);
    put(w, ")\n");
}

size_t io_plan_loop(const struct tmap_plan *p, const struct tmap_desc *request, bool stores,
                    uint32_t ctas, char *out, size_t size)
{
    struct writer w = {out, 0, size};
    if (size) out[0] = 0;
    if (!stores)
        put(&w, "expect_tx(full, %" PRIu64 ")%s\n", p->tx_bytes, ctas > 1 ? " in every CTA" : "");
    put_copies(&w, p, request, stores, ctas);
    if (stores) put(&w, "commit_group()\n");
    return w.at;
}

static json_t *coords_json(const struct tmap_plan *p, const struct tmap_desc *request)
{
    json_t *list = json_array();
    char text[IO_ERROR_SIZE];
    for (uint32_t i = 0; i < p->desc.rank && i < TMAP_MAX_RANK; i++) {
        formula(p, i, request->rank, text, sizeof text);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

static json_t *grain_json(const struct tmap_plan *p, const struct tmap_desc *request)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < request->rank && i < TMAP_MAX_RANK; i++)
        json_array_append_new(list, number(p->grain[i]));
    return list;
}

/* Per dimension, the box of the last copy; of an im2col map its channels and pixels. */
static json_t *last_box_json(const struct tmap_plan *p)
{
    json_t *list = json_array();
    struct tmap_desc last;
    tmap_plan_desc(p, p->copies - 1, &last);
    for (uint32_t i = 0; last.kind == TMAP_TILED && i < last.rank; i++)
        json_array_append_new(list, number(last.box[i]));
    if (last.kind == TMAP_TILED) return list;
    json_array_append_new(list, number(last.channels));
    json_array_append_new(list, number(last.pixels));
    return list;
}

json_t *io_plan_json(const struct tmap_plan *p, const struct tmap_desc *request)
{
    json_t *o = json_pack("{s:s, s:o, s:o}", "kind", tmap_plan_kind_name(p->cost.kind), "cost",
                          io_cost_json(&p->cost), "steps", steps_json(p));
    if (p->skip) return o;
    json_object_set_new(o, "descriptor", io_desc_json(&p->desc, NULL));
    json_object_set_new(o, "coordinates", coords_json(p, request));
    json_object_set_new(o, "coordinates_multiple_of", grain_json(p, request));
    json_object_set_new(o, "copies", number(p->copies));
    json_object_set_new(o, "slot_bytes", number(p->slot_bytes));
    json_object_set_new(o, "expect_tx", number(p->tx_bytes));
    if (p->allocation_bytes)
        json_object_set_new(o, "allocation_bytes", number(p->allocation_bytes));
    if (p->cost.extra_maps) json_object_set_new(o, "last_box", last_box_json(p));
    if (p->dim[0].shift) json_object_set_new(o, "tile_starts_at", number(p->dim[0].shift));
    return o;
}

static void cost_text(FILE *out, const struct tmap_cost *c)
{
    if (c->copied_bytes) fprintf(out, ", copies %" PRIu64 " bytes once", c->copied_bytes);
    if (c->extra_instructions)
        fprintf(out, ", %" PRIu64 " more instruction%s a tile", c->extra_instructions,
                c->extra_instructions == 1 ? "" : "s");
    if (c->extra_maps)
        fprintf(out, ", %u more descriptor%s", c->extra_maps, c->extra_maps == 1 ? "" : "s");
    if (c->wasted_traffic_bytes)
        fprintf(out, ", %" PRIu64 " bytes a tile wasted", c->wasted_traffic_bytes);
    if (c->wasted_shared_bytes)
        fprintf(out, ", %" PRIu64 " bytes of shared memory unused", c->wasted_shared_bytes);
    if (c->layout_changes) fputs(", changes the shared-memory layout", out);
}

void io_plan_text(FILE *out, const struct tmap_plan *p, const struct tmap_desc *request)
{
    char text[IO_ERROR_SIZE];
    fprintf(out, "%s", tmap_plan_kind_name(p->cost.kind));
    cost_text(out, &p->cost);
    fputc('\n', out);
    for (uint32_t i = 0; i < p->step_count; i++) {
        step_text(&p->step[i], text, sizeof text);
        fprintf(out, "    - %s\n", text);
    }
    if (p->skip) return;
    fputs("    ", out);
    io_print_json(out, io_desc_json(&p->desc, NULL), 0);
    fputs("    coordinates", out);
    for (uint32_t i = 0; i < p->desc.rank && i < TMAP_MAX_RANK; i++) {
        formula(p, i, request->rank, text, sizeof text);
        fprintf(out, "%s %s", i ? "," : "", text);
    }
    fprintf(out, "; expect_tx %" PRIu64, p->tx_bytes);
    for (uint32_t i = 0; i < p->desc.rank && i < TMAP_MAX_RANK; i++)
        if (p->dim[i].tail) fprintf(out, "; the last box of dimension %u is %u", i, p->dim[i].tail);
    if (p->copies > 1)
        fprintf(out, " in %u copies, %" PRIu64 " bytes apart", p->copies, p->slot_bytes);
    if (p->allocation_bytes) fprintf(out, "; allocate %" PRIu64 " bytes", p->allocation_bytes);
    fputc('\n', out);
}

json_t *io_plan_patch(const struct tmap_plan *p, const struct io_record *record, const char *base)
{
    json_t *list = json_array(), *now = io_desc_json(&p->desc, NULL), *value;
    json_t *read = io_desc_json(&record->desc, NULL);
    const char *key;
    json_object_foreach(now, key, value)
    {
        json_t *was = json_object_get(record->json, key);
        char path[160];
        if (json_equal(json_object_get(read, key), value)) continue;
        snprintf(path, sizeof path, "%s/%s", base, key);
        json_array_append_new(list, json_pack("{s:s, s:s, s:O}", "op", was ? "replace" : "add",
                                              "path", path, "value", value));
    }
    json_decref(now);
    json_decref(read);
    return list;
}
