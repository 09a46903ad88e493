/* The rows of one width of lane, over a block: included by columns_rows.h for rows that read a
 * field of 64 bits (WIDE 1) and for the others. WORD is a lane's type in struct columns_bad,
 * EVERY_OF and ALONE_OF are the functions' names; it undefines what it is given. */

#define OF(member) of.member
/* Tells `view` of greater values of enumerations than are known; of those below 0, which a usual
 * row refuses, nothing. */
ALWAYS_INLINE void EVERY_OF(const struct columns_view *w, struct columns_view *view, const int kind,
                            const uint32_t rank, WORD *bad)
{
    TYPES;
    v_i dtype = ALL(0), interleave = ALL(0), swizzle = ALL(0), oob = ALL(0);
    OVER_BLOCK
    {
        READ_COLUMNS;
        v_i here = ALL(0);
#define ROW_OF ROW_USUAL
#include "rules/desc.def"
#undef ROW_OF
        *(v_i *)(bad + at) = BROKEN(here) & ALL(CLASS_DECIDES);
        if (!WIDE) {
            dtype = GREATER(dtype, DTYPE);
            interleave = GREATER(interleave, INTERLEAVE);
            swizzle = GREATER(swizzle, SWIZZLE);
            oob = GREATER(oob, OOB);
        }
    }
    if (WIDE) return;
    const v_i news = (dtype >= ALL(w->known.dtype)) | (interleave >= ALL(w->known.interleave)) |
                     (swizzle >= ALL(w->known.swizzle)) | (oob >= ALL(w->known.oob_fill));
    WORD any = 0;
    for (size_t k = 0; k < LANES; k++) any |= (WORD)news[k];
    for (size_t k = 0; k < LANES && any; k++)
        columns_learn(view, (int32_t)dtype[k], (int32_t)interleave[k], (int32_t)swizzle[k],
                      (int32_t)oob[k]);
    if (any) columns_narrow(view);
}
#undef OF
#define OF(member) READ(member)
/* The rows of a set, one by one. */
ALWAYS_INLINE void ALONE_OF(const struct columns_view *w, const struct row_set *rows,
                            const int kind, const uint32_t rank, WORD *bad)
{
    TYPES;
    for (int word = 0; word < TMAP_ROW_WORDS; word++)
        for (uint64_t set = rows->w[word]; set; set &= set - 1) {
            const int row = 64 * word + __builtin_ctzll(set);
            const v_i says = ALL(w->class[row]);
            switch (row) {
#define ROW_OF ROW_ALONE
#include "rules/desc.def"
#undef ROW_OF
            }
        }
}
#undef WIDE
#undef WORD
#undef EVERY_OF
#undef ALONE_OF
#undef OF
#undef OF_U64
#undef OF_U32
#undef OF_I32
#undef OF_TABLE
#undef TYPES
