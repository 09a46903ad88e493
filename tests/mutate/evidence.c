/* Mutants of the rows' evidence: another sign, another version, an entry left out, another effect.
 * A mutant is killed when it changes what a contract asks for (tests/rules/contracts.txt), or else
 * what docs/RULES.md says, which tests/rules/test_rules_page.sh keeps fresh. Prints the counts of
 * each.
 *
 * usage: evidence docs/RULES.md */
#include "io/report/rule.h"
#include "support/contracts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counts {
    size_t all, by_contract, by_page, alive;
};

/* The row's lines of the page that stand for its evidence, as tests/rules/rules-page writes them.
 */
static void page_lines(const struct row *r, char *out, size_t size)
{
    static const char *const sources[] = {"", "API", "PTX", "GUIDE", "DRIVER", "HARDWARE"};
    size_t n = 0;
    out[0] = '\0';
    for (const struct row_evidence *e = r->evidence; e->source != SOURCE_NONE && n < size; e++) {
        char since[24];
        const char *text = io_since_text(e, since);
        n += (size_t)snprintf(out + n, size - n, "- `%c` %s%s%s: %s\n", "+-?"[e->sign],
                              sources[e->source], *text ? " " : "", text, e->where);
    }
}

/* The page as it is has the lines of the row as it is: so a row with other lines has another page.
 */
static bool on_page(const char *page, const char *lines)
{
    return strstr(page, lines) != NULL;
}

static void judge(const struct row *row, const struct row *mutant, const char *page,
                  const char *what, struct counts *c)
{
    char a[CONTRACT_LINE], b[CONTRACT_LINE], lines[4096], others[4096];
    contract_line(row, a);
    contract_line(mutant, b);
    page_lines(row, lines, sizeof lines);
    page_lines(mutant, others, sizeof others);
    c->all++;
    if (strcmp(a, b) != 0)
        c->by_contract++;
    else if (on_page(page, lines) && strcmp(lines, others) != 0)
        c->by_page++;
    else {
        c->alive++;
        printf("%s evidence: %s: survives\n", row->id, what);
    }
}

static void mutate_entry(const struct row *row, int k, const char *page, struct counts *c)
{
    for (int sign = SIGN_SEEN; sign <= SIGN_UNTRIED; sign++) {
        struct row m = *row;
        m.evidence[k].sign = (uint8_t)sign;
        if (sign != row->evidence[k].sign) judge(row, &m, page, "another sign", c);
    }
    for (int delta = -1; delta <= 1; delta += 2) {
        struct row m = *row;
        m.evidence[k].since = (uint16_t)(m.evidence[k].since + delta);
        if (row->evidence[k].since) judge(row, &m, page, "another version", c);
    }
    struct row m = *row;
    memmove(&m.evidence[k], &m.evidence[k + 1],
            (sizeof m.evidence / sizeof m.evidence[0] - 1 - (size_t)k) * sizeof m.evidence[0]);
    judge(row, &m, page, "an entry dropped", c);
}

static char *read_file(const char *path)
{
    const size_t most = 1 << 20;
    char *text = calloc(1, most);
    FILE *f = fopen(path, "r");
    if (text && (!f || fread(text, 1, most - 1, f) == 0)) text[0] = '\0';
    if (f) fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    struct counts c = {0, 0, 0, 0};
    char *page = argc > 1 ? read_file(argv[1]) : NULL;
    if (page == NULL) return 2;
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        const struct row *r = &row_table[row];
        struct row m = *r;
        m.effect = m.effect == EFFECT_ADVISORY ? EFFECT_VIOLATION : EFFECT_ADVISORY;
        judge(r, &m, page, "another effect", &c);
        for (int k = 0; r->evidence[k].source != SOURCE_NONE; k++) mutate_entry(r, k, page, &c);
    }
    printf("%zu mutants of evidence: %zu change what a contract asks for, %zu change docs/RULES.md "
           "alone, %zu survive\n",
           c.all, c.by_contract, c.by_page, c.alive);
    free(page);
    return c.alive != 0;
}
