/* source_change.c : what pasted source declares and changes where it stands. */
#include "io/paste/dump_fields.h"
#include "io/paste/source_value.h"

#include <ctype.h>
#include <string.h>

bool io_source_declares(const struct io_source *s, const char *at)
{
    const char *p = at;

    while (p > s->text && isspace((unsigned char)p[-1])) p--;
    return p > s->text && (io_dump_is_word(p[-1]) || strchr(",*&>", p[-1]));
}

static bool is_step(char first, char second)
{
    return first == second && (first == '+' || first == '-');
}

/* "+=", "<<=", "//=" at `at`, and no comparison. */
static bool is_compound(const char *at, const char *end)
{
    const char *p = at;

    while (p < end && *p && strchr("+-*/%<>&|^", *p)) p++;
    if (p == at || end - p < 2 || *p != '=' || p[1] == '=') return false;
    return p - at > 1 || (*at != '<' && *at != '>');
}

bool io_source_changes(const struct io_source *s, const char *name)
{
    for (const char *p = s->text; (p = io_dump_word(p, s->end, name));) {
        const char *before = p, *behind = p + strlen(name);
        p = behind;
        while (before > s->text && before[-1] == ' ') before--;
        while (behind < s->end && (*behind == ' ' || *behind == '[')) {
            const char *close =
                *behind == '[' ? memchr(behind, ']', (size_t)(s->end - behind)) : behind;
            if (!close) return false;
            behind = close + 1;
        }
        if (before > s->text && (before[-1] == '.' || before[-1] == '>')) continue; /* another's */
        if (is_compound(behind, s->end)) return true;
        if (s->python) continue;
        if (s->end - behind > 1 && is_step(behind[0], behind[1])) return true;
        if (before - s->text > 1 && is_step(before[-1], before[-2])) return true;
    }
    return false;
}
