/* help.c : one command's --help, and the options that commands share. */
#include "cli/cli.h"

#include <string.h>

/* A field of the descriptor that one option can say. */
static bool is_option(const char *part, const char *json)
{
    return strcmp(part, "desc") == 0 && !strchr(json, '.') && strcmp(json, "flag") != 0;
}

/* Options have '-' where JSON has '_'. */
void cli_option_name(const char *name, char out[CLI_NAME_SIZE])
{
    size_t n = 0;
    for (; name[n] && n + 1 < CLI_NAME_SIZE; n++) out[n] = name[n] == '_' ? '-' : name[n];
    out[n] = 0;
}

size_t cli_shared_options(unsigned groups, struct cli_option *out, size_t cap)
{
    size_t n = 0;
#define OPTION(group, name, letter, argument, help)                                                \
    if (groups & CLI_##group && n < cap)                                                           \
        out[n++] = (struct cli_option){name, letter, argument, help};
#include "cli/options.def"
    return n;
}

/* Of a tensor alone: a tile stands for the box, and a plan has the rest. */
static bool is_of_tensor(const char *json)
{
    static const char *const names[] = {"dtype", "address", "dim", "stride"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(json, names[i]) == 0) return true;
    return false;
}

static void add_field(const char *part, unsigned groups, struct cli_option field,
                      struct cli_option *out, size_t cap, size_t *n)
{
    if (!(groups & CLI_DESC) && !is_of_tensor(field.name)) return;
    if (is_option(part, field.name) && *n < cap) out[(*n)++] = field;
}

size_t cli_field_options(unsigned groups, struct cli_option *out, size_t cap)
{
    size_t n = 0;
    if (!(groups & (CLI_DESC | CLI_TILE))) return 0;
#define FIELD(word, json, count, span, part, member, type, values, kinds, null, param, unit)       \
    add_field(#part, groups,                                                                       \
              (struct cli_option){json, 0, (count) > 1 ? "N,N,..." : "VALUE", param ", " unit},    \
              out, cap, &n);
#include "rules/fields.def"
#undef FIELD
    return n;
}

static void print_option(FILE *out, const struct cli_option *option, const char *help)
{
    char left[40], name[CLI_NAME_SIZE];
    cli_option_name(option->name, name);
    snprintf(left, sizeof left, "--%s%s%s", name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    if (option->letter)
        fprintf(out, "  -%c, %-20s %s\n", option->letter, left, help);
    else
        fprintf(out, "      %-20s %s\n", left, help);
}

void cli_formats(unsigned formats, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < IO_FORMATS; i++)
        if (formats & IO_BIT(i) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     io_format_name((enum io_format)i));
}

/* They are named as JSON's keys, so their names say enough. */
static void print_fields(FILE *out, const struct cli_option *option, size_t count)
{
    char name[CLI_NAME_SIZE];
    int column = fprintf(out, "\nA descriptor without a file, by its fields:");

    for (size_t i = 0; i < count; i++) {
        cli_option_name(option[i].name, name);
        if (column + (int)strlen(name) > 84) column = fprintf(out, "\n ") - 1;
        column += fprintf(out, " --%s", name);
    }
    fputc('\n', out);
}

void cli_help(FILE *out, const struct cli_command *command)
{
    struct cli_option shared[CLI_MAX_OPTIONS];
    size_t n = cli_shared_options(command->groups | CLI_ALWAYS, shared, CLI_MAX_OPTIONS);
    char formats[64];

    fprintf(out, "tmap %s %s\n%s\n\n%s\n", command->name, command->operands, command->summary,
            command->examples);
    if (command->about) fprintf(out, "%s\n", command->about);
    for (const struct cli_option *o = command->options; o && o->name; o++)
        print_option(out, o, o->help);
    cli_formats(command->formats, formats, sizeof formats);
    for (size_t i = 0; i < n; i++)
        print_option(out, &shared[i], shared[i].help ? shared[i].help : formats);
    n = cli_field_options(command->groups, shared, CLI_MAX_OPTIONS);
    if (n) print_fields(out, shared, n);
}
