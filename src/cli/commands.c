/* commands.c : the table of commands, and --help. */
#include "cli/cli.h"
#include "io/report/suggest.h"

#include <string.h>

#define COMMAND(name) extern const struct cli_command cli_##name;
#include "cli/commands.def"

static const struct cli_command *const commands[] = {
#define COMMAND(name) &cli_##name,
#include "cli/commands.def"
    NULL};

const struct cli_command *cli_command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

const char *cli_command_meant(const char *name, char *out, size_t size)
{
    struct io_suggestion s = {.wanted = name};
    for (size_t i = 0; commands[i]; i++) io_suggest(&s, commands[i]->name);
    io_suggest(&s, "--version");
    io_suggest(&s, "--help");
    return io_meant(&s, out, size);
}

void cli_help_all(FILE *out)
{
    fputs("tmap decides, explains and repairs NVIDIA TMA tensor-map descriptors.\n\n"
          "  tmap check descriptors.json        verdict, every violated rule, the nearest fix\n"
          "  tmap explain TMA001                one rule in full\n\n"
          "Commands (tmap COMMAND --help shows each at work):\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\nA FILE holds one JSON object, an array of them, or one a line; - or no file is\n"
          "standard input. Results go to stdout, messages to stderr.\n\n"
          "Exit code: 0 legal or done, 1 something illegal, 2 input unreadable, 3 usage,\n"
          "4 undecided, 5 internal error. tmap --version prints the version.\n",
          out);
}
