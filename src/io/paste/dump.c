/* dump.c : see dump.h. Names and order of the fields: cute/atom/copy_traits_sm90_tma.hpp (CUTLASS),
 * third_party/nvidia/backend/driver.c (Triton), src/cuda/runtime.cc (TileLang),
 * trtllm/fmha/kernelParams.h (FlashInfer). */
#define _GNU_SOURCE /* memmem */
#include "io/paste/dump.h"
#include "expr/values.h"
#include "io/paste/call.h"
#include "io/paste/clean.h"
#include "io/paste/dump_fields.h"
#include "io/paste/hint.h"
#include "io/paste/ir.h"
#include "io/paste/listing.h"
#include "io/paste/missing.h"
#include "io/paste/narrow.h"
#include "io/paste/partial.h"
#include "io/paste/source.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool io_dump_find(const char *name, enum io_dump *out)
{
    static const char *const programs[] = {"triton", "cutlass", "tilelang", "flashinfer"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, programs[i]) == 0) {
            *out = (enum io_dump)i;
            return true;
        }
    return false;
}

/* JSON's name of each field, for messages. */
static const char *const json_names[FIELDS] = {[DTYPE] = "dtype",
                                               [RANK] = "rank",
                                               [ADDRESS] = "address",
                                               [MAP_ADDRESS] = "map_address",
                                               [DIM] = "dim",
                                               [STRIDE] = "stride",
                                               [STRIDE_RAW] = "stride",
                                               [BOX] = "box",
                                               [ELEM_STRIDE] = "elem_stride",
                                               [SWIZZLE] = "swizzle",
                                               [INTERLEAVE] = "interleave",
                                               [L2] = "l2_promotion",
                                               [OOB] = "oob_fill",
                                               [LOWER] = "lower",
                                               [UPPER] = "upper",
                                               [PIXELS] = "pixels",
                                               [CHANNELS] = "channels"};

/* The index-th number behind `at`, on the same line. */
static bool number_at(const char *text, const char *at, const char *end, int index, size_t *offset,
                      size_t *size)
{
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    int64_t number;

    if (!stop) stop = end;
    for (; at < stop; at++) {
        const char *start = at;
        if (io_dump_is_word(at[-1]) || !io_dump_number(&at, stop, &number)) continue;
        if (index-- > 0) continue;
        *offset = (size_t)(start - text);
        *size = (size_t)(at - start);
        return true;
    }
    return false;
}

bool io_dump_locate(const char *text, size_t length, const char *field, int index, size_t *offset,
                    size_t *size)
{
    const char *end = text + length;

    const char *name;
    enum field which;

    for (size_t i = 0; (name = io_dump_name(IO_DUMP_CUTLASS, i, &which)); i++) {
        const bool raw = which == STRIDE_RAW;
        const char *found;
        if (!json_names[which] || strcmp(json_names[which], field) != 0) continue;
        found = io_dump_word(text, end, name);
        if (found &&
            number_at(text, found + strlen(name), end, (index > 0 ? index : 0) + raw, offset, size))
            return true;
    }
    return false;
}

/* --- a dump among other lines ------------------------------------------------------------------*/

static const char *line_end(const struct io_stream *s, size_t at)
{
    const char *end = s->text + s->size, *p = s->text + at;
    while (p < end && *p != '\n' && *p != IO_CLEAN_LINE) p++;
    return p;
}

/* Whether the line says a field of a listing. */
static bool has_field(const struct io_stream *s, size_t at)
{
    struct numbers fields[FIELDS];

    io_dump_none(fields);
    io_dump_line(s->text + at, line_end(s, at), IO_DUMP_LISTING, fields);
    for (int i = 0; i < FIELDS; i++)
        if (fields[i].count >= 0) return true;
    return false;
}

/* A marker in quotes is the source that prints it, which programs like to print as well. */
static bool starts_here(const struct io_stream *s, size_t at, enum io_dump from)
{
    if (from == IO_DUMP_LISTING) return has_field(s, at);
    const char *marker = from == IO_DUMP_TRITON       ? "elemType"
                         : from == IO_DUMP_FLASHINFER ? "tmaFormat"
                                                      : "TMA Desc Addr";
    const char *found = io_dump_word(s->text + at, line_end(s, at), marker);
    return found && (found == s->text || found[-1] != '"');
}

static void next_line(struct io_stream *s)
{
    const size_t end = (size_t)(line_end(s, s->at) - s->text);
    s->line += end == s->size || s->text[end] == '\n';
    s->at = end < s->size ? end + 1 : s->size;
}

/* An object, or an array that begins as one of objects does: a log may begin with "[". */
static bool is_json(const struct io_stream *s, size_t at)
{
    if (s->text[at] != '[') return s->text[at] == '{';
    for (at++; at < s->size && isspace((unsigned char)s->text[at]);) at++;
    return at == s->size || s->text[at] == '{' || s->text[at] == ']';
}

/* "{" and then no key: a block of C, if it holds a call. */
static bool is_block(const struct io_stream *s, size_t at)
{
    if (at == s->size || s->text[at] != '{') return false;
    for (at++; at < s->size && isspace((unsigned char)s->text[at]);) at++;
    return at < s->size && s->text[at] != '"' && s->text[at] != '}';
}

static const char *digits(const char *at, const char *end)
{
    while (at < end && isdigit((unsigned char)*at)) at++;
    return at;
}

/* JSON's numbers: neither "1D", nor "1.", nor a date. */
static bool is_number(const char *at, const char *end)
{
    const char *p = digits(at + (*at == '-'), end), *before;

    if (p < end && *p == '.') {
        p = digits(before = p + 1, end);
        if (p == before) return false;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p += 1 + (end - p > 1 && (p[1] == '+' || p[1] == '-'));
        p = digits(p, end);
    }
    return p == end;
}

/* Words and no JSON: the first thing is neither a bracket, nor a string, nor a number or a name
 * that stands alone. */
static bool is_prose(const struct io_stream *s, size_t at)
{
    static const char *const words[] = {"true", "false", "null"};
    const char *p = s->text + at, *end = s->text + s->size, *token = p;

    if (end - p > 2 && memcmp(p, "\"\"\"", 3) == 0) return true; /* Python's */
    if (*p == '"') return false;
    if (*p == '[')
        while (token < end && (*token == '[' || isspace((unsigned char)*token))) token++;
    if (token == end || *token == '"') return false;
    for (p = token; p < end && (io_dump_is_word(*p) || *p == '-' || *p == '+' || *p == '.');) p++;
    for (size_t i = 0; i < 3; i++)
        if ((size_t)(p - token) == strlen(words[i]) &&
            memcmp(token, words[i], strlen(words[i])) == 0)
            return false;
    if (p == token) return *token != ']';
    if (!isdigit((unsigned char)*token) && *token != '-') return true;
    if (*token == '-' && p == token + 1) return true; /* a diff, or a list of points */
    if (!is_number(token, p)) return true;
    if (p < end && !isspace((unsigned char)*p) && *p != ',' && *p != ']') return true;
    while (p < end && *p == ' ') p++;
    return p < end && isalpha((unsigned char)*p);
}

/* Reads a line of a listing that is not whole yet: what it says anew counts. */
static void listing_line(const struct io_stream *s, size_t at, struct numbers fields[FIELDS])
{
    struct numbers line[FIELDS];

    io_dump_none(line);
    io_dump_line(s->text + at, line_end(s, at), IO_DUMP_LISTING, line);
    for (int i = 0; i < FIELDS; i++)
        if (line[i].count >= 0) fields[i].count = -1;
    io_dump_line(s->text + at, line_end(s, at), IO_DUMP_LISTING, fields);
}

static bool is_listing(const struct io_stream *s)
{
    struct numbers fields[FIELDS];

    io_dump_none(fields);
    for (size_t at = 0; at < s->size && !io_listing_is_enough(fields);) {
        listing_line(s, at, fields);
        at = (size_t)(line_end(s, at) - s->text) + 1;
    }
    return io_listing_is_enough(fields);
}

bool io_dump_guess(struct io_stream *s, enum io_dump *out)
{
    static const enum io_dump programs[] = {IO_DUMP_CUTLASS, IO_DUMP_TRITON, IO_DUMP_FLASHINFER};
    size_t first = 0;

    while (first < s->size && isspace((unsigned char)s->text[first])) first++;
    const bool block = is_block(s, first);
    if (first == s->size || (is_json(s, first) && !block)) return false;
    io_clean(s);
    for (size_t at = first; at < s->size;) {
        for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
            if (starts_here(s, at, programs[i])) return *out = programs[i], true;
        const size_t end = (size_t)(line_end(s, at) - s->text);
        at = end < s->size ? end + 1 : s->size;
    }
    if (io_source_has_call(s)) return *out = IO_DUMP_SOURCE, true;
    if (io_ir_any(s)) return *out = IO_DUMP_IR, true;
    if (io_call_any(s)) return *out = IO_DUMP_CALL, true;
    if (s->no_memory) return *out = IO_DUMP_WORDS, true;
    *out = !block && is_listing(s) ? IO_DUMP_LISTING : IO_DUMP_WORDS;
    return *out == IO_DUMP_LISTING || (!block && is_prose(s, first)) || io_hint_in(s, NULL) ||
           s->no_memory;
}

static bool complete(const struct numbers fields[FIELDS], enum io_dump from)
{
    if (from == IO_DUMP_LISTING && !io_listing_is_enough(fields)) return false;
    const enum field last = from == IO_DUMP_TRITON       ? ELEM_STRIDE
                            : from == IO_DUMP_FLASHINFER ? SWIZZLE
                                                         : OOB;
    return fields[last].count >= 0;
}

/* --- from fields to a descriptor ---------------------------------------------------------------*/

static bool need(struct io_record *record, const struct numbers *v, const char *key, int least)
{
    if (v->count >= least) return true;
    return v->count < 0 ? io_fail(record, "", "the dump has no readable %s", key)
                        : io_fail(record, "", "the dump lists %d of %s; the rank asks for %d",
                                  v->count, key, least);
}

static int64_t scalar(const struct numbers *v)
{
    return v->count > 0 ? v->number[0] : 0;
}

static bool take_shape(struct io_record *record, const struct numbers f[FIELDS])
{
    struct tmap_desc *d = &record->desc;
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;
    const bool raw = f[STRIDE].count < 0;
    const struct numbers *stride = raw ? &f[STRIDE_RAW] : &f[STRIDE];

    if (!need(record, &f[DIM], "dimensions", n) ||
        !need(record, stride, "strides", n > 0 ? n - 1 + raw : 0) ||
        !need(record, &f[ELEM_STRIDE], "element strides", n))
        return false;
    for (int i = 0; i < n; i++) {
        d->dim[i] = (uint64_t)f[DIM].number[i];
        d->elem_stride[i] = io_narrow_u32(f[ELEM_STRIDE].number[i]);
    }
    for (int i = 0; i + 1 < n; i++) d->stride_bytes[i] = (uint64_t)stride->number[i + raw];
    return true;
}

static bool take_box(struct io_record *record, const struct numbers f[FIELDS])
{
    struct tmap_desc *d = &record->desc;
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;

    if (!need(record, &f[BOX], "box sizes", n)) return false;
    for (int i = 0; i < n; i++) d->box[i] = io_narrow_u32(f[BOX].number[i]);
    return true;
}

static bool take_im2col(struct io_record *record, const struct numbers f[FIELDS])
{
    struct tmap_desc *d = &record->desc;
    const int spatial = d->rank > 5 ? 3 : d->rank > 2 ? (int)d->rank - 2 : 0;

    d->kind = TMAP_IM2COL;
    if (!need(record, &f[LOWER], "lower corners", spatial) ||
        !need(record, &f[UPPER], "upper corners", spatial) ||
        !need(record, &f[CHANNELS], "channels", 1) || !need(record, &f[PIXELS], "pixels", 1))
        return false;
    for (int i = 0; i < spatial; i++) {
        d->lower[i] = io_narrow_i32(f[LOWER].number[i]);
        d->upper[i] = io_narrow_i32(f[UPPER].number[i]);
    }
    d->channels = io_narrow_u32(scalar(&f[CHANNELS]));
    d->pixels = io_narrow_u32(scalar(&f[PIXELS]));
    return true;
}

/* Where the descriptor lies. From CUDA 13.0 on its type is aligned to 128 bytes, so a program with
 * one at a multiple of 64 alone was built by an older toolkit, to which that is aligned: nothing to
 * check. */
static void take_map_address(struct tmap_desc *d, const struct numbers *v)
{
    if (v->count < 1 || scalar(v) % 128 == 64) return;
    d->map_address = (uint64_t)scalar(v);
    d->flags |= TMAP_HAS_MAP_ADDRESS;
}

static void one(struct numbers *v, int64_t number)
{
    *v = (struct numbers){.number = {number}, .count = 1};
}

static void fill_up(struct numbers *v, int rank)
{
    for (v->count = v->count < 0 ? 0 : v->count; v->count < rank; v->count++)
        v->number[v->count] = 0;
}

/* What a dump leaves out whole, a list or a value: the rest is judged. A list that is cut is not:
 * lines that several programs wrote over each other look like that. */
static void leave_out(struct io_record *record, struct numbers f[FIELDS], struct io_unsaid *unsaid)
{
    const int rank = f[RANK].count == 1 ? (int)f[RANK].number[0] : 0;
    const bool raw = f[STRIDE].count < 0;

    if (rank < 1 || rank > TMAP_MAX_RANK || f[LOWER].count >= 0) return;
    unsaid->dtype = f[DTYPE].count < 0;
    unsaid->swizzle = f[SWIZZLE].count < 0;
    if (unsaid->dtype) one(&f[DTYPE], 0);
    if (unsaid->swizzle) one(&f[SWIZZLE], 0);
    unsaid->dim = f[DIM].count < 0 ? 31 : 0;
    unsaid->box = f[BOX].count < 0 ? 31 : 0;
    unsaid->elem_stride = f[ELEM_STRIDE].count < 0 ? 31 : 0;
    unsaid->stride = raw && f[STRIDE_RAW].count < 0 && rank > 1 ? 31 : 0;
    if (unsaid->dim) fill_up(&f[DIM], rank);
    if (unsaid->box) fill_up(&f[BOX], rank);
    if (unsaid->elem_stride) fill_up(&f[ELEM_STRIDE], rank);
    if (unsaid->stride) fill_up(&f[STRIDE_RAW], rank);
    if (f[ADDRESS].count >= 0) return;
    one(&f[ADDRESS], 0);
    record->flags |= IO_NO_ADDRESS;
}

/* Triton says neither interleave nor L2 promotion: it passes NONE and 128B. */
static bool take(struct io_record *record, struct numbers f[FIELDS], enum io_dump from,
                 struct io_unsaid *unsaid)
{
    struct tmap_desc *d = &record->desc;

    if (from == IO_DUMP_LISTING)
        io_listing_complete(record, f, unsaid);
    else
        leave_out(record, f, unsaid);

    if (!need(record, &f[DTYPE], "element type", 1) || !need(record, &f[RANK], "rank", 1) ||
        !need(record, &f[ADDRESS], "address", 1) || !need(record, &f[SWIZZLE], "swizzle", 1))
        return false;
    d->dtype = io_narrow_i32(scalar(&f[DTYPE]));
    d->rank = io_narrow_u32(scalar(&f[RANK]));
    d->address = (uint64_t)scalar(&f[ADDRESS]);
    d->interleave = io_narrow_i32(scalar(&f[INTERLEAVE]));
    d->swizzle = io_narrow_i32(scalar(&f[SWIZZLE]));
    d->l2_promotion = from == IO_DUMP_TRITON ? TMAP_L2_128B : io_narrow_i32(scalar(&f[L2]));
    d->oob_fill = io_narrow_i32(scalar(&f[OOB]));
    take_map_address(d, &f[MAP_ADDRESS]);
    if (!take_shape(record, f)) return false;
    return f[LOWER].count < 0 ? take_box(record, f) : take_im2col(record, f);
}

/* Whether the line says again what a listing has said: it belongs to the next. */
static bool repeats(const struct io_stream *s, const struct numbers fields[FIELDS])
{
    struct numbers line[FIELDS];

    io_dump_none(line);
    io_dump_line(s->text + s->at, line_end(s, s->at), IO_DUMP_LISTING, line);
    for (int i = 0; i < FIELDS; i++)
        if (line[i].count >= 0 && fields[i].count >= 0) return true;
    return false;
}

static bool ends_here(const struct io_stream *s, enum io_dump from,
                      const struct numbers fields[FIELDS])
{
    if (s->at == s->size || complete(fields, from)) return true;
    return from == IO_DUMP_LISTING ? io_listing_is_enough(fields) && repeats(s, fields)
                                   : starts_here(s, s->at, from);
}

/* The fields of the dump that begins here; reading goes on behind it. */
static void read_dump(struct io_stream *s, enum io_dump from, struct numbers fields[FIELDS],
                      struct io_record *out)
{
    const size_t start = s->at;

    io_dump_none(fields);
    out->line = out->error_line = s->line;
    do {
        if (from == IO_DUMP_LISTING)
            listing_line(s, s->at, fields);
        else
            io_dump_line(s->text + s->at, line_end(s, s->at), from, fields);
        next_line(s);
    } while (!ends_here(s, from, fields));
    out->offset = start;
    out->length = s->at - start;
    if (from != IO_DUMP_LISTING) out->text = s->text + start; /* names differ: no place is shown */
}

static bool next_dump(struct io_stream *s, enum io_dump from, struct io_record *out)
{
    struct numbers fields[FIELDS];
    struct io_unsaid unsaid = {.dtype = false};

    if (from == IO_DUMP_SOURCE) return io_source_next(s, out);
    if (from == IO_DUMP_CALL) return io_call_next(s, out);
    if (from == IO_DUMP_IR) return io_ir_next(s, out);
    memset(out, 0, sizeof *out);
    *out = (struct io_record){.file = s->file, .line = s->line, .column = 1, .error_line = s->line};
    io_dump_none(fields);
    while (s->at < s->size && !starts_here(s, s->at, from)) next_line(s);
    if (s->at == s->size && s->record > 0) return false;
    if (s->at < s->size) read_dump(s, from, fields, out);
    if (from == IO_DUMP_LISTING && s->record > 0 && !io_listing_is_enough(fields)) return false;
    out->record = ++s->record;
    if (out->length == 0 || (from == IO_DUMP_LISTING && !io_listing_is_enough(fields)))
        io_missing_all(s, out);
    else if (take(out, fields, from, &unsaid))
        io_partial_settle(out, &unsaid, io_hint_rule(s, out->record, NULL));
    return true;
}

/* Whether its numbers, which are source's and perhaps not those that failed, break no rule. */
static bool is_legal(const struct io_record *record)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_violation found[1];
    size_t count = 0;

    return !record->error[0] &&
           tmap_check(&record->desc, &target, TMAP_CONTRACT_SAFE, found, 1, &count) == TMAP_OK &&
           count == 0;
}

/* Source without its numbers: the rules that the words beside it name. */
static void name_rules(struct io_stream *s, struct io_record *out)
{
    char told[IO_ERROR_SIZE], names[IO_ERROR_SIZE];

    memcpy(told, out->error, sizeof told);
    io_hint_names(s, told, names, sizeof names);
    if (names[0]) io_fail(out, "", "%s%s", told, names);
}

/* Where the text has no numbers to judge, or has source whose numbers are legal, its own message
 * may say that they are illegal. */
static void take_message(struct io_stream *s, enum io_dump from, struct io_record *out)
{
    const bool printed = from < IO_DUMP_LISTING || from == IO_DUMP_WORDS;
    const bool legal = !printed && out->record == 1 && is_legal(out);
    const bool names = strncmp(out->error, "TMA", 3) == 0; /* a rule: its words may be a verdict */
    const tmap_row row = out->record == 1 && (names || legal) ? io_hint_stated(s) : TMAP_NO_ROW;

    if (row == TMAP_NO_ROW && !printed && out->record == 1 && out->error[0]) name_rules(s, out);
    if (row == TMAP_NO_ROW) return;
    if (legal) io_fail(out, "", "%s; the numbers in the source are others", io_hint_rule(s, 1, ""));
    out->flags |= IO_STATED;
    out->stated = row;
}

/* Nothing more is read: what was not seen, a call or a message, may be an illegal one. */
static bool say_no_memory(struct io_stream *s, struct io_record *out)
{
    s->no_memory = false;
    s->at = s->size;
    *out = (struct io_record){
        .file = s->file, .record = ++s->record, .line = 1, .column = 1, .error_line = 1};
    io_fail(out, "", "out of memory");
    return true;
}

bool io_dump_next(struct io_stream *s, enum io_dump from, struct io_record *out)
{
    const bool ended = s->at == s->size && s->record > 0;
    const bool there = !ended && !s->no_memory && next_dump(s, from, out);

    if (there && !s->no_memory) take_message(s, from, out);
    return s->no_memory ? say_no_memory(s, out) : there;
}
