/* symbolic.c : where a number may stand, a string is an expression; one that is a plain number
 * reads as the same number. */
#include "io/json/symbolic.h"

#include <string.h>

static void take_list(const json_t *list, const char **out, size_t n)
{
    if (json_is_string(list)) out[0] = json_string_value(list);
    for (size_t i = 0; i < n && i < json_array_size(list); i++) {
        out[i] = json_string_value(json_array_get(list, i));
    }
}

void io_symbolic_of(const struct io_record *record, struct tmap_symbolic_desc *out)
{
    const json_t *object = record->json, *allocation = json_object_get(object, "allocation");
    memset(out, 0, sizeof *out);
    out->desc = record->desc;
    out->address = json_string_value(json_object_get(object, "address"));
    out->map_address = json_string_value(json_object_get(object, "map_address"));
    out->channels = json_string_value(json_object_get(object, "channels"));
    out->pixels = json_string_value(json_object_get(object, "pixels"));
    out->allocation_base = json_string_value(json_object_get(allocation, "base"));
    out->allocation_bytes = json_string_value(json_object_get(allocation, "bytes"));
    take_list(json_object_get(object, "dim"), out->dim, TMAP_MAX_RANK);
    take_list(json_object_get(object, "stride"), out->stride, TMAP_MAX_RANK - 1);
    take_list(json_object_get(object, "box"), out->box, TMAP_MAX_RANK);
    take_list(json_object_get(object, "elem_stride"), out->elem_stride, TMAP_MAX_RANK);
    take_list(json_object_get(object, "lower"), out->lower, TMAP_MAX_SPATIAL);
    take_list(json_object_get(object, "upper"), out->upper, TMAP_MAX_SPATIAL);
}

void io_symbolic_uses_of(const struct io_record *record, struct tmap_symbolic_use *out)
{
    const json_t *list = json_object_get(record->json, "uses");
    for (size_t i = 0; i < record->use_count; i++) {
        const json_t *use = json_array_get(list, i);
        memset(&out[i], 0, sizeof out[i]);
        out[i].use = record->uses[i];
        take_list(json_object_get(use, "coord"), out[i].coord, TMAP_MAX_RANK);
        take_list(json_object_get(use, "offset"), out[i].offset, TMAP_MAX_SPATIAL);
        out[i].smem = json_string_value(json_object_get(use, "smem"));
        out[i].expect_tx = json_string_value(json_object_get(use, "expect_tx"));
        out[i].mbarrier = json_string_value(json_object_get(use, "mbarrier"));
        out[i].multicast = json_string_value(json_object_get(use, "multicast"));
    }
}

size_t io_assumptions_of(const struct io_record *record, const char **out, size_t cap)
{
    const json_t *list = json_object_get(record->json, "assume");
    for (size_t i = 0; i < json_array_size(list) && i < cap; i++) {
        out[i] = json_string_value(json_array_get(list, i));
    }
    return json_array_size(list);
}
