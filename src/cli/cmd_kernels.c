/* cmd_kernels.c : the copy suite from the command line: its cases, verified, timed. */
#include "cli/cli.h"
#include "cli/kernels_code.h"
#include "cli/kernels_gemm.h"
#include "io/report/report.h"
#include "tmap/copy.h"

#include <string.h>

enum { MOST_MIB = 1024 * 1024, MOST_REPEATS = 101 };

static bool chosen(const struct cli *cli, const char *name)
{
    for (size_t i = 1; i < cli->operand_count; i++)
        if (strstr(name, cli->operand[i])) return true;
    return cli->operand_count < 2;
}

static void print_case(const struct cli *cli, const char *name)
{
    if (!chosen(cli, name)) return;
    if (cli->format == IO_TEXT)
        printf("case %s\n", name);
    else
        io_print_json(stdout, json_pack("{s:s}", "case", name), cli_indent(cli));
}

/* A word that is in no name asks for nothing: that is a mistake, not an empty answer. */
static enum cli_exit names_exist(struct cli *cli, bool images)
{
    for (size_t k = 1; k < cli->operand_count; k++) {
        const char *word = cli->operand[k];
        bool known = images && cli_code_has(word);
        for (size_t i = 0; tmap_copy_case(i); i++) known |= strstr(tmap_copy_case(i), word) != NULL;
        for (size_t i = 0; cli_gemm_case(i); i++) known |= strstr(cli_gemm_case(i), word) != NULL;
        if (!known)
            return cli_usage(cli, "no case%s has '%s' in its name (tmap kernels list has all)",
                             images ? " and no image" : "", word);
    }
    return CLI_OK;
}

static enum cli_exit list(struct cli *cli)
{
    for (size_t i = 0; tmap_copy_case(i); i++) print_case(cli, tmap_copy_case(i));
    for (size_t i = 0; cli_gemm_case(i); i++) print_case(cli, cli_gemm_case(i));
    const enum cli_exit code = cli_code_list(cli);
    return code == CLI_OK ? names_exist(cli, true) : code;
}

static void print_result(const struct cli *cli, const struct tmap_copy_result *r, bool timed)
{
    if (cli->format != IO_TEXT) {
        json_t *out = json_pack("{s:s, s:s, s:b}", "case", r->name, "kernel", r->kernel, "right",
                                r->wrong_words == 0);
        if (timed) {
            json_object_set_new(out, "copy_gbs", json_real(r->copy_gbs));
            json_object_set_new(out, "plain_gbs", json_real(r->reference_gbs));
            json_object_set_new(out, "memcpy_gbs", json_real(r->memcpy_gbs));
        }
        io_print_json(stdout, out, cli_indent(cli));
        return;
    }
    printf("%-22s %-17s %s", r->name, r->kernel, r->wrong_words ? "WRONG" : "right");
    if (timed) printf(" %9.1f %9.1f %9.1f", r->copy_gbs, r->reference_gbs, r->memcpy_gbs);
    printf("\n");
}

/* One case; what stopped it goes to stderr with the kernel's own report. */
static enum cli_exit measure(struct cli *cli, struct tmap_copy *suite, size_t i, uint64_t bytes,
                             uint32_t repeats)
{
    struct tmap_copy_result r;
    const enum tmap_status s = tmap_copy_measure(suite, i, bytes, repeats, NULL, &r);
    if (s != TMAP_OK) {
        const struct tmap_copy_report w = tmap_copy_last_report(suite);
        cli_message(cli, "%s: the watchdog says %u, id %u, slot %u, block %u", tmap_copy_case(i),
                    w.what, w.id, w.slot, w.block);
        return cli_status(cli, s, tmap_copy_case(i));
    }
    print_result(cli, &r, repeats > 0);
    return r.wrong_words ? CLI_ILLEGAL : CLI_OK;
}

static enum cli_exit measure_all(struct cli *cli, bool timed)
{
    struct tmap_copy *suite = NULL;
    char why[256] = "";
    uint64_t mib, repeats;
    int32_t ordinal;
    const enum cli_exit code = names_exist(cli, false);
    if (code != CLI_OK) return code;
    if (!cli_number_in(cli, "mib", timed ? 4096 : 256, 1, MOST_MIB, &mib) ||
        !cli_number_in(cli, "repeats", 11, 1, MOST_REPEATS, &repeats) || !cli_device(cli, &ordinal))
        return CLI_USAGE;
    const struct tmap_open how = {.ordinal = ordinal, .watchdog_ms = CLI_WATCHDOG_MS};
    const enum tmap_status s = tmap_copy_open(&how, &suite, why, sizeof why);
    if (s != TMAP_OK) {
        if (why[0]) cli_message(cli, "%s", why);
        return cli_status(cli, s, "kernels");
    }
    if (timed && cli->format == IO_TEXT)
        printf("%-22s %-17s %-5s %9s %9s %9s  GB/s\n", "case", "kernel", "bytes", "copy", "plain",
               "memcpy");
    for (size_t i = 0; tmap_copy_case(i); i++)
        if (chosen(cli, tmap_copy_case(i)))
            cli_note(cli, measure(cli, suite, i, mib << 20, timed ? (uint32_t)repeats : 0));
    tmap_copy_close(suite);
    for (size_t i = 0; cli_gemm_case(i); i++) {
        if (!chosen(cli, cli_gemm_case(i))) continue;
        if (timed)
            cli_gemm_bench(cli, i);
        else
            cli_note(cli, cli_gemm_verify(cli, ordinal, i));
    }
    return CLI_OK;
}

static enum cli_exit run(struct cli *cli)
{
    const char *what = cli->operand_count ? cli->operand[0] : "";
    if (strcmp(what, "list") == 0) return list(cli);
    if (strcmp(what, "verify") == 0) return measure_all(cli, false);
    if (strcmp(what, "bench") == 0) return measure_all(cli, true);
    if (strcmp(what, "scan") == 0) return cli_code_scan(cli);
    if (strcmp(what, "table") == 0) return cli_code_table(cli);
    return cli_no_value(cli, "kernels", "list, verify, bench, scan or table", what);
}

static const struct cli_option options[] = {
    {"device", 0, "NUMBER", "which GPU (0)"},
    {"mib", 0, "NUMBER", "input of a case in MiB (verify 256, bench 4096)"},
    {"repeats", 0, "NUMBER", "launches per median (11)"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_kernels = {
    .name = "kernels",
    .summary = "the kernels: list what they hold, verify them against plain ones, bench copies",
    .operands = "list|verify|bench|scan|table [OPTION...] [CASE|FILE...]",
    .examples =
        "  tmap kernels list                      cases, images, and what each kernel holds\n"
        "  tmap kernels scan kernel.cubin         the same of a cubin or a fatbin\n"
        "  tmap kernels table                     one line a kernel, for a comparison\n"
        "  tmap kernels verify                    every byte, every sum, against a plain kernel\n"
        "  tmap kernels verify gemm               the matrix products alone\n"
        "  tmap kernels bench dense transpose     cases with these in their names\n",
    .about = "verify and bench need a GPU of compute capability 9.0. bench times copies; products "
             "are timed\n"
             "beside cublasLt by bench/gemm. Exit code 1: a byte differs, or a kernel does not "
             "hold what\n"
             "src/kernels/runtime/expect.def says.\n",
    .groups = CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
