/* words.h : combinations of words in anybody's text, in any case. */
#ifndef TMAP_IO_WORDS_H
#define TMAP_IO_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A message is no longer than this; what stands further apart on a line does not belong together.
 */
enum { IO_MESSAGE = 240 };

struct io_text {
    const char *text, *lower; /* as it is, and in lower case */
    size_t size;
};

/* io_text_of() : the text must live as long; false without memory. io_text_free() it. */
bool io_text_of(const char *text, size_t size, struct io_text *out);
void io_text_free(struct io_text *text);

/* io_words_in() : whether one message of a piece of the text has a word of each group "a|b&c|d", in
 * lower case: a line, or a part of a long one; code: also a line of source. where: the message. */
bool io_words_in(const struct io_text *text, size_t at, size_t length, const char *groups,
                 bool code, size_t *where);

#endif
