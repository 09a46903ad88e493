/* cmd_doctor.c : what this machine has, and whether tensor copies work on it. */
#include "cli/cli.h"
#include "io/report/report.h"
#include "tmap/driver.h"

static const char *const healths[] = {"ok", "absent", "broken"};

/* Which parts of tmap this build has. */
static const struct {
    const char *what;
    bool built;
    const char *without; /* or what is to be said of it */
} parts[] = {
    {"check, repair, encode, layout", true, ""},
#ifdef TMAP_WITH_ISL
    {"conditions and guards (isl)", true, ""},
#else
    {"conditions and guards (isl)", false,
     "built without isl: condition, guard and diff are not there"},
#endif
#ifdef TMAP_WITH_Z3
    {"certificates (Z3)", true, ""},
#else
    {"certificates (Z3)", false, "built without Z3: --prove is not there"},
#endif
#ifdef TMAP_WITH_CUDA
    {"kernels (nvcc)", true, ""},
    {"products, 9.0: wgmma", true, ""},
    {"products, 10.x 11.0: tcgen05", true, "emulated; not seen on a GPU"},
    {"products, 12.x: mma.sync", true, "emulated; not seen on a GPU"},
#else
    {"kernels (nvcc)", false, "built without nvcc: the kernel suite is not there"},
#endif
};

#define PARTS (sizeof parts / sizeof parts[0])

static void print_text(const struct tmap_finding *f, size_t count, bool usable)
{
    for (size_t i = 0; i < PARTS; i++)
        printf("%-6s  %-30s %s\n", parts[i].built ? "ok" : "absent", parts[i].what,
               parts[i].without);
    for (size_t i = 0; i < count; i++) {
        printf("%-6s  %-30s %s\n", healths[f[i].health], f[i].what, f[i].text);
        if (f[i].help[0]) printf("        %-30s -> %s\n", "", f[i].help);
    }
    printf("\n%s\n", usable ? "Tensor copies work here."
                            : "Tensor copies were not seen to work here. Checking, explaining, "
                              "repairing, encoding\nand decoding need no GPU.");
}

static void print_json(const struct cli *cli, const struct tmap_finding *f, size_t count,
                       bool usable)
{
    json_t *out = json_object(), *list = json_array(), *built = json_array();
    for (size_t i = 0; i < PARTS; i++)
        json_array_append_new(
            built, json_pack("{s:s, s:b}", "what", parts[i].what, "built", parts[i].built));
    for (size_t i = 0; i < count; i++) {
        json_t *line = json_pack("{s:s, s:s, s:b, s:s}", "what", f[i].what, "health",
                                 healths[f[i].health], "needed", f[i].needed, "text", f[i].text);
        if (f[i].help[0]) json_object_set_new(line, "help", json_string(f[i].help));
        json_array_append_new(list, line);
    }
    json_object_set_new(out, "tmap", json_string(tmap_version()));
    json_object_set_new(out, "target", io_target_json(&cli->target));
    json_object_set_new(out, "usable", json_boolean(usable));
    json_object_set_new(out, "parts", built);
    json_object_set_new(out, "findings", list);
    io_print_json(stdout, out, cli_indent(cli));
}

static enum cli_exit run(struct cli *cli)
{
    struct tmap_finding findings[TMAP_MAX_FINDINGS];
    size_t found = 0;
    bool usable = false;
    int32_t ordinal;
    if (cli->operand_count) return cli_usage(cli, "takes no operand, not '%s'", cli->operand[0]);
    if (!cli_device(cli, &ordinal)) return CLI_USAGE;
    const enum tmap_status status =
        tmap_doctor(cli_get(cli, "libcuda"), ordinal, findings, TMAP_MAX_FINDINGS, &found, &usable);
    if (status != TMAP_OK) return cli_status(cli, status, "doctor");
    if (found > TMAP_MAX_FINDINGS) found = TMAP_MAX_FINDINGS;
    if (cli->format != IO_TEXT)
        print_json(cli, findings, found, usable);
    else
        print_text(findings, found, usable);
    return usable ? CLI_OK : CLI_ILLEGAL;
}

static const struct cli_option options[] = {
    {"device", 0, "NUMBER", "which GPU (0)"},
    {"libcuda", 0, "FILE", "the driver's library (libcuda.so.1)"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_doctor = {
    .name = "doctor",
    .summary = "what this machine has, and one proof that tensor copies work on it",
    .operands = "[OPTION...]",
    .examples = "  tmap doctor                            toolkit, driver, GPU, one copy\n"
                "  tmap doctor --format json\n",
    .about = "Exit code 0: a tensor copy was seen to work. 1: it was not; the report says what is\n"
             "missing and how to get it.\n",
    .groups = CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
