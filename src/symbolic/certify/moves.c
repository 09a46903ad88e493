/* moves.c : what a plan's copies move, for every tile on its grid, as maps of integers.
 *
 * Sizes are numbers here, so indices are affine in the tile (c = grain*k) and the element of it
 * (x = c + u), with quotients by numbers; isl decides whether any tile and element are in a set of
 * wrong ones. Written from solve.h's words on struct tmap_plan_dim, not from the code that fills
 * it. */
#include "symbolic/certify/view_query.h"
#include "symbolic/isl/session.h"

#ifdef TMAP_WITH_ISL
#include "expr/tables.h"
#include "solve/self_check.h"

#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>
#include <stdlib.h>

enum { TEXT_BYTES = 1 << 14 };

struct moves {
    struct tmap_symbolic *s;
    struct sym_work w;
    struct tmap_desc request; /* with what the plan decided */
    const struct tmap_plan *plan;
    bool stores, copied;
    struct sym_text t;
    isl_map *map; /* see put_map() */
    enum tmap_proof proof;
};

/* --- from tile and element to indices ----------------------------------------------------------
 */

/* u counts the elements that are taken: one in elem_stride of the tile. */
static unsigned step_of(const struct tmap_desc *d, uint32_t i)
{
    return (i || d->interleave) && d->elem_stride[i] ? d->elem_stride[i] : 1;
}

/* Bits from one index of dimension 0 to the next: under interleave it counts slices. */
static unsigned unit_bits(const struct tmap_desc *d)
{
    const unsigned slice_bits = table_at(TABLE_SLICE, d->interleave) * 8;
    return slice_bits ? slice_bits : table_at(TABLE_GMEM_BITS, d->dtype);
}

/* Elements of a slice, each with a place of its own where the plan sees them as such; else 1. */
static unsigned parts_of(const struct moves *m)
{
    const bool seen = m->request.interleave && !m->plan->desc.interleave;
    return seen ? unit_bits(&m->request) / table_at(TABLE_GMEM_BITS, m->request.dtype) : 1;
}

static unsigned long long extent_of(const struct tmap_desc *d, uint32_t i)
{
    const bool channels = i == 0 && !d->interleave; /* of slices one pixel's, whatever it says */
    const uint32_t box = d->kind == TMAP_TILED ? d->box[i] : channels ? d->channels : 1;
    if (d->interleave && i + 2 == d->rank) return 1; /* of the slices one, always */
    return box / step_of(d, i) + (box % step_of(d, i) != 0);
}

enum index { FIRST, ELEMENT, ANY };

/* The tile's first index along dimension i; an element's of it; or any element's of the tensor. */
static void put_index(struct moves *m, uint32_t i, enum index what)
{
    if (what == ANY) {
        sym_put(&m->t, "x%u", i);
        return;
    }
    sym_put(&m->t, "(%llu*k%u", (unsigned long long)m->plan->grain[i], i);
    if (what == ELEMENT) sym_put(&m->t, " + %u*u%u", step_of(&m->request, i), i);
    sym_put(&m->t, ")");
}

static void put_sum(struct moves *m, uint32_t j, enum index what)
{
    sym_put(&m->t, "(0");
    for (uint32_t i = 0; i < m->request.rank; i++) {
        const unsigned long long coef = m->plan->dim[j].coef[i];
        if (!coef) continue;
        sym_put(&m->t, " + %llu*", coef);
        put_index(m, i, what);
    }
    const unsigned long long slice = m->plan->dim[j].slice;
    if (slice && what != FIRST) sym_put(&m->t, " + %llu*e", slice);
    sym_put(&m->t, ")");
}

static void put_value(struct moves *m, uint32_t j, enum index what)
{
    const struct tmap_plan_dim *d = &m->plan->dim[j];
    if (d->mod) sym_put(&m->t, "((");
    if (d->div > 1) sym_put(&m->t, "floor(");
    put_sum(m, j, what);
    if (d->div > 1) sym_put(&m->t, "/%llu)", (unsigned long long)d->div);
    if (d->mod) sym_put(&m->t, ") mod %llu)", (unsigned long long)d->mod);
}

/* Where the copies start along dimension j. */
static void put_first(struct moves *m, uint32_t j)
{
    const unsigned round = m->plan->dim[j].round;
    if (round > 1) sym_put(&m->t, "%u*floor(", round);
    put_value(m, j, FIRST);
    if (round > 1) sym_put(&m->t, "/%u)", round);
}

/* Which of the request's elements that one of the plan's holds. */
static void put_part(struct moves *m, enum index what)
{
    if (m->plan->part_of < 2) {
        sym_put(&m->t, "0");
        return;
    }
    sym_put(&m->t, "(0");
    for (uint32_t i = 0; i < m->request.rank; i++) {
        if (!m->plan->part_coef[i]) continue;
        sym_put(&m->t, " + %llu*", (unsigned long long)m->plan->part_coef[i]);
        put_index(m, i, what);
    }
    if (m->plan->part_slice) sym_put(&m->t, " + %llu*e", (unsigned long long)m->plan->part_slice);
    sym_put(&m->t, ") mod %llu", (unsigned long long)m->plan->part_of);
}

/* { [k, u, e] -> [c.., x.., y.., f.., q, e] } : the tile's first index, the element's in the
 * request and in the plan, where the copies start, the part of a widened element, and its number in
 * a slice. No tile starts before the tensor. */
static void put_map(struct moves *m)
{
    const uint32_t rank = m->request.rank;
    sym_put(&m->t, "{ [");
    for (uint32_t i = 0; i < rank; i++) sym_put(&m->t, "k%u, u%u, ", i, i);
    sym_put(&m->t, "e] -> [");
    for (uint32_t i = 0; i < 2 * rank; i++) {
        put_index(m, i % rank, i < rank ? FIRST : ELEMENT);
        sym_put(&m->t, ", ");
    }
    for (uint32_t j = 0; j < m->plan->desc.rank; j++) {
        put_value(m, j, ELEMENT);
        sym_put(&m->t, " + %u, ", m->plan->dim[j].shift);
    }
    for (uint32_t j = 0; j < m->plan->desc.rank; j++) {
        put_first(m, j);
        sym_put(&m->t, ", ");
    }
    put_part(m, ELEMENT);
    sym_put(&m->t, ", e] : 0 <= e < %u", parts_of(m));
    for (uint32_t i = 0; i < rank; i++)
        sym_put(&m->t, " and k%u %s 0 and 0 <= u%u < %llu", i, m->plan->grain[i] ? ">=" : "=", i,
                extent_of(&m->request, i));
    sym_put(&m->t, " }");
}

static void put_names(struct moves *m)
{
    m->t.length = 0;
    sym_put(&m->t, "{ [");
    for (uint32_t i = 0; i < m->request.rank; i++) sym_put(&m->t, "c%u, ", i);
    for (uint32_t i = 0; i < m->request.rank; i++) sym_put(&m->t, "x%u, ", i);
    for (uint32_t j = 0; j < m->plan->desc.rank; j++) sym_put(&m->t, "y%u, ", j);
    for (uint32_t j = 0; j < m->plan->desc.rank; j++) sym_put(&m->t, "f%u, ", j);
    sym_put(&m->t, "q, e] : ");
}

static void put_inside(struct moves *m, const char *name, const struct tmap_desc *d)
{
    sym_put(&m->t, "(true");
    for (uint32_t i = 0; i < d->rank; i++)
        sym_put(&m->t, " and 0 <= %s%u < %llu", name, i, (unsigned long long)d->dim[i]);
    sym_put(&m->t, ")");
}

/* The bit at which the element starts. */
static void put_address(struct moves *m, const char *name, const struct tmap_desc *d)
{
    sym_put(&m->t, "%llu + %u*%s0", (unsigned long long)d->address * 8, unit_bits(d), name);
    for (uint32_t i = 1; i < d->rank; i++)
        sym_put(&m->t, " + %llu*%s%u", (unsigned long long)d->stride_bytes[i - 1] * 8, name, i);
}

/* --- what can be wrong -------------------------------------------------------------------------
 */

/* The plan's map, without the zeros that its copy of the tensor has at the end of rows. */
static struct tmap_desc without_padding(const struct tmap_plan *plan)
{
    struct tmap_desc d = plan->desc;
    for (uint32_t k = 0; k < plan->step_count; k++) {
        const struct tmap_plan_step *step = &plan->step[k];
        if (step->rewrite == TMAP_REWRITE_PAD && step->from < d.dim[0]) d.dim[0] = step->from;
    }
    return d;
}

static void put_wrong_bounds(struct moves *m)
{
    const struct tmap_desc own = without_padding(m->plan);
    put_inside(m, "x", &m->request);
    sym_put(&m->t, " and not ");
    put_inside(m, "y", &own);
    sym_put(&m->t, " or not ");
    put_inside(m, "x", &m->request);
    sym_put(&m->t, " and ");
    put_inside(m, "y", &own);
}

static void put_wrong_address(struct moves *m)
{
    static const char *const compare[] = {" < ", " > "};
    for (int k = 0; k < 2; k++) {
        if (k) sym_put(&m->t, " or ");
        put_inside(m, "x", &m->request);
        sym_put(&m->t, " and ");
        put_address(m, "x", &m->request);
        sym_put(&m->t, " + %u*e%s", table_at(TABLE_GMEM_BITS, m->request.dtype), compare[k]);
        put_address(m, "y", &m->plan->desc);
        sym_put(&m->t, " + %u*q", table_at(TABLE_GMEM_BITS, m->request.dtype));
    }
}

/* What a copy takes along dimension j; of pixels, those that a tile of one row has. */
static unsigned reach_of(const struct tmap_desc *d, uint32_t j)
{
    return d->kind == TMAP_TILED ? d->box[j] : j == 0 ? d->channels : j == 1 ? d->pixels : 1;
}

/* In no copy's box, or between the elements that a copy takes. Of an im2col request the walk's
 * pixels are taken in order, in one piece or several (the law pixel_pieces); only its channels are
 * asked about. A walk for a tiled request goes along one dimension, and beyond it is out of bounds
 * (the law im2col_for_tile). */
static void put_wrong_place(struct moves *m)
{
    const uint32_t cut = m->request.kind == TMAP_TILED ? m->plan->desc.rank : 1;
    for (uint32_t j = 0; j < cut; j++) {
        const struct tmap_plan_dim *d = &m->plan->dim[j];
        const unsigned es = step_of(&m->plan->desc, j);
        const unsigned long long last = d->tail ? d->tail : d->step;
        const unsigned long long reach = (d->copies - 1ull) * d->step + last;
        sym_put(&m->t, "%sy%u < f%u or y%u >= f%u + %llu", j ? " or " : "", j, j, j, j, reach);
        if (m->request.kind == TMAP_TILED)
            sym_put(&m->t, " or (y%u - f%u) mod %u >= %u", j, j, d->step,
                    reach_of(&m->plan->desc, j));
        if (es > 1) sym_put(&m->t, " or ((y%u - f%u) mod %u) mod %u > 0", j, j, d->step, es);
    }
}

/* Copies start where the rows about uses let them: multiples of the unit. */
static void put_wrong_start(struct moves *m, uint32_t unit)
{
    const struct tmap_plan_dim *d = &m->plan->dim[0];
    const bool steps = d->copies > 1 && d->step % unit;
    sym_put(&m->t, "%s", steps ? "true" : "f0 mod ");
    if (!steps) sym_put(&m->t, "%u > 0", unit);
}

static void put_question(struct sym_text *t, const char *map, const char *bad)
{
    sym_put(t, "# tmap %s: %s\nM := %s;\n", tmap_version(),
            bad ? "the range of M does not meet B" : "M is injective", map);
    if (bad) sym_put(t, "B := %s;\n", bad);
}

/* The question as text that isl reads again: a map, and a set that its range must not meet; without
 * one the map must be injective. Printing is not charged to it. */
static void record(struct moves *m, isl_map *map, isl_set *bad, isl_bool proved)
{
    if (!m->s->record) return;
    isl_ctx_set_max_operations(m->s->isl, 0);
    char *of_map = isl_map_to_str(map), *of_set = bad ? isl_set_to_str(bad) : NULL;
    isl_ctx_set_max_operations(m->s->isl, m->s->isl_operations);
    struct sym_text t = {NULL, 0, 0};
    if (of_map && !bad == !of_set) {
        put_question(&t, of_map, of_set);
        t = (struct sym_text){sym_take(&m->w, t.length + 1), t.length + 1, 0};
    }
    if (t.at) {
        put_question(&t, of_map, of_set);
        const struct tmap_question question = {"isl", t.at,
                                               proved == isl_bool_true    ? TMAP_PROVED
                                               : proved == isl_bool_false ? TMAP_REFUTED
                                                                          : TMAP_UNDECIDED};
        m->s->record(m->s->record_user, &question);
    }
    free(of_map);
    free(of_set);
}

static void ask(struct moves *m)
{
    sym_put(&m->t, " }");
    if (m->t.length >= m->t.cap) sym_fail(&m->w, TMAP_E_BUDGET, "the question is too long");
    if (m->w.status != TMAP_OK) return;
    isl_set *bad = isl_set_read_from_str(m->s->isl, m->t.at);
    isl_map *wrong = isl_map_intersect_range(isl_map_copy(m->map), isl_set_copy(bad));
    const isl_bool none = isl_map_is_empty(wrong);
    if (bad) record(m, m->map, bad, none);
    isl_map_free(wrong);
    isl_set_free(bad);
    if (none == isl_bool_false) m->proof = TMAP_REFUTED;
    if (none == isl_bool_error) sym_isl_status(m->s, &m->w);
}

static void ask_injective(struct moves *m, isl_map *map)
{
    const isl_bool yes = isl_map_is_injective(map);
    record(m, map, NULL, yes);
    isl_map_free(map);
    if (yes == isl_bool_false) m->proof = TMAP_REFUTED;
    if (yes == isl_bool_error) sym_isl_status(m->s, &m->w);
}

/* --- copies of the tensor ----------------------------------------------------------------------
 */

/* Whether dimension j, whose elements the copy does not tell apart, has no address in the request.
 */
static bool is_broadcast(const struct moves *m, uint32_t j)
{
    for (uint32_t i = 0; i < m->request.rank; i++) {
        if (!m->plan->dim[j].coef[i] || m->request.dim[i] == 1) continue;
        if (i == 0 || m->request.stride_bytes[i - 1]) return false;
    }
    return true;
}

/* A copied tensor may lie anywhere, but no two elements that differ at one place: each row holds
 * what is in it (the law "copy"), and indices are not shared. */
static void ask_copied(struct moves *m)
{
    const struct tmap_desc *d = &m->plan->desc;
    sym_int row = (sym_int)d->dim[0] * unit_bits(d);
    for (uint32_t j = 1; j < d->rank; j++) {
        const sym_int stride = (sym_int)d->stride_bytes[j - 1] * 8;
        if (d->dim[j] == 1) continue; /* there is no second row */
        if (stride == 0) {
            if (!is_broadcast(m, j)) m->proof = TMAP_REFUTED;
            continue;
        }
        if (stride < row) m->proof = TMAP_REFUTED;
        row = stride * (sym_int)d->dim[j];
    }
    m->t.length = 0;
    sym_put(&m->t, "{ [");
    for (uint32_t i = 0; i < m->request.rank; i++) sym_put(&m->t, "x%u, ", i);
    sym_put(&m->t, "e] -> [");
    for (uint32_t j = 0; j < d->rank; j++) {
        put_value(m, j, ANY);
        sym_put(&m->t, ", ");
    }
    put_part(m, ANY);
    sym_put(&m->t, "] : 0 <= e < %u and ", parts_of(m));
    put_inside(m, "x", &m->request);
    for (uint32_t i = 0; i < m->request.rank;
         i++) { /* between the elements taken nothing is copied */
        const unsigned es = step_of(&m->request, i);
        if (m->plan->grain[i] % es == 0) sym_put(&m->t, " and x%u mod %u = 0", i, es);
    }
    sym_put(&m->t, " }");
    ask_injective(m, isl_map_read_from_str(m->s->isl, m->t.at));
}

/* --- the questions -----------------------------------------------------------------------------
 */

/* Elements that all copies take along dimension j, and of them those in the tensor where every tile
 * starts at 0: nothing is written beyond. */
static sym_int taken(const struct moves *m, uint32_t j, bool clip)
{
    const struct tmap_desc *d = &m->plan->desc;
    const struct tmap_plan_dim *dim = &m->plan->dim[j];
    struct tmap_desc last = *d;
    if (d->kind != TMAP_TILED && j > 0) return 1; /* as of the request: pixels are cut in order */
    if (dim->tail && d->kind == TMAP_TILED) last.box[j] = dim->tail;
    if (dim->tail && d->kind != TMAP_TILED) last.channels = dim->tail;
    const sym_int all =
        ((sym_int)dim->copies - 1) * (sym_int)extent_of(d, j) + (sym_int)extent_of(&last, j);
    const unsigned es = step_of(d, j);
    const uint64_t own = without_padding(m->plan).dim[j]; /* of a copy's row no zeros */
    const sym_int inside = own / es + (own % es != 0);
    bool at_zero = clip && inside < all && !(d->interleave && j + 2 == d->rank);
    for (uint32_t i = 0; i < m->request.rank;
         i++) /* a piece of a multiple of its size is its first */
        at_zero = at_zero &&
                  (!dim->coef[i] || !m->plan->grain[i] ||
                   (dim->mod && dim->coef[i] * m->plan->grain[i] % (dim->div * dim->mod) == 0));
    return at_zero ? inside : all;
}

/* The same of the request, which is one tile where all coordinates are 0. */
static sym_int requested(const struct moves *m, uint32_t i, bool clip)
{
    const struct tmap_desc *d = &m->request;
    const sym_int all = (sym_int)extent_of(d, i);
    const unsigned es = step_of(d, i);
    const sym_int inside = d->dim[i] / es + (d->dim[i] % es != 0);
    const bool at_zero = clip && m->plan->grain[i] == 0 && !(d->interleave && i + 2 == d->rank);
    return at_zero && inside < all ? inside : all;
}

/* Whether the bits that are stored are as many as the tile's. */
static bool is_exact(const struct moves *m, bool clip)
{
    const struct tmap_desc *d = &m->plan->desc;
    sym_int places = d->interleave ? unit_bits(d) : table_at(TABLE_SIZE_BITS, d->dtype);
    sym_int elements = m->request.interleave ? unit_bits(&m->request)
                                             : table_at(TABLE_SIZE_BITS, m->request.dtype);
    for (uint32_t j = 0; j < d->rank; j++) places *= taken(m, j, clip);
    for (uint32_t i = 0; i < m->request.rank; i++) elements *= requested(m, i, clip);
    return places == elements;
}

/* A store's boxes have no place that no element of the tile fills, but beyond the tensor; nor there
 * in rows that are not whole units, which the hardware fills up. */
static void ask_exact(struct moves *m)
{
    enum { UNIT_BITS = 128 };
    const struct tmap_desc *d = &m->plan->desc;
    const bool passes = taken(m, 0, false) != taken(m, 0, true);
    const bool own = requested(m, 0, false) != requested(m, 0, true);
    const bool whole = (sym_int)d->dim[0] * unit_bits(d) % UNIT_BITS == 0;
    if (!is_exact(m, false) && (!is_exact(m, true) || (passes && !own && !whole)))
        m->proof = TMAP_REFUTED;
}

/* No two elements of a tile at one place: c, y and q tell them apart. */
static void ask_places(struct moves *m)
{
    const unsigned request = m->request.rank, plan = m->plan->desc.rank;
    isl_map *map = isl_map_copy(m->map);
    map = isl_map_project_out(map, isl_dim_out, 2 * request + 2 * plan + 1, 1);
    map = isl_map_project_out(map, isl_dim_out, 2 * request + plan, plan);
    map = isl_map_project_out(map, isl_dim_out, request, request);
    ask_injective(m, map);
}

static void ask_all(struct moves *m, uint32_t unit)
{
    static void (*const wrong[])(struct moves *) = {put_wrong_bounds, put_wrong_place,
                                                    put_wrong_address};
    put_map(m);
    if (m->t.length >= m->t.cap) {
        sym_fail(&m->w, TMAP_E_BUDGET, "the plan is too long");
        return;
    }
    m->map = isl_map_read_from_str(m->s->isl, m->t.at);
    for (int k = 0; k < 3 - m->copied; k++) {
        put_names(m);
        wrong[k](m);
        ask(m);
    }
    put_names(m);
    put_wrong_start(m, unit);
    ask(m);
    ask_places(m);
    if (m->copied) ask_copied(m);
    if (m->stores) ask_exact(m);
    isl_map_free(m->map);
}

static bool copies_tensor(const struct tmap_plan *plan)
{
    for (uint32_t k = 0; k < plan->step_count; k++)
        if (plan->step[k].rewrite == TMAP_REWRITE_COPY) return true;
    return false;
}

/* Copies such as solve.h says, of which what follows takes quotients. */
static bool is_modelled(const struct tmap_desc *desc, const struct tmap_plan *plan)
{
    const uint32_t rank = plan->desc.rank;
    if (plan->skip || desc->rank > TMAP_MAX_RANK || rank < 1 || rank > TMAP_MAX_RANK ||
        plan->step_count > TMAP_PLAN_STEPS)
        return false;
    for (uint32_t j = 0; j < rank; j++)
        if (!plan->dim[j].div) return false;
    return true;
}

enum tmap_status tmap_certify_moves(struct tmap_symbolic *context,
                                    const struct tmap_checker *checker,
                                    const struct tmap_desc *desc,
                                    const struct tmap_request *request,
                                    const struct tmap_plan *plan, enum tmap_proof *proof)
{
    if (!context || !checker || !desc || !plan || !proof) return TMAP_E_ARGUMENT;
    if (!is_modelled(desc, plan))
        return sym_report(context, TMAP_E_ARGUMENT, "no copies, or copies that are not modelled");
    struct moves m = {.s = context,
                      .request = tmap_plan_request(desc, plan),
                      .plan = plan,
                      .stores = request && request->op == TMAP_OP_STORE,
                      .copied = copies_tensor(plan),
                      .proof = TMAP_PROVED};
    enum tmap_status st = sym_isl_begin(context);
    if (st != TMAP_OK) return st;
    if (sym_open(&m.w, &context->allocator))
        m.t = (struct sym_text){sym_take(&m.w, TEXT_BYTES), TEXT_BYTES, 0};
    if (m.t.at)
        ask_all(&m, sym_coord_unit(checker, &plan->desc, plan->desc.dtype, plan->desc.interleave));
    if (m.w.status == TMAP_E_BUDGET) m.proof = TMAP_UNDECIDED;
    if (m.w.status != TMAP_OK && m.w.status != TMAP_E_BUDGET)
        st = sym_report(context, m.w.status, m.w.why);
    if (st == TMAP_OK) *proof = m.proof;
    sym_isl_end(context);
    sym_close(&m.w);
    return st;
}

#else

enum tmap_status tmap_certify_moves(struct tmap_symbolic *context,
                                    const struct tmap_checker *checker,
                                    const struct tmap_desc *desc,
                                    const struct tmap_request *request,
                                    const struct tmap_plan *plan, enum tmap_proof *proof)
{
    (void)request;
    if (!context || !checker || !desc || !plan || !proof) return TMAP_E_ARGUMENT;
    return sym_isl_begin(context);
}
#endif
