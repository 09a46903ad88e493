/* A statement of a text in another's place: what rows of changed texts are made of. */
#ifndef TMAP_TESTS_EDIT_H
#define TMAP_TESTS_EDIT_H

#include <stddef.h>

struct edit {
    const char *from, *to;
};

/* The first `from` in a text that has `room` bytes becomes `to`. A text without it does not fit the
 * row, which fails the test. */
void edit_text(char *text, size_t room, const struct edit *e);

#endif
