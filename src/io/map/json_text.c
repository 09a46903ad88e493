/* json_text.c : bytes from JSON with 16 words, as `tmap encode --format jsonl` writes them. */
#include "io/map/bytes.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

static bool word_of(const json_t *item, uint64_t *out)
{
    const char *text = json_string_value(item);
    char *end = NULL;

    if (json_is_integer(item)) {
        *out = (uint64_t)json_integer_value(item);
        return true;
    }
    if (!text || !isdigit((unsigned char)text[0])) return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return *end == 0 && errno == 0;
}

static bool add_words(struct bytes *b, const json_t *object)
{
    const json_t *words = json_object_get(object, "words");

    if (json_array_size(words) != 16) return false;
    for (size_t i = 0; i < 16; i++) {
        uint64_t word;
        if (!word_of(json_array_get(words, i), &word)) return false;
        bytes_add(b, word, sizeof word);
    }
    return true;
}

bool bytes_of_json(struct bytes *b, const char *text, size_t size, size_t *line)
{
    size_t at = 0;

    *line = 1;
    while (at < size) {
        json_error_t error;
        json_t *object = json_loadb(text + at, size - at, JSON_DISABLE_EOF_CHECK, &error);
        const bool ok = object && add_words(b, object);
        json_decref(object);
        if (!ok) return false;
        for (size_t stop = at + (size_t)error.position; at < stop; at++) *line += text[at] == '\n';
        for (; at < size && isspace((unsigned char)text[at]); at++) *line += text[at] == '\n';
    }
    return true;
}
