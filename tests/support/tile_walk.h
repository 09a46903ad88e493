/* What a request's tile is: its elements one after another, and where each lies, by a plain walk
 * over the tensor that shares nothing with the plans. */
#ifndef TESTS_SUPPORT_TILE_WALK_H
#define TESTS_SUPPORT_TILE_WALK_H

#include "tmap/tmap.h"

#include <stdbool.h>
#include <stddef.h>

/* From one index of dimension 0 to the next: of a slice under interleave. In bytes where elements
 * are whole ones. */
uint64_t tile_unit_bits(const struct tmap_desc *request);
uint64_t tile_unit_bytes(const struct tmap_desc *request);

/* The address of element x of the tensor, and the bit in it; false where it is out of bounds. */
bool tile_address(const struct tmap_desc *request, const int64_t *x, uint64_t *address);
bool tile_bit(const struct tmap_desc *request, const int64_t *x, uint64_t *bit);

/* tile: an element's position in the tile, of an im2col request {channel, pixel}; x: in the tensor.
 */
struct tile_walk {
    const struct tmap_desc *request;
    uint32_t tile[TMAP_MAX_RANK];
    int64_t first[TMAP_MAX_RANK], x[TMAP_MAX_RANK];
};

/* The first element of the tile at coord[]; each next one, false after the last. */
void tile_walk_start(struct tile_walk *w, const struct tmap_desc *request, const int64_t *coord);
bool tile_walk_next(struct tile_walk *w);

/* Memory whose every byte says where it is from, for tmap_memory.read. */
uint8_t tile_byte(uint64_t address);
unsigned tile_memory_bit(uint64_t bit);
bool tile_read(void *user, uint64_t address, void *to, size_t bytes);

#endif
