/* record.h : one record of an input: a descriptor with what stands around it.
 *
 * The reader is strict: an unknown key, a wrong type, a missing field, a number that its field
 * cannot hold are errors with file, record, line and JSON path. What a rule can judge is not an
 * error: any rank, any raw enum value, NULL pointers. The form is described in README and
 * docs/schema/descriptor.json. */
#ifndef TMAP_IO_RECORD_H
#define TMAP_IO_RECORD_H

#include "io/json/stream.h"
#include "tmap/tmap.h"

#include <jansson.h>

/* An exception that the record's author grants, with the reason. */
struct io_allow {
    tmap_row row;
    const char *reason;
};

enum io_record_flag {
    IO_HAS_EXPECT = 1u << 0,       /* expect is meant */
    IO_HAS_EXPECT_RULES = 1u << 1, /* expect_rules is meant, even when empty */
    IO_HAS_SYMBOLS = 1u << 2,      /* some number is an expression; desc holds 0 there */
    IO_NO_ADDRESS = 1u << 3,       /* left out: desc has 0, which is as aligned as can be */
    IO_NO_STRIDE = 1u << 4,        /* left out: desc has those of a dense tensor */
    IO_STATED = 1u << 6,           /* unreadable, but its own words say that it is illegal */
    IO_PARTIAL = 1u << 5           /* illegal by what is said; `absent` is not, and desc has some
                                      value there: for check alone */
};

/* Strings and arrays belong to the record; io_record_free() frees them all. */
struct io_record {
    const char *file;
    size_t record, line, column; /* from 1; where the record begins */
    size_t offset, length;       /* of its text in the file */
    const char *text;            /* not NUL-terminated; lives as long as the stream */
    json_t *json;                /* the object; NULL when error says that it is no JSON */
    const char *name;            /* NULL when it has none */
    unsigned flags;              /* enum io_record_flag */
    struct tmap_desc desc;
    struct tmap_use *uses;
    size_t use_count;
    enum tmap_verdict expect;
    tmap_row *expect_rules;
    size_t expect_rule_count;
    struct io_allow *allows;
    size_t allow_count;
    tmap_row stated;           /* IO_STATED: the rule that the words are about */
    char absent[96];           /* of a pasted text: the fields that it does not say */
    size_t error_line;         /* where, from 1 */
    char path[96];             /* JSON path of the error: "$.uses[0].coord" */
    char error[IO_ERROR_SIZE]; /* "" for a record that was read */
};

enum io_read_flag {
    IO_SYMBOLIC = 1u << 0, /* a string that is no number is an expression, not an error; "assume"
                              is a key. Its text: json_object_get(record->json, "dim") … */
    IO_NEEDS_ADDRESS = 1u << 1 /* "address" may not be left out */
};

/* io_record_next() : the next record of the stream, read as a descriptor (flags: io_read_flag).
 *  False at the end. An unreadable record has a text in error; reading goes on behind it. Every
 *  record filled here is freed with io_record_free(). */
bool io_record_next(struct io_stream *stream, unsigned flags, struct io_record *out);

/* io_json_next() : the same, only parsed: for inputs that are no descriptors. json, file, record,
 *  line, text and error are filled. */
bool io_json_next(struct io_stream *stream, struct io_record *out);

/* io_desc_from() : reads a descriptor object inside another input (a pipeline's loads). path is
 *  the JSON path of object, "$.loads[0]". False with record->error and record->path filled. */
bool io_desc_from(struct io_record *record, json_t *object, const char *path, unsigned flags,
                  struct tmap_desc *out);

/* io_fail() : makes record an error at path (printf form); returns false. The line is the path's.
 */
bool io_fail(struct io_record *record, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* io_error_text() : "file:12: record 7: $.dim[0]: …". */
void io_error_text(const struct io_record *record, char *text, size_t size);

/* io_error_json() : {"record":7,"file":...,"line":12,"path":...,"error":...}, and with IO_STATED
 * the verdict and the rule; the caller owns it. */
json_t *io_error_json(const struct io_record *record);

/* io_string_json() : text as a JSON string; bytes that are no UTF-8 (file names may hold any)
 *  become '?'. */
json_t *io_string_json(const char *text);

void io_record_free(struct io_record *record);

/* --- one value at a time, for readers of other objects ----------------------------------------*/

/* Where a value stands, for messages. */
struct io_at {
    struct io_record *record;
    const char *path; /* of the object that holds it */
    unsigned flags;   /* enum io_read_flag */
};

/* io_get_number() : value as an integer in [low, high]; decimal or hexadecimal strings too. key and
 *  index (-1: none) complete the path. False with the error set. */
bool io_get_number(const struct io_at *at, const char *key, int index, json_t *value,
                   struct tmap_number low, struct tmap_number high, struct tmap_number *out);

/* Shorthands: signed and unsigned 32 bits, unsigned 64 bits. */
bool io_get_i32(const struct io_at *at, const char *key, int index, json_t *value, int32_t *out);
bool io_get_u32(const struct io_at *at, const char *key, int index, json_t *value, uint32_t *out);
bool io_get_u64(const struct io_at *at, const char *key, int index, json_t *value, uint64_t *out);

/* io_check_keys() : object has no key outside the NULL-terminated list. False, error set. */
bool io_check_keys(const struct io_at *at, json_t *object, const char *const known[]);

/* io_path_of() : "$.uses" + "coord" + 1 -> "$.uses.coord[1]"; key NULL and index -1 add nothing. */
void io_path_of(const char *base, const char *key, int index, char *path, size_t size);

/* io_locate() : where the value of a JSON path begins in the text of a record, and how long it is.
 *  False when the text has no such value. */
bool io_locate(const char *text, size_t length, const char *path, size_t *offset, size_t *size);

/* io_next_element() : from the beginning of an array's element to that of the next; false behind
 * the last. */
bool io_next_element(const char *text, size_t length, size_t *offset);

/* io_path_at() : the reverse: the JSON path of the value that holds the byte at offset; "" where
 * none does. The text may stop being JSON behind offset. */
void io_path_at(const char *text, size_t length, size_t offset, char *path, size_t size);

/* io_type_name() : "an integer", "a string", … of a JSON value. */
const char *io_type_name(const json_t *value);

#endif
