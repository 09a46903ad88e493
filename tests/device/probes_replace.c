// Copies by maps that tensormap.replace has edited, with values inside and outside of each field's
// range, and by edited im2col maps (the instruction has a tiled mode only).
#include "device/probes.h"

#include <string.h>

static struct probe *edited(struct probe_list *l, const char *kind, uint32_t field, uint32_t ord,
                            uint64_t value)
{
    struct probe *p = probe_add(l, "replace %s field %u[%u] = %#llx", kind, field, ord,
                                (unsigned long long)value);
    p->replaced = true;
    p->replace = (struct probe_replace){EXECUTOR_FIELD(field, ord), value, false};
    return p;
}

static void tiled_values(struct probe_list *l)
{
    static const struct {
        uint32_t field, ord;
        uint64_t value[12];
        uint32_t count;
    } t[] = {
        {TMAP_REPLACE_GLOBAL_ADDRESS, 0, {65536, 65552, 65544, 65537}, 4},
        {TMAP_REPLACE_BOX_DIM, 0, {0, 1, 8, 16, 24, 48, 128, 256, 257, 272}, 10},
        {TMAP_REPLACE_BOX_DIM, 1, {0, 1, 7, 64, 256, 257, 300}, 7},
        {TMAP_REPLACE_BOX_DIM, 2, {0, 5}, 2},
        {TMAP_REPLACE_BOX_DIM, 4, {9}, 1},
        {TMAP_REPLACE_GLOBAL_DIM, 0, {0, 1, 17, 33, 0x80000000u, 0xffffffffu}, 6},
        {TMAP_REPLACE_GLOBAL_DIM, 1, {0, 1, 2, 3, 0x80000000u, 0xffffffffu}, 6},
        {TMAP_REPLACE_GLOBAL_DIM, 3, {7}, 1},
        {TMAP_REPLACE_GLOBAL_STRIDE, 0, {0, 8, 15, 16, 24, 40, 272, 1ull << 40}, 8},
        {TMAP_REPLACE_GLOBAL_STRIDE, 1, {24}, 1},
        {TMAP_REPLACE_ELEMENT_STRIDE, 0, {0, 1, 2, 7, 8, 9}, 6},
        {TMAP_REPLACE_ELEMENT_STRIDE, 1, {0, 1, 2, 3, 8, 9}, 6},
        {TMAP_REPLACE_RANK, 0, {0, 1, 2, 4, 5, 7}, 6},
        {TMAP_REPLACE_ELEMTYPE, 0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12}, 12},
        {TMAP_REPLACE_INTERLEAVE_LAYOUT, 0, {0, 1, 2}, 3},
        {TMAP_REPLACE_SWIZZLE_MODE, 0, {0, 1, 2, 3}, 4},
        {TMAP_REPLACE_FILL_MODE, 0, {0, 1}, 2},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        for (uint32_t k = 0; k < t[i].count; k++) {
            struct probe *p = edited(l, "tiled", t[i].field, t[i].ord, t[i].value[k]);
            p->c.use.coord[1] = 2;
            if (t[i].field == TMAP_REPLACE_RANK) p->rank = 1 + (uint32_t)t[i].value[k] % 5;
            if (t[i].field == TMAP_REPLACE_BOX_DIM && t[i].ord == 0) p->c.desc.swizzle = (int)k % 2;
            if (t[i].field == TMAP_REPLACE_BOX_DIM && t[i].ord == 0) p->c.desc.box[0] = 32;
        }
    struct probe *p = edited(l, "tiled", TMAP_REPLACE_GLOBAL_ADDRESS, 0, 1ull << 57);
    p->replace.absolute = true;
}

static void im2col_values(struct probe_list *l)
{
    static const struct {
        uint32_t field, ord;
        uint64_t value[4];
        uint32_t count;
    } t[] = {
        {TMAP_REPLACE_GLOBAL_ADDRESS, 0, {65536 + 64, 65544}, 2},
        {TMAP_REPLACE_GLOBAL_DIM, 0, {32, 64}, 2},
        {TMAP_REPLACE_GLOBAL_DIM, 1, {4, 6, 1}, 3},
        {TMAP_REPLACE_GLOBAL_DIM, 3, {1, 2}, 2},
        {TMAP_REPLACE_GLOBAL_STRIDE, 0, {80, 72}, 2},
        {TMAP_REPLACE_GLOBAL_STRIDE, 2, {2048}, 1},
        {TMAP_REPLACE_ELEMENT_STRIDE, 1, {2, 3}, 2},
        {TMAP_REPLACE_ELEMTYPE, 0, {0, 1, 2}, 3},
        {TMAP_REPLACE_SWIZZLE_MODE, 0, {0, 1, 3}, 3},
        {TMAP_REPLACE_FILL_MODE, 0, {0, 1}, 2},
        {TMAP_REPLACE_BOX_DIM, 0, {16, 32}, 2},
        {TMAP_REPLACE_BOX_DIM, 1, {2, 256}, 2},
        {TMAP_REPLACE_RANK, 0, {3, 2}, 2},
        {TMAP_REPLACE_INTERLEAVE_LAYOUT, 0, {0, 1}, 2},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        for (uint32_t k = 0; k < t[i].count; k++) {
            struct probe *p = edited(l, "im2col", t[i].field, t[i].ord, t[i].value[k]);
            probe_as_im2col(p);
            if (t[i].field == TMAP_REPLACE_RANK) p->rank = 1 + (uint32_t)t[i].value[k];
        }
}

void probes_replaced(struct probe_list *l)
{
    tiled_values(l);
    im2col_values(l);
}
