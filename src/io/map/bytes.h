/* bytes.h : inside io/map: bytes collected from text. */
#ifndef TMAP_IO_MAP_BYTES_H
#define TMAP_IO_MAP_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    unsigned char *data;
    size_t count, cap;
    bool no_memory;
};

/* bytes_add() : the `size` low bytes of value, the lowest first. */
void bytes_add(struct bytes *b, uint64_t value, size_t size);

/* bytes_of_dump() : of lines as xxd, hexdump, od and gdb's x print them, or of bare digits.
 *  bytes_of_braces() : of numbers in braces, as C and gdb's p write them, or in Python's brackets.
 *  bytes_of_string() : of b'...', as Python shows bytes.
 *  bytes_of_json() : of objects with 16 words, one after the other. Each is false, with the number
 *  of the line at fault (from 1), where something else stands. */
bool bytes_of_dump(struct bytes *b, const char *text, size_t size, size_t *line);
bool bytes_of_braces(struct bytes *b, const char *text, size_t size, size_t *line);
bool bytes_of_string(struct bytes *b, const char *text, size_t size, size_t *line);
bool bytes_of_json(struct bytes *b, const char *text, size_t size, size_t *line);

#endif
