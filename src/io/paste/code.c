/* code.c : see code.h. The forms: Python, C, C++ and CUDA, Rust, and diffs of them. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/code.h"

#include <ctype.h>
#include <string.h>

enum {
    LONGEST_CALL = 64,    /* lines of one statement */
    LONGEST_COMMENT = 200 /* of which its words are counted */
};

struct span {
    const char *at, *end;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_one(char c, const char *of)
{
    return c && strchr(of, c);
}

static bool starts(struct span s, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(s.end - s.at) >= n && memcmp(s.at, word, n) == 0;
}

static bool starts_one(struct span s, const char *const *words)
{
    for (; *words; words++)
        if (starts(s, *words)) return true;
    return false;
}

/* Without blanks, and a diff's or a quotation's mark. */
static struct span bare(const char *line, size_t size)
{
    struct span s = {line, line + size};

    if (size > 1 && is_one(*line, "+->") && is_one(line[1], " \t/#@")) s.at++;
    while (s.at < s.end && is_one(*s.at, " \t")) s.at++;
    while (s.end > s.at && is_one(s.end[-1], " \t\r")) s.end--;
    return s;
}

/* --- a line by itself --------------------------------------------------------------------------*/

/* "CUTLASS_DEVICE void", with the function's name on the next line. */
static bool ends_declaration(struct span s)
{
    static const char *const tails[] = {" void", " inline", " static", " constexpr", " auto", NULL};
    const char *p = s.at;

    while (p < s.end && (isupper((unsigned char)*p) || is_one(*p, "_ "))) p++;
    for (int i = 0; p > s.at + 1 && tails[i]; i++) {
        const size_t n = strlen(tails[i]);
        if ((size_t)(s.end - s.at) > n && memcmp(s.end - n, tails[i], n) == 0) return true;
    }
    return false;
}

/* "name += 1" */
static bool changes(struct span s)
{
    const char *p = s.at;

    while (p < s.end && (is_name(*p) || is_one(*p, ".[]"))) p++;
    if (p == s.at || s.end - p < 4 || *p != ' ') return false;
    return is_one(p[1], "+-*/%&|^") && p[2] == '=' && p[3] == ' ';
}

/* "TMA_ERR_STRIDE,": an entry of a list, which is a name alone. */
static bool is_entry(struct span s)
{
    const char *p = s.at;

    while (p < s.end && is_name(*p)) p++;
    return p > s.at && p + 1 == s.end && *p == ',';
}

/* How a statement begins that no sentence begins with, or one that does not end as source does. */
static bool begins_statement(struct span s)
{
    static const char *const heads[] = {
        "def ",        "async def ", "class ",     "@",          "typename ", "typedef ",
        "namespace ",  "template",   "public:",    "private:",   "inline ",   "protected:",
        "__device__",  "__host__",   "__global__", "__shared__", "asm(",      "asm volatile",
        "#include",    "#define",    "#if",        "#else",      "#endif",    "#elif",
        "#pragma",     "if (",       "for (",      "while (",    "switch (",  "} else",
        "else {",      "try:",       "try {",      "else:",      "finally:",  "let mut ",
        "impl ",       "unsafe {",   "std::",      "cute::",     "cutlass::", "tl::",
        "enum class ", "import ",    "[[",         NULL};
    static const char *const types[] = {
        "int ",     "float ",  "double ",   "bool ",  "char ",   "uint32_t ", "uint64_t ",
        "int32_t ", "size_t ", "unsigned ", "auto ",  "const ",  "int64_t ",  "constexpr ",
        "static ",  "void ",   "struct ",   "using ", "extern ", "friend ",   NULL};

    return starts_one(s, heads) || ends_declaration(s) || changes(s) || is_entry(s) ||
           (starts_one(s, types) && is_one(s.end[-1], ";,{}()="));
}

/* Whether source joins its names here: "a(", "a[", "a.b", "a::b", "a->b", "a=b", "a<b>". */
static bool joins(const char *p, struct span s)
{
    if (p == s.at) return false;
    if (is_one(*p, "([")) return is_name(p[-1]) || is_one(p[-1], ">])");
    if (p + 1 == s.end) return false;
    if (*p == '.')
        return (is_name(p[-1]) || is_one(p[-1], ")]")) &&
               (isalpha((unsigned char)p[1]) || p[1] == '_');
    if (*p == '<') return is_name(p[-1]) && is_name(p[1]);
    if (*p == '=') return is_name(p[-1]) && p[1] != '=';
    return (*p == ':' && p[-1] == ':') || (*p == '>' && p[-1] == '-');
}

/* Behind a string that begins at `at`; at itself for an apostrophe, and where none begins. */
static const char *past_string(struct span s, const char *at)
{
    if (!is_one(*at, "\"'") || (at > s.at && isalnum((unsigned char)at[-1]) && *at == '\''))
        return at;
    const char *end = memchr(at + 1, *at, (size_t)(s.end - at - 1));
    return end ? end + 1 : at;
}

/* The words of a sentence, and the joints of source; strings have neither. */
static void count(struct span s, int *words, int *joints)
{
    const char *p = s.at;

    *words = *joints = 0;
    while (p < s.end) {
        const char *from = p;
        while (p < s.end && isalpha((unsigned char)*p)) p++;
        const bool begins = from == s.at || is_one(from[-1], " \t");
        const bool ends =
            p == s.end || *p == ' ' || (is_one(*p, ",.;:!?") && (p + 1 == s.end || p[1] == ' '));
        if (p - from > 1 && begins && ends) ++*words;
        if (p == from) *joints += joins(p, s);
        if (p == from) p = past_string(s, p) > p ? past_string(s, p) : p + 1;
    }
}

/* "a.b(...)" and no more. */
static bool is_call(struct span s)
{
    const char *p = s.at;
    int depth = 0;

    while (p < s.end && (is_name(*p) || *p == '.')) p++;
    if (p == s.at || p == s.end || *p != '(') return false;
    while (p < s.end) {
        depth += is_one(*p, "([{") - is_one(*p, ")]}");
        const char *next = past_string(s, p);
        p = next > p ? next : p + 1;
        if (depth == 0) return p == s.end;
    }
    return false;
}

/* "C[0][64] = 0.0 expected 1024.0": a number, and a word that no expression goes on with. */
static bool is_printed(struct span s)
{
    static const char *const goes_on[] = {"if ", "for ", "or ", "and ", "in ", NULL};
    const char *p = memmem(s.at, (size_t)(s.end - s.at), "= ", 2);

    if (!p || !isdigit((unsigned char)p[2])) return false;
    for (p += 2; p < s.end && *p != ' ';) p++;
    while (p < s.end && *p == ' ') p++;
    return p < s.end && isalpha((unsigned char)*p) && !starts_one((struct span){p, s.end}, goes_on);
}

/* "[TMA] desc_a=0": a program that says which part of it speaks. */
static bool is_tagged(struct span s)
{
    const char *p = s.at;

    if (*p++ != '[') return false;
    while (p < s.end && (is_name(*p) || is_one(*p, " :.-#"))) p++;
    return p + 2 < s.end && *p == ']' && p[1] == ' ' && isalpha((unsigned char)p[2]);
}

/* A title "fix(mm): copy strides (#24)" or data "{"min":{"secs":0}}", which end as source does. */
static bool is_no_code(struct span s)
{
    static const char *const data[] = {"\":{", "\":[", "\":\"", NULL};
    static const char *const imports[] = {"import ", "from ", NULL};
    const size_t n = (size_t)(s.end - s.at);
    int words, joints;

    for (int i = 0; data[i]; i++)
        if (memmem(s.at, n, data[i], strlen(data[i]))) return true;
    count(s, &words, &joints);
    return is_printed(s) || is_tagged(s) ||
           (words > joints + 4 && !is_one(s.end[-1], ";{}:,(\\") && !starts_one(s, imports));
}

/* "ptr<i8, smem> o (64,8):(1,64)": CuTe prints a tensor by its layout. */
static bool is_layout(struct span s)
{
    const size_t n = (size_t)(s.end - s.at);
    return memmem(s.at, n, " o (", 4) && memmem(s.at, n, "):(", 3);
}

/* More joints than words, or the end of a statement's part. */
static bool looks_like_code(struct span s, enum io_speaker by)
{
    int words, joints;

    if (is_layout(s)) return false;
    if (is_one(*s.at, "[({*|<=") || isdigit((unsigned char)*s.at)) return is_one(s.end[-1], "{};");
    count(s, &words, &joints);
    if (is_call(s) || (words < 3 && memmem(s.at, (size_t)(s.end - s.at), "] = ", 4))) return true;
    if (by == IO_PRINTED) return joints > 0 && words < 2 && is_one(s.end[-1], "(,;{}\\");
    return joints > words || (joints > 0 && words < 4 && is_one(s.end[-1], "(,;{}\\[>"));
}

/* In a Markdown block of a language's, which may hold what a program printed, too. */
static bool is_fenced(struct span s, enum io_speaker by)
{
    int words, joints;

    count(s, &words, &joints);
    return by == IO_PROSE || joints > 0 || is_one(*s.at, "<\"");
}

/* --- what goes on over lines -------------------------------------------------------------------*/

/* Strings in three quotes that begin or end here. */
static void read_quotes(struct io_code *code, struct span s)
{
    for (const char *p = s.at; p + 2 < s.end; p++) {
        if (!is_one(*p, "\"'") || p[1] != *p || p[2] != *p) continue;
        if (!code->quotes)
            code->quotes = *p;
        else if (code->quotes == *p)
            code->quotes = 0;
        p += 2;
    }
}

/* Whether a comment begins here, and no division in Python: behind a statement's end, or with some
 * words in it. */
static bool begins_comment(const char *line, const char *at, const char *end)
{
    int words, joints;

    if (at + 1 == end || !is_one(*at, "#/") || at[1] != (*at == '#' ? ' ' : '/')) return false;
    const char *before = at;
    if (end - at > LONGEST_COMMENT) end = at + LONGEST_COMMENT;
    while (before > line && is_one(before[-1], " \t")) before--;
    if (before == line || *at == '#' || is_one(before[-1], ";{},\\")) return true;
    count((struct span){at, end}, &words, &joints);
    return words > 2 && joints < words;
}

const char *io_code_past(const char *line, const char *at, const char *end)
{
    const char quote = *at, *p = at + 1;

    if (begins_comment(line, at, end)) return at;
    if (!is_one(quote, "\"'")) return p;
    for (; p < end && *p != quote; p++)
        if (*p == '\\') p++;
    return p < end ? p + 1 : end;
}

/* Brackets that a line of source opens and closes, strings and a comment left out. */
static void read_brackets(struct io_code *code, struct span s)
{
    for (const char *p = s.at, *next; p < s.end && (next = io_code_past(s.at, p, s.end)) != p;
         p = next) {
        if (is_one(*p, "([")) code->depth++;
        if (is_one(*p, ")]") && code->depth > 0) code->depth--;
    }
    code->lines = code->depth ? code->lines + 1 : 0;
    if (code->lines > LONGEST_CALL) code->depth = code->lines = 0;
}

/* The line before its comment, which is not all of it: in_comment() has those. */
static struct span without_comment(struct span s)
{
    const char *p = s.at, *next;

    while (p < s.end && (next = io_code_past(s.at, p, s.end)) != p) p = next;
    while (p > s.at + 1 && is_one(p[-1], " \t")) p--;
    return (struct span){s.at, p};
}

static bool in_comment(struct io_code *code, struct span s)
{
    const bool begins = starts(s, "/*"), quotes = starts(s, "\"\"\"") || starts(s, "'''");
    const bool within = code->block || code->quotes;

    if (code->block || begins) {
        code->block = !memmem(s.at, (size_t)(s.end - s.at), "*/", 2);
        return true;
    }
    if (within || quotes) read_quotes(code, s);
    return within || quotes || starts(s, "//") || starts(s, "# ");
}

/* Whether a line is source that does not look like it to who hears messages. */
static bool is_source(const struct io_code *code, struct span s, enum io_speaker by)
{
    return begins_statement(s) || looks_like_code(s, by) || (code->fence && is_fenced(s, by));
}

/* A Markdown block begins or ends. */
static void read_fence(struct io_code *code, struct span s)
{
    static const char *const languages[] = {"c",      "cpp", "c++",        "cuda", "cu", "diff",
                                            "python", "py",  "suggestion", "rust", NULL};
    const size_t n = (size_t)(s.end - s.at) - 3;
    const bool inside = code->fence;

    *code = (struct io_code){0};
    for (int i = 0; !inside && languages[i]; i++)
        code->fence |= strlen(languages[i]) == n && memcmp(s.at + 3, languages[i], n) == 0;
}

enum io_line io_code_next(struct io_code *code, const char *line, size_t size, enum io_speaker by)
{
    const struct span s = bare(line, size);

    if (s.at == s.end) return IO_LINE_BLANK;
    if (starts(s, "```")) return read_fence(code, s), IO_LINE_WORDS;
    if (by <= IO_TOOL) {
        *code = (struct io_code){.fence = code->fence};
        return IO_LINE_WORDS;
    }
    if (in_comment(code, s)) return IO_LINE_COMMENT;
    if (by == IO_SILENT && !(*s.at == '~' && isalpha((unsigned char)s.at[1]))) return IO_LINE_WORDS;
    const struct span code_of = without_comment(s);
    if (!code->depth && by == IO_CODE && is_no_code(code_of)) return IO_LINE_WORDS;
    if (!code->depth && by != IO_CODE && by != IO_CHECK && !is_source(code, code_of, by))
        return IO_LINE_WORDS;
    read_quotes(code, s);
    read_brackets(code, s);
    return IO_LINE_CODE;
}
