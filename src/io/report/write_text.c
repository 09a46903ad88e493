/* write_text.c : findings as a compiler shows them.
 *
 *   error[TMA014]: stride[0] is 4104 bytes, not a multiple of 16
 *     --> gemm.json:12:23  `A`
 *      |
 *   12 |   "stride": [4104],
 *      |              ^^^^
 *      = needs: ...
 *      = fix: ...
 */
#include "io/report/outside.h"
#include "io/report/report.h"
#include "io/report/rule.h"

#include <string.h>

enum paint { PLAIN, RED, YELLOW, GREEN, BLUE, BOLD };

static const char *on(const struct io_run *run, enum paint paint)
{
    static const char *const codes[] = {"",         "\033[1;31m", "\033[1;33m",
                                        "\033[32m", "\033[1;34m", "\033[1m"};
    return run->color ? codes[paint] : "";
}

static const char *off(const struct io_run *run)
{
    return run->color ? "\033[0m" : "";
}

static const char *file_name(const struct io_record *record)
{
    return strcmp(record->file, "-") == 0 ? "standard input" : record->file;
}

static void name_of(const struct io_run *run, const struct io_record *record)
{
    if (!record->name) {
        fprintf(run->out, "record %zu", record->record);
        return;
    }
    fputc('`', run->out);
    io_put(run->out, record->name);
    fputc('`', run->out);
}

#define WIDEST_LINE 96 /* of the user's text; longer lines are cut around the value */

/* UTF-8's further bytes take no column. */
static int columns(const char *text, size_t length)
{
    int n = 0;
    for (size_t i = 0; i < length; i++) n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* The user's own line with the value underlined. */
static void quote(const struct io_run *run, const struct io_finding *f,
                  const struct io_stream *stream, int margin)
{
    size_t length, within, from = 0, shown, marked;
    const char *text = io_stream_line(stream, f->offset, 2 * WIDEST_LINE, &length, &within);

    if (within > WIDEST_LINE / 2 && length > WIDEST_LINE) from = within - WIDEST_LINE / 2;
    shown = length - from < WIDEST_LINE ? length - from : WIDEST_LINE;
    marked = within - from + f->length < shown ? f->length : shown - (within - from);
    fprintf(run->out, "%s%*zu |%s %s", on(run, BLUE), margin, f->line, off(run), from ? "..." : "");
    io_put_columns(run->out, text + from, shown);
    fprintf(run->out, "%s\n%s%*s |%s %*s%s", from + shown < length ? "..." : "", on(run, BLUE),
            margin, "", off(run), columns(text + from, within - from) + (from ? 3 : 0), "",
            on(run, RED));
    for (int i = columns(text + within, marked); i > 0; i--) fputc('^', run->out);
    fprintf(run->out, "%s\n", off(run));
}

static void note(const struct io_run *run, int margin, const char *what, const char *text)
{
    fprintf(run->out, "%s%*s =%s %s%s:%s ", on(run, BLUE), margin, "", off(run), on(run, BOLD),
            what, off(run));
    io_put(run->out, text);
    fputc('\n', run->out);
}

static void values(const struct io_finding *f, char *text, size_t size)
{
    char below[40], above[40];
    const struct tmap_detail *d = &f->detail;

    io_value_text(d->slot, d->below, below);
    io_value_text(d->slot, d->above, above);
    if (d->below.known && d->above.known)
        snprintf(text, size, "%s or %s", below, above);
    else
        snprintf(text, size, "%s", d->below.known ? below : above);
}

static void nearest(const struct io_run *run, int margin, const struct io_finding *f)
{
    char near[84], fix[40], text[200];

    if (!f->detail.below.known && !f->detail.above.known) return;
    values(f, near, sizeof near);
    if (f->fix_checked)
        snprintf(text, sizeof text, "%s; with %s the record is legal, all else unchanged", near,
                 io_value_text(f->detail.slot, f->fix, fix));
    else if (f->fix.known)
        snprintf(text, sizeof text, "%s; with %s %zu violation%s of the record remain%s", near,
                 io_value_text(f->detail.slot, f->fix, fix), f->rest, f->rest == 1 ? "" : "s",
                 f->rest == 1 ? "s" : "");
    else
        snprintf(text, sizeof text, "%s", near);
    note(run, margin, "nearest", text);
}

static void finding(const struct io_run *run, const struct io_result *result,
                    const struct io_finding *f)
{
    char line[24], text[300];
    int margin = snprintf(line, sizeof line, "%zu", f->line);
    bool soft = f->advisory || f->allowed;

    fprintf(run->out, "%s%s[%s]%s%s: %s%s\n", on(run, soft ? YELLOW : RED),
            f->allowed    ? "allowed"
            : f->advisory ? "warning"
                          : "error",
            tmap_row_id(f->row), off(run), on(run, BOLD), f->detail.message, off(run));
    fprintf(run->out, "%s%*s-->%s ", on(run, BLUE), margin, "", off(run));
    io_put(run->out, file_name(result->record));
    fprintf(run->out, ":%zu:%zu  ", f->line, f->column);
    name_of(run, result->record);
    if (f->use >= 0) fprintf(run->out, ", use %d", f->use);
    fputc('\n', run->out);
    if (f->length) quote(run, f, result->stream, margin);
    if (f->detail.needs[0]) note(run, margin, "needs", f->detail.needs);
    nearest(run, margin, f);
    note(run, margin, "help", row_table[f->row].fix);
    note(run, margin, "evidence", io_evidence_line(f->row, text, sizeof text));
    if (f->allowed) note(run, margin, "allowed", f->allowed);
}

/* Architectures with the same answer share a line. */
static bool same(const struct io_arch_answer *a, const struct io_arch_answer *b)
{
    return a->verdict == b->verdict && a->basis == b->basis && a->rule_count == b->rule_count &&
           (a->rule_count == 0 ||
            memcmp(a->rules, b->rules, a->rule_count * sizeof *a->rules) == 0);
}

static void arch_group(const struct io_run *run, const struct io_result *result, size_t first)
{
    const struct io_arch_answer *a = &result->arch[first];
    size_t column = 10;

    fprintf(run->out, "%s  %-8s%s", on(run, a->verdict == TMAP_LEGAL ? GREEN : RED),
            io_verdict_name(a->verdict), off(run));
    for (size_t i = first; i < result->arch_count; i++) {
        const char *name = tmap_arch_name(result->arch[i].arch);
        if (!same(a, &result->arch[i])) continue;
        if (column + strlen(name) > 88) column = (size_t)fprintf(run->out, "\n          ") - 1;
        column += (size_t)fprintf(run->out, " %s", name);
    }
    fprintf(run->out, " (%s)", a->covered ? io_basis_name(a->basis) : "not covered");
    for (size_t i = 0; i < a->rule_count; i++)
        fprintf(run->out, "%s%s", i ? " " : ": ", tmap_row_id(a->rules[i]));
    fputc('\n', run->out);
}

static void arches(const struct io_run *run, const struct io_result *result)
{
    for (size_t i = 0; i < result->arch_count; i++) {
        size_t before = 0;
        while (before < i && !same(&result->arch[before], &result->arch[i])) before++;
        if (before == i) arch_group(run, result, i);
    }
}

/* What the record left out and the verdict rests on. */
static void assumed(const struct io_run *run, const struct io_record *record)
{
    const struct tmap_desc *d = &record->desc;

    if (record->flags & IO_NO_STRIDE) {
        fputs("  stride not given: those of a dense tensor,", run->out);
        for (uint32_t i = 0; i + 1 < d->rank; i++) /* five dimensions at most */
            fprintf(run->out, " %llu", (unsigned long long)d->stride_bytes[i]);
        fputc('\n', run->out);
    }
    if (record->flags & IO_NO_ADDRESS)
        fputs("  address not given: taken to be aligned\n", run->out);
    if (record->flags & IO_PARTIAL)
        fprintf(run->out, "  not in this text: %s; illegal whatever it is\n", record->absent);
}

static void verdict(const struct io_run *run, const struct io_result *result)
{
    enum paint paint = result->verdict == TMAP_LEGAL ? GREEN : RED;

    if (result->accepted || result->verdict == TMAP_UNKNOWN) paint = YELLOW;
    name_of(run, result->record);
    fprintf(run->out, ": %s%s%s", on(run, paint), io_verdict_name(result->verdict), off(run));
    if (result->verdict == TMAP_UNKNOWN)
        fprintf(run->out, ": %s", result->unknown);
    else if (result->basis == TMAP_INFERRED)
        fprintf(run->out, " (inferred: this target was not observed)");
    if (result->accepted) fprintf(run->out, ", allowed");
    fputc('\n', run->out);
    if (result->judged_for)
        fprintf(run->out, "  judged for %s: %s; --arch picks another\n",
                tmap_arch_name(result->judged_for), result->judged_as);
    assumed(run, result->record);
}

/* "warning: file.json:3: " */
static void heading(const struct io_run *run, enum paint paint, const char *what,
                    const struct io_record *record)
{
    fprintf(run->out, "%s%s%s: ", on(run, paint), what, off(run));
    io_put(run->out, file_name(record));
    fprintf(run->out, ":%zu: ", record->line);
}

static void unused_allows(const struct io_run *run, const struct io_result *result)
{
    const struct io_record *r = result->record;
    for (size_t i = 0; i < r->allow_count; i++)
        if (!io_allow_is_used(result, i)) {
            heading(run, YELLOW, "warning", r);
            fprintf(run->out, "`allow` names %s, which is not violated\n",
                    tmap_row_id(r->allows[i].row));
        }
}

static bool begin(struct io_run *run)
{
    (void)run;
    return true;
}

static void text_result(struct io_run *run, const struct io_result *result)
{
    bool expected = result->record->flags & (IO_HAS_EXPECT | IO_HAS_EXPECT_RULES);

    if (result->arch) {
        name_of(run, result->record);
        fputs(":\n", run->out);
        arches(run, result);
        return;
    }
    for (size_t i = 0; i < result->finding_count; i++) finding(run, result, &result->finding[i]);
    unused_allows(run, result);
    if (result->unmet)
        heading(run, RED, "unmet", result->record);
    else if (run->quiet && result->finding_count == 0)
        return;
    verdict(run, result);
    if (result->unmet)
        fprintf(run->out, "  %s\n", result->expectation);
    else if (expected && result->verdict != TMAP_LEGAL)
        fprintf(run->out, "  as expected\n");
    if (result->finding_count) fputc('\n', run->out);
}

static void text_unreadable(struct io_run *run, const struct io_record *record)
{
    const bool stated = record->flags & IO_STATED;
    char text[600];
    io_error_text(record, text, sizeof text);
    fflush(run->out);
    fprintf(run->out, "%s%s%s: ", on(run, RED), stated ? "illegal" : "unreadable", off(run));
    io_put(run->out, text);
    if (stated) fputs("; its own message says so: its numbers are not in this text", run->out);
    fputc('\n', run->out);
}

static void end(struct io_run *run)
{
    char target[120];

    fprintf(run->out, "%zu %s%s: %zu legal, %zu illegal", run->records, run->things,
            run->records == 1 ? "" : "s", run->legal, run->illegal);
    if (run->unknown) fprintf(run->out, ", %zu unknown", run->unknown);
    if (run->accepted) fprintf(run->out, ", %zu allowed", run->accepted);
    if (run->unreadable) fprintf(run->out, ", %zu unreadable", run->unreadable);
    if (run->unmet) fprintf(run->out, ", %zu not as expected", run->unmet);
    if (run->all_arches)
        fprintf(run->out, "; %zu illegal pair%s of descriptor and architecture", run->illegal_pairs,
                run->illegal_pairs == 1 ? "" : "s");
    if (run->illegal) fputs("; tmap explain RULE says why", run->out);
    fprintf(run->out, "\ntarget: %s (%s)%s; contract: %s\n",
            io_target_text(&run->target, target, sizeof target), io_basis_name(run->basis),
            run->all_arches ? " and every architecture" : "", io_contract_name(run->contract));
}

const struct io_writer io_write_text = {begin, text_result, text_unreadable, end};
