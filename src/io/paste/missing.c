/* missing.c : see missing.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/missing.h"

#include "io/paste/bulk.h"
#include "io/paste/dump_fields.h"
#include "io/paste/hint.h"
#include "io/paste/listing.h"
#include "io/paste/partial.h"
#include "io/paste/printed.h"
#include "io/paste/seen.h"
#include "io/paste/shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    NAMES = 96 /* of the fields that a text does not say */
};

/* What the lines do not say of a descriptor's fields. */
static void missing_names(const struct io_stream *s, char *out, size_t size)
{
    struct numbers f[FIELDS];
    struct io_unsaid unsaid = {.dtype = false};

    io_dump_none(f);
    for (size_t at = 0; at < s->size; at++) {
        const char *end = memchr(s->text + at, '\n', s->size - at);
        if (!end) end = s->text + s->size;
        io_dump_line(s->text + at, end, IO_DUMP_LISTING, f);
        at = (size_t)(end - s->text);
    }
    unsaid.dtype = io_listing_type(f) < 0;
    unsaid.swizzle = f[SWIZZLE].count < 1;
    unsaid.dim = f[DIM].count < 1 ? 31 : 0;
    unsaid.stride = f[STRIDE_RAW].count < 1 ? 31 : 0;
    unsaid.box = f[BOX].count < 1 ? 31 : 0;
    io_unsaid_names(&unsaid, 2, out, size);
}

/* A call in source whose arguments the text does not give. */
static void say_call(const struct io_seen *seen, const char *names, struct io_record *out)
{
    static const char told[] = "source code, and no rule of the descriptor can be told from it";

    if (seen->prefetches)
        io_fail(out, "",
                "%s: %s reads the map itself, whose address is not in this text (a multiple of 64, "
                "and of 128 from CUDA 13.0 on: TMA044); nor are %s",
                told, seen->call, names);
    else if (seen->makes)
        io_fail(
            out, "",
            "%s: it does not say %s; not known: the arguments of %s: tmap trace -- PROGRAM sees "
            "what a launch gives it",
            told, names, seen->call);
    else
        io_fail(out, "",
                "%s: it does not say %s; made elsewhere: the descriptor of %s: tmap trace -- "
                "PROGRAM sees it",
                told, names, seen->call);
}

/* A bulk copy without a map, where no message says more. */
static bool say_bulk(const struct io_stream *s, const char *told, struct io_record *out,
                     size_t *line)
{
    struct io_bulk bulk;

    if ((told && !io_hint_is_open(told)) || !io_bulk_odd(s->text, s->size, &bulk)) return false;
    io_fail(out, "",
            "no rule can say it: a bulk copy without a map moves a multiple of 16 bytes, which "
            "%" PRIu64 " are not, from and to addresses that are multiples of 16",
            bulk.bytes);
    return *line = bulk.line, true;
}

/* What a text without a descriptor and without a message lacks; its line. */
static size_t say_missing(struct io_stream *s, const char *fields, struct io_record *out)
{
    const char *names = fields[0] ? fields : "its fields together";
    char shown[IO_ERROR_SIZE];
    struct io_seen seen;
    size_t line;

    if (io_shown(s, shown, &line)) return io_fail(out, "", "%s", shown), line;
    if (io_seen_call(s->text, s->size, &seen)) return say_call(&seen, names, out), seen.line;
    if (io_statement_is_source(s->text, s->size))
        io_fail(out, "",
                "no descriptor in this text: source code without a call that makes or uses one; "
                "it does not say %s",
                names);
    else
        io_fail(
            out, "",
            "no descriptor in this text: it does not say %s; check reads JSON, calls in source, "
            "and what CUTLASS, Triton, TileLang and FlashInfer print when one fails",
            names);
    return 1;
}

/* Beside a hint that names neither a rule nor another cause. */
static void say_open(const struct io_stream *s, const char *told, const char *others,
                     char names[NAMES], struct io_record *out)
{
    const bool stride = io_printed_stride(s, names, NAMES) != TMAP_NO_ROW;
    struct io_seen seen = {.call = ""};

    if (io_statement_is_source(s->text, s->size)) io_seen_call(s->text, s->size, &seen);
    io_fail(out, "", "%s%s; %s: %s%s%s", told, others, stride ? "but" : "not said", names,
            seen.call[0] ? "; seen: " : "", seen.call);
}

void io_missing_all(struct io_stream *s, struct io_record *out)
{
    char names[NAMES], others[320] = "";
    size_t line = 1;
    const char *told = io_hint_or(s, NULL, &line);
    struct io_statement said;

    missing_names(s, names, sizeof names);
    if (told) io_hint_others(s, told, others, sizeof others);
    if (say_bulk(s, told, out, &line)) {
        out->error_line = line;
        return;
    }
    if (!told && io_hint_unknown(s, &said, &line))
        io_fail(out, "",
                "no rule of the descriptor that these words name, perhaps a condition of the "
                "program's own: %.*s",
                (int)said.length, s->text + said.at);
    else if (!told && (memmem(s->text, s->size, "Traceback (", 11) ||
                       memmem(s->text, s->size, "  File \"", 8)))
        io_fail(out, "",
                "no rule of the descriptor that these words name: a condition of the "
                "program's own; the exception's last line, which says it, is not here");
    else if (!told)
        line = say_missing(s, names, out);
    else if (names[0] && io_hint_is_open(told))
        say_open(s, told, others, names, out);
    else
        io_fail(out, "", "%s%s%s",
                io_statement_is_source(s->text, s->size)
                    ? "source code without a program's message; its own words: "
                    : "",
                told, others);
    out->error_line = line;
}
