/* cmd_diff.c : what becomes legal or illegal between two targets or contracts. */
#include "cli/symbolic_input.h"
#include "io/paste/hint.h"
#include "io/report/report.h"
#include "io/report/rule.h"
#include "io/report/suggest.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_REGIONS = 256 };

struct side {
    struct tmap_target target;
    enum tmap_contract contract;
};

/* What FROM and TO are: two of one kind are compared. */
enum kind { CONTRACT, ARCH, TOOLKIT, DRIVER };
static const char *const kind_words[] = {"a contract", "an architecture", "a toolkit", "a driver"};

static bool no_side(const struct cli *cli, const char *text)
{
    struct io_suggestion near = {.wanted = text};
    char meant[64];
    for (int i = 0; i < 4; i++) io_suggest(&near, io_contract_name((enum tmap_contract)i));
    for (size_t i = 0; tmap_arch_at(i); i++) io_suggest(&near, tmap_arch_name(tmap_arch_at(i)));
    cli_usage(cli,
              "a toolkit (12.6), an architecture (sm_90), a driver (580) or a contract, not '%s'%s",
              text, io_meant(&near, meant, sizeof meant));
    return false;
}

/* "12.8", "sm_100a", "documented" or "580": what is not named is as the options say. */
static bool read_side(const struct cli *cli, const char *text, struct side *out, enum kind *kind)
{
    *out = (struct side){cli->target, cli->contract};
    *kind = CONTRACT;
    for (int i = 0; i < 4; i++) {
        if (strcmp(text, io_contract_name((enum tmap_contract)i)) == 0) {
            out->contract = (enum tmap_contract)i;
            return true;
        }
    }
    const char *arch = tmap_arch_name(cli->target.arch), *gpu = io_hint_gpu(text);
    *kind = ARCH;
    out->target.arch = tmap_arch_find(gpu ? gpu : text);
    if (out->target.arch) return true;
    *kind = TOOLKIT;
    if (strchr(text, '.'))
        return tmap_target_from(text, cli_get(cli, "ptx"), cli_get(cli, "driver"), arch,
                                &out->target) == TMAP_OK ||
               no_side(cli, text);
    *kind = DRIVER;
    char *end;
    unsigned long driver = strtoul(text, &end, 10);
    out->target = cli->target;
    out->target.driver = (uint32_t)driver;
    if (end != text && !*end && driver >= 100 && driver < 10000) return true;
    if (end == text || *end || driver == 0 || driver >= 100) return no_side(cli, text);
    cli_usage(cli, "'%s' is no driver's branch, and no toolkit's version: %s.0?", text, text);
    return false;
}

static const char *kind_name(int32_t kind)
{
    static const char *const name[] = {"tiled", "im2col", "im2col_wide"};
    return kind >= 0 && kind < 3 ? name[kind] : "none of the three";
}

static const char *proof_words(enum tmap_proof proof)
{
    return proof == TMAP_PROVED    ? "proved: nothing else changes"
           : proof == TMAP_REFUTED ? "not complete: a change without a witness exists"
                                   : "not proved: the budget ran out";
}

static const char *const verdict_word[] = {"legal", "illegal", "unknown"};

static const char *change_words(const struct tmap_difference *d)
{
    if (d->to == TMAP_UNKNOWN)
        return d->from == TMAP_LEGAL ? "was legal, is unknown" : "was illegal, is unknown";
    if (d->from == TMAP_UNKNOWN)
        return d->to == TMAP_LEGAL ? "was unknown, is legal" : "was unknown, is illegal";
    return d->to == TMAP_LEGAL ? "no longer excluded" : "now excluded";
}

static void print_text(const struct tmap_difference *d, size_t n,
                       const struct tmap_diff_proof *proof)
{
    static const char *const sign[] = {"+", "-", "?"};
    for (size_t i = 0; i < n; i++) {
        printf("%s %s %s, kind %s\n  %s: %s\n  for example ", sign[d[i].to], tmap_row_id(d[i].row),
               tmap_row_name(d[i].row), kind_name(d[i].kind), change_words(&d[i]), d[i].set);
        io_print_json(stdout, io_desc_json(&d[i].witness, NULL), 0);
    }
    printf("%zu region%s; %s (%zu rows compared)\n", n, n == 1 ? "" : "s",
           proof_words(proof->nothing_else), proof->rows_compared);
}

static json_t *region_json(const struct tmap_difference *d)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "rule", tmap_row_id(d->row), "name",
                     tmap_row_name(d->row), "kind", kind_name(d->kind), "was",
                     verdict_word[d->from], "becomes", verdict_word[d->to], "set",
                     io_string_json(d->set), "witness", io_desc_json(&d->witness, NULL));
}

static void print_json(const struct cli *cli, const struct tmap_difference *d, size_t n,
                       const struct tmap_diff_proof *proof)
{
    static const char *const word[] = {"proved", "refuted", "undecided"};
    json_t *regions = json_array();

    for (size_t i = 0; i < n; i++) json_array_append_new(regions, region_json(&d[i]));
    io_print_json(stdout,
                  json_pack("{s:o, s:s, s:I}", "regions", regions, "nothing_else",
                            word[proof->nothing_else], "rows_compared",
                            (json_int_t)proof->rows_compared),
                  cli_indent(cli));
}

static void compare(struct cli *cli, struct tmap_symbolic *context, const struct side *from,
                    const struct side *to)
{
    struct tmap_checker a, b;
    struct tmap_diff_proof proof;
    size_t n = 0;
    struct tmap_difference *d = calloc(MAX_REGIONS, sizeof *d);
    enum tmap_status status = d ? TMAP_OK : TMAP_E_MEMORY;
    tmap_checker_prepare(&from->target, from->contract, &a);
    tmap_checker_prepare(&to->target, to->contract, &b);
    if (status == TMAP_OK) status = tmap_diff(context, &a, &b, d, MAX_REGIONS, &n, &proof);
    if (status == TMAP_OK) {
        if (n > MAX_REGIONS) n = MAX_REGIONS;
        if (cli->format == IO_TEXT) {
            print_text(d, n, &proof);
        } else {
            print_json(cli, d, n, &proof);
        }
        if (proof.nothing_else != TMAP_PROVED) cli_note(cli, CLI_UNDECIDED);
        if (n && cli_has(cli, "exit-code")) cli_note(cli, CLI_ILLEGAL);
    } else {
        cli_symbolic_trouble(cli, context, status, "diff");
    }
    free(d);
}

static enum cli_exit run(struct cli *cli)
{
    struct side from, to;
    enum kind a, b;
    if (cli->operand_count != 2) return cli_usage(cli, "say what is compared: two of a kind");
    const char *from_text = cli->operand[0], *to_text = cli->operand[1];
    if (!read_side(cli, from_text, &from, &a) || !read_side(cli, to_text, &to, &b))
        return CLI_USAGE;
    if (a != b)
        return cli_usage(cli, "'%s' is %s, '%s' is %s: say two of a kind, the rest by options",
                         from_text, kind_words[a], to_text, kind_words[b]);
    struct tmap_symbolic *context = cli_symbolic_context(cli);
    if (!context) return CLI_OK;
    compare(cli, context, &from, &to);
    tmap_symbolic_close(context);
    return CLI_OK;
}

static const struct cli_option options[] = {
    {"exit-code", 0, NULL, "exit code 1 when something changes"}, {NULL, 0, NULL, NULL}};

const struct cli_command cli_diff = {
    .name = "diff",
    .summary = "which descriptors become legal or illegal between two targets",
    .operands = "[OPTION...] FROM TO",
    .examples = "  tmap diff 12.9 13.0\n"
                "  tmap diff sm_90 sm_100\n"
                "  tmap diff documented driver\n",
    .about = "FROM and TO are toolkits (12.6), architectures (sm_90), drivers (580) or contracts.\n"
             "Each region comes with a witness that the check confirms on both sides.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_BUDGET,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .asks_solvers = true,
    .run = run};
