/* cmd_rules.c : the table of rules, filtered. */
#include "cli/cli.h"
#include "io/report/report.h"
#include "io/report/rule.h"

#include <string.h>

/* What a row must be to be listed; NULL and false ask for nothing. */
struct filter {
    const char *effect;
    bool has_subject, has_contract, has_target;
    enum row_subject subject;
};

static bool read_filter(const struct cli *cli, struct filter *out)
{
    const char *subject = cli_get(cli, "subject"), *effect = cli_get(cli, "effect");

    *out = (struct filter){.effect = effect};
    out->has_contract = cli_has(cli, "contract");
    out->has_target = cli_has(cli, "cuda") || cli_has(cli, "ptx") || cli_has(cli, "driver") ||
                      cli_has(cli, "arch");
    out->has_subject = subject != NULL;
    if (subject && !io_subject_find(subject, &out->subject)) {
        cli_no_value(cli, "--subject", "descriptor, errata, map, use or pipeline", subject);
        return false;
    }
    if (effect && strcmp(effect, "violation") != 0 && strcmp(effect, "advisory") != 0) {
        cli_no_value(cli, "--effect", "violation or advisory", effect);
        return false;
    }
    return true;
}

static bool passes(const struct cli *cli, const struct filter *filter, tmap_row row)
{
    const char *effect = io_effect_name((enum row_effect)row_table[row].effect);

    if (filter->has_subject && row_subject_of(row) != filter->subject) return false;
    if (filter->effect && strcmp(filter->effect, effect) != 0) return false;
    if (!filter->has_contract && !filter->has_target) return true;
    return io_row_is_active(&cli->target, cli->contract, row);
}

/* A letter per source: its sign, or a dot where the row does not name it. */
static void signs(tmap_row row, char out[6])
{
    strcpy(out, ".....");
    for (const struct row_evidence *e = row_table[row].evidence; e->source != SOURCE_NONE; e++)
        out[e->source - SOURCE_API] = io_sign_text((enum row_sign)e->sign)[0];
}

static void line(tmap_row row)
{
    char evidence[6];

    signs(row, evidence);
    printf("%s  %-10s %-9s  %s  %s\n", tmap_row_id(row), io_subject_name(row_subject_of(row)),
           io_effect_name((enum row_effect)row_table[row].effect), evidence, tmap_row_name(row));
}

static enum cli_exit run(struct cli *cli)
{
    struct filter filter;
    size_t shown = 0;

    if (cli->operand_count) return cli_usage(cli, "takes no operand (tmap explain RULE)");
    if (!read_filter(cli, &filter)) return CLI_USAGE;
    if (cli->format == IO_JSON) putchar('[');
    if (cli->format == IO_TEXT) puts("                               APGDH");
    for (size_t i = 0; i < tmap_row_count() && !ferror(stdout); i++) {
        const tmap_row row = (tmap_row)i;
        if (!passes(cli, &filter, row)) continue;
        if (cli->format == IO_JSON && shown) putchar(',');
        shown++;
        if (cli->format == IO_TEXT)
            line(row);
        else
            io_print_json(stdout, io_rule_json(&cli->target, row), 0);
    }
    if (cli->format == IO_JSON) puts("]");
    if (cli->format == IO_TEXT)
        printf("%zu rules. A P G D H: API, PTX, guides, driver, hardware; + stated or seen,\n"
               "- seen not enforced, ? cannot be tried.\n",
               shown);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"subject", 's', "SUBJECT", "descriptor, errata, map, use or pipeline"},
    {"effect", 'e', "EFFECT", "violation or advisory"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_rules = {
    .name = "rules",
    .summary = "the table of rules, all or filtered",
    .operands = "[OPTION...]",
    .examples = "  tmap rules                            all of them, one a line\n"
                "  tmap rules --contract driver          what the encode call refuses\n"
                "  tmap rules --subject use -f json      about uses, with everything known\n",
    .about = "With a target or a contract, only the rules that count there are listed.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
