/* session.c : starting isl, its budget, and what went wrong in it. */
#include "symbolic/isl/session.h"

#ifdef TMAP_WITH_ISL
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/version.h>

static isl_ctx *start(struct tmap_symbolic *s)
{
    enum { START_BYTES = 1 << 20 };
    if (!sym_has_memory(s, START_BYTES)) return NULL;
    isl_ctx *ctx = isl_ctx_alloc();
    if (ctx) isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    pthread_mutex_lock(&s->lock);
    s->isl = ctx;
    pthread_mutex_unlock(&s->lock);
    return ctx;
}

enum tmap_status sym_isl_begin(struct tmap_symbolic *s)
{
    if (!s->isl && !start(s)) return sym_report(s, TMAP_E_MEMORY, "no memory for isl's context");
    sym_begin(s);
    isl_ctx_resume(s->isl); /* a cancel may have met a question of Z3's */
    if (atomic_load(&s->cancelled)) isl_ctx_abort(s->isl);
    isl_ctx_reset_error(s->isl);
    isl_ctx_reset_operations(s->isl);
    isl_ctx_set_max_operations(s->isl, s->isl_operations);
    s->why[0] = 0;
    return TMAP_OK;
}

enum tmap_status sym_isl_status(struct tmap_symbolic *s, struct sym_work *w)
{
    enum isl_error error = isl_ctx_last_error(s->isl);
    if (error == isl_error_none) return w->status;
    isl_ctx_resume(s->isl);
    if (w->status != TMAP_E_MEMORY) w->status = TMAP_OK; /* what failed after isl did says less */
    if (error == isl_error_quota) {
        sym_fail(w, TMAP_E_BUDGET, "isl's budget of %llu operations ran out",
                 (unsigned long long)s->isl_operations);
    } else if (error == isl_error_abort) {
        sym_fail(w, TMAP_E_BUDGET, "cancelled");
    } else if (error == isl_error_alloc) {
        sym_fail(w, TMAP_E_MEMORY, "isl is out of memory");
    } else {
        sym_fail(w, TMAP_E_BUDGET, "isl: %.100s", isl_ctx_last_error_msg(s->isl));
    }
    return w->status;
}

void sym_isl_lost(struct tmap_symbolic *s, struct sym_work *w)
{
    if (isl_ctx_last_error(s->isl) == isl_error_none)
        sym_fail(w, TMAP_E_MEMORY, "isl is out of memory");
}

/* What follows the question (freeing, printing a kept result) is not charged to it. */
void sym_isl_end(struct tmap_symbolic *s)
{
    sym_end(s, TMAP_OK);
    isl_ctx_reset_error(s->isl);
    isl_ctx_set_max_operations(s->isl, 0);
    isl_ctx_resume(s->isl);
}

void sym_isl_free(struct tmap_symbolic *s)
{
    if (s->isl) isl_ctx_free(s->isl);
}

void sym_isl_cancel(struct tmap_symbolic *s)
{
    if (s->isl) isl_ctx_abort(s->isl);
}

const char *sym_isl_version(void)
{
    return isl_version();
}

#else

enum tmap_status sym_isl_begin(struct tmap_symbolic *s)
{
    return sym_report(s, TMAP_E_NOT_BUILT,
                      "this tmap was built without isl, which conditions and guards need");
}

enum tmap_status sym_isl_status(struct tmap_symbolic *s, struct sym_work *w)
{
    (void)s;
    return w->status;
}

void sym_isl_end(struct tmap_symbolic *s)
{
    (void)s;
}

void sym_isl_free(struct tmap_symbolic *s)
{
    (void)s;
}

void sym_isl_cancel(struct tmap_symbolic *s)
{
    (void)s;
}

const char *sym_isl_version(void)
{
    return NULL;
}
#endif
