/* guard.c : a condition as a function to paste into a program. */
#include "symbolic/condition/condition.h"
#include "symbolic/condition/emit_c.h"
#include "symbolic/poly/print.h"

#include <ctype.h>
#include <string.h>

static const char *const keywords[] = {
    "alignas", "alignof",  "and",      "and_eq",   "as",        "asm",      "assert",  "async",
    "auto",    "await",    "bitand",   "bitor",    "bool",      "break",    "case",    "catch",
    "char",    "class",    "compl",    "const",    "continue",  "def",      "default", "del",
    "delete",  "do",       "double",   "elif",     "else",      "enum",     "except",  "explicit",
    "export",  "extern",   "false",    "finally",  "float",     "for",      "friend",  "from",
    "global",  "goto",     "if",       "import",   "in",        "inline",   "int",     "int64_t",
    "is",      "lambda",   "long",     "mutable",  "namespace", "new",      "None",    "nonlocal",
    "not",     "not_eq",   "operator", "or",       "or_eq",     "pass",     "private", "protected",
    "public",  "raise",    "register", "restrict", "return",    "short",    "signed",  "sizeof",
    "static",  "struct",   "switch",   "template", "this",      "throw",    "true",    "True",
    "False",   "try",      "typedef",  "typeid",   "typename",  "uint64_t", "union",   "unsigned",
    "using",   "virtual",  "void",     "volatile", "while",     "with",     "xor",     "xor_eq",
    "yield",   "UINT64_C", "INT64_C"};

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_name(const char *text)
{
    if (!text || !(isalpha((unsigned char)*text) || *text == '_') || strlen(text) > 63)
        return false;
    for (const char *p = text; *p; p++) {
        if (!in_name(*p)) return false;
    }
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (!strcmp(text, keywords[i])) return false;
    }
    return true;
}

static void put_header(struct sym_text *t, const struct tmap_condition *c, const char *name,
                       const char *lead)
{
    sym_put(t, "%s%s: %s exactly when the tensor map%s legal.\n", lead, name,
            lead[0] == '#' ? "True" : "1", c->n_descs > 1 ? "s are" : " is");
    sym_put(t, "%starget: ", lead);
    sym_put_target(t, &c->checker);
    sym_put(t, "\n%sassumes: ", lead);
    for (size_t i = 0; i < c->n_assumed; i++) sym_put(t, "%s%s", i ? "; " : "", c->assumed[i]);
    sym_put(t, "%s\n%slegal if and only if: ", c->n_assumed ? "" : "nothing", lead);
    sym_print_form(t, &c->w, SYM_TEXT, c->result);
    sym_put(t, "\n");
}

static void put_params(struct sym_text *t, const struct sym_work *w, const char *type)
{
    for (size_t v = 0; v < w->n_params; v++) {
        sym_put(t, "%s%s%s", v ? ", " : "", type, w->var[v].name);
    }
    if (!w->n_params && type[0]) sym_put(t, "void");
}

static void put_helpers(struct sym_text *t, unsigned needs, const char *name, const char *prefix)
{
    if (needs & (SYM_NEEDS_WIDE | SYM_NEEDS_SATURATION)) {
        sym_put(t, "__extension__ typedef unsigned __int128 %s_wide;\n", name);
    }
    if (needs & SYM_NEEDS_WIDE) {
        sym_put(t, "__extension__ typedef __int128 %s_signed;\n", name);
    }
    if (needs & SYM_NEEDS_SATURATION) {
        sym_put(t,
                "%sstatic inline uint64_t %s_mul(uint64_t a, uint64_t b)\n{\n"
                "    const %s_wide p = (%s_wide)a * b;\n"
                "    return p >> 64 ? ~UINT64_C(0) : (uint64_t)p;\n}\n"
                "%sstatic inline uint64_t %s_add(uint64_t a, uint64_t b)\n{\n"
                "    return a + b < a ? ~UINT64_C(0) : a + b;\n}\n",
                prefix, name, name, name, prefix, name);
    }
    if (needs & SYM_NEEDS_FLOOR) {
        sym_put(t,
                "%sstatic inline int64_t %s_floor(int64_t a, int64_t b)\n{\n"
                "    return a / b - (a %% b < 0);\n}\n",
                prefix, name);
    }
}

static bool mentions(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = text; (p = strstr(p, name)); p++) {
        if (!in_name(p[n]) && (p == text || !in_name(p[-1]))) return true;
    }
    return false;
}

static void put_function(struct sym_text *t, const struct sym_work *w, const char *prefix,
                         const char *name, const char *suffix, const char *body)
{
    sym_put(t, "%sstatic inline int %s%s(", prefix, name, suffix);
    put_params(t, w, "int64_t ");
    sym_put(t, ")\n{\n");
    for (size_t v = 0; v < w->n_params; v++) {
        if (!mentions(body, w->var[v].name)) sym_put(t, "    (void)%s;\n", w->var[v].name);
    }
    sym_put(t, "    return %s;\n}\n", body);
}

/* The expression of f in the arena. NULL: w says why. */
static const char *expression(struct sym_work *w, const char *name, const struct sym_form *f,
                              const struct sym_form *given, unsigned *needs)
{
    char *buffer = NULL;
    size_t cap = 0;
    for (int pass = 0; pass < 2; pass++) {
        struct sym_text t = {buffer, cap, 0};
        struct sym_c_text c = {&t, w, name, *needs};
        if (!sym_emit_c(&c, f, given)) return NULL;
        *needs = c.needs;
        cap = t.length + 1;
        if (!buffer) buffer = sym_take(w, cap);
        if (!buffer) return NULL;
    }
    return buffer;
}

static bool put_c(struct sym_text *t, struct tmap_condition *c, const char *name, bool cuda)
{
    unsigned needs = 0;
    struct sym_work *w = &c->w;
    const char *prefix = cuda ? "__host__ __device__ " : "";
    const struct sym_form *nothing = sym_bool(w, true);
    const char *assumes = nothing ? expression(w, name, c->assume, nothing, &needs) : NULL;
    const char *legal = assumes ? expression(w, name, c->result, c->assume, &needs) : NULL;
    if (!legal) return false;
    put_header(t, c, name, "// ");
    sym_put(t, "#include <stdint.h>\n");
    put_helpers(t, needs, name, prefix);
    put_function(t, w, prefix, name, "_assumes", assumes);
    put_function(t, w, prefix, name, "", legal);
    return true;
}

static void put_python(struct sym_text *t, struct tmap_condition *c, const char *name)
{
    put_header(t, c, name, "# ");
    for (int legal = 0; legal < 2; legal++) {
        sym_put(t, "def %s%s(", name, legal ? "" : "_assumes");
        put_params(t, &c->w, "");
        sym_put(t, "):\n    return ");
        sym_print_form(t, &c->w, SYM_PYTHON, legal ? c->result : c->assume);
        sym_put(t, legal ? "\n" : "\n\n\n");
    }
}

enum tmap_status tmap_guard_c(struct tmap_symbolic *context, const struct tmap_condition *condition,
                              enum tmap_guard_language language, const char *name, char *at,
                              size_t cap, size_t *length)
{
    if (!context) return TMAP_E_ARGUMENT;
    if (!condition || !length || (cap && !at) || language > TMAP_GUARD_PYTHON) {
        return sym_report(context, TMAP_E_ARGUMENT, "a pointer is NULL, or an unknown language");
    }
    /* The texts that are built on the way live and die in a copy of the workspace's arena. */
    struct tmap_condition local = *condition;
    struct sym_text t = {at, cap, 0};
    local.w.blocks = NULL;
    local.w.allocator = &context->allocator;
    bool ok = is_name(name);
    for (size_t v = 0; v < local.w.n_params; v++) ok = ok && is_name(local.w.var[v].name);
    if (!ok) {
        return sym_report(context, TMAP_E_ARGUMENT,
                          "the function and the parameters need names that no language reserves");
    }
    local.w.status = TMAP_OK;
    if (language == TMAP_GUARD_PYTHON) {
        put_python(&t, &local, name);
    } else {
        ok = put_c(&t, &local, name, language == TMAP_GUARD_CUDA);
    }
    sym_close(&local.w);
    if (!ok) return sym_report(context, local.w.status, local.w.why);
    *length = t.length;
    return TMAP_OK;
}
