#include "support/protocol_acts.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = PROVED_RUNS, BYTES = 256 };

void by(struct acts *t, uint8_t cta, uint16_t warp)
{
    t->cta = cta;
    t->warp = warp;
}

void act(struct acts *t, uint32_t line, struct act a)
{
    struct tmap_emulate_record *r = t->record;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->act = realloc(r->act, r->room * sizeof *r->act);
        assert_non_null(r->act);
    }
    a.line = line;
    a.by_cta = t->cta;
    a.by_warp = t->warp;
    r->act[r->count++] = a;
}

void make_ring(struct acts *t)
{
    for (uint32_t i = 0; i < t->depth; i++) INIT(FULL(i), 1);
    for (uint32_t i = 0; i < t->depth; i++) INIT(EMPTY(i), 1);
    FENCE_INIT;
}

void make_both(struct acts *t)
{
    for (uint32_t i = 0; i < t->depth; i++) INIT(FULL(i), 1);
    for (uint32_t i = 0; i < t->depth; i++) INIT(FULL_B(i), 1);
    for (uint32_t i = 0; i < t->depth; i++) INIT(EMPTY(i), 1);
    for (uint32_t i = 0; i < t->depth; i++) INIT(EMPTY_B(i), 1);
    FENCE_INIT;
}

void fill(struct acts *t, uint32_t i)
{
    WAIT(EMPTY(i), ROUND(i) + 1);
    EXPECT(FULL(i), BYTES);
    LOAD(SLOT(i), BYTES, FULL(i));
}

void fill_b(struct acts *t, uint32_t i)
{
    WAIT(EMPTY_B(i), ROUND(i) + 1);
    EXPECT(FULL_B(i), BYTES);
    LOAD(SLOT_B(i), BYTES, FULL_B(i));
}

void wait_full(struct acts *t, uint32_t i)
{
    WAIT(FULL(i), ROUND(i));
}

void drain(struct acts *t, uint32_t i)
{
    wait_full(t, i);
    READ(SLOT(i), BYTES);
    ARRIVE(EMPTY(i));
}

void produce(struct acts *t, uint32_t blocks)
{
    for (uint32_t i = 0; i < blocks; i++) fill(t, i);
}

static struct prover prover;

static bool is_right(const struct acts_case *c)
{
    static const uint32_t blocks[RUNS] = {6, 9, 14};
    struct tmap_emulate_record *records[RUNS];
    struct proved p;
    for (size_t r = 0; r < c->runs; r++) {
        assert_int_equal(tmap_emulate_record_open(0, &records[r]), TMAP_OK);
        records[r]->ctas = c->ctas;
        records[r]->warps = c->warps;
        struct acts t = {.record = records[r], .depth = 2, .run = (int)r};
        c->run(&t, blocks[r]);
    }
    prove_runs(&prover, records, c->runs, c->part, c->number, &p);
    print_message("# %s: status %d, %s, %s, %u states: line %u: %s\n", c->name, p.status,
                  proved_words(&p), tmap_hazard_name(p.result.fault), p.result.states, p.error.line,
                  p.error.text);
    for (size_t r = 0; r < c->runs; r++) tmap_emulate_record_free(records[r]);
    return p.status == c->status && p.result.fault == c->hazard && strstr(p.error.text, c->says);
}

void acts_list(void **state)
{
    const struct acts_list *l = *state;
    size_t wrong = 0;
    for (size_t i = 0; i < l->count; i++)
        if (!is_right(&l->of[i])) {
            print_message("# WRONG: %s\n", l->of[i].name);
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

int run_acts_lists(const char *name, const struct CMUnitTest *tests, size_t count)
{
    if (!prover_open(&prover, 16)) return 1;
    const int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
    prover_close(&prover);
    return failed;
}
