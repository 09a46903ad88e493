// The module: directives, its variables, functions with their parameters.
#include "emulate/parse/lex.h"

#include <stdlib.h>
#include <string.h>

static uint32_t up(uint32_t value, uint32_t align)
{
    return (value + align - 1) / align * align;
}

static bool module_variable(struct parser *p, enum ptx_space space, bool is_extern)
{
    struct ptx_module *m = p->module;
    struct ptx_var *var;
    lex_next(p);
    if (!parse_variable(p, space, is_extern, &var)) return false;
    if (!emu_grow(&m->arena, &m->var, m->vars, sizeof *m->var))
        return p->status = TMAP_E_MEMORY, false;
    m->var[m->vars++] = var;
    return lex_expect(p, ';');
}

// (.param .b64 a, .param .align 8 .b8 b[16])
static bool parameters(struct parser *p, struct ptx_var ***out, uint32_t *count, uint32_t *bytes)
{
    lex_next(p); // the bracket
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
        if ((i == 0 || lex_take(p, ',')) && !parse_number(p, UINT32_MAX, &n)) return false;
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
        return parse_number(p, UINT32_MAX, &n);
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
    if (!parse_number(p, 1 << 16, &n)) return false;
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
    if (depth) return parse_fail(p, "the text ends inside a section");
    return true;
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
