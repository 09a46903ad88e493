/* statement.c : see statement.h. The forms: Python's traceback module, pytest's and loguru's
 * prefixes, gcc, clang, nvcc, ptxas, MLIR, glibc's assert(), compute-sanitizer and cuda-gdb. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/statement.h"

#include "io/paste/code.h"
#include "io/paste/dump_fields.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 12, /* of an exception's message */
    FRAME = 4,  /* and of a frame with its source */
    LONGEST = 1000,
    LONG = 50 /* a line that a sentence may go on behind */
};

/* A line of the text, and the same in lower case, if it is long its beginning. */
struct line {
    const char *at, *end;
    const char *lower;
    size_t length;
};

struct buffer {
    char lower[LONGEST];
};

static struct line line_in(struct buffer *buffer, const char *text, size_t size)
{
    const size_t n = size < LONGEST ? size : LONGEST;
    for (size_t i = 0; i < n; i++)
        buffer->lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
    return (struct line){text, text + size, buffer->lower, n};
}

/* The line without its first characters. */
static void skip(struct line *l, size_t n)
{
    l->at += n;
    l->lower += n < l->length ? n : l->length;
    l->length -= n < l->length ? n : l->length;
}

static bool starts(struct line l, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(l.end - l.at) >= n && memcmp(l.at, word, n) == 0;
}

/* In any case; word in lower case. */
static bool has(struct line l, const char *word)
{
    return memmem(l.lower, l.length, word, strlen(word));
}

static bool has_one(struct line l, const char *const *words)
{
    for (; *words; words++)
        if (has(l, *words)) return true;
    return false;
}

static bool starts_one(struct line l, const char *const *words)
{
    for (; *words; words++)
        if (starts(l, *words)) return true;
    return false;
}

/* --- what stands before a message --------------------------------------------------------------*/

/* Behind "[rank0]:", "(EngineCore pid=7)"; at itself for none, or where nothing follows. */
static const char *behind_tag(struct line l)
{
    const char close = *l.at == '[' ? ']' : ')';
    const char *p = l.at;

    if (*p != '[' && (*p != '(' || !memmem(p, (size_t)(l.end - p), "pid=", 4))) return l.at;
    while (p < l.end && *p != close) p++;
    if (p == l.end || p - l.at > 80) return l.at;
    for (p++; p < l.end && strchr(": ", *p) && *p;) p++;
    return p < l.end ? p : l.at;
}

/* Behind "2025-11-22 22:22:32,123" and the like. */
static const char *behind_time(struct line l)
{
    const char *p = l.at;
    bool clock = false;

    for (; p < l.end && (isdigit((unsigned char)*p) || (*p && strchr("-:., /TZ", *p))); p++)
        clock |= *p == ':';
    return clock && p - l.at >= 8 && p < l.end ? p : l.at;
}

/* Behind "ERROR", which a logger puts before its time; pytest's "E". */
static const char *behind_level(struct line l)
{
    static const char *const levels[] = {"ERROR ", "CRITICAL ", "E  ", "FATAL ", NULL};
    for (int i = 0; levels[i]; i++)
        if (starts(l, levels[i])) {
            const char *p = l.at + strlen(levels[i]);
            while (p < l.end && *p == ' ') p++;
            return p < l.end && (isdigit((unsigned char)*p) || *p == '[' || i == 2) ? p : l.at;
        }
    return l.at;
}

/* The line without its log's, quotation's and list's marks. */
static struct line bare(struct line l)
{
    for (const char *before = NULL; before != l.at && l.at < l.end;) {
        before = l.at;
        while (l.at < l.end && strchr(" \t>|`*#\"'+\r", *l.at) && *l.at) skip(&l, 1);
        if (l.end - l.at > 1 && *l.at == '-' && l.at[1] == ' ') skip(&l, 2);
        if (l.at < l.end) skip(&l, (size_t)(behind_tag(l) - l.at));
        if (l.at < l.end) skip(&l, (size_t)(behind_time(l) - l.at));
        if (l.at < l.end) skip(&l, (size_t)(behind_level(l) - l.at));
    }
    while (l.end > l.at && strchr(" \t`*\"'\r", l.end[-1]) && l.end[-1]) l.end--;
    if ((size_t)(l.end - l.at) < l.length) l.length = (size_t)(l.end - l.at);
    return l;
}

/* --- who speaks --------------------------------------------------------------------------------*/

/* What stands in every such log, whatever it is about. */
static bool is_silent(struct line l)
{
    static const char *const frames[] = {
        "File \"",         "Traceback (",         "frame #", "^", "~", "```",
        "During handling", "The above exception", NULL};
    static const char *const advice[] = {"asynchronously reported at some other api call",
                                         "cuda_launch_blocking=1",
                                         "torch_use_cuda_dsa",
                                         "for more information",
                                         "nccl version",
                                         "include the crash backtrace",
                                         "set torch_logs=",
                                         "set torchdynamo_verbose",
                                         "torchdynamo_verbose=1",
                                         "you can suppress this exception",
                                         NULL};
    return l.at == l.end || starts_one(l, frames) || has_one(l, advice);
}

static bool ends_with(const char *at, const char *end, const char *tail)
{
    const size_t n = strlen(tail);
    return (size_t)(end - at) >= n && memcmp(end - n, tail, n) == 0;
}

/* "ValueError: if the strides are odd": what a function's description says of it. */
static bool is_described(const char *message, const char *end)
{
    static const char *const heads[] = {" if ", " If ", " when ", " When ", NULL};
    const struct line l = {.at = message, .end = end};
    return starts_one(l, heads);
}

/* "torch.AcceleratorError: ", "AssertionError" alone, "KeyError('90')" at l.at. */
static bool is_exception(struct line l, bool alone)
{
    static const char *const tails[] = {
        "Error", "Exception", "OutOfResources", "Interrupt", "Failure", "Timeout", NULL};
    const char *p = l.at, *name = p;

    for (; p < l.end && (io_dump_is_word(*p) || *p == '.'); p++)
        if (*p == '.') name = p + 1;
    if (p == name || !isupper((unsigned char)*name)) return false;
    for (int i = 0; tails[i]; i++) {
        if (!ends_with(name, p, tails[i])) continue;
        if (p == l.end) return alone && p - name > 5;
        if (*p == ':') return p + 1 == l.end || (p[1] == ' ' && !is_described(p + 1, l.end));
        return *p == '(' && p + 1 < l.end && (p[1] == '\'' || p[1] == '"');
    }
    return false;
}

static bool is_raised(struct line l)
{
    static const char *const code[] = {"raise ", "except ", "with ", "assert", "throw ", NULL};
    static const char *const heads[] = {"what():", "panicked at", NULL};

    if (is_exception(l, true) || starts(l, heads[0]) || has(l, heads[1])) return true;
    if (starts_one(l, code)) return false;
    for (struct line rest = l; rest.at < rest.end && rest.length > 0; skip(&rest, 1))
        if (rest.at > l.at && strchr(" (`'\"", rest.at[-1]) && is_exception(rest, false))
            return true;
    return false;
}

static bool is_assertion(struct line l)
{
    static const char *const words[] = {"assertion failed", "assert failed",   "check failed",
                                        "assertion error",  "internal assert", NULL};
    return has_one(l, words) || (has(l, "assertion") && has(l, "failed") && !has(l, "static"));
}

static bool is_compiler(struct line l)
{
    static const char *const words[] = {": error:",
                                        ": error :",
                                        "): error",
                                        "error   :",
                                        "fatal error",
                                        "ptxas fatal",
                                        "nvcc fatal",
                                        "llvm error",
                                        "error[e",
                                        "ptxas error",
                                        "undefined reference",
                                        "static assertion failed",
                                        "static_assert failed",
                                        NULL};
    return has_one(l, words) || starts(l, "error: ");
}

static bool is_tool(struct line l)
{
    static const char *const words[] = {"cuda exception",  "cuda_exception",   "warp illegal",
                                        "warp misaligned", "program hit cuda", NULL};
    return starts(l, "=========") || has_one(l, words);
}

static bool is_remark(struct line l)
{
    static const char *const words[] = {"warning:", "warning ", "[info]", "ptxas info",
                                        "[debug]",  "info:",    "note:",  NULL};
    return has_one(l, words);
}

/* Source: by how the line begins or ends. */
static bool is_code(struct line l)
{
    static const char *const heads[] = {
        "def ",     "return ",    "import ",     "from ",      "class ", "@",       "#include",
        "template", "raise ",     "except ",     "elif ",      "auto ",  "const ",  "void ",
        "static ",  "constexpr ", "using ",      "__global__", "with ",  "assert ", "//",
        "/*",       "CHECK",      "TORCH_CHECK", "extern ",    "%",      "throw ",  "else:",
        "tt.",      "ttng.",      "ttg.",        "module ",    "self.",  NULL};
    if (starts_one(l, heads)) return true;
    if ((starts(l, "if ") || starts(l, "for ") || starts(l, "while ")) && l.end[-1] == ':')
        return true;
    if (strchr(";{}\\", l.end[-1])) return true;
    const char *p = l.at; /* "name = ", "a.b[0] = ", "name=value," */
    while (p < l.end && (io_dump_is_word(*p) || strchr(".[]", *p))) p++;
    if (p == l.at || p == l.end) return false;
    while (*p == ' ') p++; /* the line does not end with one */
    if (l.end - p > 1 && *p == '=' && p[1] != '=') return true;
    return l.end - p > 1 && *p == '(' && p[-1] != ' ' && strchr(",)(", l.end[-1]);
}

/* A condition that a library asks for, of a line of source: also of a diff. */
static bool is_check(struct line l)
{
    static const char *const heads[] = {
        "if ",   "if(",         "assert", "raise ", "throw ",
        "CHECK", "TORCH_CHECK", "ICHECK", "&& ",    "constexpr int kMax",
        "elif ", "NVF_",        NULL};
    return starts_one(l, heads);
}

static bool is_printed(struct line l)
{
    static const char *const words[] = {"error",
                                        "fail",
                                        "fatal",
                                        "abort",
                                        "xid",
                                        "cannot",
                                        "terminate called",
                                        "out of memory",
                                        "core dumped",
                                        "not supported",
                                        "unsupported",
                                        "exceed",
                                        "illegal",
                                        "invalid",
                                        "misaligned",
                                        "exception",
                                        "hang",
                                        "stuck",
                                        "deadlock",
                                        "crash",
                                        "wrong",
                                        "incorrect",
                                        "mismatch",
                                        NULL};
    return has_one(l, words);
}

enum io_speaker io_speaker_of(const char *line, size_t size)
{
    struct buffer buffer;
    const struct line l = bare(line_in(&buffer, line, size));

    if (is_silent(l)) return IO_SILENT;
    if (is_tool(l)) return IO_TOOL;
    if (is_remark(l) && !is_exception(l, true)) return IO_REMARK;
    if (is_raised(l)) return IO_EXCEPTION;
    if (is_assertion(l)) return IO_ASSERTION;
    if (is_compiler(l)) return IO_COMPILER;
    if (is_check(l) && (is_code(l) || has(l, "(") || l.end[-1] == ':')) return IO_CHECK;
    if (is_code(l)) return IO_CODE;
    return is_printed(l) ? IO_PRINTED : IO_PROSE;
}

enum io_speaker io_speaker_next(struct io_code *code, const char *line, size_t size)
{
    const enum io_speaker by = io_speaker_of(line, size);
    const bool is_code = io_code_next(code, line, size, by) == IO_LINE_CODE;

    return is_code && (by == IO_PRINTED || by == IO_PROSE) ? IO_CODE : by;
}

/* --- the statements of a text ------------------------------------------------------------------*/

struct whole {
    const char *text;
    size_t size;
};

static size_t line_length(struct whole w, size_t at)
{
    const char *end = memchr(w.text + at, '\n', w.size - at);
    return (end ? (size_t)(end - w.text) : w.size) - at;
}

/* Where the line before the one at `at` begins. */
static size_t line_before(struct whole w, size_t at)
{
    for (at--; at > 0 && w.text[at - 1] != '\n';) at--;
    return at;
}

/* An exception's message goes on to a blank line, a frame or the next one. */
static size_t message_length(struct whole w, size_t at)
{
    size_t end = at + line_length(w, at);

    for (int i = 1; i < LINES && end < w.size; i++) {
        const size_t next = end + 1, n = next < w.size ? line_length(w, next) : 0;
        const enum io_speaker by = n ? io_speaker_of(w.text + next, n) : IO_SILENT;
        if (n == 0 || by == IO_EXCEPTION || by == IO_TOOL) break;
        if (by == IO_SILENT && strspn(w.text + next, " \t\r>|") < n &&
            !memchr(w.text + next, '^', n))
            break;
        end = next + n;
    }
    return end - at;
}

/* Of an exception by its name alone, the line of source before it, which raised it. */
static size_t source_before(struct whole w, size_t at)
{
    struct buffer buffer;
    const struct line l = bare(line_in(&buffer, w.text + at, line_length(w, at)));
    size_t before = at;

    if (memchr(l.at, ':', (size_t)(l.end - l.at)) || !is_exception(l, true)) return at;
    for (int i = 0; i < 2 && before > 0; i++) {
        before = line_before(w, before);
        const enum io_speaker by = io_speaker_of(w.text + before, line_length(w, before));
        if (by != IO_SILENT) return by == IO_CODE || by == IO_CHECK ? before : at;
    }
    return at;
}

static struct io_statement statement_at(struct whole w, size_t at, size_t length,
                                        enum io_speaker by)
{
    if (by != IO_EXCEPTION) return (struct io_statement){at, length, by};
    const size_t from = source_before(w, at);
    return (struct io_statement){from, at - from + message_length(w, at), by};
}

/* Whether a sentence goes on: the line before is long and does not end it, this one begins small.
 */
static bool goes_on(struct whole w, const struct io_statement *before, size_t at)
{
    const size_t end = before->at + before->length;
    struct buffer buffer;

    if (before->by < IO_PRINTED || before->by > IO_PROSE || end + 1 != at ||
        end - line_before(w, at) < LONG || strchr(".:;!?", w.text[end - 1]))
        return false;
    const struct line l = bare(line_in(&buffer, w.text + at, line_length(w, at)));
    if (strspn(w.text + at, " \t+#>|`\"'") < (size_t)(l.at - w.text - at))
        return false; /* a point of a list, or a line of a log */
    return islower((unsigned char)*l.at) || *l.at == '(' || isdigit((unsigned char)*l.at);
}

/* Whether a comment of source tells of a failure, and not of one that may be or is avoided. */
static bool tells(const char *at, const char *end)
{
    static const char *const not_one[] = {
        " if ",    "when ",   "avoid",     "must",     "should", "make sure", "ensure",
        "need",    "prevent", "otherwise", " may ",    "might",  "would",     "could",
        "so that", "cannot",  "instead",   "to check", "raises", NULL};
    static const char *const words[] = {"not ", "n't ", NULL};
    struct buffer buffer;

    while (at < end && strchr(" \t/*#!", *at) && *at) at++;
    const struct line l = line_in(&buffer, at, (size_t)(end - at));
    return (io_speaker_of(at, (size_t)(end - at)) <= IO_PRINTED || has_one(l, words)) &&
           !has_one(l, not_one);
}

bool io_statement_is_source(const char *text, size_t size)
{
    const struct whole w = {text, size};
    struct io_code code = {0};
    bool any = false;

    for (size_t at = 0, n; at < size; at += n + 1) {
        n = line_length(w, at);
        const enum io_line line = io_code_next(&code, text + at, n, io_speaker_of(text + at, n));
        if (line == IO_LINE_WORDS) return false;
        any |= line == IO_LINE_CODE;
    }
    return any;
}

/* The speaker of each line that says something, in the text's order. */
static bool read_lines(struct whole w, struct io_statements *out, size_t count[IO_SPEAKERS])
{
    const bool source = io_statement_is_source(w.text, w.size);
    struct io_code code = {0};
    size_t most = 0;

    for (size_t at = 0, n; at < w.size; at += n + 1) {
        n = line_length(w, at);
        const enum io_speaker by = io_speaker_next(&code, w.text + at, n);
        if (source && by >= IO_PRINTED && by <= IO_PROSE && !tells(w.text + at, w.text + at + n))
            continue;
        if (by >= IO_SPEAKERS) continue;
        if (out->count > 0 && (by == IO_PRINTED || by == IO_PROSE) &&
            goes_on(w, &out->list[out->count - 1], at)) {
            struct io_statement *before = &out->list[out->count - 1];
            before->length += n + 1;
            count[before->by]--;
            count[before->by = by < before->by ? by : before->by]++;
            continue;
        }
        if (out->count == most) {
            struct io_statement *more =
                realloc(out->list, (most = 2 * most + 64) * sizeof *out->list);
            if (!more) return false;
            out->list = more;
        }
        out->list[out->count++] = (struct io_statement){at, n, by};
        count[by]++;
    }
    return true;
}

/* The heavier first; exceptions from the end, as each but the last was handled or led to the next.
 */
bool io_statements_of(const char *text, size_t size, struct io_statements *out)
{
    const struct whole w = {text, size};
    struct io_statements lines = {NULL, 0};
    size_t count[IO_SPEAKERS] = {0}, first[IO_SPEAKERS] = {0};

    *out = (struct io_statements){NULL, 0};
    if (read_lines(w, &lines, count)) out->list = malloc((lines.count + 1) * sizeof *out->list);
    for (int by = 1; by < IO_SPEAKERS; by++) first[by] = first[by - 1] + count[by - 1];
    for (size_t i = 0; out->list && i < lines.count; i++) {
        const struct io_statement *s = &lines.list[i];
        const size_t place = s->by == IO_EXCEPTION ? --count[IO_EXCEPTION] : first[s->by]++;
        out->list[place] = statement_at(w, s->at, s->length, s->by);
    }
    out->count = out->list ? lines.count : 0;
    free(lines.list);
    return out->list;
}

void io_statements_free(struct io_statements *statements)
{
    free(statements->list);
}

/* --- a text without its source -----------------------------------------------------------------*/

/* Whether a compiler points at the line: what is under it are blanks and marks. */
static bool is_pointed_at(struct whole w, size_t next)
{
    const size_t n = next < w.size ? line_length(w, next) : 0;
    return n > 0 && strspn(w.text + next, " \t|^~") >= n && memchr(w.text + next, '^', n);
}

/* Whether a line of source has a message to fail with, or part of one. */
static bool has_message(struct whole w, size_t at, size_t n, enum io_speaker by)
{
    static const char *const words[] = {"throw",  "raise", "emiterror", "assert", "check(",
                                        "check_", "abort", "panic!",    "log(",   NULL};
    static const char *const parts[] = {"<<", "\"", "&& \"", NULL};
    struct buffer buffer;
    struct line l = line_in(&buffer, w.text + at, n);

    if (by == IO_CHECK || has_one(l, words)) return true;
    while (l.at < l.end && strchr(" \t+-", *l.at) && *l.at) skip(&l, 1);
    return starts_one(l, parts);
}

/* A line of source without what is neither comment nor, if it is to stay, string. */
static void blank(const char *line, size_t n, bool strings, char *out)
{
    const char *end = line + n, *p = line, *next;

    for (; p < end && (next = io_code_past(line, p, end)) != p; p = next)
        if (!strings || next == p + 1) memset(out + (p - line), ' ', (size_t)(next - p));
    if (p < end && (strings || !tells(p, end))) memset(out + (p - line), ' ', (size_t)(end - p));
}

void io_statement_mask(const char *text, size_t size, bool strings, char *out)
{
    const struct whole w = {text, size};
    const bool strict = strings || io_statement_is_source(text, size);
    struct io_code code = {0};
    bool message = false;

    for (size_t at = 0, n; at < size; at += n + 1) {
        n = line_length(w, at);
        const bool begins = code.depth == 0;
        const enum io_speaker by = io_speaker_of(text + at, n);
        const enum io_line line = io_code_next(&code, text + at, n, by);
        message = has_message(w, at, n, by) || (message && !begins);
        if (line == IO_LINE_CODE && (strings || !is_pointed_at(w, at + n + 1)))
            blank(text + at, n, strings && message, out + at);
        else if (strings || (strict && line == IO_LINE_COMMENT && !tells(text + at, text + at + n)))
            memset(out + at, ' ', n);
    }
}

bool io_statement_frame(const char *text, const struct io_statement *exception,
                        struct io_statement *out)
{
    const struct whole w = {text, exception->at + exception->length};
    size_t at = exception->at;

    for (int i = 0; i < FRAME && at > 0; i++) {
        struct buffer buffer;
        at = line_before(w, at);
        *out = (struct io_statement){at, line_length(w, at), IO_SILENT};
        if (starts(bare(line_in(&buffer, text + at, out->length)), "File \"")) return true;
    }
    return false;
}
