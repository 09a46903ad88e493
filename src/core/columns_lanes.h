/* The rows of one width of lane, over a block: included by columns_rows.h for rows that read a
 * field of 64 bits (WIDE 1) and for the others. WORD is a lane's type in struct columns_bad,
 * EVERY_OF and ROWS_OF are the functions' names; it undefines what it is given. */
ALWAYS_INLINE void EVERY_OF(const struct columns_view *w, const int kind, const uint32_t rank,
                            const int part, WORD *bad)
{
    TYPES;
    OVER_BLOCK
    {
        v_i here = ALL(0);
#define ROW_OF ROW_USUAL
#include "rules/desc.def"
#undef ROW_OF
        const v_i says = BROKEN(here) & ALL(CLASS_DECIDES);
        if (part & PART_ONCE)
            *(v_i *)(bad + at) = says;
        else
            *(v_i *)(bad + at) |= says;
    }
}
ALWAYS_INLINE void ROWS_OF(const struct columns_view *w, enum columns_how how, const uint8_t *class,
                           const int kind, const uint32_t rank, WORD *bad)
{
    TYPES;
    const int part = ANY_PART;
    if (how == ROWS_EVERY) {
        EVERY_PART(EVERY_OF)
    } else {
        OVER_BLOCK
        {
            v_i here = ALL(0);
            if (WIDE && how == ROWS_LEFT) {
#define ROW_OF ROW_ALWAYS
#include "rules/desc.def"
#undef ROW_OF
            }
            *(v_i *)(bad + at) = BROKEN(here) & ALL(CLASS_DECIDES);
        }
    }
#define ROW_OF ROW_SOME
#include "rules/desc.def"
#undef ROW_OF
}
#undef WIDE
#undef WORD
#undef EVERY_OF
#undef ROWS_OF
#undef OF_U64
#undef OF_U32
#undef OF_I32
#undef TYPES
