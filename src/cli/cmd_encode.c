/* cmd_encode.c : the 128 bytes of descriptors, without a driver. */
#include "cli/each.h"
#include "cli/shard.h"
#include "io/report/outside.h"
#include "io/report/report.h"

#include <ctype.h>
#include <string.h>

#define MAX_RULES 64
#define C_NAME_LENGTH 64

enum form { AS_HEX, AS_C, AS_BIN, AS_JSON };

struct encode {
    struct cli *cli;
    struct tmap_checker checker;
    enum form form;
    size_t number;
    json_t *names; /* of the arrays in C so far */
};

static json_t *words_json(const struct tmap_map *map)
{
    json_t *words = json_array();
    char text[20];
    for (int i = 0; i < 16; i++) {
        snprintf(text, sizeof text, "0x%016llx", (unsigned long long)map->word[i]);
        json_array_append_new(words, json_string(text));
    }
    return words;
}

static json_t *named(const struct io_record *record)
{
    json_t *line = json_object();
    if (record->name)
        json_object_set_new(line, "name", json_string(record->name));
    else
        json_object_set_new(line, "record", json_integer((json_int_t)record->record));
    return line;
}

/* The bytes in memory order, as a dump shows them. */
static void print_hex(const struct tmap_map *map)
{
    for (int i = 0; i < 128; i++) {
        const unsigned byte = (unsigned)(map->word[i / 8] >> (i % 8 * 8)) & 0xff;
        printf("%02x%s", byte, i % 32 == 31 ? "\n" : i % 4 == 3 ? " " : "");
    }
}

/* The record's name as an identifier of C and C++: with a prefix, so that no keyword is left, and
 * with the record's number where the name is missing or was used before. */
static void c_name(struct encode *e, const struct io_record *record, char *out, size_t cap)
{
    size_t n = (size_t)snprintf(out, cap, "map_");

    for (const char *c = record->name ? record->name : ""; *c && n < C_NAME_LENGTH; c++)
        out[n++] = isalnum((unsigned char)*c) && (unsigned char)*c < 0x80 ? *c : '_';
    out[n] = 0;
    if (!record->name) n += (size_t)snprintf(out + n, cap - n, "%zu", e->number);
    while (json_object_get(e->names, out) && n < cap)
        n += (size_t)snprintf(out + n, cap - n, "_%zu", e->number);
    json_object_set_new(e->names, out, json_true());
}

/* The attribute is one that gcc, clang and nvcc take in C and in C++ alike. */
static void print_c(struct encode *e, const struct io_record *record, const struct tmap_map *map)
{
    char name[C_NAME_LENGTH + 64];

    c_name(e, record, name, sizeof name);
    printf("static const unsigned long long %s[16] __attribute__((aligned(128))) = {\n", name);
    for (int i = 0; i < 16; i++)
        printf("%s0x%016llxULL%s", i % 4 ? " " : "    ", (unsigned long long)map->word[i],
               i == 15      ? "};\n"
               : i % 4 == 3 ? ",\n"
                            : ",");
}

static void print_bin(const struct tmap_map *map)
{
    unsigned char bytes[128];
    for (int i = 0; i < 128; i++) bytes[i] = (unsigned char)(map->word[i / 8] >> (i % 8 * 8));
    fwrite(bytes, 1, sizeof bytes, stdout);
}

static void print_map(struct encode *e, const struct io_record *record, const struct tmap_map *map)
{
    json_t *line;
    switch (e->form) {
    case AS_HEX:
        if (record->name) {
            fputs("# ", stdout);
            io_put(stdout, record->name);
            putchar('\n');
        }
        print_hex(map);
        break;
    case AS_C:
        print_c(e, record, map);
        break;
    case AS_BIN:
        print_bin(map);
        break;
    case AS_JSON:
        line = named(record);
        json_object_set_new(line, "words", words_json(map));
        io_print_json(stdout, line, cli_indent(e->cli));
        break;
    }
}

/* Bytes of what is illegal do not exist; the rules say why. */
static void print_refusal(const struct encode *e, const struct io_record *record,
                          enum tmap_status status)
{
    struct tmap_violation v[MAX_RULES];
    tmap_row rules[MAX_RULES];
    size_t found = 0, count = 0;
    tmap_check_with(&e->checker, &record->desc, v, MAX_RULES, &found, NULL);
    for (size_t i = 0; i < found && i < MAX_RULES; i++)
        if (count == 0 || rules[count - 1] != v[i].row) rules[count++] = v[i].row;
    if (e->form == AS_JSON) {
        json_t *line = named(record);
        json_object_set_new(line, "verdict",
                            json_string(status == TMAP_E_ILLEGAL ? "illegal" : "unknown"));
        json_object_set_new(line, "rules", io_rules_json(rules, count));
        io_print_json(stdout, line, cli_indent(e->cli));
        return;
    }
    fputs("tmap encode: ", stderr);
    io_put(stderr, record->file);
    fprintf(stderr, ":%zu: ", record->line);
    io_put(stderr, record->name ? record->name : "record");
    fputs(": ", stderr);
    if (status == TMAP_E_TARGET)
        fprintf(stderr,
                "no driver was seen encoding this type or swizzle: its bytes are not known");
    for (size_t i = 0; i < found && i < MAX_RULES; i++) {
        struct tmap_detail detail;
        tmap_detail_of(&e->checker.target, &record->desc, NULL, &v[i], &detail);
        fprintf(stderr, "%s%s: %s", i ? "; " : "", tmap_row_id(v[i].row), detail.message);
    }
    fputc('\n', stderr);
}

static enum cli_exit encode_record(void *user, const struct io_stream *stream,
                                   struct io_record *record)
{
    struct encode *e = user;
    (void)stream;
    struct tmap_map map;
    e->number++;
    if (record->error[0]) {
        char text[512];
        io_error_text(record, text, sizeof text);
        if (e->form == AS_JSON) {
            io_print_json(stdout, io_error_json(record), cli_indent(e->cli));
        }
        cli_message(e->cli, "%s", text);
        return CLI_INPUT;
    }
    const enum tmap_status status = tmap_encode(&e->checker, &record->desc, &map);
    if (status != TMAP_OK) {
        print_refusal(e, record, status);
        return status == TMAP_E_ILLEGAL ? CLI_ILLEGAL : CLI_UNDECIDED;
    }
    print_map(e, record, &map);
    return CLI_OK;
}

static bool form_of(const struct cli *cli, enum form *form)
{
    static const char *const names[] = {"hex", "c", "bin", "json"};
    const char *as = cli_get(cli, "as");
    *form = cli->format == IO_TEXT ? AS_HEX : AS_JSON;
    for (int i = 0; as && i < 4; i++)
        if (strcmp(as, names[i]) == 0) {
            *form = (enum form)i;
            return true;
        }
    return as == NULL;
}

static enum cli_exit run(struct cli *cli)
{
    struct encode e = {.cli = cli};
    if (!form_of(cli, &e.form))
        return cli_no_value(cli, "--as", "hex, c, bin or json", cli_get(cli, "as"));
    tmap_checker_prepare(&cli->target, TMAP_CONTRACT_DRIVER, &e.checker);
    e.names = json_object();
    cli_each(cli, CLI_EACH_DESCRIPTOR | CLI_EACH_ERRORS | CLI_EACH_NEEDS_ADDRESS | CLI_EACH_SHARD,
             encode_record, &e);
    json_decref(e.names);
    return CLI_OK;
}

static const struct cli_option options[] = {
    CLI_SHARD_OPTION, {"as", 0, "FORM", "hex, c, bin or json (hex)"}, {NULL, 0, NULL, NULL}};

const struct cli_command cli_encode = {
    .name = "encode",
    .summary = "the 128 bytes of a descriptor, without a driver",
    .operands = "[OPTION...] [FILE...]",
    .examples = "  tmap encode gemm.json                  bytes in memory order\n"
                "  tmap encode --as c gemm.json           an array for a program\n"
                "  tmap encode --format jsonl gemm.json   {\"name\":..., \"words\":[16 of them]}\n",
    .about =
        "The bytes are those that driver 580 writes on an H200. What its encode call refuses has\n"
        "none: exit code 1. Types and swizzles that no observed driver encodes: exit code 4.\n",
    .groups = CLI_TARGET | CLI_FORMAT | CLI_DESC,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
