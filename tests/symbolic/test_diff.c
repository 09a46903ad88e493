// Differences between targets: complete lists, each with a witness that the check confirms.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tmap/symbolic.h"

#include <stdio.h>
#include <string.h>

enum { CAP = 128 };

struct pair {
    const char *from_cuda, *from_arch, *to_cuda, *to_arch;
    enum tmap_contract from, to;
    const char *legal, *illegal; // rows that make the difference; NULL: not said here
};

#define SAFE TMAP_CONTRACT_SAFE, TMAP_CONTRACT_SAFE

static const struct pair table[] = {
    // On Hopper nothing of 12.8 is usable; on Blackwell all of it is new.
    {"12.6", "sm_90", "12.8", "sm_90", SAFE, "", ""},
    {"12.6", "sm_100", "12.8", "sm_100", SAFE, "TMA011 TMA012 TMA087", ""},
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
};

static void list(const struct tmap_difference *d, size_t n, bool legal, char *out, size_t size)
{
    out[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const char *id = tmap_row_id(d[i].row);
        size_t used = strlen(out);
        if (d[i].becomes_legal != legal || strstr(out, id)) continue;
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
        assert_int_equal(was, d[i].becomes_legal ? TMAP_ILLEGAL : TMAP_LEGAL);
        assert_int_equal(is, d[i].becomes_legal ? TMAP_LEGAL : TMAP_ILLEGAL);
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
        cmocka_unit_test(an_uncovered_target_is_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
