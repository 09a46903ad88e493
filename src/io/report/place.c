/* place.c : where in the user's text a finding points, and what a change there would do. */
#include "expr/field.h"
#include "io/json/dump.h"
#include "io/report/judge.h"
#include "io/report/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NULL_BITS 7 /* the bits of tmap_desc.flags that say NULL come first */

bool io_is_erratum(tmap_row row)
{
    return row_subject_of(row) == SUBJECT_ERRATA;
}

const char *io_flag_name(int bit)
{
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct field_info *info = field_info_of((enum field)f);
        if (info->null_bit >= 0 && info->null_bit == bit) return info->json;
    }
    return bit == BIT_HAS_MAP_ADDRESS  ? "map_address"
           : bit == BIT_HAS_ALLOCATION ? "allocation"
                                       : NULL;
}

/* The JSON path of a field, "" when JSON has no such field (what the rules derive). */
static void path_of(const struct io_finding *f, char *path, size_t size)
{
    char base[32] = "$";

    *path = 0;
    if (!f->detail.field || strchr(f->detail.field, ' ')) return;
    if (field_of_slot(f->detail.slot) == FIELD_FLAG) {
        const char *name = io_flag_name(f->detail.index);
        if (name) io_path_of(base, name, -1, path, size);
        return;
    }
    if (f->use >= 0) io_path_of("$", "uses", f->use, base, sizeof base);
    io_path_of(base, f->detail.field, f->detail.index, path, size);
}

/* A use's finding may blame a field of the descriptor. */
static bool locate(const struct io_record *record, struct io_finding *f, size_t *at, size_t *size)
{
    path_of(f, f->path, sizeof f->path);
    if (!record->text || !f->path[0]) return false;
    if (!record->json) /* another program's dump: no paths, but the number is there */
        return io_dump_locate(record->text, record->length, f->detail.field, f->detail.index, at,
                              size);
    if (io_locate(record->text, record->length, f->path, at, size)) return true;
    if (f->use >= 0) {
        struct io_finding own = *f;
        own.use = -1;
        path_of(&own, f->path, sizeof f->path);
        if (io_locate(record->text, record->length, f->path, at, size)) return true;
    }
    if (f->detail.index < 0) return false;
    char *bracket = strrchr(f->path, '[');
    if (!bracket) return false;
    *bracket = 0; /* a wide corner is one number, and null is no array */
    if (io_locate(record->text, record->length, f->path, at, size)) return true;
    *bracket = '[';
    return false;
}

void io_place(const struct io_record *record, const struct io_stream *stream,
              struct io_finding *finding)
{
    size_t at = 0, size = 0;

    if (finding->detail.field && field_of_slot(finding->detail.slot) == FIELD_FLAG &&
        finding->detail.index < NULL_BITS)
        snprintf(finding->detail.needs, sizeof finding->detail.needs, "%s is not null",
                 io_flag_name(finding->detail.index));
    finding->line = record->line;
    finding->column = record->column;
    finding->offset = record->offset;
    if (!stream || !locate(record, finding, &at, &size)) {
        if (!record->text) return;
        if (finding->use < 0) return;
        char use[32];
        io_path_of("$", "uses", finding->use, use, sizeof use);
        if (!io_locate(record->text, record->length, use, &at, &size)) return;
        size = 0;
    }
    finding->offset = record->offset + at;
    finding->length = size;
    for (size_t i = 0; i < at; i++) {
        const unsigned char c = (unsigned char)record->text[i];
        finding->line += c == '\n';
        /* columns count characters, as editors do: UTF-8's further bytes add nothing */
        if (c == '\n')
            finding->column = 1;
        else if ((c & 0xc0) != 0x80)
            finding->column++;
    }
}

/* --- a trial -----------------------------------------------------------------------------------*/

/* What a record would violate with one value changed, and what would then be advised against:
 * doubts are about what the copy means (rows that overlap), not about its speed. */
struct trial {
    bool possible;
    size_t violations, doubts, advisories;
};

static bool count_advice(const struct tmap_checker *checker, const struct tmap_desc *desc,
                         struct trial *trial)
{
    struct tmap_violation advice[IO_MAX_VIOLATIONS];
    if (tmap_advise(checker, desc, advice, IO_MAX_VIOLATIONS, &trial->advisories) != TMAP_OK)
        return false;
    for (size_t i = 0; i < trial->advisories && i < IO_MAX_VIOLATIONS; i++)
        trial->doubts += row_table[advice[i].row].fix_kind == FIX_DECISION;
    return true;
}

static struct trial try_value(const struct tmap_checker *checker, const struct io_record *record,
                              const struct io_finding *f, struct tmap_number value)
{
    struct tmap_desc desc = record->desc;
    struct tmap_use own = {0};
    struct io_violations found;
    struct trial trial = {0};
    const int128 wanted = value.negative ? -(int128)value.magnitude : (int128)value.magnitude;

    if (f->use >= 0) own = record->uses[f->use];
    if (!field_write(&desc, f->use >= 0 ? &own : NULL, f->detail.slot, wanted)) return trial;
    for (int i = -1; i < (int)record->use_count; i++) {
        const struct tmap_use *use = i < 0 ? NULL : i == f->use ? &own : &record->uses[i];
        if (io_violations(checker, &desc, use, &found) != TMAP_OK) return trial;
        trial.violations += found.found;
    }
    trial.possible = count_advice(checker, &desc, &trial);
    return trial;
}

/* A stride below its row is legal and lets rows overlap: an advisory decides between equals. */
static bool is_better(const struct trial *a, const struct trial *b)
{
    if (!b->possible || a->violations != b->violations)
        return !b->possible || a->violations < b->violations;
    if (a->doubts != b->doubts) return a->doubts < b->doubts;
    return a->advisories < b->advisories;
}

/* Whether to go up first: to the nearer value, but to 0 (nothing, or every row the same) last. */
static bool upwards(const struct tmap_detail *d)
{
    if (!d->below.known || !d->above.known) return d->above.known;
    if (d->value.negative || d->below.negative || d->above.negative) return true;
    if (d->below.magnitude == 0) return true;
    return d->above.magnitude - d->value.magnitude <= d->value.magnitude - d->below.magnitude;
}

void io_try_fix(const struct tmap_checker *checker, const struct io_record *record,
                struct io_finding *f)
{
    const bool up = upwards(&f->detail);
    const struct tmap_number order[2] = {up ? f->detail.above : f->detail.below,
                                         up ? f->detail.below : f->detail.above};
    struct trial best = {0};

    for (int i = 0; i < 2; i++) {
        struct trial trial = {0};
        if (order[i].known) trial = try_value(checker, record, f, order[i]);
        if (!trial.possible || !is_better(&trial, &best)) continue;
        best = trial;
        f->fix = order[i];
        f->rest = trial.violations;
        f->fix_checked = trial.violations == 0;
    }
}
