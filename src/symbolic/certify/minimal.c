/* minimal.c : reads a search's account and asks about each view that it names. */
#include "symbolic/certify/view_query.h"
#include "symbolic/smt/replay.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 21 };

static bool read_aim(struct sym_account *a, const char *line)
{
    struct sym_aim *x = &a->objective;
    a->has_aim =
        sscanf(line, "objective %llu %llu %d %d %d %d %d", &x->useful_bytes, &x->tensor_bytes,
               &x->swizzle, &x->stores, &x->keep_swizzle, &x->no_copy, &x->decided) == 7;
    return a->has_aim;
}

static bool read_dims(const char *line, int *at, struct sym_view *v)
{
    for (uint32_t i = 0; i < v->desc.rank; i++) {
        unsigned long long size, stride;
        int used = 0;
        if (sscanf(line + *at, " %llu %llu %llu %llu %u %d%n", &size, &stride, &v->tile[i],
                   &v->grain[i], &v->desc.elem_stride[i], &v->whole[i], &used) != 6)
            return false;
        v->desc.dim[i] = size;
        if (i) v->desc.stride_bytes[i - 1] = stride;
        *at += used;
    }
    return true;
}

static bool read_view(const struct sym_account *a, const char *line, struct sym_view *v)
{
    unsigned long long address;
    int at = 0, used = 0;
    memset(v, 0, sizeof *v);
    v->desc = a->base;
    if (sscanf(line, "state %*u %*u %u %*u %*u%n", &v->desc.rank, &at) != 1) return false;
    if (v->desc.rank < 1 || v->desc.rank > TMAP_MAX_RANK || !read_dims(line, &at, v)) return false;
    if (sscanf(line + at, " | %d %d %llu %u %d %d%n", &v->desc.dtype, &v->desc.interleave, &address,
               &v->layout_changes, &v->is_piece, &v->tile_rows, &used) != 6)
        return false;
    v->desc.address = address;
    if (v->desc.interleave == TMAP_INTERLEAVE_NONE) v->desc.elem_stride[0] = 1;
    return true;
}

static bool read_im2col(const struct sym_account *a, const char *line, struct sym_view *v)
{
    unsigned long long size, stride, address;
    int at = 0, used = 0;
    memset(v, 0, sizeof *v);
    v->desc = a->base;
    if (sscanf(line, "im2col %u%n", &v->desc.rank, &at) != 1) return false;
    if (v->desc.rank < 1 || v->desc.rank > TMAP_MAX_RANK) return false;
    for (uint32_t i = 0; i < v->desc.rank; i++, at += used) {
        unsigned long long grain;
        if (sscanf(line + at, " %llu %llu %llu %*u%n", &size, &stride, &grain, &used) != 3)
            return false;
        v->grain[i] = grain;
        if (i) v->desc.stride_bytes[i - 1] = stride;
    }
    if (sscanf(line + at, " | %llu %llu", &v->tile[0], &address) != 2) return false;
    v->desc.address = address;
    return true;
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
    for (uint32_t i = 0; i < desc.rank && i < TMAP_MAX_RANK; i++) desc.dim[i] += MOST_UNIT;
    memset(desc.lower, 0, sizeof desc.lower);
    memset(desc.upper, 0, sizeof desc.upper);
    for (; unit < MOST_UNIT; unit *= 2) {
        struct tmap_violation v[1];
        size_t found = 0;
        use.coord[0] = (int32_t)unit;
        if (tmap_check_use(checker, &desc, &use, v, 1, &found, NULL) == TMAP_OK && !found) break;
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
    if (st == TMAP_OK) st = tmap_capacity(a->checker->target.arch, &f.capacity, NULL);
    if (st != TMAP_OK) return sym_report(a->s, st, "the plan's descriptor is not legal here");
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
    if (st == TMAP_OK && asked && a->plan->cost.copied_bytes && !a->objective.no_copy)
        st = ask_both(a, v, true, &copied);
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
    const char *l = log->length ? log->text : NULL;
    if (!log->text || log->length >= log->size)
        return sym_report(a->s, TMAP_E_ARGUMENT, "the search's account is missing or cut off");
    for (; l && *l && st == TMAP_OK; l = strchr(l, '\n'), l = l ? l + 1 : l) {
        struct sym_view v;
        if (strncmp(l, "objective ", 4) == 0 && !read_aim(a, l))
            st = sym_report(a->s, TMAP_E_ARGUMENT, "the account's objective cannot be read");
        const bool tiled = strncmp(l, "state ", 6) == 0;
        if (!tiled && strncmp(l, "im2col ", 7) != 0) continue;
        if (!a->has_aim || !(tiled ? read_view : read_im2col)(a, l, &v))
            st = sym_report(a->s, TMAP_E_ARGUMENT, "a state of the account cannot be read");
        else
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
