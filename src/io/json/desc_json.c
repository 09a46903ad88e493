/* desc_json.c : descriptors and uses as JSON, so that reading them back gives the same. */
#include "io/json/enums.h"
#include "io/json/number.h"
#include "io/report/report.h"

#include <inttypes.h>
#include <stdio.h>

static json_t *enum_json(enum io_enum which, int32_t value)
{
    const char *name = io_enum_name(which, value);
    return name ? json_string(name) : json_integer(value);
}

json_t *io_address_json(uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    return json_string(text);
}

static json_t *list64(const uint64_t *values, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(out, io_u64_json(values[i]));
    return out;
}

static json_t *list32(const uint32_t *values, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(out, json_integer(values[i]));
    return out;
}

static json_t *corners(const int32_t *values, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(out, json_integer(values[i]));
    return out;
}

static void set(json_t *out, const struct tmap_desc *d, const char *key, uint32_t null_flag,
                json_t *value)
{
    if (d->flags & null_flag) {
        json_decref(value);
        value = json_null();
    }
    json_object_set_new(out, key, value);
}

static void set_shape(json_t *out, const struct tmap_desc *d)
{
    const size_t n = d->rank < TMAP_MAX_RANK ? d->rank : TMAP_MAX_RANK;

    set(out, d, "dim", TMAP_NULL_DIM, list64(d->dim, n));
    set(out, d, "stride", TMAP_NULL_STRIDE, list64(d->stride_bytes, n ? n - 1 : 0));
    if (d->kind != TMAP_IM2COL && d->kind != TMAP_IM2COL_WIDE)
        set(out, d, "box", TMAP_NULL_BOX, list32(d->box, n));
    set(out, d, "elem_stride", TMAP_NULL_ELEM_STRIDE, list32(d->elem_stride, n));
}

static void set_im2col(json_t *out, const struct tmap_desc *d)
{
    const bool wide = d->kind == TMAP_IM2COL_WIDE;
    size_t n = d->rank > 2 ? d->rank - 2 : 0;

    if (n > TMAP_MAX_SPATIAL) n = TMAP_MAX_SPATIAL;
    if (wide) {
        json_object_set_new(out, "lower", json_integer(d->lower[0]));
        json_object_set_new(out, "upper", json_integer(d->upper[0]));
        json_object_set_new(out, "mode", enum_json(IO_ENUM_MODE, d->mode));
    } else {
        set(out, d, "lower", TMAP_NULL_LOWER, corners(d->lower, n));
        set(out, d, "upper", TMAP_NULL_UPPER, corners(d->upper, n));
    }
    json_object_set_new(out, "channels", json_integer(d->channels));
    json_object_set_new(out, "pixels", json_integer(d->pixels));
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
    json_object_set_new(out, "kind", enum_json(IO_ENUM_KIND, d->kind));
    json_object_set_new(out, "dtype", enum_json(IO_ENUM_DTYPE, d->dtype));
    json_object_set_new(out, "rank", json_integer(d->rank));
    json_object_set_new(out, "address", io_address_json(d->address));
    set_shape(out, d);
    if (d->kind == TMAP_IM2COL || d->kind == TMAP_IM2COL_WIDE) set_im2col(out, d);
    json_object_set_new(out, "interleave", enum_json(IO_ENUM_INTERLEAVE, d->interleave));
    json_object_set_new(out, "swizzle", enum_json(IO_ENUM_SWIZZLE, d->swizzle));
    json_object_set_new(out, "l2_promotion", enum_json(IO_ENUM_L2, d->l2_promotion));
    json_object_set_new(out, "oob_fill", enum_json(IO_ENUM_OOB, d->oob_fill));
    set_memory(out, d);
    return out;
}

static void set_operands(json_t *out, const struct tmap_use *u)
{
    const size_t n = u->coord_count < TMAP_MAX_RANK ? u->coord_count : TMAP_MAX_RANK;

    if (u->flags & TMAP_USE_COORD) json_object_set_new(out, "coord", corners(u->coord, n));
    if (u->flags & TMAP_USE_SMEM) json_object_set_new(out, "smem", io_address_json(u->smem));
    if (u->flags & TMAP_USE_EXPECT_TX)
        json_object_set_new(out, "expect_tx", io_u64_json(u->expect_tx));
    if (u->flags & TMAP_USE_MBARRIER)
        json_object_set_new(out, "mbarrier", io_address_json(u->mbarrier));
    if (u->flags & TMAP_USE_OFFSET)
        json_object_set_new(out, "offset", list32(u->offset, TMAP_MAX_SPATIAL));
    if (u->flags & TMAP_USE_CTA_DST) json_object_set_new(out, "dst", json_string("cta"));
    if (u->consumer)
        json_object_set_new(out, "consumer", enum_json(IO_ENUM_CONSUMER, (int32_t)u->consumer));
    if (u->major) json_object_set_new(out, "major", enum_json(IO_ENUM_MAJOR, (int32_t)u->major));
    if (u->multicast) json_object_set_new(out, "multicast", json_integer(u->multicast));
    if (u->cta_group) json_object_set_new(out, "cta_group", json_integer(u->cta_group));
}

json_t *io_use_json(const struct tmap_use *u)
{
    json_t *out = json_object();

    json_object_set_new(out, "op", enum_json(IO_ENUM_OP, (int32_t)u->op));
    set_operands(out, u);
    if (u->op == TMAP_OP_REPLACE) {
        json_object_set_new(out, "field", enum_json(IO_ENUM_FIELD, (int32_t)u->field));
        json_object_set_new(out, "ordinal", json_integer(u->ordinal));
    }
    if (u->op == TMAP_OP_REPLACE || u->op == TMAP_OP_REPLACE_ADDRESS)
        json_object_set_new(out, "value", io_u64_json(u->value));
    return out;
}
