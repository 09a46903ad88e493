/* The maps of K and V: what they describe, and whether they may be used. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/paged/suite.h"

enum tmap_status paged_refuse(struct tmap_paged_refusal *refusal, enum tmap_status status,
                              const char *format, ...)
{
    va_list args;
    if (refusal == NULL) return status;
    *refusal = (struct tmap_paged_refusal){.violation = {TMAP_NO_ROW, -1}};
    va_start(args, format);
    vsnprintf(refusal->text, sizeof refusal->text, format, args);
    va_end(args);
    return status;
}

uint32_t paged_box_tokens(int32_t page_size)
{
    uint32_t tokens = 1;
    while (tokens < PAGED_TOKENS && (uint32_t)page_size % (2 * tokens) == 0) tokens *= 2;
    return tokens;
}

/* Piece of a head's row, token, which piece, head, page: a box is all pieces of some tokens of one
 * head, so that one copy fills rows of the swizzle's span. */
static struct tmap_desc describe(const struct tmap_paged_problem *p,
                                 const struct tmap_paged_cache *cache)
{
    const uint64_t pieces = (uint64_t)p->dim / PAGED_SPAN;
    struct tmap_desc d = {
        .kind = TMAP_TILED,
        .dtype = p->kind == TMAP_PAGED_BF16 ? TMAP_BFLOAT16 : TMAP_FLOAT16,
        .rank = 5,
        .address = cache->address,
        .dim = {PAGED_SPAN, (uint64_t)p->page_size, pieces, (uint64_t)p->kv_heads,
                (uint64_t)p->pages},
        .stride_bytes = {(uint64_t)cache->token_stride * 2, PAGED_SPAN_BYTES,
                         (uint64_t)cache->head_stride * 2, (uint64_t)cache->page_stride * 2},
        .box = {PAGED_SPAN, paged_box_tokens(p->page_size), (uint32_t)pieces, 1, 1},
        .swizzle = TMAP_SWIZZLE_128B,
        .l2_promotion = pieces > 1 ? TMAP_L2_256B : TMAP_L2_128B};
    for (int i = 0; i < TMAP_MAX_RANK; i++) d.elem_stride[i] = 1;
    return d;
}

static enum tmap_status blame(const struct tmap_paged *suite, const struct tmap_desc *desc,
                              const struct tmap_use *use, const struct tmap_violation *violation,
                              int which, struct tmap_paged_refusal *refusal)
{
    struct tmap_detail detail;
    const char *needs = "";
    if (refusal == NULL) return TMAP_E_ILLEGAL;
    if (tmap_detail_of(&suite->checker.target, desc, use, violation, &detail) == TMAP_OK)
        needs = detail.needs;
    paged_refuse(refusal, TMAP_E_ILLEGAL, "%s %s: the %s of %c: %s", tmap_row_id(violation->row),
                 tmap_row_name(violation->row), use ? "use" : "map", "KV"[which], needs);
    refusal->operand = "KV"[which];
    refusal->violation = *violation;
    return TMAP_E_ILLEGAL;
}

/* Boxes follow one another in a slot, so that the second one's place says what all places need; the
 * page behind the last one is where boxes of no token are. */
static struct tmap_use use_of(const struct tmap_desc *desc)
{
    struct tmap_use use = {.op = TMAP_OP_LOAD, .coord_count = desc->rank};
    use.flags = TMAP_USE_COORD | TMAP_USE_SMEM | TMAP_USE_CTA_DST;
    use.coord[desc->rank - 1] = (int32_t)desc->dim[desc->rank - 1];
    use.smem = PAGED_SLOT_ALIGN + (uint64_t)desc->box[1] * desc->box[2] * PAGED_SPAN_BYTES;
    return use;
}

enum tmap_status paged_make_map(const struct tmap_paged *suite,
                                const struct tmap_paged_problem *problem, int which,
                                struct tmap_desc *desc, struct paged_map *map,
                                struct tmap_paged_refusal *refusal)
{
    struct tmap_violation violation;
    enum tmap_verdict verdict;
    struct tmap_map encoded;
    size_t found = 0;
    *desc = describe(problem, which ? &problem->v : &problem->k);
    const struct tmap_use use = use_of(desc);
    enum tmap_status status =
        tmap_check_with(&suite->checker, desc, &violation, 1, &found, &verdict);
    if (status == TMAP_OK && found) return blame(suite, desc, NULL, &violation, which, refusal);
    if (status == TMAP_OK)
        status = tmap_check_use(&suite->checker, desc, &use, &violation, 1, &found, &verdict);
    if (status == TMAP_OK && found) return blame(suite, desc, &use, &violation, which, refusal);
    if (status == TMAP_OK) status = tmap_encode(&suite->checker, desc, &encoded);
    if (status == TMAP_OK) memcpy(map->word, encoded.word, sizeof map->word);
    return status;
}
