/* source_text.h : pasted source as text: words, arguments, C's types. */
#ifndef TMAP_IO_SOURCE_TEXT_H
#define TMAP_IO_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IO_SOURCE_NAME = 64 };

/* A piece of source, comments blanked out. */
struct io_source {
    const char *text, *end;
    bool python;     /* statements end with their line; ** and //; tuples are set at once */
    const char *use; /* where the values are used: what is declared in another block is not meant */
    int looks;       /* for names that may still be made: each reads the whole text; less than 0:
                      * one was not */
    char missing[96]; /* the names without a value, "M, K" */
    /* "name.shape[index]" and the like of a tensor; NULL where there are none */
    bool (*attribute)(struct io_source *s, const char *name, const char *attribute, int index,
                      int64_t *out);
};

/* io_source_word() : a name at *at, of a qualified one ("a::b") the last part; false where none
 *  begins. io_source_miss() : this name has no value. io_source_is_call() : whether it is a call
 * that gives a value, "cute.sym_int(...)": the names in it say nothing of that. */
bool io_source_word(const char **at, const char *end, char name[IO_SOURCE_NAME]);
void io_source_miss(struct io_source *s, const char *name);
bool io_source_is_call(const char *at, const char *end);

/* io_source_declares() : whether a type stands before a name, or the declaration of another. */
bool io_source_declares(const struct io_source *s, const char *at);

/* io_source_is_spent() : whether since there were `before` looks one was left out: what the text
 *  says there may be another value, so none is known. */
bool io_source_is_spent(const struct io_source *s, int before);

/* io_source_bytes() : of an element of a C type; 0 for another name. io_source_type() : name
 * becomes the type that the text says it is by "using" or "typedef"; false where it says two. */
int io_source_bytes(const char *type);
bool io_source_type(const struct io_source *s, char name[IO_SOURCE_NAME]);

/* io_source_is_any() : whether c is one of these; a zero byte never is. io_source_around() : the
 * bracket around `at`, in C and C++ of its statement; NULL for none. */
bool io_source_is_any(char c, const char *of);
const char *io_source_around(const struct io_source *s, const char *at);

/* io_source_piece() : the end of the argument that begins at `at`: a comma or bracket that is no
 * part of it, or a semicolon; end where there is none. */
const char *io_source_piece(const char *at, const char *end);

/* io_source_behind() : behind the bracket that closes the one at `at`; NULL where none does. */
const char *io_source_behind(const char *at, const char *end);

#endif
