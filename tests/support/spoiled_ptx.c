#include "support/spoiled_ptx.h"
#include "support/emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *source, size_t *bytes)
{
    char path[256];
    const char *b = getenv("B");
    snprintf(path, sizeof path, "%s/%s.ptx", b ? b : "build", source);
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(*bytes + 1, 1);
    if (text && fread(text, 1, *bytes, f) != *bytes) *text = 0;
    fclose(f);
    return text;
}

static bool replace(char *at, const char *instead)
{
    const char *end = strchr(at, ';');
    const size_t old = end ? (size_t)(end + 1 - at) : 0, new = strlen(instead);
    if (new > old) return false;
    memset(at, ' ', old);
    memcpy(at, instead, new);
    return true;
}

static size_t last_line(const char *text)
{
    const char *line = strrchr(text, '\n');
    return line ? (size_t)(line + 1 - text) : 0;
}

static bool spoil(char *text, const char *kernel, const struct spoiled *s)
{
    char entry[96];
    unsigned seen = 0;
    snprintf(entry, sizeof entry, ".entry %s(", kernel);
    char *at = strstr(text, entry);
    const char *end = at ? strstr(at + 1, ".entry ") : NULL;
    while (at && (at = strstr(at + 1, s->text)) && (!end || at < end)) {
        const bool one = seen >= s->first && seen < s->first + s->count;
        if (one && !replace(at + last_line(s->text), s->instead)) return false;
        seen++;
    }
    return seen >= s->first + s->count;
}

bool emulated_spoiled_ptx(const char *source, const char *kernel, const struct spoiled *s)
{
    size_t bytes = 0;
    char *text = read_text(source, &bytes);
    const bool good =
        text && (!s->text || spoil(text, kernel, s)) && emulated_load_text(text, bytes, source);
    free(text);
    return good;
}
