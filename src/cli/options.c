/* options.c : from argv to struct cli, through getopt_long and the tables. */
#include "cli/cli.h"

#include "io/report/suggest.h"
#include "io/paste/hint.h"
#include "io/json/number.h"
#include "io/report/outside.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *cli_get(const struct cli *cli, const char *name)
{
    for (size_t i = cli->value_count; i-- > 0;)
        if (strcmp(cli->value[i].name, name) == 0) return cli->value[i].text;
    return NULL;
}

bool cli_has(const struct cli *cli, const char *name)
{
    return cli_get(cli, name) != NULL;
}

void cli_note(struct cli *cli, enum cli_exit code)
{
    cli->noted |= 1u << code;
}

enum cli_exit cli_strongest(unsigned noted)
{
    static const enum cli_exit order[] = {CLI_INTERNAL, CLI_USAGE, CLI_INPUT, CLI_ILLEGAL,
                                          CLI_UNDECIDED};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (noted & 1u << order[i]) return order[i];
    return CLI_OK;
}

static void say(const struct cli *cli, const char *format, va_list args)
{
    char text[2048]; /* what is longer is cut */

    vsnprintf(text, sizeof text, format, args);
    fprintf(stderr, "tmap %s: ", cli->command->name);
    io_put(stderr, text);
    fputc('\n', stderr);
}

void cli_message(const struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(cli, format, args);
    va_end(args);
}

enum cli_exit cli_usage(const struct cli *cli, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(cli, format, args);
    va_end(args);
    fprintf(stderr, "tmap %s: tmap %s --help shows its use\n", cli->command->name,
            cli->command->name);
    return CLI_USAGE;
}

enum cli_exit cli_no_value(const struct cli *cli, const char *what, const char *names,
                           const char *given)
{
    enum { MOST = 40, LONG = 24 };
    char name[MOST][LONG], meant[64];
    struct io_suggestion s = {.wanted = given};
    int n = 0;

    for (const char *p = names; *p && n < MOST; p += strspn(p, ", ")) {
        const size_t length = strcspn(p, ", ");
        if (length < LONG && strncmp(p, "or ", 3) != 0) {
            snprintf(name[n], LONG, "%.*s", (int)length, p);
            io_suggest(&s, name[n++]);
        }
        p += length;
    }
    return cli_usage(cli, "%s takes %s, not '%s'%s", what, names, given,
                     io_meant(&s, meant, sizeof meant));
}

enum cli_exit cli_status(const struct cli *cli, enum tmap_status status, const char *what)
{
    static const struct {
        enum tmap_status status;
        enum cli_exit code;
        const char *text;
    } rows[] = {{TMAP_E_ARGUMENT, CLI_INTERNAL, "an argument that it does not take"},
                {TMAP_E_TARGET, CLI_UNDECIDED, "no source covers this target"},
                {TMAP_E_ILLEGAL, CLI_ILLEGAL, "the descriptor is illegal (tmap check says why)"},
                {TMAP_E_NO_PLAN, CLI_ILLEGAL, "there is no plan"},
                {TMAP_E_UNDECIDED, CLI_UNDECIDED, "undecided: a rule could not be evaluated"},
                {TMAP_E_ROOM, CLI_INTERNAL, "an output array was too small"},
                {TMAP_E_MEMORY, CLI_INTERNAL, "out of memory"},
                {TMAP_E_BUDGET, CLI_UNDECIDED, "the budget ran out"},
                {TMAP_E_NOT_BUILT, CLI_UNDECIDED, "this tmap was built without the part it needs"},
                {TMAP_E_NO_DRIVER, CLI_UNDECIDED, "no usable NVIDIA driver here"},
                {TMAP_E_NO_DEVICE, CLI_UNDECIDED, "no usable GPU here"},
                {TMAP_E_DRIVER, CLI_UNDECIDED, "a driver call failed"},
                {TMAP_E_INTERNAL, CLI_INTERNAL, "a self-check failed: this is a defect of tmap"}};
    if (status == TMAP_OK) return CLI_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == status) {
            cli_message(cli, "%s: %s", what, rows[i].text);
            return rows[i].code;
        }
    cli_message(cli, "%s: status %d", what, (int)status);
    return CLI_INTERNAL;
}

/* "1e9" is how people write counts; a fraction or a negative exponent is refused. */
static bool scaled(const char *text, uint64_t *out)
{
    char head[24];
    const char *e = strpbrk(text, "eE");
    uint64_t value, power;

    if (!e || strncmp(text, "0x", 2) == 0) return io_parse_u64(text, out);
    if ((size_t)(e - text) >= sizeof head) return false;
    memcpy(head, text, (size_t)(e - text));
    head[e - text] = 0;
    if (!io_parse_u64(head, &value) || !io_parse_u64(e + 1, &power) || power > 19) return false;
    while (power-- > 0) {
        if (value > UINT64_MAX / 10) return false;
        value *= 10;
    }
    *out = value;
    return true;
}

bool cli_number(const struct cli *cli, const char *name, uint64_t otherwise, uint64_t *out)
{
    const char *text = cli_get(cli, name);
    *out = otherwise;
    if (!text || scaled(text, out)) return true;
    cli_usage(cli, "--%s takes a number, not '%s'", name, text);
    return false;
}

bool cli_number_in(const struct cli *cli, const char *name, uint64_t otherwise, uint64_t least,
                   uint64_t most, uint64_t *out)
{
    if (!cli_number(cli, name, otherwise, out)) return false;
    if (!cli_has(cli, name) || (*out >= least && *out <= most)) return true;
    cli_usage(cli, "--%s takes %" PRIu64 " to %" PRIu64 ", not %s", name, least, most,
              cli_get(cli, name));
    return false;
}

bool cli_device(const struct cli *cli, int32_t *out)
{
    uint64_t ordinal;
    if (!cli_number_in(cli, "device", 0, 0, INT32_MAX, &ordinal)) return false;
    *out = (int32_t)ordinal;
    return true;
}

/* All options of a command, the shared ones after its own, as getopt_long wants them. */
struct table {
    struct cli_option option[CLI_MAX_OPTIONS];
    struct option wanted[CLI_MAX_OPTIONS + 1];
    char name[CLI_MAX_OPTIONS][CLI_NAME_SIZE];
    char letters[2 * CLI_MAX_OPTIONS + 3];
    size_t count;
};

static void collect(struct table *table, const struct cli_command *command)
{
    size_t n = 0, used = 0;
    for (const struct cli_option *o = command->options; o && o->name && n < CLI_MAX_OPTIONS; o++)
        table->option[n++] = *o;
    n += cli_shared_options(command->groups | CLI_ALWAYS, table->option + n, CLI_MAX_OPTIONS - n);
    n += cli_field_options(command->groups, table->option + n, CLI_MAX_OPTIONS - n);
    if (command->stops_at_operand) table->letters[used++] = '+';
    table->letters[used++] = ':';
    for (size_t i = 0; i < n; i++) {
        const struct cli_option *o = &table->option[i];
        cli_option_name(o->name, table->name[i]);
        table->wanted[i] = (struct option){table->name[i], o->argument != NULL, NULL, 256 + (int)i};
        if (!o->letter) continue;
        table->letters[used++] = (char)o->letter;
        if (o->argument) table->letters[used++] = ':';
    }
    table->letters[used] = 0;
    table->wanted[n] = (struct option){0};
    table->count = n;
}

static const struct cli_option *option_of(const struct table *table, int code)
{
    for (size_t i = 0; i < table->count; i++)
        if (code == 256 + (int)i || code == table->option[i].letter) return &table->option[i];
    return NULL;
}

/* The name here of an option that is called otherwise elsewhere; of any other its own. */
static const char *name_here(const char *wanted)
{
    static const struct {
        const char *elsewhere, *here;
    } names[] = {
#define MEANT(elsewhere, here) {elsewhere, here},
#include "cli/meant.def"
#undef MEANT
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].elsewhere, wanted) == 0) return names[i].here;
    return wanted;
}

/* "--c may be --cuda, --contract, --color": several options begin so. */
static bool is_ambiguous(const struct cli *cli, const struct table *table, const char *wanted)
{
    char all[200] = "";
    size_t used = 0, n = 0;

    for (size_t i = 0; i < table->count && used < sizeof all; i++)
        if (strncmp(table->name[i], wanted + 2, strlen(wanted + 2)) == 0)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s--%s", n++ ? ", " : "",
                                     table->name[i]);
    if (n > 1) cli_usage(cli, "%s may be %s", wanted, all);
    return n > 1;
}

/* "there is no option --formt; did you mean '--format'?" */
static void no_option(const struct cli *cli, const struct table *table, const char *text)
{
    char wanted[48], long_name[CLI_MAX_OPTIONS][32], meant[64];
    struct io_suggestion s = {0};

    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(text, "="), text);
    if (strlen(wanted) > 2 && is_ambiguous(cli, table, wanted)) return;
    s.wanted = name_here(wanted);
    for (size_t i = 0; i < table->count; i++) {
        snprintf(long_name[i], sizeof long_name[i], "--%s", table->name[i]);
        io_suggest(&s, long_name[i]);
    }
    cli_usage(cli, "there is no option %s%s", text, io_meant(&s, meant, sizeof meant));
}

/* What getopt_long() stopped at: of -qz only the z is wrong (optopt), and argv may be behind. */
static void wrong_option(const struct cli *cli, const struct table *table, char **argv, int code)
{
    const char letter[] = {'-', (char)optopt, 0};
    const char *text = optopt > 0 && optopt < 256 ? letter : argv[optind - 1];

    if (code == ':')
        cli_usage(cli, "%s needs a value", text);
    else if (optopt >= 256)
        cli_usage(cli, "--%s takes no value", table->name[optopt - 256]);
    else
        no_option(cli, table, text);
}

static bool read_values(struct cli *cli, int argc, char **argv, bool *help)
{
    struct table table;
    int code;

    collect(&table, cli->command);
    opterr = 0;
    optind = 0; /* the GNU way to start over */
    while ((code = getopt_long(argc, argv, table.letters, table.wanted, NULL)) != -1) {
        const struct cli_option *o = option_of(&table, code);
        if (!o || code == '?' || code == ':') {
            wrong_option(cli, &table, argv, code);
            return false;
        }
        if (strcmp(o->name, "help") == 0) *help = true;
        if (cli->value_count == CLI_MAX_OPTIONS) {
            cli_usage(cli, "more than %d options", CLI_MAX_OPTIONS);
            return false;
        }
        cli->value[cli->value_count++] = (struct cli_value){o->name, o->argument ? optarg : ""};
    }
    cli->operand = argv + optind;
    cli->operand_count = (size_t)(argc - optind);
    return true;
}

/* Whether the text begins as a version does, which a file's name seldom does. */
static bool is_version(const char *text)
{
    return text[0] >= '0' && text[0] <= '9' && !strchr(text, '/') && !strstr(text, ".ptx");
}

static bool is_wrong(const char *cuda, const char *ptx, const char *driver)
{
    struct tmap_target target;
    return tmap_target_from(cuda, ptx, driver, NULL, &target) == TMAP_E_ARGUMENT;
}

static void no_arch(const struct cli *cli, const char *name)
{
    struct io_suggestion s = {.wanted = name};
    char meant[64];

    for (size_t i = 0; tmap_arch_at(i); i++) io_suggest(&s, tmap_arch_name(tmap_arch_at(i)));
    cli_usage(cli, "there is no architecture '%s'%s", name, io_meant(&s, meant, sizeof meant));
}

static bool read_target(struct cli *cli)
{
    const char *cuda = cli_get(cli, "cuda"), *driver = cli_get(cli, "driver");
    const char *arch = cli_get(cli, "arch"), *ptx;
    enum tmap_status status;

    ptx = cli_get(cli, "ptx");
    if (arch && strcmp(arch, "all") == 0 && cli->command->many_arches) {
        cli->all_arches = true;
        arch = NULL;
    }
    if (ptx && !is_version(ptx)) {
        cli_usage(cli, "--ptx takes a version, 8.4, not '%s'%s", ptx,
                  cli->command->ptx_files ? "; a PTX file is an operand: tmap check FILE.ptx" : "");
        return false;
    }
    if (arch && !tmap_arch_find(arch) && io_hint_gpu(arch)) arch = io_hint_gpu(arch);
    status = tmap_target_from(cuda, ptx, driver, arch, &cli->target);
    if (status == TMAP_OK) return true;
    if (status == TMAP_E_TARGET)
        no_arch(cli, arch ? arch : "");
    else if (is_wrong(cuda, NULL, NULL))
        cli_usage(cli, "--cuda takes a toolkit's version, 12.4, not '%s'", cuda);
    else if (is_wrong(NULL, ptx, NULL))
        cli_usage(cli, "--ptx takes a version, 8.4, not '%s'", ptx);
    else if (is_wrong(NULL, NULL, driver))
        cli_usage(cli, "--driver takes a branch, 550, not '%s'", driver);
    else
        cli_usage(cli, "--arch takes an architecture, sm_90a, not '%s'", arch ? arch : "");
    return false;
}

static bool read_contract(struct cli *cli)
{
    static const char *const names[] = {"safe", "documented", "driver", "hardware"};
    const char *text = cli_get(cli, "contract");
    if (!text) return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i]) == 0) {
            cli->contract = (enum tmap_contract)i;
            return true;
        }
    cli_no_value(cli, "--contract", "safe, documented, driver or hardware", text);
    return false;
}

static bool read_format(struct cli *cli)
{
    const char *text = cli_get(cli, "format");
    char names[80];
    for (int i = IO_FORMATS; i-- > 0;)
        if (cli->command->formats & IO_BIT(i)) cli->format = (enum io_format)i;
    if (!text) return true;
    if (io_format_find(text, &cli->format) && cli->command->formats & IO_BIT(cli->format))
        return true;
    cli_formats(cli->command->formats, names, sizeof names);
    cli_no_value(cli, "--format", names, text);
    return false;
}

static bool read_progress(struct cli *cli)
{
    const char *when = cli_get(cli, "progress");

    if (!when || strcmp(when, "auto") == 0) {
        cli->shows_progress = isatty(STDERR_FILENO);
        return true;
    }
    cli->shows_progress = strcmp(when, "always") == 0;
    if (cli->shows_progress || strcmp(when, "never") == 0) return true;
    cli_no_value(cli, "--progress", "auto, always or never", when);
    return false;
}

static bool read_color(struct cli *cli)
{
    const char *when = cli_get(cli, "color"), *term = getenv("TERM"), *no = getenv("NO_COLOR");
    if (!when || strcmp(when, "auto") == 0) {
        cli->color = isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
        return true;
    }
    cli->color = strcmp(when, "always") == 0;
    if (cli->color || strcmp(when, "never") == 0) return true;
    cli_no_value(cli, "--color", "auto, always or never", when);
    return false;
}

bool cli_parse(struct cli *cli, const struct cli_command *command, int argc, char **argv,
               enum cli_exit *code)
{
    bool help = false;

    *cli = (struct cli){.command = command};
    *code = CLI_USAGE;
    if (!read_values(cli, argc, argv, &help)) return false;
    if (help) {
        cli_help(stdout, command);
        *code = CLI_OK;
        return false;
    }
    cli->prove = cli_has(cli, "prove");
    return read_target(cli) && read_contract(cli) && read_format(cli) && read_color(cli) &&
           read_progress(cli) && cli_number(cli, "seed", 1, &cli->seed) &&
           cli_number(cli, "budget", 0, &cli->budget);
}
