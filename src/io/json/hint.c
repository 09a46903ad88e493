/* hint.c : see hint.h. */
#define _GNU_SOURCE /* memmem */
#include "io/json/hint.h"

#include <ctype.h>
#include <string.h>

struct hint {
    const char *phrase, *text, *cause; /* cause: of a legal descriptor's failure; or NULL */
};

static const struct hint hints[] = {
#define HINT(phrase, rule, text)                                                                   \
    {phrase, sizeof rule > 1 ? rule ": " text " (tmap explain " rule ")" : text, NULL},
#define OTHER(phrase, text) {phrase, "no rule of the descriptor: " text, text},
#include "io/json/hints.def"
#undef HINT
#undef OTHER
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

const char *io_hint_cause(const struct io_stream *stream)
{
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (hints[i].cause &&
            memmem(stream->text, stream->size, hints[i].phrase, strlen(hints[i].phrase)))
            return hints[i].cause;
    return NULL;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const struct io_stream *s, const char *word)
{
    const char *end = s->text + s->size, *at = s->text;
    const size_t n = strlen(word);

    while ((at = memmem(at, (size_t)(end - at), word, n))) {
        const bool begins = at == s->text || !is_word(at[-1]);
        if (begins && (at + n == end || !is_word(at[n]))) return true;
        at += n;
    }
    return false;
}

const char *io_hint_arch(const struct io_stream *stream, const char **gpu)
{
    static const struct {
        const char *name, *arch;
    } gpus[] = {
#define GPU(name, arch) {name, arch},
#include "io/json/gpus.def"
#undef GPU
    };

    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
        if (has_word(stream, gpus[i].name)) return *gpu = gpus[i].name, gpus[i].arch;
    return NULL;
}

static size_t line_of(const struct io_stream *s, size_t where)
{
    size_t line = 1;
    for (size_t i = 0; i < where && i < s->size; i++) line += s->text[i] == '\n';
    return line;
}

const char *io_hint_or(const struct io_stream *stream, const char *otherwise, size_t *line)
{
    size_t where = 0;
    const char *text = stream->size ? io_hint_in(stream->text, stream->size, &where) : NULL;

    *line = text ? line_of(stream, where) : 1;
    return text ? text : otherwise;
}
