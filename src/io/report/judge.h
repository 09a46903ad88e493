/* judge.h : the parts of io_judge(), for each other. */
#ifndef TMAP_IO_JUDGE_H
#define TMAP_IO_JUDGE_H

#include "io/report/report.h"

/* More than any descriptor or use can violate: each row at each of at most five indices. */
#define IO_MAX_VIOLATIONS 640

struct io_violations {
    struct tmap_violation entry[IO_MAX_VIOLATIONS];
    size_t found, listed;
    enum tmap_verdict verdict;
};

/* io_violations() : of the descriptor (use NULL) or of one use. */
enum tmap_status io_violations(const struct tmap_checker *checker, const struct tmap_desc *desc,
                               const struct tmap_use *use, struct io_violations *out);

/* A value in the record's text: offset and length in bytes, and where people find it. */
struct io_spot {
    size_t at, size, line, column;
};

/* Where the last finding was, so that those of one record cost one walk over its text. Starts with
 * the record alone. */
struct io_places {
    const struct io_record *record;
    size_t use, use_at, line, column; /* a use, where its text begins; use_at 0: none yet */
    char path[64];                    /* a field of the descriptor, and its place */
    struct io_spot spot;
};

/* io_place() : fills the JSON path of the blamed value and where it stands in the file. */
void io_place(struct io_places *places, const struct io_stream *stream, struct io_finding *finding);

/* io_is_erratum() : a row about a known defect of a driver: shown without being asked for. */
bool io_is_erratum(tmap_row row);

#endif
