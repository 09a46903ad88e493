/* request.c : a requested tile from JSON. */
#include "io/plan/plan.h"
#include "expr/values.h"
#include "io/json/read.h"

#include <string.h>

/* What is wrong with the box is said of the tile, which it was taken from. */
static void say_tile(struct io_record *r)
{
    static const char box[] = "$.tensor.box";
    const size_t n = sizeof box - 1;
    char path[sizeof r->path + sizeof "$.tile"], error[sizeof r->error];
    if (strncmp(r->path, box, n) != 0 || (r->path[n] && r->path[n] != '[')) return;
    snprintf(path, sizeof path, "$.tile%s", r->path + n);
    snprintf(error, sizeof error, "%s", r->error);
    io_fail(r, path, "%s", error);
}

/* The tensor as a descriptor: the reader wants a box, and takes the tile for one. */
static bool tensor_from(struct io_record *r, json_t *tensor, json_t *tile, struct tmap_desc *out)
{
    if (!json_is_object(tensor)) return io_fail(r, "$.tensor", "expected an object");
    json_t *full = json_copy(tensor);
    json_object_set(full, "box", tile);
    const bool ok = io_desc_from(r, full, "$.tensor", 0, out);
    json_decref(full);
    if (!ok) say_tile(r);
    return ok;
}

static bool op_of(json_t *value, uint32_t *out)
{
    const char *text = json_string_value(value);
    *out = text && strcmp(text, "store") == 0 ? TMAP_OP_STORE : TMAP_OP_LOAD;
    return !value || (text && (*out == TMAP_OP_STORE || strcmp(text, "load") == 0));
}

/* "wgmma_k_major" in one word; or "wgmma" and "major", as uses have it. */
static bool consumer_of(json_t *value, json_t *major, struct tmap_tile_request *w)
{
    const char *text = json_string_value(value);
    int32_t number = 0, along = TMAP_K_MAJOR;
    if (text && value_find(VALUES_CONSUMER, text, &number)) {
        if (major &&
            (!json_is_string(major) || !value_find(VALUES_MAJOR, json_string_value(major), &along)))
            return false;
        w->consumer = (uint32_t)number;
        w->major = (uint32_t)along;
        return tmap_consumer_name(w->consumer, w->major) != NULL;
    }
    if (major) return false;
    for (size_t i = 0; text && tmap_consumer_at(i, &w->consumer, &w->major); i++)
        if (strcmp(text, tmap_consumer_name(w->consumer, w->major)) == 0) return true;
    w->consumer = w->major = 0;
    return value == NULL;
}

/* What a tensor of more dimensions says beside them; torch's words say no more. */
static bool given_from(struct io_record *r, const json_t *tensor, json_t *tile,
                       struct tmap_desc *out)
{
    json_t *full = json_copy((json_t *)tensor);
    if (!json_object_get(full, "stride")) json_object_set_new(full, "stride", json_null());
    const bool ok = tensor_from(r, full, tile, out);
    json_decref(full);
    return ok;
}

/* A tensor that no descriptor holds, as one that does; or why there is none. */
static bool fold_from(struct io_record *r, json_t *tensor, json_t *tile, struct io_request *out)
{
    struct tmap_desc given = {.kind = TMAP_TILED};
    if (!io_tensor_from(r, tensor, "$.tensor", tile, "$.tile", &out->tensor) ||
        !(out->tensor.outermost_first || given_from(r, tensor, tile, &given)))
        return false;
    out->folded = true;
    tmap_fold_tensor(&out->tensor.tensor, &out->fold);
    io_fold_given(&given, &out->fold);
    out->request.tensor = out->fold.desc;
    return true;
}

bool io_request_from(struct io_record *r, struct io_request *out)
{
    static const char *const known[] = {"name",     "tensor", "tile",      "op",
                                        "consumer", "major",  "multicast", NULL};
    const struct io_at at = {r, "$", 0};
    json_t *tile = json_object_get(r->json, "tile"), *cast = json_object_get(r->json, "multicast");
    json_t *tensor = json_object_get(r->json, "tensor");
    struct tmap_tile_request *w = &out->request;
    memset(out, 0, sizeof *out);
    if (!json_is_object(r->json)) return io_fail(r, "$", "expected an object");
    if (!io_check_keys(&at, r->json, known)) return false;
    if (!json_is_array(tile)) return io_fail(r, "$.tile", "expected an array of numbers");
    if (!(io_is_tensor(tensor) ? fold_from(r, tensor, tile, out)
                               : tensor_from(r, tensor, tile, &w->tensor)))
        return false;
    memcpy(w->tile, w->tensor.box, sizeof w->tile);
    if (!op_of(json_object_get(r->json, "op"), &w->op)) return io_fail(r, "$.op", "load or store");
    if (!consumer_of(json_object_get(r->json, "consumer"), json_object_get(r->json, "major"), w))
        return io_fail(r, "$.consumer",
                       "none, ldmatrix, wgmma_k_major, wgmma_mn_major, "
                       "tcgen05_k_major or tcgen05_mn_major; or wgmma with \"major\"");
    if (out->folded && out->fold.moved && w->consumer)
        snprintf(
            out->fold.reason, sizeof out->fold.reason,
            "the elements that are side by side are not those of the innermost dimension, which "
            "the consumer reads along: request it with that dimension innermost, and the other "
            "major");
    return !cast || io_get_u32(&at, "multicast", -1, cast, &w->multicast);
}
