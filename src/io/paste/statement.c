/* statement.c : see statement.h. The forms: Python's traceback module, pytest's and loguru's
 * prefixes, gcc, clang, nvcc, ptxas, MLIR, glibc's assert(), compute-sanitizer and cuda-gdb. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/statement.h"

#include "io/paste/dump_fields.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { LINES = 12, FRAME = 4 }; /* of an exception's message, of a frame with its source */

struct line {
    const char *at, *end;
};

static bool starts(struct line l, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(l.end - l.at) >= n && memcmp(l.at, word, n) == 0;
}

/* In any case; word in lower case. */
static bool has(struct line l, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = l.at; (size_t)(l.end - p) >= n && p < l.end; p++)
        if (strncasecmp(p, word, n) == 0) return true;
    return false;
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
        while (l.at < l.end && strchr(" \t>|`*#\"'+\r", *l.at) && *l.at) l.at++;
        if (l.end - l.at > 1 && *l.at == '-' && l.at[1] == ' ') l.at += 2;
        if (l.at < l.end) l.at = behind_tag(l);
        if (l.at < l.end) l.at = behind_time(l);
        if (l.at < l.end) l.at = behind_level(l);
    }
    while (l.end > l.at && strchr(" \t`*\"'\r", l.end[-1]) && l.end[-1]) l.end--;
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
        if (*p == ':') return p + 1 == l.end || p[1] == ' ';
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
    for (struct line rest = l; rest.at < rest.end; rest.at++)
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
    while (p < l.end && *p == ' ') p++;
    if (l.end - p > 1 && *p == '=' && p[1] != '=') return true;
    return l.end - p > 1 && *p == '(' && p[-1] != ' ' && strchr(",)(", l.end[-1]);
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
    const struct line l = bare((struct line){line, line + size});

    if (is_silent(l)) return IO_SILENT;
    if (is_tool(l)) return IO_TOOL;
    if (is_remark(l) && !is_exception(l, true)) return IO_REMARK;
    if (is_raised(l)) return IO_EXCEPTION;
    if (is_assertion(l)) return IO_ASSERTION;
    if (is_compiler(l)) return IO_COMPILER;
    if (is_code(l)) return IO_CODE;
    return is_printed(l) ? IO_PRINTED : IO_PROSE;
}

/* --- the walk ----------------------------------------------------------------------------------*/

static size_t line_length(const struct io_statements *w, size_t at)
{
    const char *end = memchr(w->text + at, '\n', w->size - at);
    return (end ? (size_t)(end - w->text) : w->size) - at;
}

/* Where the line before the one at `at` begins. */
static size_t line_before(const struct io_statements *w, size_t at)
{
    for (at--; at > 0 && w->text[at - 1] != '\n';) at--;
    return at;
}

/* An exception's message goes on to a blank line, a frame or the next one. */
static size_t message_length(const struct io_statements *w, size_t at)
{
    size_t end = at + line_length(w, at);

    for (int i = 1; i < LINES && end < w->size; i++) {
        const size_t next = end + 1, n = next < w->size ? line_length(w, next) : 0;
        const enum io_speaker by = n ? io_speaker_of(w->text + next, n) : IO_SILENT;
        if (n == 0 || by == IO_EXCEPTION || by == IO_TOOL) break;
        if (by == IO_SILENT && strspn(w->text + next, " \t\r>|") < n &&
            !memchr(w->text + next, '^', n))
            break;
        end = next + n;
    }
    return end - at;
}

/* Of an exception by its name alone, the line of source before it, which raised it. */
static size_t source_before(const struct io_statements *w, size_t at)
{
    const struct line l = bare((struct line){w->text + at, w->text + at + line_length(w, at)});
    size_t before = at;

    if (memchr(l.at, ':', (size_t)(l.end - l.at)) || !is_exception(l, true)) return at;
    for (int i = 0; i < 2 && before > 0; i++) {
        before = line_before(w, before);
        const enum io_speaker by = io_speaker_of(w->text + before, line_length(w, before));
        if (by != IO_SILENT) return by == IO_CODE ? before : at;
    }
    return at;
}

static bool found(struct io_statements *w, size_t at, struct io_statement *out)
{
    *out = (struct io_statement){at, line_length(w, at), w->by};
    if (w->by != IO_EXCEPTION) return true;
    out->at = source_before(w, at);
    out->length = at - out->at + message_length(w, at);
    return true;
}

struct io_statements io_statements(const char *text, size_t size)
{
    const bool closed = size > 0 && text[size - 1] == '\n';
    return (struct io_statements){text, size - closed, IO_EXCEPTION, size - closed + 1};
}

/* Exceptions from the end, as each but the last was handled or led to the next. */
static bool next_exception(struct io_statements *w, struct io_statement *out)
{
    while (w->at > 0) {
        w->at = line_before(w, w->at);
        if (w->at < w->size &&
            io_speaker_of(w->text + w->at, line_length(w, w->at)) == IO_EXCEPTION)
            return found(w, w->at, out);
    }
    w->by = IO_EXCEPTION + 1;
    return false;
}

bool io_statement_next(struct io_statements *w, struct io_statement *out)
{
    if (w->by == IO_EXCEPTION && next_exception(w, out)) return true;
    for (; w->by < IO_SPEAKERS; w->by++, w->at = 0) {
        while (w->at < w->size) {
            const size_t here = w->at, n = line_length(w, here);
            w->at += n + 1;
            if (io_speaker_of(w->text + here, n) == w->by) return found(w, here, out);
        }
    }
    return false;
}

bool io_statement_frame(const char *text, const struct io_statement *exception,
                        struct io_statement *out)
{
    const struct io_statements w = {.text = text, .size = exception->at + exception->length};
    size_t at = exception->at;

    for (int i = 0; i < FRAME && at > 0; i++) {
        at = line_before(&w, at);
        *out = (struct io_statement){at, line_length(&w, at), IO_SILENT};
        if (starts(bare((struct line){text + at, text + at + out->length}), "File \"")) return true;
    }
    return false;
}
