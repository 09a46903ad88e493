/* cmd_decode.c : 128 bytes back to fields, and how two maps differ. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "io/map/maps.h"
#include "io/report/report.h"
#include "tmap/driver.h"

#define MAX_NOTES 128
#define MAX_FIELDS 128
#define JSON_ROOM 2048
#define MAX_FILE ((size_t)64 << 20)

static bool read_file(struct cli *cli, const char *path, struct io_maps *m)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char error[96];

    if (!file) {
        cli_message(cli, "%s: %s", path, strerror(errno));
        return false;
    }
    errno = 0;
    char *text = malloc(MAX_FILE);
    const size_t size = text ? fread(text, 1, MAX_FILE, file) : 0;
    const bool cut = ferror(file);
    if (file != stdin) fclose(file);
    bool ok = false;
    if (!text)
        snprintf(error, sizeof error, "out of memory");
    else if (cut)
        snprintf(error, sizeof error, "%s", strerror(errno));
    else if (size == MAX_FILE)
        snprintf(error, sizeof error, "more than %zu bytes", MAX_FILE - 1);
    else
        ok = io_maps_read(m, text, size, error, sizeof error);
    free(text);
    if (!ok) cli_message(cli, "%s: %s", path, error);
    return ok;
}

/* --- showing ----------------------------------------------------------------------------------*/

static const char *note_name(enum tmap_note_kind kind)
{
    return kind == TMAP_NOTE_AMBIGUOUS    ? "ambiguous"
           : kind == TMAP_NOTE_IMPOSSIBLE ? "impossible"
                                          : "derived";
}

static void field_name(char *out, size_t cap, const char *field, int index)
{
    if (index < 0)
        snprintf(out, cap, "%s", field);
    else
        snprintf(out, cap, "%s[%d]", field, index);
}

static json_t *note_json(const struct tmap_note *n)
{
    char name[64], found[24], expected[24];
    field_name(name, sizeof name, n->field, n->index);
    snprintf(found, sizeof found, "0x%llx", (unsigned long long)n->found);
    snprintf(expected, sizeof expected, "0x%llx", (unsigned long long)n->expected);
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:s}", "kind", note_name(n->kind),
                     "field", name, "word", (int)n->word, "bit", (int)n->low, "width",
                     (int)n->width, "found", found, "expected", expected, "text", n->text);
}

static enum cli_exit show_json(const struct cli *cli, const struct tmap_desc *desc,
                               const struct tmap_note *notes, size_t count)
{
    char text[JSON_ROOM];
    io_desc_text(desc, text, sizeof text);
    json_t *list = json_array(), *line = json_object();
    json_object_set_new(line, "descriptor", json_loads(text, 0, NULL));
    for (size_t i = 0; i < count; i++) json_array_append_new(list, note_json(&notes[i]));
    json_object_set_new(line, "notes", list);
    io_print_json(stdout, line, cli_indent(cli));
    return CLI_OK;
}

static enum cli_exit show_text(const struct tmap_desc *desc, const struct tmap_note *notes,
                               size_t count)
{
    char text[JSON_ROOM], name[64];
    io_desc_text(desc, text, sizeof text);
    printf("%s\n", text);
    for (size_t i = 0; i < count; i++) {
        const struct tmap_note *n = &notes[i];
        field_name(name, sizeof name, n->field, n->index);
        printf("  %s: %s: word %u, bits %u:%u: 0x%llx", note_name(n->kind), name, n->word,
               n->low + n->width - 1, n->low, (unsigned long long)n->found);
        if (n->found != n->expected && n->kind != TMAP_NOTE_AMBIGUOUS)
            printf(", expected 0x%llx", (unsigned long long)n->expected);
        printf(": %s\n", n->text);
    }
    return CLI_OK;
}

/* Bytes that no encode call makes are an answer, and exit code 1. */
static enum cli_exit show(struct cli *cli, const struct tmap_map *map)
{
    struct tmap_desc desc;
    struct tmap_note notes[MAX_NOTES];
    size_t found = 0;
    bool impossible = false;
    tmap_decode(map, &desc, notes, MAX_NOTES, &found);
    const size_t count = found < MAX_NOTES ? found : MAX_NOTES;
    for (size_t i = 0; i < count; i++)
        impossible = impossible || notes[i].kind == TMAP_NOTE_IMPOSSIBLE;
    const enum cli_exit code = cli->format == IO_TEXT ? show_text(&desc, notes, count)
                                                      : show_json(cli, &desc, notes, count);
    return impossible ? CLI_ILLEGAL : code;
}

static void value_text(char *out, size_t cap, const struct tmap_map_field *f, bool present,
                       uint64_t value)
{
    if (!present)
        snprintf(out, cap, "-");
    else if (f->is_signed)
        snprintf(out, cap, "%lld", (long long)value);
    else if (strcmp(f->field, "address") == 0 || strcmp(f->field, "reserved") == 0)
        snprintf(out, cap, "0x%llx", (unsigned long long)value);
    else
        snprintf(out, cap, "%llu", (unsigned long long)value);
}

static enum cli_exit diff(struct cli *cli, const struct tmap_map *a, const struct tmap_map *b)
{
    struct tmap_map_field fields[MAX_FIELDS];
    size_t found = 0;
    tmap_map_diff(a, b, fields, MAX_FIELDS, &found);
    for (size_t i = 0; i < found && i < MAX_FIELDS; i++) {
        char name[64], left[32], right[32];
        field_name(name, sizeof name, fields[i].field, fields[i].index);
        value_text(left, sizeof left, &fields[i], fields[i].in_a, fields[i].a);
        value_text(right, sizeof right, &fields[i], fields[i].in_b, fields[i].b);
        if (cli->format == IO_TEXT)
            printf("%-20s word %2u bits %2u:%-2u  %s -> %s\n", name, fields[i].word,
                   fields[i].low + fields[i].width - 1, fields[i].low, left, right);
        else
            io_print_json(stdout,
                          json_pack("{s:s, s:i, s:i, s:i, s:s, s:s}", "field", name, "word",
                                    (int)fields[i].word, "bit", (int)fields[i].low, "width",
                                    (int)fields[i].width, "a", left, "b", right),
                          cli_indent(cli));
    }
    if (found == 0 && cli->format == IO_TEXT) printf("the same bytes\n");
    return found && cli_has(cli, "exit-code") ? CLI_ILLEGAL : CLI_OK;
}

/* PTX, less the state space, which is the caller's choice; a field with dimensions has an ordinal.
 */
static void print_step(const struct cli *cli, const struct tmap_patch *step)
{
    const bool wide =
        step->field == TMAP_REPLACE_GLOBAL_ADDRESS || step->field == TMAP_REPLACE_GLOBAL_STRIDE;
    const bool has_ordinal =
        step->field >= TMAP_REPLACE_BOX_DIM && step->field <= TMAP_REPLACE_ELEMENT_STRIDE;
    const char *field = tmap_replace_field_name(step->field);
    char value[20];
    snprintf(value, sizeof value, "0x%llx", (unsigned long long)step->value);
    if (cli->format != IO_TEXT) {
        json_t *out = json_pack("{s:s, s:s}", "replace", field, "value", value);
        if (has_ordinal) json_object_set_new(out, "ordinal", json_integer(step->ordinal));
        io_print_json(stdout, out, cli_indent(cli));
        return;
    }
    printf("tensormap.replace.tile.%s.b1024.%s [map], ", field, wide ? "b64" : "b32");
    if (has_ordinal) printf("%u, ", step->ordinal);
    printf("%s;\n", value);
}

static enum cli_exit plan(struct cli *cli, const struct tmap_map *a, const struct tmap_map *b)
{
    struct tmap_patch steps[TMAP_MAX_PATCHES];
    size_t count = 0;
    char why[192] = "";
    const enum tmap_status status =
        tmap_patch_plan(a, b, cli->target.cuda, steps, TMAP_MAX_PATCHES, &count, why, sizeof why);
    if (status != TMAP_OK) {
        cli_message(cli, "no plan: %s", why);
        return CLI_ILLEGAL;
    }
    for (size_t i = 0; i < count; i++) print_step(cli, &steps[i]);
    return CLI_OK;
}

static enum cli_exit run(struct cli *cli)
{
    struct io_maps m = {NULL, 0};
    enum cli_exit code = CLI_OK;
    bool ok = true;
    if (cli->operand_count == 0) ok = read_file(cli, "-", &m);
    for (size_t i = 0; i < cli->operand_count; i++) ok = read_file(cli, cli->operand[i], &m) && ok;
    const bool pair = cli_has(cli, "patch") || cli->operand_count == 2;
    if (!ok)
        code = CLI_INPUT;
    else if (pair && m.count != 2)
        code = cli_usage(cli, "two maps are compared, here are %zu", m.count);
    else if (cli_has(cli, "patch"))
        code = plan(cli, &m.list[0], &m.list[1]);
    else if (pair)
        code = diff(cli, &m.list[0], &m.list[1]);
    else
        for (size_t i = 0; i < m.count; i++) cli_note(cli, show(cli, &m.list[i]));
    io_maps_free(&m);
    return code;
}

static const struct cli_option options[] = {
    {"patch", 0, NULL, "the tensormap.replace instructions from the first map to the second"},
    {"exit-code", 0, NULL, "1 when two maps differ"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_decode = {
    .name = "decode",
    .summary = "128 bytes back to fields; two maps: how they differ",
    .operands = "[OPTION...] [FILE]\n       tmap decode [OPTION...] A B",
    .examples =
        "  tmap decode map.bin                    the fields, and what the bytes leave open\n"
        "  tmap decode a.hex b.hex                what differs, field by field\n"
        "  tmap decode --patch a.hex b.hex        how a kernel turns one into the other\n",
    .about =
        "A FILE holds 128 bytes (or several maps) as they are, in hexadecimal digits, as an array\n"
        "in C, as JSON with 16 words, or as gdb (x/16gx, p), xxd, hexdump and od print them.\n"
        "Exit code 1: bytes that no encode call was seen writing; no plan.\n",
    .groups = CLI_TARGET | CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
