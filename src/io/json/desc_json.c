/* desc_json.c : descriptors and uses as JSON, so that reading them back gives the same. */
#include "expr/field.h"
#include "io/json/number.h"
#include "io/report/report.h"

#include <inttypes.h>
#include <stdio.h>

json_t *io_address_json(uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    return json_string(text);
}

/* One entry of a field, as the reader takes it. */
static json_t *entry_json(const struct subject *s, int slot)
{
    const struct field_info *f = field_info_of(field_of_slot(slot));
    int128 value = 0;

    field_read(s, slot, &value);
    if (f->values == VALUES_ADDRESS) return io_address_json((uint64_t)value);
    const char *name = value_name(f->values, (int64_t)value);
    if (name) return json_string(name);
    return value < 0 ? json_integer((json_int_t)value) : io_u64_json((uint64_t)value);
}

static json_t *list_json(const struct subject *s, int slot, int count)
{
    json_t *out = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(out, entry_json(s, slot + i));
    return out;
}

/* The entries of an array that the call reads; a call of no kind is shown as a tiled one. */
static int entries(const struct tmap_desc *d, const struct field_info *f)
{
    struct tmap_desc shown = *d;
    int n = 0;

    if ((unsigned)d->kind > TMAP_IM2COL_WIDE) shown.kind = TMAP_TILED;
    while (n < f->count && field_is_read(&shown, f->first_slot + n)) n++;
    return n;
}

static bool is_argument(const struct tmap_desc *d, const struct field_info *f)
{
    const int kind = (unsigned)d->kind > TMAP_IM2COL_WIDE ? TMAP_TILED : d->kind;

    return f->kinds >> kind & 1;
}

static json_t *argument_json(const struct tmap_desc *d, const struct field_info *f)
{
    const struct subject s = {.desc = d};

    if (f->span == SPAN_SPATIALS && d->kind == TMAP_IM2COL_WIDE) /* one number each */
        return entry_json(&s, f->first_slot);
    if (f->null_bit >= 0 && d->flags >> f->null_bit & 1) return json_null();
    return f->count == 1 ? entry_json(&s, f->first_slot)
                         : list_json(&s, f->first_slot, entries(d, f));
}

static void set_memory(json_t *out, const struct tmap_desc *d)
{
    if (d->flags & TMAP_NULL_MAP) json_object_set_new(out, "map_address", json_null());
    if (d->flags & TMAP_HAS_MAP_ADDRESS)
        json_object_set_new(out, "map_address", io_address_json(d->map_address));
    if (d->flags & TMAP_HAS_ALLOCATION)
        json_object_set_new(out, "allocation",
                            json_pack("{s:o, s:o}", "base", io_address_json(d->allocation_base),
                                      "bytes", io_u64_json(d->allocation_bytes)));
}

json_t *io_desc_json(const struct tmap_desc *d, const char *name)
{
    json_t *out = json_object();

    if (name) json_object_set_new(out, "name", io_string_json(name));
    for (int f = FIELD_KIND; f <= FIELD_MODE; f++) {
        const struct field_info *info = field_info_of((enum field)f);
        if (is_argument(d, info)) json_object_set_new(out, info->json, argument_json(d, info));
    }
    set_memory(out, d);
    return out;
}

void io_desc_text(const struct tmap_desc *desc, char *text, size_t size)
{
    json_t *value = io_desc_json(desc, NULL);
    const size_t n = size ? json_dumpb(value, text, size - 1, 0) : 0;

    if (size) text[n < size ? n : 0] = '\0'; /* of what does not fit, pieces are written */
    json_decref(value);
}

/* The operands that are there, each under its field's name. */
static void set_operand(json_t *out, const struct tmap_use *u, enum field field)
{
    const struct subject s = {.use = u};
    const struct field_info *f = field_info_of(field);
    const int n =
        field == FIELD_COORD && u->coord_count < TMAP_MAX_RANK ? (int)u->coord_count : f->count;
    json_object_set_new(out, f->json,
                        f->count == 1 ? entry_json(&s, f->first_slot)
                                      : list_json(&s, f->first_slot, n));
}

static void set_operands(json_t *out, const struct tmap_use *u)
{
    if (u->flags & TMAP_USE_COORD) set_operand(out, u, FIELD_COORD);
    if (u->flags & TMAP_USE_SMEM) set_operand(out, u, FIELD_SMEM);
    if (u->flags & TMAP_USE_EXPECT_TX) set_operand(out, u, FIELD_EXPECT_TX);
    if (u->flags & TMAP_USE_MBARRIER) set_operand(out, u, FIELD_MBARRIER);
    if (u->flags & TMAP_USE_OFFSET) set_operand(out, u, FIELD_OFFSET);
    if (u->flags & TMAP_USE_CTA_DST) json_object_set_new(out, "dst", json_string("cta"));
    if (u->consumer) set_operand(out, u, FIELD_CONSUMER);
    if (u->major) set_operand(out, u, FIELD_MAJOR);
    if (u->multicast) set_operand(out, u, FIELD_MULTICAST);
    if (u->cta_group) set_operand(out, u, FIELD_CTA_GROUP);
}

json_t *io_use_json(const struct tmap_use *u)
{
    json_t *out = json_object();

    set_operand(out, u, FIELD_OP);
    set_operands(out, u);
    if (u->op == TMAP_OP_REPLACE) {
        set_operand(out, u, FIELD_RFIELD);
        set_operand(out, u, FIELD_ORDINAL);
    }
    if (u->op == TMAP_OP_REPLACE || u->op == TMAP_OP_REPLACE_ADDRESS)
        set_operand(out, u, FIELD_VALUE);
    return out;
}
