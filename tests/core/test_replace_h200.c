/* tensormap.replace as an H200 executed it: where tmap_patch_apply() takes an edit, its bytes are
 * the recorded ones; where it refuses, the hardware did not fault, and changed no bit outside the
 * field. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tmap/tmap.h"

#define RECORD "tests/data/sim/replace-h200.txt"

struct edit {
    unsigned map, field, ordinal;
    uint64_t value, changed[16];
};

static bool read_edit(char *line, struct edit *e)
{
    int at = 0, word, n;
    unsigned long long value, bits;
    memset(e, 0, sizeof *e);
    if (sscanf(line, "edit %u %u %u %llx%n", &e->map, &e->field, &e->ordinal, &value, &at) < 4)
        return false;
    e->value = value;
    while (sscanf(line + at, " %d:%llx%n", &word, &bits, &n) == 2) {
        e->changed[word & 15] = bits;
        at += n;
    }
    return true;
}

static void read_map(char *line, struct tmap_map *maps)
{
    char *at = line + 4;
    const unsigned long k = strtoul(at, &at, 10);
    assert_true(k < 3);
    for (int w = 0; w < 16; w++) maps[k].word[w] = strtoull(at, &at, 16);
}

static void edits_leave_the_recorded_bytes(void **state)
{
    (void)state;
    static struct tmap_map maps[3];
    char line[400];
    int applied = 0, refused = 0, fourth = 0;
    FILE *f = fopen(RECORD, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct edit e;
        if (strncmp(line, "map ", 4) == 0) read_map(line, maps);
        if (!read_edit(line, &e)) continue;
        struct tmap_map map = maps[e.map];
        const struct tmap_patch patch = {(enum tmap_replace_field)e.field, e.ordinal, e.value};
        if (e.field == TMAP_REPLACE_GLOBAL_STRIDE && e.ordinal == 4) {
            for (int w = 0; w < 16; w++) /* the upper half of word 3: the strides' upper bits */
                assert_true(w == 3 ? (uint32_t)e.changed[w] == 0 : e.changed[w] == 0);
            fourth++;
        } else if (tmap_patch_apply(&map, &patch, 1300) == TMAP_OK) {
            for (int w = 0; w < 16; w++)
                if (map.word[w] != (maps[e.map].word[w] ^ e.changed[w]))
                    fail_msg("word %d: %s", w, line);
            applied++;
        } else {
            refused++;
        }
    }
    fclose(f);
    assert_int_equal(applied + refused + fourth, 1005);
    assert_true(applied >= 400 && fourth == 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(edits_leave_the_recorded_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
