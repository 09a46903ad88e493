/* hint.c : see hint.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/hint.h"

#include "expr/row.h"
#include "io/paste/statement.h"
#include "io/paste/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_OTHERS = 3,      /* rules that are named beside the first */
    MOST_MESSAGES = 4096, /* of a log that are looked at, */
    LONGEST = 8192        /* and how much of each */
};

struct hint {
    const char *phrase, *text, *cause; /* cause: of a legal descriptor's failure; or NULL */
    bool words;                        /* phrase is a combination of words */
    bool code;                         /* which source has, too */
    bool tool;                         /* compute-sanitizer's own sentence */
};

#define VAGUE "~"
#define TOLD(rule, text) sizeof rule > 1 ? rule ": " text " (tmap explain " rule ")" : text
static const struct hint hints[] = {
#define HINT(phrase, rule, text) {phrase, TOLD(rule, text), NULL, false, false, false},
#define OTHER(phrase, text) {phrase, "no rule of the descriptor: " text, text, false, false, false},
#define WORDS(words, rule, text) {words, TOLD(rule, text), NULL, true, false, false},
#define TOOL(words, text) {words, text, NULL, true, false, true},
#define CODE(words, text) {words, text, NULL, true, true, false},
#include "io/paste/hints.def"
#undef CODE
#undef HINT
#undef OTHER
#undef TOOL
#undef WORDS
};
#undef TOLD
#undef VAGUE

static bool find(const struct hint *hint, const struct io_text *text, size_t at, size_t length,
                 size_t *where)
{
    if (hint->words) return io_words_in(text, at, length, hint->phrase, false, where);
    const char *found = memmem(text->text + at, length, hint->phrase, strlen(hint->phrase));
    if (found) *where = (size_t)(found - text->text);
    return found;
}

static bool is_vague(const struct hint *hint)
{
    return hint->text[0] == '~';
}

static bool names_rule(const struct hint *hint)
{
    return memcmp(hint->text, "TMA", 3) == 0;
}

/* Whether a sentence that is no message may say it. */
static bool says_rule(const struct hint *hint)
{
    return names_rule(hint) || strncmp(hint->text, "no rule can say", 15) == 0;
}

/* Whether its rule is one of the arguments of an encode call. */
static bool is_of_map(const struct hint *hint)
{
    char id[] = "TMA000";

    if (!names_rule(hint)) return false;
    memcpy(id, hint->text, sizeof id - 1);
    const tmap_row row = tmap_row_find(id);
    return row != TMAP_NO_ROW && row_subject_of(row) == SUBJECT_DESC;
}

/* Whether the text speaks of tensor maps at all: sizes, rows and strides are others' words too. */
static bool is_about_maps(const struct io_text *text)
{
    static const char about[] =
        "tma|usetma|maxtma|tensormap|tensor map|tensor_map|descriptor|_desc|desc_|desc |desc.|"
        "tensordesc|block_shape|swizzle|cp.async.bulk|bulk cop|async cop|async_copy| box|box_|"
        "boxdim|globaldim|globalstride|elementstride|gmem|mosaic|nvgpu|inner dim|innermost|"
        "minormost| oob|oob_|data pointer|data_ptr|fp6|fp4";
    size_t where;
    return io_words_in(text, 0, text->size, about, true, &where);
}

/* The first hint in a piece of the text; maps: whether the text is about them. */
static const struct hint *first_of(const struct io_text *text, size_t at, size_t length, bool maps,
                                   size_t *where)
{
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        if (!maps && hints[i].words && is_of_map(&hints[i])) continue;
        if (find(&hints[i], text, at, length, where)) return &hints[i];
    }
    return NULL;
}

/* The hint of the first sentence that has an exact one, else of sentences together, else of one
 * that says little. */
static const struct hint *first_said(const struct io_text *text, const struct io_statement *s,
                                     bool maps, size_t *where)
{
    const size_t most = text->size > IO_PASTE ? LONGEST : s->length;
    const size_t length = s->length < most ? s->length : most, end = s->at + length;
    const struct hint *vague = NULL;
    size_t vague_at = 0;

    for (size_t at = s->at, n; at < end && s->by >= IO_PRINTED; at += n) {
        n = io_sentence_length(text, at, end);
        const struct hint *hint = first_of(text, at, n, maps, where);
        if (hint && (!is_vague(hint) || n == length)) return hint;
        if (hint && !vague) vague = hint, vague_at = *where;
    }
    const struct hint *hint = first_of(text, s->at, length, maps, where);
    if (hint && (!is_vague(hint) || !vague)) return hint;
    return *where = vague_at, vague;
}

/* Where a hint stands, and who says it; IO_CODE where no message does. */
struct place {
    size_t at;
    enum io_speaker by;
};

/* Where the last exception was raised, where that tells more than its message. */
static const struct hint *frame_of(const struct io_text *text, const struct io_statements *said,
                                   struct place *place)
{
    struct io_statement frame;

    if (said->count == 0 || said->list[0].by != IO_EXCEPTION ||
        !io_statement_frame(text->text, &said->list[0], &frame))
        return NULL;
    place->by = IO_EXCEPTION;
    return first_of(text, frame.at, frame.length, false, &place->at);
}

/* What compute-sanitizer found, whatever failed behind it; its hints are the first. */
static const struct hint *found_by_tool(const struct io_text *text,
                                        const struct io_statements *said, struct place *place)
{
    const enum io_speaker last = text->size > IO_PASTE ? IO_PRINTED : IO_PROSE;

    for (size_t i = 0; i < said->count && said->list[i].by <= last; i++)
        for (size_t k = 0; hints[k].tool; k++)
            if (find(&hints[k], text, said->list[i].at, said->list[i].length, &place->at))
                return place->by = IO_TOOL, &hints[k];
    return NULL;
}

/* A message that says it, the heaviest first; *vague: the first that says little. Behind messages
 * a sentence that names a rule. */
static const struct hint *stated(const struct io_text *text, const struct io_statements *said,
                                 bool maps, struct place *place, const struct hint **vague,
                                 struct place *vague_place)
{
    for (size_t i = 0; i < said->count; i++) {
        const struct io_statement *s = &said->list[i];
        if (text->size > IO_PASTE && (s->by >= IO_PROSE || i == MOST_MESSAGES)) return NULL;
        const struct hint *hint = first_said(text, s, maps, &place->at);
        place->by = s->by;
        if (!hint) continue;
        if (s->by == IO_CHECK && *vague && vague_place->by <= IO_TOOL) return NULL;
        if (s->by >= IO_PROSE ? says_rule(hint) : !is_vague(hint)) return hint;
        if (s->by >= IO_PROSE || *vague) continue;
        *vague = hint;
        *vague_place = *place;
    }
    return NULL;
}

/* A sentence of several lines is one. */
static void join_lines(struct io_text *text, const struct io_statements *said)
{
    for (size_t i = 0; i < said->count; i++) {
        const struct io_statement *s = &said->list[i];
        char *at = text->lower + s->at, *end = at + s->length;
        if (s->by != IO_PROSE && s->by != IO_PRINTED) continue;
        while ((at = memchr(at, '\n', (size_t)(end - at)))) *at = ' ';
    }
}

/* What source shows by itself. */
static const struct hint *first_code(const struct io_text *text, size_t *where)
{
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (hints[i].code && find(&hints[i], text, 0, text->size, where)) return &hints[i];
    return NULL;
}

/* Any line of what is no source, or any message that source has strings for. */
static const struct hint *first_in_rest(const struct io_text *text, bool strings, bool maps,
                                        size_t *where, bool *no_memory)
{
    char *words = malloc(text->size + 1);
    struct io_text rest = {.text = NULL};
    const struct hint *hint = NULL;

    if (words) {
        memcpy(words, text->text, text->size);
        words[text->size] = 0;
        io_statement_mask(text->text, text->size, strings, words);
    }
    if (!words || !io_text_of(words, text->size, &rest)) *no_memory = true;
    for (size_t i = 0; i < rest.size; i++)
        if (words[i] == '\n') rest.lower[i] = text->lower[i];
    if (!*no_memory) hint = first_of(&rest, 0, rest.size, maps, where);
    io_text_free(&rest);
    free(words);
    return hint && strings && is_vague(hint) ? NULL : hint;
}

/* The same, else where an exception was raised, else a message that says little, else any line. */
static const struct hint *first_in_text(struct io_text *text, struct place *place, bool *no_memory)
{
    const bool maps = is_about_maps(text);
    struct io_statements said;
    const struct hint *hint, *vague = NULL;
    struct place vague_place;

    if (!io_statements_of(text->text, text->size, &said)) return *no_memory = true, NULL;
    join_lines(text, &said);
    hint = found_by_tool(text, &said, place);
    if (!hint) hint = stated(text, &said, maps, place, &vague, &vague_place);
    if (!hint) hint = frame_of(text, &said, place);
    if (!hint && vague) hint = vague, *place = vague_place;
    io_statements_free(&said);
    if (hint) return hint;
    place->by = IO_CODE;
    for (int strings = 0; strings < 2 && !hint && !*no_memory; strings++)
        hint = first_in_rest(text, strings, maps, &place->at, no_memory);
    return hint || *no_memory ? hint : first_code(text, &place->at);
}

static const struct hint *first_in(struct io_stream *s, struct place *place)
{
    struct io_text whole;

    if (!io_text_of(s->text, s->size, &whole)) return s->no_memory = true, NULL;
    const struct hint *hint = first_in_text(&whole, place, &s->no_memory);
    io_text_free(&whole);
    return hint;
}

static const char *text_of(const struct hint *hint)
{
    return hint->text + is_vague(hint);
}

const char *io_hint_in(struct io_stream *stream, size_t *where)
{
    struct place place;
    const struct hint *hint = first_in(stream, &place);

    if (hint && where) *where = place.at;
    return hint ? text_of(hint) : NULL;
}

static bool line_has(const struct io_stream *s, size_t where, const char *const *words)
{
    size_t length, within;
    const char *line = io_stream_line(s, where, IO_MESSAGE, &length, &within);

    for (; *words; words++)
        if (memmem(line, length, *words, strlen(*words))) return true;
    return false;
}

/* Whether one of the words stands a few lines before. */
static bool is_behind(const struct io_stream *s, size_t where, const char *const *words)
{
    const size_t from = where > IO_MESSAGE ? where - IO_MESSAGE : 0;

    for (; *words; words++)
        if (memmem(s->text + from, where - from, *words, strlen(*words))) return true;
    return false;
}

tmap_row io_hint_stated(struct io_stream *stream)
{
    static const char *const source[] = {"assert ",        "raise ", "HasSubstr", "CHECK(",
                                         "emitError",      "<<",     "printf(",   "return ",
                                         "static_assert(", "#",      NULL};
    static const char *const failure[] = {"Error", "error:", "Assertion", "panic",
                                          "FATAL", "failed", NULL};
    struct place place;
    char id[] = "TMA000";
    const struct hint *hint = first_in(stream, &place);

    if (!hint || strncmp(hint->text, "TMA", 3) != 0) return TMAP_NO_ROW;
    memcpy(id, hint->text, sizeof id - 1);
    const tmap_row row = tmap_row_find(id);
    if (row == TMAP_NO_ROW || row_subject_of(row) != SUBJECT_DESC) return TMAP_NO_ROW;
    if (line_has(stream, place.at, source)) return TMAP_NO_ROW;
    return place.by <= IO_COMPILER || line_has(stream, place.at, failure) ||
                   (!hint->words && is_behind(stream, place.at, failure))
               ? row
               : TMAP_NO_ROW;
}

const char *io_hint_rule(struct io_stream *stream, size_t record, const char *otherwise)
{
    static const char *const says[] = {"rror",  "ssert", "panic", "FATAL", "ailed",
                                       "verif", "must",  "need",  NULL};
    struct place place;
    const struct hint *hint = record == 1 ? first_in(stream, &place) : NULL;

    if (!hint) return otherwise;
    if (!strstr(hint->text, "(tmap explain TMA"))
        return place.by <= IO_TOOL && !is_vague(hint) ? hint->text : otherwise;
    /* beside source, whose lines have the same words, a message must be one */
    return !hint->words || place.by <= IO_TOOL || line_has(stream, place.at, says) ? text_of(hint)
                                                                                   : otherwise;
}

bool io_hint_is_open(const char *told)
{
    return !strstr(told, "tmap explain TMA") && !strstr(told, "no rule");
}

const char *io_hint_cause(const struct io_stream *stream)
{
    static const char none[] = "no rule of the descriptor: ";
    struct io_stream own = *stream;
    struct place place;

    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (hints[i].cause &&
            memmem(stream->text, stream->size, hints[i].phrase, strlen(hints[i].phrase)))
            return hints[i].cause;
    const struct hint *hint = first_in(&own, &place);
    if (!hint || place.by > IO_PROSE) return NULL;
    const char *cause = text_of(hint);
    if (is_vague(hint) && (strstr(cause, "in this text") || strstr(cause, "source"))) return NULL;
    return cause + (strncmp(cause, none, sizeof none - 1) == 0 ? sizeof none - 1 : 0);
}

static size_t line_of(const struct io_stream *s, size_t where)
{
    size_t line = 1;
    for (size_t i = 0; i < where; i++) line += s->text[i] == '\n';
    return line;
}

const char *io_hint_or(struct io_stream *stream, const char *otherwise, size_t *line)
{
    size_t where = 0;
    const char *text = stream->size ? io_hint_in(stream, &where) : NULL;

    *line = text ? line_of(stream, where) : 1;
    return text ? text : otherwise;
}

bool io_hint_unknown(struct io_stream *stream, struct io_statement *out, size_t *line)
{
    struct io_statements said;

    if (!io_statements_of(stream->text, stream->size, &said)) return !(stream->no_memory = true);
    const bool any = said.count > 0 && said.list[0].by < IO_PROSE;
    if (any) *out = said.list[0];
    io_statements_free(&said);
    if (!any) return false;
    const char *text = stream->text + out->at, *end = memchr(text, '\n', out->length);
    if (end) out->length = (size_t)(end - text);
    if (out->length > IO_MESSAGE) out->length = IO_MESSAGE;
    *line = line_of(stream, out->at);
    return true;
}

/* Adds a rule that neither `told` nor what is written has. */
static bool add_rule(const struct hint *hint, const char *told, char *out, size_t size)
{
    const char *end = strstr(hint->text, " (tmap explain");
    const size_t used = strlen(out), n = end ? (size_t)(end - hint->text) : strlen(hint->text);
    char id[16] = "";

    memcpy(id, hint->text, names_rule(hint) ? 6 : sizeof id - 1);
    if (strstr(told, id) || strstr(out, id)) return false;
    snprintf(out + used, size - used, "%s%.*s", used ? ", " : "; it also names ", (int)n,
             hint->text);
    return true;
}

/* All rules that a piece names; returns how many are new. */
static int add_rules(const struct io_text *text, size_t at, size_t length, bool maps, int most,
                     const char *told, char *out, size_t size)
{
    int added = 0;
    size_t where;

    for (size_t i = 0; i < sizeof hints / sizeof hints[0] && added < most; i++)
        if (says_rule(&hints[i]) && (maps || !is_of_map(&hints[i])) &&
            find(&hints[i], text, at, length, &where))
            added += add_rule(&hints[i], told, out, size);
    return added;
}

static void name_others(struct io_text *text, const struct io_statements *said, const char *told,
                        char *out, size_t size)
{
    const bool maps = is_about_maps(text);
    int left = MOST_OTHERS;

    join_lines(text, said);
    for (size_t i = 0; i < said->count; i++) {
        const size_t end = said->list[i].at + said->list[i].length;
        for (size_t at = said->list[i].at, n; at < end && left > 0; at += n) {
            n = io_sentence_length(text, at, end);
            left -= add_rules(text, at, n, maps, left, told, out, size);
        }
    }
}

void io_hint_names(struct io_stream *stream, const char *told, char *out, size_t size)
{
    struct io_text text;
    struct io_statements said;

    out[0] = 0;
    if (stream->size > IO_PASTE) return;
    if (!io_text_of(stream->text, stream->size, &text)) {
        stream->no_memory = true;
        return;
    }
    if (io_statements_of(text.text, text.size, &said))
        name_others(&text, &said, told, out, size);
    else
        stream->no_memory = true;
    io_statements_free(&said);
    io_text_free(&text);
}

void io_hint_others(struct io_stream *stream, const char *told, char *out, size_t size)
{
    struct place place;

    out[0] = 0;
    if (stream->size > IO_PASTE || !first_in(stream, &place)) return;
    if (place.by >= IO_PRINTED) io_hint_names(stream, told, out, size);
}
