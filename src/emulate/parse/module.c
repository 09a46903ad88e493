// The module: directives, variables with their initial values, functions with their parameters.
#include "emulate/parse/lex.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 28 };

static uint32_t up(uint32_t value, uint32_t align)
{
    return (value + align - 1) / align * align;
}

static bool number_token(struct parser *p, uint64_t most, uint64_t *out)
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
            if (!number_token(p, 1 << 19, &n)) return false;
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
        else if (!pointer && !lex_word(p, ".attribute"))
            return parse_fail(p, "'%.*s' in a declaration", (int)p->token.length, p->token.at);
        lex_next(p);
    }
    return *type != PTX_NONE || parse_fail(p, "a declaration without a type");
}

static bool extents(struct parser *p, struct ptx_var *var)
{
    while (lex_take(p, '[')) {
        uint64_t n = 0;
        if (!lex_is(p, ']') && !number_token(p, MAX_BYTES, &n)) return false;
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
    if (generic && !lex_expect(p, ')')) return false;
    if (in->at + in->size > in->var->bytes) return parse_fail(p, "more values than the array has");
    if (o.kind == PTX_OP_VAR && in->size == 8) {
        if (!emu_grow(&p->module->arena, &in->var->relocs, in->var->reloc_count,
                      sizeof *in->var->relocs))
            return false;
        in->var->relocs[in->var->reloc_count++] =
            (struct ptx_reloc){in->at, o.var, (int64_t)o.value};
    } else if (o.kind == PTX_OP_INT || o.kind == PTX_OP_F32 || o.kind == PTX_OP_F64) {
        memcpy(in->data + in->at, &o.value, in->size < 8 ? in->size : 8);
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
    return depth == 0 || parse_fail(p, "braces of an initial value do not match");
}

bool parse_variable(struct parser *p, enum ptx_space space, bool is_extern, struct ptx_var **out)
{
    enum ptx_type type;
    uint32_t lanes, count = 0;
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
    if (lex_take(p, '<')) { // .param .b32 retval<2>: as many variables
        uint64_t n = 0;
        if (!number_token(p, 1 << 10, &n) || !lex_expect(p, '>')) return false;
        count = (uint32_t)n;
        if (count) return parse_fail(p, "a range of variables");
    }
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

static bool module_variable(struct parser *p, enum ptx_space space, bool is_extern)
{
    struct ptx_module *m = p->module;
    struct ptx_var *var;
    lex_next(p);
    do {
        if (!parse_variable(p, space, is_extern, &var)) return false;
        if (!emu_grow(&m->arena, &m->var, m->vars, sizeof *m->var))
            return p->status = TMAP_E_MEMORY, false;
        m->var[m->vars++] = var;
    } while (lex_take(p, ','));
    return lex_expect(p, ';');
}

// (.param .b64 a, .param .align 8 .b8 b[16])
static bool parameters(struct parser *p, struct ptx_var ***out, uint32_t *count, uint32_t *bytes)
{
    if (!lex_expect(p, '(')) return false;
    while (!lex_take(p, ')')) {
        struct ptx_var *var;
        if (!lex_word(p, ".param"))
            return parse_fail(p, "'.param' expected, found '%.*s'",
                              p->token.length > 40 ? 40 : (int)p->token.length, p->token.at);
        lex_next(p);
        if (!parse_variable(p, PTX_PARAM, false, &var)) return false;
        if (*count >= 1 << 12) return parse_fail(p, "too many parameters");
        if (!emu_grow(&p->module->arena, out, *count, sizeof **out))
            return p->status = TMAP_E_MEMORY, false;
        var->offset = up(*bytes, var->align ? var->align : 1);
        *bytes = var->offset + var->bytes;
        (*out)[(*count)++] = var;
        if (!lex_is(p, ')') && !lex_expect(p, ',')) return false;
    }
    return true;
}

static bool triple(struct parser *p, uint32_t out[3])
{
    lex_next(p);
    for (int i = 0; i < 3; i++) {
        uint64_t n = 1;
        if ((i == 0 || lex_take(p, ',')) && !number_token(p, UINT32_MAX, &n)) return false;
        out[i] = (uint32_t)n;
    }
    return true;
}

static bool attribute_of_function(struct parser *p, struct ptx_function *f)
{
    uint32_t most[3];
    uint64_t n = 0;
    if (lex_word(p, ".maxntid")) {
        if (!triple(p, most)) return false;
        f->max_threads = most[0] * most[1] * most[2];
        return true;
    }
    if (lex_word(p, ".reqntid")) return triple(p, f->required);
    if (lex_word(p, ".reqnctapercluster")) return triple(p, f->cluster);
    if (lex_word(p, ".minnctapersm") || lex_word(p, ".maxnreg") || lex_word(p, ".maxnctapersm") ||
        lex_word(p, ".maxclusterrank")) {
        lex_next(p);
        return number_token(p, UINT32_MAX, &n);
    }
    if (lex_word(p, ".noreturn") || lex_word(p, ".explicitcluster") ||
        lex_word(p, ".blocksareclusters")) {
        lex_next(p);
        return true;
    }
    if (lex_word(p, ".pragma")) {
        while (p->token.kind != LEX_END && !lex_is(p, ';')) lex_next(p);
        return lex_expect(p, ';');
    }
    return parse_fail(p, "'%.*s' after a function's name",
                      p->token.length > 40 ? 40 : (int)p->token.length, p->token.at);
}

static struct ptx_function *function_slot(struct parser *p, const char *name)
{
    struct ptx_module *m = p->module;
    for (uint32_t i = 0; i < m->functions; i++)
        if (strcmp(m->function[i].name, name) == 0) return &m->function[i];
    if (!emu_grow(&m->arena, &m->function, m->functions, sizeof *m->function)) return NULL;
    return &m->function[m->functions++];
}

static bool finish_function(struct parser *p, struct ptx_function *f)
{
    while (!lex_is(p, '{') && !lex_is(p, ';'))
        if (p->token.kind == LEX_END || !attribute_of_function(p, f))
            return parse_fail(p, "the text ends inside a function's head");
    if (lex_take(p, ';')) return true;
    p->f = f;
    f->has_body = true;
    p->file = p->source_line = 0;
    return parse_body(p);
}

static bool function(struct parser *p, bool is_entry)
{
    struct ptx_function f = {.is_entry = is_entry, .line = p->token.line};
    lex_next(p);
    p->depth = 1; // parameters live as long as the body
    if (lex_is(p, '(') && !parameters(p, &f.returns, &f.return_count, &f.return_bytes))
        return false;
    if (p->token.kind != LEX_WORD) return parse_fail(p, "a function's name expected");
    f.name = lex_copy(p);
    lex_next(p);
    if (!f.name) return false;
    if (lex_is(p, '(') && !parameters(p, &f.params, &f.param_count, &f.param_bytes)) return false;
    p->depth = 0;
    // parse_body() opens depth 1 and drops it again, parameters with it
    if (!finish_function(p, &f)) return false;
    symbol_leave(p, 0);
    struct ptx_function *slot = function_slot(p, f.name);
    if (!slot) return p->status = TMAP_E_MEMORY, false;
    if (!slot->has_body) *slot = f;
    return true;
}

static bool file_directive(struct parser *p)
{
    struct ptx_module *m = p->module;
    uint64_t n = 0;
    lex_next(p);
    const uint32_t line = p->token.line;
    if (!number_token(p, 1 << 16, &n)) return false;
    while (m->files <= n) {
        if (!emu_grow(&m->arena, &m->file, m->files, sizeof *m->file)) return false;
        m->file[m->files++] = NULL;
    }
    if (p->token.kind == LEX_STRING) m->file[n] = lex_copy(p);
    while (p->token.kind != LEX_END && p->token.line == line) lex_next(p);
    return true;
}

static bool section(struct parser *p)
{
    int depth = 0;
    while (p->token.kind != LEX_END && !lex_is(p, '{')) lex_next(p);
    do {
        if (lex_is(p, '{')) depth++;
        if (lex_is(p, '}')) depth--;
        lex_next(p);
    } while (depth > 0 && p->token.kind != LEX_END);
    return depth == 0 || parse_fail(p, "the text ends inside a section");
}

static bool version(struct parser *p)
{
    lex_next(p);
    double v = 0; // the lexer takes 9.0 for a floating number
    if (p->token.kind != LEX_F64) return parse_fail(p, "a version expected");
    memcpy(&v, &p->token.value, 8);
    if (!(v > 0 && v < 100)) return parse_fail(p, "a version expected");
    p->module->version = (uint32_t)(v * 10 + 0.5);
    lex_next(p);
    return true;
}

static bool target(struct parser *p)
{
    char name[32] = "";
    lex_next(p);
    if (p->token.kind == LEX_WORD && p->token.length < sizeof name)
        memcpy(name, p->token.at, p->token.length);
    p->module->arch = tmap_arch_find(name);
    if (p->module->arch == 0) {
        parse_fail(p, "target '%s' is not known", name);
        p->status = TMAP_E_TARGET;
        return false;
    }
    lex_next(p);
    while (lex_take(p, ',')) lex_next(p); // debug, texmode_…
    return true;
}

static bool top_level(struct parser *p, bool *is_extern)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{".global", PTX_GLOBAL},
                  {".const", PTX_CONST},
                  {".shared", PTX_SHARED},
                  {".shared::cta", PTX_SHARED}};
    const bool was_extern = *is_extern;
    *is_extern = false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (lex_word(p, spaces[i].name)) return module_variable(p, spaces[i].space, was_extern);
    if (lex_word(p, ".entry")) return function(p, true);
    if (lex_word(p, ".func")) return function(p, false);
    if (lex_word(p, ".version")) return version(p);
    if (lex_word(p, ".target")) return target(p);
    if (lex_word(p, ".file")) return file_directive(p);
    if (lex_word(p, ".section")) return section(p);
    if (lex_word(p, ".address_size")) {
        lex_next(p);
        if (p->token.value != 64) return parse_fail(p, "addresses of 64 bits only");
        lex_next(p);
        return true;
    }
    *is_extern = was_extern || lex_word(p, ".extern");
    if (lex_word(p, ".visible") || lex_word(p, ".extern") || lex_word(p, ".weak") ||
        lex_word(p, ".common") || lex_word(p, ".noreturn")) {
        lex_next(p);
        return true;
    }
    return parse_fail(p, "'%.*s' is not known here",
                      p->token.length > 40 ? 40 : (int)p->token.length, p->token.at);
}

enum tmap_status ptx_parse(const char *text, size_t bytes, struct ptx_module *out,
                           struct tmap_emulate_error *error)
{
    struct parser *p = calloc(1, sizeof *p);
    bool is_extern = false;
    if (!p) return TMAP_E_MEMORY;
    p->p = text;
    p->end = text + bytes;
    p->line = 1;
    p->module = out;
    p->error = error;
    lex_next(p);
    while (p->token.kind != LEX_END && p->status == TMAP_OK)
        if (!top_level(p, &is_extern) && p->status == TMAP_OK) p->status = TMAP_E_MEMORY;
    if (p->status == TMAP_OK && (out->arch == 0 || out->version == 0))
        parse_fail(p, "no .version or no .target");
    const enum tmap_status status = p->status;
    free(p);
    return status;
}

const struct ptx_function *ptx_function_named(const struct ptx_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->functions; i++)
        if (strcmp(module->function[i].name, name) == 0) return &module->function[i];
    return NULL;
}
