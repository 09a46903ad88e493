/* words.h : combinations of words in anybody's text, in any case. */
#ifndef TMAP_IO_WORDS_H
#define TMAP_IO_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message is no longer than this; what stands further apart on a line does not belong together.
 */
enum { IO_MESSAGE = 240 };

/* A longer text than an issue on GitHub is a log: what it says is in its messages. */
enum { IO_PASTE = 1 << 16 };

struct io_text {
    const char *text;
    char *lower; /* the same in lower case; where a sentence goes on, a blank for the line's end */
    size_t size;
    uint8_t pairs[1 << 13]; /* a bit for each two characters that follow each other in `lower` */
};

/* io_text_of() : the text must live as long; false without memory. io_text_free() it. */
bool io_text_of(const char *text, size_t size, struct io_text *out);
void io_text_free(struct io_text *text);

/* io_words_in() : whether one message of a piece of the text has a word of each group "a|b&c|d", in
 * lower case, "a$" as a whole word: a line, or a part of a long one; code: also a line of source.
 * where: the message. */
bool io_words_in(const struct io_text *text, size_t at, size_t length, const char *groups,
                 bool code, size_t *where);

/* io_sentence_length() : of the one that begins at `at`, to the end of the piece at most. */
size_t io_sentence_length(const struct io_text *text, size_t at, size_t end);

#endif
