/* place.c : where in the user's text a finding points, and what a change there would do. */
#include "expr/field.h"
#include "io/paste/dump.h"
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
    if (strchr(f->detail.field, ' ')) return;
    if (field_of_slot(f->detail.slot) == FIELD_FLAG) {
        const char *name = io_flag_name(f->detail.index);
        if (name) io_path_of(base, name, -1, path, size);
        return;
    }
    if (f->use >= 0) io_path_of("$", "uses", f->use, base, sizeof base);
    io_path_of(base, f->detail.field, f->detail.index, path, size);
}

static void count_lines(const char *text, size_t from, size_t to, size_t *line, size_t *column)
{
    for (size_t i = from; i < to; i++) {
        const unsigned char c = (unsigned char)text[i];
        *line += c == '\n';
        /* columns count characters, as editors do: UTF-8's further bytes add nothing */
        if (c == '\n')
            *column = 1;
        else if ((c & 0xc0) != 0x80)
            ++*column;
    }
}

/* To the text of a use: forwards from the one before, so that all of them cost one walk. */
static bool go_to_use(struct io_places *p, size_t use)
{
    const struct io_record *r = p->record;
    size_t size, before = p->use_at;

    if (before == 0 || use < p->use) {
        p->line = r->line;
        p->column = r->column;
        p->use = before = 0;
        if (!io_locate(r->text, r->length, "$.uses[0]", &p->use_at, &size)) return false;
        count_lines(r->text, 0, p->use_at, &p->line, &p->column);
    }
    for (before = p->use_at; p->use < use; p->use++)
        io_next_element(r->text, r->length, &p->use_at); /* the record has so many uses */
    count_lines(r->text, before, p->use_at, &p->line, &p->column);
    return true;
}

/* A place in the text: of a value, in which line and column. */
static bool find_use(struct io_places *p, const char *path, struct io_spot *out)
{
    const struct io_record *r = p->record;
    char rest[64], *end;

    if (!go_to_use(p, strtoul(path, &end, 10))) return false;
    snprintf(rest, sizeof rest, "$%s", end + 1);
    if (!io_locate(r->text + p->use_at, r->length - p->use_at, rest, &out->at, &out->size))
        return false;
    out->at += p->use_at;
    out->line = p->line;
    out->column = p->column;
    count_lines(r->text, p->use_at, out->at, &out->line, &out->column);
    return true;
}

/* Many uses may blame one field of the descriptor: it is looked for once. */
static bool find(struct io_places *p, const char *path, struct io_spot *out)
{
    static const char uses[] = "$.uses[";
    const struct io_record *r = p->record;

    if (strncmp(path, uses, sizeof uses - 1) == 0) return find_use(p, path + sizeof uses - 1, out);
    if (strcmp(path, p->path) != 0) {
        snprintf(p->path, sizeof p->path, "%s", path);
        p->spot = (struct io_spot){.line = r->line, .column = r->column};
        if (io_locate(r->text, r->length, path, &p->spot.at, &p->spot.size))
            count_lines(r->text, 0, p->spot.at, &p->spot.line, &p->spot.column);
    }
    *out = p->spot;
    return out->size > 0;
}

static bool find_in_dump(const struct io_places *p, const struct io_finding *f, struct io_spot *out)
{
    const struct io_record *r = p->record;

    *out = (struct io_spot){.line = r->line, .column = r->column};
    if (!io_dump_locate(r->text, r->length, f->detail.field, f->detail.index, &out->at, &out->size))
        return false;
    count_lines(r->text, 0, out->at, &out->line, &out->column);
    return true;
}

/* A use's finding may blame a field of the descriptor. */
static bool locate(struct io_places *p, struct io_finding *f, struct io_spot *out)
{
    path_of(f, f->path, sizeof f->path);
    if (!p->record->text || !f->path[0]) return false;
    if (!p->record->json) return find_in_dump(p, f, out); /* no paths, but the number is there */
    if (find(p, f->path, out)) return true;
    if (f->use >= 0) {
        struct io_finding own = *f;
        own.use = -1;
        path_of(&own, f->path, sizeof f->path);
        if (find(p, f->path, out)) return true;
    }
    if (f->detail.index < 0) return false;
    char *bracket = strrchr(f->path, '[');
    if (!bracket) return false;
    *bracket = 0; /* a wide corner is one number, and null is no array */
    if (find(p, f->path, out)) return true;
    *bracket = '[';
    return false;
}

void io_place(struct io_places *p, const struct io_stream *stream, struct io_finding *finding)
{
    const struct io_record *record = p->record;
    struct io_spot spot = {.line = record->line, .column = record->column};

    if (field_of_slot(finding->detail.slot) == FIELD_FLAG && finding->detail.index < NULL_BITS)
        snprintf(finding->detail.needs, sizeof finding->detail.needs, "%s is not null",
                 io_flag_name(finding->detail.index));
    if (!stream || !locate(p, finding, &spot)) {
        char use[32];
        spot = (struct io_spot){.line = record->line, .column = record->column};
        io_path_of("$", "uses", finding->use, use, sizeof use);
        if (record->text && finding->use >= 0) find(p, use, &spot);
        spot.size = 0;
    }
    finding->line = spot.line;
    finding->column = spot.column;
    finding->offset = record->offset + spot.at;
    finding->length = spot.size;
}
