/* source.c : see source.h. The order of the arguments is cuda.h's. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/source.h"

#include "io/paste/dump_fields.h"
#include "io/paste/hint.h"
#include "io/paste/source_value.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILED = 12,
    IM2COL = 15,
    LONGEST = 1 << 16,   /* of an issue on GitHub; a longer text is no paste */
    LONG_CALL = 1 << 11, /* from bracket to bracket */
    LOOKS = 128          /* for names, of one call */
};

struct call {
    const char *arg[IM2COL], *end[IM2COL];
    int count;
};

/* Comments as blanks, and the marks of a diff or a quotation at the start of lines. */
static char *without_comments(const struct io_stream *s)
{
    char *text = malloc(s->size + 1);

    if (!text) return NULL;
    memcpy(text, s->text, s->size);
    text[s->size] = 0;
    for (size_t i = 0; i < s->size; i++) {
        if ((i == 0 || text[i - 1] == '\n') && (text[i] == '+' || text[i] == '>')) text[i] = ' ';
        if (text[i] != '/' || i + 1 == s->size || (text[i + 1] != '/' && text[i + 1] != '*'))
            continue;
        const bool line = text[i + 1] == '/';
        const char *end = line ? memchr(text + i, '\n', s->size - i)
                               : memmem(text + i + 2, s->size - i - 2, "*/", 2);
        const size_t stop = end ? (size_t)(end - text) + (line ? 0 : 2) : s->size;
        for (; i < stop; i++)
            if (text[i] != '\n') text[i] = ' ';
        i--;
    }
    return text;
}

/* The arguments from behind "(" on; false where the call does not end, or is no encode call's. */
static bool cut(const char *at, const char *end, struct call *out)
{
    for (out->count = 0; out->count < IM2COL; at++) {
        const char *stop = io_source_piece(at, end);
        if (stop == end || (*stop != ',' && *stop != ')')) return false;
        while (at < stop && isspace((unsigned char)*at)) at++;
        out->arg[out->count] = at;
        out->end[out->count++] = stop;
        at = stop;
        if (*stop == ')') return out->count == TILED || out->count == IM2COL;
    }
    return false;
}

/* "CUtensorMapDataType type" is a declaration's. */
static bool declares(const struct call *c)
{
    const char *p = c->arg[1], *end = c->end[1];
    while (p < end && io_dump_is_word(*p)) p++;
    const char *gap = p;
    while (p < end && isspace((unsigned char)*p)) p++;
    return p > gap && p < end && io_dump_is_word(*p);
}

/* Where the call's bracket opens whose callee's name or argument stands at `name`; NULL for none.
 */
static const char *bracket_of(const char *text, const char *end, const char *name, bool argument)
{
    const char *p = name, *first = name - text > LONG_CALL ? name - LONG_CALL : text;
    int depth = 1;

    if (!argument) {
        while (p < end && io_dump_is_word(*p)) p++;
        while (p < end && (*p == ')' || isspace((unsigned char)*p))) p++; /* "(function)(" */
        return p < end && *p == '(' ? p : NULL;
    }
    while (p > first && depth > 0) {
        p--;
        depth += (*p == ')') - (*p == '(');
    }
    return depth == 0 ? p : NULL;
}

/* The next call from *at on; *at is then behind its arguments. Wrappers have names of their own,
 * but pass the interleave by its name. */
static bool next_call(const char *end, const char **at, struct call *out)
{
    static const char *const names[] = {"ncodeTiled", "ncodeIm2col", "CU_TENSOR_MAP_INTERLEAVE_"};
    const char *best = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (const char *p = *at; (p = memmem(p, (size_t)(end - p), names[i], strlen(names[i])));
             p++) {
            const char *open = bracket_of(*at, end, p, i == 2);
            const char *stop = open && end - open > LONG_CALL ? open + LONG_CALL : end;
            struct call call;
            if (best && p >= best) break;
            if (!open) continue;
            if (!cut(open + 1, stop, &call) || declares(&call)) continue;
            best = open;
            *out = call;
            break;
        }
    }
    if (best) *at = out->end[out->count - 1];
    return best != NULL;
}

/* --- from arguments to a descriptor ------------------------------------------------------------*/

struct taker {
    struct io_source *source;
    const struct call *call;
    bool ok;
};

static int64_t number(struct taker *t, int arg, enum values which)
{
    int64_t value = 0;
    if (!io_source_value(t->source, t->call->arg[arg], t->call->end[arg], which, &value))
        t->ok = false;
    return value;
}

static void list(struct taker *t, int arg, int least, int64_t out[TMAP_MAX_RANK])
{
    int count = 0;
    memset(out, 0, TMAP_MAX_RANK * sizeof *out);
    if (least > 0 && (!io_source_list(t->source, t->call->arg[arg], t->call->end[arg], out,
                                      TMAP_MAX_RANK, &count) ||
                      count < least))
        t->ok = false;
}

static void take_corners(struct taker *t, struct tmap_desc *d)
{
    int64_t v[TMAP_MAX_RANK];
    const int spatial = d->rank > 5 ? 3 : d->rank > 2 ? (int)d->rank - 2 : 0;

    d->kind = TMAP_IM2COL;
    list(t, 6, spatial, v);
    for (int i = 0; i < spatial; i++) d->lower[i] = (int32_t)v[i];
    list(t, 7, spatial, v);
    for (int i = 0; i < spatial; i++) d->upper[i] = (int32_t)v[i];
    d->channels = (uint32_t)number(t, 8, VALUES_NUMBER);
    d->pixels = (uint32_t)number(t, 9, VALUES_NUMBER);
}

static void take_box(struct taker *t, struct tmap_desc *d, int rank)
{
    int64_t v[TMAP_MAX_RANK];
    list(t, 6, rank, v);
    for (int i = 0; i < rank; i++) d->box[i] = (uint32_t)v[i];
}

static bool take(struct io_source *source, const struct call *call, struct tmap_desc *d)
{
    struct taker t = {source, call, true};
    const int last = call->count;
    int64_t v[TMAP_MAX_RANK];

    d->dtype = (int32_t)number(&t, 1, VALUES_DTYPE);
    d->rank = (uint32_t)number(&t, 2, VALUES_NUMBER);
    const int rank = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;
    list(&t, 4, rank, v);
    for (int i = 0; i < rank; i++) d->dim[i] = (uint64_t)v[i];
    list(&t, 5, rank - 1, v);
    for (int i = 0; i + 1 < rank; i++) d->stride_bytes[i] = (uint64_t)v[i];
    if (last == IM2COL)
        take_corners(&t, d);
    else
        take_box(&t, d, rank);
    list(&t, last - 5, rank, v);
    for (int i = 0; i < rank; i++) d->elem_stride[i] = (uint32_t)v[i];
    d->interleave = (int32_t)number(&t, last - 4, VALUES_INTERLEAVE);
    d->swizzle = (int32_t)number(&t, last - 3, VALUES_SWIZZLE);
    d->l2_promotion = (int32_t)number(&t, last - 2, VALUES_L2);
    d->oob_fill = (int32_t)number(&t, last - 1, VALUES_OOB);
    return t.ok;
}

static void unknown(const struct io_stream *s, const struct io_source *source,
                    struct io_record *out)
{
    const char *told = out->record == 1 ? io_hint_in(s->text, s->size, NULL) : NULL;
    if (told && strncmp(told, "source code", 11) != 0 &&
        strncmp(told, "the driver refused", 18) != 0)
        io_fail(out, "", "%s", told);
    else
        io_fail(
            out, "",
            "source code, and the call's arguments are not all constants in it%s%s: tmap trace -- "
            "PROGRAM sees them, or say them: tmap check --dtype ... --dim ... --box ...",
            source->missing[0] ? ": not known: " : "", source->missing);
}

bool io_source_has_call(const struct io_stream *s)
{
    struct call call;
    char *text = s->size <= LONGEST ? without_comments(s) : NULL;
    const char *at = text;
    const bool found = text && next_call(text + s->size, &at, &call);

    free(text);
    return found;
}

bool io_source_next(struct io_stream *s, struct io_record *out)
{
    struct call call;
    char *text = without_comments(s);
    const char *at = text ? text + s->at : NULL;
    const bool found = text && next_call(text + s->size, &at, &call);

    if (found) {
        struct io_source source = {.text = text, .end = text + s->size, .looks = LOOKS};
        const size_t begin = (size_t)(call.arg[0] - text);
        *out = (struct io_record){.file = s->file, .record = ++s->record, .column = 1, .line = 1};
        for (size_t i = 0; i < begin; i++) out->line += text[i] == '\n';
        out->flags = IO_NO_ADDRESS;
        out->error_line = out->line;
        if (!take(&source, &call, &out->desc)) unknown(s, &source, out);
    }
    s->at = found ? (size_t)(at - text) : s->size;
    free(text);
    return found;
}
