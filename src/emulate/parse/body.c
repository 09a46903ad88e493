// The body of a function: declarations, labels, instructions, scopes.
#include "emulate/parse/lex.h"

#include <string.h>

enum { MAX_REGS = 1 << 19, MAX_INSTS = 1 << 22 };

static bool room(struct parser *p, void *array, size_t count, size_t size)
{
    if (emu_grow(&p->module->arena, array, count, size)) return true;
    p->status = TMAP_E_MEMORY;
    return false;
}

static bool new_registers(struct parser *p, enum ptx_type type, uint32_t count)
{
    struct ptx_function *f = p->f;
    if (count > MAX_REGS || f->regs + count > MAX_REGS)
        return parse_fail(p, "more than %d registers", MAX_REGS);
    for (uint32_t i = 0; i < count; i++) {
        if (!room(p, &f->reg_type, f->regs, sizeof *f->reg_type)) return false;
        f->reg_type[f->regs++] = (uint8_t)type;
    }
    return true;
}

static bool one_register(struct parser *p, enum ptx_type type)
{
    if (p->token.kind != LEX_WORD) return parse_fail(p, "a register's name expected");
    const char *name = lex_copy(p);
    struct symbol *s = name ? symbol_add(p, name) : NULL;
    if (!s) return false;
    s->reg = (int32_t)p->f->regs;
    s->kind = SYMBOL_REG;
    s->count = 1;
    lex_next(p);
    if (lex_take(p, '<')) {
        s->kind = SYMBOL_RANGE;
        s->count = (uint32_t)(p->token.value > MAX_REGS ? MAX_REGS + 1 : p->token.value);
        if (p->token.kind != LEX_INT) return parse_fail(p, "a number of registers expected");
        lex_next(p);
        if (!lex_expect(p, '>')) return false;
    }
    return new_registers(p, type, s->count);
}

bool parse_registers(struct parser *p)
{
    if (p->token.kind != LEX_WORD) return parse_fail(p, "a type expected after .reg");
    const enum ptx_type type = ptx_type_named(p->token.at + 1, p->token.length - 1);
    if (type == PTX_NONE)
        return parse_fail(p, "registers of type '%.*s'", (int)p->token.length, p->token.at);
    lex_next(p);
    do
        if (!one_register(p, type)) return false;
    while (lex_take(p, ','));
    return lex_expect(p, ';');
}

static bool declare_variable(struct parser *p, enum ptx_space space)
{
    struct ptx_function *f = p->f;
    struct ptx_var *var;
    if (!parse_variable(p, space, false, &var)) return false;
    if (!room(p, &f->local, f->locals, sizeof *f->local)) return false;
    f->local[f->locals++] = var;
    return lex_expect(p, ';');
}

// .loc FILE LINE COLUMN [, function_name …] [, inlined_at …]: to the end of the text's line
static bool location(struct parser *p)
{
    const uint32_t line = p->token.line;
    if (p->token.kind == LEX_INT) p->file = (uint32_t)p->token.value;
    lex_next(p);
    if (p->token.kind == LEX_INT) p->source_line = (uint32_t)p->token.value;
    while (p->token.kind != LEX_END && p->token.line == line) lex_next(p);
    return true;
}

static bool skip_statement(struct parser *p)
{
    while (p->token.kind != LEX_END && !lex_is(p, ';')) lex_next(p);
    return lex_expect(p, ';');
}

static bool directive(struct parser *p)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{".shared", PTX_SHARED}, {".local", PTX_LOCAL},   {".param", PTX_PARAM},
                  {".const", PTX_CONST},   {".global", PTX_GLOBAL}, {".shared::cta", PTX_SHARED}};
    if (lex_word(p, ".reg")) {
        lex_next(p);
        return parse_registers(p);
    }
    if (lex_word(p, ".loc")) {
        lex_next(p);
        return location(p);
    }
    if (lex_word(p, ".pragma")) return skip_statement(p);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (lex_word(p, spaces[i].name)) {
            lex_next(p);
            return declare_variable(p, spaces[i].space);
        }
    return parse_fail(p, "directive '%.*s' is not known here", (int)p->token.length, p->token.at);
}

static bool branch_targets(struct parser *p, const char *name)
{
    struct ptx_function *f = p->f;
    if (!room(p, &f->table, f->tables, sizeof *f->table)) return false;
    struct ptx_table *t = &f->table[f->tables++];
    *t = (struct ptx_table){.name = name, .scope = p->open[p->depth - 1]};
    do {
        lex_next(p);
        if (p->token.kind != LEX_WORD) return parse_fail(p, "a label expected");
        if (!room(p, &t->label, t->labels, sizeof *t->label)) return false;
        if (!(t->label[t->labels++] = lex_copy(p))) return false;
        lex_next(p);
    } while (lex_is(p, ','));
    return lex_expect(p, ';');
}

static bool label(struct parser *p, const char *name)
{
    struct ptx_function *f = p->f;
    if (!room(p, &f->label, f->labels, sizeof *f->label)) return false;
    f->label[f->labels++] = (struct ptx_label){name, p->open[p->depth - 1], f->insts};
    // Tables of branch targets and prototypes of indirect calls are labels before a directive.
    if (lex_word(p, ".branchtargets")) return branch_targets(p, name);
    if (lex_word(p, ".callprototype"))
        return parse_fail(p, "'%.*s' is not supported", (int)p->token.length, p->token.at);
    return true;
}

static bool guard(struct parser *p, struct ptx_inst *inst)
{
    struct ptx_operand o;
    if (!parse_operand(p, &o)) return false;
    if (o.kind != PTX_OP_REG || p->f->reg_type[o.reg] != PTX_PRED)
        return parse_fail(p, "the guard is no predicate");
    inst->guard = o.reg;
    inst->guard_not = o.negated;
    return true;
}

static bool operands(struct parser *p, struct ptx_inst *inst)
{
    while (!lex_is(p, ';')) {
        struct ptx_operand o;
        if (inst->operands >= 64) return parse_fail(p, "too many operands");
        if (!parse_operand(p, &o)) return false;
        if (!room(p, &inst->operand, inst->operands, sizeof o)) return false;
        inst->operand[inst->operands++] = o;
        if (!lex_is(p, ';') && !lex_take(p, ',')) break;
    }
    return lex_expect(p, ';');
}

// "bulk_group .L2::cache_hint": qualifiers may stand apart.
static bool qualifiers_apart(struct parser *p, struct ptx_inst *inst)
{
    while (p->token.kind == LEX_WORD && *p->token.at == '.') {
        const size_t n = strlen(inst->op), more = p->token.length;
        char *both = emu_alloc(&p->module->arena, n + more + 1);
        if (!both) return p->status = TMAP_E_MEMORY, false;
        memcpy(both, inst->op, n);
        memcpy(both + n, p->token.at, more);
        both[n + more] = 0;
        inst->op = both;
        lex_next(p);
    }
    return true;
}

static bool instruction(struct parser *p)
{
    struct ptx_function *f = p->f;
    struct ptx_inst inst = {.guard = -1,
                            .line = p->token.line,
                            .file = p->file,
                            .source_line = p->source_line,
                            .scope = p->open[p->depth - 1]};
    if (lex_take(p, '@')) {
        if (lex_is(p, '!')) inst.guard_not = true;
        if (!guard(p, &inst)) return false;
    }
    if (p->token.kind != LEX_WORD)
        return parse_fail(p, "an instruction expected, found '%.*s'",
                          p->token.length > 40 ? 40 : (int)p->token.length, p->token.at);
    inst.op = lex_copy(p);
    if (!inst.op) return false;
    lex_next(p);
    if (inst.guard < 0 && lex_take(p, ':')) return label(p, inst.op);
    if (!qualifiers_apart(p, &inst) || !operands(p, &inst)) return false;
    if (f->insts >= MAX_INSTS) return parse_fail(p, "more than %d instructions", MAX_INSTS);
    if (!room(p, &f->inst, f->insts, sizeof inst)) return false;
    f->inst[f->insts++] = inst;
    return true;
}

static bool open_scope(struct parser *p)
{
    struct ptx_function *f = p->f;
    if (p->depth >= MAX_NESTING) return parse_fail(p, "scopes nested too deeply");
    if (!room(p, &f->scope, f->scopes, sizeof *f->scope)) return false;
    f->scope[f->scopes].parent = p->depth ? p->open[p->depth - 1] : UINT32_MAX;
    p->open[p->depth++] = f->scopes++;
    return true;
}

bool parse_body(struct parser *p)
{
    lex_next(p); // the brace
    if (!open_scope(p)) return false;
    while (p->depth > 0) {
        if (lex_take(p, '{')) {
            if (!open_scope(p)) return false;
        } else if (lex_take(p, '}')) {
            symbol_leave(p, --p->depth);
        } else if (lex_take(p, ';')) {
            continue;
        } else if (p->token.kind == LEX_WORD && *p->token.at == '.') {
            if (!directive(p)) return false;
        } else if (p->token.kind == LEX_END) {
            return parse_fail(p, "the text ends inside a function");
        } else if (!instruction(p)) {
            return false;
        }
    }
    return true;
}
