// Which barriers are one ring: those that one instruction names in turn. Which bytes are a buffer:
// those whose arrival the barriers of a ring count, the columns that products sum into and others
// read, and the bytes that the copy engine stores.
#include "emulate/protocol/fold.h"

#include <stdlib.h>
#include <string.h>

// Of CTAs that count other arrivals at a place, each have a site of their own.
struct sites {
    uint32_t offset[MOST_BARRIERS], arrivals[MOST_BARRIERS], ctas[MOST_BARRIERS], count;
    uint32_t of[MOST_BARRIERS]; // the first of the same ring
};

// MOST_BARRIERS: not made.
static uint32_t number_of(const struct sites *s, uint32_t offset, uint32_t cta)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->offset[i] == offset && (s->ctas[i] >> cta & 1)) return i;
    return MOST_BARRIERS;
}

static void join(struct sites *s, uint32_t a, uint32_t b)
{
    const uint32_t from = s->of[a], to = s->of[b];
    for (uint32_t i = 0; i < s->count; i++)
        if (s->of[i] == from) s->of[i] = to;
}

static bool names_barrier(const struct act *a)
{
    return a->op == ACT_WAIT || a->op == ACT_LOOK || a->op == ACT_ARRIVE || a->op == ACT_EXPECT ||
           a->op == ACT_LOAD || a->op == ACT_COMMIT;
}

static bool init_site(struct fold *f, struct sites *s, const struct act *a)
{
    const uint32_t known = number_of(s, a->barrier, a->by_cta);
    uint32_t n = 0;
    if (known < MOST_BARRIERS && s->arrivals[known] == a->value) return true;
    if (known < MOST_BARRIERS)
        return fold_fail(f, a->line,
                         "the mbarrier at shared 0x%x has %u arrivals, and %u elsewhere",
                         a->barrier, a->value, s->arrivals[known]);
    while (n < s->count && (s->offset[n] != a->barrier || s->arrivals[n] != a->value)) n++;
    if (n == MOST_BARRIERS) return fold_fail(f, a->line, "more than %d mbarriers", MOST_BARRIERS);
    if (n == s->count) {
        s->offset[n] = a->barrier;
        s->arrivals[n] = a->value;
        s->of[n] = n;
        s->count++;
    }
    s->ctas[n] |= 1u << a->by_cta;
    return true;
}

static bool init_sites(struct fold *f, struct sites *s)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++)
            if (f->run[r]->act[i].op == ACT_INIT && !init_site(f, s, &f->run[r]->act[i]))
                return false;
    return true;
}

struct naming { // instructions that name barriers
    uint32_t line, first, ctas;
    uint8_t op;
};
enum { MOST_NAMINGS = 512 };

// What one instruction names in the course of the runs is one ring.
static bool join_site(struct fold *f, struct sites *s, const struct act *a, struct naming *seen,
                      uint32_t *count)
{
    const uint32_t n = number_of(s, a->barrier, a->barrier_cta); // made, or the run had found it
    const struct naming now = {a->line, n, s->ctas[n], a->op};
    uint32_t k = 0;
    while (k < *count &&
           (seen[k].line != now.line || seen[k].op != now.op || seen[k].ctas != now.ctas))
        k++;
    if (k == MOST_NAMINGS)
        return fold_fail(f, a->line, "more than %d instructions name mbarriers", MOST_NAMINGS);
    if (k == *count)
        seen[(*count)++] = now;
    else
        join(s, n, seen[k].first);
    return true;
}

static bool join_sites(struct fold *f, struct sites *s)
{
    struct naming *seen = calloc(MOST_NAMINGS, sizeof *seen);
    uint32_t count = 0;
    bool good = true;
    if (!seen) return fold_memory(f);
    for (size_t r = 0; good && r < f->runs; r++)
        for (size_t i = 0; good && i < f->run[r]->count; i++)
            if (names_barrier(&f->run[r]->act[i]))
                good = join_site(f, s, &f->run[r]->act[i], seen, &count);
    free(seen);
    return good;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_at(const struct act *a, uint32_t offset, uint32_t ctas)
{
    return a->barrier == offset && (ctas >> a->barrier_cta & 1);
}

static bool used(const struct fold *f, const struct ring_object *o)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++)
            if (names_barrier(&f->run[r]->act[i]) && is_at(&f->run[r]->act[i], o->at[0], o->ctas))
                return true;
    return false;
}

static bool make_ring(struct fold *f, const struct sites *s, uint32_t first)
{
    struct ring_object o = {.arrivals = s->arrivals[first], .ctas = s->ctas[first]};
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->of[i] != first) continue;
        if (o.depth == TMAP_PROTOCOL_DEPTH)
            return fold_fail(f, 0, "a ring of more than %d barriers", TMAP_PROTOCOL_DEPTH);
        if (s->arrivals[i] != o.arrivals)
            return fold_fail(f, 0, "the barriers of a ring count %u arrivals and %u", o.arrivals,
                             s->arrivals[i]);
        o.at[o.depth++] = s->offset[i];
    }
    if (o.depth == 1 && !used(f, &o)) return true;
    if (f->barriers == TMAP_PROTOCOL_BARRIERS)
        return fold_fail(f, 0, "more than %d rings of barriers", TMAP_PROTOCOL_BARRIERS);
    qsort(o.at, o.depth, sizeof o.at[0], by_value);
    f->barrier[f->barriers++] = o;
    return true;
}

static bool find_barriers(struct fold *f)
{
    struct sites s = {.count = 0};
    if (!init_sites(f, &s) || !join_sites(f, &s)) return false;
    for (uint32_t i = 0; i < s.count; i++)
        if (s.of[i] == i && !make_ring(f, &s, i)) return false;
    return true;
}

bool barrier_named(const struct fold *f, const struct act *a, uint8_t *array, uint8_t *slot)
{
    for (uint32_t b = 0; b < f->barriers; b++)
        for (uint32_t i = 0; i < f->barrier[b].depth; i++)
            if (is_at(a, f->barrier[b].at[i], f->barrier[b].ctas)) {
                *array = (uint8_t)b;
                *slot = (uint8_t)i;
                return true;
            }
    return false;
}

// --- buffers

static bool add_range(struct fold *f, const struct range *n)
{
    for (uint32_t i = 0; i < f->ranges; i++) {
        struct range *o = &f->range[i];
        if (o->buffer != n->buffer || o->slot != n->slot || o->cta != n->cta || o->to < n->from ||
            o->from > n->to)
            continue;
        if (n->from < o->from) o->from = n->from;
        if (n->to > o->to) o->to = n->to;
        return true;
    }
    if (f->ranges == MOST_RANGES) return fold_fail(f, 0, "more than %d buffers", MOST_RANGES);
    f->range[f->ranges++] = *n;
    return true;
}

static bool new_buffer(struct fold *f, uint32_t depth, uint8_t space, uint8_t *out)
{
    if (f->buffers == TMAP_PROTOCOL_BUFFERS)
        return fold_fail(f, 0, "more than %d buffers", TMAP_PROTOCOL_BUFFERS);
    f->space[f->buffers] = space;
    f->buffer[f->buffers].depth = depth;
    *out = (uint8_t)f->buffers++;
    return true;
}

// The first array of barriers at the same place, in whatever CTAs: they guard one buffer.
static uint8_t first_there(const struct fold *f, uint8_t array)
{
    uint8_t first = 0;
    while (f->barrier[first].at[0] != f->barrier[array].at[0]) first++;
    return first;
}

// What copies whose bytes one ring of barriers counts bring, of each barrier a slot.
static bool find_loaded(struct fold *f)
{
    uint8_t buffer_of[TMAP_PROTOCOL_BARRIERS];
    memset(buffer_of, UINT8_MAX, sizeof buffer_of);
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            uint8_t array = 0, slot = 0;
            if (a->op != ACT_LOAD) continue;
            barrier_named(f, a, &array, &slot);
            uint8_t *b = &buffer_of[first_there(f, array)];
            if (*b == UINT8_MAX && !new_buffer(f, f->barrier[array].depth, SPACE_SHARED, b))
                return false;
            if (!f->buffer[*b].at[slot] || a->at < f->buffer[*b].at[slot])
                f->buffer[*b].at[slot] = a->at;
            if (!add_range(f, &(struct range){*b, slot, a->cta, a->at, a->at + a->bytes}))
                return false;
        }
    return true;
}

static bool is_fetched(const struct fold *f, const struct act *sum)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            if (a->op == ACT_FETCH && a->at < sum->at + sum->bytes && sum->at < a->at + a->bytes)
                return true;
        }
    return false;
}

typedef bool counts_fn(const struct fold *, const struct act *);

// Where acts of the kind begin.
static bool find_places(struct fold *f, enum act_op op, counts_fn *counts, struct ring_object *o)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            uint32_t k = 0;
            if (a->op != op || !counts(f, a)) continue;
            while (k < o->depth && o->at[k] != a->at) k++;
            if (k < o->depth) continue;
            if (o->depth == TMAP_PROTOCOL_DEPTH)
                return fold_fail(f, a->line, "a buffer of more than %d slots", TMAP_PROTOCOL_DEPTH);
            o->at[o->depth++] = a->at;
        }
    qsort(o->at, o->depth, sizeof o->at[0], by_value);
    return true;
}

// A buffer of these places, of each as much as the acts name; none without places.
static bool place_buffer(struct fold *f, enum act_op op, counts_fn *counts, uint8_t space,
                         const struct ring_object *o)
{
    uint8_t buffer = 0;
    if (o->depth == 0) return true;
    if (!new_buffer(f, o->depth, space, &buffer)) return false;
    f->buffer[buffer] = *o;
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            uint8_t k = 0;
            if (a->op != op || !counts(f, a)) continue;
            while (k < o->depth && o->at[k] != a->at) k++;
            if (k == o->depth) continue;
            if (k + 1u < o->depth && a->at + a->bytes > o->at[k + 1])
                return fold_fail(f, a->line, "slots of a buffer overlap");
            if (!add_range(f, &(struct range){buffer, k, a->cta, a->at, a->at + a->bytes}))
                return false;
        }
    return true;
}

static bool find_sums(struct fold *f)
{
    struct ring_object o = {.depth = 0};
    return find_places(f, ACT_SUM, is_fetched, &o) &&
           place_buffer(f, ACT_SUM, is_fetched, SPACE_TENSOR, &o);
}

// --- staging areas: which warps write what one of them stores

static bool overlaps(const struct act *a, const struct act *b)
{
    return a->cta == b->cta && a->at < b->at + b->bytes && b->at < a->at + a->bytes;
}

// The warp whose stores are the area's: the number-th of CTA 0 that stores; false: there are fewer.
static bool find_storer(const struct fold *f, uint16_t *storer)
{
    uint16_t warps[MOST_WARPS]; // a CTA has fewer
    unsigned n = 0;
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count && n <= f->number; i++) {
            const struct act *s = &f->run[r]->act[i];
            bool known = s->op != ACT_STORE || s->by_cta != 0;
            for (unsigned k = 0; k < n; k++) known = known || warps[k] == s->by_warp;
            if (!known) warps[n++] = *storer = s->by_warp;
        }
    return n == f->number + 1;
}

static bool is_of_group(const struct fold *f, const struct act *a)
{
    return a->by_cta == 0 && a->by_warp == f->storer;
}

static bool is_loaded(const struct fold *f, const struct act *store)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++)
            if (f->run[r]->act[i].op == ACT_LOAD && overlaps(&f->run[r]->act[i], store))
                return true;
    return false;
}

static bool is_staging(const struct fold *f, const struct act *a)
{
    return is_of_group(f, a) && !is_loaded(f, a);
}

// Whether the warp stores two places one after the other, without meeting those who write them.
static bool are_stored_together(const struct fold *f)
{
    for (size_t r = 0; r < f->runs; r++) {
        const struct act *last = NULL;
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            if (!is_of_group(f, a)) continue;
            if (a->op == ACT_MEET) last = NULL;
            if (a->op != ACT_STORE || is_loaded(f, a)) continue;
            if (last && last->at != a->at) return true;
            last = a;
        }
    }
    return false;
}

static bool some_meet(const struct fold *f)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            if (a->op == ACT_MEET && is_of_group(f, a) && !meets_whole(f, a)) return true;
        }
    return false;
}

// Places that take turns are one ring; of those that are written and stored together each is a
// buffer by itself.
static bool find_staging(struct fold *f)
{
    struct ring_object all = {.depth = 0};
    if (!find_storer(f, &f->storer)) return true;
    f->some_meet = some_meet(f);
    if (!find_places(f, ACT_STORE, is_staging, &all)) return false;
    if (!are_stored_together(f)) return place_buffer(f, ACT_STORE, is_staging, SPACE_SHARED, &all);
    for (uint32_t i = 0; i < all.depth; i++) {
        const struct ring_object one = {.depth = 1, .at = {all.at[i]}};
        if (!place_buffer(f, ACT_STORE, is_staging, SPACE_SHARED, &one)) return false;
    }
    return true;
}

static bool some_rewrite(const struct fold *f)
{
    for (size_t r = 0; r < f->runs; r++)
        for (size_t i = 0; i < f->run[r]->count; i++) {
            const struct act *a = &f->run[r]->act[i];
            for (uint32_t k = 0; a->op == ACT_WRITE && k < f->ranges; k++)
                if (f->range[k].cta == a->cta && f->space[f->range[k].buffer] == SPACE_SHARED &&
                    a->at < f->range[k].to && f->range[k].from < a->at + a->bytes)
                    return true;
        }
    return false;
}

bool fold_objects(struct fold *f)
{
    if (f->group) return find_staging(f);
    if (!find_barriers(f) || !find_loaded(f) || !find_sums(f)) return false;
    f->rewrites = some_rewrite(f);
    return true;
}
