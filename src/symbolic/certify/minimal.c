/* minimal.c : reads a search's account and asks about each view that it names. */
#include "symbolic/certify/view_query.h"
#include "symbolic/smt/replay.h"

#include <string.h>

enum { TEXT_BYTES = 1 << 21 };

static void take_objective(struct sym_account *a, const struct tmap_search_objective *o)
{
    a->objective = (struct sym_objective){.useful_bytes = o->useful_bytes,
                                          .tensor_bytes = o->tensor_bytes,
                                          .swizzle = o->swizzle,
                                          .stores = o->stores,
                                          .keep_swizzle = o->keep_swizzle,
                                          .no_copy = o->no_copy,
                                          .decided = o->decided};
    a->has_aim = true;
}

/* What the view changed of the request; an im2col map's element strides are the request's. */
static struct sym_view view_of(const struct sym_account *a, const struct tmap_search_event *e)
{
    const struct tmap_search_state *x = &e->u.state;
    struct sym_view v = {.desc = a->base};
    const bool tiled = e->kind == TMAP_SEARCH_STATE;
    v.desc.rank = x->rank;
    v.desc.address = x->address;
    for (uint32_t i = 0; i < x->rank; i++) {
        const struct tmap_search_dim *d = &x->dim[i];
        v.grain[i] = d->grain;
        if (i) v.desc.stride_bytes[i - 1] = d->stride_bytes;
        if (!tiled) continue;
        v.desc.dim[i] = d->size;
        v.tile[i] = d->tile;
        v.desc.elem_stride[i] = d->elem_stride;
        v.whole[i] = (int)d->whole;
    }
    if (!tiled) {
        v.tile[0] = x->channels;
        return v;
    }
    v.desc.dtype = x->dtype;
    v.desc.interleave = x->interleave;
    v.layout_changes = x->layout_changes;
    v.is_piece = x->is_piece;
    v.tile_rows = x->tile_rows;
    if (x->interleave == TMAP_INTERLEAVE_NONE) v.desc.elem_stride[0] = 1;
    return v;
}

uint32_t sym_coord_unit(const struct tmap_checker *checker, const struct tmap_desc *legal,
                        int32_t dtype, int32_t interleave)
{
    enum { MOST_UNIT = 512 };
    struct tmap_use use = {.op = TMAP_OP_LOAD, .flags = TMAP_USE_COORD, .coord_count = legal->rank};
    struct tmap_desc desc = *legal;
    uint32_t unit = 1;
    desc.dtype = dtype;
    desc.interleave = interleave;
    /* of an im2col map without corners any pixel will do */
    for (uint32_t i = 0; i < desc.rank; i++) desc.dim[i] += MOST_UNIT;
    memset(desc.lower, 0, sizeof desc.lower);
    memset(desc.upper, 0, sizeof desc.upper);
    for (; unit < MOST_UNIT; unit *= 2) {
        struct tmap_violation v[1];
        size_t found = 0;
        use.coord[0] = (int32_t)unit;
        tmap_check_use(checker, &desc, &use, v, 1, &found, NULL);
        if (!found) break;
    }
    return unit;
}

uint32_t sym_longest_box(const struct tmap_checker *checker, const struct tmap_desc *legal)
{
    struct tmap_desc d = *legal;
    const uint32_t i = d.rank - 1;
    uint32_t longest = 0;
    for (uint32_t k = 1; k < d.rank; k++) d.box[k] = 1;
    if (i == 0) d.swizzle = TMAP_SWIZZLE_NONE; /* its span bounds a row */
    /* the smallest first, lest the bytes of a box bound it */
    for (d.box[0] = 1; d.box[0] && tmap_verdict_of(checker, &d) != TMAP_LEGAL;) d.box[0] *= 2;
    for (d.box[i] = 1; d.box[i]; d.box[i] *= 2)
        if (tmap_verdict_of(checker, &d) == TMAP_LEGAL) longest = 2 * d.box[i] - 1;
    return longest;
}

/* Whether some fields beat the plan. */
static enum tmap_status ask(struct sym_account *a, const struct sym_fields *f,
                            enum sym_answer *answer)
{
    struct sym_work w;
    struct sym_script q;
    enum tmap_status st = TMAP_OK;
    if (!sym_open(&w, &a->s->allocator)) return sym_report(a->s, TMAP_E_MEMORY, "out of memory");
    if (sym_script_open(&q, &w, TEXT_BYTES)) {
        if (f->view->desc.kind == TMAP_TILED)
            sym_fields_costs(&q, f, a->plan->cost.extra_instructions + 1);
        if (f->view->desc.kind != TMAP_TILED)
            sym_im2col_question(&q, f);
        else if (a->use)
            sym_fields_better(&q, f);
        else
            sym_fields_below(&q, f);
    }
    if (q.text.length >= q.text.cap) sym_fail(&w, TMAP_E_BUDGET, "the query is too long");
    /* Z3's solver for no logic in particular is thirty times faster here, where it ends */
    static const char *const logic[] = {NULL, "QF_NIA"};
    *answer = SYM_UNKNOWN;
    for (int k = 0; w.status == TMAP_OK && st == TMAP_OK && k < 2; k++) {
        const struct sym_query query = {.text = q.text.at, .logic = logic[k]};
        if (*answer == SYM_UNKNOWN) st = sym_ask(a->s, &query, answer);
    }
    if (w.status != TMAP_OK && w.status != TMAP_E_BUDGET) st = sym_report(a->s, w.status, w.why);
    sym_close(&w);
    return st;
}

/* Whether the costs that need products of boxes are at their least, or not asked about: then the
 * other terms alone may show that nothing costs less, and are asked first. */
static bool is_linear(const struct sym_account *a)
{
    const struct tmap_cost *c = &a->plan->cost;
    if (a->use) return true;
    return c->wasted_traffic_bytes == 0 && c->wasted_shared_bytes == 0;
}

/* Whether the plan can be beaten in this view, the tensor copied or not. */
static enum tmap_status ask_both(struct sym_account *a, const struct sym_view *v, bool copied,
                                 enum tmap_proof *proof)
{
    struct tmap_layout layout;
    struct sym_fields f = {.checker = a->checker,
                           .objective = &a->objective,
                           .view = v,
                           .plan = a->plan,
                           .use = a->use,
                           .best = a->best,
                           .tile_rank = a->tile_rank,
                           .copied = copied,
                           .linear = is_linear(a)};
    enum sym_answer answer = SYM_UNKNOWN;
    enum tmap_status st = tmap_layout(a->checker, &a->plan->desc, &layout);
    if (st != TMAP_OK) return sym_report(a->s, st, "the plan's descriptor is not legal here");
    tmap_capacity(a->checker->target.arch, &f.capacity, NULL);
    f.shared_align = layout.align_bytes;
    f.rows = layout.rows;
    if (v->desc.kind != TMAP_TILED) f.linear = false; /* its products are with numbers */
    f.coord_unit = sym_coord_unit(a->checker, &a->plan->desc, v->desc.dtype, v->desc.interleave);
    f.longest = v->desc.kind == TMAP_TILED ? sym_longest_box(a->checker, &a->plan->desc) : 1;
    if (f.longest == 0) return sym_report(a->s, TMAP_E_INTERNAL, "the plan has no legal box");
    if (f.linear) st = ask(a, &f, &answer);
    if (st == TMAP_OK && answer != SYM_UNSAT) {
        f.linear = false;
        st = ask(a, &f, &answer);
    }
    /* better only if there are few conflicts, and that is not known: then nothing is */
    if (st == TMAP_OK && answer == SYM_SAT && a->best) {
        f.many_conflicts = true;
        st = ask(a, &f, &answer);
        if (answer == SYM_UNSAT) answer = SYM_UNKNOWN;
    }
    *proof = answer == SYM_UNSAT ? TMAP_PROVED : answer == SYM_SAT ? TMAP_REFUTED : TMAP_UNDECIDED;
    return st;
}

static enum tmap_status judge(struct sym_account *a, const struct sym_view *v, void *user)
{
    struct tmap_minimal *out = user;
    enum tmap_proof plain = TMAP_UNDECIDED, copied = TMAP_PROVED;
    /* pixels in pieces are not in the question */
    const bool asked = v->desc.kind == TMAP_TILED || a->plan->dim[1].copies <= 1;
    enum tmap_status st = asked ? ask_both(a, v, false, &plain) : TMAP_OK;
    /* a copy costs more than a plan without one, whatever its fields */
    if (st == TMAP_OK && asked && a->plan->cost.copied_bytes) st = ask_both(a, v, true, &copied);
    const bool refuted = plain == TMAP_REFUTED || copied == TMAP_REFUTED;
    const bool proved = plain == TMAP_PROVED && copied == TMAP_PROVED;
    out->views++;
    out->refuted += refuted;
    out->proved += proved;
    out->undecided += !refuted && !proved;
    return st;
}

enum tmap_status sym_each_view(struct sym_account *a, const struct tmap_search_log *log,
                               enum tmap_status (*each)(struct sym_account *a,
                                                        const struct sym_view *v, void *user),
                               void *user)
{
    enum tmap_status st = TMAP_OK;
    if (!log->events || log->count > log->capacity)
        return sym_report(a->s, TMAP_E_ARGUMENT, "the search's account is missing or cut off");
    for (size_t i = 0; i < log->count && st == TMAP_OK; i++) {
        const struct tmap_search_event *e = &log->events[i];
        if (e->kind == TMAP_SEARCH_OBJECTIVE) take_objective(a, &e->u.objective);
        if (e->kind != TMAP_SEARCH_STATE && e->kind != TMAP_SEARCH_IM2COL) continue;
        if (!a->has_aim || e->u.state.rank < 1 || e->u.state.rank > TMAP_MAX_RANK)
            return sym_report(a->s, TMAP_E_ARGUMENT, "a state of the account cannot be read");
        const struct sym_view v = view_of(a, e);
        st = each(a, &v, user);
    }
    return st;
}

enum tmap_status sym_read_account(struct sym_account *a, const struct tmap_search_log *log,
                                  struct tmap_minimal *out)
{
    return sym_each_view(a, log, judge, out);
}

enum tmap_status tmap_certify_minimal(struct tmap_symbolic *context,
                                      const struct tmap_checker *checker,
                                      const struct tmap_desc *desc, const struct tmap_plan *plan,
                                      const struct tmap_search_log *log, struct tmap_minimal *out)
{
    if (!context || !checker || !desc || !plan || !log || !out) return TMAP_E_ARGUMENT;
    if (checker->covered != TMAP_OK)
        return sym_report(context, checker->covered, "no source covers this target");
    if (plan->skip) return sym_report(context, TMAP_E_ARGUMENT, "a plan without copies");
    struct sym_account a = {.s = context, .checker = checker, .plan = plan, .base = plan->desc};
    struct tmap_minimal counts = {0};
    /* what the plan decided stays so; what its view changed comes from the account */
    memcpy(a.base.dim, desc->dim, sizeof a.base.dim);
    a.base.swizzle = desc->swizzle;
    a.base.kind = desc->kind; /* a walk instead of boxes is the plan's, not the views' */
    a.base.flags =
        (plan->desc.flags & ~(uint32_t)TMAP_HAS_ALLOCATION) | (desc->flags & TMAP_HAS_ALLOCATION);
    enum tmap_status st = sym_z3_start(context);
    if (st != TMAP_OK) return st;
    sym_begin(context); /* one question, however many it asks Z3: a cancel ends it as a whole */
    st = sym_read_account(&a, log, &counts);
    if (st == TMAP_OK) *out = counts;
    return sym_end(context, st);
}
