/* Quantities that rows name but that take more than one field to compute. */
#ifndef TMAP_CORE_DERIVE_H
#define TMAP_CORE_DERIVE_H

#include "expr/subject.h"

/* Fills extent_bytes and last_byte of out: each UINT64_MAX when it overflows, 0 for a rank, a type
 * or a size out of range. */
void derive_extent(const struct tmap_desc *desc, struct derived *out);

/* Fills nested and dense of out. */
void derive_nesting(const struct tmap_desc *desc, struct derived *out);

/* Everything that rows about a use ask for. */
void derive_use(const struct tmap_target *target, const struct tmap_desc *desc,
                const struct tmap_use *use, struct derived *out);

/* derive_use() for libtmap-symbolic, which has no copy of the core. */
TMAP_API void tmap_derive_use(const struct tmap_target *target, const struct tmap_desc *desc,
                              const struct tmap_use *use, struct derived *out);

/* tmap_patched_desc() : the descriptor that use, a tensormap.replace, leaves behind; returns the
 * slot that it writes, -1 where it writes none. */
TMAP_API int tmap_patched_desc(const struct tmap_desc *desc, const struct tmap_use *use,
                               struct tmap_desc *out);

#endif
