// Differences between targets: complete lists, each with a witness that the check confirms.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbolic/random_desc.h"

enum { CAP = 256 };

struct pair {
    const char *from_cuda, *from_arch, *to_cuda, *to_arch;
    enum tmap_contract from, to;
    const char *legal, *illegal; // rows that make the difference; NULL: not said here
};

#define SAFE TMAP_CONTRACT_SAFE, TMAP_CONTRACT_SAFE

static const struct pair table[] = {
    // On Hopper nothing of 12.8 is usable; on Blackwell all of it is new.
    {"12.6", "sm_90", "12.8", "sm_90", SAFE, "", ""},
    {"12.8", "sm_100", "13.4", "sm_100", SAFE, "", "TMA045"},
    // The type CUtensorMap became 128-byte aligned.
    {"12.9", "sm_90", "13.0", "sm_90", SAFE, "", "TMA045"},
    {"13.0", "sm_90", "13.0", "sm_100", SAFE, "TMA013 TMA038 TMA088", ""},
    {"13.0", "sm_100", "13.0", "sm_90", SAFE, "", "TMA013 TMA038 TMA088"},
    {"13.0", "sm_100", "13.0", "sm_120", SAFE, "", ""},
    {"13.0", "sm_90", "13.0", "sm_90", TMAP_CONTRACT_DOCUMENTED, TMAP_CONTRACT_DRIVER, NULL, NULL},
    {"13.0", "sm_90", "13.0", "sm_90", TMAP_CONTRACT_DRIVER, TMAP_CONTRACT_DOCUMENTED, NULL, NULL},
    // What only a need forbids is unknown there, not legal.
    {"13.0", "sm_90", "13.0", "sm_90", TMAP_CONTRACT_DOCUMENTED, TMAP_CONTRACT_HARDWARE, NULL,
     NULL},
    {"13.0", "sm_90", "13.0", "sm_90", TMAP_CONTRACT_HARDWARE, TMAP_CONTRACT_SAFE, NULL, NULL},
    // Rows that wait on both sides.
    {"13.0", "sm_90", "13.0", "sm_100", TMAP_CONTRACT_HARDWARE, TMAP_CONTRACT_HARDWARE, "TMA013",
     "TMA046"},
};

static void list(const struct tmap_difference *d, size_t n, bool legal, char *out, size_t size)
{
    out[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const char *id = tmap_row_id(d[i].row);
        size_t used = strlen(out);
        if (d[i].to != (legal ? TMAP_LEGAL : TMAP_ILLEGAL) || strstr(out, id)) continue;
        snprintf(out + used, size - used, "%s%s", used ? " " : "", id);
    }
}

static void compare(struct tmap_symbolic *s, const struct pair *p)
{
    static struct tmap_difference d[CAP];
    struct tmap_target from, to;
    struct tmap_checker a, b;
    struct tmap_diff_proof proof;
    size_t n;
    char rows[600];
    /* 12.6 itself has no Blackwell: its header beside a later assembler and driver */
    const bool later = strcmp(p->from_cuda, "12.6") == 0 && strcmp(p->from_arch, "sm_100") == 0;
    const char *ptx = later ? "8.7" : NULL, *driver = later ? "570" : NULL;
    assert_int_equal(tmap_target_from(p->from_cuda, ptx, driver, p->from_arch, &from), TMAP_OK);
    assert_int_equal(tmap_target_from(p->to_cuda, ptx, driver, p->to_arch, &to), TMAP_OK);
    tmap_checker_prepare(&from, p->from, &a);
    tmap_checker_prepare(&to, p->to, &b);
    assert_int_equal(tmap_diff(s, &a, &b, d, CAP, &n, &proof), TMAP_OK);
    assert_int_equal(proof.nothing_else, TMAP_PROVED);
    assert_in_range(n, 0, CAP);
    for (size_t i = 0; i < n; i++) {
        enum tmap_verdict was = tmap_verdict_of(&a, &d[i].witness);
        enum tmap_verdict is = tmap_verdict_of(&b, &d[i].witness);
        assert_int_equal(was, d[i].from);
        assert_int_equal(is, d[i].to);
        assert_int_not_equal(was, is);
        assert_true(d[i].set[0] != 0);
    }
    list(d, n, true, rows, sizeof rows);
    if (p->legal) assert_string_equal(rows, p->legal);
    list(d, n, false, rows, sizeof rows);
    if (p->illegal) assert_string_equal(rows, p->illegal);
    if (!p->legal) assert_true(n > 10);
}

static void differences_are_complete_and_witnessed(void **state)
{
    struct tmap_symbolic *s;
    (void)state;
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    if (strstr(tmap_symbolic_solvers(s), "no Z3")) {
        tmap_symbolic_close(s);
        skip();
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) compare(s, &table[i]);
    tmap_symbolic_close(s);
}

// Random descriptors and pairs of targets and contracts: what changes its verdict is in a region.
static bool in_region(const struct tmap_difference *d, size_t n, const struct tmap_checker *a,
                      const struct tmap_checker *b, const struct tmap_desc *desc)
{
    const enum tmap_verdict from = tmap_verdict_of(a, desc), to = tmap_verdict_of(b, desc);
    const bool unknown = from != TMAP_ILLEGAL && to != TMAP_ILLEGAL;
    struct tmap_checker broken = from == (unknown ? TMAP_UNKNOWN : TMAP_ILLEGAL) ? *a : *b;
    struct tmap_violation v[64];
    enum tmap_verdict verdict;
    size_t found = 0;
    if (unknown) memcpy(broken.active, broken.gate, sizeof broken.active);
    tmap_check_with(&broken, desc, v, 64, &found, &verdict);
    for (size_t i = 0; i < found && i < 64; i++) {
        for (size_t k = 0; k < n; k++) {
            bool ours = d[k].kind == desc->kind || (d[k].kind == 3 && (uint32_t)desc->kind > 2);
            if (d[k].row == v[i].row && d[k].from == from && d[k].to == to && ours) return true;
        }
    }
    return false;
}

static const char *words_of(const struct tmap_checker *side)
{
    static char text[200];
    snprintf(text, sizeof text,
             "cuda %u, driver %u, %s, contract %d to cuda %u, driver %u, %s, contract %d",
             side[0].target.cuda, side[0].target.driver, tmap_arch_name(side[0].target.arch),
             (int)side[0].contract, side[1].target.cuda, side[1].target.driver,
             tmap_arch_name(side[1].target.arch), (int)side[1].contract);
    return text;
}

static void every_change_is_in_a_region(void **state)
{
    static struct tmap_difference d[CAP];
    struct tmap_symbolic *s;
    uint64_t random = 3;
    long changes = 0, pairs = points_wanted(12);
    (void)state;
    if (pairs > 300) pairs = 300;
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    if (strstr(tmap_symbolic_solvers(s), "no Z3")) pairs = 0;
    for (long k = 0; k < pairs; k++) {
        struct tmap_checker side[2];
        struct tmap_diff_proof proof;
        size_t n = 0;
        for (int i = 0; i < 2; i++) {
            struct tmap_target target;
            do random_target(&random, &target);
            while (tmap_checker_prepare(&target, (enum tmap_contract)below(&random, 4), &side[i]) ||
                   side[i].covered);
        }
        assert_int_equal(tmap_diff(s, &side[0], &side[1], d, CAP, &n, &proof), TMAP_OK);
        assert_in_range(n, 0, CAP);
        if (proof.nothing_else != TMAP_PROVED) fail_msg("not complete: %s", words_of(side));
        for (int i = 0; i < 20000; i++) {
            static struct random_symbolic m;
            random_desc(&m, &random);
            random_spoil(&m, &random);
            if (tmap_verdict_of(&side[0], &m.d.desc) == tmap_verdict_of(&side[1], &m.d.desc))
                continue;
            changes++;
            if (in_region(d, n, &side[0], &side[1], &m.d.desc)) continue;
            fail_msg("from %d to %d of kind %d in no region: %s",
                     (int)tmap_verdict_of(&side[0], &m.d.desc),
                     (int)tmap_verdict_of(&side[1], &m.d.desc), m.d.desc.kind, words_of(side));
        }
    }
    print_message("%ld pairs, %ld changes of verdict\n", pairs, changes);
    assert_true(pairs == 0 || changes > 100);
    tmap_symbolic_close(s);
}

// All are counted, and as many are said as have room; without a budget the list may be short.
static void room_and_budgets_leave_the_count_as_it_is(void **state)
{
    static struct tmap_difference all[CAP], one;
    struct tmap_target target;
    struct tmap_checker a, b;
    struct tmap_diff_proof proof;
    struct tmap_symbolic *s;
    size_t n, counted;
    (void)state;
    assert_int_equal(tmap_target_from("13.0", NULL, NULL, "sm_90", &target), TMAP_OK);
    tmap_checker_prepare(&target, TMAP_CONTRACT_DOCUMENTED, &a);
    tmap_checker_prepare(&target, TMAP_CONTRACT_HARDWARE, &b);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    if (strstr(tmap_symbolic_solvers(s), "no Z3")) {
        tmap_symbolic_close(s);
        skip();
    }
    assert_int_equal(tmap_diff(s, &a, &b, all, CAP, &n, &proof), TMAP_OK);
    assert_int_equal(proof.nothing_else, TMAP_PROVED);
    tmap_symbolic_budget(s, 0, 1);
    assert_int_equal(tmap_diff(s, &a, &b, &one, 1, &counted, &proof), TMAP_OK);
    assert_int_equal(proof.nothing_else, TMAP_UNDECIDED);
    assert_true(n > 1 && counted == n);
    assert_memory_equal(&one, &all[0], sizeof one);
    tmap_symbolic_close(s);
}

static void an_uncovered_target_is_no_difference(void **state)
{
    struct tmap_target from = tmap_default_target(), to = from;
    struct tmap_checker a, b;
    struct tmap_diff_proof proof;
    struct tmap_symbolic *s;
    size_t n = 99;
    (void)state;
    to.cuda = 1700;
    tmap_checker_prepare(&from, TMAP_CONTRACT_SAFE, &a);
    tmap_checker_prepare(&to, TMAP_CONTRACT_SAFE, &b);
    assert_int_equal(tmap_symbolic_open(NULL, &s), TMAP_OK);
    assert_int_equal(tmap_diff(s, &a, &b, NULL, 0, &n, &proof), TMAP_E_TARGET);
    assert_int_equal(n, 99);
    tmap_symbolic_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_complete_and_witnessed),
        cmocka_unit_test(every_change_is_in_a_region),
        cmocka_unit_test(room_and_budgets_leave_the_count_as_it_is),
        cmocka_unit_test(an_uncovered_target_is_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
