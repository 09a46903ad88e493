/* Records of runs written down act by act, where a text of a kernel would be long, folded and put
 * to the automaton like those of texts (protocol_texts.h): a base program, and rows of what is
 * changed in it.
 *
 * A line of a program is of one warp, or of several that do the same:
 *
 *     0.1 0.2: before | each block | after        CTA.WARP, then three lists of words
 *
 * A word is an act (record.h) and its operands: wait:F, read:S,16, load:S@1,F@0. An operand is
 *   S, T, W     the slot of block i in the ring, in a second one, in a ring of larger slots
 *   F, E        the barriers that say that S is full, and empty;  G, H  those of T
 *   M0 M1 ...   other barriers;  P  places in turn;  C256  a column of tensor memory
 * or a number; bytes are 256 unless they are said. S0 is the first slot, S> the next block's, S+64
 * is 64 bytes into it, S@1 CTA 1's. An act with S< is left out of the first block. `free` waits on
 * the other parity: until a slot is given back for the first time, it is empty. `look` and
 * `look_free` are answered yes and no in turn, or as look:F,0 says;
 * look:F,0,16 is by lanes 16 and on.
 *
 * Before a word: first/ later/ last/ before/ before2/ in the first block of a tile, in all others,
 * in the last, in all but the last, or the last two; soon/ late/ in all runs but the last, in the
 * last; even/ odd/ blocks; yes/ no/ as the warp's last look was answered; 64*32/ as often, so many
 * bytes or barriers apart. All blocks are one tile, unless after the warps there stands
 *   tiles=234   tiles of 2, 3, 4, 2, ... blocks      turn=0    every other tile, from the first on
 *   short       not the last tile                    one       one tile in the first run
 *   from=2      without the first blocks             even      an even number of blocks
 *   depth=4     slots of a ring from here on, not 2 */
#ifndef TMAP_TESTS_PROTOCOL_ACTS_H
#define TMAP_TESTS_PROTOCOL_ACTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/edit.h"
#include "support/proved.h"

struct acts_case {
    const char *name;
    size_t runs; /* of 6, 9 and 14 blocks */
    int ring;    /* that is asked for: its number and one, or 0 */
    enum tmap_status status;
    enum tmap_hazard hazard;
    const char *says;
    struct edit edit[6];
};

#define PROVED(name, ...)                                                                          \
    {                                                                                              \
        name, PROVED_RUNS, 0, TMAP_OK, TMAP_HAZARD_NONE, "",                                       \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define RING_PROVED(number, name, ...)                                                             \
    {                                                                                              \
        name, PROVED_RUNS, (number) + 1, TMAP_OK, TMAP_HAZARD_NONE, "",                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define REFUTED(hazard, name, ...)                                                                 \
    {                                                                                              \
        name, PROVED_RUNS, 0, TMAP_OK, TMAP_HAZARD_##hazard, "",                                   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define REFUSED(says, name, ...)                                                                   \
    {                                                                                              \
        name, PROVED_RUNS, 0, TMAP_E_ARGUMENT, TMAP_HAZARD_NONE, says,                             \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define ONE_RUN(status, says, name, ...)                                                           \
    {                                                                                              \
        name, 1, 0, status, TMAP_HAZARD_NONE, says,                                                \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define AS_IS                                                                                      \
    {                                                                                              \
        NULL, NULL                                                                                 \
    }

/* What most programs are made of. */
#define MAKE_OF(empty) "init:F init:" empty " fence_init"
#define MAKE MAKE_OF("E")
#define MAKE_BOTH "init:F init:G init:E init:H fence_init"
#define EXPECT_LOAD "expect:F load:S,F"
#define FILL "free:E " EXPECT_LOAD
#define FILL_B "free:H expect:G load:T,G"
#define DRAIN "wait:F read:S arrive:E"
#define PRODUCER "0.0: " MAKE " meet | " FILL "\n"
#define PRODUCER_BOTH "0.0: " MAKE_BOTH " meet | " FILL " " FILL_B "\n"
#define RING_OF_TWO PRODUCER "0.1: meet | " DRAIN "\n"

/* A test: its state is the list. */
struct acts_list {
    const char *program;
    enum tmap_emulate_part part;
    const struct acts_case *of;
    size_t count;
};
void acts_list(void **list);
int run_acts_lists(const char *name, const struct CMUnitTest *tests, size_t count);
#define ACTS_OF(part, program, list)                                                               \
    {                                                                                              \
#list, acts_list, NULL, NULL, &(struct acts_list)                                          \
        {                                                                                          \
            program, part, list, sizeof list / sizeof *list                                        \
        }                                                                                          \
    }
#define ACTS(program, list) ACTS_OF(TMAP_EMULATE_BARRIERS, program, list)

#endif
