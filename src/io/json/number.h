/* number.h : numbers as people and JSON write them. */
#ifndef TMAP_IO_NUMBER_H
#define TMAP_IO_NUMBER_H

#include "tmap/tmap.h"

/* io_parse_number() : text is an optional minus, then decimal or 0x-hexadecimal digits, of a
 *  magnitude below 2^64, and nothing else. False leaves *out untouched. "-0" is 0. */
bool io_parse_number(const char *text, struct tmap_number *out);

/* io_parse_u64() : the same without a sign. */
bool io_parse_u64(const char *text, uint64_t *out);

/* io_number_of() : a number from a signed one. */
struct tmap_number io_number_of(int64_t value);

/* io_number_text() : writes it in decimal, at most 22 bytes with the NUL; returns text. */
char *io_number_text(struct tmap_number number, char text[22]);

#endif
