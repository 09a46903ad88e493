// Operands: registers, numbers, addresses, vectors, lists, pairs of predicates.
#include "emulate/parse/lex.h"

#include <string.h>

static void negate(struct ptx_operand *o) // a number
{
    if (o->kind == PTX_OP_INT)
        o->value = 0 - o->value;
    else
        o->value ^= o->kind == PTX_OP_F32 ? 0x80000000u : 1ull << 63;
}

static bool constant(struct parser *p, struct ptx_operand *o)
{
    if (lex_take(p, '-')) {
        if (!constant(p, o)) return false;
        negate(o);
        return true;
    }
    if (lex_take(p, '+')) return constant(p, o);
    o->kind = p->token.kind == LEX_F32   ? PTX_OP_F32
              : p->token.kind == LEX_F64 ? PTX_OP_F64
                                         : PTX_OP_INT;
    if (p->token.kind < LEX_INT || p->token.kind > LEX_F64)
        return parse_fail(p, "a number expected, found '%.*s'",
                          p->token.length > 40 ? 40 : (int)p->token.length, p->token.at);
    o->value = p->token.value;
    lex_next(p);
    return true;
}

// name + 8, name + -8
static bool plus(struct parser *p, struct ptx_operand *o)
{
    while (lex_is(p, '+') || lex_is(p, '-')) {
        struct ptx_operand more = {0};
        if (!constant(p, &more) || more.kind != PTX_OP_INT)
            return parse_fail(p, "an offset expected");
        o->value += more.value;
    }
    return true;
}

static bool name(struct parser *p, struct ptx_operand *o)
{
    if (lex_word(p, "_")) {
        o->kind = PTX_OP_SINK;
        lex_next(p);
        return true;
    }
    const struct symbol *s = symbol_find(p, p->token.at, p->token.length);
    if (!s) {
        o->kind = PTX_OP_SYMBOL;
        o->name = lex_copy(p);
        lex_next(p);
        return o->name != NULL;
    }
    if (s->kind == SYMBOL_VAR) {
        o->kind = PTX_OP_VAR;
        o->var = s->var;
        lex_next(p);
        return plus(p, o);
    }
    o->kind = PTX_OP_REG;
    o->reg = s->reg;
    if (s->kind == SYMBOL_RANGE) {
        uint32_t n = 0;
        for (uint32_t i = s->length; i < p->token.length; i++)
            n = n * 10 + (uint32_t)(p->token.at[i] - '0');
        if (n >= s->count)
            return parse_fail(p, "register %.*s is not declared", (int)p->token.length,
                              p->token.at);
        o->reg += (int32_t)n;
    }
    lex_next(p);
    return true;
}

static bool add_part(struct parser *p, struct ptx_operand *o, const struct ptx_operand *part)
{
    if (o->parts >= MAX_VECTOR) return parse_fail(p, "too many operands in a vector");
    if (!emu_grow(&p->module->arena, &o->part, o->parts, sizeof *part)) {
        p->status = TMAP_E_MEMORY;
        return false;
    }
    o->part[o->parts++] = *part;
    return true;
}

static bool parts(struct parser *p, struct ptx_operand *o, enum ptx_operand_kind kind, char close)
{
    o->kind = kind;
    lex_next(p);
    if (lex_take(p, close)) return true;
    do {
        struct ptx_operand part = {0};
        if (!parse_operand(p, &part)) return false;
        if (kind == PTX_OP_MEM && o->parts == 0 && part.kind == PTX_OP_REG && !plus(p, o))
            return false;
        if (!add_part(p, o, &part)) return false;
    } while (lex_take(p, ','));
    return lex_expect(p, close);
}

static bool single(struct parser *p, struct ptx_operand *o)
{
    if (lex_is(p, '[')) return parts(p, o, PTX_OP_MEM, ']');
    if (lex_is(p, '{')) return parts(p, o, PTX_OP_VECTOR, '}');
    if (lex_is(p, '(')) return parts(p, o, PTX_OP_LIST, ')');
    if (lex_take(p, '!')) {
        o->negated = true;
        return name(p, o);
    }
    return p->token.kind == LEX_WORD ? name(p, o) : constant(p, o);
}

bool parse_operand(struct parser *p, struct ptx_operand *o)
{
    memset(o, 0, sizeof *o);
    if (p->nesting >= 8) return parse_fail(p, "operands nested too deeply");
    p->nesting++;
    bool good = single(p, o);
    if (good && lex_take(p, '|')) {
        struct ptx_operand first = *o, second = {0};
        memset(o, 0, sizeof *o);
        o->kind = PTX_OP_PAIR;
        good = single(p, &second) && add_part(p, o, &first);
        if (good) add_part(p, o, &second); // where there is room for one there is for eight
    }
    p->nesting--;
    return good;
}
