/* source_change.c : what pasted source changes where it stands, or hands to somebody who may. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/dump_fields.h"
#include "io/paste/source_escape.h"
#include "io/paste/source_value.h"

#include <ctype.h>
#include <string.h>

static bool is_step(char first, char second)
{
    return first == second && (first == '+' || first == '-');
}

static const char *line_of(const struct io_source *s, const char *at)
{
    while (at > s->text && at[-1] != '\n' && at[-1] != ';') at--;
    return at;
}

/* "name[...] = " where io_source_setting() does not see it: within a line, or of an entry whose
 * number is not written. A declaration's braces follow its "=". */
static bool is_hidden_entry(const struct io_source *s, const char *at, const char *open,
                            const char *behind)
{
    const char *line = line_of(s, at), *p = open + 1;
    int64_t entry;

    if (!io_source_is_set(behind, s->end)) return false;
    while (line < at && isspace((unsigned char)*line)) line++;
    if (line == at) return !io_dump_number(&p, s->end, &entry) || *p != ']' || entry < 0;
    for (p = behind + 1; p < s->end && isspace((unsigned char)*p);) p++;
    return s->python || p == s->end || (*p != '{' && *p != '"') || !io_source_declares(s, at);
}

/* What may stand between a name and its brackets: in C also a line's end. */
static bool is_gap(const struct io_source *s, char c)
{
    return c == ' ' || (!s->python && isspace((unsigned char)c));
}

static const char *closing(const char *at, const char *end)
{
    for (int depth = 0; at < end; at++) {
        depth += (*at == '[') - (*at == ']');
        if (depth == 0) return at;
    }
    return NULL;
}

/* Whether what stands around one place of the name changes it. */
static bool changes_at(const struct io_source *s, const char *at, const char *name, bool list)
{
    const char *before = at, *behind = at + strlen(name), *open = NULL;

    while (before > s->text && before[-1] == ' ') before--;
    while (behind < s->end && (is_gap(s, *behind) || *behind == '[')) {
        const char *close = *behind == '[' ? closing(behind, s->end) : behind;
        if (!close) return false;
        if (!open && *behind == '[') open = behind;
        behind = close + 1;
    }
    const bool stream = before - s->text > 1 && before[-1] == '>' && before[-2] == '>';
    if (before > s->text && (before[-1] == '.' || (before[-1] == '>' && !stream))) /* another's */
        return before - s->text > 6 && memcmp(before - 6, "this->", 6) == 0 &&
               io_source_is_set(behind, s->end);
    if (io_source_is_compound(behind, s->end)) return true;
    if (open && is_hidden_entry(s, at, open, behind)) return true;
    if (s->python) return io_source_python_changes(s, at, behind, list);
    if (s->end - behind > 1 && is_step(behind[0], behind[1])) return true;
    if (before - s->text > 1 && is_step(before[-1], before[-2])) return true;
    return io_source_escapes(s, at, behind, list);
}

bool io_source_changes(const struct io_source *s, const char *name, bool list)
{
    if (!s->python && io_source_is_hidden(s, name)) return true;
    for (const char *p = s->text; (p = io_dump_word(p, s->end, name)); p += strlen(name))
        if (changes_at(s, p, name, list)) return true;
    return false;
}
