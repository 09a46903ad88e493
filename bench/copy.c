// The copy suite, verified and timed:  copy [GiB [REPEATS [CASE...]]]
//   SWEEP=1 in the environment tries slot sizes and blocks per SM for each case instead.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tmap/copy.h"

static void line(const struct tmap_copy_result *r)
{
    printf("%-22s %-17s %8.1f [%7.1f %7.1f] %8.1f %8.1f %8.1f  %2u x %5u B, %ux%u, wrong %llu\n",
           r->name, r->kernel, r->copy_gbs, r->copy_low_gbs, r->copy_high_gbs, r->reference_gbs,
           r->conservative_gbs, r->memcpy_gbs, r->plan.config.stages, r->plan.tx_bytes,
           r->plan.grid, r->plan.cluster, (unsigned long long)r->wrong_words);
    fflush(stdout);
}

static int failed(const char *name, enum tmap_status s, const struct tmap_copy *suite)
{
    const struct tmap_copy_report w = tmap_copy_last_report(suite);
    printf("%-22s failed: status %d; report %u: id %u slot %u parity %u block %u thread %u\n", name,
           s, w.what, w.id, w.slot, w.parity, w.block, w.thread);
    return 1;
}

// Slot, stages, blocks and policies; for panels the rows of a box too.
static int sweep(struct tmap_copy *suite, size_t i, uint64_t bytes, uint32_t repeats)
{
    static const uint32_t slots[] = {8192, 16384, 24576, 32768}, stages[] = {2, 3, 4, 6, 8};
    static const uint32_t rows[] = {0, 8, 32, 128};
    const bool panels = strncmp(tmap_copy_case(i), "swizzle", 7) == 0;
    for (uint32_t k = 0; k < 4 * 5 * 2 * 2 * (panels ? 4 : 1); k++) {
        const struct tmap_copy_config c = {.slot_bytes = slots[k % 4],
                                           .stages = stages[k / 4 % 5],
                                           .blocks_per_sm = 1 + k / 20 % 2,
                                           .load_policy = k / 40 % 2 ? 1 : 3,
                                           .store_policy = 2,
                                           .box = {0, rows[k / 80]}};
        struct tmap_copy_result r;
        if (tmap_copy_measure(suite, i, bytes, repeats, &c, &r) != TMAP_OK) continue;
        printf("%u/SM %5u load %u box %3u x %3u ", c.blocks_per_sm, c.slot_bytes, c.load_policy,
               r.plan.desc[0].box[1], r.plan.desc[0].box[2]);
        line(&r);
    }
    return 0;
}

static bool wanted(int argc, char **argv, const char *name)
{
    for (int a = 3; a < argc; a++)
        if (strstr(name, argv[a])) return true;
    return argc <= 3;
}

int main(int argc, char **argv)
{
    const double gib = argc > 1 ? atof(argv[1]) : 4;
    const uint32_t repeats = argc > 2 ? (uint32_t)atoi(argv[2]) : 21;
    char why[200] = "";
    struct tmap_copy *suite = NULL;
    const enum tmap_status s =
        tmap_copy_open(&(struct tmap_open){.watchdog_ms = 2000}, &suite, why, sizeof why);
    if (s != TMAP_OK) {
        printf("SKIP: no GPU for the copy suite: %s (status %d)\n", why, s);
        return 0;
    }
    int bad = 0;
    printf("GB/s read plus written, median of %u [p10 p90]; reference: plain 16-byte kernel; "
           "conservative: "
           "64 x 32 bytes, one stage\n",
           repeats);
    printf("%-22s %-17s %8s %17s %8s %8s %8s\n", "case", "kernel", "copy", "", "reference",
           "conservative", "memcpy");
    for (size_t i = 0; tmap_copy_case(i); i++) {
        struct tmap_copy_result r;
        if (!wanted(argc, argv, tmap_copy_case(i))) continue;
        const uint64_t bytes = (uint64_t)(gib * (1 << 30));
        if (getenv("SWEEP")) {
            sweep(suite, i, bytes, repeats);
            continue;
        }
        const enum tmap_status st = tmap_copy_measure(suite, i, bytes, repeats, NULL, &r);
        if (st != TMAP_OK)
            bad |= failed(tmap_copy_case(i), st, suite);
        else
            line(&r);
        bad |= st == TMAP_OK && r.wrong_words != 0;
    }
    tmap_copy_close(suite);
    return bad;
}
