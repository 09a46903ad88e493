/* Splits a PTX text into statements and hands each instruction to the classifier. */
#include "io/ptx/ptx.h"

#include <string.h>

/* A statement is an instruction (to ';'), or a directive or anything else (to the end of its line,
 * to ';' or to a brace). Braces inside an instruction are vector operands. */
enum state { AT_START, AFTER_AT, IN_INSTRUCTION, IN_OTHER, AT_VERSION, AT_TARGET };

struct token {
    const char *text;
    size_t length;
    char kind; /* 'w' word, 'n' end of line, 0 end of text, '"' string, else the character */
};

struct reader {
    const char *at, *end;
    uint32_t line;
    enum state state;
    int operand; /* 0 before the address of tensormap.replace, 1 after ']', 2 after its ',' */
    struct io_ptx_module *module;
    struct io_ptx_instruction now, *out;
    size_t cap, found;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool is_word(const char *p, const char *end)
{
    if (is_letter(*p) || (*p >= '0' && *p <= '9') || *p == '.') return true;
    return *p == ':' && p + 1 < end && p[1] == ':';
}

static bool starts(const struct reader *r, const char *two)
{
    return r->end - r->at >= 2 && r->at[0] == two[0] && r->at[1] == two[1];
}

static void skip_comment(struct reader *r)
{
    bool whole_line = r->at[1] == '/';
    for (r->at += 2; r->at < r->end; r->at++) {
        if (whole_line && *r->at == '\n') return;
        if (!whole_line && starts(r, "*/")) {
            r->at += 2;
            return;
        }
        if (*r->at == '\n') r->line++;
    }
}

static void skip_blank(struct reader *r)
{
    while (r->at < r->end) {
        if (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
            r->at++;
        else if (starts(r, "//") || starts(r, "/*"))
            skip_comment(r);
        else
            return;
    }
}

static void skip_string(struct reader *r)
{
    for (; r->at < r->end && *r->at != '\n'; r->at++) {
        if (*r->at == '\\' && r->at + 1 < r->end)
            r->at++;
        else if (*r->at == '"') {
            r->at++;
            return;
        }
    }
}

static struct token next_token(struct reader *r)
{
    skip_blank(r);
    struct token t = {r->at, 1, 0};
    if (r->at == r->end) return t;
    t.kind = *r->at;
    if (is_word(r->at, r->end)) {
        while (r->at < r->end && is_word(r->at, r->end)) r->at += *r->at == ':' ? 2 : 1;
        t.kind = 'w';
        t.length = (size_t)(r->at - t.text);
        return t;
    }
    r->at++;
    if (t.kind == '"') skip_string(r);
    if (t.kind == '\n') t.kind = 'n';
    if (t.kind == 0) t.kind = '?'; /* a NUL byte is no end */
    return t;
}

static bool is(const struct token *t, const char *word)
{
    return strlen(word) == t->length && memcmp(t->text, word, t->length) == 0;
}

static void begin_word(struct reader *r, const struct token *t)
{
    r->state = IN_OTHER;
    if (is(t, ".version"))
        r->state = AT_VERSION;
    else if (is(t, ".target"))
        r->state = AT_TARGET;
    else if (is_letter(*t->text)) {
        r->now = (struct io_ptx_instruction){.text = t->text, .length = t->length};
        r->now.line = r->line;
        r->operand = 0;
        r->state = IN_INSTRUCTION;
    }
}

static void end_instruction(struct reader *r)
{
    if (r->state == IN_INSTRUCTION && io_ptx_classify(&r->now)) {
        if (r->found < r->cap) r->out[r->found] = r->now;
        r->found++;
    }
    r->state = AT_START;
}

/* "8.6" to 86. Anything else leaves 0. */
static void read_version(struct reader *r, const struct token *t)
{
    struct io_ptx_module *m = r->module;
    const char *p = t->text;
    r->state = IN_OTHER;
    if (m->version_line) return;
    m->version_line = r->line;
    if (t->length == 3 && p[0] >= '0' && p[0] <= '9' && p[1] == '.' && p[2] >= '0' && p[2] <= '9')
        m->version = (uint32_t)(p[0] - '0') * 10 + (uint32_t)(p[2] - '0');
}

static void read_target(struct reader *r, const struct token *t)
{
    struct io_ptx_module *m = r->module;
    r->state = IN_OTHER;
    if (m->target_line) return;
    size_t n = t->length < sizeof m->target - 1 ? t->length : sizeof m->target - 1;
    m->target_line = r->line;
    memcpy(m->target, t->text, n);
    m->target[n] = 0;
    m->arch = tmap_arch_spelled(t->text, t->length);
}

/* Of a word: decimal or 0x; false for anything else, and for what no field could hold. */
static bool read_number(const struct token *t, int64_t *out)
{
    bool hex = t->length > 2 && t->text[0] == '0' && (t->text[1] | 32) == 'x';
    int64_t value = 0;
    if (t->length > 15) return false;
    for (size_t i = hex ? 2 : 0; i < t->length; i++) {
        char c = t->text[i], low = (char)(c | 32);
        if (c >= '0' && c <= '9')
            value = value * (hex ? 16 : 10) + (c - '0');
        else if (hex && low >= 'a' && low <= 'f')
            value = value * 16 + (low - 'a' + 10);
        else
            return false;
    }
    *out = value;
    return true;
}

static void in_instruction(struct reader *r, const struct token *t)
{
    if (t->kind == ';')
        end_instruction(r);
    else if (t->kind == ':') /* it was a label */
        r->state = AT_START;
    else if (r->operand == 0 && t->kind == ']')
        r->operand = 1;
    else if (r->operand == 1 && t->kind == ',')
        r->operand = 2;
    else if (r->operand == 2 && t->kind == 'w') {
        r->now.has_value = read_number(t, &r->now.value);
        r->operand = 3;
    }
}

static void at_start(struct reader *r, const struct token *t)
{
    if (t->kind == 'w')
        begin_word(r, t);
    else if (t->kind == '@')
        r->state = AFTER_AT;
    else if (!strchr(";{}n", t->kind))
        r->state = IN_OTHER;
}

static void step(struct reader *r, const struct token *t)
{
    bool ends = strchr(";{}n", t->kind) != NULL;
    switch (r->state) {
    case AT_START:
        at_start(r, t);
        break;
    case AFTER_AT: /* the predicate, perhaps after '!' */
        if (t->kind == 'w') r->state = AT_START;
        break;
    case IN_INSTRUCTION:
        in_instruction(r, t);
        break;
    case AT_VERSION:
    case AT_TARGET:
        if (t->kind == 'w' && r->state == AT_VERSION)
            read_version(r, t);
        else if (t->kind == 'w')
            read_target(r, t);
        else
            r->state = ends ? AT_START : IN_OTHER;
        break;
    case IN_OTHER:
        if (ends) r->state = AT_START;
        break;
    }
}

enum tmap_status io_ptx_read(const char *text, size_t size, struct io_ptx_module *module,
                             struct io_ptx_instruction *out, size_t cap, size_t *found)
{
    if ((!text && size) || !module || (!out && cap) || !found) return TMAP_E_ARGUMENT;
    *module = (struct io_ptx_module){0};
    struct reader r = {.at = text, .line = 1, .module = module, .out = out, .cap = cap};
    r.end = size ? text + size : text;
    struct token t;
    while ((t = next_token(&r)).kind) {
        step(&r, &t);
        if (t.kind == 'n') r.line++;
    }
    end_instruction(&r);
    *found = r.found;
    return TMAP_OK;
}
