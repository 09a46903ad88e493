/* locate.c : where a JSON path points in the text of a record.
 *
 * jansson keeps no positions, so a message that shows the user's own line walks the text once more.
 * The text has been parsed before: this is a scanner of valid JSON, and answers false, never worse,
 * for anything else. */
#include "io/json/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scan {
    const char *text;
    size_t at, end;
};

static void skip_space(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\r\n", s->text[s->at] ? s->text[s->at] : 'x')) s->at++;
}

static char peek(const struct scan *s)
{
    return s->at < s->end ? s->text[s->at] : 0;
}

static void skip_string(struct scan *s)
{
    for (s->at++; s->at < s->end && s->text[s->at] != '"'; s->at++)
        if (s->text[s->at] == '\\') s->at++;
    if (s->at < s->end) s->at++;
    if (s->at > s->end) s->at = s->end;
}

/* Brackets are counted, not matched: the text is valid. */
static void skip_value(struct scan *s)
{
    size_t depth = 0;
    skip_space(s);
    do {
        char c = peek(s);
        if (c == '"') {
            skip_string(s);
        } else if (c == '{' || c == '[') {
            depth++;
            s->at++;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return;
            depth--;
            s->at++;
        } else if (depth > 0) {
            s->at++;
        } else {
            while (s->at < s->end && !strchr(",]} \t\r\n", peek(s) ? peek(s) : 'x')) s->at++;
        }
    } while (depth > 0 && s->at < s->end);
}

/* To the value of a key of the object at the scanner. Escaped keys are not found. */
static bool enter_key(struct scan *s, const char *key, size_t length)
{
    skip_space(s);
    if (peek(s) != '{') return false;
    s->at++;
    while (s->at < s->end) {
        size_t start;
        skip_space(s);
        if (peek(s) != '"') return false;
        start = s->at + 1;
        skip_string(s);
        bool found = s->at - start - 1 == length && memcmp(s->text + start, key, length) == 0;
        skip_space(s);
        if (peek(s) != ':') return false;
        s->at++;
        skip_space(s);
        if (found) return true;
        skip_value(s);
        skip_space(s);
        if (peek(s) == ',') s->at++;
    }
    return false;
}

static bool enter_index(struct scan *s, unsigned long index)
{
    skip_space(s);
    if (peek(s) != '[') return false;
    s->at++;
    for (; index > 0 && s->at < s->end; index--) {
        skip_value(s);
        skip_space(s);
        if (peek(s) != ',') return false;
        s->at++;
    }
    skip_space(s);
    return s->at < s->end && peek(s) != ']';
}

bool io_locate(const char *text, size_t length, const char *path, size_t *offset, size_t *size)
{
    struct scan s = {text, 0, length};

    if (*path == '$') path++;
    while (*path) {
        if (*path == '.') {
            size_t n = strcspn(path + 1, ".[");
            if (!enter_key(&s, path + 1, n)) return false;
            path += 1 + n;
        } else if (*path == '[') {
            char *end;
            if (!enter_index(&s, strtoul(path + 1, &end, 10)) || *end != ']') return false;
            path = end + 1;
        } else {
            return false;
        }
    }
    skip_space(&s);
    *offset = s.at;
    skip_value(&s);
    *size = s.at - *offset;
    return *size > 0;
}

bool io_next_element(const char *text, size_t length, size_t *offset)
{
    struct scan s = {text, *offset, length};

    skip_value(&s);
    skip_space(&s);
    if (peek(&s) != ',') return false;
    s.at++;
    skip_space(&s);
    *offset = s.at;
    return s.at < s.end && peek(&s) != ']';
}

/* Into the element or member that holds `offset`; adds it to the path. False when the scanner
 * stands on a scalar, or where the text stops being JSON. */
static bool step_towards(struct scan *s, size_t offset, char *path, size_t size)
{
    size_t used = strlen(path);
    unsigned index = 0;
    char open;

    skip_space(s);
    open = peek(s);
    if (open != '{' && open != '[') return false;
    s->at++;
    while (s->at <= offset) {
        size_t key = 0, length = 0;
        skip_space(s);
        if (open == '{') {
            if (peek(s) != '"') return false;
            key = s->at + 1;
            skip_string(s);
            length = s->at > key ? s->at - key - 1 : 0;
            skip_space(s);
            if (peek(s) != ':') return false;
            s->at++;
            skip_space(s);
        }
        struct scan behind = *s;
        skip_value(&behind);
        if (behind.at > offset || behind.at == s->at) {
            if (open == '{')
                snprintf(path + used, size - used, ".%.*s", (int)length, s->text + key);
            else
                snprintf(path + used, size - used, "[%u]", index);
            return s->at <= offset;
        }
        *s = behind;
        skip_space(s);
        if (peek(s) != ',') return false;
        s->at++;
        index++;
    }
    return false;
}

void io_path_at(const char *text, size_t length, size_t offset, char *path, size_t size)
{
    struct scan s = {text, 0, length};
    int depth = 0;

    snprintf(path, size, "$");
    while (depth++ < IO_MAX_DEPTH && step_towards(&s, offset, path, size)) continue;
    if (!path[1]) *path = 0;
}
