/* symbolic_desc.c : descriptors with expressions in them: reading them, and putting values in. */
#include "symbolic/condition/condition.h"
#include "symbolic/poly/parse.h"

struct text_field {
    const char *text;
    int slot;
};

enum { MAX_TEXTS = 40 };

static size_t list_texts(const struct tmap_symbolic_desc *in, struct text_field *out)
{
    size_t n = 0;
    out[n++] = (struct text_field){in->address, F_ADDRESS};
    for (int i = 0; i < TMAP_MAX_RANK; i++) {
        out[n++] = (struct text_field){in->dim[i], F_DIM + i};
        out[n++] = (struct text_field){in->box[i], F_BOX + i};
        out[n++] = (struct text_field){in->elem_stride[i], F_ESTRIDE + i};
    }
    for (int i = 0; i < TMAP_MAX_RANK - 1; i++) {
        out[n++] = (struct text_field){in->stride[i], F_STRIDE + i};
    }
    for (int i = 0; i < TMAP_MAX_SPATIAL; i++) {
        out[n++] = (struct text_field){in->lower[i], F_LOWER + i};
        out[n++] = (struct text_field){in->upper[i], F_UPPER + i};
    }
    out[n++] = (struct text_field){in->channels, F_CHANNELS};
    out[n++] = (struct text_field){in->pixels, F_PIXELS};
    out[n++] = (struct text_field){in->map_address, F_MAP_ADDRESS};
    out[n++] = (struct text_field){in->allocation_base, F_ALLOC_BASE};
    out[n++] = (struct text_field){in->allocation_bytes, F_ALLOC_BYTES};
    return n;
}

static bool put_constant(struct tmap_desc *desc, struct tmap_use *use, int slot, sym_int value)
{
    int128 low, high;
    field_range(slot, &low, &high);
    if (value < low || value > high) return false;
    field_write(desc, use, slot, value);
    return true;
}

/* The texts of a list that are not NULL: constants go to *desc or *use, the rest to field. */
static bool read_texts(struct sym_work *w, const struct text_field *text, size_t n,
                       struct tmap_desc *desc, struct tmap_use *use, const struct sym_poly **field)
{
    for (size_t i = 0; i < n; i++) {
        sym_int value;
        if (!text[i].text) continue;
        const struct sym_poly *p = sym_parse(w, text[i].text);
        if (!p) return false;
        if (!sym_is_const(p, &value)) {
            field[text[i].slot] = p;
        } else if (!put_constant(desc, use, text[i].slot, value)) {
            sym_fail(w, TMAP_E_ARGUMENT, "\"%.60s\" does not fit its field", text[i].text);
            return false;
        }
    }
    return true;
}

static bool read_use(struct sym_work *w, const struct tmap_symbolic_use *in, struct sym_use *out)
{
    struct text_field text[TMAP_MAX_RANK + TMAP_MAX_SPATIAL + 4];
    size_t n = 0;
    for (int i = 0; i < TMAP_MAX_RANK; i++)
        text[n++] = (struct text_field){in->coord[i], F_COORD + i};
    for (int i = 0; i < TMAP_MAX_SPATIAL; i++)
        text[n++] = (struct text_field){in->offset[i], F_OFFSET + i};
    text[n++] = (struct text_field){in->smem, F_SMEM};
    text[n++] = (struct text_field){in->expect_tx, F_EXPECT_TX};
    text[n++] = (struct text_field){in->mbarrier, F_MBARRIER};
    text[n++] = (struct text_field){in->multicast, F_MULTICAST};
    out->use = in->use;
    return read_texts(w, text, n, NULL, &out->use, out->field);
}

bool sym_read_desc(struct sym_work *w, const struct tmap_symbolic_desc *in, struct sym_desc *out)
{
    struct text_field text[MAX_TEXTS];
    size_t n = list_texts(in, text);
    *out = (struct sym_desc){.desc = in->desc, .n_uses = in->uses ? in->use_count : 0};
    out->uses = sym_take(w, (out->n_uses + 1) * sizeof *out->uses);
    if (!out->uses || !read_texts(w, text, n, &out->desc, NULL, out->field)) return false;
    for (size_t i = 0; i < out->n_uses; i++) {
        if (!read_use(w, &in->uses[i], &out->uses[i])) return false;
    }
    return true;
}

static bool fix_fields(struct sym_work *w, const struct sym_facts *facts, struct tmap_desc *desc,
                       struct tmap_use *use, const struct sym_poly **field)
{
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        sym_int value;
        if (!field[slot]) continue;
        field[slot] = sym_fix(w, facts, field[slot]);
        if (!field[slot]) return false;
        if (sym_is_const(field[slot], &value) && put_constant(desc, use, slot, value))
            field[slot] = NULL;
    }
    return true;
}

bool sym_fix_desc(struct sym_work *w, const struct sym_facts *facts, const struct sym_desc *in,
                  struct sym_desc *out)
{
    *out = *in;
    out->uses = sym_take(w, (in->n_uses + 1) * sizeof *out->uses);
    if (!out->uses || !fix_fields(w, facts, &out->desc, NULL, out->field)) return false;
    for (size_t i = 0; i < in->n_uses; i++) {
        out->uses[i] = in->uses[i];
        if (!fix_fields(w, facts, NULL, &out->uses[i].use, out->uses[i].field)) return false;
    }
    return true;
}

/* The range of a field's C type, as a formula. */
static const struct sym_form *fits(struct sym_work *w, const struct sym_poly *p, int slot)
{
    int128 low, high;
    field_range(slot, &low, &high);
    const struct sym_poly *one = sym_const(w, 1);
    if (!one) return NULL;
    return sym_and(w, sym_ge(w, sym_add(w, 1, p, -low, one)),
                   sym_ge(w, sym_add(w, -1, p, high, one)));
}

bool sym_desc_fits(struct sym_rows *rows)
{
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        const struct sym_poly *p = rows->desc->field[slot];
        if (!p || !field_is_read(&rows->desc->desc, slot)) continue;
        const struct sym_form *f = fits(rows->w, p, slot);
        if (!f || !rows->each(rows->user, TMAP_NO_ROW, slot, f)) return false;
        sym_learn(rows->w, rows->facts, f);
    }
    return true;
}

/* Which slots of a use the instruction has. */
static bool is_given(const struct tmap_use *u, int slot)
{
    switch (field_of_slot(slot)) {
    case FIELD_COORD:
        return (u->flags & TMAP_USE_COORD) && (uint32_t)(slot - F_COORD) < u->coord_count;
    case FIELD_OFFSET:
        return u->flags & TMAP_USE_OFFSET;
    case FIELD_SMEM:
        return u->flags & TMAP_USE_SMEM;
    case FIELD_EXPECT_TX:
        return u->flags & TMAP_USE_EXPECT_TX;
    case FIELD_MBARRIER:
        return u->flags & TMAP_USE_MBARRIER;
    default:
        return true;
    }
}

bool sym_use_fits(struct sym_rows *rows, const struct sym_use *use)
{
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        if (!use->field[slot] || !is_given(&use->use, slot)) continue;
        const struct sym_form *f = fits(rows->w, use->field[slot], slot);
        if (!f || !rows->each(rows->user, TMAP_NO_ROW, slot, f)) return false;
        sym_learn(rows->w, rows->facts, f);
    }
    return true;
}

bool sym_use_at(const struct sym_work *w, const struct sym_use *use, const sym_int *values,
                struct tmap_use *out)
{
    *out = use->use;
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        sym_int v;
        const struct sym_poly *p = use->field[slot];
        if (!p) continue;
        bool fit = sym_eval(w, p, values, &v) && put_constant(NULL, out, slot, v);
        if (!fit && is_given(&use->use, slot)) return false;
    }
    return true;
}

bool sym_desc_at(const struct sym_work *w, const struct sym_desc *desc, const sym_int *values,
                 struct tmap_desc *out)
{
    *out = desc->desc;
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        sym_int v;
        const struct sym_poly *p = desc->field[slot];
        if (!p) continue;
        bool fit = sym_eval(w, p, values, &v) && put_constant(out, NULL, slot, v);
        if (!fit && field_is_read(&desc->desc, slot)) return false;
    }
    return true;
}
