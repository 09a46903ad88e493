/* statement.c : see statement.h. */
#include "io/paste/statement.h"

#include "io/paste/code.h"
#include "io/paste/line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 12, /* of an exception's message */
    FRAME = 4,  /* and of a frame with its source */
    LONG = 50   /* a line that a sentence may go on behind */
};

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
    struct line_buffer buffer;
    const struct line l = io_line_bare(io_line_in(&buffer, w.text + at, line_length(w, at)));
    size_t before = at;

    if (memchr(l.at, ':', (size_t)(l.end - l.at)) || !io_line_is_exception(l, true)) return at;
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
    struct line_buffer buffer;

    if (before->by < IO_PRINTED || before->by > IO_PROSE || end + 1 != at ||
        end - line_before(w, at) < LONG || strchr(".:;!?", w.text[end - 1]))
        return false;
    const struct line l = io_line_bare(io_line_in(&buffer, w.text + at, line_length(w, at)));
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
    struct line_buffer buffer;

    while (at < end && strchr(" \t/*#!", *at) && *at) at++;
    const struct line l = io_line_in(&buffer, at, (size_t)(end - at));
    return (io_speaker_of(at, (size_t)(end - at)) <= IO_PRINTED || io_line_has_one(l, words)) &&
           !io_line_has_one(l, not_one);
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
    struct line_buffer buffer;
    struct line l = io_line_in(&buffer, w.text + at, n);

    if (by == IO_CHECK || io_line_has_one(l, words)) return true;
    while (l.at < l.end && strchr(" \t+-", *l.at) && *l.at) io_line_skip(&l, 1);
    return io_line_starts_one(l, parts);
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
        struct line_buffer buffer;
        at = line_before(w, at);
        *out = (struct io_statement){at, line_length(w, at), IO_SILENT};
        if (io_line_starts(io_line_bare(io_line_in(&buffer, text + at, out->length)), "File \""))
            return true;
    }
    return false;
}
