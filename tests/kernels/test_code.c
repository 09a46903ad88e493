/* What the kernels' machine code must hold: every expectation is met, every row of expect.def is
 * noticed when it is not, and no damaged image is believed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/suite.h"
#include "support/splitmix.h"
#include "tmap/code.h"

#define MANY UINT32_MAX

static const struct row {
    const char *kernels, *what;
    uint32_t least, most;
    const char *why;
} rows[] = {
#define EXPECT(kernels, what, least, most, why) {kernels, what, least, most, why},
#include "kernels/runtime/expect.def"
};
#define ROWS (sizeof rows / sizeof rows[0])

static const struct {
    uint32_t number;
    const char *name;
} opcodes[] = {
#define OPCODE(number, name, arches, ptx) {number, name},
#include "kernels/runtime/opcode.def"
};

static struct tmap_code_kernel *scan(const void *data, size_t size, size_t *n)
{
    assert_int_equal(tmap_code_scan(data, size, NULL, 0, n, NULL), TMAP_OK);
    struct tmap_code_kernel *k = calloc(*n ? *n : 1, sizeof *k);
    assert_non_null(k);
    assert_int_equal(tmap_code_scan(data, size, k, *n, n, NULL), TMAP_OK);
    return k;
}

/* Every kernel of the library, in one array. */
static struct tmap_code_kernel *everything(size_t *count)
{
    struct tmap_code_embedded image;
    struct tmap_code_kernel *all = NULL;
    *count = 0;
    for (size_t i = 0; tmap_code_embedded_at(i, &image); i++) {
        size_t n;
        if (image.size == 0) continue;
        struct tmap_code_kernel *k = scan(image.data, image.size, &n);
        assert_true(n > 0);
        all = realloc(all, (*count + n) * sizeof *all);
        assert_non_null(all);
        memcpy(all + *count, k, n * sizeof *k);
        *count += n;
        free(k);
    }
    if (!all) skip();
    return all;
}

static void every_kernel_holds_what_it_must(void **state)
{
    size_t n;
    struct tmap_code_kernel *k = everything(&n);
    struct tmap_code_finding f;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        if (tmap_code_judge(&k[i], &f, 1) == 0) continue;
        fail_msg("%s: %s %u, not %u to %u: %s", k[i].name, f.what, f.seen, f.least, f.most, f.why);
    }
    free(k);
}

/* By what only sm90/together.cuh has: a thread's own copies to shared memory. */
static void kernels_add_together_where_the_host_says_so(void **state)
{
    size_t n, seen = 0;
    uint32_t number = 0;
    struct tmap_code_kernel *k = everything(&n);
    (void)state;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (!strcmp(opcodes[i].name, "LDGSTS")) number = opcodes[i].number;
    for (size_t i = 0; i < gemm_instance_count; i++)
        for (size_t j = 0; j < n; j++) {
            const struct gemm_instance *g = &gemm_instances[i];
            if (g->family != GEMM_SM90 || strcmp(k[j].name, g->name)) continue;
            if ((k[j].count[number] > 0) != gemm_has_together(g))
                fail_msg("%s: %u copies", g->name, k[j].count[number]);
            seen++;
        }
    assert_true(seen > 0);
    free(k);
}

static void set(struct tmap_code_kernel *k, const char *what, uint32_t value)
{
    const struct {
        const char *what;
        uint32_t *at;
    } properties[] = {{"calls outside", &k->outside},   {"stack bytes", &k->stack_bytes},
                      {"stores", &k->stores},           {"unfenced", &k->unfenced},
                      {"registers", &k->registers},     {"load bytes", &k->widest_load},
                      {"store bytes", &k->widest_store}};
    uint32_t left = value;
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
        if (strcmp(properties[i].what, what) == 0) *properties[i].at = value;
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        if (strcmp(opcodes[i].name, what) != 0) continue;
        k->count[opcodes[i].number] = left;
        left = 0;
    }
}

static bool notices(struct tmap_code_kernel k, const struct row *row, uint32_t value)
{
    struct tmap_code_finding f[64];
    set(&k, row->what, value);
    const size_t n = tmap_code_judge(&k, f, 64);
    for (size_t i = 0; i < n && i < 64; i++)
        if (f[i].why == row->why || strcmp(f[i].why, row->why) == 0)
            if (strcmp(f[i].what, row->what) == 0 && f[i].seen == value) return true;
    return false;
}

/* A row that names no kernel, or an instruction that the table lacks, would check nothing. */
static void every_row_is_noticed_when_broken(void **state)
{
    size_t n;
    struct tmap_code_kernel *k = everything(&n);
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        bool low = rows[i].least == 0, high = rows[i].most == MANY;
        for (size_t j = 0; j < n && !(low && high); j++) {
            low = low || notices(k[j], &rows[i], rows[i].least - 1);
            high = high || notices(k[j], &rows[i], rows[i].most + 1);
        }
        if (!low || !high) fail_msg("%s: %s is not noticed", rows[i].kernels, rows[i].what);
    }
    free(k);
}

/* The smallest image that there is, in memory of its own size, for the sanitizers to watch. */
static uint8_t *smallest(size_t *size)
{
    struct tmap_code_embedded image, best = {NULL, NULL, 0};
    for (size_t i = 0; tmap_code_embedded_at(i, &image); i++)
        if (image.size && (best.size == 0 || image.size < best.size)) best = image;
    if (best.size == 0) skip();
    uint8_t *copy = malloc(best.size);
    assert_non_null(copy);
    memcpy(copy, best.data, best.size);
    *size = best.size;
    return copy;
}

static void a_cut_image_is_refused(void **state)
{
    size_t size, n = 77;
    uint8_t *whole = smallest(&size);
    (void)state;
    for (size_t cut = 0; cut < size; cut += 1 + cut / 16) {
        uint8_t *part = malloc(cut ? cut : 1);
        assert_non_null(part);
        memcpy(part, whole, cut);
        assert_int_equal(tmap_code_scan(part, cut, NULL, 0, &n, NULL), TMAP_E_ARGUMENT);
        assert_int_equal(n, 77);
        free(part);
    }
    free(whole);
}

static void a_damaged_image_does_no_harm(void **state)
{
    size_t size, refused = 0;
    uint8_t *image = smallest(&size);
    struct tmap_code_kernel k[16];
    struct tmap_code_image about;
    uint64_t dice = 0x0dc0de;
    (void)state;
    for (int i = 0; i < 3000; i++) {
        uint8_t old[4];
        size_t at[4], n;
        for (int j = 0; j < 4; j++) { /* half of the damage falls on headers */
            at[j] = splitmix(&dice) % (splitmix(&dice) % 2 ? size : 4096);
            old[j] = image[at[j]];
            image[at[j]] = (uint8_t)splitmix(&dice);
        }
        const enum tmap_status s = tmap_code_scan(image, size, k, 16, &n, &about);
        assert_true(s == TMAP_OK || s == TMAP_E_ARGUMENT);
        refused += s != TMAP_OK;
        for (int j = 3; j >= 0; j--) image[at[j]] = old[j];
    }
    assert_true(refused > 0);
    free(image);
}

static void names_and_numbers_agree(void **state)
{
    (void)state;
    assert_string_equal(tmap_code_name(0x1b4), "UTMALDG");
    assert_null(tmap_code_name(TMAP_CODE_OPCODES));
    struct tmap_code_kernel k = {.count = {[0x1b2] = 2, [0x1a7] = 3}};
    assert_int_equal(tmap_code_count(&k, "SYNCS"), 5);
    assert_int_equal(tmap_code_count(&k, "no such"), 0);
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
        assert_string_equal(tmap_code_name(opcodes[i].number), opcodes[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_holds_what_it_must),
        cmocka_unit_test(kernels_add_together_where_the_host_says_so),
        cmocka_unit_test(every_row_is_noticed_when_broken),
        cmocka_unit_test(a_cut_image_is_refused),
        cmocka_unit_test(a_damaged_image_does_no_harm),
        cmocka_unit_test(names_and_numbers_agree),
    };
    return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
