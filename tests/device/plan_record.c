// Records of plans that were run; see plan_record.h.
#include "device/plan_record.h"

#include <inttypes.h>
#include <string.h>

// --- numbers ------------------------------------------------------------------------------------
static void put(FILE *f, int64_t v)
{
    fprintf(f, "%" PRId64 " ", v);
}

static bool get(FILE *f, int64_t *v)
{
    return fscanf(f, "%" SCNd64, v) == 1;
}

// Every number of a record, in order; N(x) moves one between the file and the struct.
// clang-format off
#define DESC(d, N)                                                                                 \
    N((d)->kind) N((d)->dtype) N((d)->rank) N((d)->interleave) N((d)->swizzle) N((d)->oob_fill)    \
    N((d)->address)                                                                                \
    for (uint32_t i = 0; i < (d)->rank && i < TMAP_MAX_RANK; i++) {                                \
        N((d)->dim[i]) N((d)->elem_stride[i])                                                      \
        if (i) N((d)->stride_bytes[i - 1])                                                         \
        if ((d)->kind == TMAP_TILED) N((d)->box[i])                                                \
    }                                                                                              \
    for (uint32_t i = 0; i + 2 < (d)->rank && i < 3 && (d)->kind != TMAP_TILED; i++) {             \
        N((d)->lower[i]) N((d)->upper[i])                                                          \
    }                                                                                              \
    if ((d)->kind != TMAP_TILED) {                                                                 \
        N((d)->channels) N((d)->pixels)                                                            \
    }
#define SEEN(p, s, N)                                                                              \
    for (uint32_t i = 0; i < (p)->desc.rank && i < TMAP_MAX_RANK; i++) {                           \
        N((s)->coord[i])                                                                           \
        if ((p)->desc.kind == TMAP_TILED) N((s)->box[i])                                           \
    }                                                                                              \
    if ((p)->desc.kind != TMAP_TILED) {                                                            \
        N((s)->channels) N((s)->pixels)                                                            \
    }                                                                                              \
    N((s)->digest)
#define RECORD(c, p, N)                                                                            \
    N((c)->cls) N((c)->op) N((c)->consumer) N((c)->major) N((c)->choice) N((c)->seed)              \
    DESC(&(c)->request, N)                                                                         \
    for (uint32_t i = 0; i < (c)->request.rank && i < TMAP_MAX_RANK; i++) N((c)->coord[i])         \
    DESC(&(p)->desc, N) N((p)->copies) N((p)->slot_bytes)
// clang-format on

void plan_record_write(FILE *f, const struct plan_record *r)
{
    const struct plan_case *c = &r->c;
    const struct tmap_plan *p = &c->plan;
#define N(x) put(f, (int64_t)(x));
    RECORD(c, p, N)
    for (uint32_t n = 0; n < p->copies; n++) {
        const struct plan_seen *s = &r->seen[n];
        SEEN(p, s, N)
    }
#undef N
    fputc('\n', f);
}

bool plan_record_read(FILE *f, struct plan_record *r)
{
    struct plan_case *c = &r->c;
    struct tmap_plan *p = &c->plan;
    int64_t v;
    memset(r, 0, sizeof *r);
#define N(x)                                                                                       \
    {                                                                                              \
        if (!get(f, &v)) return false;                                                             \
        (x) = (__typeof__(x))v;                                                                    \
    }
    RECORD(c, p, N)
    for (uint32_t n = 0; n < p->copies && n < PLAN_COPIES; n++) {
        struct plan_seen *s = &r->seen[n];
        SEEN(p, s, N)
    }
#undef N
    return p->copies > 0 && p->copies <= PLAN_COPIES;
}

// --- copies -------------------------------------------------------------------------------------
uint64_t plan_digest(const uint8_t *image, uint64_t bytes)
{
    uint64_t digest = bytes;
    for (uint64_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t w;
        memcpy(&w, image + i, 8);
        digest = executor_hash(digest ^ w, i);
    }
    return digest;
}

void plan_record_copy(struct plan_record *r, uint32_t n, const struct device_case *copy,
                      const uint8_t *image)
{
    struct plan_seen *s = &r->seen[n];
    memcpy(s->coord, copy->use.coord, sizeof s->coord);
    memcpy(s->box, copy->desc.box, sizeof s->box);
    s->channels = copy->desc.channels;
    s->pixels = copy->desc.pixels;
    s->digest = plan_digest(image, copy->window ? copy->window_bytes : copy->image_bytes);
}

void plan_record_case(const struct plan_record *r, uint32_t n, uint64_t window,
                      struct device_case *copy)
{
    const struct plan_seen *s = &r->seen[n];
    plan_copy_of(&r->c, n, &r->c.plan.desc, window, copy);
    memcpy(copy->use.coord, s->coord, sizeof s->coord);
    memcpy(copy->desc.box, s->box, sizeof s->box);
    copy->desc.channels = s->channels;
    copy->desc.pixels = s->pixels;
}

void plan_record_move(struct plan_record *r, uint64_t by)
{
    r->c.request.address += by;
    r->c.plan.desc.address += by;
}
