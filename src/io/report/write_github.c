/* write_github.c : annotations for GitHub's runner, `::error file=…,line=…,title=…::message`.
 *
 * The runner shows only the first few, so errors go out as they come and warnings wait for the
 * end. Data escapes %, CR and LF; property values also : and , (the runner's toolkit). */
#include "io/report/kept.h"
#include "io/report/outside.h"
#include "io/report/report.h"

#include <string.h>

/* What the runner would take for its own, as %XX; what a terminal would obey, as io_put() does. */
static void escaped(FILE *out, const char *text, bool property)
{
    uint32_t code;
    bool harmless;

    for (size_t n, left = strlen(text); left > 0; text += n, left -= n) {
        n = io_next_char(text, left, &code, &harmless);
        if (code == '%' || code == '\r' || code == '\n' ||
            (property && (code == ':' || code == ',')))
            fprintf(out, "%%%02X", (unsigned)code);
        else if (harmless)
            fwrite(text, 1, n, out);
        else
            fprintf(out, n == 1 && code >= 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    }
}

static void data(FILE *out, const char *text)
{
    escaped(out, text, false);
}

static void annotate(FILE *out, const char *level, const char *file, size_t line, size_t column,
                     const char *title)
{
    fprintf(out, "::%s file=", level);
    escaped(out, strcmp(file, "-") == 0 ? "stdin" : file, true);
    fprintf(out, ",line=%zu", line);
    if (column) fprintf(out, ",col=%zu", column);
    fputs(",title=", out);
    escaped(out, title, true);
    fputs("::", out);
}

/* Warnings are kept in a temporary file until the end. */
static bool begin(struct io_run *run)
{
    run->state = tmpfile();
    return run->state != NULL;
}

static void finding(FILE *out, const char *level, const struct io_result *result,
                    const struct io_finding *f)
{
    char title[120];

    snprintf(title, sizeof title, "%s %s", tmap_row_id(f->row), tmap_row_name(f->row));
    annotate(out, level, result->record->file, f->line, f->column, title);
    if (result->record->name) {
        escaped(out, result->record->name, false);
        fputs(": ", out);
    }
    escaped(out, f->detail.message, false);
    io_put_tail(out, f, data);
    fputc('\n', out);
}

/* --arch all: one annotation for each architecture on which the record is illegal. */
static void arch_finding(FILE *out, const struct io_result *result, const struct io_arch_answer *a)
{
    char title[80];

    snprintf(title, sizeof title, "illegal on %s", tmap_arch_name(a->arch));
    annotate(out, "error", result->record->file, result->record->line, 0, title);
    if (result->record->name) {
        escaped(out, result->record->name, false);
        fputs(": ", out);
    }
    for (size_t i = 0; i < a->rule_count; i++)
        fprintf(out, "%s%s %s", i ? ", " : "", tmap_row_id(a->rules[i]),
                tmap_row_name(a->rules[i]));
    fputc('\n', out);
}

/* What is expected is not an error, and what is allowed a warning. */
static void findings(struct io_run *run, const struct io_result *result)
{
    if (io_is_as_expected(result)) return;
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct io_finding *f = &result->finding[i];
        bool soft = f->advisory || f->allowed;
        finding(soft ? run->state : run->out, soft ? "warning" : "error", result, f);
    }
}

static void result(struct io_run *run, const struct io_result *result)
{
    const struct io_record *r = result->record;

    for (size_t i = 0; i < result->arch_count; i++)
        if (result->arch[i].verdict == TMAP_ILLEGAL)
            arch_finding(run->out, result, &result->arch[i]);
    if (!result->arch) findings(run, result);
    if (result->unmet) {
        annotate(run->out, "error", r->file, r->line, 0, "unmet expectation");
        escaped(run->out, result->expectation, false);
        fputc('\n', run->out);
    }
    if (result->verdict == TMAP_UNKNOWN) {
        annotate(run->state, "warning", r->file, r->line, 0, "unknown");
        fprintf(run->state, "%s\n", result->unknown);
    }
    for (size_t i = 0; i < r->allow_count; i++)
        if (!io_allow_is_used(result, i)) {
            annotate(run->state, "warning", r->file, r->line, 0, "unused allow");
            fprintf(run->state, "%s is allowed but not violated\n", tmap_row_id(r->allows[i].row));
        }
}

static void unreadable(struct io_run *run, const struct io_record *record)
{
    annotate(run->out, "error", record->file, record->error_line, 0,
             record->flags & IO_STATED ? tmap_row_id(record->stated) : "unreadable");
    if (record->path[0]) {
        escaped(run->out, record->path, false);
        fputs(": ", run->out);
    }
    escaped(run->out, record->error, false);
    fputc('\n', run->out);
}

static void end(struct io_run *run)
{
    if (!io_put_kept(run->out, run->state)) run->lost = true;
    fclose(run->state);
    run->state = NULL;
}

const struct io_writer io_write_github = {begin, result, unreadable, end};
