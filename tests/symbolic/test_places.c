/* Memory of a question comes in blocks of 16 KiB, so what fails is seldom the allocation of one
 * polynomial. Here white space in an assumption, which is kept as written, fills a block up to any
 * place in what follows it, and each block is refused once: the question says TMAP_E_MEMORY, keeps
 * nothing, and the same question with memory gives the same answer. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/needs.h"
#include "symbolic/cases.h"
#include "symbolic/ration.h"
#include "symbolic/condition/condition.h"
#include "symbolic/condition/emit_c.h"

enum { BLOCK = 1 << 14, TEXT = 1 << 14 };

static struct ration ration;
static const struct tmap_symbolic_options options = {
    .allocator = {ration_allocate, ration_release, &ration}};
static long asked, refused;

/* With block number n refused; false: there was none. */
static bool ask(struct tmap_symbolic *s, const struct symbolic_case *c, const char *const *assume,
                size_t n_assume, long n, char *text)
{
    struct tmap_condition *out = NULL;
    size_t length;
    const long before = ration.live;
    ration.left = n;
    enum tmap_status said =
        tmap_condition_of(s, &c->checker, c->desc, c->n, assume, n_assume, &out);
    const bool short_of = ration.left < 0;
    ration.left = -1;
    asked++;
    refused += short_of;
    assert_int_equal(said, short_of ? TMAP_E_MEMORY : TMAP_OK);
    if (short_of) {
        assert_null(out);
        assert_non_null(strstr(tmap_symbolic_why(s), "memory"));
    } else {
        said = tmap_condition_text(s, out, TMAP_FORM_TEXT, text, TEXT, &length);
        assert_int_equal(said, TMAP_OK);
    }
    tmap_condition_free(out);
    if (ration.live != before) fail_msg("%ld blocks are kept", ration.live - before);
    return short_of;
}

static void refuse_each(struct tmap_symbolic *s, const struct symbolic_case *c,
                        const char *const *assume, size_t n_assume, char *first)
{
    static char text[TEXT];
    long n = 0;
    while (ask(s, c, assume, n_assume, n, text)) n++;
    if (!first[0]) strcpy(first, text);
    assert_string_equal(text, first);
}

static void open_case(struct symbolic_case *c, const char *name)
{
    snprintf(c->path, sizeof c->path, "examples/symbolic/%s.json", name);
    assert_true(case_open(c));
    if (c->n_assume == 0) c->assume[c->n_assume++] = "1 <= 1";
}

static size_t step(size_t usual)
{
    return getenv("TMAP_POINTS") ? 16 : usual;
}

static void white_space_before_what_is_refused(struct tmap_symbolic *s, const char *name)
{
    static char first[TEXT], filler[BLOCK + 64];
    struct symbolic_case c;
    open_case(&c, name);
    const size_t used = strlen(c.assume[0]);
    memcpy(filler, c.assume[0], used);
    c.assume[0] = filler;
    first[0] = 0;
    for (size_t room = 0; room < BLOCK; room += step(432)) {
        memset(filler + used, ' ', room);
        filler[used + room] = 0;
        refuse_each(s, &c, c.assume, c.n_assume, first);
    }
    case_close(&c);
}

/* The list of the assumptions comes before what they are about. */
static void many_assumptions_before_what_is_refused(struct tmap_symbolic *s, const char *name)
{
    static const char *many[BLOCK / 8];
    static char first[TEXT];
    struct symbolic_case c;
    open_case(&c, name);
    first[0] = 0;
    for (size_t n = c.n_assume; n < BLOCK / 8; n += step(432)) {
        for (size_t i = 0; i < n; i++) many[i] = i < c.n_assume ? c.assume[i] : "1 <= 1";
        refuse_each(s, &c, many, n, first);
    }
    case_close(&c);
}

static void conditions(void **state)
{
    static const char *const name[] = {"conv_padding", "kv_cache_fp8_scaled", "tile_strided"};
    struct tmap_symbolic *s;
    (void)state;
    ration.left = -1;
    asked = refused = 0;
    assert_int_equal(tmap_symbolic_open(&options, &s), TMAP_OK);
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        white_space_before_what_is_refused(s, name[i]);
    many_assumptions_before_what_is_refused(s, "gemm_abc_bf16");
    tmap_symbolic_close(s);
    print_message("%ld questions, %ld refused\n", asked, refused);
    assert_true(refused > 100 && ration.live == 0);
}

/* The text of a guard after so much else. */
static bool emit(const struct tmap_condition *c, size_t filler, long n, char *text)
{
    struct tmap_condition local = *c;
    struct sym_text t = {text, TEXT, 0};
    struct sym_c_text guard = {&t, &local.w, "f", 0};
    ration.left = -1;
    assert_true(sym_fork(&local.w, &c->w, &options.allocator) && sym_take(&local.w, filler));
    ration.left = n;
    const struct sym_form *both = sym_guarded(&local);
    const bool said = both && sym_emit_c(&guard, both);
    const bool short_of = ration.left < 0;
    ration.left = -1;
    refused += short_of;
    assert_int_equal(local.w.status, short_of ? TMAP_E_MEMORY : TMAP_OK);
    assert_int_equal(said, !short_of);
    sym_close(&local.w);
    return short_of;
}

static void guards(void **state)
{
    static const char *const name[] = {"gemm_abc_fp8_fp32", "tile_strided"};
    static char text[TEXT], first[TEXT];
    (void)state;
    refused = 0;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        struct symbolic_case c;
        struct tmap_symbolic *s;
        struct tmap_condition *out;
        open_case(&c, name[i]);
        assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
        assert_int_equal(tmap_condition_of(s, &c.checker, c.desc, c.n, c.assume, c.n_assume, &out),
                         TMAP_OK);
        first[0] = 0;
        for (size_t filler = 16; filler < BLOCK; filler += step(112)) {
            long n = 0;
            while (emit(out, filler, n, text)) n++;
            if (!first[0]) strcpy(first, text);
            assert_string_equal(text, first);
        }
        tmap_condition_free(out);
        tmap_symbolic_close(s);
        case_close(&c);
    }
    assert_true(refused > 100 && ration.live == 0);
}

int main(void)
{
    if (lacks_isl("memory at every place")) return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditions), cmocka_unit_test(guards)};
    return cmocka_run_group_tests_name("memory at every place", tests, NULL, NULL);
}
