/* main.c : finds the command, runs it, and settles the exit code.
 *
 * Whatever ends a run, stdout is flushed and checked: an output that cannot be written is exit
 * code 2 with one message; a reader that went away (EPIPE) is no news to it, so it gets none. */
#include "cli/paths.h"
#include "cli/each.h"
#include "cli/helper.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "io/report/outside.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static enum cli_exit write_trouble(void)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) != 0) failed = true;
    if (!failed) return CLI_OK;
    if (errno != EPIPE && errno != 0)
        fprintf(stderr, "tmap: cannot write to standard output: %s\n", strerror(errno));
    else if (errno == 0)
        fprintf(stderr, "tmap: cannot write to standard output\n");
    return CLI_INPUT;
}

static int finish(unsigned noted, int child_code)
{
    noted |= 1u << write_trouble();
    const enum cli_exit code = cli_strongest(noted);
    return code == CLI_OK ? child_code : (int)code;
}

static enum cli_exit unknown_command(const char *name)
{
    char meant[64];
    fputs("tmap: there is no command '", stderr);
    io_put(stderr, name);
    fprintf(stderr, "'%s (tmap --help lists them)\n", cli_command_meant(name, meant, sizeof meant));
    return CLI_USAGE;
}

static int run(int argc, char **argv)
{
    const struct cli_command *command;
    struct cli_progress progress = {.done = 0};
    struct cli cli = {.child_code = 0};
    enum cli_exit code;
    int ended;

    command = cli_command_find(argv[0]);
    if (!command) return finish(1u << unknown_command(argv[0]), 0);
    if (!cli_parse(&cli, command, argc, argv, &code)) return finish(1u << code, 0);
    cli.progress = &progress;
    if (!cli_input_makes_sense(&cli)) return finish(1u << CLI_USAGE, 0);
    if ((command->asks_solvers || cli.prove) && cli_helper_begin(&cli, &ended)) return ended;
    if (cli.shows_progress && !command->tells_itself) cli_progress_begin(&progress, command->name);
    cli_note(&cli, command->run(&cli));
    cli_progress_end(&progress);
    cli_paths_free(&cli);
    return finish(cli.noted, cli.child_code);
}

/* `tmap help check` is `tmap check --help`. */
static enum cli_exit help(const char *name)
{
    const struct cli_command *command = name ? cli_command_find(name) : NULL;
    if (name && !command) return unknown_command(name);
    if (command)
        cli_help(stdout, command);
    else
        cli_help_all(stdout);
    return CLI_OK;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : NULL;

    cli_memory_begin();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error, seen in finish() */
    if (!first) {
        cli_help_all(stderr);
        return CLI_USAGE;
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        cli_version(stdout);
        return finish(0, 0);
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return finish(1u << help(argv[2]), 0);
    return run(argc - 1, argv + 1);
}
