/* words.c : see words.h. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether other words have it in them: "tma" is in "softmax", "hang" in "changed", "race" in
 * "trace", "row" in "narrow". */
static bool is_short(const char *word, size_t n)
{
    static const char *const words[] = {"tma", "row", "hang", "race"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == n && memcmp(word, words[i], n) == 0) return true;
    return false;
}

/* Whether the word is in the text, its numbers whole: 8 is neither in 128 nor in 0x7fd8c0, but 16
 * in "16B". */
static bool has(const char *text, size_t size, const char *word, size_t n)
{
    const char *p = text, *end = text + size;

    for (; (p = memmem(p, (size_t)(end - p), word, n)); p++) {
        const bool begins =
            p == text || (is_digit(*word) ? !isalnum((unsigned char)p[-1])
                                          : !is_short(word, n) || !isalpha((unsigned char)p[-1]));
        const bool ends =
            !is_digit(word[n - 1]) || p + n == end || !isxdigit((unsigned char)p[n]) || p[n] == 'b';
        if (begins && ends) return true;
    }
    return false;
}

/* The same of a name that is no part of a longer one; a prefix may stand before it: "TYPE_INT32".
 */
static bool has_whole(const char *text, size_t size, const char *word, size_t n)
{
    const char *p = text, *end = text + size;

    for (; (p = memmem(p, (size_t)(end - p), word, n)); p++) {
        const char after = p + n < end ? p[n] : ' ';
        if ((p == text || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)after) &&
            after != '_')
            return true;
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

/* Of two characters that follow each other; a line's end counts as the blank that it may become. */
static uint32_t pair_of(char first, char second)
{
    const uint8_t a = (uint8_t)(first == '\n' ? ' ' : first);
    const uint8_t b = (uint8_t)(second == '\n' ? ' ' : second);
    return (uint32_t)a << 8 | b;
}

static void note_pairs(struct io_text *text)
{
    for (size_t i = 1; i < text->size; i++) {
        const uint32_t pair = pair_of(text->lower[i - 1], text->lower[i]);
        text->pairs[pair >> 3] |= (uint8_t)(1u << (pair & 7));
    }
}

/* A piece of a text. */
struct piece {
    const struct io_text *of;
    const char *lower;
    size_t size;
};

/* Whether a piece has a word of n characters, or may have it. */
typedef bool finder(const struct piece *in, const char *word, size_t n, bool whole);

static bool has_word(const struct piece *in, const char *word, size_t n, bool whole)
{
    return whole ? has_whole(in->lower, in->size, word, n) : has(in->lower, in->size, word, n);
}

/* False only if the word is nowhere in the text that the piece is of. */
static bool may_have_word(const struct piece *in, const char *word, size_t n, bool whole)
{
    (void)whole;
    for (size_t i = 1; i < n; i++) {
        const uint32_t pair = pair_of(word[i - 1], word[i]);
        if (!(in->of->pairs[pair >> 3] >> (pair & 7) & 1)) return false;
    }
    return true;
}

/* Whether one of the alternatives "a|b|c" (up to & or the end) is found. */
static bool has_one(const struct piece *in, finder *find, const char *words)
{
    while (*words && *words != '&') {
        const size_t n = strcspn(words, "|&");
        const bool whole = n > 1 && words[n - 1] == '$';
        if (find(in, words, n - whole, whole)) return true;
        words += n;
        if (*words == '|') words++;
    }
    return false;
}

static bool has_each(const struct piece *in, finder *find, const char *groups)
{
    for (; has_one(in, find, groups); groups++) {
        groups = strchr(groups, '&');
        if (!groups) return true;
    }
    return false;
}

bool io_text_of(const char *text, size_t size, struct io_text *out)
{
    char *lower = malloc(size + 1);

    if (!lower) return false;
    for (size_t i = 0; i < size; i++)
        lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
    lower[size] = 0;
    *out = (struct io_text){.text = text, .lower = lower, .size = size};
    note_pairs(out);
    return true;
}

void io_text_free(struct io_text *text)
{
    free(text->lower);
}

static bool ends_sentence(const struct io_text *text, size_t at)
{
    return at + 2 < text->size && strchr(".?!", text->text[at]) && text->text[at + 1] == ' ' &&
           isupper((unsigned char)text->text[at + 2]);
}

size_t io_sentence_length(const struct io_text *text, size_t at, size_t end)
{
    size_t stop = at;
    while (stop < end && text->lower[stop] != '\n' && !ends_sentence(text, stop)) stop++;
    return (stop < end ? stop + 1 : end) - at;
}

bool io_words_in(const struct io_text *text, size_t at, size_t length, const char *groups,
                 bool code, size_t *where)
{
    const size_t end = at + length;

    /* There are hundreds of groups, and a line may be of megabytes. */
    if (!has_each(&(struct piece){.of = text}, may_have_word, groups)) return false;
    for (size_t next; at < end; at = next) {
        const char *line = text->lower + at;
        const size_t left = end - at, most = left < IO_MESSAGE ? left : IO_MESSAGE;
        const char *newline = memchr(line, '\n', most);
        const size_t piece = newline ? (size_t)(newline - line) : most;
        next = newline ? at + piece + 1 : left <= IO_MESSAGE ? end : at + IO_MESSAGE / 2;
        const struct piece message = {text, line, piece};
        if ((!code && is_code(line, piece)) || !has_each(&message, has_word, groups)) continue;
        return *where = at, true;
    }
    return false;
}
