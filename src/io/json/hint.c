/* hint.c : see hint.h. */
#define _GNU_SOURCE /* memmem */
#include "io/json/hint.h"

#include <string.h>

struct hint {
    const char *phrase, *text;
};

static const struct hint hints[] = {
#define HINT(phrase, rule, text)                                                                   \
    {phrase, sizeof rule > 1 ? rule ": " text " (tmap explain " rule ")" : text},
#include "io/json/hints.def"
#undef HINT
};

const char *io_hint_in(const char *text, size_t size, size_t *where)
{
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        const char *found = memmem(text, size, hints[i].phrase, strlen(hints[i].phrase));
        if (!found) continue;
        if (where) *where = (size_t)(found - text);
        return hints[i].text;
    }
    return NULL;
}

const char *io_hint_or(const struct io_stream *stream, const char *otherwise)
{
    const char *text = stream->size ? io_hint_in(stream->text, stream->size, NULL) : NULL;
    return text ? text : otherwise;
}
