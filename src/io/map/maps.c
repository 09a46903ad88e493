/* maps.c : see maps.h. */
#include "io/map/maps.h"

#include "io/map/bytes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 128 };

void io_maps_free(struct io_maps *maps)
{
    free(maps->list);
    *maps = (struct io_maps){0};
}

static bool add_maps(struct io_maps *maps, const unsigned char *bytes, size_t count)
{
    struct tmap_map *list = realloc(maps->list, (maps->count + count) * sizeof *list);

    if (!list) return false;
    maps->list = list;
    for (size_t i = 0; i < count; i++, bytes += MAP_BYTES) {
        struct tmap_map map = {{0}};
        for (int k = 0; k < MAP_BYTES; k++) map.word[k / 8] |= (uint64_t)bytes[k] << (k % 8 * 8);
        list[maps->count++] = map;
    }
    return true;
}

/* Text is what a person could have pasted. */
static bool is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!isprint((unsigned char)text[i]) && !isspace((unsigned char)text[i])) return false;
    return true;
}

/* The first character that says something: comments do not. */
static size_t first_of(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && (isspace((unsigned char)text[at]) || text[at] == '#')) {
        if (text[at] == '#')
            while (at < size && text[at] != '\n') at++;
        else
            at++;
    }
    return at;
}

static bool is_json(const char *text, size_t size)
{
    size_t at = first_of(text, size);
    if (at == size || text[at] != '{') return false;
    at++;
    while (at < size && isspace((unsigned char)text[at])) at++;
    return at < size && (text[at] == '"' || text[at] == '}');
}

static bool collect(struct bytes *b, const char *text, size_t size, size_t *line)
{
    if (is_json(text, size)) {
        const size_t at = first_of(text, size);
        return bytes_of_json(b, text + at, size - at, line);
    }
    if (bytes_of_string(b, text, size, line) && b->count && b->count % MAP_BYTES == 0) return true;
    b->count = 0;
    const size_t first = first_of(text, size);
    if (memchr(text, '{', size) || (first < size && text[first] == '['))
        return bytes_of_braces(b, text, size, line);
    return bytes_of_dump(b, text, size, line);
}

bool io_maps_read(struct io_maps *maps, const char *text, size_t size, char *error,
                  size_t error_size)
{
    struct bytes b = {0};
    const bool binary = size > 0 && !is_text(text, size);
    const unsigned char *bytes = (const unsigned char *)text;
    size_t line = 0, count = size;
    bool ok = true;

    if (!binary) {
        ok = collect(&b, text, size, &line);
        bytes = b.data;
        count = b.count;
    }
    if (b.no_memory)
        snprintf(error, error_size, "out of memory");
    else if (!ok)
        snprintf(error, error_size, "line %zu: no part of a map's 128 bytes", line);
    else if (count == 0 || count % MAP_BYTES)
        snprintf(error, error_size, "%zu bytes; a map has %d", count, MAP_BYTES);
    else if (!add_maps(maps, bytes, count / MAP_BYTES))
        snprintf(error, error_size, "out of memory");
    else
        error[0] = 0;
    free(b.data);
    return error[0] == 0;
}
