/* What emulate found, for GitHub's runner, JUnit's readers and code scanning. */
#ifndef TMAP_CLI_EMULATE_REPORT_H
#define TMAP_CLI_EMULATE_REPORT_H

#include <jansson.h>

#include "io/report/format.h"
#include "tmap/emulate.h"

/* One schedule's findings: each a failure of the file at a line of its PTX. */
struct emulate_report {
    enum io_format format;
    const char *file, *kernel;
    json_t *results; /* of sarif, and junit's cases: printed at the end */
    size_t cases, failures;
};

bool emulate_report_begin(struct emulate_report *r, enum io_format format, const char *file,
                          const char *kernel);
/* A finding, of the run that `schedule` names. */
void emulate_report_finding(struct emulate_report *r, const char *schedule,
                            const struct tmap_emulate_finding *f);
/* A wrong element: text says which. */
void emulate_report_wrong(struct emulate_report *r, const char *schedule, const char *text);
/* A run without either. */
void emulate_report_clean(struct emulate_report *r, const char *schedule);
void emulate_report_end(struct emulate_report *r, FILE *out);

#endif
