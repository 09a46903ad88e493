/* A configuration of a kernel as what it stands for: sums of shared and tensor memory, and copies.
 */
#ifndef TMAP_SOLVE_CONFIG_H
#define TMAP_SOLVE_CONFIG_H

#include "expr/subject.h"
#include "tmap/solve.h"

/* A problem on a target, prepared once for all configurations. */
struct config_judge {
    const struct tmap_checker *checker;
    const struct tmap_problem *p;
    struct derived derived; /* of every sum on the target */
    uint32_t capacity, bits, out_bits;
    bool tensor_memory; /* the target can allocate it */
    bool wgmma;         /* accumulators in the registers of warpgroups */
};

enum tmap_status config_judge_init(const struct tmap_checker *checker, const struct tmap_problem *p,
                                   struct config_judge *out);

uint64_t config_stage_bytes(const struct config_judge *j, const struct tmap_config *c);
uint64_t config_shared_bytes(const struct config_judge *j, const struct tmap_config *c);
/* The most stages with which the sums fit. */
uint64_t config_max_stages(const struct config_judge *j, const struct tmap_config *c);
uint32_t config_registers(const struct config_judge *j, const struct tmap_config *c);
/* Columns of tensor memory that the accumulators take; 0: none do. */
uint64_t config_tmem_columns(const struct config_judge *j, const struct tmap_config *c);
void config_facts(const struct config_judge *j, const struct tmap_config *c,
                  struct pipeline_facts *out);

/* Whether the model says what the configuration's words mean. */
bool config_is_said(const struct config_judge *j, const struct tmap_config *c);

/* The copies of one operand's tile, whose first lies at smem: 0 A, 1 B, 2 C. */
struct config_tile {
    uint64_t rows, columns;             /* of the tensor, in elements; columns innermost */
    uint32_t block_rows, block_columns; /* of the tile in one CTA */
    int32_t dtype;
    uint32_t operand;
    uint64_t smem;
};
struct config_tile config_tile_of(const struct tmap_problem *p, const struct tmap_config *c,
                                  uint32_t operand, uint64_t smem);
/* How many there are, and how many of them lie one below the other along the rows; the i-th. */
size_t config_tile_copies(const struct config_tile *tile, size_t *chunks);
void config_tile_copy(const struct tmap_problem *p, const struct config_tile *tile, size_t i,
                      struct tmap_config_copy *out);
/* The boxes that stand for a tile whose judged copies lie aligned within capacity bytes: it is
 * legal where each of them is, as a tile of its own at the beginning. `rows`: of all boxes but the
 * last of a column, and of that one; 0: none. */
#define CONFIG_BOX_ROWS 256
struct config_boxes {
    uint32_t span16;  /* bytes of a row / 16, below CONFIG_SPANS; 0: none stand for the tile */
    uint32_t columns; /* of one, in elements */
    uint32_t rows[2];
};
#define CONFIG_SPANS 9
struct config_boxes config_tile_boxes(const struct config_tile *tile, uint32_t capacity);
/* Adds the rows that the tile's copies violate. */
void config_judge_tile(const struct config_judge *j, const struct config_tile *tile,
                       struct tmap_config_answer *out);
/* Bytes of the tile in shared memory. */
uint64_t config_tile_bytes(const struct config_tile *tile);

#endif
