// Branches, calls, the ends of threads.
#include "emulate/async/async.h"
#include "emulate/ops/ops.h"

#include <string.h>

// Lanes `mask` of the split that runs go to pc; the others stay with it.
static struct emu_split *split_off(struct emu_warp *w, uint32_t mask)
{
    struct emu_split *s = emu_here(w);
    if (s->mask == mask) return s;
    struct emu_split *fresh = &w->split[w->splits++];
    *fresh = *s;
    fresh->mask = mask;
    fresh->blocked_at = UINT64_MAX;
    s->mask &= ~mask;
    return fresh;
}

EXEC(branch)
{
    struct emu_split *s = emu_here(w);
    struct emu_split *taken = split_off(w, mask);
    if (taken != s) s->pc++;
    taken->pc = in->target;
    return EMU_JUMP;
}

// An inner scope's label hides an outer one of the same name.
static bool find_label(const struct decoder *d, const char *name, uint32_t *at)
{
    const struct ptx_function *f = d->f;
    for (uint32_t scope = d->inst->scope; scope != UINT32_MAX; scope = f->scope[scope].parent)
        for (uint32_t i = 0; i < f->labels; i++)
            if (f->label[i].scope == scope && strcmp(f->label[i].name, name) == 0) {
                *at = f->label[i].at;
                return true;
            }
    return false;
}

bool decode_bra(struct decoder *d)
{
    uint32_t at;
    dec_has(d, "uni");
    const struct ptx_operand *o = dec_operand(d);
    if (!o) return false;
    if (o->kind != PTX_OP_SYMBOL || !find_label(d, o->name, &at))
        return dec_fail(d, "'%s' goes to no label", d->inst->op);
    d->out->exec = branch;
    d->out->target = d->module->entry[d->function].pc + at;
    return true;
}

// --- brx.idx: a label of a table

struct branch_table {
    uint32_t count, target[];
};

static uint32_t lanes_with(const uint32_t *v, uint32_t mask, uint32_t value)
{
    uint32_t same = 0;
    EACH_LANE(l, mask) same |= (uint32_t)(v[l] == value) << l;
    return same;
}

EXEC(branch_by_table)
{
    const struct branch_table *t = in->more;
    const uint32_t *index = emu_u32(w, in->a);
    struct emu_split *s = emu_here(w);
    while (mask) {
        const uint32_t l = (uint32_t)emu_lane(mask), i = index[l];
        const uint32_t same = lanes_with(index, mask, i);
        if (i >= t->count)
            return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, l, i, "branch %u of a table of %u", i,
                             t->count);
        struct emu_split *taken = split_off(w, same);
        taken->pc = t->target[i];
        if (taken == s) return EMU_JUMP;
        mask &= ~same;
    }
    s->pc++; // the lanes that the guard leaves
    return EMU_JUMP;
}

static const struct ptx_table *find_table(const struct decoder *d, const char *name)
{
    const struct ptx_function *f = d->f;
    for (uint32_t scope = d->inst->scope; scope != UINT32_MAX; scope = f->scope[scope].parent)
        for (uint32_t i = 0; i < f->tables; i++)
            if (f->table[i].scope == scope && strcmp(f->table[i].name, name) == 0)
                return &f->table[i];
    return NULL;
}

bool decode_brx(struct decoder *d)
{
    dec_has(d, "uni");
    if (!dec_has(d, "idx") || !dec_source(d, PTX_U32, &d->out->a)) return false;
    const struct ptx_operand *o = dec_operand(d);
    const struct ptx_table *from = o && o->kind == PTX_OP_SYMBOL ? find_table(d, o->name) : NULL;
    if (!o) return false;
    if (!from) return dec_fail(d, "'%s' has no table of targets", d->inst->op);
    struct branch_table *t = dec_alloc(d, sizeof *t + from->labels * sizeof *t->target);
    if (!t) return false;
    for (t->count = 0; t->count < from->labels; t->count++) {
        if (!find_label(d, from->label[t->count], &t->target[t->count]))
            return dec_fail(d, "'%s' goes to no label", from->label[t->count]);
        t->target[t->count] += d->module->entry[d->function].pc;
    }
    d->out->exec = branch_by_table;
    d->out->more = t;
    return true;
}

static enum emu_step leave(struct emu_warp *w, uint32_t mask)
{
    struct emu_split *s = emu_here(w);
    w->live &= ~mask;
    s->mask &= ~mask;
    s->pc++;
    if (s->mask == 0) *s = w->split[--w->splits];
    if (w->live == 0)
        emu_warp_left(w);
    else
        emu_something(w->cta->cluster); // lanes that wait for these go on
    return EMU_JUMP;
}

// --- calls: the arguments are variables of the caller, copied to the callee's

struct call {
    const struct ptx_var **to, **from;
    uint32_t copies, returns;
};

static void copy_var(struct emu_warp *w, uint32_t l, const struct ptx_var *to,
                     const struct ptx_var *from)
{
    uint8_t *base = w->local + (size_t)l * w->m->entry->local_bytes;
    const uint32_t bytes = to->bytes < from->bytes ? to->bytes : from->bytes;
    memcpy(base + (to->address - EMU_LOCAL_WINDOW), base + (from->address - EMU_LOCAL_WINDOW),
           bytes);
}

EXEC(exit_)
{
    (void)in;
    return leave(w, mask);
}

EXEC(ret)
{
    struct emu_split *s = emu_here(w);
    (void)in;
    if (s->calls == 0) return leave(w, mask);
    struct emu_split *back = split_off(w, mask);
    if (back != s) s->pc++;
    back->pc = back->back[--back->calls];
    const struct call *c = w->m->module->code[back->pc - 1].more;
    for (uint32_t i = c->copies; i < c->copies + c->returns; i++)
        EACH_LANE(l, mask) copy_var(w, l, c->to[i], c->from[i]);
    return EMU_JUMP;
}

bool decode_exit(struct decoder *d)
{
    d->out->exec = exit_;
    return true;
}

bool decode_ret(struct decoder *d)
{
    dec_has(d, "uni");
    d->out->exec = ret;
    return true;
}

EXEC(trap)
{
    return emu_fault(TMAP_EMULATE_TRAP, w, in, (uint32_t)emu_lane(mask), 0, "the program trapped");
}

bool decode_trap(struct decoder *d)
{
    d->out->exec = trap;
    return true;
}

EXEC(nothing)
{
    (void)w, (void)in, (void)mask;
    return EMU_NEXT;
}
EXEC(pause)
{
    (void)w, (void)in, (void)mask;
    return EMU_YIELD;
}

bool decode_nanosleep(struct decoder *d)
{
    d->out->exec = pause;
    return dec_has(d, "u32") && dec_source(d, PTX_U32, &d->out->a);
}

bool decode_brkpt(struct decoder *d)
{
    d->out->exec = nothing;
    return true;
}

bool decode_pmevent(struct decoder *d)
{
    int64_t event;
    dec_has(d, "mask");
    d->out->exec = nothing;
    return dec_immediate(d, &event);
}

EXEC(call)
{
    const struct call *c = in->more;
    struct emu_split *s = emu_here(w);
    if (s->calls == MAX_CALLS)
        return emu_fault(TMAP_EMULATE_ILLEGAL, w, in, (uint32_t)emu_lane(mask), 0,
                         "calls nested more than %d deep", MAX_CALLS);
    for (uint32_t i = 0; i < c->copies; i++)
        EACH_LANE(l, mask) copy_var(w, l, c->to[i], c->from[i]);
    struct emu_split *in_call = split_off(w, mask);
    if (in_call != s) s->pc++;
    in_call->back[in_call->calls++] = in_call->pc + 1;
    in_call->pc = w->m->module->entry[in->target].pc;
    return EMU_JUMP;
}

static bool pair_up(struct decoder *d, const struct ptx_operand *list, struct ptx_var **formal,
                    uint32_t count, bool in, struct call *c, uint32_t *n)
{
    if (!list ? count != 0 : list->kind != PTX_OP_LIST || list->parts != count)
        return dec_fail(d, "a call with another number of arguments than the function has");
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *o = &list->part[i];
        if (o->kind != PTX_OP_VAR || o->value)
            return dec_fail(d, "an argument of a call that is no variable");
        c->to[*n] = in ? formal[i] : o->var;
        c->from[(*n)++] = in ? o->var : formal[i];
    }
    return true;
}

// assert() of device code: a call that does not come back.
EXEC(assertion)
{
    return emu_fault(TMAP_EMULATE_TRAP, w, in, (uint32_t)emu_lane(mask), 0, "an assertion failed");
}

static bool fails_assertion(struct decoder *d)
{
    while (dec_more(d)) dec_operand(d);
    d->out->exec = assertion;
    return true;
}

bool decode_call(struct decoder *d)
{
    const struct ptx_operand *o, *returns = NULL, *args = NULL;
    uint32_t n = 0;
    dec_has(d, "uni");
    if (!(o = dec_operand(d))) return false;
    if (o->kind == PTX_OP_LIST) {
        returns = o;
        if (!(o = dec_operand(d))) return false;
    }
    const struct ptx_function *f =
        o->kind == PTX_OP_SYMBOL ? ptx_function_named(&d->module->ptx, o->name) : NULL;
    if (!f || f->is_entry) return dec_fail(d, "a call of what is no function of this module");
    if (!f->has_body && !strcmp(f->name, "__assertfail")) return fails_assertion(d);
    if (!f->has_body) return dec_fail(d, "a call of '%s', which has no body here", f->name);
    if (dec_more(d)) args = dec_operand(d);
    struct call *c = dec_alloc(d, sizeof *c);
    const size_t most = f->param_count + f->return_count + 1;
    if (!c || !(c->to = dec_alloc(d, most * sizeof *c->to)) ||
        !(c->from = dec_alloc(d, most * sizeof *c->from)))
        return false;
    c->copies = f->param_count;
    c->returns = f->return_count;
    d->out->exec = call;
    d->out->more = c;
    d->out->target = (uint32_t)(f - d->module->ptx.function);
    return pair_up(d, args, f->params, f->param_count, true, c, &n) &&
           pair_up(d, returns, f->returns, f->return_count, false, c, &n);
}
