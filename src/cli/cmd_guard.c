/* cmd_guard.c : the condition as code. */
#include "cli/symbolic_input.h"
#include "io/report/report.h"

#include <stdlib.h>
#include <string.h>

struct guard {
    struct tmap_symbolic *context;
    struct tmap_condition *condition;
    enum tmap_guard_language language;
    const char *name;
    enum tmap_basis basis;
};

static enum tmap_status write_guard(void *user, char *at, size_t cap, size_t *length)
{
    struct guard *g = user;
    return tmap_guard_c(g->context, g->condition, g->language, g->name, at, cap, length);
}

static const char *const languages[] = {"c", "cuda", "python"};

static bool language_of(const struct cli *cli, enum tmap_guard_language *out)
{
    const char *text = cli_get(cli, "as");
    *out = TMAP_GUARD_C;
    for (int i = 0; text && i < 3; i++) {
        if (strcmp(text, languages[i]) == 0) {
            *out = (enum tmap_guard_language)i;
            return true;
        }
    }
    return text == NULL;
}

/* As condition's JSON says it. */
static const char *verdict_of(const struct tmap_condition *condition)
{
    const enum tmap_verdict verdict = tmap_condition_verdict(condition);

    if (verdict == TMAP_ILLEGAL && !tmap_condition_is_never(condition)) return "conditional";
    return io_verdict_name(verdict);
}

/* docs/schema/guard.json */
static void print(const struct cli *cli, const struct guard *g, const char *text)
{
    if (cli->format == IO_TEXT) {
        fputs(text, stdout);
        return;
    }
    io_print_json(stdout,
                  json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", g->name, "language",
                            languages[g->language], "verdict", verdict_of(g->condition), "basis",
                            io_basis_name(g->basis), "code", io_string_json(text)),
                  cli_indent(cli));
}

static void emit(struct cli *cli, struct guard *g)
{
    char *text = cli_symbolic_text(cli, g->context, write_guard, g, "guard");
    if (text) print(cli, g, text);
    if (tmap_condition_is_never(g->condition)) {
        cli_message(cli, "no value is legal: the guard always says no");
        const bool known = tmap_condition_verdict(g->condition) == TMAP_ILLEGAL;
        cli_note(cli, known ? CLI_ILLEGAL : CLI_UNDECIDED);
    }
    free(text);
}

static void guard(struct cli *cli, struct guard *g, const struct cli_symbolic *in)
{
    struct tmap_checker checker;
    tmap_checker_prepare(&cli->target, cli->contract, &checker);
    const enum tmap_status status = tmap_condition_of(g->context, &checker, in->desc, in->n,
                                                      in->assume, in->n_assume, &g->condition);
    if (status == TMAP_OK) {
        g->basis = checker.basis;
        emit(cli, g);
        tmap_condition_free(g->condition);
    } else {
        cli_symbolic_trouble(cli, g->context, status, "guard");
    }
}

static enum cli_exit run(struct cli *cli)
{
    struct cli_symbolic in;
    struct guard g = {.name = cli_get(cli, "name")};
    if (!g.name) g.name = "tmap_is_legal";
    if (!language_of(cli, &g.language))
        return cli_no_value(cli, "--as", "c, cuda or python", cli_get(cli, "as"));
    g.context = cli_symbolic_context(cli);
    if (!g.context) return CLI_OK;
    if (cli_symbolic_read(cli, &in)) {
        cli_symbolic_compact(&in);
        if (in.n) guard(cli, &g, &in);
    }
    cli_symbolic_free(&in);
    tmap_symbolic_close(g.context);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"assume", 'a', "TEXT", "an assumption beside those of the records: 'K % 8 == 0'"},
    {"as", 0, "LANGUAGE", "c, cuda or python (c)"},
    {"name", 'n', "NAME", "what the function is called (tmap_is_legal)"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_guard = {
    .name = "guard",
    .summary = "a function that tests at run time whether symbolic descriptors are legal",
    .operands = "[OPTION...] [FILE...]",
    .examples = "  tmap guard --as c --name can_use_tma gemm.json > can_use_tma.h\n",
    .about = "All descriptors of the files together make one function of their parameters.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_BUDGET | CLI_DESC,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .asks_solvers = true,
    .run = run};
