/* dump.c : see dump.h. Names and order of the fields: cute/atom/copy_traits_sm90_tma.hpp (CUTLASS),
 * third_party/nvidia/backend/driver.c (Triton), src/cuda/runtime.cc (TileLang),
 * trtllm/fmha/kernelParams.h (FlashInfer). */
#include "io/json/dump.h"
#include "io/json/hint.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum field {
    DTYPE,
    RANK,
    ADDRESS,
    MAP_ADDRESS, /* of the descriptor itself */
    DIM,
    STRIDE_RAW, /* the first entry is the element's own */
    STRIDE,
    BOX,
    ELEM_STRIDE,
    INTERLEAVE,
    SWIZZLE,
    L2,
    OOB,
    LOWER,
    UPPER,
    CHANNELS,
    PIXELS,
    FIELDS
};

static const struct {
    const char *name;
    enum field field;
} names[] = {{"format", DTYPE},
             {"tensorDataType", DTYPE},
             {"elemType", DTYPE},
             {"tmaFormat", DTYPE},
             {"dim", RANK},
             {"tensorRank", RANK},
             {"rank", RANK},
             {"TMA Desc Addr", MAP_ADDRESS},
             {"gmem_address", ADDRESS},
             {"global_address", ADDRESS},
             {"gmem", ADDRESS},
             {"globalDim", DIM},
             {"shape", DIM},
             {"Shape", DIM},
             {"globalStrides", STRIDE_RAW},
             {"globalStridesRaw", STRIDE_RAW},
             {"strides", STRIDE},
             {"Stride", STRIDE},
             {"boxDim", BOX},
             {"blockSize", BOX},
             {"tileShapes", BOX},
             {"elementStrides", ELEM_STRIDE},
             {"tileStrides", ELEM_STRIDE},
             {"interleave", INTERLEAVE},
             {"swizzle", SWIZZLE},
             {"swizzleType", SWIZZLE},
             {"l2Promotion", L2},
             {"oobFill", OOB},
             {"padding", OOB},
             {"pixelBoxLowerCorner", LOWER},
             {"pixelBoxLower", LOWER},
             {"pixelBoxUpperCorner", UPPER},
             {"pixelBoxUpper", UPPER},
             {"channelsPerPixel", CHANNELS},
             {"smem_box_channel", CHANNELS},
             {"pixelsPerColumn", PIXELS},
             {"smem_box_pixel", PIXELS}};

/* The numbers found for one field. */
struct values {
    int64_t number[TMAP_MAX_RANK];
    int count; /* -1: the field is not there */
};

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

/* --- numbers and names -------------------------------------------------------------------------*/

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* One number at *at, wrapping as 64 bits do; false where none begins. */
static bool read_number(const char **at, const char *end, int64_t *out)
{
    const char *p = *at;
    bool negative = p < end && *p == '-';
    uint64_t value = 0;
    int base = 10;

    p += negative;
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        base = 16;
        p += 2;
    }
    if (p == end || hex_digit(*p) >= base) return false;
    for (; p < end && hex_digit(*p) < base; p++)
        value = value * (uint64_t)base + (uint64_t)hex_digit(*p);
    *out = (int64_t)(negative ? 0 - value : value);
    *at = p;
    return true;
}

/* "9 (NAME)", "(1,2,3)", "[1, 2]" or "1 2 3" at `at`; a list that does not close counts as nothing.
 */
static void read_values(const char *at, const char *end, struct values *out)
{
    struct values v = {.count = 0};
    char closing = 0;

    while (at < end && (*at == ' ' || *at == '=' || *at == ':' || *at == '\t')) at++;
    if (at < end && (*at == '(' || *at == '[' || *at == '{'))
        closing = *at == '(' ? ')' : *at == '[' ? ']' : '}';
    at += closing != 0;
    for (int64_t number; read_number(&at, end, &number);) {
        if (v.count < TMAP_MAX_RANK) v.number[v.count++] = number;
        while (at < end && (*at == ' ' || (closing && *at == ','))) at++;
    }
    if (closing && (at == end || *at != closing)) return;
    if (v.count > 0 || closing) *out = v;
}

static const char *find_word(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);

    for (const char *p = at; (size_t)(end - p) >= length; p++) {
        if (memcmp(p, word, length) != 0) continue;
        if (p > at && is_word(p[-1])) continue;
        if (p + length < end && is_word(p[length])) continue;
        return p;
    }
    return NULL;
}

/* The first mention of a field in the dump counts. */
static void read_line(const char *line, const char *end, struct values fields[FIELDS])
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *found = find_word(line, end, names[i].name);
        struct values *v = &fields[names[i].field];
        if (found && v->count < 0) read_values(found + strlen(names[i].name), end, v);
    }
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
        if (is_word(at[-1]) || !read_number(&at, stop, &number)) continue;
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

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const bool raw = names[i].field == STRIDE_RAW;
        const char *found;
        if (strcmp(json_names[names[i].field], field) != 0) continue;
        found = find_word(text, end, names[i].name);
        if (found && number_at(text, found + strlen(names[i].name), end,
                               (index > 0 ? index : 0) + raw, offset, size))
            return true;
    }
    return false;
}

/* --- a dump among other lines ------------------------------------------------------------------*/

static const char *line_end(const struct io_stream *s, size_t at)
{
    const char *end = memchr(s->text + at, '\n', s->size - at);
    return end ? end : s->text + s->size;
}

/* A marker in quotes is the source that prints it, which programs like to print as well. */
static bool starts_here(const struct io_stream *s, size_t at, enum io_dump from)
{
    const char *marker = from == IO_DUMP_TRITON       ? "elemType"
                         : from == IO_DUMP_FLASHINFER ? "tmaFormat"
                                                      : "TMA Desc Addr";
    const char *found = find_word(s->text + at, line_end(s, at), marker);
    return found && (found == s->text || found[-1] != '"');
}

static void next_line(struct io_stream *s)
{
    const size_t end = (size_t)(line_end(s, s->at) - s->text);
    s->at = end < s->size ? end + 1 : s->size;
    s->line++;
}

/* An object, or an array that begins as one of objects does: a log may begin with "[". */
static bool is_json(const struct io_stream *s, size_t at)
{
    if (s->text[at] != '[') return s->text[at] == '{';
    for (at++; at < s->size && isspace((unsigned char)s->text[at]);) at++;
    return at == s->size || s->text[at] == '{' || s->text[at] == ']';
}

/* Words and no JSON: the first thing is neither a bracket, nor a string, nor a number or a name
 * that stands alone. */
static bool is_prose(const struct io_stream *s, size_t at)
{
    static const char *const words[] = {"true", "false", "null"};
    const char *p = s->text + at, *end = s->text + s->size, *token = p;

    if (*p == '"' || (*p == '[' && is_json(s, at))) return false;
    if (*p == '[')
        while (token < end && (*token == '[' || isspace((unsigned char)*token))) token++;
    if (token == end || *token == '"') return false;
    for (p = token; p < end && (is_word(*p) || *p == '-' || *p == '+' || *p == '.');) p++;
    for (size_t i = 0; i < 3; i++)
        if ((size_t)(p - token) == strlen(words[i]) &&
            memcmp(token, words[i], strlen(words[i])) == 0)
            return false;
    if (p == token) return *token != ']';
    if (!isdigit((unsigned char)*token) && *token != '-') return true;
    return p < end && !isspace((unsigned char)*p) && *p != ',' && *p != ']';
}

bool io_dump_guess(const struct io_stream *s, enum io_dump *out)
{
    static const enum io_dump programs[] = {IO_DUMP_CUTLASS, IO_DUMP_TRITON, IO_DUMP_FLASHINFER};
    size_t first = 0;

    while (first < s->size && isspace((unsigned char)s->text[first])) first++;
    if (first == s->size || is_json(s, first)) return false;
    for (size_t at = first; at < s->size;) {
        for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
            if (starts_here(s, at, programs[i])) return *out = programs[i], true;
        const size_t end = (size_t)(line_end(s, at) - s->text);
        at = end < s->size ? end + 1 : s->size;
    }
    *out = IO_DUMP_WORDS;
    return is_prose(s, first) || io_hint_in(s->text, s->size, NULL);
}

static bool complete(const struct values fields[FIELDS], enum io_dump from)
{
    const enum field last = from == IO_DUMP_TRITON       ? ELEM_STRIDE
                            : from == IO_DUMP_FLASHINFER ? SWIZZLE
                                                         : OOB;
    return fields[last].count >= 0;
}

/* --- from fields to a descriptor ---------------------------------------------------------------*/

static bool need(struct io_record *record, const struct values *v, const char *key, int least)
{
    if (v->count >= least) return true;
    return v->count < 0 ? io_fail(record, "", "the dump has no readable %s", key)
                        : io_fail(record, "", "the dump lists %d of %s; the rank asks for %d",
                                  v->count, key, least);
}

static int64_t scalar(const struct values *v)
{
    return v->count > 0 ? v->number[0] : 0;
}

static bool take_shape(struct io_record *record, const struct values f[FIELDS])
{
    struct tmap_desc *d = &record->desc;
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;
    const bool raw = f[STRIDE].count < 0;
    const struct values *stride = raw ? &f[STRIDE_RAW] : &f[STRIDE];

    if (!need(record, &f[DIM], "dimensions", n) ||
        !need(record, stride, "strides", n > 0 ? n - 1 + raw : 0) ||
        !need(record, &f[ELEM_STRIDE], "element strides", n))
        return false;
    for (int i = 0; i < n; i++) {
        d->dim[i] = (uint64_t)f[DIM].number[i];
        d->elem_stride[i] = (uint32_t)f[ELEM_STRIDE].number[i];
    }
    for (int i = 0; i + 1 < n; i++) d->stride_bytes[i] = (uint64_t)stride->number[i + raw];
    return true;
}

static bool take_box(struct io_record *record, const struct values f[FIELDS])
{
    struct tmap_desc *d = &record->desc;
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;

    if (!need(record, &f[BOX], "box sizes", n)) return false;
    for (int i = 0; i < n; i++) d->box[i] = (uint32_t)f[BOX].number[i];
    return true;
}

static bool take_im2col(struct io_record *record, const struct values f[FIELDS])
{
    struct tmap_desc *d = &record->desc;
    const int spatial = d->rank > 5 ? 3 : d->rank > 2 ? (int)d->rank - 2 : 0;

    d->kind = TMAP_IM2COL;
    if (!need(record, &f[LOWER], "lower corners", spatial) ||
        !need(record, &f[UPPER], "upper corners", spatial) ||
        !need(record, &f[CHANNELS], "channels", 1) || !need(record, &f[PIXELS], "pixels", 1))
        return false;
    for (int i = 0; i < spatial; i++) {
        d->lower[i] = (int32_t)f[LOWER].number[i];
        d->upper[i] = (int32_t)f[UPPER].number[i];
    }
    d->channels = (uint32_t)scalar(&f[CHANNELS]);
    d->pixels = (uint32_t)scalar(&f[PIXELS]);
    return true;
}

/* Where the descriptor lies. From CUDA 13.0 on its type is aligned to 128 bytes, so a program with
 * one at a multiple of 64 alone was built by an older toolkit, to which that is aligned: nothing to
 * check. */
static void take_map_address(struct tmap_desc *d, const struct values *v)
{
    if (v->count < 1 || scalar(v) % 128 == 64) return;
    d->map_address = (uint64_t)scalar(v);
    d->flags |= TMAP_HAS_MAP_ADDRESS;
}

/* Triton says neither interleave nor L2 promotion: it passes NONE and 128B. */
static bool take(struct io_record *record, const struct values f[FIELDS], enum io_dump from)
{
    struct tmap_desc *d = &record->desc;

    if (!need(record, &f[DTYPE], "element type", 1) || !need(record, &f[RANK], "rank", 1) ||
        !need(record, &f[ADDRESS], "address", 1) || !need(record, &f[SWIZZLE], "swizzle", 1))
        return false;
    d->dtype = (int32_t)scalar(&f[DTYPE]);
    d->rank = (uint32_t)scalar(&f[RANK]);
    d->address = (uint64_t)scalar(&f[ADDRESS]);
    d->interleave = (int32_t)scalar(&f[INTERLEAVE]);
    d->swizzle = (int32_t)scalar(&f[SWIZZLE]);
    d->l2_promotion = from == IO_DUMP_TRITON ? TMAP_L2_128B : (int32_t)scalar(&f[L2]);
    d->oob_fill = (int32_t)scalar(&f[OOB]);
    take_map_address(d, &f[MAP_ADDRESS]);
    if (!take_shape(record, f)) return false;
    return f[LOWER].count < 0 ? take_box(record, f) : take_im2col(record, f);
}

static const char no_descriptor[] =
    "no descriptor in this text: check reads JSON and the fields that CUTLASS, Triton, TileLang "
    "and "
    "FlashInfer print when an encode call fails; tmap trace -- PROGRAM sees those of a program";

bool io_dump_next(struct io_stream *s, enum io_dump from, struct io_record *out)
{
    struct values fields[FIELDS];
    size_t start;

    while (s->at < s->size && !starts_here(s, s->at, from)) next_line(s);
    if (s->at == s->size && s->record > 0) return false;
    memset(out, 0, sizeof *out);
    *out = (struct io_record){.file = s->file, .record = ++s->record, .line = s->line, .column = 1};
    out->error_line = s->line;
    if (s->at == s->size) {
        io_fail(out, "", "%s", io_hint_or(s, no_descriptor, &out->error_line));
        return true;
    }
    for (int i = 0; i < FIELDS; i++) fields[i].count = -1;
    start = s->at;
    do {
        read_line(s->text + s->at, line_end(s, s->at), fields);
        next_line(s);
    } while (s->at < s->size && !starts_here(s, s->at, from) && !complete(fields, from));
    out->offset = start;
    out->length = s->at - start;
    out->text = s->text + start;
    take(out, fields, from);
    return true;
}
