/* kernels_code.c : images, kernels and opcodes, for people and as a table. */
#include "cli/kernels_code.h"

#include "io/report/outside.h"
#include "io/report/report.h"
#include "tmap/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct scanned {
    struct tmap_code_kernel *kernels; /* malloc'd */
    size_t count;
    struct tmap_code_image image;
};

static enum tmap_status scan(const void *data, size_t size, struct scanned *out)
{
    size_t n = 0;
    enum tmap_status s = tmap_code_scan(data, size, NULL, 0, &n, NULL);
    if (s != TMAP_OK) return s;
    out->kernels = malloc((n ? n : 1) * sizeof *out->kernels);
    if (!out->kernels) return TMAP_E_MEMORY;
    s = tmap_code_scan(data, size, out->kernels, n, &out->count, &out->image);
    if (s != TMAP_OK) {
        free(out->kernels);
        out->kernels = NULL;
    }
    return s;
}

/* Whether opcode i of the table is the first of its name, and the kernel has it. */
static bool is_counted(const struct tmap_code_kernel *k, uint32_t i)
{
    const char *name = tmap_code_name(i);

    for (uint32_t j = 0; name && j < i; j++)
        if (tmap_code_name(j) && strcmp(tmap_code_name(j), name) == 0) return false;
    return name && tmap_code_count(k, name) > 0;
}

/* Every opcode that the table names, once a name, in the order of its numbers. */
static void print_counts(const struct tmap_code_kernel *k, const char *between)
{
    const char *lead = "";
    for (uint32_t i = 0; i < TMAP_CODE_OPCODES; i++) {
        if (!is_counted(k, i)) continue;
        printf("%s%s %u", lead, tmap_code_name(i), tmap_code_count(k, tmap_code_name(i)));
        lead = between;
    }
}

static json_t *counts_json(const struct tmap_code_kernel *k)
{
    json_t *out = json_object();
    for (uint32_t i = 0; i < TMAP_CODE_OPCODES; i++)
        if (is_counted(k, i))
            json_object_set_new(out, tmap_code_name(i),
                                json_integer(tmap_code_count(k, tmap_code_name(i))));
    return out;
}

/* docs/schema/kernels-line.json: an image, then each of its kernels. */
static void print_image_json(const struct cli *cli, const char *name, const struct scanned *s)
{
    char hash[24];

    snprintf(hash, sizeof hash, "0x%016llx", (unsigned long long)s->image.fnv1a64);
    io_print_json(stdout,
                  json_pack("{s:o, s:I, s:s, s:o}", "image", io_string_json(name), "kernels",
                            (json_int_t)s->count, "fnv1a64", hash, "compiler",
                            io_string_json(s->image.compiler)),
                  cli_indent(cli));
    for (size_t i = 0; i < s->count; i++) {
        const struct tmap_code_kernel *k = &s->kernels[i];
        char arch[16];
        snprintf(arch, sizeof arch, "sm_%u", k->arch);
        snprintf(hash, sizeof hash, "0x%016llx", (unsigned long long)k->fnv1a64);
        io_print_json(stdout,
                      json_pack("{s:o, s:o, s:s, s:i, s:i, s:i, s:s, s:o}", "image",
                                io_string_json(name), "kernel", io_string_json(k->name), "arch",
                                arch, "instructions", (int)k->instructions, "registers",
                                (int)k->registers, "stack_bytes", (int)k->stack_bytes, "fnv1a64",
                                hash, "opcodes", counts_json(k)),
                      cli_indent(cli));
    }
}

static enum cli_exit judge(struct cli *cli, const struct tmap_code_kernel *k)
{
    struct tmap_code_finding f[8];
    const size_t n = tmap_code_judge(k, f, sizeof f / sizeof f[0]);
    for (size_t i = 0; i < n && i < sizeof f / sizeof f[0]; i++)
        cli_message(cli, "%s: %s %u, not %u to %u: %s", k->name, f[i].what, f[i].seen, f[i].least,
                    f[i].most, f[i].why);
    return n ? CLI_ILLEGAL : CLI_OK;
}

static void print_image_text(const char *name, const struct scanned *s)
{
    fputs("image ", stdout);
    io_put(stdout, name);
    printf(": %zu kernels, fnv1a64 0x%016llx, ", s->count, (unsigned long long)s->image.fnv1a64);
    io_put(stdout, s->image.compiler[0] ? s->image.compiler : "compiler not said");
    putchar('\n');
    for (size_t i = 0; i < s->count; i++) {
        const struct tmap_code_kernel *k = &s->kernels[i];
        fputs("  ", stdout);
        io_put(stdout, k->name);
        printf(" sm_%u: %u instructions, %u registers, %u stack bytes; ", k->arch, k->instructions,
               k->registers, k->stack_bytes);
        print_counts(k, ", ");
        printf("\n");
    }
}

static void print_image(struct cli *cli, const char *name, const struct scanned *s)
{
    if (cli->format == IO_TEXT)
        print_image_text(name, s);
    else
        print_image_json(cli, name, s);
    for (size_t i = 0; i < s->count; i++) cli_note(cli, judge(cli, &s->kernels[i]));
}

/* False, with words, where no library with images is found: then there is nothing to list. */
static bool images_found(struct cli *cli)
{
    struct tmap_code_embedded e;
    if (tmap_code_embedded_at(0, &e)) return true;
    cli_message(cli, "kernels: libtmap-cuda.so.0 is not beside the command, is of another version, "
                     "or finds no memory");
    return false;
}

/* After the last image: whether there are more in a library that cannot be opened. */
static enum cli_exit all_seen(struct cli *cli, const struct tmap_code_embedded *end)
{
    if (!end->name) return CLI_OK;
    cli_message(cli, "%s cannot be opened: it is damaged, or there is no memory", end->name);
    return CLI_INPUT;
}

bool cli_code_has(const char *word)
{
    struct tmap_code_embedded e;
    for (size_t i = 0; tmap_code_embedded_at(i, &e); i++)
        if (strstr(e.name, word)) return true;
    return false;
}

enum cli_exit cli_code_list(struct cli *cli)
{
    struct tmap_code_embedded e;
    struct scanned s = {0};
    if (!images_found(cli)) return CLI_INPUT;
    for (size_t i = 0; tmap_code_embedded_at(i, &e); i++) {
        bool wanted = cli->operand_count < 2;
        for (size_t j = 1; j < cli->operand_count; j++)
            wanted = wanted || strstr(e.name, cli->operand[j]);
        if (!wanted) continue;
        if (e.size == 0) {
            if (cli->format == IO_TEXT)
                printf("image %s: not built, for want of a CUDA compiler\n", e.name);
            else
                io_print_json(stdout, json_pack("{s:s, s:i}", "image", e.name, "kernels", 0),
                              cli_indent(cli));
            continue;
        }
        const enum tmap_status status = scan(e.data, e.size, &s);
        if (status != TMAP_OK) return cli_status(cli, status, e.name);
        print_image(cli, e.name, &s);
        free(s.kernels);
    }
    return all_seen(cli, &e);
}

/* Many times the largest there is: a device has no end. */
#define LARGEST_IMAGE ((size_t)256 << 20)

/* The whole file, malloc'd; NULL, with a message, when it cannot be read or is larger than any
 * image. */
static void *read_all(struct cli *cli, const char *path, size_t *size)
{
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    uint8_t *data = NULL;
    size_t room = 0, n = 0;
    while (in && !ferror(in) && n == room && n < LARGEST_IMAGE) {
        room = room ? 2 * room : 1 << 16;
        uint8_t *larger = realloc(data, room);
        if (!larger) break;
        data = larger;
        n += fread(data + n, 1, room - n, in);
    }
    const bool good = in && feof(in) && !ferror(in);
    if (!good && n == LARGEST_IMAGE)
        cli_message(cli, "%s: larger than 256 MiB", path);
    else if (!good)
        cli_message(cli, "%s: %s", path, strerror(errno));
    if (in && in != stdin) fclose(in);
    if (good) return *size = n, data;
    free(data);
    return NULL;
}

/* A cubin or a fatbin of the user's. */
static enum cli_exit scan_file(struct cli *cli, const char *path, struct scanned *s)
{
    size_t size = 0;
    void *data = read_all(cli, path, &size);
    if (!data) return CLI_INPUT;
    const enum tmap_status status = scan(data, size, s);
    free(data);
    if (status == TMAP_E_ARGUMENT) {
        cli_message(cli, "%s: no cubin and no fatbin, cut short, or not compressed by LZ4", path);
        return CLI_INPUT;
    }
    return status == TMAP_OK ? CLI_OK : cli_status(cli, status, path);
}

enum cli_exit cli_code_scan(struct cli *cli)
{
    if (cli->operand_count < 2) return cli_usage(cli, "scan needs a cubin or a fatbin");
    for (size_t i = 1; i < cli->operand_count; i++) {
        struct scanned s = {0};
        cli_note(cli, scan_file(cli, cli->operand[i], &s));
        if (s.kernels) print_image(cli, cli->operand[i], &s);
        free(s.kernels);
    }
    return CLI_OK;
}

static void put_cell(const char *text)
{
    io_put(stdout, text);
    putchar('\t');
}

static void print_rows(const char *name, const struct scanned *s)
{
    put_cell(name);
    put_cell(s->image.compiler);
    printf("\t\t%016llx\t\n", (unsigned long long)s->image.fnv1a64);
    for (size_t j = 0; j < s->count; j++) {
        const struct tmap_code_kernel *k = &s->kernels[j];
        put_cell(name);
        put_cell(k->name);
        printf("%u\t%u\t%016llx\t", k->instructions, k->registers, (unsigned long long)k->fnv1a64);
        print_counts(k, " ");
        printf("\n");
    }
}

static enum cli_exit embedded_rows(struct cli *cli)
{
    struct tmap_code_embedded e;
    struct scanned s = {0};
    if (!images_found(cli)) return CLI_INPUT;
    printf("# Every kernel of the library: make kernels-table writes this file (docs/OPCODES.md).\n"
           "# image\tkernel\tinstructions\tregisters\tfnv1a64\topcodes\n");
    for (size_t i = 0; tmap_code_embedded_at(i, &e); i++) {
        if (e.size == 0) continue;
        const enum tmap_status status = scan(e.data, e.size, &s);
        if (status != TMAP_OK) return cli_status(cli, status, e.name);
        print_rows(e.name, &s);
        free(s.kernels);
    }
    return all_seen(cli, &e);
}

enum cli_exit cli_code_table(struct cli *cli)
{
    if (cli->format != IO_TEXT)
        return cli->operand_count < 2 ? cli_code_list(cli) : cli_code_scan(cli);
    if (cli->operand_count < 2) return embedded_rows(cli);
    for (size_t i = 1; i < cli->operand_count; i++) {
        struct scanned s = {0};
        cli_note(cli, scan_file(cli, cli->operand[i], &s));
        if (s.kernels) print_rows(cli->operand[i], &s);
        free(s.kernels);
    }
    return CLI_OK;
}
