/* A plan against its request, by the arithmetic of mixed radices.
 *
 * Each dimension of a plan is a digit floor(L / div) mod m of a linear form L of the request's
 * indices. Digits of one form whose divisors are each the product of those before hold all of L; if
 * their strides are proportional to the divisors, the digits add up to a multiple of L, and the
 * plan's address is linear in the request's indices: two linear functions are equal where their
 * coefficients are. A form of several indices is itself a number in mixed radix, where all but the
 * last run over their whole dimension. Bounds and boxes follow digit by digit. */
#include "solve/self_check.h"

#include "core/arith.h"
#include "core/layout.h"
#include "expr/field.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

#define INDICES (TMAP_MAX_RANK + 1) /* the last: an element's number in a slice */
#define DIGITS (TMAP_MAX_RANK + 1)  /* the last: its number among those that became one */

/* An index of the request. */
struct index {
    bool used;
    uint64_t size, grain; /* in bounds below size; a tile's first is a multiple of grain, or 0 */
    uint64_t last, step;  /* of a tile: the greatest and the distance of those it takes */
    wide stride_bits;
};

/* A digit of the plan. size: what is in bounds; the copies along it take `reach` positions. */
struct digit_of {
    uint64_t coef[INDICES], div, mod, size, round, shift, reach, step;
    uint64_t copies, elem_stride;
    wide stride_bits;
    bool used, is_part;
};

struct check {
    const struct tmap_desc *request;
    const struct tmap_plan *plan;
    struct index x[INDICES];
    struct digit_of d[DIGITS];
    bool copied, stores;
};

static bool has_step(const struct tmap_plan *p, enum tmap_rewrite rewrite, uint64_t *from)
{
    for (uint32_t i = 0; i < p->step_count && i < TMAP_PLAN_STEPS; i++)
        if (p->step[i].rewrite == rewrite) {
            if (from) *from = p->step[i].from;
            return true;
        }
    return false;
}

/* --- what is compared --------------------------------------------------------------------------
 */

static uint64_t unit_bits(const struct tmap_desc *d)
{
    const uint32_t slice = layout_slice_bytes(d->interleave);
    return slice ? slice * UINT64_C(8) : layout_gmem_bits(d->dtype);
}

/* What a copy of d takes along dimension i. */
static uint64_t reach_of(const struct tmap_desc *d, uint32_t i)
{
    struct tmap_layout l;
    layout_of(d, &l);
    if (d->interleave && i + 2 == d->rank && d->kind == TMAP_TILED) return 1;
    if (d->kind == TMAP_TILED) return d->box[i];
    return l.extent[i];
}

static void read_request(struct check *c)
{
    const struct tmap_desc *d = c->request;
    for (uint32_t i = 0; i < d->rank; i++) {
        struct index *x = &c->x[i];
        const uint64_t reach = reach_of(d, i);
        const bool tiled = d->kind == TMAP_TILED;
        x->used = true;
        x->size = d->dim[i];
        x->step = tiled && (i || d->interleave) && d->elem_stride[i] ? d->elem_stride[i] : 1;
        x->last = reach ? (reach - 1) / x->step * x->step : 0;
        x->grain = c->plan->grain[i];
        x->stride_bits = i ? (wide)d->stride_bytes[i - 1] * 8 : unit_bits(d);
    }
    if (!d->interleave || c->plan->desc.interleave) return;
    const uint32_t bits = layout_gmem_bits(d->dtype);
    const uint64_t parts = bits ? unit_bits(d) / bits : 1;
    c->x[INDICES - 1] = (struct index){
        .used = true, .size = parts, .last = parts - 1, .step = 1, .stride_bits = bits};
}

static void read_dim(struct check *c, uint32_t i)
{
    const struct tmap_plan *p = c->plan;
    const struct tmap_plan_dim *from = &p->dim[i];
    struct digit_of *d = &c->d[i];
    uint64_t whole;
    *d = (struct digit_of){.used = true,
                           .div = from->div,
                           .mod = from->mod,
                           .size = p->desc.dim[i],
                           .round = from->round,
                           .shift = from->shift,
                           .step = from->step,
                           .copies = from->copies};
    memcpy(d->coef, from->coef, sizeof from->coef);
    d->coef[INDICES - 1] = from->slice;
    if (i == 0 && c->copied && has_step(p, TMAP_REWRITE_PAD, &whole)) d->size = whole;
    d->elem_stride =
        p->desc.kind == TMAP_TILED && (i || p->desc.interleave) && p->desc.elem_stride[i]
            ? p->desc.elem_stride[i]
            : 1;
    d->stride_bits = i ? (wide)p->desc.stride_bytes[i - 1] * 8 : unit_bits(&p->desc);
    d->reach = from->tail ? from->tail : reach_of(&p->desc, i);
}

static void read_plan(struct check *c)
{
    const struct tmap_plan *p = c->plan;
    for (uint32_t i = 0; i < p->desc.rank; i++) read_dim(c, i);
    if (p->part_of < 2) return;
    struct digit_of *d = &c->d[DIGITS - 1];
    *d = (struct digit_of){.used = true,
                           .is_part = true,
                           .div = 1,
                           .mod = p->part_of,
                           .size = p->part_of,
                           .reach = p->part_of,
                           .step = p->part_of,
                           .copies = 1,
                           .round = 1,
                           .elem_stride = 1,
                           .stride_bits = layout_gmem_bits(c->request->dtype)};
    memcpy(d->coef, p->part_coef, sizeof p->part_coef);
    d->coef[INDICES - 1] = p->part_slice;
}

/* What a tile's indices are multiples of. */
static uint64_t unit_of(const struct index *x)
{
    return gcd(x->step, x->grain);
}

/* --- one form and its digits --------------------------------------------------------------------
 */

/* The digits of one form, least first; and what is known of the form. */
struct form {
    const uint64_t *coef;
    const struct digit_of *digit[DIGITS];
    uint32_t count;
    wide unit, grain; /* its values are multiples of unit; of a tile's first, of grain (0: 0) */
    wide last;        /* its greatest value in a tile that begins at 0 */
};

static bool is_empty(const uint64_t *coef)
{
    for (int v = 0; v < INDICES; v++)
        if (coef[v]) return false;
    return true;
}

/* The number of a part comes last, before what begins with it. */
static void add_digit(struct form *f, const struct digit_of *d)
{
    uint32_t at = f->count++;
    for (; at > 0 && (f->digit[at - 1]->div > d->div ||
                      (f->digit[at - 1]->div == d->div && f->digit[at - 1]->mod == 0));
         at--)
        f->digit[at] = f->digit[at - 1];
    f->digit[at] = d;
}

static wide gcd_of(wide a, wide b)
{
    while (b) {
        const wide r = a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Products of two numbers of 64 bits fit; those of a tile's last index are below 2^99, so that six
 * of them do, too. */
static struct form form_of(const struct check *c, const struct digit_of *first)
{
    struct form f = {.coef = first->coef};
    for (int k = 0; k < DIGITS; k++)
        if (c->d[k].used && memcmp(c->d[k].coef, first->coef, sizeof first->coef) == 0)
            add_digit(&f, &c->d[k]);
    for (int v = 0; v < INDICES; v++) {
        const struct index *x = &c->x[v];
        if (first->coef[v] == 0) continue;
        f.unit = gcd_of(f.unit, (wide)first->coef[v] * unit_of(x));
        f.grain = gcd_of(f.grain, (wide)first->coef[v] * x->grain);
        f.last += (wide)first->coef[v] * x->last;
    }
    return f;
}

/* Nothing of L is lost: the least digit begins at its unit, each next one where the last ended. */
static bool is_whole(const struct form *f)
{
    uint64_t next = f->digit[0]->div;
    if (next == 0 || f->unit % next) return false;
    for (uint32_t k = 0;; k++) {
        const struct digit_of *d = f->digit[k];
        if (d->div != next || d->round == 0) return false;
        if (k + 1 == f->count)
            return d->mod == 0 || (f->grain == 0 && f->last < (wide)d->div * d->mod);
        if (d->mod == 0 || d->size < d->mod || __builtin_mul_overflow(next, d->mod, &next))
            return false;
    }
}

/* What one step of L adds to the plan's address; false where digits disagree. Digits that are
 * always 0 say nothing. */
static bool slope_of(const struct form *f, wide *slope)
{
    bool known = false;
    *slope = 0;
    for (uint32_t k = 0; k < f->count; k++) {
        const struct digit_of *d = f->digit[k];
        if (d->size == 1) continue;
        if (d->stride_bits % d->div || (known && *slope != d->stride_bits / d->div)) return false;
        *slope = d->stride_bits / d->div;
        known = true;
    }
    return true;
}

static bool runs_whole(const struct index *x)
{
    return x->grain == 0 && x->last < x->size && x->step == 1;
}

/* Of two indices of equal weight one has size 1; the one that leaves its dimension comes last. */
static bool comes_later(const struct check *c, const struct form *f, int a, int b)
{
    if (f->coef[a] != f->coef[b]) return f->coef[a] > f->coef[b];
    return c->x[a].size > 1 || (c->x[b].size == 1 && !runs_whole(&c->x[a]));
}

/* The indices of L in the order of their weight. */
static uint32_t sort_indices(const struct check *c, const struct form *f, int order[INDICES])
{
    uint32_t n = 0;
    for (int v = 0; v < INDICES; v++) {
        uint32_t at = n;
        if (f->coef[v] == 0) continue;
        for (; at > 0 && comes_later(c, f, order[at - 1], v); at--) order[at] = order[at - 1];
        order[at] = v;
        n++;
    }
    return n;
}

/* In bounds are the same indices: those below the top digit's end. */
static bool same_bounds(const struct check *c, const struct form *f)
{
    int order[INDICES];
    const uint32_t n = sort_indices(c, f, order);
    const struct digit_of *top = f->digit[f->count - 1];
    if (f->unit == 0 || top->shift > top->size) return false; /* of plans that no search made */
    const wide end = (wide)top->div * top->size;
    wide weight = 1;
    for (uint32_t k = 0; k < n; k++) {
        const struct index *x = &c->x[order[k]];
        if (f->coef[order[k]] != weight || (k + 1 < n && !runs_whole(x))) return false;
        weight *= x->size;
    }
    const wide shift = top->shift;
    return (weight + f->unit - 1) / f->unit == (end - shift * top->div + f->unit - 1) / f->unit;
}

/* The tile's positions along one digit: at most `most`, in the boxes of its copies. One that a box
 * takes beyond its step is the next copy's, and after the last copy nobody's (tmap_plan_place()).
 */
static bool is_covered(const struct form *f, const struct digit_of *d)
{
    const bool top = d->mod == 0;
    uint64_t period = d->div;
    if (!top && __builtin_mul_overflow(d->div, d->mod, &period)) return false;
    if (f->grain % period) return false; /* else tiles begin in the middle of a piece */
    wide most = f->last / d->div;
    if (!top && most > d->mod - 1) most = d->mod - 1;
    const wide grain = top ? f->grain / d->div : 0;
    most += d->shift + (d->round > 1 ? d->round - gcd_of(grain, d->round) : 0);
    if (d->is_part) return true;
    return most < (wide)(d->copies - 1) * d->step + (d->reach < d->step ? d->reach : d->step);
}

/* Copies that take every es-th position find all elements at those. */
static bool meets_stride(const struct check *c, const struct form *f, const struct digit_of *d)
{
    if (d->elem_stride == 1) return true;
    if (d->div != 1 || d->mod || (d->copies > 1 && d->step % d->elem_stride)) return false;
    const bool rounded = d->round > 1 && f->grain % d->round;
    if (d->shift % d->elem_stride || (rounded && gcd_of(f->grain, d->round) % d->elem_stride))
        return false;
    for (int v = 0; v < INDICES; v++)
        if (f->coef[v] && (f->coef[v] != 1 || c->x[v].step % d->elem_stride)) return false;
    return true;
}

/* What a store writes along one digit: the tile, or what lies beyond the tensor. Of dimension 0 the
 * hardware writes on to whole 16 bytes, so its rows are of those. */
static bool is_exact(const struct check *c, const struct form *f, const struct digit_of *d)
{
    enum { UNIT_BITS = 128 };
    const bool first = d == &c->d[0];
    const uint64_t es = d->elem_stride;
    wide most = f->last / d->div;
    if (d->is_part) return true;
    if (d->mod && most > d->mod - 1) most = d->mod - 1;
    const wide cells = (wide)(d->copies - 1) * ceil_div(d->step, es) + ceil_div(d->reach, es);
    if (cells == most / es + 1) return true;
    const bool whole_rows = first && c->plan->desc.dim[0] * d->stride_bits % UNIT_BITS == 0;
    const bool at_zero = d->mod || f->grain == 0;
    return at_zero && most + es >= d->size && (!first || whole_rows);
}

/* --- strides of a copy of the tensor ------------------------------------------------------------
 */

/* Whether all indices of the digit have no address in the request. */
static bool is_broadcast(const struct check *c, const struct digit_of *d)
{
    for (int v = 0; v < INDICES; v++)
        if (d->coef[v] && c->x[v].size > 1 && c->x[v].stride_bits) return false;
    return true;
}

/* Dimensions above the first that have addresses, the shortest stride first. */
static uint32_t sort_strides(const struct check *c, uint32_t order[TMAP_MAX_RANK])
{
    const struct tmap_desc *d = &c->plan->desc;
    uint32_t n = 0;
    for (uint32_t i = 1; i < d->rank; i++) {
        uint32_t at = n;
        if (d->dim[i] == 1 || (c->d[i].stride_bits == 0 && is_broadcast(c, &c->d[i]))) continue;
        for (; at > 0 && d->stride_bytes[order[at - 1] - 1] > d->stride_bytes[i - 1]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        n++;
    }
    return n;
}

/* Each dimension steps over what lies below it. */
static bool is_nested(const struct check *c)
{
    const struct tmap_desc *d = &c->plan->desc;
    uint32_t order[TMAP_MAX_RANK];
    const uint32_t n = sort_strides(c, order);
    wide end = (wide)d->dim[0] * unit_bits(d);
    for (uint32_t k = 0; k < n; k++) {
        const wide stride = c->d[order[k]].stride_bits;
        if (stride < end || __builtin_mul_overflow(stride, d->dim[order[k]], &end)) return false;
    }
    return end <= (wide)c->plan->allocation_bytes * 8;
}

/* --- the whole ----------------------------------------------------------------------------------
 */

static const char *check_form(struct check *c, const struct form *f, wide *coef)
{
    wide slope = 0;
    if (!is_whole(f)) return "its digits do not hold the index";
    if (!c->copied && !slope_of(f, &slope)) return "its strides disagree";
    if (!same_bounds(c, f)) return "its bounds are others";
    /* where these wrap around, addresses do, too: 2^128 bits are a multiple of 2^64 bytes */
    for (int v = 0; v < INDICES && !c->copied; v++) coef[v] += slope * f->coef[v];
    for (uint32_t k = 0; k < f->count; k++) {
        const struct digit_of *d = f->digit[k];
        if (d->step == 0) return "a dimension has no copies";
        if (d->copies > 1 && d->step > reach_of(&c->plan->desc, (uint32_t)(d - c->d)))
            return "between its boxes is a gap";
        if (!is_covered(f, d)) return "its boxes do not cover the tile";
        if (!meets_stride(c, f, d)) return "its boxes step over elements";
        if (c->stores && !is_exact(c, f, d)) return "it writes beside the tile";
    }
    return NULL;
}

/* A dimension that no index moves is 0 in every tile. */
static const char *check_empty(const struct digit_of *d)
{
    const bool still =
        d->size == 1 && d->copies == 1 && d->shift == 0 && d->div && d->round && d->step;
    return still ? NULL : "a dimension is never used";
}

static const char *check_forms(struct check *c)
{
    wide coef[INDICES] = {0};
    bool covered[INDICES] = {false};
    for (int k = 0; k < DIGITS; k++) {
        const struct digit_of *d = &c->d[k];
        const char *e = NULL;
        int first = 0;
        if (!d->used) continue;
        while (!c->d[first].used || memcmp(c->d[first].coef, d->coef, sizeof d->coef)) first++;
        for (int v = 0; v < INDICES; v++) covered[v] = covered[v] || d->coef[v];
        if (is_empty(d->coef))
            e = check_empty(d);
        else if (first == k) {
            const struct form f = form_of(c, d);
            e = check_form(c, &f, coef);
        }
        if (e) return e;
    }
    for (int v = 0; v < INDICES; v++) {
        const struct index *x = &c->x[v];
        if (!x->used) continue;
        const bool moves = x->last || x->grain; /* else it is 0 in every tile */
        if (!covered[v] && moves) return "an index is lost";
        if (x->size > unit_of(x) && moves && !c->copied && coef[v] != x->stride_bits)
            return "its addresses are others";
    }
    return NULL;
}

/* The bytes that all copies signal: of each set of dimensions at whose end a box is smaller. */
static bool same_tx(const struct tmap_plan *p)
{
    uint64_t all = 0;
    for (uint32_t set = 0; set < 1u << p->desc.rank; set++) {
        struct tmap_layout l;
        uint64_t count = 1, n = 0, weight = 1;
        for (uint32_t i = 0; i < p->desc.rank; i++) {
            const bool last = set >> i & 1, tail = p->dim[i].tail != 0;
            count *= last ? tail : p->dim[i].copies - tail;
            n += last ? (p->dim[i].copies - 1) * weight : 0;
            weight *= p->dim[i].copies;
        }
        if (count == 0) continue;
        struct tmap_desc own;
        tmap_plan_desc(p, (uint32_t)n, &own);
        layout_of(&own, &l);
        if (l.footprint_bytes > p->slot_bytes || p->slot_bytes % l.align_bytes) return false;
        all += count * l.tx_bytes;
    }
    return all == p->tx_bytes;
}

static const char *check_copies(const struct tmap_plan *p)
{
    uint64_t copies = 1;
    for (uint32_t i = 0; i < p->desc.rank; i++)
        if (p->dim[i].copies == 0 || __builtin_mul_overflow(copies, p->dim[i].copies, &copies))
            return "its number of copies is none";
    for (uint32_t i = 0; i < p->desc.rank; i++)
        if (p->dim[i].tail > reach_of(&p->desc, i)) return "a last box is larger than the others";
    if (copies != p->copies || copies != p->cost.extra_instructions + 1)
        return "its number of copies is another";
    return same_tx(p) ? NULL : "its bytes are others";
}

/* The walk of an im2col map for a tile along W: it ends in a dimension of size 1, and does not
 * reach the images above it. */
static const char *check_walk(const struct check *c)
{
    const struct tmap_desc *d = &c->plan->desc;
    if (d->kind == TMAP_TILED) return NULL;
    const wide pixels = form_of(c, &c->d[1]).last / (c->d[1].div ? c->d[1].div : 1) + 1;
    for (uint32_t i = 0; i < d->rank; i++)
        if (d->elem_stride[i] != 1 || (i + 2 < d->rank && (d->lower[i] || (i == 0 && d->upper[0]))))
            return "its walk has corners";
    if (d->kind != TMAP_IM2COL || d->rank < 3 || d->dim[2] != 1 || d->rank > 4)
        return "its walk has no end";
    if (d->rank == 4 && (d->dim[1] == 0 || d->upper[1] < 0 ||
                         (wide)d->upper[1] < (d->dim[1] + pixels - 1) / d->dim[1]))
        return "its walk goes on in another image";
    return NULL;
}

/* What every map of the plan has from the request. */
static const char *check_modes(const struct check *c)
{
    const struct tmap_desc *r = c->request, *d = &c->plan->desc;
    const uint64_t parts = c->plan->part_of ? c->plan->part_of : 1;
    if (layout_gmem_bits(d->dtype) != parts * layout_gmem_bits(r->dtype) ||
        layout_smem_bits(d->dtype) != parts * layout_smem_bits(r->dtype) ||
        (parts == 1 && d->dtype != r->dtype))
        return "its type is another";
    if (d->oob_fill != r->oob_fill || (parts > 1 && r->oob_fill)) return "its fill is another";
    if (d->interleave && d->interleave != r->interleave) return "its interleave is another";
    if (r->kind == TMAP_TILED) return check_walk(c);
    if (d->kind != r->kind || d->mode != r->mode || d->rank != r->rank ||
        memcmp(d->lower, r->lower, sizeof d->lower) || memcmp(d->upper, r->upper, sizeof d->upper))
        return "its walk is another";
    for (uint32_t i = d->interleave ? 0 : 1; i < d->rank; i++)
        if (d->elem_stride[i] != r->elem_stride[i]) return "its walk is another";
    return NULL;
}

static bool starts_where_requested(const struct check *c)
{
    const wide shift = (wide)c->plan->dim[0].shift * unit_bits(&c->plan->desc);
    for (uint32_t i = 1; i < c->plan->desc.rank; i++)
        if (c->plan->dim[i].shift) return false;
    if (c->copied) return shift == 0;
    return (wide)c->plan->desc.address * 8 + shift == (wide)c->request->address * 8;
}

/* The copy's rows hold the request's; what they have beyond is zeros. */
static bool pads(const struct tmap_plan *p)
{
    uint64_t whole;
    return !has_step(p, TMAP_REWRITE_PAD, &whole) || p->desc.dim[0] >= whole;
}

const char *self_check(const struct tmap_desc *request, const struct tmap_request *how,
                       const struct tmap_plan *p)
{
    struct check c = {.request = request,
                      .plan = p,
                      .copied = has_step(p, TMAP_REWRITE_COPY, NULL),
                      .stores = how && how->op == TMAP_OP_STORE};
    if (p->skip) return NULL;
    if (request->rank == 0 || request->rank > TMAP_MAX_RANK || p->desc.rank == 0 ||
        p->desc.rank > TMAP_MAX_RANK)
        return "its rank is none";
    read_request(&c);
    read_plan(&c);
    const char *e = check_modes(&c);
    if (!e) e = check_copies(p);
    if (!e && !starts_where_requested(&c)) e = "its base is another";
    if (!e && c.copied && !pads(p)) e = "its padding cuts rows off";
    if (!e && c.copied && !is_nested(&c)) e = "rows of its copy overlap";
    return e ? e : check_forms(&c);
}

struct tmap_desc tmap_plan_request(const struct tmap_desc *desc, const struct tmap_plan *p)
{
    struct tmap_desc d = *desc;
    self_check_forget_null(&d);
    for (uint32_t k = 0; k < p->step_count && k < TMAP_PLAN_STEPS; k++) {
        const struct tmap_plan_step *s = &p->step[k];
        if (s->rewrite != TMAP_REWRITE_CHOOSE) continue;
        if (s->field == FIELD_OOB) d.oob_fill = (int32_t)s->to;
        if (s->field == FIELD_INTERLEAVE) d.interleave = (int32_t)s->to;
        if (s->field == FIELD_MODE) d.mode = (int32_t)s->to;
        if (s->index < 0 || s->index >= TMAP_MAX_RANK) continue;
        if (s->field == FIELD_ESTRIDE) d.elem_stride[s->index] = (uint32_t)s->to;
        if (s->field == FIELD_BOX) d.box[s->index] = (uint32_t)s->to;
    }
    return d;
}

const char *tmap_plan_check(const struct tmap_desc *desc, const struct tmap_request *request,
                            const struct tmap_plan *plan)
{
    if (!desc || !plan) return "there is no plan";
    const struct tmap_desc decided = tmap_plan_request(desc, plan);
    return self_check(&decided, request, plan);
}
