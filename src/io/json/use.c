/* use.c : one use of a descriptor from its JSON object. */
#include "io/json/read.h"
#include "tmap/solve.h"

#include <string.h>

static const char *const keys[] = {"op",       "coord",     "smem",      "expect_tx", "mbarrier",
                                   "offset",   "multicast", "cta_group", "dst",       "field",
                                   "consumer", "major",     "ordinal",   "value",     NULL};

/* The numbers of a use that are meant only when they are there. */
static bool flagged(const struct io_at *at, json_t *object, const char *key, uint32_t flag,
                    struct tmap_use *use, uint64_t *out)
{
    json_t *value = json_object_get(object, key);
    if (!value) return true;
    use->flags |= flag;
    return io_get_u64(at, key, -1, value, out);
}

static bool plain(const struct io_at *at, json_t *object, const char *key, uint32_t *out)
{
    json_t *value = json_object_get(object, key);
    return !value || io_get_u32(at, key, -1, value, out);
}

static bool array_of(const struct io_at *at, json_t *value, const char *key, size_t most)
{
    char path[96];
    io_path_of(at->path, key, -1, path, sizeof path);
    if (!json_is_array(value))
        return io_fail(at->record, path, "expected an array, not %s", io_type_name(value));
    if (json_array_size(value) > most)
        return io_fail(at->record, path, "%zu entries; at most %zu", json_array_size(value), most);
    return true;
}

static bool read_coord(const struct io_at *at, json_t *object, struct tmap_use *use)
{
    json_t *value = json_object_get(object, "coord");

    if (!value) return true;
    if (!array_of(at, value, "coord", TMAP_MAX_RANK)) return false;
    use->flags |= TMAP_USE_COORD;
    use->coord_count = (uint32_t)json_array_size(value);
    for (uint32_t i = 0; i < use->coord_count; i++)
        if (!io_get_i32(at, "coord", (int)i, json_array_get(value, i), &use->coord[i]))
            return false;
    return true;
}

static bool read_offset(const struct io_at *at, json_t *object, struct tmap_use *use)
{
    json_t *value = json_object_get(object, "offset");

    if (!value) return true;
    if (!array_of(at, value, "offset", TMAP_MAX_SPATIAL)) return false;
    use->flags |= TMAP_USE_OFFSET;
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!io_get_u32(at, "offset", (int)i, json_array_get(value, i), &use->offset[i]))
            return false;
    return true;
}

/* "cta" is .shared::cta; "cluster", the default, .shared::cluster. */
static bool read_dst(const struct io_at *at, json_t *object, struct tmap_use *use)
{
    json_t *value = json_object_get(object, "dst");
    const char *text = json_string_value(value);
    char path[96];

    if (!value || (text && strcmp(text, "cluster") == 0)) return true;
    if (text && strcmp(text, "cta") == 0) {
        use->flags |= TMAP_USE_CTA_DST;
        return true;
    }
    io_path_of(at->path, "dst", -1, path, sizeof path);
    return io_fail(at->record, path, "expected \"cluster\" or \"cta\"");
}

static bool named(const struct io_at *at, json_t *object, const char *key, enum values which,
                  uint32_t *out)
{
    json_t *value = json_object_get(object, key);
    int32_t number;

    if (!io_get_enum(at, key, value, which, &number)) return false;
    *out = (uint32_t)number;
    return true;
}

/* "wgmma_k_major": both in one word, as requests of solve have it. */
static bool both_in_one(json_t *object, struct tmap_use *use)
{
    const char *text = json_string_value(json_object_get(object, "consumer"));
    uint32_t consumer, major;
    if (!text || json_object_get(object, "major")) return false;
    for (size_t i = 0; tmap_consumer_at(i, &consumer, &major); i++) {
        if (strcmp(text, tmap_consumer_name(consumer, major)) != 0) continue;
        use->consumer = consumer;
        use->major = major;
        return true;
    }
    return false;
}

/* "consumer": who reads the box after the load; "major": what its rows run along. */
static bool read_reader(const struct io_at *at, json_t *object, struct tmap_use *use)
{
    if (both_in_one(object, use)) return true;
    return (!json_object_get(object, "consumer") ||
            named(at, object, "consumer", VALUES_CONSUMER, &use->consumer)) &&
           (!json_object_get(object, "major") ||
            named(at, object, "major", VALUES_MAJOR, &use->major));
}

static bool read_patch(const struct io_at *at, json_t *object, struct tmap_use *use)
{
    bool replace = use->op == TMAP_OP_REPLACE, address = use->op == TMAP_OP_REPLACE_ADDRESS;
    const char *absent = NULL;

    if (replace && !json_object_get(object, "field")) absent = "field";
    if ((replace || address) && !json_object_get(object, "value")) absent = "value";
    if (absent) return io_fail(at->record, at->path, "\"%s\" is missing", absent);
    if (json_object_get(object, "field") && !named(at, object, "field", VALUES_FIELD, &use->field))
        return false;
    return flagged(at, object, "value", 0, use, &use->value);
}

bool io_use_from(struct io_record *record, json_t *object, const char *path, unsigned flags,
                 struct tmap_use *out)
{
    const struct io_at at = {record, path, flags};
    /* what decides the instruction is no expression */
    const struct io_at strict = {record, path, flags & ~(unsigned)IO_SYMBOLIC};

    memset(out, 0, sizeof *out);
    if (!json_is_object(object))
        return io_fail(record, path, "expected an object, not %s", io_type_name(object));
    if (!io_check_keys(&at, object, keys)) return false;
    if (!json_object_get(object, "op")) return io_fail(record, path, "\"op\" is missing");
    return named(&at, object, "op", VALUES_OP, &out->op) && read_coord(&at, object, out) &&
           read_offset(&at, object, out) && read_dst(&at, object, out) &&
           read_reader(&at, object, out) &&
           flagged(&at, object, "smem", TMAP_USE_SMEM, out, &out->smem) &&
           flagged(&at, object, "expect_tx", TMAP_USE_EXPECT_TX, out, &out->expect_tx) &&
           flagged(&at, object, "mbarrier", TMAP_USE_MBARRIER, out, &out->mbarrier) &&
           plain(&at, object, "multicast", &out->multicast) &&
           plain(&strict, object, "cta_group", &out->cta_group) &&
           plain(&strict, object, "ordinal", &out->ordinal) && read_patch(&strict, object, out);
}
