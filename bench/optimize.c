/* Z3's own optimizer on the problems that the native search repairs, in the same run.
 *
 * For each broken matrix the search is timed, and then Z3_optimize on the fields of each view that
 * the search's account names: the rows, the costs in their order (a copy of the tensor,
 * instructions, layout changes, traffic, shared memory), and the least of the views. It is told
 * what the search found out for itself, the views; its time is theirs together. What it answers is
 * compared. */
#include "driver/rng.h"
#include "symbolic/certify/view_query.h"
#include "tmap/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef TMAP_WITH_Z3
#include <dlfcn.h>
#include <z3.h>

enum { PROBLEMS = 24, MOST_COPIES = 8, TEXT_BYTES = 1 << 18, LOG_EVENTS = 1 << 14, COSTS = 4 };
enum { LIMIT_MS = 3000 };

// clang-format off
#define Z3_FUNCTIONS(F) \
    F(mk_config) F(mk_context) F(set_error_handler) F(mk_optimize) F(optimize_inc_ref) \
    F(optimize_dec_ref) F(optimize_from_string) F(optimize_minimize) F(optimize_check) \
    F(optimize_get_lower) F(optimize_set_params) F(mk_params) F(params_inc_ref) F(params_set_uint) \
    F(mk_string_symbol) F(mk_const) F(mk_int_sort) F(get_numeral_uint64)
// clang-format on

struct z3 {
    Z3_context context;
#define DECLARE(f) __typeof__(Z3_##f) *f;
    Z3_FUNCTIONS(DECLARE)
#undef DECLARE
};

struct bench {
    struct z3 z;
    struct tmap_checker checker;
    struct sym_account account;
    struct tmap_search_log log;
    unsigned state, at; /* the view of the plan; the one being read */
    uint64_t seed;
    /* of the problem at hand */
    bool any, unknown;
    uint64_t best[COSTS + 1]; /* a copy; instructions - 1, layouts, traffic, shared */
    double z3_us;
    long views, timeouts;
};

static uint64_t rnd(struct bench *b, uint64_t n)
{
    return rng_step(&b->seed) % n;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* A matrix whose strides, base, box or swizzle are off, as users' are: bench/solve's problems. */
static struct tmap_desc broken(struct bench *b)
{
    struct tmap_desc d = {.kind = TMAP_TILED, .dtype = TMAP_BFLOAT16, .address = 1 << 30};
    d.rank = 2 + (uint32_t)rnd(b, 2);
    for (uint32_t i = 0; i < d.rank; i++) {
        d.dim[i] = 512 << rnd(b, 4);
        d.box[i] = i ? 32u << rnd(b, 3) : 64;
        d.elem_stride[i] = 1;
    }
    if (rnd(b, 3) == 0) d.dim[0] += rnd(b, 64);
    if (d.rank == 3 && rnd(b, 2)) d.dim[2] = d.box[2] = 1;
    if (d.rank == 3) d.box[2] = 1;
    d.stride_bytes[0] = d.dim[0] * 2;
    d.stride_bytes[1] = d.rank == 3 && d.dim[2] == 1 ? 2 : d.stride_bytes[0] * d.dim[1];
    d.swizzle = (int32_t)rnd(b, 4);
    if (rnd(b, 4) == 0) d.address += 2 * rnd(b, 8);
    if (rnd(b, 2)) d.box[rnd(b, 2)] = 512;
    return d;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* --- Z3 ----------------------------------------------------------------------------------------
 */

static void ignore_error(Z3_context c, Z3_error_code e)
{
    (void)c;
    (void)e;
}

static bool load(struct z3 *z)
{
    void *library = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL), *at;
    if (!library) return false;
#define FIND(f)                                                                                    \
    if (!(at = dlsym(library, "Z3_" #f))) return false;                                            \
    memcpy(&z->f, &at, sizeof at);
    Z3_FUNCTIONS(FIND)
#undef FIND
    z->context = z->mk_context(z->mk_config());
    z->set_error_handler(z->context, ignore_error);
    return true;
}

/* The least costs, one after the other; false: there are none, or (unknown) none in time. */
static bool minimize(struct bench *b, const char *text, uint64_t cost[COSTS])
{
    static const char *const name[COSTS] = {"N", "layouts", "traffic", "shared"};
    struct z3 *z = &b->z;
    Z3_context c = z->context;
    unsigned goal[COSTS];
    Z3_optimize o = z->mk_optimize(c);
    z->optimize_inc_ref(c, o);
    Z3_params p = z->mk_params(c);
    z->params_inc_ref(c, p);
    z->params_set_uint(c, p, z->mk_string_symbol(c, "timeout"), LIMIT_MS);
    z->optimize_set_params(c, o, p);
    z->optimize_from_string(c, o, text);
    for (int k = 0; k < COSTS; k++)
        goal[k] = z->optimize_minimize(
            c, o, z->mk_const(c, z->mk_string_symbol(c, name[k]), z->mk_int_sort(c)));
    const Z3_lbool r = z->optimize_check(c, o, 0, NULL);
    bool ok = r == Z3_L_TRUE;
    b->timeouts += r == Z3_L_UNDEF;
    b->unknown |= r == Z3_L_UNDEF;
    for (int k = 0; ok && k < COSTS; k++)
        ok = z->get_numeral_uint64(c, z->optimize_get_lower(c, o, goal[k]), &cost[k]);
    z->optimize_dec_ref(c, o);
    return ok;
}

/* name = max(0, what - useful) */
static void put_wasted(struct sym_text *t, const char *name, const char *what,
                       unsigned long long useful)
{
    sym_put(t, "(declare-const %s Int)\n(assert (= %s (ite (> %s %llu) (- %s %llu) 0)))\n", name,
            name, what, useful, what, useful);
}

/* The wasted traffic and shared memory of all copies, as `traffic` and `shared`. */
static void put_totals(struct sym_script *q, const struct sym_fields *f)
{
    struct sym_text *t = &q->text;
    sym_put(t, "(declare-const all_bytes Int)\n(declare-const all_shared Int)\n(assert (or");
    for (int n = 1; n <= MOST_COPIES; n++)
        sym_put(t,
                " (and (= N %d) (= all_bytes (* %d bytes))"
                " (= all_shared (+ footprint (* %d slot))))",
                n, n, n - 1);
    sym_put(t, "))\n");
    put_wasted(t, "traffic", "all_bytes", f->objective->useful_bytes);
    put_wasted(t, "shared", "all_shared", f->objective->useful_bytes);
}

static enum tmap_status optimize_view(struct sym_account *a, const struct sym_view *v, void *user)
{
    struct bench *b = user;
    if (b->at++ != b->state) return TMAP_OK;
    for (int copied = 0; copied < 2; copied++) {
        struct sym_work w;
        struct sym_script q;
        uint64_t cost[COSTS + 1] = {(uint64_t)copied};
        struct sym_fields f = {
            .checker = &b->checker, .objective = &a->objective, .view = v, .plan = a->plan};
        f.copied = copied;
        f.shared_align = 128;
        f.coord_unit =
            sym_coord_unit(&b->checker, &a->plan->desc, v->desc.dtype, v->desc.interleave);
        f.longest = sym_longest_box(&b->checker, &a->plan->desc);
        tmap_capacity(b->checker.target.arch, &f.capacity, NULL);
        if (!sym_open(&w, NULL)) return TMAP_E_MEMORY;
        if (!sym_script_open(&q, &w, TEXT_BYTES)) exit(2);
        sym_fields_costs(&q, &f, MOST_COPIES);
        put_totals(&q, &f);
        const double start = now_us();
        const bool found = minimize(b, q.text.at, cost + 1);
        b->z3_us += now_us() - start;
        b->views++;
        sym_close(&w);
        for (int k = 0; found && (k <= COSTS || !b->any); k++) {
            if (b->any && k <= COSTS && cost[k] == b->best[k]) continue;
            if (!b->any || cost[k] < b->best[k]) memcpy(b->best, cost, sizeof cost);
            b->any = true;
            break;
        }
        if (found) break; /* a copy only costs more */
    }
    return TMAP_OK;
}

/* The view in whose event of the account the plan's cost stands. */
static unsigned state_of(const struct tmap_search_log *log, const struct tmap_plan *p)
{
    for (size_t i = 0; i < log->count && i < log->capacity; i++) {
        struct tmap_cost c = log->events[i].u.cost;
        c.kind = p->cost.kind;
        c.steps = p->cost.steps;
        if (log->events[i].kind == TMAP_SEARCH_PLAN && tmap_cost_compare(&c, &p->cost) == 0)
            return log->events[i].number;
    }
    exit(2);
}

/* --- one problem -------------------------------------------------------------------------------
 */

enum answer { SAME, BETTER, WORSE, NONE };

static enum answer compare(const struct bench *b, const struct tmap_plan *p)
{
    const struct tmap_cost *c = &p->cost;
    const uint64_t own[COSTS + 1] = {c->copied_bytes != 0, c->extra_instructions + 1,
                                     c->layout_changes, c->wasted_traffic_bytes,
                                     c->wasted_shared_bytes};
    if (!b->any || b->unknown) return NONE;
    for (int k = 0; k <= COSTS; k++)
        if (own[k] != b->best[k]) return b->best[k] < own[k] ? BETTER : WORSE;
    return SAME;
}

static enum answer run_problem(struct bench *b, double *native_us)
{
    static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
    enum { AGAIN = 20 };
    struct tmap_desc d;
    struct tmap_plan plan;
    struct tmap_repair_report r;
    do d = broken(b);
    while (tmap_verdict_of(&b->checker, &d) == TMAP_LEGAL);
    const double start = now_us();
    for (int k = 0; k < AGAIN; k++)
        tmap_repair(&b->checker, &d, NULL, workspace, sizeof workspace, &plan, 1, &r, NULL);
    *native_us = (now_us() - start) / AGAIN;
    b->log.count = 0;
    if (tmap_repair(&b->checker, &d, NULL, workspace, sizeof workspace, &plan, 1, &r, &b->log) !=
        TMAP_OK)
        exit(2);
    b->any = b->unknown = false;
    b->z3_us = 0;
    b->account.plan = &plan;
    b->account.base = plan.desc;
    b->account.base.swizzle = d.swizzle;
    b->account.has_aim = false;
    b->state = state_of(&b->log, &plan);
    b->at = 0;
    if (sym_each_view(&b->account, &b->log, optimize_view, b) != TMAP_OK) exit(2);
    return compare(b, &plan);
}

static void report(const char *what, double *us, size_t n)
{
    qsort(us, n, sizeof *us, by_value);
    printf("%-22s median %12.1f us   p95 %12.1f us   max %12.1f us\n", what, us[n / 2],
           us[n * 95 / 100], us[n - 1]);
}

int main(void)
{
    static struct bench b = {.seed = 42, .log = {.capacity = LOG_EVENTS}};
    static double native[PROBLEMS], z3[PROBLEMS], ratio[PROBLEMS];
    const char *wanted = getenv("TMAP_PROBLEMS");
    const struct tmap_target target = tmap_default_target();
    size_t n = wanted ? (size_t)atol(wanted) : PROBLEMS;
    long seen[4] = {0}, unknown = 0;
    b.log.events = malloc(LOG_EVENTS * sizeof *b.log.events);
    if (!b.log.events || tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &b.checker) != TMAP_OK ||
        tmap_symbolic_open(NULL, &b.account.s) != TMAP_OK)
        return 2;
    if (!load(&b.z)) {
        printf("SKIP optimize: libz3 is not installed\n");
        return 0;
    }
    b.account.checker = &b.checker;
    if (n > PROBLEMS) n = PROBLEMS;
    for (size_t i = 0; i < n; i++) {
        seen[run_problem(&b, &native[i])]++;
        unknown += b.unknown;
        z3[i] = b.z3_us;
        ratio[i] = z3[i] / native[i];
    }
    printf("%zu repairs, %ld questions to Z3_optimize, %d ms each at most\n", n, b.views, LIMIT_MS);
    report("native search", native, n);
    report("Z3_optimize, one view", z3, n);
    qsort(ratio, n, sizeof *ratio, by_value);
    printf("ratio: median %.0f, least %.0f; %ld timeouts in %ld repairs\n", ratio[n / 2], ratio[0],
           b.timeouts, unknown);
    printf("its least cost is the search's %ld times, below it %ld, above it %ld, not known %ld\n",
           seen[SAME], seen[BETTER], seen[WORSE], seen[NONE]);
    tmap_symbolic_close(b.account.s);
    free(b.log.events);
    return 0;
}

#else
int main(void)
{
    printf("SKIP optimize: built without Z3\n");
    return 0;
}
#endif
