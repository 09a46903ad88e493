/* cmd_explain.c : one row in full: what, why, evidence, a legal and an illegal example. */
#include "cli/cli.h"
#include "io/report/suggest.h"
#include "io/report/report.h"
#include "io/json/number.h"
#include "io/report/rule.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORD = 32 }; /* of a rule's name */

/* Breaks text at spaces into lines of 78 columns behind an indentation. */
static void wrapped(const char *text, const char *indent)
{
    while (*text) {
        size_t length = strlen(text), room = 78 - strlen(indent);
        if (length > room) {
            length = room;
            while (length > 0 && text[length] != ' ') length--;
            if (length == 0) length = room;
        }
        printf("%s%.*s\n", indent, (int)length, text);
        text += length;
        while (*text == ' ') text++;
    }
}

static void evidence(tmap_row row)
{
    char since[24];

    puts("\nEvidence (+ stated or seen, - seen not enforced, ? cannot be tried):");
    for (const struct row_evidence *e = row_table[row].evidence; e->source != SOURCE_NONE; e++)
        printf("  %s %-8s %-11s %s\n", io_sign_text((enum row_sign)e->sign),
               io_source_name((enum row_source)e->source), io_since_text(e, since), e->where);
}

/* Not every row is in every contract: which ones decide here. */
static void contracts(const struct cli *cli, tmap_row row)
{
    char target[120];

    bool any = false;

    printf("\nOn %s it belongs to:", io_target_text(&cli->target, target, sizeof target));
    for (int i = 0; i < 4; i++)
        if (io_row_is_active(&cli->target, (enum tmap_contract)i, row))
            any = printf(" %s", io_contract_name((enum tmap_contract)i)) > 0;
    puts(any ? "" : " no contract; nothing has shown it there");
}

static void needs(tmap_row row)
{
    const tmap_row *need = row_table[row].needs;
    if (*need == ROW_END) return;
    printf("  judged only where these hold:");
    for (; *need != ROW_END; need++) printf(" %s", tmap_row_id(*need));
    puts("");
}

static void conditions(tmap_row row)
{
    char when[FORMULA_SIZE], must[FORMULA_SIZE];

    row_print(row, ROW_WHEN, when, sizeof when);
    row_print(row, ROW_MUST, must, sizeof must);
    printf("\nRule, for %s, %s:\n", io_kinds_text(row), io_span_text(row));
    if (strcmp(when, "always") != 0) printf("  where  %s\n", when);
    printf("  must   %s\n", must);
    needs(row);
}

/* The witness: two records that differ in one field, on the target they are meant for. */
static void example(tmap_row row)
{
    const struct row_witness *w = &row_table[row].witness;
    const char *json = field_info_of(field_of_slot(w->slot))->json;
    char field[40], good[40], bad[40], target[120];

    io_example_field(row, field);
    io_target_text(&w->target, target, sizeof target);
    if (strcmp(json, "flag") == 0)
        printf("\nExample (%s): illegal with this, legal without the null.\n", target);
    else
        printf("\nExample (%s): illegal with %s = %s,\nlegal with %s.\n", target, field,
               io_value_text(w->slot, io_number_of(w->illegal), bad),
               io_value_text(w->slot, io_number_of(w->legal), good));
    if (row_subject_of(row) == SUBJECT_PIPELINE) return;
    fputs("  ", stdout);
    io_print_json(stdout, io_example_json(row, false), 0);
}

static void text(const struct cli *cli, tmap_row row)
{
    const struct row *r = &row_table[row];

    printf("%s %s (%s, %s)\n\n", r->id, r->name, io_subject_name(row_subject_of(row)),
           io_effect_name((enum row_effect)r->effect));
    wrapped(r->why, "");
    puts("\nMessage:");
    wrapped(r->message, "  ");
    conditions(row);
    printf("\nTo repair it (%s):\n", io_fix_name((enum row_fix)r->fix_kind));
    wrapped(r->fix, "  ");
    example(row);
    evidence(row);
    contracts(cli, row);
}

static bool contains(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (; *text; text++)
        if (strncasecmp(text, word, length) == 0) return true;
    return false;
}

/* Rules that mention the word: in their names, messages or reasons. */
static bool mentions(tmap_row row, const char *word)
{
    const struct row *r = &row_table[row];
    return contains(r->name, word) || contains(r->message, word) || contains(r->why, word);
}

/* `tmap explain stride`: a line for each rule that mentions it; how many there are. */
static size_t list_matches(const char *word)
{
    size_t n = 0;

    for (size_t i = 0; i < tmap_row_count(); i++) {
        if (!mentions((tmap_row)i, word)) continue;
        if (n++ == 0) printf("Rules that mention '%s' (tmap explain ID says more):\n", word);
        printf("  %s  %-10s  %s\n", tmap_row_id((tmap_row)i),
               io_subject_name(row_subject_of((tmap_row)i)), tmap_row_name((tmap_row)i));
    }
    return n;
}

/* The words of a rule's name, "stride_multiple_16"; the nearest of all names stays in `kept`. */
static void suggest_words(struct io_suggestion *s, const char *name, char kept[WORD])
{
    char word[WORD];

    for (; *name; name += strspn(name, "_")) {
        const size_t n = strcspn(name, "_");
        const size_t before = s->distance;
        const bool first = !s->best;
        snprintf(word, sizeof word, "%.*s", (int)n, name);
        if (n > 3 && n < WORD) io_suggest(s, word);
        if (n > 3 && n < WORD && (first || s->distance < before)) {
            strcpy(kept, word);
            s->best = kept;
        }
        name += n;
    }
}

static enum cli_exit no_rule(const struct cli *cli, const char *name)
{
    struct io_suggestion s = {.wanted = name}, words = s;
    char meant[64], word[WORD] = "";

    if (cli->format == IO_TEXT && *name && list_matches(name) > 0) return CLI_OK;
    for (size_t i = 0; i < tmap_row_count(); i++) {
        io_suggest(&s, tmap_row_id((tmap_row)i));
        io_suggest(&s, tmap_row_name((tmap_row)i));
    }
    for (size_t i = 0; i < tmap_row_count(); i++)
        suggest_words(&words, tmap_row_name((tmap_row)i), word);
    return cli_usage(
        cli, "there is no rule '%s', and none mentions it%s", name,
        io_meant(words.best && words.distance < s.distance ? &words : &s, meant, sizeof meant));
}

static bool is_mentioned(const char *word)
{
    for (size_t i = 0; i < tmap_row_count(); i++)
        if (mentions((tmap_row)i, word)) return true;
    return false;
}

/* A rule's id as people type it: "tma29", or "29" where no rule mentions that number. */
static tmap_row typed_row(const char *name)
{
    const bool prefixed = strncasecmp(name, "tma", 3) == 0;
    const char *digits = prefixed ? name + 3 : name;
    const size_t n = strspn(digits, "0123456789");
    char id[16];

    if (n == 0 || n > 3 || digits[n] || (!prefixed && is_mentioned(name))) return TMAP_NO_ROW;
    snprintf(id, sizeof id, "TMA%03ld", strtol(digits, NULL, 10));
    return tmap_row_find(id);
}

static enum cli_exit explain(const struct cli *cli, const char *name)
{
    tmap_row row = tmap_row_find(name);

    if (row == TMAP_NO_ROW) row = typed_row(name);

    if (row == TMAP_NO_ROW) return no_rule(cli, name);
    if (cli->format != IO_TEXT)
        io_print_json(stdout, io_rule_json(&cli->target, row), cli_indent(cli));
    else
        text(cli, row);
    return CLI_OK;
}

static enum cli_exit run(struct cli *cli)
{
    if (cli->operand_count == 0) return cli_usage(cli, "which rule?");
    for (size_t i = 0; i < cli->operand_count; i++) {
        if (i > 0 && cli->format == IO_TEXT) puts("");
        cli_note(cli, explain(cli, cli->operand[i]));
    }
    return CLI_OK;
}

const struct cli_command cli_explain = {
    .name = "explain",
    .summary = "one rule in full: what it says, why, and how that is known",
    .operands = "[OPTION...] RULE|WORD...",
    .examples = "  tmap explain TMA014\n"
                "  tmap explain swizzle                the rules that mention it\n"
                "  tmap explain stride_multiple_16 --format json\n",
    .groups = CLI_TARGET | CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .run = run};
