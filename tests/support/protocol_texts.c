#include "support/protocol_texts.h"

#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"

enum { RUNS = PROVED_RUNS, TEXT = 1 << 17 };

static const char *text_of(const struct text_list *l, const struct change *c, int run)
{
    static char text[TEXT];
    const struct edit last = {c->from, c->to};
    snprintf(text, TEXT, "%s", l->text);
    for (size_t i = 0; i < l->edits; i++) edit_text(text, TEXT, &l->edit[i]);
    if (c->from && run >= c->late - 1) edit_text(text, TEXT, &last);
    return text;
}

bool record_text(const struct text_list *l, const char *text, uint32_t blocks,
                 struct tmap_emulate_record **out)
{
    uint32_t data[256] = {blocks};
    struct ptx_run r;
    const struct tmap_emulate_launch launch = {.grid = {l->ctas, 1, 1},
                                               .block = {l->threads, 1, 1},
                                               .cluster = {l->ctas, 1, 1},
                                               .seed = blocks /* odd and even */};
    ptx_run_recorded(text, data, sizeof data, &launch, 0, out, &r);
    if (r.load != TMAP_OK) fail_msg("line %u: %s", r.error.line, r.error.text);
    for (size_t i = 0; i < r.findings && i < PTX_RUN_FINDINGS; i++)
        print_message("# %s\n", r.finding[i].text);
    return r.run == TMAP_OK;
}

static struct prover prover;

static void say(const struct change *c, const struct proved *p, const char *text)
{
    for (uint32_t line = 1; line < p->error.line; line++) text = strchr(text, '\n') + 1;
    print_message("# %s: status %d, %s, %s, %u states: %s\n", c->name, p->status, proved_words(p),
                  tmap_hazard_name(p->result.fault), p->result.states, p->error.text);
    if (p->error.line) print_message("#   %.*s\n", (int)strcspn(text, "\n"), text);
}

static bool is_right(const struct text_list *l, const struct change *c)
{
    static const uint32_t blocks[RUNS] = {6, 9, 14};
    struct tmap_emulate_record *records[RUNS];
    struct proved p;
    for (int r = 0; r < RUNS; r++)
        assert_true(record_text(l, text_of(l, c, r), blocks[r], &records[r]));
    prove(&prover, records, c->part, c->number, &p);
    say(c, &p, text_of(l, c, RUNS - 1));
    for (int r = 0; r < RUNS; r++) tmap_emulate_record_free(records[r]);
    return p.status == c->status && p.result.fault == c->hazard && strstr(p.error.text, c->says);
}

void text_list(void **state)
{
    const struct text_list *l = *state;
    size_t wrong = 0;
    for (size_t i = 0; i < l->changes; i++)
        if (!is_right(l, &l->change[i])) {
            print_message("# WRONG: %s\n", l->change[i].name);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

int run_text_lists(const char *name, const struct CMUnitTest *tests, size_t count)
{
    if (!prover_open(&prover, 16)) return 1;
    const int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    prover_close(&prover);
    return failed;
}
