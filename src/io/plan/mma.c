/* mma.c : what multiplies in a pipeline, from JSON. */
#include "io/plan/plan.h"

#include <string.h>

/* Codes by name. `kinds` is a mask of the kinds in which a name has the code. */
struct word {
    const char *text;
    uint32_t kinds, code;
};
#define EVERY UINT32_MAX

static const struct word kinds[] = {
#define MMA_KIND(id, text, bits, k) {text, EVERY, TMAP_MMA_##id},
#include "rules/mma.def"
    {NULL, 0, 0}};
static const struct word types[] = {
#define MMA_TYPE(text, kinds, code) {text, kinds, code},
#include "rules/mma.def"
    {NULL, 0, 0}};
static const struct word sums[] = {
#define MMA_SUM(text, code) {text, EVERY, code},
#include "rules/mma.def"
    {NULL, 0, 0}};
static const struct word scales[] = {
#define MMA_SCALE(text, code) {text, EVERY, code},
#include "rules/mma.def"
    {NULL, 0, 0}};

/* A name that the kind has, or a raw code; absent: otherwise. */
static bool word_from(const struct io_at *at, json_t *mma, const char *key,
                      const struct word *words, uint32_t kind, uint32_t otherwise, uint32_t *out)
{
    json_t *value = json_object_get(mma, key);
    const char *text = json_string_value(value);
    *out = otherwise;
    if (!value) return true;
    for (const struct word *w = words; text && w->text; w++)
        if (strcmp(text, w->text) == 0 && (kind >= 32 || w->kinds >> kind & 1)) {
            *out = w->code;
            return true;
        }
    return io_get_u32(at, key, -1, value, out);
}

static bool numbers_from(const struct io_at *at, json_t *mma, struct tmap_pipeline *p)
{
    const struct {
        const char *key;
        uint32_t *to;
    } numbers[] = {{"m", &p->mma.m},
                   {"n", &p->mma.n},
                   {"k", &p->mma.k},
                   {"block_k", &p->mma.block_k},
                   {"scale_block", &p->mma.scale_block},
                   {"accumulators", &p->accumulators},
                   {"scale_stages", &p->scale_stages},
                   {"alloc_warps", &p->alloc_warps},
                   {"alloc_group", &p->alloc_group}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_t *value = json_object_get(mma, numbers[i].key);
        if (value && !io_get_u32(at, numbers[i].key, -1, value, numbers[i].to)) return false;
    }
    return true;
}

/* The first type of the kind, and of its sums and factors. */
static uint32_t first_type(uint32_t kind)
{
    for (const struct word *w = types; w->text; w++)
        if (kind < 32 && w->kinds >> kind & 1) return w->code;
    return 0;
}

bool io_mma_from(struct io_record *r, json_t *mma, struct tmap_pipeline *p)
{
    static const char *const known[] = {"kind",
                                        "m",
                                        "n",
                                        "k",
                                        "a",
                                        "b",
                                        "d",
                                        "block_k",
                                        "scale_block",
                                        "scale_type",
                                        "accumulators",
                                        "scale_stages",
                                        "alloc_warps",
                                        "alloc_group",
                                        NULL};
    const struct io_at at = {r, "$.mma", 0};
    const uint32_t sum = 1, integers = 2;
    if (!json_is_object(mma)) return io_fail(r, "$.mma", "expected an object");
    if (!io_check_keys(&at, mma, known)) return false;
    if (!json_object_get(mma, "kind") || !json_object_get(mma, "m") || !json_object_get(mma, "n"))
        return io_fail(r, "$.mma", "kind, m and n are needed");
    if (!word_from(&at, mma, "kind", kinds, EVERY, 0, &p->mma.kind)) return false;
    const uint32_t kind = p->mma.kind;
    return word_from(&at, mma, "a", types, kind, first_type(kind), &p->mma.a_type) &&
           word_from(&at, mma, "b", types, kind, first_type(kind), &p->mma.b_type) &&
           word_from(&at, mma, "d", sums, kind, kind == TMAP_MMA_I8 ? integers : sum,
                     &p->mma.d_type) &&
           word_from(&at, mma, "scale_type", scales, kind, 1, &p->mma.scale_type) &&
           numbers_from(&at, mma, p);
}
