/* write_junit.c : JUnit's XML, as Jenkins, GitLab and others show it: a test suite for each file, a
 * test case for each record. A failure is what the exit code counts: something illegal that is
 * neither expected nor allowed, or an expectation that is not met; an error is a record that cannot
 * be read or that no source covers.
 *
 * A suite's counts stand before its cases, so the cases of one file wait in a temporary file. */
#include "io/report/kept.h"
#include "io/report/outside.h"
#include "io/report/report.h"

#include <stdlib.h>
#include <string.h>

struct junit {
    FILE *cases;      /* of this file */
    const char *file; /* NULL: none yet */
    size_t tests, failures, errors;
};

static void flush(struct io_run *run)
{
    struct junit *j = run->state;

    if (!j->file) return;
    fputs("  <testsuite name=\"", run->out);
    io_put_markup_text(run->out, strcmp(j->file, "-") == 0 ? "stdin" : j->file);
    fprintf(run->out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", j->tests, j->failures,
            j->errors);
    if (!io_put_kept(run->out, j->cases)) run->lost = true;
    fputs("  </testsuite>\n", run->out);
    j->tests = j->failures = j->errors = 0;
}

static bool begin(struct io_run *run)
{
    struct junit *j = calloc(1, sizeof *j);

    run->state = j;
    if (j) j->cases = tmpfile();
    if (!j || !j->cases) {
        free(j);
        return false;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tmap ", run->out);
    io_put_markup_text(run->out, run->command);
    fputs("\">\n", run->out);
    return true;
}

/* The head of a test case, of the suite of its file. */
static FILE *open_case(struct io_run *run, const struct io_record *record)
{
    struct junit *j = run->state;

    if (!j->file || strcmp(j->file, record->file) != 0) flush(run);
    j->file = record->file;
    j->tests++;
    fputs("    <testcase classname=\"", j->cases);
    io_put_markup_text(j->cases, strcmp(record->file, "-") == 0 ? "stdin" : record->file);
    fputs("\" name=\"", j->cases);
    if (record->name)
        io_put_markup_text(j->cases, record->name);
    else
        fprintf(j->cases, "record %zu", record->record);
    fprintf(j->cases, "\" line=\"%zu\"", record->line);
    return j->cases;
}

static void finding(FILE *out, const struct io_result *result, const struct io_finding *f)
{
    io_put_markup_text(out, result->record->file);
    fprintf(out, ":%zu:%zu: %s: ", f->line, f->column, tmap_row_id(f->row));
    io_put_markup_text(out, f->detail.message);
    io_put_tail(out, f, io_put_markup_text);
    fputc('\n', out);
}

static void arches(FILE *out, const struct io_result *result)
{
    for (size_t i = 0; i < result->arch_count; i++)
        if (result->arch[i].verdict != TMAP_LEGAL)
            fprintf(out, "%s on %s\n", io_verdict_name(result->arch[i].verdict),
                    tmap_arch_name(result->arch[i].arch));
}

/* <failure type="TMA025" message="...">every violation</failure> */
static void failure(FILE *out, const struct io_result *result, const char *tag, const char *type,
                    const char *message)
{
    fprintf(out, ">\n      <%s type=\"", tag);
    io_put_markup_text(out, type);
    fputs("\" message=\"", out);
    io_put_markup_text(out, message);
    fputs("\">", out);
    for (size_t i = 0; i < result->finding_count; i++)
        if (!result->finding[i].advisory) finding(out, result, &result->finding[i]);
    arches(out, result);
    fprintf(out, "</%s>\n    </testcase>\n", tag);
}

static const struct io_finding *first_violation(const struct io_result *result)
{
    for (size_t i = 0; i < result->finding_count; i++)
        if (!result->finding[i].advisory && !result->finding[i].allowed) return &result->finding[i];
    return NULL;
}

static bool any_arch_is_illegal(const struct io_result *result)
{
    for (size_t i = 0; i < result->arch_count; i++)
        if (result->arch[i].verdict == TMAP_ILLEGAL) return true;
    return false;
}

static void result(struct io_run *run, const struct io_result *result)
{
    struct junit *j = run->state;
    const bool suite = result->record->flags & (IO_HAS_EXPECT | IO_HAS_EXPECT_RULES);
    const struct io_finding *f = first_violation(result);
    FILE *out = open_case(run, result->record);

    if (result->unmet) {
        j->failures++;
        failure(out, result, "failure", "expectation", result->expectation);
    } else if (result->arch ? any_arch_is_illegal(result)
                            : !suite && !result->accepted && result->verdict == TMAP_ILLEGAL) {
        j->failures++;
        failure(out, result, "failure", f ? tmap_row_id(f->row) : "illegal",
                f ? f->detail.message : "illegal");
    } else if (!suite && !result->accepted && result->verdict == TMAP_UNKNOWN) {
        j->errors++;
        failure(out, result, "error", "unknown", result->unknown);
    } else {
        fputs("/>\n", out);
    }
}

static void unreadable(struct io_run *run, const struct io_record *record)
{
    struct junit *j = run->state;
    FILE *out = open_case(run, record);

    j->errors++;
    fputs(">\n      <error type=\"unreadable\" message=\"", out);
    if (record->path[0]) {
        io_put_markup_text(out, record->path);
        fputs(": ", out);
    }
    io_put_markup_text(out, record->error);
    fputs("\"/>\n    </testcase>\n", out);
}

static void end(struct io_run *run)
{
    struct junit *j = run->state;

    flush(run);
    fputs("</testsuites>\n", run->out);
    if (j->cases) fclose(j->cases);
    free(j);
    run->state = NULL;
}

const struct io_writer io_write_junit = {begin, result, unreadable, end};
