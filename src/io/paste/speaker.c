/* speaker.c : who says a line of a pasted text (statement.h, line.h). The forms: Python's traceback
 * module, pytest's and loguru's prefixes, gcc, clang, nvcc, ptxas, MLIR, glibc's assert(),
 * compute-sanitizer and cuda-gdb. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/line.h"
#include "io/paste/statement.h"

#include "io/paste/code.h"
#include "io/paste/dump_fields.h"

#include <ctype.h>
#include <string.h>

struct line io_line_in(struct line_buffer *buffer, const char *text, size_t size)
{
    const size_t n = size < IO_LINE_LONGEST ? size : IO_LINE_LONGEST;
    for (size_t i = 0; i < n; i++)
        buffer->lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
    return (struct line){text, text + size, buffer->lower, n};
}

void io_line_skip(struct line *l, size_t n)
{
    l->at += n;
    l->lower += n < l->length ? n : l->length;
    l->length -= n < l->length ? n : l->length;
}

bool io_line_starts(struct line l, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(l.end - l.at) >= n && memcmp(l.at, word, n) == 0;
}

bool io_line_has(struct line l, const char *word)
{
    return memmem(l.lower, l.length, word, strlen(word));
}

bool io_line_has_one(struct line l, const char *const *words)
{
    for (; *words; words++)
        if (io_line_has(l, *words)) return true;
    return false;
}

bool io_line_starts_one(struct line l, const char *const *words)
{
    for (; *words; words++)
        if (io_line_starts(l, *words)) return true;
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
        if (io_line_starts(l, levels[i])) {
            const char *p = l.at + strlen(levels[i]);
            while (p < l.end && *p == ' ') p++;
            return p < l.end && (isdigit((unsigned char)*p) || *p == '[' || i == 2) ? p : l.at;
        }
    return l.at;
}

/* The line without its log's, quotation's and list's marks. */
struct line io_line_bare(struct line l)
{
    for (const char *before = NULL; before != l.at && l.at < l.end;) {
        before = l.at;
        while (l.at < l.end && strchr(" \t>|`*#\"'+\r", *l.at) && *l.at) io_line_skip(&l, 1);
        if (l.end - l.at > 1 && *l.at == '-' && l.at[1] == ' ') io_line_skip(&l, 2);
        if (l.at < l.end) io_line_skip(&l, (size_t)(behind_tag(l) - l.at));
        if (l.at < l.end) io_line_skip(&l, (size_t)(behind_time(l) - l.at));
        if (l.at < l.end) io_line_skip(&l, (size_t)(behind_level(l) - l.at));
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
    return l.at == l.end || io_line_starts_one(l, frames) || io_line_has_one(l, advice);
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
    return io_line_starts_one(l, heads);
}

/* "torch.AcceleratorError: ", "AssertionError" alone, "KeyError('90')" at l.at. */
bool io_line_is_exception(struct line l, bool alone)
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

    if (io_line_is_exception(l, true) || io_line_starts(l, heads[0]) || io_line_has(l, heads[1]))
        return true;
    if (io_line_starts_one(l, code)) return false;
    for (struct line rest = l; rest.at < rest.end && rest.length > 0; io_line_skip(&rest, 1))
        if (rest.at > l.at && strchr(" (`'\"", rest.at[-1]) && io_line_is_exception(rest, false))
            return true;
    return false;
}

static bool is_assertion(struct line l)
{
    static const char *const words[] = {"assertion failed", "assert failed",   "check failed",
                                        "assertion error",  "internal assert", NULL};
    return io_line_has_one(l, words) ||
           (io_line_has(l, "assertion") && io_line_has(l, "failed") && !io_line_has(l, "static"));
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
    return io_line_has_one(l, words) || io_line_starts(l, "error: ");
}

static bool is_tool(struct line l)
{
    static const char *const words[] = {"cuda exception",  "cuda_exception",   "warp illegal",
                                        "warp misaligned", "program hit cuda", NULL};
    return io_line_starts(l, "=========") || io_line_has_one(l, words);
}

static bool is_remark(struct line l)
{
    static const char *const words[] = {"warning:", "warning ", "[info]", "ptxas info",
                                        "[debug]",  "info:",    "note:",  NULL};
    return io_line_has_one(l, words);
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
    if (io_line_starts_one(l, heads)) return true;
    if ((io_line_starts(l, "if ") || io_line_starts(l, "for ") || io_line_starts(l, "while ")) &&
        l.end[-1] == ':')
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
    return io_line_starts_one(l, heads);
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
    return io_line_has_one(l, words);
}

enum io_speaker io_speaker_of(const char *line, size_t size)
{
    struct line_buffer buffer;
    const struct line l = io_line_bare(io_line_in(&buffer, line, size));

    if (is_silent(l)) return IO_SILENT;
    if (is_tool(l)) return IO_TOOL;
    if (is_remark(l) && !io_line_is_exception(l, true)) return IO_REMARK;
    if (is_raised(l)) return IO_EXCEPTION;
    if (is_assertion(l)) return IO_ASSERTION;
    if (is_compiler(l)) return IO_COMPILER;
    if (is_check(l) && (is_code(l) || io_line_has(l, "(") || l.end[-1] == ':')) return IO_CHECK;
    if (is_code(l)) return IO_CODE;
    return is_printed(l) ? IO_PRINTED : IO_PROSE;
}

enum io_speaker io_speaker_next(struct io_code *code, const char *line, size_t size)
{
    const enum io_speaker by = io_speaker_of(line, size);
    const bool is_code = io_code_next(code, line, size, by) == IO_LINE_CODE;

    return is_code && (by == IO_PRINTED || by == IO_PROSE) ? IO_CODE : by;
}
