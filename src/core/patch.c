/* The descriptor that a tensormap.replace leaves behind, checked against the descriptor's rows. */
#include "core/check_use.h"
#include "core/derive.h"
#include "expr/field.h"

/* The data type that an .elemtype immediate stands for: another order than CUtensorMapDataType. */
static int32_t dtype_of_elemtype(uint64_t elemtype)
{
    switch (elemtype) {
/* clang-format off */
#define DTYPE(id, json, value, since, smem_bits, gmem_bits, flt, ptx_name, ptx_elemtype, code, t)  \
    case ptx_elemtype: return value;
#include "rules/enums.def"
        /* clang-format on */
    default:
        return -1;
    }
}

/* The field holds the swizzle's span; the atom is a field of its own and stays. */
static int32_t swizzle_with_mode(int32_t swizzle, uint64_t mode)
{
    const bool atom = swizzle > TMAP_SWIZZLE_128B;
    return mode == TMAP_SWIZZLE_128B && atom ? swizzle : (int32_t)mode;
}

static int32_t swizzle_with_atomicity(int32_t swizzle, uint64_t atomicity)
{
    if (swizzle < TMAP_SWIZZLE_128B) return atomicity == 0 ? swizzle : -1; /* atoms need 128B */
    return TMAP_SWIZZLE_128B + (int32_t)atomicity;
}

/* Applies use to d; of an ordinal out of range its own row speaks. */
static void patch(struct tmap_desc *d, const struct tmap_use *u)
{
    const uint32_t i = u->ordinal < TMAP_MAX_RANK ? u->ordinal : 0;
    const uint32_t v = (uint32_t)u->value;
    switch (u->field) {
    case TMAP_REPLACE_GLOBAL_ADDRESS:
        d->address = u->value;
        break;
    case TMAP_REPLACE_RANK:
        d->rank = v + 1;
        break;
    case TMAP_REPLACE_BOX_DIM:
        d->box[i] = v;
        break;
    case TMAP_REPLACE_GLOBAL_DIM:
        d->dim[i] = v ? v : UINT64_C(1) << 32;
        break;
    case TMAP_REPLACE_GLOBAL_STRIDE:
        if (i < TMAP_MAX_RANK - 1) d->stride_bytes[i] = u->value;
        break;
    case TMAP_REPLACE_ELEMENT_STRIDE:
        d->elem_stride[i] = v;
        break;
    case TMAP_REPLACE_ELEMTYPE:
        d->dtype = dtype_of_elemtype(u->value);
        break;
    case TMAP_REPLACE_INTERLEAVE_LAYOUT:
        d->interleave = (int32_t)v;
        break;
    case TMAP_REPLACE_SWIZZLE_MODE:
        d->swizzle = swizzle_with_mode(d->swizzle, u->value);
        break;
    case TMAP_REPLACE_SWIZZLE_ATOMICITY:
        d->swizzle = swizzle_with_atomicity(d->swizzle, u->value);
        break;
    case TMAP_REPLACE_FILL_MODE:
        d->oob_fill = (int32_t)v;
        break;
    default:
        break;
    }
}

int tmap_patched_desc(const struct tmap_desc *desc, const struct tmap_use *use,
                      struct tmap_desc *out)
{
    static const int slot_of[] = {[TMAP_REPLACE_GLOBAL_ADDRESS] = F_ADDRESS,
                                  [TMAP_REPLACE_RANK] = F_RANK,
                                  [TMAP_REPLACE_BOX_DIM] = F_BOX,
                                  [TMAP_REPLACE_GLOBAL_DIM] = F_DIM,
                                  [TMAP_REPLACE_GLOBAL_STRIDE] = F_STRIDE,
                                  [TMAP_REPLACE_ELEMENT_STRIDE] = F_ESTRIDE,
                                  [TMAP_REPLACE_ELEMTYPE] = F_DTYPE,
                                  [TMAP_REPLACE_INTERLEAVE_LAYOUT] = F_INTERLEAVE,
                                  [TMAP_REPLACE_SWIZZLE_MODE] = F_SWIZZLE,
                                  [TMAP_REPLACE_SWIZZLE_ATOMICITY] = F_SWIZZLE,
                                  [TMAP_REPLACE_FILL_MODE] = F_OOB};
    *out = *desc;
    patch(out, use);
    if (use->field >= sizeof slot_of / sizeof *slot_of) return -1;
    const int slot = slot_of[use->field];
    const struct field_info *field = field_info_of(field_of_slot(slot));
    if (field->count == 1) return slot;
    return use->ordinal < (uint32_t)field->count ? slot + (int)use->ordinal : -1;
}

uint32_t patched_is_illegal(const struct tmap_checker *checker, const struct tmap_desc *desc,
                            const struct tmap_use *use)
{
    if (use->op != TMAP_OP_REPLACE) return 0;
    struct tmap_desc patched;
    tmap_patched_desc(desc, use, &patched);
    return tmap_verdict_of(checker, &patched) == TMAP_ILLEGAL;
}
