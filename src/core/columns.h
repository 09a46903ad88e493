/* Many descriptors by columns: what the table of rows compiled for vectors (columns_rows.h) is
 * given, a block of descriptors at a time. */
#ifndef TMAP_CORE_COLUMNS_H
#define TMAP_CORE_COLUMNS_H

#include "core/checker.h"

/* The members of struct tmap_columns that may be columns: the word of fields.def, member, type of
 * an entry, how many. ONE and MANY say whether the member is a column or an array of them. */
#define COLUMNS(ONE, MANY)                                                                         \
    ONE(DTYPE, dtype, int32_t)                                                                     \
    ONE(ADDRESS, address, uint64_t)                                                                \
    MANY(DIM, dim, uint64_t, TMAP_MAX_RANK)                                                        \
    MANY(STRIDE, stride_bytes, uint64_t, TMAP_MAX_RANK - 1)                                        \
    MANY(BOX, box, uint32_t, TMAP_MAX_RANK)                                                        \
    MANY(ESTRIDE, elem_stride, uint32_t, TMAP_MAX_RANK)                                            \
    ONE(INTERLEAVE, interleave, int32_t)                                                           \
    ONE(SWIZZLE, swizzle, int32_t)                                                                 \
    ONE(L2, l2_promotion, int32_t)                                                                 \
    ONE(OOB, oob_fill, int32_t)                                                                    \
    MANY(LOWER, lower, int32_t, TMAP_MAX_SPATIAL)                                                  \
    MANY(UPPER, upper, int32_t, TMAP_MAX_SPATIAL)                                                  \
    ONE(CHANNELS, channels, uint32_t)                                                              \
    ONE(PIXELS, pixels, uint32_t)                                                                  \
    ONE(MODE, mode, int32_t)

#define COLUMNS_BLOCK 128 /* descriptors; a multiple of every number of lanes */

/* Beyond the greatest value of enumerations, 0: of none. */
struct columns_seen {
    uint32_t dtype, interleave, swizzle, oob_fill;
};

/* What a violation of a row says of the verdict. Of a row that is not in the checker's gate:
 * nothing. A violated row of the gate none of whose needs is violated exists wherever any is; where
 * all that are violated are active, it is one of those, and the descriptor is illegal. */
enum columns_class { CLASS_NOTHING = 0, CLASS_DECIDES = 1, CLASS_ASKS = 2 };

/* Of descriptor k, of_64[k] and of_32[k]: the classes of the rows that it violates, needs not
 * looked at: of rows that read a field of 64 bits, and of others. After all, of_32[k]: of all rows.
 */
struct columns_bad {
    _Alignas(64) uint64_t of_64[COLUMNS_BLOCK];
    uint32_t of_32[COLUMNS_BLOCK];
};

/* What is asked of a block. Entry k of each column is that of its k-th descriptor; no column that
 * the kind and the rank have is NULL. Kind and rank exist. */
struct columns_view {
    struct tmap_target target;
    int32_t kind; /* of all, as the next three */
    uint32_t rank, flags;
    uint64_t map_address;
    const struct tmap_columns *column;
    uint32_t of_all;      /* classes of what all violate */
    const uint8_t *class; /* of each row: enum columns_class */
    /* Every row that is a violation decides: all that usually apply are looked at together, so that
     * they share what they read, and of the rare ones those that can apply in the block. Else each
     * row with a class is looked at alone. */
    bool every;
    /* Of every row, the values that the rows below allow for: a block with greater ones adds its
     * own. Set to none now and then, so that rows that no longer apply are dropped. */
    struct columns_seen known;
    /* rows that are looked at alone, of 32-bit lanes and of 64 */
    struct row_set alone[2];
};

/* Says which rows are looked at alone in blocks of known values. */
void columns_narrow(struct columns_view *view);
/* Adds a descriptor's values to the known ones. */
void columns_learn(struct columns_view *view, int32_t dtype, int32_t interleave, int32_t swizzle,
                   int32_t oob_fill);

/* To verdicts[k], whether descriptor k violates a row that counts or of_all has a class. Returns
 * all classes in bad. */
typedef uint32_t columns_rows(struct columns_view *view, struct columns_bad *bad,
                              enum tmap_verdict *verdicts);
columns_rows columns_rows_base, columns_rows_avx2, columns_rows_avx512;

/* The widest that this processor has, and those it has at all: a test runs each. NULL: not here. */
columns_rows *columns_rows_here(void);
enum columns_isa { COLUMNS_BASE, COLUMNS_AVX2, COLUMNS_AVX512, COLUMNS_ISAS };
columns_rows *columns_rows_of(enum columns_isa isa);

/* Whether the rows compiled for vectors are about such a table: without an allocation, of a kind
 * and a rank that exist, on a target that sources cover. */
bool columns_fit(const struct tmap_checker *checker, const struct tmap_desc *common);

/* tmap_check_columns() of a table that fits, through one of them; how many descriptors were
 * judged one by one. */
size_t columns_check(columns_rows *rows, const struct tmap_checker *checker,
                     const struct tmap_columns *columns, size_t n, enum tmap_verdict *verdicts);

#endif
