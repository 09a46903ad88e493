/* Values and conditions in the words that a user reads. */
#ifndef TMAP_EXPR_PRINT_H
#define TMAP_EXPR_PRINT_H

#include "expr/tree.h"

/* A text being written into a caller's buffer; counts on when it is full, as snprintf does. */
struct print {
    char *out;
    size_t size, length;
};
void print_text(struct print *p, const char *text);
void print_number(struct print *p, int128 value);
/* "stride[1]" */
void print_slot(struct print *p, int slot);
/* "32B" for an enum's known value, else the number. */
void print_value(struct print *p, int slot, int128 value);

#endif
