#include "support/protocol_acts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/protocol/record.h"

enum { RUNS = PROVED_RUNS, BYTES = 256, TEXT = 1 << 13, WORD = 64, IN_TURN = 2 };

/* A run that is being written down: who acts, and on which block. */
struct acts {
    struct tmap_emulate_record *record;
    uint8_t cta;
    uint16_t warp;
    int64_t depth, run;        /* slots of a ring; 0, 1, 2 */
    int64_t block, first, end; /* and of which tile it is */
    bool leads;                /* the first of its line's warps in its CTA */
    bool seen;                 /* the answer to its last look */
};

/* --- words */

/* numbers: what an act's numbers are: v its value, b its bytes, a where it is. */
struct word {
    const char *name;
    enum act_op op;
    uint32_t value, bytes;
    const char *numbers;
};
static const struct word words[] = {
    {"init", ACT_INIT, 1, 0, "v"},
    {"fence_init", ACT_FENCE_INIT, 0, 0, ""},
    {"fence", ACT_FENCE, 0, 0, ""},
    {"meet", ACT_MEET, 0, 0, "av"},
    {"meet_cluster", ACT_MEET_CLUSTER, 0, 0, ""},
    {"wait", ACT_WAIT, 0, 0, "v"},
    {"free", ACT_WAIT, 1, 0, ""},
    {"look", ACT_LOOK, 0, IN_TURN, "ba"},
    {"look_free", ACT_LOOK, 1, IN_TURN, "b"},
    {"arrive", ACT_ARRIVE, 1, 0, "v"},
    {"expect", ACT_EXPECT, 1, BYTES, "bv"},
    {"load", ACT_LOAD, 0, BYTES, "b"},
    {"store", ACT_STORE, 0, BYTES, "b"},
    {"forward", ACT_FORWARD, 0, BYTES, "b"},
    {"stores_end", ACT_STORES_END, 0, 0, ""},
    {"wait_read", ACT_WAIT_READ, 0, 0, "v"},
    {"read", ACT_READ, 0, BYTES, "b"},
    {"write", ACT_WRITE, 0, BYTES, "b"},
    {"product", ACT_TENSOR_READ, 0, BYTES, "b"},
    {"sum", ACT_SUM, 0, BYTES, "b"},
    {"fetch", ACT_FETCH, 0, BYTES, "b"},
    {"fetched", ACT_FETCHED, 0, 0, ""},
    {"commit", ACT_COMMIT, 0, 0, ""},
    {"group", ACT_GROUP, 0, 0, ""},
    {"groups_done", ACT_GROUPS_DONE, 0, 0, "v"},
};

/* turns: of a ring, whose slots come again. */
static const struct operand {
    char letter;
    bool barrier, turns;
    uint32_t at, step;
} operands[] = {
    {'F', true, true, 0x8000, 8},      {'E', true, true, 0x8040, 8},
    {'G', true, true, 0x8080, 8},      {'H', true, true, 0x80c0, 8},
    {'S', false, true, 0x100, 0x100},  {'T', false, true, 0x4000, 0x100},
    {'W', false, true, 0, 0x800},      {'M', true, false, 0x8100, 8},
    {'P', false, true, 0x2000, 0x100}, {'C', false, false, 0, 1},
};

static void note(struct acts *t, const struct act *a)
{
    struct tmap_emulate_record *r = t->record;
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->act = realloc(r->act, r->room * sizeof *r->act);
        assert_non_null(r->act);
    }
    r->act[r->count++] = *a;
}

static uint32_t waits_before(const struct acts *t, uint32_t barrier)
{
    uint32_t n = 0;
    for (size_t i = 0; i < t->record->count; i++) {
        const struct act *a = &t->record->act[i];
        n += a->op == ACT_WAIT && a->barrier == barrier && a->by_cta == t->cta &&
             a->by_warp == t->warp;
    }
    return n;
}

/* False: of the block before the first. */
static bool place(struct acts *t, char **text, struct act *a, int64_t step)
{
    const struct operand *o = operands;
    char *s = *text;
    while (o->letter != *s)
        if (++o == operands + sizeof operands / sizeof *operands) fail_msg("no operand %s", s);
    int64_t index = *++s >= '0' && *s <= '9' ? strtol(s, &s, 10) : t->block;
    const bool before = *s == '<';
    for (; *s == '>' || *s == '<'; s++) index += *s == '>' ? 1 : -1;
    const uint32_t round = (uint32_t)(index / t->depth);
    uint32_t at = o->at + o->step * (uint32_t)(o->turns ? index % t->depth : index);
    uint8_t cta = t->cta;
    if (*s == '+') at += (uint32_t)strtol(s + 1, &s, 10);
    if (*s == '@') cta = (uint8_t)strtol(s + 1, &s, 10);
    if (*s == '^') cta ^= 1, s++;
    at += (uint32_t)step;
    *text = s;
    if (o->barrier) {
        a->barrier = at, a->barrier_cta = cta;
        const bool asks = a->op == ACT_WAIT || a->op == ACT_LOOK;
        if (asks) a->value += o->turns ? round : waits_before(t, at);
    } else
        a->at = at, a->cta = cta;
    return !before || index >= t->first;
}

static const struct word *word_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == length && !memcmp(words[i].name, name, length))
            return &words[i];
    fail_msg("no word %s", name);
    return NULL;
}

static void number(struct act *a, char what, uint32_t value)
{
    *(what == 'v' ? &a->value : what == 'b' ? &a->bytes : &a->at) = value;
}

/* Answered yes and no in turn, where the program does not say how. */
static void look(struct acts *t, struct act *a)
{
    if (a->bytes == IN_TURN) a->bytes = (uint32_t)((t->block / 2 + t->run) & 1);
    t->seen = a->bytes;
}

static void act(struct acts *t, char *text, uint32_t line, int64_t step)
{
    const struct word *w = word_of(text, strcspn(text, ":"));
    const char *numbers = w->numbers;
    struct act a = {.op = w->op,
                    .value = w->value,
                    .bytes = w->bytes,
                    .line = line,
                    .by_cta = t->cta,
                    .by_warp = t->warp};
    bool happens = true;
    text += strcspn(text, ":");
    while (*text) {
        text++;
        if (*text >= '0' && *text <= '9')
            number(&a, *numbers++, (uint32_t)strtol(text, &text, 10));
        else
            happens &= place(t, &text, &a, step), step = 0;
        assert_true(*text == ',' || !*text);
    }
    if (w->op == ACT_WAIT || w->op == ACT_LOOK) a.value &= 1;
    if (w->op == ACT_LOOK) look(t, &a);
    if (w->op == ACT_LOAD) a.value = a.bytes;
    if (!happens) return;
    note(t, &a);
    a.value = 1;
    if (w->op == ACT_MEET_CLUSTER) note(t, &a);
}

/* --- programs */

static bool holds(const struct acts *t, const char *when)
{
    const struct {
        const char *name;
        bool holds;
    } all[] = {
        {"first/", t->block == t->first},
        {"later/", t->block > t->first},
        {"last/", t->block + 1 == t->end},
        {"before/", t->block + 1 < t->end},
        {"before2/", t->block + 2 < t->end},
        {"soon/", t->run < 2},
        {"late/", t->run == 2},
        {"lead/", t->leads},
        {"rest/", !t->leads},
        {"yes/", t->seen},
        {"no/", !t->seen},
        {"even/", t->block % 2 == 0},
        {"odd/", t->block % 2 == 1},
        {"i=0/", t->block == 0},
        {"i=1/", t->block == 1},
        {"i<3/", t->block < 3},
        {"i>2/", t->block > 2},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strncmp(all[i].name, when, strlen(all[i].name))) return all[i].holds;
    fail_msg("no condition %s", when);
    return false;
}

/* All slots of a ring are made by one instruction. */
static void part_of_word(struct acts *t, char *s, uint32_t line)
{
    const bool all = !strncmp(s, "init:", 5) && s[5] != 'M';
    int64_t times = all ? t->depth : 1, step = 8;
    for (char *end; (end = strchr(s, '/')) != NULL; s = end + 1)
        if (*s >= '1' && *s <= '9') {
            times = strtol(s, &s, 10);
            step = strtol(s + 1, &s, 10);
        } else if (!holds(t, s))
            return;
    for (int64_t k = 0; k < times; k++) act(t, s, line, k * step);
}

/* The words up to a bar or the line's end; an act's line is its word's place in the program. */
static void say(struct acts *t, const char *from, const char *program)
{
    for (from += strspn(from, " "); !strchr("|\n", *from); from += strspn(from, " ")) {
        char word[WORD], *s = word;
        const size_t length = strcspn(from, " \n");
        assert_true(length < WORD);
        memcpy(word, from, length);
        word[length] = '\0';
        for (char *next; s; s = next) {
            next = strchr(s, '&');
            if (next) *next++ = '\0';
            part_of_word(t, s, (uint32_t)(from - program) + 1);
        }
        from += length;
    }
}

/* What stands before a line's colon. */
struct head {
    unsigned cta[4], warp[4], agents;
    const char *tiles; /* their blocks, a digit each; NULL: all */
    int64_t turn, from, blocks;
    bool shorter;
};

static const char *head_of(struct acts *t, const char *s, int64_t blocks, struct head *h)
{
    *h = (struct head){.turn = -1, .blocks = blocks};
    for (; *s != ':'; s += strspn(s, " ")) {
        const char *value = s + strcspn(s, "=: ");
        if (*s >= '0' && *s <= '9') {
            assert_int_equal(sscanf(s, "%u.%u", &h->cta[h->agents], &h->warp[h->agents]), 2);
            h->agents++;
        } else if (!strncmp(s, "tiles=", 6))
            h->tiles = value + 1;
        else if (!strncmp(s, "turn=", 5))
            h->turn = atoi(value + 1);
        else if (!strncmp(s, "from=", 5))
            h->from = atoi(value + 1);
        else if (!strncmp(s, "depth=", 6))
            t->depth = atoi(value + 1);
        else if (!strncmp(s, "short", 5))
            h->shorter = true;
        else if (!strncmp(s, "even", 4))
            h->blocks &= ~1;
        else if (!strncmp(s, "one", 3))
            h->tiles = t->run ? h->tiles : NULL;
        else
            fail_msg("no head %s", s);
        s += strcspn(s, ": ");
    }
    return s + 1;
}

static void blocks_of(struct acts *t, const struct head *h, int64_t turn, const char *each,
                      const char *program)
{
    const char *tiles = h->tiles;
    for (int64_t tile = 0, from = h->from; from < h->blocks; tile++, from = t->end) {
        const int64_t blocks = tiles ? *tiles - '0' : h->blocks;
        t->first = from;
        t->end = from + blocks < h->blocks ? from + blocks : h->blocks;
        if (h->shorter && t->end == h->blocks) break;
        for (t->block = from; t->block < t->end; t->block++)
            if (turn < 0 || tile % 2 == turn) say(t, each, program);
        if (tiles && !strchr("123456789", *++tiles)) tiles = h->tiles;
    }
    t->block--;
}

static void line(struct acts *t, const char *text, int64_t blocks, const char *program)
{
    struct head h;
    const char *before = head_of(t, text, blocks, &h);
    const char *each = before + strcspn(before, "|\n");
    const char *after = *each == '|' ? each + 1 + strcspn(each + 1, "|\n") : each;
    for (unsigned i = 0; i < h.agents; i++) {
        t->cta = (uint8_t)h.cta[i];
        t->warp = (uint16_t)h.warp[i];
        t->block = t->first = t->end = 0;
        t->leads = !i || h.cta[i] != h.cta[i - 1];
        if (t->cta >= t->record->ctas) t->record->ctas = t->cta + 1u;
        if (t->warp >= t->record->warps) t->record->warps = t->warp + 1u;
        say(t, before, program);
        if (*each == '|') blocks_of(t, &h, h.turn < 0 ? -1 : (h.turn + i) % 2, each + 1, program);
        if (*after == '|') say(t, after + 1, program);
    }
}

static struct prover prover;

static bool is_right(const struct acts_list *l, const struct acts_case *c)
{
    static const int64_t blocks[RUNS] = {6, 9, 14};
    struct tmap_emulate_record *records[RUNS];
    struct proved p;
    char text[TEXT];
    assert_true(snprintf(text, TEXT, "%s", l->program) < TEXT);
    for (const struct edit *e = c->edit; e->from; e++) edit_text(text, sizeof text, e);
    for (size_t r = 0; r < c->runs; r++) {
        assert_int_equal(tmap_emulate_record_open(0, &records[r]), TMAP_OK);
        struct acts t = {.record = records[r], .depth = 2, .run = (int64_t)r};
        for (const char *s = text; *s; s = strchr(s, '\n') + 1) line(&t, s, blocks[r], text);
    }
    prove_runs(&prover, records, c->runs, c->ring ? TMAP_EMULATE_RING : l->part,
               c->ring ? (unsigned)c->ring - 1 : 0, &p);
    print_message("# %s: status %d, %s, %s, %u states: %.*s: %s\n", c->name, p.status,
                  proved_words(&p), tmap_hazard_name(p.result.fault), p.result.states,
                  p.error.line ? (int)strcspn(text + p.error.line - 1, " \n") : 0,
                  p.error.line ? text + p.error.line - 1 : text, p.error.text);
    for (size_t r = 0; r < c->runs; r++) tmap_emulate_record_free(records[r]);
    return p.status == c->status && p.result.fault == c->hazard && strstr(p.error.text, c->says);
}

void acts_list(void **state)
{
    const struct acts_list *l = *state;
    size_t wrong = 0;
    for (size_t i = 0; i < l->count; i++)
        if (!is_right(l, &l->of[i])) {
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
