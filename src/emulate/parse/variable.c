// A declaration of a variable: its type, its extents, its initial values.
#include "emulate/parse/lex.h"

#include <string.h>

enum { MAX_BYTES = 1 << 28 };

bool parse_number(struct parser *p, uint64_t most, uint64_t *out)
{
    if (p->token.kind != LEX_INT || p->token.value > most)
        return parse_fail(p, "a number expected, found '%.*s'",
                          p->token.length > 40 ? 40 : (int)p->token.length, p->token.at);
    *out = p->token.value;
    lex_next(p);
    return true;
}

// .align 16 .b8 — and .ptr .global .align 1, which says what a pointer points to
static bool attributes(struct parser *p, struct ptx_var *var, enum ptx_type *type, uint32_t *lanes)
{
    uint64_t n = 0;
    bool pointer = false;
    *type = PTX_NONE;
    *lanes = 1;
    while (p->token.kind == LEX_WORD && *p->token.at == '.') {
        const enum ptx_type t = ptx_type_named(p->token.at + 1, p->token.length - 1);
        if (lex_word(p, ".align")) {
            lex_next(p);
            if (!parse_number(p, 1 << 19, &n)) return false;
            if (n == 0 || (n & (n - 1))) return parse_fail(p, ".align takes a power of two");
            if (!pointer) var->align = (uint32_t)n;
            continue;
        }
        if (t != PTX_NONE)
            *type = t;
        else if (lex_word(p, ".ptr"))
            pointer = true;
        else if (lex_word(p, ".v2"))
            *lanes = 2;
        else if (lex_word(p, ".v4"))
            *lanes = 4;
        else if (!pointer)
            return parse_fail(p, "'%.*s' in a declaration", (int)p->token.length, p->token.at);
        lex_next(p);
    }
    if (*type == PTX_NONE) return parse_fail(p, "a declaration without a type");
    return true;
}

static bool extents(struct parser *p, struct ptx_var *var)
{
    while (lex_take(p, '[')) {
        uint64_t n = 0;
        if (!lex_is(p, ']') && !parse_number(p, MAX_BYTES, &n)) return false;
        if (!lex_expect(p, ']')) return false;
        const uint64_t bytes = n * var->bytes;
        if (bytes > MAX_BYTES) return parse_fail(p, "a variable of more than %d bytes", MAX_BYTES);
        var->bytes = (uint32_t)bytes;
    }
    return true;
}

struct init {
    uint8_t *data;
    struct ptx_var *var;
    uint32_t at, size;
};

// generic(name) + 8
static bool offset(struct parser *p, struct ptx_operand *o)
{
    const bool minus = lex_is(p, '-');
    uint64_t n = 0;
    if (!minus && !lex_is(p, '+')) return true;
    lex_next(p);
    if (!parse_number(p, MAX_BYTES, &n)) return false;
    o->value += minus ? 0 - n : n;
    return true;
}

// A number of one floating width as the bits of the other.
static uint64_t bits_of(const struct ptx_operand *o, uint32_t size)
{
    uint64_t r = o->value;
    uint32_t single = (uint32_t)r;
    float f;
    double v;
    if (o->kind == PTX_OP_F64 && size == 4) {
        memcpy(&v, &r, sizeof v);
        f = (float)v;
        memcpy(&single, &f, sizeof f);
        r = single;
    } else if (o->kind == PTX_OP_F32 && size == 8) {
        memcpy(&f, &single, sizeof f);
        v = (double)f;
        memcpy(&r, &v, sizeof v);
    }
    return r;
}

static bool one_value(struct parser *p, struct init *in)
{
    struct ptx_operand o;
    bool generic = false;
    if (lex_word(p, "generic")) {
        lex_next(p);
        if (!lex_expect(p, '(')) return false;
        generic = true;
    }
    if (!parse_operand(p, &o)) return false;
    if (generic && (!lex_expect(p, ')') || !offset(p, &o))) return false;
    if (in->at + in->size > in->var->bytes) return parse_fail(p, "more values than the array has");
    if (o.kind == PTX_OP_VAR && in->size == 8) {
        if (!emu_grow(&p->module->arena, &in->var->relocs, in->var->reloc_count,
                      sizeof *in->var->relocs))
            return false;
        in->var->relocs[in->var->reloc_count++] =
            (struct ptx_reloc){in->at, o.var, (int64_t)o.value};
    } else if (o.kind == PTX_OP_INT || o.kind == PTX_OP_F32 || o.kind == PTX_OP_F64) {
        const uint64_t bits = bits_of(&o, in->size);
        memcpy(in->data + in->at, &bits, in->size < 8 ? in->size : 8);
    } else {
        return parse_fail(p, "an initial value that is no constant");
    }
    in->at += in->size;
    return true;
}

static bool initial(struct parser *p, struct ptx_var *var, uint32_t size, uint32_t depth)
{
    struct init in = {.var = var, .size = size};
    in.data = emu_alloc(&p->module->arena, (size_t)var->bytes + 8);
    if (!in.data) return p->status = TMAP_E_MEMORY, false;
    var->data = in.data;
    if (!lex_is(p, '{')) return one_value(p, &in);
    while (!lex_is(p, ';')) {
        if (lex_take(p, '{'))
            depth++;
        else if (lex_take(p, '}'))
            depth--;
        else if (lex_take(p, ','))
            continue;
        else if (!one_value(p, &in))
            return false;
    }
    if (depth) return parse_fail(p, "braces of an initial value do not match");
    return true;
}

bool parse_variable(struct parser *p, enum ptx_space space, bool is_extern, struct ptx_var **out)
{
    enum ptx_type type;
    uint32_t lanes;
    struct ptx_var *var = emu_alloc(&p->module->arena, sizeof *var);
    if (!var) return p->status = TMAP_E_MEMORY, false;
    var->space = space;
    var->is_extern = is_extern;
    if (!attributes(p, var, &type, &lanes)) return false;
    if (p->token.kind != LEX_WORD) return parse_fail(p, "a variable's name expected");
    const uint32_t size = (ptx_type_bits(type) + 7) / 8;
    var->bytes = size * lanes;
    if (var->align == 0) var->align = var->bytes;
    var->name = lex_copy(p);
    lex_next(p);
    if (lex_is(p, '<')) return parse_fail(p, "a range of variables"); // .param .b32 retval<2>
    if (!extents(p, var)) return false;
    struct symbol *s = var->name ? symbol_add(p, var->name) : NULL;
    if (!s) return false;
    s->kind = SYMBOL_VAR;
    s->var = var;
    *out = var;
    if (!lex_take(p, '=')) return true;
    if (space != PTX_GLOBAL && space != PTX_CONST)
        return parse_fail(p, "an initial value of a variable that is neither global nor constant");
    return initial(p, var, size, 0);
}
