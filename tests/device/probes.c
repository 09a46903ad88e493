// The list of single copies that may fault; see probes.h.
#include "device/probes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout.h"

#define IMAGE_CAP 16384u
#define WINDOW_AT (1ull << 30)

static const struct probe *base(void)
{
    static struct probe p;
    memset(&p, 0, sizeof p);
    struct tmap_desc *d = &p.c.desc;
    d->dtype = TMAP_UINT8;
    d->rank = 2;
    d->address = 65536;
    d->dim[0] = 256, d->dim[1] = 64;
    d->stride_bytes[0] = 256;
    d->box[0] = 64, d->box[1] = 4;
    for (int i = 0; i < 5; i++) d->elem_stride[i] = 1;
    p.c.exec_op = EXECUTOR_LOAD;
    p.c.seed = 7;
    p.far = -1;
    return &p;
}

struct probe *probe_add(struct probe_list *l, const char *fmt, ...)
{
    struct probe *p = &l->p[l->n++];
    *p = *base();
    va_list a;
    va_start(a, fmt);
    vsnprintf(p->name, sizeof p->name, fmt, a);
    va_end(a);
    return p;
}

static void set_type(struct probe *p, int dtype)
{
    const uint32_t size = layout_gmem_bits(dtype) / 8;
    p->c.desc.dtype = dtype;
    p->c.desc.dim[0] = 256 / size;
    p->c.desc.box[0] = 64 / size;
}

void probe_as_op(struct probe *p, uint32_t exec_op)
{
    p->c.exec_op = exec_op;
    if (exec_op != EXECUTOR_STORE && exec_op != EXECUTOR_STORE_IM2COL && exec_op < EXECUTOR_REDUCE)
        return;
    p->c.window = WINDOW_AT;
    p->c.window_bytes = IMAGE_CAP;
    p->c.desc.dim[1] = 16;
    p->c.desc.address = WINDOW_AT + 2048;
}

void probe_as_im2col(struct probe *p)
{
    struct tmap_desc *d = &p->c.desc;
    d->kind = TMAP_IM2COL;
    d->rank = 4;
    d->dim[0] = 64, d->dim[1] = 6, d->dim[2] = 5, d->dim[3] = 3;
    d->stride_bytes[0] = 64, d->stride_bytes[1] = 384, d->stride_bytes[2] = 1920;
    d->channels = 32, d->pixels = 8;
    p->c.exec_op = EXECUTOR_LOAD_IM2COL;
}

static void as_interleave(struct probe *p, int il, int swizzle)
{
    struct tmap_desc *d = &p->c.desc;
    const uint32_t s = il == 2 ? 32 : 16;
    d->interleave = il, d->swizzle = swizzle;
    d->rank = 3;
    d->dim[0] = 16, d->dim[1] = 4, d->dim[2] = 2;
    d->stride_bytes[0] = 16 * s, d->stride_bytes[1] = 64 * s;
    d->box[0] = 16, d->box[1] = 1, d->box[2] = 2;
}

static void probes_coordinates(struct probe_list *l)
{
    static const int types[] = {TMAP_UINT8, TMAP_UINT16, TMAP_FLOAT32, TMAP_BFLOAT16, TMAP_UINT64};
    static const uint32_t ops[] = {EXECUTOR_LOAD, EXECUTOR_STORE, EXECUTOR_PREFETCH};
    for (int o = 0; o < 3; o++)
        for (int t = 0; t < 5; t++)
            for (int c = -1; c <= 1; c += 2) {
                struct probe *p = probe_add(l, "coord0 %d type %d op %u", c, types[t], ops[o]);
                set_type(p, types[t]);
                probe_as_op(p, ops[o]);
                p->c.use.coord[0] = c;
            }
    for (int il = 1; il <= 2; il++)
        for (int o = 0; o < 3; o++)
            for (int c = -1; c <= 1; c += 2) {
                struct probe *p = probe_add(l, "interleave %d coord0 %d op %u", il, c, ops[o]);
                as_interleave(p, il, il == 2);
                probe_as_op(p, ops[o]);
                if (o == 1) p->c.desc.dim[1] = 4;
                p->c.use.coord[0] = c;
            }
    for (int d = 0; d < 3; d++) {
        struct probe *p = probe_add(l, "store coords %s",
                                    d == 0   ? "0,-2"
                                    : d == 1 ? "-16,0"
                                             : "all out");
        probe_as_op(p, EXECUTOR_STORE);
        p->c.use.coord[0] = d == 1 ? -16 : 0;
        p->c.use.coord[1] = d == 0 ? -2 : d == 2 ? 1000 : 0;
    }
}

static void probes_dims(struct probe_list *l)
{
    static const uint64_t dims[] = {0x7fffffff, 0x80000000, 0x80000001,
                                    0xfffffff0, 0xffffffff, 0x100000000};
    static const int64_t at[] = {-16, 0, 2147483632};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            struct probe *p =
                probe_add(l, "dim0 %llx coord %lld", (unsigned long long)dims[i], (long long)at[k]);
            p->c.desc.rank = 1;
            p->c.desc.dim[0] = dims[i];
            p->c.use.coord[0] = (int32_t)at[k];
        }
    static const int64_t at1[] = {-1, -2147483647 - 1, 2147483644, 2147483647, 0};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 5; k++) {
            struct probe *p = probe_add(l, "dim1 %llx coord %lld", (unsigned long long)dims[i],
                                        (long long)at1[k]);
            p->c.desc.dim[1] = dims[i];
            p->c.desc.stride_bytes[0] = 0;
            p->c.desc.box[1] = 8;
            p->c.use.coord[1] = (int32_t)at1[k];
        }
    for (int r = 3; r <= 5; r++) {
        struct probe *p = probe_add(l, "last dim of rank %d 2^32 coord -1", r);
        p->c.desc.rank = (uint32_t)r;
        for (int i = 2; i < r; i++) p->c.desc.dim[i] = 4, p->c.desc.box[i] = 1;
        p->c.desc.dim[r - 1] = 1ull << 32;
        p->c.use.coord[r - 1] = -1;
    }
}

static void probes_alignment(struct probe_list *l)
{
    static const uint32_t at[] = {16, 32, 64, 128, 8};
    static const uint32_t ops[] = {EXECUTOR_LOAD, EXECUTOR_STORE, EXECUTOR_REDUCE};
    for (int o = 0; o < 3; o++)
        for (int s = 0; s < 6; s++)
            for (int a = 0; a < 5; a++) {
                struct probe *p = probe_add(l, "smem +%u layout %d op %u", at[a], s, ops[o]);
                p->c.desc.swizzle = s < 4 ? s : s == 5;
                if (s == 1) p->c.desc.box[0] = 32;
                if (s >= 4) as_interleave(p, s - 3, s == 5);
                probe_as_op(p, ops[o]);
                if (s >= 4 && o) p->c.desc.dim[1] = 4;
                if (o == 2) p->c.desc.dtype = TMAP_UINT32, p->c.desc.dim[0] = 32;
                if (o == 2) p->c.desc.box[0] = s == 1 ? 8 : 16;
                p->c.use.smem = 4096 + at[a];
            }
    for (int k = 0; k < 3; k++) {
        struct probe *p = probe_add(l, "smem end %d", k);
        p->c.use.smem = EXECUTOR_SMEM_BYTES / 128 * 128 + 128 * (uint32_t)(k + 8 * k * k);
    }
    for (uint32_t a = 8; a <= 64; a *= 2) {
        struct probe *p = probe_add(l, "map +%u", a);
        p->map_shift = 128 + a;
    }
    for (int a = 1; a <= 8; a += 7) {
        struct probe *p = probe_add(l, "address +%d", a);
        p->edit[0] = (struct probe_edit){0, 0, (uint64_t)a};
    }
}

static void probes_mismatch(struct probe_list *l)
{
    for (uint32_t r = 1; r <= 5; r++)
        for (uint32_t i = 1; i <= 5; i++) {
            if (i == r) continue;
            struct probe *p = probe_add(l, "map rank %u instruction rank %u", r, i);
            p->c.desc.rank = r;
            for (uint32_t k = 2; k < r; k++) p->c.desc.dim[k] = 2, p->c.desc.box[k] = 1;
            p->rank = i;
        }
    struct probe *p = probe_add(l, "tiled map im2col instruction");
    p->c.desc.rank = 3, p->c.desc.dim[2] = 2, p->c.desc.box[2] = 1;
    p->c.exec_op = EXECUTOR_LOAD_IM2COL;
    p = probe_add(l, "im2col map tile instruction");
    probe_as_im2col(p);
    p->c.exec_op = EXECUTOR_LOAD;
    p = probe_add(l, "zero map");
    p->edit[0] = (struct probe_edit){100, 0, 0};
    p = probe_add(l, "map of ones");
    p->edit[0] = (struct probe_edit){101, 0, 0};
}

static void probes_reduce(struct probe_list *l)
{
    for (uint32_t op = 0; op < 8; op++)
        for (int t = 0; t <= TMAP_TFLOAT32_FTZ; t++) {
            struct probe *p = probe_add(l, "reduce %u type %d", op, t);
            set_type(p, t);
            probe_as_op(p, EXECUTOR_REDUCE + op);
        }
}

static void probes_im2col(struct probe_list *l)
{
    static const struct {
        const char *name;
        int32_t lower, upper, coord[4];
        uint32_t off0, off1, store, es;
    } t[] = {
        {"w below", 0, 0, {0, -1, 0, 0}, 0, 0, 0, 1},
        {"w above", 0, 0, {0, 6, 0, 0}, 0, 0, 0, 1},
        {"w far above", 0, 0, {0, 100, 0, 0}, 0, 0, 0, 1},
        {"h below", 0, 0, {0, 0, -1, 0}, 0, 0, 0, 1},
        {"h above", 0, 0, {0, 0, 5, 0}, 0, 0, 0, 1},
        {"n below", 0, 0, {0, 0, 0, -1}, 0, 0, 0, 1},
        {"n above", 0, 0, {0, 0, 0, 3}, 0, 0, 0, 1},
        {"c odd", 0, 0, {1, 0, 0, 0}, 0, 0, 0, 1},
        {"c high", 0, 0, {48, 0, 0, 0}, 0, 0, 0, 1},
        {"c out", 0, 0, {64, 0, 0, 0}, 0, 0, 0, 1},
        {"c negative", 0, 0, {-16, 0, 0, 0}, 0, 0, 0, 1},
        {"offset 255", 0, 0, {0, 0, 0, 0}, 255, 0, 0, 1},
        {"offset 256", 0, 0, {0, 0, 0, 0}, 256, 0, 0, 1},
        {"offset 65535", 0, 0, {0, 0, 0, 0}, 65535, 0, 0, 1},
        {"stride 3", 0, 0, {0, 0, 0, 0}, 0, 0, 0, 3},
        {"stride 3 from 1", 0, 0, {0, 1, 0, 0}, 0, 0, 0, 3},
        {"stride 8", 0, 0, {0, 0, 0, 0}, 0, 0, 0, 8},
        {"store", 0, 0, {0, 0, 0, 0}, 0, 0, 1, 1},
        {"store corners in", 1, -1, {0, 1, 1, 0}, 0, 0, 1, 1},
        {"store lower -1", -1, 0, {0, 0, 0, 0}, 0, 0, 1, 1},
        {"store upper 1", 0, 1, {0, 0, 0, 0}, 0, 0, 1, 1},
        {"store lower -1 at -1", -1, 0, {0, -1, -1, 0}, 0, 0, 1, 1},
        {"store n out", 0, 0, {0, 0, 0, 2}, 0, 0, 1, 1},
        {"store c negative", 0, 0, {-16, 0, 0, 0}, 0, 0, 1, 1},
        {"store stride 2", 0, 0, {0, 0, 0, 0}, 0, 0, 1, 2},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct probe *p = probe_add(l, "im2col %s", t[i].name);
        probe_as_im2col(p);
        if (t[i].store) {
            p->c.exec_op = EXECUTOR_STORE_IM2COL;
            p->c.window = WINDOW_AT;
            p->c.window_bytes = IMAGE_CAP;
            p->c.desc.address = WINDOW_AT + 4096;
        }
        for (int k = 0; k < 2; k++) {
            p->c.desc.lower[k] = t[i].lower, p->c.desc.upper[k] = t[i].upper;
            p->c.desc.elem_stride[1 + k] = t[i].es;
        }
        memcpy(p->c.use.coord, t[i].coord, sizeof t[i].coord);
        p->c.use.offset[0] = t[i].off0;
    }
}

static void probes_memory(struct probe_list *l)
{
    struct probe *p = probe_add(l, "unmapped load");
    p->absolute = true, p->c.desc.address = 4096;
    p = probe_add(l, "unmapped load all out of bounds");
    p->absolute = true, p->c.desc.address = 4096, p->c.use.coord[1] = 64;
    p = probe_add(l, "unmapped prefetch");
    p->absolute = true, p->c.desc.address = 4096, p->c.exec_op = EXECUTOR_PREFETCH;
    p = probe_add(l, "unmapped store");
    probe_as_op(p, EXECUTOR_STORE);
    p->absolute = true, p->c.desc.address = 4096;
    p = probe_add(l, "address 2^57-16 all out");
    p->absolute = true, p->c.desc.address = (1ull << 57) - 16, p->c.use.coord[1] = 64;
    static const int32_t delta[] = {-64, -16, 16, 64, 1 << 20, 255};
    for (int i = 0; i < 6; i++) {
        p = probe_add(l, "expect_tx %+d", delta[i]);
        p->c.expect_tx = (uint32_t)delta[i];
    }
}

static void probes_bits(struct probe_list *l)
{
    static const struct {
        const char *name;
        struct probe_edit e;
    } t[] = {
        {"bit 85", {1, 0, 1ull << 21}},
        {"word1 bit 1", {1, 0, 2}},
        {"word1 bit 2", {1, 0, 4}},
        {"word1 bit 3", {1, 0, 8}},
        {"word1 bit 19", {1, 0, 1ull << 19}},
        {"word1 bit 20", {1, 0, 1ull << 20}},
        {"word1 bit 22", {1, 0, 1ull << 22}},
        {"word1 bits 31:23", {1, 0, 0x1ffull << 23}},
        {"word1 bit 16 on u8", {1, 0, 1ull << 16}},
        {"word3 63:48", {3, 0, 0xffffull << 48}},
        {"word6 55:47", {6, 0, 0x1ffull << 47}},
        {"word8 zero", {8, ~0ull, 0}},
        {"word8 ones", {8, 0, ~0ull}},
        {"word9 zero", {9, ~0ull, 0}},
        {"word9 ones", {9, 0, ~0ull}},
        {"word7 high", {7, 0, ~0ull << 32}},
        {"words 10", {10, 0, ~0ull}},
        {"word 15", {15, 0, ~0ull}},
        {"type 11", {1, 15ull << 7, 11ull << 7}},
        {"type 12", {1, 15ull << 7, 12ull << 7}},
        {"type 13", {1, 15ull << 7, 13ull << 7}},
        {"type 14", {1, 15ull << 7, 14ull << 7}},
        {"type 15", {1, 15ull << 7, 15ull << 7}},
        {"interleave 3", {1, 3ull << 11, 3ull << 11}},
        {"raw rank 6", {1, 7ull << 4, 5ull << 4}},
        {"raw rank 8", {1, 7ull << 4, 7ull << 4}},
        {"nan on u8 out", {1, 0, 1ull << 15}},
        {"swizzle 3 atomicity 1", {1, 0, 3ull << 13 | 1ull << 19}},
        {"swizzle 3 atomicity 2", {1, 0, 3ull << 13 | 2ull << 19}},
        {"swizzle 3 atomicity 3", {1, 0, 3ull << 13 | 3ull << 19}},
        {"kind bit on tiled", {1, 0, 1}},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct probe *p = probe_add(l, "%s", t[i].name);
        p->edit[0] = t[i].e;
        if (strstr(t[i].name, "raw rank")) p->rank = 5;
        if (strstr(t[i].name, "out")) p->c.use.coord[1] = 62;
    }
    for (int t2 = TMAP_FLOAT16; t2 <= TMAP_TFLOAT32_FTZ; t2++) {
        struct probe *p = probe_add(l, "nan fill type %d", t2);
        set_type(p, t2);
        p->c.desc.oob_fill = TMAP_OOB_NAN;
        p->c.use.coord[1] = 62;
    }
}

// Which addresses a copy touches that needs none of them: the tensor's base lies far below the
// arena, only row 1 (or 4) of it is mapped.
static void probes_mapping(struct probe_list *l)
{
    static const struct {
        const char *name;
        int32_t coord;
        uint32_t dim, box, op;
        bool below; // the base is not mapped, row 1 is
        int32_t coord0;
    } t[] = {
        {"base unmapped, row 1 inside", 1, 4, 1, EXECUTOR_LOAD, true, 0},
        {"base unmapped, row 1 and two out", 1, 2, 3, EXECUTOR_LOAD, true, 0},
        {"base unmapped, all out above", 2, 2, 1, EXECUTOR_LOAD, true, 0},
        {"base unmapped, all out below", -1, 2, 1, EXECUTOR_LOAD, true, 0},
        {"base unmapped, columns partly out", 1, 4, 1, EXECUTOR_LOAD, true, 224},
        {"base unmapped, columns all out", 1, 4, 1, EXECUTOR_LOAD, true, 256},
        {"base unmapped, columns all out below", 1, 4, 1, EXECUTOR_LOAD, true, -64},
        {"base unmapped, columns partly out below", 1, 4, 1, EXECUTOR_LOAD, true, -32},
        {"base mapped, row 0 and two out", 0, 1, 3, EXECUTOR_LOAD, false, 0},
        {"base mapped, all out above", 1, 1, 1, EXECUTOR_LOAD, false, 0},
        {"base mapped, all out far above", 3, 1, 1, EXECUTOR_LOAD, false, 0},
        {"base mapped, all out below", -1, 1, 1, EXECUTOR_LOAD, false, 0},
        {"base mapped, row -1 and row 0", -1, 1, 2, EXECUTOR_LOAD, false, 0},
        {"base mapped, row 1 unmapped inside", 1, 4, 1, EXECUTOR_LOAD, false, 0},
        {"base unmapped, prefetch row 1", 1, 4, 1, EXECUTOR_PREFETCH, true, 0},
        {"base unmapped, store all out", 4, 2, 1, EXECUTOR_STORE, true, 0},
        {"base unmapped, store row 1", 1, 2, 1, EXECUTOR_STORE, true, 0},
        {"base unmapped, store row 1 and one out", 1, 2, 2, EXECUTOR_STORE, true, 0},
    };
    const uint64_t step = (1ull << 40) - (1ull << 20);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct probe *p = probe_add(l, "%s", t[i].name);
        probe_as_op(p, t[i].op);
        p->c.desc.dim[1] = t[i].dim;
        p->c.desc.stride_bytes[0] = step;
        p->c.desc.box[1] = t[i].box;
        p->c.use.coord[0] = t[i].coord0;
        p->c.use.coord[1] = t[i].coord;
        if (t[i].below) p->c.desc.address -= step;
    }
    for (int64_t i = 0; i < 80; i++) {
        struct probe *p = probe_add(l, "far %d", (int)i);
        p->far = i;
    }
}

// Maps that the encode call refuses, made from a legal one: fields written as the driver would.
static void probes_forged(struct probe_list *l)
{
    static const struct {
        const char *name;
        int il, swizzle, dtype;
        uint32_t box0;
        struct probe_edit e;
    } t[] = {
        {"box bytes 8", 0, 0, TMAP_UINT8, 16, {6, 0xffull << 56, 7ull << 56}},
        {"box bytes 24", 0, 0, TMAP_UINT8, 16, {6, 0xffull << 56, 23ull << 56}},
        {"box bytes 1", 0, 0, TMAP_UINT8, 16, {6, 0xffull << 56, 0}},
        {"box 5 of f32", 0, 0, TMAP_FLOAT32, 4, {6, 0xffull << 56, 4ull << 56}},
        {"box 64 at swizzle 32B", 0, 1, TMAP_UINT8, 32, {6, 0xffull << 56, 63ull << 56}},
        {"box 128 at swizzle 64B", 0, 2, TMAP_UINT8, 64, {6, 0xffull << 56, 127ull << 56}},
        {"box 256 at swizzle 128B", 0, 3, TMAP_UINT8, 128, {6, 0xffull << 56, 255ull << 56}},
        {"box 144 at swizzle 128B", 0, 3, TMAP_UINT8, 128, {6, 0xffull << 56, 143ull << 56}},
        {"interleave 16 box bytes 5", 1, 0, TMAP_UINT8, 16, {6, 0xffull << 56, 4ull << 56}},
        {"interleave 32 address +16", 2, 1, TMAP_UINT8, 16, {0, 0, 16}},
        {"interleave 32 stride +16", 2, 1, TMAP_UINT8, 16, {1, 0, 1ull << 32}},
        {"interleave 16 rank 2", 1, 0, TMAP_UINT8, 16, {1, 7ull << 4, 1ull << 4}},
        {"nan on u32 inside", 0, 0, TMAP_UINT32, 16, {1, 0, 1ull << 15}},
        {"address 2^57", 0, 0, TMAP_UINT8, 16, {0, 0, 1ull << 57}},
        {"address 2^60", 0, 0, TMAP_UINT8, 16, {0, 0, 1ull << 60}},
        {"kind 1 and rank 2", 0, 0, TMAP_UINT8, 16, {1, 0, 1}},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        struct probe *p = probe_add(l, "forged %s", t[i].name);
        set_type(p, t[i].dtype);
        if (t[i].il) as_interleave(p, t[i].il, t[i].swizzle);
        p->c.desc.swizzle = t[i].swizzle;
        p->c.desc.box[0] = t[i].box0;
        p->edit[0] = t[i].e;
        if (strstr(t[i].name, "rank 2")) p->rank = 2;
    }
    static const uint32_t shift[] = {4, 8, 1};
    for (int i = 0; i < 3; i++) {
        struct probe *p = probe_add(l, "mbarrier +%u", shift[i]);
        p->bar_shift = shift[i];
    }
}

struct probe_list probe_draw(void)
{
    struct probe_list l = {calloc(MAX_PROBES, sizeof(struct probe)), 0};
    probes_coordinates(&l);
    probes_dims(&l);
    probes_alignment(&l);
    probes_mismatch(&l);
    probes_im2col(&l);
    probes_memory(&l);
    probes_bits(&l);
    probes_reduce(&l);
    probes_mapping(&l);
    probes_forged(&l);
    probes_replaced(&l);
    return l;
}
