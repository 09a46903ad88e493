/* guard.c : a condition as a function to paste into a program. */
#include "symbolic/condition/condition.h"
#include "symbolic/condition/emit_c.h"
#include "symbolic/poly/print.h"

#include <string.h>

/* --- names ----------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool in_name(char c)
{
    return is_letter(c) || is_digit(c) || c == '_';
}

static bool is_one_of(const char *text, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(text, list[i])) return true;
    }
    return false;
}

/* Words joined by single underscores, the first beginning with a letter: what C, C++, CUDA and
 * Python reserve of that form is few and listed; no compiler predefines a macro of it. */
static bool is_joined(const char *text)
{
    static const char *const reserved[] = {
        "and_eq",          "not_eq",           "or_eq",        "xor_eq",        "const_cast",
        "dynamic_cast",    "reinterpret_cast", "static_cast",  "co_await",      "co_return",
        "co_yield",        "static_assert",    "thread_local", "atomic_cancel", "atomic_commit",
        "atomic_noexcept", "typeof_unqual",    "sizeof_pack"};
    size_t n = strlen(text), underscores = 0;
    if (!is_letter(text[0]) || text[n - 1] == '_') return false;
    for (size_t i = 0; i < n; i++) {
        underscores += text[i] == '_';
        if (text[i] == '_' && text[i + 1] == '_') return false;
    }
    bool is_type = n > 2 && !strcmp(text + n - 2, "_t");  /* int64_t */
    bool is_macro = n > 2 && !strcmp(text + n - 2, "_C"); /* INT64_C */
    return underscores && !is_type && !is_macro &&
           !is_one_of(text, reserved, sizeof reserved / sizeof *reserved);
}

/* K, x1; I is complex.h's. */
static bool is_short(const char *text)
{
    const char *p = text + 1;
    while (is_digit(*p)) p++;
    return is_letter(text[0]) && !*p && strcmp(text, "I") != 0;
}

/* What a guard may be called: an identifier of a form that no language reserves. A word of the list
 * may have a number behind it. */
static bool is_function_name(const char *text)
{
    static const char *const words[] = {"allowed", "check", "fits",   "guard",
                                        "legal",   "ok",    "usable", "valid"};
    char word[64] = "";
    size_t n = text ? strlen(text) : 0;
    if (n == 0 || n >= sizeof word) return false;
    for (size_t i = 0; i < n; i++) {
        if (!in_name(text[i])) return false;
    }
    memcpy(word, text, n + 1);
    while (n && is_digit(word[n - 1])) word[--n] = 0;
    return is_short(text) || (is_joined(text) && strncmp(text, "p_", 2) != 0) ||
           is_one_of(word, words, sizeof words / sizeof *words);
}

/* How a parameter is spelt in code: as it is where no language can mean something else by it, else
 * with p_ before it, which nothing begins with. Function's helpers are named after it. */
static const char *spelling(struct sym_work *w, const char *name, const char *function)
{
    char text[40];
    struct sym_text t = {text, sizeof text, 0};
    bool plain = is_short(name) || is_joined(name);
    if (plain && strncmp(name, "p_", 2) != 0 && strncmp(name, function, strlen(function)) != 0) {
        return name;
    }
    sym_put(&t, "p_%s", name);
    return sym_copy(w, text, t.length);
}

static bool spell_params(struct sym_work *w, const char *function)
{
    for (size_t v = 0; v < w->n_params; v++) {
        w->var[v].name = spelling(w, w->var[v].name, function);
        if (!w->var[v].name) return false;
    }
    return true;
}

/* --- texts ----------------------------------------------------------------------------------- */

static void put_header(struct sym_text *t, const struct tmap_condition *c, const char *name,
                       const char *lead)
{
    sym_put(t, "%s%s: %s exactly when the assumptions hold and the tensor map%s legal.\n", lead,
            name, lead[0] == '#' ? "True" : "1", c->n_descs > 1 ? "s are" : " is");
    sym_put(t, "%starget: ", lead);
    sym_put_target(t, &c->checker);
    /* as they were understood: no text of the user's stands in code */
    sym_put(t, "\n%sassumes: ", lead);
    if (c->assume->kind == SYM_TRUE) {
        sym_put(t, "nothing");
    } else {
        sym_print_form(t, &c->w, SYM_TEXT, c->assume);
    }
    sym_put(t, "\n%slegal if and only if: ", lead);
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
    if (needs & SYM_NEEDS_LESSER) {
        sym_put(t,
                "%sstatic inline int64_t %s_lesser(int64_t a, int64_t b, int is_min)\n{\n"
                "    return (a < b) == is_min ? a : b;\n}\n",
                prefix, name);
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
                              unsigned *needs)
{
    char *buffer = NULL;
    size_t cap = 0;
    for (int pass = 0; pass < 2; pass++) {
        struct sym_text t = {buffer, cap, 0};
        struct sym_c_text c = {&t, w, name, *needs};
        if (!sym_emit_c(&c, f)) return NULL;
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
    const struct sym_form *both = sym_guarded(c);
    const char *assumes = both ? expression(w, name, c->assume, &needs) : NULL;
    const char *legal = assumes ? expression(w, name, both, &needs) : NULL;
    if (!legal) return false;
    put_header(t, c, name, "// ");
    sym_put(t, "#include <stdint.h>\n");
    put_helpers(t, needs, name, prefix);
    put_function(t, w, prefix, name, "_assumes", assumes);
    put_function(t, w, prefix, name, "", legal);
    return true;
}

static bool put_python(struct sym_text *t, struct tmap_condition *c, const char *name)
{
    const struct sym_form *both = sym_guarded(c);
    if (!both) return false;
    put_header(t, c, name, "# ");
    for (int legal = 0; legal < 2; legal++) {
        sym_put(t, "def %s%s(", name, legal ? "" : "_assumes");
        put_params(t, &c->w, "");
        sym_put(t, "):\n    return ");
        sym_print_form(t, &c->w, SYM_PYTHON, legal ? both : c->assume);
        sym_put(t, legal ? "\n" : "\n\n\n");
    }
    return true;
}

enum tmap_status tmap_guard_c(struct tmap_symbolic *context, const struct tmap_condition *condition,
                              enum tmap_guard_language language, const char *name, char *at,
                              size_t cap, size_t *length)
{
    if (!context) return TMAP_E_ARGUMENT;
    if (!condition || !length || (cap && !at) || language > TMAP_GUARD_PYTHON) {
        return sym_report(context, TMAP_E_ARGUMENT, "a pointer is NULL, or an unknown language");
    }
    struct tmap_condition local = *condition;
    struct sym_text t = {at, cap, 0};
    if (!is_function_name(name)) {
        return sym_report(context, TMAP_E_ARGUMENT,
                          "the function needs a name that no language reserves: two words joined "
                          "by _, a letter, or guard, ok, legal, check, valid");
    }
    bool ok =
        sym_fork(&local.w, &condition->w, &context->allocator) && spell_params(&local.w, name);
    if (ok && language == TMAP_GUARD_PYTHON) {
        ok = put_python(&t, &local, name);
    } else if (ok) {
        ok = put_c(&t, &local, name, language == TMAP_GUARD_CUDA);
    }
    sym_close(&local.w);
    if (!ok) return sym_report(context, local.w.status, local.w.why);
    *length = t.length;
    return TMAP_OK;
}
