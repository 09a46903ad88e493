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

/* io_place() : fills the JSON path of the blamed value and where it stands in the file. */
void io_place(const struct io_record *record, const struct io_stream *stream,
              struct io_finding *finding);

/* io_try_fix() : puts the nearest legal values of the blamed field into a copy and checks the whole
 *  record again; of two that leave the same, the one advised against less, then the nearer. Fills
 *  fix, fix_checked and rest. */
void io_try_fix(const struct tmap_checker *checker, const struct io_record *record,
                struct io_finding *finding);

/* io_is_erratum() : a row about a known defect of a driver: shown without being asked for. */
bool io_is_erratum(tmap_row row);

#endif
