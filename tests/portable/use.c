/* use.c : the library with nothing but a C library: each witness of each row is judged as its table
 * says, encoded, decoded and encoded again. What tests without CMocka and jansson can run. */
#include <stdio.h>
#include <string.h>

#include "tmap/solve.h"
#include "tmap/tmap.h"

static int number, failed;

static void tap(int good, const char *name)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, name);
    failed += !good;
}

static const struct tmap_desc plain = {.dtype = TMAP_BFLOAT16,
                                       .rank = 2,
                                       .address = 0x7f0000000000,
                                       .dim = {4096, 8192},
                                       .stride_bytes = {8192},
                                       .box = {64, 128},
                                       .elem_stride = {1, 1, 1, 1, 1},
                                       .swizzle = TMAP_SWIZZLE_128B};

static void bytes(const struct tmap_checker *c)
{
    /* docs/TUTORIAL.md prints these; the words are numbers, so that they are the same everywhere */
    struct tmap_map map, again;
    struct tmap_desc back;
    size_t found;
    tap(tmap_encode(c, &plain, &map) == TMAP_OK && map.word[0] == 0x7f0000000000, "encodes");
    tap(map.word[8] == 16384 && map.word[9] == 1024, "the driver's figures");
    tap(tmap_decode(&map, &back, NULL, 0, &found) == TMAP_OK &&
            tmap_encode_unchecked(&back, &again) && memcmp(&map, &again, sizeof map) == 0,
        "decodes to what encodes to the same");
}

static void repairs(const struct tmap_checker *c)
{
    static uint64_t workspace[TMAP_REPAIR_WORKSPACE / 8];
    struct tmap_desc d = plain;
    struct tmap_plan plan;
    struct tmap_repair_report report;
    struct tmap_violation v;
    size_t found;
    d.box[1] = 300;
    tap(tmap_check(&d, &c->target, TMAP_CONTRACT_SAFE, &v, 1, &found) == TMAP_OK && found > 0,
        "a box of 300 is illegal");
    tap(tmap_repair(c, &d, NULL, workspace, sizeof workspace, &plan, 1, &report, NULL) == TMAP_OK &&
            tmap_verdict_of(c, &plan.desc) == TMAP_LEGAL && !tmap_plan_check(&d, NULL, &plan),
        "and has a plan that is legal");
}

int main(void)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker c;
    tap(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &c) == TMAP_OK, "a checker");
    tap(tmap_verdict_of(&c, &plain) == TMAP_LEGAL, "a legal descriptor");
    bytes(&c);
    repairs(&c);
    printf("1..%d\n", number);
    return failed != 0;
}
