/* The shipped copy kernels on the emulator, against plain copies: random small problems of every
 * kind, at the extreme schedules and at random ones. No finding is a right answer too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "support/emulated_suites.h"

static struct tmap_copy *suite;
static struct emulated *emulator;

static void one(int32_t kind, uint32_t rank, uint64_t seed)
{
    struct emulated_copy c;
    struct tmap_copy_plan plan;
    emulated_copy_draw(suite, kind, rank, seed, &c);
    emulator->how.schedule = (enum tmap_emulate_schedule)(seed % 3);
    emulator->how.seed = seed;
    const enum tmap_status made = tmap_copy_make_plan(suite, &c.problem, &c.config, &plan, NULL);
    if (made != TMAP_OK)
        fail_msg("kind %d rank %u seed %u: plan %d", kind, rank, (unsigned)seed, made);
    const enum tmap_status ran = tmap_copy_run(&plan, NULL);
    const uint64_t wrong = emulated_copy_wrong(&c);
    if (ran != TMAP_OK || emulator->findings || wrong != c.dst_bytes) {
        emulated_print();
        fail_msg("%s, seed %u: status %d, %zu findings, byte %llu of %llu is wrong", plan.kernel,
                 (unsigned)seed, ran, emulator->findings, (unsigned long long)wrong,
                 (unsigned long long)c.dst_bytes);
    }
    tmap_copy_release(&plan);
    emulated_copy_free(suite, &c);
}

#define KIND(name, kind, rank)                                                                     \
    static void name(void **state)                                                                 \
    {                                                                                              \
        const char *more = getenv("TMAP_EMULATE_SHAPES");                                          \
        const uint64_t shapes = more ? strtoull(more, NULL, 10) : 21;                              \
        (void)state;                                                                               \
        for (uint64_t seed = 0; seed < shapes; seed++) one(kind, rank, seed);                      \
    }
KIND(bulk, TMAP_COPY_BULK, 1)
KIND(tile_1, TMAP_COPY_TILE, 1)
KIND(tile_2, TMAP_COPY_TILE, 2)
KIND(tile_3, TMAP_COPY_TILE, 3)
KIND(tile_4, TMAP_COPY_TILE, 4)
KIND(tile_5, TMAP_COPY_TILE, 5)
KIND(add_1, TMAP_COPY_ADD, 1)
KIND(add_2, TMAP_COPY_ADD, 2)
KIND(add_5, TMAP_COPY_ADD, 5)
KIND(transpose, TMAP_COPY_TRANSPOSE, 2)
KIND(im2col, TMAP_COPY_IM2COL, 4)
KIND(pages, TMAP_COPY_PAGES, 2)
KIND(pages_at, TMAP_COPY_PAGES_AT, 2)
KIND(broadcast, TMAP_COPY_BROADCAST, 3)
KIND(list, TMAP_COPY_LIST, 2)
KIND(patched, TMAP_COPY_PATCHED, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bulk),      cmocka_unit_test(tile_1),    cmocka_unit_test(tile_2),
        cmocka_unit_test(tile_3),    cmocka_unit_test(tile_4),    cmocka_unit_test(tile_5),
        cmocka_unit_test(add_1),     cmocka_unit_test(add_2),     cmocka_unit_test(add_5),
        cmocka_unit_test(transpose), cmocka_unit_test(im2col),    cmocka_unit_test(pages),
        cmocka_unit_test(pages_at),  cmocka_unit_test(broadcast), cmocka_unit_test(list),
        cmocka_unit_test(patched)};
    suite = emulated_copy_suite();
    if (!suite) return 1;
    emulator = emulated_state();
    if (!emulated_ptx("src/kernels/copy/copy") || !emulated_ptx("src/kernels/copy/special") ||
        !emulated_ptx("src/kernels/copy/transpose"))
        return emulated_skip("emulated copies");
    const int failed = cmocka_run_group_tests_name("emulated copies", tests, NULL, NULL);
    emulated_close();
    return failed;
}
