/* hint.c : see hint.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/hint.h"

#include "expr/row.h"
#include "io/paste/statement.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct hint {
    const char *phrase, *text, *cause; /* cause: of a legal descriptor's failure; or NULL */
    bool words;                        /* phrase is a combination of words */
};

#define VAGUE "~"
#define TOLD(rule, text) sizeof rule > 1 ? rule ": " text " (tmap explain " rule ")" : text
static const struct hint hints[] = {
#define HINT(phrase, rule, text) {phrase, TOLD(rule, text), NULL, false},
#define OTHER(phrase, text) {phrase, "no rule of the descriptor: " text, text, false},
#define WORDS(words, rule, text) {words, TOLD(rule, text), NULL, true},
#include "io/paste/hints.def"
#undef HINT
#undef OTHER
#undef WORDS
};
#undef TOLD
#undef VAGUE

/* A message is no longer than this; what stands further apart on a line does not belong together.
 */
enum { MESSAGE = 240 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether the word is in the text, its numbers whole: 8 is neither in 128 nor in 0x7fd8c0, but 16
 * in "16B"; "tma" is not in "softmax". */
static bool has(const char *text, size_t size, const char *word, size_t n)
{
    const char *p = text, *end = text + size;

    for (; (p = memmem(p, (size_t)(end - p), word, n)); p++) {
        const bool begins = p == text || (is_digit(*word) ? !isalnum((unsigned char)p[-1])
                                                          : n != 3 || memcmp(word, "tma", 3) != 0 ||
                                                                !isalpha((unsigned char)p[-1]));
        const bool ends =
            !is_digit(word[n - 1]) || p + n == end || !isxdigit((unsigned char)p[n]) || p[n] == 'b';
        if (begins && ends) return true;
    }
    return false;
}

/* Whether one of the alternatives "a|b|c" (up to & or the end) is in the text. */
static bool has_one(const char *text, size_t size, const char *words)
{
    while (*words && *words != '&') {
        const size_t n = strcspn(words, "|&");
        if (has(text, size, words, n)) return true;
        words += n;
        if (*words == '|') words++;
    }
    return false;
}

static bool has_each(const char *text, size_t size, const char *groups)
{
    for (; has_one(text, size, groups); groups++) {
        groups = strchr(groups, '&');
        if (!groups) return true;
    }
    return false;
}

/* A line of Python or C that says nothing of itself: it defines, imports or returns. */
static bool is_code(const char *line, size_t size)
{
    static const char *const heads[] = {"def ",   "return ", "import ", "from ",
                                        "class ", "@",       "#include"};

    while (size && (*line == ' ' || *line == '\t' || *line == '+')) line++, size--;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        const size_t n = strlen(heads[i]);
        if (size >= n && memcmp(line, heads[i], n) == 0) return true;
    }
    return false;
}

/* Whether one message of the text, in any case, has a word of each group "a|b&c|d": a line, or a
 * piece of a long one; code: also those of source. */
static const char *find_words(const char *text, size_t size, const char *groups, bool code)
{
    const char *end = text + size, *next;
    char lower[MESSAGE];

    for (const char *at = text; at < end; at = next) {
        const size_t left = (size_t)(end - at), most = left < MESSAGE ? left : MESSAGE;
        const char *newline = memchr(at, '\n', most);
        const size_t piece = newline ? (size_t)(newline - at) : most;
        next = newline ? newline + 1 : left <= MESSAGE ? end : at + MESSAGE / 2;
        for (size_t i = 0; i < piece; i++)
            lower[i] = at[i] >= 'A' && at[i] <= 'Z' ? (char)(at[i] + 32) : at[i];
        if ((code || !is_code(lower, piece)) && has_each(lower, piece, groups)) return at;
    }
    return NULL;
}

static const char *find(const struct hint *hint, const char *text, size_t size)
{
    return hint->words ? find_words(text, size, hint->phrase, false)
                       : memmem(text, size, hint->phrase, strlen(hint->phrase));
}

static bool is_vague(const struct hint *hint)
{
    return hint->text[0] == '~';
}

static bool names_rule(const struct hint *hint)
{
    return memcmp(hint->text, "TMA", 3) == 0;
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

static bool any(const struct hint *hint)
{
    (void)hint;
    return true;
}

static bool is_exact(const struct hint *hint)
{
    return !is_vague(hint);
}

/* Whether the text speaks of tensor maps at all: sizes, rows and strides are others' words too. */
static bool is_about_maps(const char *text, size_t size)
{
    static const char about[] =
        "tma|usetma|maxtma|tensormap|tensor map|tensor_map|descriptor|_desc|desc_|desc |desc.|"
        "tensordesc|block_shape|swizzle|cp.async.bulk|bulk cop|async cop|async_copy| box|box_|"
        "boxdim|globaldim|globalstride|elementstride|gmem|mosaic|nvgpu|inner dim|innermost|"
        "minormost|data pointer|data_ptr|fp6|fp4";
    return find_words(text, size, about, true) != NULL;
}

/* The first hint in a piece of the text; maps: whether the text is about them. */
static const struct hint *first_of(const char *text, size_t size, bool maps, size_t *where)
{
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        if (!maps && hints[i].words && is_of_map(&hints[i])) continue;
        const char *found = find(&hints[i], text, size);
        if (!found) continue;
        *where = (size_t)(found - text);
        return &hints[i];
    }
    return NULL;
}

/* Where a hint stands, and who says it; IO_CODE where no message does. */
struct place {
    size_t at;
    enum io_speaker by;
};

/* The hint of the heaviest statement of those speakers whose hint is of that sort. */
static const struct hint *first_stated(const char *text, size_t size, struct place *place,
                                       enum io_speaker from, enum io_speaker to,
                                       bool (*sort)(const struct hint *))
{
    struct io_statements walk = io_statements(text, size);
    const bool maps = is_about_maps(text, size);
    struct io_statement said;

    while (io_statement_next(&walk, &said)) {
        if (said.by < from || said.by > to) continue;
        const struct hint *hint = first_of(text + said.at, said.length, maps, &place->at);
        if (!hint || !sort(hint)) continue;
        place->at += said.at;
        place->by = said.by;
        return hint;
    }
    return NULL;
}

/* Where the last exception was raised, where that tells more than its message. */
static const struct hint *frame_in(const char *text, size_t size, struct place *place)
{
    struct io_statements walk = io_statements(text, size);
    struct io_statement said, frame;

    if (!io_statement_next(&walk, &said) || said.by != IO_EXCEPTION ||
        !io_statement_frame(text, &said, &frame))
        return NULL;
    *place = (struct place){frame.at, IO_EXCEPTION};
    return first_of(text + frame.at, frame.length, false, &frame.at);
}

/* What the text is about: a message that says it, else a sentence that names a rule, else where an
 * exception was raised, else a message that says little, else any line. */
static const struct hint *first_in(const char *text, size_t size, struct place *place)
{
    const struct hint *hint = first_stated(text, size, place, IO_EXCEPTION, IO_PRINTED, is_exact);

    if (!hint) hint = first_stated(text, size, place, IO_PROSE, IO_PROSE, names_rule);
    if (!hint) hint = frame_in(text, size, place);
    if (!hint) hint = first_stated(text, size, place, IO_EXCEPTION, IO_PRINTED, any);
    if (hint) return hint;
    place->by = IO_CODE;
    return first_of(text, size, is_about_maps(text, size), &place->at);
}

static const char *text_of(const struct hint *hint)
{
    return hint->text + is_vague(hint);
}

const char *io_hint_in(const char *text, size_t size, size_t *where)
{
    struct place place;
    const struct hint *hint = first_in(text, size, &place);

    if (hint && where) *where = place.at;
    return hint ? text_of(hint) : NULL;
}

static bool line_has(const struct io_stream *s, size_t where, const char *const *words)
{
    size_t length, within;
    const char *line = io_stream_line(s, where, MESSAGE, &length, &within);

    for (; *words; words++)
        if (memmem(line, length, *words, strlen(*words))) return true;
    return false;
}

/* Whether one of the words stands a few lines before. */
static bool is_behind(const struct io_stream *s, size_t where, const char *const *words)
{
    const size_t from = where > MESSAGE ? where - MESSAGE : 0;

    for (; *words; words++)
        if (memmem(s->text + from, where - from, *words, strlen(*words))) return true;
    return false;
}

tmap_row io_hint_stated(const struct io_stream *stream)
{
    static const char *const source[] = {"assert ",        "raise ", "HasSubstr", "CHECK(",
                                         "emitError",      "<<",     "printf(",   "return ",
                                         "static_assert(", "#",      NULL};
    static const char *const failure[] = {"Error", "error:", "Assertion", "panic",
                                          "FATAL", "failed", NULL};
    struct place place;
    char id[] = "TMA000";
    const struct hint *hint = first_in(stream->text, stream->size, &place);

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

const char *io_hint_rule(const struct io_stream *stream, size_t record, const char *otherwise)
{
    static const char *const says[] = {"rror",  "ssert", "panic", "FATAL", "ailed",
                                       "verif", "must",  "need",  NULL};
    struct place place;
    const struct hint *hint = record == 1 ? first_in(stream->text, stream->size, &place) : NULL;

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
    struct place place;

    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (hints[i].cause &&
            memmem(stream->text, stream->size, hints[i].phrase, strlen(hints[i].phrase)))
            return hints[i].cause;
    const struct hint *hint = first_in(stream->text, stream->size, &place);
    if (!hint || place.by > IO_PRINTED) return NULL;
    const char *cause = text_of(hint);
    if (is_vague(hint) && strncmp(cause, none, 7) != 0) return NULL;
    return cause + (strncmp(cause, none, sizeof none - 1) == 0 ? sizeof none - 1 : 0);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const struct io_stream *s, const char *word)
{
    const char *end = s->text + s->size, *at = s->text;
    const size_t n = strlen(word);

    while ((at = memmem(at, (size_t)(end - at), word, n))) {
        const bool begins = at == s->text || !is_word(at[-1]);
        if (begins && (at + n == end || !is_word(at[n]))) return true;
        at += n;
    }
    return false;
}

/* Whether the default target refuses the descriptor for its type alone, and that one does not. */
static bool has_type(const struct tmap_desc *desc, tmap_arch arch)
{
    struct tmap_target target = tmap_default_target();
    struct tmap_desc type = {.dtype = desc->dtype, .rank = 1};
    struct tmap_violation found[64];
    bool refused[2] = {false, false};
    size_t count;

    for (int i = 0; i < 2; i++) {
        if (tmap_check(&type, &target, TMAP_CONTRACT_SAFE, found, 64, &count) != TMAP_OK)
            return false;
        for (size_t k = 0; k < count && k < 64; k++) refused[i] |= found[k].row == ROW_TMA013;
        target.arch = arch;
    }
    return refused[0] && !refused[1];
}

static const struct {
    const char *name, *arch;
} gpus[] = {
#define GPU(name, arch) {name, arch},
#include "io/paste/gpus.def"
#undef GPU
};

const char *io_hint_gpu(const char *name)
{
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
        if (strcasecmp(gpus[i].name, name) == 0) return gpus[i].arch;
    return NULL;
}

tmap_arch io_hint_arch(const struct io_stream *stream, const struct tmap_desc *desc, char *why,
                       size_t size)
{
    const tmap_arch usual = tmap_default_target().arch;

    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        const tmap_arch arch = tmap_arch_find(gpus[i].arch);
        if (!has_word(stream, gpus[i].name)) continue;
        snprintf(why, size, "the text speaks of %s", gpus[i].name);
        return arch == usual ? 0 : arch;
    }
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        const tmap_arch arch = tmap_arch_find(gpus[i].arch);
        if (!has_type(desc, arch)) continue;
        snprintf(why, size, "%s has no such type", tmap_arch_name(usual));
        return arch;
    }
    return 0;
}

static size_t line_of(const struct io_stream *s, size_t where)
{
    size_t line = 1;
    for (size_t i = 0; i < where && i < s->size; i++) line += s->text[i] == '\n';
    return line;
}

const char *io_hint_or(const struct io_stream *stream, const char *otherwise, size_t *line)
{
    size_t where = 0;
    const char *text = stream->size ? io_hint_in(stream->text, stream->size, &where) : NULL;

    *line = text ? line_of(stream, where) : 1;
    return text ? text : otherwise;
}

bool io_hint_unknown(const struct io_stream *stream, struct io_statement *out, size_t *line)
{
    struct io_statements walk = io_statements(stream->text, stream->size);

    if (!io_statement_next(&walk, out) || out->by >= IO_PROSE) return false;
    const char *text = stream->text + out->at, *end = memchr(text, '\n', out->length);
    if (end) out->length = (size_t)(end - text);
    if (out->length > MESSAGE) out->length = MESSAGE;
    *line = line_of(stream, out->at);
    return true;
}
