/* What a search did, as lines of numbers. */
#include "tmap/solve.h"

#include <stdarg.h>
#include <stdio.h>

struct line {
    char *out;
    size_t size, length;
};

static void add(struct line *l, const char *format, ...)
{
    const size_t room = l->length < l->size ? l->size - l->length : 0;
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(room ? l->out + l->length : NULL, room, format, args);
    va_end(args);
    if (n > 0) l->length += (size_t)n;
}

static unsigned long long big(uint64_t number)
{
    return number;
}

static void add_objective(struct line *l, const struct tmap_search_objective *o)
{
    add(l, "objective %llu %llu %d %d %d %d %d", big(o->useful_bytes), big(o->tensor_bytes),
        o->swizzle, o->stores, o->keep_swizzle, o->no_copy, o->decided);
}

static void add_limits(struct line *l, uint32_t number, const struct tmap_search_limits *x)
{
    add(l, "limits %u %d %u %u %u", number, x->known, x->max_box, x->inner_unit, x->coord_unit);
    for (int w = 0; w < TMAP_SEARCH_SWIZZLES; w++) add(l, " %u", x->max_inner[w]);
}

/* After a bar what a view's fields depend on beside its dimensions. */
static void add_state(struct line *l, uint32_t number, const struct tmap_search_state *x)
{
    add(l, "state %u %u %u %u %u", number, x->rewrites, x->rank, x->limits, x->pairs);
    for (uint32_t i = 0; i < x->rank && i < TMAP_MAX_RANK; i++) {
        const struct tmap_search_dim *d = &x->dim[i];
        add(l, " %llu %llu %llu %llu %u %u", big(d->size), big(d->stride_bytes), big(d->tile),
            big(d->grain), d->elem_stride, d->whole);
    }
    add(l, " | %d %d %llu %u %d %d", x->dtype, x->interleave, big(x->address), x->layout_changes,
        x->is_piece, x->tile_rows);
}

static void add_im2col(struct line *l, const struct tmap_search_state *x)
{
    add(l, "im2col %u", x->rank);
    for (uint32_t i = 0; i < x->rank && i < TMAP_MAX_RANK; i++)
        add(l, " %llu %llu %llu %u", big(x->dim[i].size), big(x->dim[i].stride_bytes),
            big(x->dim[i].grain), x->dim[i].elem_stride);
    add(l, " | %u %llu", x->channels, big(x->address));
}

static void add_cost(struct line *l, const char *word, uint32_t number, const struct tmap_cost *c)
{
    add(l, "%s %u %u %llu %llu %u %u %llu %llu %u", word, number, c->kind, big(c->copied_bytes),
        big(c->extra_instructions), c->extra_maps, c->layout_changes, big(c->wasted_traffic_bytes),
        big(c->wasted_shared_bytes), c->steps);
}

size_t tmap_search_text(const struct tmap_search_event *e, char *out, size_t size)
{
    static const char *const words[] = {[TMAP_SEARCH_VIEW] = "view",
                                        [TMAP_SEARCH_PRUNED] = "pruned",
                                        [TMAP_SEARCH_LEAF] = "leaf",
                                        [TMAP_SEARCH_PLAN] = "plan"};
    struct line l = {out, out ? size : 0, 0};
    if (l.size) out[0] = 0;
    if (!e || e->kind > TMAP_SEARCH_PLAN) return 0;
    if (e->kind == TMAP_SEARCH_OBJECTIVE)
        add_objective(&l, &e->u.objective);
    else if (e->kind == TMAP_SEARCH_LIMITS)
        add_limits(&l, e->number, &e->u.limits);
    else if (e->kind == TMAP_SEARCH_STATE)
        add_state(&l, e->number, &e->u.state);
    else if (e->kind == TMAP_SEARCH_IM2COL)
        add_im2col(&l, &e->u.state);
    else
        add_cost(&l, words[e->kind], e->number, &e->u.cost);
    return l.length;
}
