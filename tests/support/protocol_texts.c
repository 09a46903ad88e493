#include "support/protocol_texts.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = PROVED_RUNS, TEXT = 1 << 17 };

/* A text without `from` does not fit the row. */
static void change(char text[TEXT], const struct edit *e)
{
    static char before[TEXT];
    const char *at;
    memcpy(before, text, TEXT);
    at = strstr(before, e->from);
    if (!at) fail_msg("no %s", e->from);
    assert_true(snprintf(text, TEXT, "%.*s%s%s", (int)(at - before), before, e->to,
                         at + strlen(e->from)) < TEXT);
}

static const char *text_of(const struct text_list *l, const struct change *c, int run)
{
    static char text[TEXT];
    const struct edit last = {c->from, c->to};
    snprintf(text, TEXT, "%s", l->text);
    for (size_t i = 0; i < l->edits; i++) change(text, &l->edit[i]);
    if (c->from && run >= c->late - 1) change(text, &last);
    return text;
}

bool record_text(const struct text_list *l, const char *text, uint32_t blocks,
                 struct tmap_emulate_record **out)
{
    uint32_t data[256] = {blocks};
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_error error;
    struct tmap_emulate_finding finding[4];
    struct tmap_emulate_result result;
    size_t found = 0;
    const uint64_t at = 0x10000;
    const struct tmap_emulate_buffer buffer = {at, sizeof data, data, "data"};
    assert_int_equal(tmap_emulate_record_open(0, out), TMAP_OK);
    const struct tmap_emulate_launch launch = {.kernel = "k",
                                               .grid = {l->ctas, 1, 1},
                                               .block = {l->threads, 1, 1},
                                               .cluster = {l->ctas, 1, 1},
                                               .params = &at,
                                               .param_bytes = 8,
                                               .buffers = &buffer,
                                               .buffer_count = 1,
                                               .schedule = TMAP_EMULATE_EARLIEST,
                                               .seed = blocks, /* odd and even */
                                               .no_races = true,
                                               .budget = 10000000};
    const struct tmap_emulate_watch watch = {.size = sizeof watch, .record = *out};
    if (tmap_emulate_load(text, strlen(text), &module, &error) != TMAP_OK)
        fail_msg("line %u: %s", error.line, error.text);
    const enum tmap_status s =
        tmap_emulate_run_watched(module, &launch, &watch, finding, 4, &found, &result);
    for (size_t i = 0; i < found && i < 4; i++) print_message("# %s\n", finding[i].text);
    tmap_emulate_free(module);
    return s == TMAP_OK;
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
