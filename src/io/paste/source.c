/* source.c : see source.h. The order of the arguments is cuda.h's. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/source.h"

#include "io/paste/dump_fields.h"
#include "io/paste/hint.h"
#include "io/paste/narrow.h"
#include "io/paste/partial.h"
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
    LOOKS = 128,         /* for names, of one call */
    WHY = 2 * IO_ERROR_SIZE
};

struct call {
    const char *arg[IM2COL], *end[IM2COL];
    int count;
};

static bool begins_line(const char *text, size_t at)
{
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) at--;
    return at == 0 || text[at - 1] == '\n';
}

/* What stands between quotes on one line, as blanks: what a program prints sets nothing. */
static void blank_strings(char *text, size_t size)
{
    for (char *at = text, *end = text + size, *close; (at = memchr(at, '"', (size_t)(end - at)));
         at = close + 1) {
        for (close = at + 1; close < end && *close != '"' && *close != '\n'; close++)
            close += *close == '\\' && close + 1 < end && close[1] != '\n';
        if (close >= end) return;
        if (*close == '"') memset(at + 1, ' ', (size_t)(close - at - 1));
    }
}

/* "++N", "++ N;", no marks of a diff. */
static bool is_increment(const char *at)
{
    if (at[0] != '+' || at[1] != '+' || at[2] == '+') return false;
    if (at[2] != ' ') return true;
    for (at += 2; *at == ' ';) at++;
    while (io_dump_is_word(*at)) at++;
    return *at == ';';
}

/* Comments as blanks, and the marks of a diff or a quotation at the start of lines; with `all`
 * whole lines that are comments are read too: code that somebody switched off. */
static char *without_comments(struct io_stream *s, bool all)
{
    char *text = malloc(s->size + 1);

    if (!text) return s->no_memory = true, NULL;
    memcpy(text, s->text, s->size);
    text[s->size] = 0;
    for (size_t i = 0; i < s->size; i++) {
        if ((i == 0 || text[i - 1] == '\n') && strchr("+>", text[i]) && text[i] &&
            !is_increment(text + i))
            text[i] = ' ';
        if (text[i] != '/' || i + 1 == s->size || (text[i + 1] != '/' && text[i + 1] != '*'))
            continue;
        const bool line = text[i + 1] == '/';
        const char *end = line ? memchr(text + i, '\n', s->size - i)
                               : memmem(text + i + 2, s->size - i - 2, "*/", 2);
        size_t stop = end ? (size_t)(end - text) + (line ? 0 : 2) : s->size;
        if (all && line && begins_line(text, i)) stop = i + 2;
        for (; i < stop; i++)
            if (text[i] != '\n') text[i] = ' ';
        i--;
    }
    blank_strings(text, s->size);
    return text;
}

/* The arguments from behind "(" on; false where the call does not end, or is no encode call's. */
static bool cut(const char *at, const char *end, struct call *out)
{
    for (out->count = 0;; at++) {
        const char *stop = io_source_piece(at, end);
        if (stop == end || (*stop != ',' && *stop != ')')) return false;
        while (at < stop && isspace((unsigned char)*at)) at++;
        if (at == stop && *stop == ')') /* a comma at the end, as Python and Rust have it */
            return out->count == TILED || out->count == IM2COL;
        if (out->count == IM2COL) return false;
        const char *value = at; /* "globalDim=0x7ffe": a frame of gdb's */
        while (value < stop && io_dump_is_word(*value)) value++;
        if (stop - value > 1 && *value == '=' && value[1] != '=') at = value + 1;
        out->arg[out->count] = at;
        out->end[out->count++] = stop;
        at = stop;
        if (*stop == ')') return out->count == TILED || out->count == IM2COL;
    }
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
    struct io_unsaid unsaid;
    bool ok; /* what only the text's own value can stand for is known */
};

static bool get(struct taker *t, int arg, enum values which, int64_t *out)
{
    *out = 0;
    return io_source_value(t->source, t->call->arg[arg], t->call->end[arg], which, out);
}

static int64_t number(struct taker *t, int arg, enum values which)
{
    int64_t value;
    if (!get(t, arg, which, &value)) t->ok = false;
    return value;
}

/* The first `least` entries; returns those that are not known, a bit each. */
static unsigned list(struct taker *t, int arg, int least, int64_t out[TMAP_MAX_RANK])
{
    const unsigned all = (1u << (least > 0 ? least : 0)) - 1;
    unsigned unknown = 0;
    int count = 0;

    memset(out, 0, TMAP_MAX_RANK * sizeof *out);
    if (least <= 0) return 0;
    if (!io_source_list(t->source, t->call->arg[arg], t->call->end[arg], out, TMAP_MAX_RANK, &count,
                        &unknown))
        return all;
    return (unknown | (count < least ? all & ~((1u << count) - 1) : 0)) & all;
}

static void take_corners(struct taker *t, struct tmap_desc *d)
{
    int64_t v[TMAP_MAX_RANK];
    const int spatial = d->rank > 5 ? 3 : d->rank > 2 ? (int)d->rank - 2 : 0;

    d->kind = TMAP_IM2COL;
    if (list(t, 6, spatial, v)) t->ok = false;
    for (int i = 0; i < spatial; i++) d->lower[i] = io_narrow_i32(v[i]);
    if (list(t, 7, spatial, v)) t->ok = false;
    for (int i = 0; i < spatial; i++) d->upper[i] = io_narrow_i32(v[i]);
    d->channels = io_narrow_u32(number(t, 8, VALUES_NUMBER));
    d->pixels = io_narrow_u32(number(t, 9, VALUES_NUMBER));
}

static void take_box(struct taker *t, struct tmap_desc *d, int rank)
{
    int64_t v[TMAP_MAX_RANK];
    t->unsaid.box = list(t, 6, rank, v);
    for (int i = 0; i < rank; i++) d->box[i] = io_narrow_u32(v[i]);
}

/* The rank, or how many box sizes there are. */
static uint32_t take_rank(struct taker *t)
{
    int64_t v[TMAP_MAX_RANK], value;
    int count;
    unsigned unknown;

    if (get(t, 2, VALUES_NUMBER, &value)) return io_narrow_u32(value);
    for (int arg = 4; arg <= 6 && t->call->count == TILED; arg += 2)
        if (io_source_list(t->source, t->call->arg[arg], t->call->end[arg], v, TMAP_MAX_RANK,
                           &count, &unknown))
            return (uint32_t)count;
    t->ok = false;
    return 0;
}

static bool take(struct taker *t, struct tmap_desc *d)
{
    const int last = t->call->count;
    int64_t v[TMAP_MAX_RANK];

    d->rank = take_rank(t);
    t->unsaid.dtype = !get(t, 1, VALUES_DTYPE, &v[0]);
    d->dtype = io_narrow_i32(v[0]);
    const int rank = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;
    t->unsaid.dim = list(t, 4, rank, v);
    for (int i = 0; i < rank; i++) d->dim[i] = (uint64_t)v[i];
    t->unsaid.stride = list(t, 5, rank - 1, v);
    for (int i = 0; i + 1 < rank; i++) d->stride_bytes[i] = (uint64_t)v[i];
    if (last == IM2COL)
        take_corners(t, d);
    else
        take_box(t, d, rank);
    t->unsaid.elem_stride = list(t, last - 5, rank, v);
    for (int i = 0; i < rank; i++) d->elem_stride[i] = io_narrow_u32(v[i]);
    d->interleave = io_narrow_i32(number(t, last - 4, VALUES_INTERLEAVE));
    t->unsaid.swizzle = !get(t, last - 3, VALUES_SWIZZLE, &v[0]);
    d->swizzle = io_narrow_i32(v[0]);
    d->l2_promotion = io_narrow_i32(number(t, last - 2, VALUES_L2));
    d->oob_fill = io_narrow_i32(number(t, last - 1, VALUES_OOB));
    return t->ok;
}

/* What to tell of a call that is not legal or illegal for what is known of it. */
static void unknown(const struct taker *t, char why[WHY], const struct io_record *out)
{
    char names[96];

    io_unsaid_names(&t->unsaid, out->desc.rank, names, sizeof names);
    snprintf(why, WHY,
             "source code, and not all of the call's arguments are constants in it%s%s%s%s: "
             "tmap trace -- PROGRAM sees them, or say them: tmap check --dtype ... --dim ...",
             names[0] ? ": " : "", names, t->source->missing[0] ? ": not known: " : "",
             t->source->missing);
}

/* The text without comments that the next call from `at` on stands in, all comments read where
 * there is none else; NULL for none. */
static char *text_with_call(struct io_stream *s, size_t at, struct call *call, const char **behind)
{
    for (int all = 0; all < 2 && s->size <= LONGEST; all++) {
        char *text = without_comments(s, all);
        const char *from = text;
        if (!text) return NULL;
        if (next_call(text + s->size, &from, call)) { /* of the whole: which reading it is */
            *behind = text + at;
            if (next_call(text + s->size, behind, call)) return text;
            all = 1;
        }
        free(text);
    }
    return NULL;
}

bool io_source_has_call(struct io_stream *s)
{
    struct call call;
    const char *behind;
    char *text = text_with_call(s, 0, &call, &behind);

    free(text);
    return text != NULL;
}

bool io_source_next(struct io_stream *s, struct io_record *out)
{
    struct call call;
    const char *behind;
    char why[WHY], *text = text_with_call(s, s->at, &call, &behind);

    s->at = s->size;
    if (!text) return false;
    struct io_source source = {
        .text = text, .end = text + s->size, .use = call.arg[0], .looks = LOOKS};
    struct taker t = {.source = &source, .call = &call, .ok = true};
    *out = (struct io_record){.file = s->file, .record = ++s->record, .column = 1, .line = 1};
    for (const char *p = text; p < call.arg[0]; p++) out->line += *p == '\n';
    out->flags = IO_NO_ADDRESS;
    out->error_line = out->line;
    const bool whole = take(&t, &out->desc);
    unknown(&t, why, out);
    if (whole)
        io_partial_settle(out, &t.unsaid, io_hint_rule(s, out->record, why));
    else
        io_fail(out, "", "%s", io_hint_rule(s, out->record, why));
    s->at = (size_t)(behind - text);
    free(text);
    return true;
}
