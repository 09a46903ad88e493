/* Which field slot a violated row blames, at an index. */
#include "expr/row.h"

int row_blame(tmap_row row, int index, const struct tmap_desc *desc)
{
    const int i = index < 0 ? 0 : index;
    const uint32_t rank = desc ? desc->rank : 1;
    const int rank_last = rank < 1 || rank > TMAP_MAX_RANK ? 0 : (int)rank - 1;
    const int plain = desc == NULL || desc->interleave == TMAP_INTERLEAVE_NONE;
    (void)i;
#define RANK_LAST rank_last
#define SPATIAL(j) ((j) + plain)
#define BLAME(slot) (slot)
    switch (row) {
/* clang-format off */
#define ROW(id, name, kinds, span, needs, when, must, effect, blame, ...)                          \
    case ROW_##id: return blame;
#include "rules/rows.def"
        /* clang-format on */
    default:
        return -1;
    }
}
