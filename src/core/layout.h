// What one copy moves and where its rows lie in shared memory, for a descriptor already known to be
// legal. The public tmap_layout() asks the rows first; inside the library, where the verdict is
// known, this is the way in.
#ifndef TMAP_CORE_LAYOUT_H
#define TMAP_CORE_LAYOUT_H

#include "tmap/tmap.h"

// Bytes from one shared row to the next, and how the rows count, come from these three.
uint32_t layout_smem_bits(int32_t dtype);        // bits of an element in shared memory; 0 unknown
uint32_t layout_gmem_bits(int32_t dtype);        // and in global memory
uint32_t layout_slice_bytes(int32_t interleave); // 16 or 32; 0 without interleave
// Of bytes in shared memory, those that count on the barrier: padding does not (docs/SIMULATOR.md).
uint64_t layout_counted_bytes(const struct tmap_desc *desc, uint64_t bytes);
uint32_t layout_swizzle_span(int32_t swizzle); // 0 for none
uint32_t layout_swizzle_atom(int32_t swizzle); // 16, 32 or 64
// Elements of a row in one span; 0 for none. A longer row's box would lie in slabs of that width.
uint32_t layout_span_elements(int32_t swizzle, int32_t dtype);

// The halo of im2col::w (PTX ISA, wHalo): so many pixels more at the end of the map's pixels; in
// im2col::w::128 after every 32. layout_halo_rows() : the rows that a load has for them.
#define LAYOUT_HALO_EVERY 32u
uint64_t layout_halo_rows(const struct tmap_desc *desc, const struct tmap_use *use);

void layout_of(const struct tmap_desc *desc, struct tmap_layout *out);

#endif
