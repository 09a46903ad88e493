/* outside.h : the one printer for text that comes from outside: names, reasons, paths, keys.
 *
 * Such text is printed as it is but for what a terminal, a log or a reader would obey instead of
 * show: control characters (C0, DEL, C1), marks that change the direction of writing, separators
 * of lines, and bytes that are not UTF-8. Each becomes an escape as in JSON, such as \u001b. */
#ifndef TMAP_IO_OUTSIDE_H
#define TMAP_IO_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* io_next_char() : the bytes of the first character of text (length at least 1), and its code, or
 *  the byte itself where it begins no UTF-8. */
size_t io_next_char(const char *text, size_t length, uint32_t *code, bool *harmless);

/* io_put() : text on out. io_put_columns() : the same with one ? for each harmful character, a
 * blank for a tab: what keeps its columns. */
void io_put(FILE *out, const char *text);
void io_put_columns(FILE *out, const char *text, size_t length);

/* io_put_markup() : text in an element or an attribute of XML, HTML and SVG. io_put_markup_text() :
 * the same to the text's end. */
void io_put_markup(FILE *out, const char *text, size_t length);
void io_put_markup_text(FILE *out, const char *text);

#endif
