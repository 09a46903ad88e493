/* api.h : random sequences of calls over the public interface, held to its contract.
 *
 * A sequence is a list of steps: which call, the seed of its arguments, and how many of its draws
 * are made; every draw beyond that answers 0, the plainest choice. So a sequence that fails is
 * shrunk by leaving out steps and then draws, and is replayed from its text. Arguments are what
 * earlier calls of the sequence made, edge values, and what lies beside the rows' bounds. */
#ifndef TMAP_TESTS_FUZZ_API_H
#define TMAP_TESTS_FUZZ_API_H

#include "tmap/code.h"
#include "tmap/copy.h"
#include "tmap/driver.h"
#include "tmap/emulate.h"
#include "tmap/kernels.h"
#include "tmap/solve.h"
#include "tmap/symbolic.h"
#include "tmap/tmap.h"

enum { SLOTS = 3, VIOLATIONS = 24, TEXTS = 1 << 14 };

struct step {
    uint32_t call, draws;
    uint64_t seed;
};

/* What the calls of one sequence share. */
struct world {
    uint64_t random;
    uint32_t draws; /* left */
    uint32_t drawn;
    uint64_t statuses; /* of this call's answers, a bit each */
    struct tmap_checker checker[SLOTS];
    struct tmap_desc desc[SLOTS];
    struct tmap_use use[SLOTS];
    struct tmap_map map[SLOTS];
    struct tmap_plan plan[SLOTS];
    struct tmap_request request;
    struct tmap_symbolic *symbolic;
    struct tmap_condition *condition;
    size_t descs; /* of the condition */
    struct tmap_emulate_module *module;
    uint64_t *workspace; /* TMAP_REPAIR_WORKSPACE bytes */
    char *text;          /* TEXTS bytes */
    bool isl;            /* conditions are asked too */
    unsigned thread;
};

typedef void call_of(struct world *w);
struct call {
    const char *name;
    unsigned weight;
    call_of *run;
    const char *statuses; /* those that its comment allows, as numbers with a blank behind each */
};
extern const struct call calls[];
extern const unsigned call_count;

/* A property that does not hold ends the process (main.c). */
_Noreturn void api_broken(const char *file, int line, const char *property);
#define HOLDS(property)                                                                            \
    do {                                                                                           \
        if (!(property)) api_broken(__FILE__, __LINE__, #property);                                \
    } while (0)

/* The status of the call under test: noted, and handed on. */
enum tmap_status noted(struct world *w, enum tmap_status status);

/* --- draws -------------------------------------------------------------------------------------
 */
void draw_prepare(void);
uint64_t draw(struct world *w);
uint32_t draw_below(struct world *w, uint32_t n);
bool draw_one_in(struct world *w, uint32_t n);
uint64_t draw_edge(struct world *w); /* a power of two, its neighbours, a small or a wild number */
/* Puts an edge value over one 32-bit word of a struct, any of whose bits are a value. */
void draw_word(struct world *w, void *of, size_t bytes);
size_t draw_cap(struct world *w, size_t most);
void draw_target(struct world *w, struct tmap_target *out);
void draw_desc(struct world *w, struct tmap_desc *out);
void draw_use(struct world *w, struct tmap_use *out);
void draw_request(struct world *w, struct tmap_request *out);
const char *draw_text(struct world *w);
struct tmap_desc *a_desc(struct world *w);
struct tmap_checker *a_checker(struct world *w);
/* p, or one time in forty NULL. */
void *maybe(struct world *w, void *p);

/* Outputs are filled with one byte before a call; on an error all of them still have it. */
void spoil(void *p, size_t bytes);
bool spoiled(const void *p, size_t bytes);

void world_open(struct world *w);
void world_reset(struct world *w);
void world_close(struct world *w);

#endif
