/* generate.h : descriptors to try a driver with. Nothing here knows a rule: bounds are found by
 * asking the rows (tmap_check_with, tmap_detail_of), so a new row is tried without a line here. */
#ifndef TMAP_DRIVER_GENERATE_H
#define TMAP_DRIVER_GENERATE_H

#include "driver/rng.h"
#include "driver/slot.h"

#define GENERATE_CHUNK 2048
#define GENERATE_ROWS 192
#define GENERATE_RECIPES 16
#define GENERATE_POOL 8

enum generate_source { FROM_BOUND, FROM_RANDOM, FROM_REAL, FROM_ENUMS, FROM_UNUSUAL, SOURCES };

enum side { SIDE_INSIDE, SIDE_OUTSIDE, SIDE_NONE };

struct item {
    struct tmap_desc desc;
    tmap_row row;   /* FROM_BOUND: the row at whose bound it stands */
    enum side side; /* one unit inside or outside */
    uint8_t source; /* enum generate_source */
    int16_t slot;   /* FROM_BOUND: what was moved */
    bool legal;     /* FROM_BOUND: what the contract `driver` says of the pair itself */
};

/* A change that made one row alone fail. */
struct recipe {
    int8_t kind, slot;
    int64_t value;
    struct tmap_desc base; /* a legal descriptor that it worked on */
};

/* Both sides of a row's bound: they differ in one slot, by the least that makes the row alone
 * fail. */
struct bound_pair {
    struct tmap_desc inside, outside;
    tmap_row row;
    int slot;
};

struct row_knowledge {
    struct recipe recipes[GENERATE_RECIPES];
    struct bound_pair pairs[GENERATE_POOL];
    uint32_t seen, pair_count;
};

/* Built once from a seed, then read by any number of threads. */
struct generator {
    struct tmap_checker safe, driver;
    uint64_t seed;
    const struct tmap_desc *real; /* descriptors of real programs, to mutate; may be empty */
    size_t real_count;
    struct row_knowledge *rows; /* tmap_row_count() of them */
    tmap_row known[GENERATE_ROWS];
    size_t known_count; /* rows with at least one pair */
};

enum tmap_status generator_open(struct generator *g, const struct tmap_target *target,
                                uint64_t seed, uint64_t effort, const struct tmap_desc *real,
                                size_t real_count);
void generator_close(struct generator *g);

/* The chunk-th GENERATE_CHUNK descriptors: a function of seed and chunk alone. */
void generator_chunk(const struct generator *g, uint64_t chunk, struct item *out);

/* Both sides of a bound of a known row; and a random descriptor that the driver accepts. */
struct bound_pair generator_pair(const struct generator *g, struct rng *rng, tmap_row row);
struct tmap_desc generator_base(const struct generator *g, struct rng *rng, int32_t kind);

/* A random descriptor that the checker finds legal, mended from random values. False when none was
 * found in a few attempts. */
bool generate_legal(const struct tmap_checker *checker, struct rng *rng, int32_t kind,
                    struct tmap_desc *out);
/* A value for a slot: small, near its present one, near a power of two, or wild. */
int64_t generate_value(struct rng *rng, const struct tmap_desc *desc, int slot);

/* Finds both sides of the one bound that `desc`, one slot away from the legal `base`, breaks.
 * False when it breaks none, or several. */
bool generate_pair(const struct tmap_checker *safe, const struct tmap_desc *base,
                   const struct tmap_desc *desc, int slot, struct bound_pair *out);

#endif
