/* Each piece of memory that a question takes of its arena is refused once (sym_take() is the
 * linker's
 * __wrap_sym_take() here): the question says TMAP_E_MEMORY, keeps nothing and leaves its outputs
 * alone, and the same question with memory gives the same answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/condition/condition.h"
#include "symbolic/refuse_piece.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 15, ASSUMED = 4 };

/* --- the piece that is refused ----------------------------------------------------------------
 */

static long live, pieces; /* blocks not given back; pieces refused in all */

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    live++;
    return malloc(bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    live -= block != NULL;
    free(block);
}

/* --- questions --------------------------------------------------------------------------------
 */

struct question {
    const char *name;
    struct tmap_symbolic_desc d;
    const char *assume[ASSUMED];
};

/* A matrix of M rows of K numbers of 16 bits, in boxes of 64 x 64. */
#define MATRIX .dtype = TMAP_BFLOAT16, .rank = 2, .elem_stride = {1, 1}

static const struct tmap_symbolic_use load = {
    .use = {.flags = TMAP_USE_COORD | TMAP_USE_SMEM | TMAP_USE_EXPECT_TX, .coord_count = 2},
    .coord = {"64*I", "64*J"},
    .smem = "S",
    .expect_tx = "2*B*64"};

static const struct question questions[] = {
    {"a matrix",
     {.desc = {MATRIX, .box = {64, 64}, .swizzle = TMAP_SWIZZLE_128B},
      .dim = {"K", "M"},
      .stride = {"2*K"}},
     {"K >= 64", "1 <= M <= 1000000"}},
    {"a padded matrix",
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K", "M"}, .stride = {"2*ceildiv(K, 24)*24"}},
     {"K >= 1 and (M == 7 or M == 9)"}},
    {"a product",
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K*N", "M"}, .stride = {"2*K*N"}},
     {"K >= 1", "N >= 1", "K*N <= 4096", "N % 2 == 0"}},
    {"powers",
     {.desc = {MATRIX, .box = {64, 64}}, .dim = {"K*K", "M*M*M"}, .stride = {"2*K*K"}},
     {"K*K <= 4096", "K*K % 8 == 0", "M*M*M == 64"}},
    {"a lesser one",
     {.desc = {MATRIX, .dim = {4096, 4096}, .stride_bytes = {8192}},
      .box = {"min(K, 64)", "max(M, N)"}},
     {"K > 0", "M > 0 and N > 0"}},
    {"a strided box",
     {.desc = {MATRIX, .dim = {4096, 4096}, .stride_bytes = {8192}, .box = {64, 64}},
      .elem_stride = {NULL, "E"}},
     {"1 <= E <= 8"}},
    {"an image",
     {.desc = {.kind = TMAP_IM2COL,
               .dtype = TMAP_BFLOAT16,
               .rank = 4,
               .dim = {64},
               .elem_stride = {1, 1, 1, 1},
               .channels = 64,
               .pixels = 64},
      .dim = {NULL, "W", "H", "8"},
      .stride = {"128", "128*W", "128*W*H"},
      .lower = {"-P", "-P"},
      .upper = {"P - R", "P - R"}},
     {"0 <= P <= 4", "1 <= R <= 9", "W >= 1 and H >= 1"}},
    {"an allocation",
     {.desc = {MATRIX, .box = {64, 64}, .flags = TMAP_HAS_ALLOCATION},
      .address = "A",
      .dim = {"K", "M"},
      .stride = {"2*K"},
      .allocation_base = "A",
      .allocation_bytes = "2*K*M"},
     {"K >= 1", "M >= 1"}},
    {"a use",
     {.desc = {MATRIX, .dim = {4096, 4096}, .stride_bytes = {8192}, .box = {64}},
      .box = {NULL, "B"},
      .uses = &load,
      .use_count = 1},
     {"B >= 1", "S % 128 == 0", "I >= 0"}},
};

struct asked {
    struct tmap_symbolic *s;
    struct tmap_checker checker;
    const struct question *q;
    struct tmap_condition *condition; /* NULL: it is asked for */
    int form;
};

enum {
    TEXTS = TMAP_FORM_JSON + 1,
    GUARDS = TMAP_GUARD_PYTHON + 1,
    PADDINGS = 2,
    FORMS = TEXTS + GUARDS + PADDINGS
};

/* What is asked of a condition: its texts, its guards, its paddings. */
static enum tmap_status say(struct asked *a, char *text, size_t *length)
{
    const int form = a->form;
    if (form < TEXTS)
        return tmap_condition_text(a->s, a->condition, (enum tmap_formula_form)form, text, TEXT,
                                   length);
    if (form < TEXTS + GUARDS)
        return tmap_guard_c(a->s, a->condition, (enum tmap_guard_language)(form - TEXTS), "f", text,
                            TEXT, length);
    return tmap_condition_padding(a->s, a->condition,
                                  form == TEXTS + GUARDS ? TMAP_FORM_TEXT : TMAP_FORM_ISL, text,
                                  TEXT, length);
}

static enum tmap_status ask(struct asked *a, struct tmap_condition **out)
{
    size_t n = 0;
    while (n < ASSUMED && a->q->assume[n]) n++;
    return tmap_condition_of(a->s, &a->checker, &a->q->d, 1, a->q->assume, n, out);
}

static void refuse_each_of_the_condition(struct asked *a)
{
    bool refused = true;
    for (long n = 0; refused; n++) {
        struct tmap_condition *out = NULL;
        const long before = live;
        left = n;
        const enum tmap_status said = ask(a, &out);
        refused = left < 0;
        left = -1;
        if (said != (refused ? TMAP_E_MEMORY : TMAP_OK))
            fail_msg("%s, piece %ld: %d, %s", a->q->name, n, (int)said, tmap_symbolic_why(a->s));
        assert_true((out == NULL) == refused);
        if (refused) assert_int_equal(live, before);
        a->condition = out;
        pieces += refused;
    }
}

static void refuse_each_of_a_form(struct asked *a)
{
    static char first[TEXT], text[TEXT];
    size_t length = 0;
    left = -1;
    const enum tmap_status whole = say(a, first, &length);
    bool refused = true;
    for (long n = 0; refused; n++) {
        const long before = live;
        size_t said = 77;
        left = n;
        const enum tmap_status st = say(a, text, &said);
        refused = left < 0;
        left = -1;
        if (st != (refused ? TMAP_E_MEMORY : whole))
            fail_msg("%s, form %d, piece %ld: %d, %s", a->q->name, a->form, n, (int)st,
                     tmap_symbolic_why(a->s));
        assert_int_equal(live, before);
        assert_int_equal(said, st == TMAP_OK ? length : 77);
        if (st == TMAP_OK) assert_string_equal(text, first);
        pieces += refused;
    }
}

static void conditions_and_their_forms(void **state)
{
    const struct tmap_symbolic_options options = {.allocator = {allocate, release, NULL}};
    struct asked a = {.s = NULL};
    struct tmap_target target = tmap_default_target();
    (void)state;
    left = -1;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &a.checker), TMAP_OK);
    assert_int_equal(tmap_symbolic_open(&options, &a.s), TMAP_OK);
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        a.q = &questions[i];
        refuse_each_of_the_condition(&a);
        for (a.form = 0; a.form < FORMS; a.form++) refuse_each_of_a_form(&a);
        tmap_condition_free(a.condition);
        a.condition = NULL;
    }
    tmap_symbolic_close(a.s);
    print_message("# %ld pieces refused\n", pieces);
    assert_true(live == 0 && pieces > 1000);
}

int main(void)
{
    if (lacks_isl("each piece of memory")) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditions_and_their_forms)};
    return cmocka_run_group_tests_name("each piece of memory", tests, NULL, NULL);
}
