/* Records of runs written down act by act, where a text of a kernel would be long, folded and put
 * to the automaton like those of texts (protocol_texts.h). */
#ifndef TMAP_TESTS_PROTOCOL_ACTS_H
#define TMAP_TESTS_PROTOCOL_ACTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "emulate/protocol/record.h"
#include "support/proved.h"

/* A run that is being written down: the warp that acts now, and the slots of its rings. */
struct acts {
    struct tmap_emulate_record *record;
    uint8_t cta;
    uint16_t warp;
    uint32_t depth; /* 2 */
    int run;        /* 0, 1, 2 */
};

/* blocks: 6, 9 and 14. */
typedef void acts_fn(struct acts *t, uint32_t blocks);

struct acts_case {
    const char *name;
    acts_fn *run;
    uint32_t warps, ctas; /* of a CTA; of the cluster */
    size_t runs;
    enum tmap_emulate_part part;
    unsigned number;
    enum tmap_status status;
    enum tmap_hazard hazard;
    const char *says;
};

void act(struct acts *t, uint32_t line, struct act a);
void by(struct acts *t, uint8_t cta, uint16_t warp); /* who acts from now on */

/* Each in its source's line, as an instruction is. */
#define ACT(what, ...) act(t, __LINE__, (struct act){.op = (what), __VA_ARGS__})
#define INIT(of, count) ACT(ACT_INIT, .barrier_cta = t->cta, .barrier = (of), .value = (count))
#define FENCE_INIT ACT(ACT_FENCE_INIT, 0)
#define FENCE ACT(ACT_FENCE, 0)
#define MEET ACT(ACT_MEET, 0)
#define MEET_SOME(number, threads) ACT(ACT_MEET, .at = (number), .value = (threads))
#define MEET_CLUSTER                                                                               \
    do {                                                                                           \
        ACT(ACT_MEET_CLUSTER, 0);                                                                  \
        ACT(ACT_MEET_CLUSTER, .value = 1);                                                         \
    } while (0)
#define WAIT(of, parity) ACT(ACT_WAIT, .barrier_cta = t->cta, .barrier = (of), .value = (parity)&1)
#define ARRIVE_AT(to, of, count)                                                                   \
    ACT(ACT_ARRIVE, .barrier_cta = (uint8_t)(to), .barrier = (of), .value = (count))
#define ARRIVE(of) ARRIVE_AT(t->cta, of, 1)
#define EXPECT(of, count)                                                                          \
    ACT(ACT_EXPECT, .barrier_cta = t->cta, .barrier = (of), .value = 1, .bytes = (count))
#define LOAD_AT(to, place, count, told, of)                                                        \
    ACT(ACT_LOAD, .cta = (to), .at = (place), .bytes = (count), .value = (count),                  \
        .barrier_cta = (told), .barrier = (of))
#define LOAD(place, count, of) LOAD_AT(t->cta, place, count, t->cta, of)
#define TOUCH(what, of, place, count) ACT(what, .cta = (of), .at = (place), .bytes = (count))
#define READ(place, count) TOUCH(ACT_READ, t->cta, place, count)
#define WRITE(place, count) TOUCH(ACT_WRITE, t->cta, place, count)
#define STORE(place, count) TOUCH(ACT_STORE, t->cta, place, count)
#define FORWARD(place, count) TOUCH(ACT_FORWARD, t->cta, place, count)
#define STORES_END ACT(ACT_STORES_END, 0)
#define WAIT_READ(groups) ACT(ACT_WAIT_READ, .value = (groups))
#define PRODUCT(place, count) TOUCH(ACT_TENSOR_READ, t->cta, place, count)
#define SUM(column, count) TOUCH(ACT_SUM, t->cta, column, count)
#define FETCH(column, count) TOUCH(ACT_FETCH, t->cta, column, count)
#define FETCHED ACT(ACT_FETCHED, 0)
#define COMMIT_AT(to, of) ACT(ACT_COMMIT, .barrier_cta = (to), .barrier = (of))
#define COMMIT(of) COMMIT_AT(t->cta, of)
#define GROUP ACT(ACT_GROUP, 0)
#define GROUPS_DONE(left) ACT(ACT_GROUPS_DONE, .value = (left))

/* A ring of t->depth slots of 256 bytes, with barriers full and empty; another; barriers beside. */
#define OF(i) ((i) % t->depth)
#define ROUND(i) ((i) / t->depth)
#define FULL(i) (0x8000 + 8 * OF(i))
#define EMPTY(i) (0x8040 + 8 * OF(i))
#define SLOT(i) (0x100 + 0x100 * OF(i))
#define FULL_B(i) (0x8080 + 8 * OF(i))
#define EMPTY_B(i) (0x80c0 + 8 * OF(i))
#define SLOT_B(i) (0x4000 + 0x100 * OF(i))
#define MORE(i) (0x8100u + 8 * (i))

void make_ring(struct acts *t);          /* its barriers, each of one arrival */
void make_both(struct acts *t);          /* full, full of the other, empty, empty of the other */
void fill(struct acts *t, uint32_t i);   /* once it is empty */
void fill_b(struct acts *t, uint32_t i); /* the other's */
void wait_full(struct acts *t, uint32_t i);
void drain(struct acts *t, uint32_t i); /* reads it once it is full, and gives it back */
void produce(struct acts *t, uint32_t blocks);

/* A test: its state is the list. */
struct acts_list {
    const struct acts_case *of;
    size_t count;
};
void acts_list(void **list);
int run_acts_lists(const char *name, const struct CMUnitTest *tests, size_t count);
#define ACTS(list)                                                                                 \
    {                                                                                              \
#list, acts_list, NULL, NULL, &(struct acts_list)                                          \
        {                                                                                          \
            list, sizeof list / sizeof *list                                                       \
        }                                                                                          \
    }

#endif
