/* cli.h : what a command sees of the command line.
 *
 * A command is one file, src/cli/cmd_<name>.c, with one `const struct cli_command cli_<name>`, and
 * one row in commands.def. Its run() gets the parsed options and returns an exit code; what it
 * notes on the way with cli_note() counts as well, and the strongest of all is the exit code of the
 * process. Results go to stdout, messages to stderr. */
#ifndef TMAP_CLI_CLI_H
#define TMAP_CLI_CLI_H

#include "io/report/format.h"
#include "tmap/tmap.h"

#include <stdarg.h>
#include <stdio.h>

/* Exit codes of the process (README). The strongest wins: 5 3 2 1 4 0. */
enum cli_exit {
    CLI_OK = 0,        /* legal, or done */
    CLI_ILLEGAL = 1,   /* something illegal, no plan, a disagreement, an unmet expectation */
    CLI_INPUT = 2,     /* input that cannot be read, output that cannot be written */
    CLI_USAGE = 3,     /* the command line makes no sense */
    CLI_UNDECIDED = 4, /* a budget, a target that no source covers */
    CLI_INTERNAL = 5   /* a self-check failed: a defect of tmap */
};

/* Groups of shared options (options.def). --color and --help are everybody's. */
enum cli_group {
    CLI_TARGET = 1u << 0,
    CLI_CONTRACT = 1u << 1,
    CLI_FORMAT = 1u << 2,
    CLI_PROVE = 1u << 3,
    CLI_SEED = 1u << 4,
    CLI_BUDGET = 1u << 5,
    CLI_ALWAYS = 1u << 6,
    CLI_DESC = 1u << 7, /* descriptors: each field an option (given.h), and --from (each.h) */
    CLI_TILE = 1u << 8  /* a requested tile: its keys and its tensor's fields options (given.h) */
};

/* An option of one command. The array ends with a row whose name is NULL. */
struct cli_option {
    const char *name;     /* long name */
    int letter;           /* short name, or 0 */
    const char *argument; /* what it takes, for --help; NULL: a switch */
    const char *help;
};

struct cli;

struct cli_command {
    const char *name;
    const char *summary;  /* one line, no capital, no period */
    const char *operands; /* "[OPTION...] [FILE...]" */
    const char *examples; /* lines of --help that show it at work; each ends in a newline */
    const char *about;    /* a few more lines for --help, or NULL */
    unsigned groups;      /* enum cli_group */
    unsigned formats;     /* IO_BIT() of each format it has; the first that is set is the default */
    const struct cli_option *options; /* its own, or NULL */
    bool stops_at_operand;            /* everything from the first operand on is an operand */
    bool ptx_files;                   /* an operand may be a PTX file */
    bool many_arches;                 /* --arch all is allowed: then cli->all_arches is set */
    bool tells_itself;                /* how far it is, or runs a program whose stderr is its own */
    bool asks_solvers;                /* always; others with --prove (helper.h) */
    enum cli_exit (*run)(struct cli *cli);
};

#define CLI_MAX_OPTIONS 48
#define CLI_NAME_SIZE 24 /* of an option */

/* One occurrence of an option on the command line. */
struct cli_value {
    const char *name;
    const char *text; /* "" for a switch */
};

/* The command line, parsed. Nothing in it needs freeing; everything lives as long as main(). */
struct cli {
    const struct cli_command *command;
    char **operand; /* what is not an option: files, ids, subcommands */
    size_t operand_count;
    struct cli_paths *paths; /* of operands that were read (paths.h) */
    size_t path_count;
    struct tmap_target target; /* --cuda --ptx --driver --arch */
    bool all_arches;           /* --arch all */
    enum tmap_contract contract;
    enum io_format format;
    bool color; /* on stdout */
    bool shows_progress;
    struct cli_progress *progress; /* for commands that can count what they do (progress.h) */
    bool prove;
    uint64_t seed, budget;
    struct cli_value value[CLI_MAX_OPTIONS];
    size_t value_count;
    unsigned noted; /* bit per enum cli_exit */
    int child_code; /* of the program that trace ran; the process ends with it when all is well */
};

/* cli_get() : the text of the last --name given; NULL when there is none. cli_has() : whether
 *  there is one. */
const char *cli_get(const struct cli *cli, const char *name);
bool cli_has(const struct cli *cli, const char *name);

/* cli_number() : --name as a number of 64 bits, decimal or hexadecimal, 1e9 too; `otherwise` when
 *  it is not given. False, with a message, when it is no number. */
bool cli_number(const struct cli *cli, const char *name, uint64_t otherwise, uint64_t *out);

/* cli_number_in() : the same, from least to most; `otherwise` need not be among them. */
bool cli_number_in(const struct cli *cli, const char *name, uint64_t otherwise, uint64_t least,
                   uint64_t most, uint64_t *out);
/* cli_device() : --device, the ordinal of a GPU (0). */
bool cli_device(const struct cli *cli, int32_t *out);

/* cli_note() : remembers an exit code. cli_strongest() : which of those noted wins. */
void cli_note(struct cli *cli, enum cli_exit code);
enum cli_exit cli_strongest(unsigned noted);

/* cli_no_value() : a usage error of a name that is none of `names` ("triton, cutlass or tilelang"):
 * what takes them, and which may be meant. */
enum cli_exit cli_no_value(const struct cli *cli, const char *what, const char *names,
                           const char *given);

/* cli_message() : "tmap check: …" and a newline on stderr. cli_usage() : the same, with a pointer
 *  to --help; returns CLI_USAGE, for `return cli_usage(…)`. */
void cli_message(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum cli_exit cli_usage(const struct cli *cli, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* cli_status() : what a tmap_status says about the exit code, with a message for every one but
 *  TMAP_OK; `what` names what was being done. */
enum cli_exit cli_status(const struct cli *cli, enum tmap_status status, const char *what);

/* cli_parse() : reads the options of command from argv (argv[0] is the command's name). True to
 *  run it; false when *code already says how the process ends (--help was printed, or an error). */
bool cli_parse(struct cli *cli, const struct cli_command *command, int argc, char **argv,
               enum cli_exit *code);

/* cli_help() : one command's --help on out; cli_help_all() : the list of commands. */
void cli_help(FILE *out, const struct cli_command *command);
void cli_help_all(FILE *out);

/* cli_command_find() : by name; NULL when there is none. cli_command_meant() : then, what may have
 *  been meant, as io_meant() says it (suggest.h). */
const struct cli_command *cli_command_find(const char *name);
const char *cli_command_meant(const char *name, char *out, size_t size);

/* cli_option_name() : as users write it: options named after a field have '-' for its '_'. */
void cli_option_name(const char *name, char out[CLI_NAME_SIZE]);

/* cli_indent() : of JSON: indented by two, or a line each. */
static inline int cli_indent(const struct cli *cli)
{
    return cli->format == IO_JSON ? 2 : 0;
}

/* cli_formats() : the names of the formats, separated by commas. */
void cli_formats(unsigned formats, char *text, size_t size);

/* cli_shared_options() : the rows of options.def that belong to the groups; returns how many were
 *  written. The help of --format is the command's business and is NULL here. */
size_t cli_shared_options(unsigned groups, struct cli_option *out, size_t cap);
/* cli_field_options() : one for each field of a descriptor, where CLI_DESC is among the groups; of
 *  a tensor, where CLI_TILE is. */
size_t cli_field_options(unsigned groups, struct cli_option *out, size_t cap);

#endif
