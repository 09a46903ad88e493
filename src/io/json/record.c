/* record.c : see record.h. jansson parses each record on its own, so that its lines count from
 * where the record begins, and one record's errors stay its own. */
#include "io/json/record.h"
#include "io/json/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void from_piece(const struct io_piece *piece, struct io_record *record)
{
    memset(record, 0, sizeof *record);
    record->file = piece->file;
    record->record = piece->record;
    record->line = piece->line;
    record->column = piece->column;
    record->offset = piece->offset;
    record->text = piece->text;
    record->length = piece->length;
    record->error_line = piece->error_line;
    snprintf(record->error, sizeof record->error, "%s", piece->error);
}

/* jansson's words, with what helps where it says too little. */
static void parse_error(struct io_record *record, const json_error_t *error)
{
    const char *hint = "";
    char *at;

    /* jansson's position is just behind the token it does not take */
    if (error->position > 0)
        io_path_at(record->text, record->length, (size_t)error->position - 1, record->path,
                   sizeof record->path);
    if (strstr(error->text, "too big integer")) hint = " (over 2^63 - 1: write it as a string)";
    record->error_line = record->line + (error->line > 0 ? (size_t)error->line - 1 : 0);
    snprintf(record->error, sizeof record->error, "not JSON: %s%s", error->text, hint);
    for (at = record->error; *at; at++)
        if ((unsigned char)*at < ' ') *at = ' ';
}

bool io_json_next(struct io_stream *stream, struct io_record *out)
{
    struct io_piece piece;
    json_error_t error;

    if (!io_stream_next(stream, &piece)) return false;
    from_piece(&piece, out);
    if (out->error[0]) return true;
    out->json = json_loadb(piece.text, piece.length, JSON_REJECT_DUPLICATES, &error);
    if (!out->json) parse_error(out, &error);
    return true;
}

static bool read_uses(struct io_record *record, unsigned flags)
{
    json_t *value = json_object_get(record->json, "uses");
    size_t n = json_array_size(value);
    char path[40];

    if (!value) return true;
    if (!json_is_array(value))
        return io_fail(record, "$.uses", "expected an array, not %s", io_type_name(value));
    record->uses = calloc(n + 1, sizeof *record->uses);
    if (!record->uses) return io_fail(record, "$.uses", "out of memory");
    for (size_t i = 0; i < n; i++) {
        io_path_of("$", "uses", (int)i, path, sizeof path);
        if (!io_use_from(record, json_array_get(value, i), path, flags, &record->uses[i]))
            return false;
        record->use_count++;
    }
    return true;
}

static bool read_name(struct io_record *record)
{
    json_t *name = json_object_get(record->json, "name");

    if (name && !json_is_string(name))
        return io_fail(record, "$.name", "expected a string, not %s", io_type_name(name));
    record->name = json_string_value(name);
    return true;
}

static bool read_assume(struct io_record *record, unsigned flags)
{
    json_t *assume = json_object_get(record->json, "assume"), *entry;
    size_t i;
    char path[40];

    if (!assume) return true;
    if (!(flags & IO_SYMBOLIC))
        return io_fail(record, "$.assume", "assumptions are for symbolic input (tmap condition)");
    if (!json_is_array(assume))
        return io_fail(record, "$.assume", "expected an array, not %s", io_type_name(assume));
    json_array_foreach(assume, i, entry)
    {
        io_path_of("$", "assume", (int)i, path, sizeof path);
        if (!json_is_string(entry))
            return io_fail(record, path, "expected a string, not %s", io_type_name(entry));
    }
    return true;
}

bool io_record_next(struct io_stream *stream, unsigned flags, struct io_record *out)
{
    if (!io_json_next(stream, out)) return false;
    if (out->error[0] || !read_name(out)) return true;
    if (io_desc_from(out, out->json, "$", flags, &out->desc) && read_uses(out, flags) &&
        read_assume(out, flags))
        io_suite_from(out);
    return true;
}

void io_error_text(const struct io_record *record, char *text, size_t size)
{
    const char *file = strcmp(record->file, "-") == 0 ? "standard input" : record->file;
    snprintf(text, size, "%s:%zu: record %zu: %s%s%s", file, record->error_line, record->record,
             record->path, record->path[0] ? ": " : "", record->error);
}

json_t *io_string_json(const char *text)
{
    json_t *out = json_string(text);
    char copy[4096]; /* a path is no longer */

    if (out) return out;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c > 0x7e) *c = '?';
    return json_string(copy);
}

json_t *io_error_json(const struct io_record *record)
{
    json_t *out = json_pack("{s:I, s:o, s:I}", "record", (json_int_t)record->record, "file",
                            io_string_json(record->file), "line", (json_int_t)record->error_line);
    if (record->name) json_object_set_new(out, "name", json_string(record->name));
    if (record->path[0]) json_object_set_new(out, "path", io_string_json(record->path));
    if (record->flags & IO_STATED) {
        json_object_set_new(out, "verdict", json_string("illegal"));
        json_object_set_new(out, "rules", json_pack("[s]", tmap_row_id(record->stated)));
    }
    json_object_set_new(out, "error", io_string_json(record->error));
    return out;
}

void io_record_free(struct io_record *record)
{
    json_decref(record->json);
    free(record->uses);
    free(record->expect_rules);
    free(record->allows);
    memset(record, 0, sizeof *record);
}
