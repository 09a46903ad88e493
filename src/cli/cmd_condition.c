/* cmd_condition.c : for which parameter values descriptors are legal. */
#include "cli/symbolic_input.h"
#include "io/report/outside.h"
#include "io/report/report.h"

#include <stdlib.h>

struct conditions {
    struct cli *cli;
    struct tmap_symbolic *context;
    struct tmap_checker checker;
    size_t printed;
};

struct text_of {
    struct tmap_symbolic *context;
    const struct tmap_condition *condition;
    enum tmap_formula_form form;
};

static enum tmap_status write_formula(void *user, char *at, size_t cap, size_t *length)
{
    struct text_of *t = user;
    return tmap_condition_text(t->context, t->condition, t->form, at, cap, length);
}

static char *formula(struct conditions *all, const struct tmap_condition *condition,
                     enum tmap_formula_form form)
{
    struct text_of t = {all->context, condition, form};
    return cli_symbolic_text(all->cli, all->context, write_formula, &t, "condition");
}

static void print_point(const struct tmap_condition *condition, const char *what,
                        bool (*point)(const struct tmap_condition *condition, int64_t *values))
{
    int64_t value[32];
    if (tmap_condition_param_count(condition) == 0 || !point(condition, value)) return;
    printf("  %s, for example:", what);
    for (size_t i = 0; i < tmap_condition_param_count(condition); i++) {
        printf("%s %s = %lld", i ? "," : "", tmap_condition_param(condition, i),
               (long long)value[i]);
    }
    putchar('\n');
}

static void print_rows(const struct tmap_condition *condition)
{
    struct tmap_violation row[256];
    size_t n = 0;
    tmap_condition_rows(condition, row, 256, &n);
    if (n == 0) return;
    printf("  from:");
    for (size_t i = 0; i < n && i < 256; i++) {
        printf(" %s", tmap_row_id(row[i].row));
        if (row[i].index >= 0) printf("[%d]", row[i].index);
    }
    putchar('\n');
}

static void print_padding(struct conditions *all, const struct tmap_condition *condition)
{
    char text[2048];
    size_t length;
    enum tmap_status status =
        tmap_condition_padding(all->context, condition, TMAP_FORM_TEXT, text, sizeof text, &length);
    if (status == TMAP_OK) {
        printf("  least padding: %s%s\n", text, length < sizeof text ? "" : " …");
    } else {
        printf("  least padding: none given: %s\n", tmap_symbolic_why(all->context));
    }
}

static void print_text(struct conditions *all, const char *name,
                       const struct tmap_condition *condition)
{
    char *text = formula(all, condition, TMAP_FORM_TEXT);
    enum tmap_verdict verdict = tmap_condition_verdict(condition);
    if (!text) return;
    io_put(stdout, name);
    if (tmap_condition_is_vacuous(condition)) {
        puts(": the assumptions admit no value");
    } else if (tmap_condition_is_never(condition)) {
        puts(verdict == TMAP_UNKNOWN ? ": unknown, and legal for no value" : ": never legal");
    } else if (verdict == TMAP_LEGAL) {
        puts(": legal for all parameters that the assumptions allow");
    } else {
        printf(": legal if and only if %s\n", text);
    }
    if (verdict == TMAP_UNKNOWN) {
        printf("  unknown: %s\n", tmap_condition_reason(condition));
    }
    free(text);
    print_rows(condition);
    print_point(condition, "not legal", tmap_condition_counterexample);
    print_point(condition, "unknown", tmap_condition_undecided);
    if (verdict != TMAP_LEGAL && !tmap_condition_is_never(condition)) print_padding(all, condition);
    if (all->checker.basis == TMAP_INFERRED) puts("  inferred: this target was not observed");
}

/* One element of the array, or one line: the name, where it is given, then text, which is an
 * object's without its opening brace. */
static void print_object(struct conditions *all, const char *name, const char *text)
{
    const bool list = all->cli->format == IO_JSON;

    printf("%s{", list ? all->printed ? ",\n " : "[" : "");
    if (name) {
        json_t *label = io_string_json(name);
        fputs("\"name\": ", stdout);
        io_put_json(stdout, label, JSON_ENCODE_ANY);
        fputs(", ", stdout);
        json_decref(label);
    }
    io_put(stdout, text);
    if (!list) putchar('\n');
    all->printed++;
}

static void print_json(struct conditions *all, const char *name,
                       const struct tmap_condition *condition)
{
    char *text = formula(all, condition, TMAP_FORM_JSON);
    if (text) print_object(all, name, text + 1);
    free(text);
}

static void print_value(struct conditions *all, json_t *value)
{
    char *text = json_dumps(value, JSON_ENSURE_ASCII);
    if (text) print_object(all, NULL, text + 1);
    free(text);
    json_decref(value);
}

/* In the place of a condition: what is no expression is an error of the record, and what could not
 * be decided is unknown. */
static void print_failure(struct conditions *all, const char *name, struct io_record *record,
                          enum tmap_status status)
{
    const char *why = tmap_symbolic_why(all->context);
    if (all->cli->format == IO_TEXT) return;
    if (status == TMAP_E_ARGUMENT && record) {
        if (!record->error[0]) io_fail(record, "$", "%s", why);
        print_value(all, io_error_json(record));
        return;
    }
    print_value(all, json_pack("{s:o, s:s, s:s, s:o}", "name", io_string_json(name), "verdict",
                               "unknown", "basis",
                               all->checker.basis == TMAP_OBSERVED ? "observed" : "inferred",
                               "reason", io_string_json(why)));
}

/* record: whose condition it is; NULL: of several. */
static void answer(struct conditions *all, const char *name, struct io_record *record,
                   const struct tmap_symbolic_desc *desc, size_t n, const char **assume,
                   size_t n_assume)
{
    struct tmap_condition *condition = NULL;
    enum tmap_status status =
        tmap_condition_of(all->context, &all->checker, desc, n, assume, n_assume, &condition);
    if (status != TMAP_OK) {
        cli_symbolic_trouble(all->cli, all->context, status, name);
        print_failure(all, name, record, status);
        return;
    }
    if (all->cli->format == IO_TEXT) {
        print_text(all, name, condition);
    } else {
        print_json(all, name, condition);
    }
    enum tmap_verdict verdict = tmap_condition_verdict(condition);
    if (tmap_condition_is_never(condition) && verdict == TMAP_ILLEGAL)
        cli_note(all->cli, CLI_ILLEGAL);
    if (cli_has(all->cli, "forall") && verdict == TMAP_ILLEGAL) cli_note(all->cli, CLI_ILLEGAL);
    if (verdict == TMAP_UNKNOWN) cli_note(all->cli, CLI_UNDECIDED);
    tmap_condition_free(condition);
}

/* Each descriptor under its own assumptions and those of the command line: assume has room for the
 * assumptions of all. */
static void answer_each(struct conditions *all, const struct cli_symbolic *in, const char **assume)
{
    for (size_t i = 0; i < in->n; i++) {
        char number[32];
        const char *name = in->record[i].name;
        if (in->record[i].error[0]) {
            print_failure(all, "", &in->record[i], TMAP_E_ARGUMENT);
            continue;
        }
        size_t n = io_assumptions_of(&in->record[i], assume, in->n_assume);
        for (size_t k = in->n_own; k < in->n_assume; k++) assume[n++] = in->assume[k];
        snprintf(number, sizeof number, "descriptor %zu", i + 1);
        answer(all, name ? name : number, &in->record[i], &in->desc[i], 1, assume, n);
    }
}

static void answer_all(struct conditions *all, struct cli_symbolic *in)
{
    if (cli_has(all->cli, "joint")) {
        cli_symbolic_compact(in);
        if (in->n) answer(all, "all of them", NULL, in->desc, in->n, in->assume, in->n_assume);
        return;
    }
    const char **assume = calloc(in->n_assume + 1, sizeof *assume);
    if (assume)
        answer_each(all, in, assume);
    else
        cli_note(all->cli, cli_status(all->cli, TMAP_E_MEMORY, "condition"));
    free((void *)assume);
}

static enum cli_exit run(struct cli *cli)
{
    struct cli_symbolic in;
    struct conditions all = {.cli = cli, .context = cli_symbolic_context(cli)};
    tmap_checker_prepare(&cli->target, cli->contract, &all.checker);
    if (all.context) {
        if (cli_symbolic_read(cli, &in)) answer_all(&all, &in);
        if (cli->format == IO_JSON) puts(all.printed ? "]" : "[]");
        cli_symbolic_free(&in);
    }
    tmap_symbolic_close(all.context);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"assume", 'a', "TEXT", "an assumption beside those of the records: 'K % 8 == 0'"},
    {"joint", 'j', NULL, "one condition for all descriptors together"},
    {"forall", 0, NULL, "exit code 1 unless legal for all values that the assumptions allow"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_condition = {
    .name = "condition",
    .summary = "for which parameter values symbolic descriptors are legal",
    .operands = "[OPTION...] [FILE...]",
    .examples =
        "  tmap condition examples/symbolic/gemm_a_bf16.json\n"
        "  tmap condition --joint gemm.json --assume 'M >= 1'\n"
        "  tmap condition --dtype bf16 --dim K,M --stride '2*K' --box 64,128 --swizzle 128B\n",
    .about = "In a symbolic descriptor a number may be a string such as \"2*K\"; \"assume\" lists\n"
             "what is known of the parameters.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_BUDGET | CLI_DESC,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .asks_solvers = true,
    .run = run};
