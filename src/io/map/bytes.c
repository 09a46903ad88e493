/* bytes.c : see bytes.h. */
#include "io/map/bytes.h"

#include <stdlib.h>

enum { FIRST_CAP = 512 }; /* bytes: four maps */

void bytes_add(struct bytes *b, uint64_t value, size_t size)
{
    if (b->no_memory) return;
    if (b->cap - b->count < size) {
        const size_t cap = b->cap ? 2 * b->cap : FIRST_CAP;
        unsigned char *data = realloc(b->data, cap);
        b->no_memory = data == NULL;
        if (!data) return;
        b->data = data;
        b->cap = cap;
    }
    for (size_t i = 0; i < size; i++) b->data[b->count++] = (unsigned char)(value >> (8 * i));
}
