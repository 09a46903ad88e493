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

static bool put_constant(struct tmap_desc *desc, int slot, sym_int value)
{
    int128 low, high;
    field_range(slot, &low, &high);
    return value >= low && value <= high && field_write(desc, NULL, slot, value);
}

bool sym_read_desc(struct sym_work *w, const struct tmap_symbolic_desc *in, struct sym_desc *out)
{
    struct text_field text[MAX_TEXTS];
    size_t n = list_texts(in, text);
    *out = (struct sym_desc){.desc = in->desc};
    for (size_t i = 0; i < n; i++) {
        sym_int value;
        if (!text[i].text) continue;
        const struct sym_poly *p = sym_parse(w, text[i].text);
        if (!p) return false;
        if (!sym_is_const(p, &value)) {
            out->field[text[i].slot] = p;
        } else if (!put_constant(&out->desc, text[i].slot, value)) {
            sym_fail(w, TMAP_E_ARGUMENT, "\"%.60s\" does not fit its field", text[i].text);
            return false;
        }
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

bool sym_desc_at(const struct sym_work *w, const struct sym_desc *desc, const sym_int *values,
                 struct tmap_desc *out)
{
    *out = desc->desc;
    for (int slot = 0; slot < FIELD_SLOTS; slot++) {
        sym_int v;
        const struct sym_poly *p = desc->field[slot];
        if (!p) continue;
        bool fit = sym_eval(w, p, values, &v) && put_constant(out, slot, v);
        if (!fit && field_is_read(&desc->desc, slot)) return false;
    }
    return true;
}
