/* stream.c : see stream.h. */
#include "io/json/stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state {
    FIRST,   /* nothing but white space so far */
    OPEN,    /* in an array, behind [ */
    VALUE,   /* in an array, behind a comma */
    COMMA,   /* in an array, behind a value */
    BETWEEN, /* outside, behind a record or an array */
    LOST     /* the rest could not be read; say no more */
};

/* --- the whole input ---------------------------------------------------------------------------*/

static bool trouble(char error[IO_ERROR_SIZE], const char *text)
{
    snprintf(error, IO_ERROR_SIZE, "%s", text);
    return false;
}

static bool grow(char **text, size_t *cap)
{
    size_t next = *cap ? *cap * 2 : (size_t)1 << 16;
    char *more = realloc(*text, next);
    if (!more) return false;
    *text = more;
    *cap = next;
    return true;
}

static bool slurp(FILE *in, struct io_stream *stream, char error[IO_ERROR_SIZE])
{
    size_t cap = 0, got = 1;

    while (got > 0) {
        if (stream->size + 1 >= cap && !grow(&stream->text, &cap))
            return trouble(error, "no memory");
        got = fread(stream->text + stream->size, 1, cap - 1 - stream->size, in);
        if (ferror(in)) return trouble(error, strerror(errno));
        stream->size += got;
        if (stream->size > IO_MAX_INPUT) return trouble(error, "larger than 512 MiB");
    }
    stream->text[stream->size] = 0;
    return true;
}

bool io_stream_open(struct io_stream *stream, const char *path, char error[IO_ERROR_SIZE])
{
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "rb");
    bool read;

    *stream = (struct io_stream){.file = path, .line = 1};
    if (!in) return trouble(error, strerror(errno));
    read = slurp(in, stream, error);
    if (!standard) fclose(in);
    if (!read) io_stream_close(stream);
    return read;
}

bool io_stream_from(struct io_stream *stream, const char *file, const char *text, size_t size,
                    char error[IO_ERROR_SIZE])
{
    *stream = (struct io_stream){.file = file, .line = 1, .size = size};
    stream->text = malloc(size + 1);
    if (!stream->text) return trouble(error, "no memory");
    memcpy(stream->text, text, size);
    stream->text[size] = 0;
    return true;
}

void io_stream_close(struct io_stream *stream)
{
    free(stream->text);
    stream->text = NULL;
    stream->size = 0;
}

const char *io_stream_line(const struct io_stream *stream, size_t offset, size_t most,
                           size_t *length, size_t *within)
{
    const size_t last = stream->size - offset > most ? offset + most : stream->size;
    size_t start = offset;
    const char *end;

    while (start > 0 && offset - start < most && stream->text[start - 1] != '\n') start--;
    end = memchr(stream->text + start, '\n', last - start);
    *length = (end ? (size_t)(end - stream->text) : last) - start;
    *within = offset - start;
    return stream->text + start;
}

/* --- where a record ends -----------------------------------------------------------------------*/

/* The end of the string that opens at i, or 0: a string holds no newline and no NUL. */
static size_t string_end(const struct io_stream *s, size_t i)
{
    for (i++; i < s->size; i++) {
        char c = s->text[i];
        if (c == '"') return i + 1;
        if (c == '\n' || c == 0) return 0;
        if (c == '\\' && i + 1 < s->size && s->text[i + 1] != '\n') i++;
    }
    return 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Where the value at `at` ends; 0 with *why and *where when it does not. */
static size_t bracket_end(const struct io_stream *s, size_t at, const char **why, size_t *where)
{
    char closing[IO_MAX_DEPTH];
    size_t depth = 0, i = at;

    *why = "the record is not closed";
    while (i < s->size) {
        char c = s->text[ *where = i];
        if (c == '"') {
            i = string_end(s, i);
            if (i == 0) return *why = "a string is not closed on its line", 0;
            continue;
        }
        if (c == 0) return *why = "a NUL byte", 0;
        if (c == '{' || c == '[') {
            if (depth == IO_MAX_DEPTH) return *why = "more than 32 brackets inside each other", 0;
            closing[depth++] = c == '{' ? '}' : ']';
        } else if (c == '}' || c == ']') {
            if (closing[--depth] != c) /* the record's own bracket came first */
                return *why = "a bracket closes another kind of bracket", 0;
            if (depth == 0) return i + 1;
        }
        i++;
    }
    *where = s->size;
    return 0;
}

/* Where something that is no object ends: at a comma, a bracket or the end of the line. */
static size_t scrap_end(const struct io_stream *s, size_t at)
{
    size_t i = at;
    while (i < s->size && !strchr(",]\n{", s->text[i] ? s->text[i] : 'x')) {
        size_t end = s->text[i] == '"' ? string_end(s, i) : 0;
        i = end ? end : i + 1;
    }
    return i > at ? i : at + 1;
}

/* The next line behind `from` that opens an object in the given column (from 0); size if none. */
static size_t resume_at(const struct io_stream *s, size_t from, size_t column)
{
    const char *found, *end = s->text + s->size;

    for (size_t i = from; i < s->size; i = (size_t)(found - s->text)) {
        found = memchr(s->text + i, '\n', s->size - i);
        if (!found) break;
        found++;
        if ((size_t)(end - found) <= column || found[column] != '{') continue;
        size_t blank = 0;
        while (blank < column && is_space(found[blank]) && found[blank] != '\n') blank++;
        if (blank == column) return (size_t)(found - s->text) + column;
    }
    return s->size;
}

/* --- records -----------------------------------------------------------------------------------*/

static void advance(struct io_stream *s, size_t to)
{
    for (; s->at < to; s->at++)
        if (s->text[s->at] == '\n') {
            s->line++;
            s->line_start = s->at + 1;
        }
}

static void skip_space(struct io_stream *s)
{
    size_t i = s->at;
    if (i == 0 && s->size >= 3 && memcmp(s->text, "\xef\xbb\xbf", 3) == 0) i = 3;
    while (i < s->size && is_space(s->text[i])) i++;
    advance(s, i);
}

static size_t line_at(const struct io_stream *s, size_t offset)
{
    size_t line = s->line;
    for (size_t i = s->at; i < offset; i++) line += s->text[i] == '\n';
    return line;
}

static bool piece(struct io_stream *s, size_t end, const char *error, struct io_piece *out)
{
    *out = (struct io_piece){.file = s->file,
                             .text = s->text ? s->text + s->at : "",
                             .length = end - s->at,
                             .offset = s->at,
                             .record = ++s->record,
                             .line = s->line,
                             .column = s->at - s->line_start + 1,
                             .error_line = s->line};
    if (error) snprintf(out->error, sizeof out->error, "%s", error);
    return true;
}

static void take_object(struct io_stream *s, struct io_piece *out)
{
    const char *why = NULL;
    size_t where = s->at, end = bracket_end(s, s->at, &why, &where);
    size_t column = s->at - s->line_start;

    if (end) {
        piece(s, end, NULL, out);
        if (out->length > IO_MAX_RECORD)
            snprintf(out->error, sizeof out->error, "longer than %zu bytes", IO_MAX_RECORD);
        s->state = s->in_array ? COMMA : BETWEEN;
    } else {
        piece(s, where, why, out);
        out->error_line = line_at(s, where);
        end = resume_at(s, s->at, column);
        s->state = end == s->size ? LOST : s->in_array ? VALUE : BETWEEN;
    }
    advance(s, end);
}

static bool take_scrap(struct io_stream *s, const char *error, struct io_piece *out)
{
    size_t end = scrap_end(s, s->at);
    const bool comma = s->text[s->at] == ',';

    if (s->in_array && s->text[s->at] == ']') {
        s->in_array = false;
        error = "a comma before the closing ]";
    }
    piece(s, end, error, out);
    advance(s, end);
    s->state = !s->in_array ? BETWEEN : comma ? VALUE : COMMA;
    return true;
}

static bool at_end(struct io_stream *s, struct io_piece *out)
{
    int state = s->state;
    s->state = LOST;
    if (state == FIRST) return piece(s, s->size, "the input is empty", out);
    if (s->in_array && state != LOST) return piece(s, s->size, "the array is not closed", out);
    return false;
}

/* A bracket or comma of the array itself; true when it was one and was in its place. */
static bool take_punctuation(struct io_stream *s)
{
    char c = s->text[s->at];

    if (c == '[' && !s->in_array) {
        s->in_array = true;
        s->state = OPEN;
    } else if (c == ']' && s->in_array && s->state != VALUE) {
        s->in_array = false;
        s->state = BETWEEN;
    } else if (c == ',' && s->state == COMMA) {
        s->state = VALUE;
    } else {
        return false;
    }
    advance(s, s->at + 1);
    return true;
}

bool io_stream_next(struct io_stream *s, struct io_piece *out)
{
    for (;;) {
        skip_space(s);
        if (s->at == s->size) return at_end(s, out);
        if (take_punctuation(s)) continue;
        if (s->text[s->at] != '{')
            return take_scrap(s, s->state == COMMA ? "expected , or ]" : "expected a JSON object",
                              out);
        bool comma_missing = s->state == COMMA;
        take_object(s, out);
        if (comma_missing && !out->error[0])
            snprintf(out->error, sizeof out->error, "a comma is missing before this record");
        return true;
    }
}
