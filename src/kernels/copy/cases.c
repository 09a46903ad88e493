// The suite's cases: what is copied, and the plain reference that must leave the same bytes.
#include <stdlib.h>
#include <string.h>

#include "kernels/copy/fixture.h"

#define POISON 0xa5

typedef enum tmap_status setup(struct fixture *b, uint64_t bytes);

static enum tmap_status room(struct fixture *b, uint64_t src_bytes, uint64_t dst_bytes)
{
    const struct tmap_libcuda *cu = &b->suite->gpu.api;
    b->src_bytes = src_bytes, b->dst_bytes = dst_bytes;
    if (cu->mem_alloc(&b->src, src_bytes) || cu->mem_alloc(&b->dst, dst_bytes) ||
        cu->mem_alloc(&b->ref, dst_bytes) || cu->mem_alloc(&b->found, 16))
        return TMAP_E_MEMORY;
    b->problem.src = b->src, b->problem.dst = b->dst;
    b->rows.src = (const uint8_t *)(uintptr_t)b->src;
    return TMAP_OK;
}

// rows of row_bytes at two pitches; the tensor's outer dimensions split the rows.
static enum tmap_status matrix(struct fixture *b, int32_t dtype, uint32_t size, uint64_t rows,
                               uint64_t row_bytes, uint64_t src_pitch, uint64_t dst_pitch,
                               uint32_t rank)
{
    static const uint64_t outer[] = {7, 5, 3};
    struct tmap_copy_problem *p = &b->problem;
    p->dtype = dtype, p->rank = rank, p->dim[0] = row_bytes / size;
    uint64_t split = 1;
    for (uint32_t i = 2; i < rank; i++) split *= outer[i - 2];
    rows = rows / split * split;
    uint64_t per = rows / split;
    for (uint32_t i = 1; i < rank; i++) {
        p->dim[i] = i == 1 ? rows / split : outer[i - 2];
        p->src_stride[i - 1] = i == 1 ? src_pitch : per * src_pitch;
        p->dst_stride[i - 1] = i == 1 ? dst_pitch : per * dst_pitch;
        if (i > 1) per *= p->dim[i];
    }
    b->reference = "reference_rows";
    const enum tmap_status s = room(b, rows * src_pitch, rows * dst_pitch);
    b->rows.rows = rows, b->rows.row_bytes = row_bytes;
    b->rows.src_pitch = src_pitch, b->rows.dst_pitch = dst_pitch;
    return s;
}

static enum tmap_status dense_by(struct fixture *b, uint64_t bytes, int32_t kind, uint32_t rank)
{
    bytes = bytes / 2048 / 105 * 105 * 2048;
    const enum tmap_status s = matrix(b, TMAP_UINT64, 8, bytes / 2048, 2048, 2048, 2048, rank);
    b->problem.kind = kind;
    b->reference = "reference_dense";
    b->rows.row_bytes = bytes, b->rows.rows = 1;
    return s;
}

static enum tmap_status dense_bulk(struct fixture *b, uint64_t bytes)
{
    const enum tmap_status s = dense_by(b, bytes, TMAP_COPY_BULK, 1);
    b->problem.dim[0] = b->src_bytes / 8;
    return s;
}
static enum tmap_status dense_1(struct fixture *b, uint64_t bytes)
{
    const enum tmap_status s = dense_by(b, bytes, TMAP_COPY_TILE, 1);
    b->problem.dim[0] = b->src_bytes / 8;
    return s;
}
static enum tmap_status dense_2(struct fixture *b, uint64_t bytes)
{
    return dense_by(b, bytes, TMAP_COPY_TILE, 2);
}
static enum tmap_status dense_3(struct fixture *b, uint64_t bytes)
{
    return dense_by(b, bytes, TMAP_COPY_TILE, 3);
}
static enum tmap_status dense_4(struct fixture *b, uint64_t bytes)
{
    return dense_by(b, bytes, TMAP_COPY_TILE, 4);
}
static enum tmap_status dense_5(struct fixture *b, uint64_t bytes)
{
    return dense_by(b, bytes, TMAP_COPY_TILE, 5);
}

// Half of the columns of a wide matrix, packed.
static enum tmap_status strided(struct fixture *b, uint64_t bytes)
{
    b->problem.kind = TMAP_COPY_TILE;
    return matrix(b, TMAP_BFLOAT16, 2, bytes / 8192, 8192, 16384, 8192, 2);
}
// Rows that end inside a box, to a padded pitch.
static enum tmap_status padded(struct fixture *b, uint64_t bytes)
{
    b->problem.kind = TMAP_COPY_TILE;
    return matrix(b, TMAP_BFLOAT16, 2, bytes / 5008, 5008, 5008, 5120, 2);
}
static enum tmap_status swizzled(struct fixture *b, uint64_t bytes)
{
    b->problem.kind = TMAP_COPY_TILE;
    return matrix(b, TMAP_BFLOAT16, 2, bytes / 8192, 8192, 8192, 8192, 2);
}

static enum tmap_status transpose(struct fixture *b, uint64_t bytes, int32_t dtype, uint32_t size,
                                  const char *reference)
{
    const uint64_t cols = 16384, rows = bytes / (cols * size) / 256 * 256;
    const enum tmap_status s =
        matrix(b, dtype, size, rows, cols * size, cols * size, cols * size, 2);
    b->problem.kind = TMAP_COPY_TRANSPOSE;
    b->problem.src_stride[0] = b->problem.dst_stride[0] = 0;
    b->rows.dst_pitch = rows * size;
    b->reference = reference;
    return s;
}
static enum tmap_status transpose_1(struct fixture *b, uint64_t bytes)
{
    return transpose(b, bytes, TMAP_UINT8, 1, "reference_transpose_1");
}
static enum tmap_status transpose_2(struct fixture *b, uint64_t bytes)
{
    return transpose(b, bytes, TMAP_BFLOAT16, 2, "reference_transpose_2");
}
static enum tmap_status transpose_4(struct fixture *b, uint64_t bytes)
{
    return transpose(b, bytes, TMAP_FLOAT32, 4, "reference_transpose_4");
}

// 3 x 3, padding 1, 56 x 56 pixels of 256 halves: as in a residual network.
static enum tmap_status im2col(struct fixture *b, uint64_t bytes)
{
    struct tmap_copy_problem *p = &b->problem;
    const uint32_t c = 256, side = 56, taps = 9;
    const uint64_t n = bytes / ((uint64_t)taps * side * side * c * 2) + 1;
    const uint64_t pixels = n * side * side;
    *p = (struct tmap_copy_problem){.kind = TMAP_COPY_IM2COL,
                                    .dtype = TMAP_BFLOAT16,
                                    .rank = 4,
                                    .dim = {c, side, side, n},
                                    .lower = {-1, -1},
                                    .upper = {-1, -1},
                                    .taps = {3, 3}};
    b->reference = "reference_im2col";
    const enum tmap_status s = room(b, pixels * c * 2, pixels * taps * c * 2);
    b->image = (struct reference_im2col_params){.src = b->rows.src,
                                                .n = (uint32_t)n,
                                                .h = side,
                                                .w = side,
                                                .c_bytes = c * 2,
                                                .taps_h = 3,
                                                .taps_w = 3,
                                                .pad_h = 1,
                                                .pad_w = 1};
    return s;
}

// Pages of 64 KB in an order drawn at random.
static enum tmap_status pages_by(struct fixture *b, uint64_t bytes, int32_t kind)
{
    const uint64_t page = 65536, n = bytes / page;
    struct tmap_copy_problem *p = &b->problem;
    enum tmap_status s = matrix(b, TMAP_UINT64, 8, n, page, page, page, 2);
    int32_t *table = malloc(n * sizeof *table);
    if (table == NULL) return TMAP_E_MEMORY;
    uint64_t r = 88172645463325252u;
    for (uint64_t i = 0; i < n; i++) table[i] = (int32_t)i;
    for (uint64_t i = n; i > 1; i--) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17; // xorshift64 (Marsaglia 2003)
        const uint64_t k = r % i;
        const int32_t t = table[i - 1];
        table[i - 1] = table[k], table[k] = t;
    }
    const struct tmap_libcuda *cu = &b->suite->gpu.api;
    if (s == TMAP_OK && (cu->mem_alloc(&b->index, n * sizeof *table) ||
                         cu->memcpy_htod(b->index, table, n * sizeof *table)))
        s = TMAP_E_MEMORY;
    free(table);
    p->kind = kind, p->dim[1] = n, p->page_count = n, p->index = b->index;
    b->rows.index = (const int32_t *)(uintptr_t)b->index;
    return s;
}
static enum tmap_status pages(struct fixture *b, uint64_t bytes)
{
    return pages_by(b, bytes, TMAP_COPY_PAGES);
}
static enum tmap_status pages_at(struct fixture *b, uint64_t bytes)
{
    return pages_by(b, bytes, TMAP_COPY_PAGES_AT);
}

static enum tmap_status broadcast(struct fixture *b, uint64_t bytes, uint32_t copies)
{
    struct tmap_copy_problem *p = &b->problem;
    const uint64_t rows = bytes / 2048 / copies / 4 * 4;
    *p = (struct tmap_copy_problem){.kind = TMAP_COPY_BROADCAST,
                                    .dtype = TMAP_UINT64,
                                    .rank = 3,
                                    .dim = {256, rows / 4, 4},
                                    .copies = copies,
                                    .copy_stride = rows * 2048};
    b->reference = "reference_dense";
    const enum tmap_status s = room(b, rows * 2048, rows * 2048 * copies);
    b->rows.rows = 1, b->rows.row_bytes = rows * 2048;
    return s;
}
static enum tmap_status broadcast_2(struct fixture *b, uint64_t bytes)
{
    return broadcast(b, bytes, 2);
}
static enum tmap_status broadcast_4(struct fixture *b, uint64_t bytes)
{
    return broadcast(b, bytes, 4);
}

static enum tmap_status add(struct fixture *b, uint64_t bytes)
{
    const enum tmap_status s = matrix(b, TMAP_FLOAT32, 4, bytes / 1024, 1024, 1024, 1024, 2);
    b->problem.kind = TMAP_COPY_ADD;
    b->reference = "reference_add";
    b->rows.row_bytes *= b->rows.rows, b->rows.rows = 1;
    b->adds = true;
    return s;
}

// Matrices of 1024 to 4095 rows of 1 KB, each with descriptors of its own.
static enum tmap_status list_by(struct fixture *b, uint64_t bytes, int32_t kind)
{
    const uint64_t row = 1024, all = bytes / row;
    enum tmap_status s = matrix(b, TMAP_FLOAT32, 4, all, row, row, row, 2);
    b->list = calloc(all / 1024 + 1, sizeof *b->list);
    if (s != TMAP_OK || b->list == NULL) return s != TMAP_OK ? s : TMAP_E_MEMORY;
    uint64_t at = 0, r = 88172645463325252u;
    uint32_t n = 0;
    for (; at < all; n++) {
        r ^= r << 13, r ^= r >> 7, r ^= r << 17;
        uint64_t rows = 1024 + r % 3072;
        if (rows > all - at) rows = all - at;
        b->list[n] = (struct tmap_copy_matrix){b->src + at * row, b->dst + at * row, rows};
        at += rows;
    }
    b->problem.kind = kind, b->problem.list = b->list, b->problem.list_count = n;
    b->reference = "reference_dense";
    b->rows.row_bytes = all * row, b->rows.rows = 1;
    return s;
}
static enum tmap_status list(struct fixture *b, uint64_t bytes)
{
    return list_by(b, bytes, TMAP_COPY_LIST);
}
static enum tmap_status patched(struct fixture *b, uint64_t bytes)
{
    return list_by(b, bytes, TMAP_COPY_PATCHED);
}

static const struct {
    const char *name;
    setup *prepare;
    int32_t swizzle;
    bool conservative; // has a conservative shape to compare with
} cases[] = {
    {"dense, bulk", dense_bulk, 0, false},
    {"dense, rank 1", dense_1, 0, false},
    {"dense, rank 2", dense_2, 0, true},
    {"dense, rank 3", dense_3, 0, false},
    {"dense, rank 4", dense_4, 0, false},
    {"dense, rank 5", dense_5, 0, false},
    {"strided columns", strided, 0, true},
    {"padded rows", padded, 0, true},
    {"swizzle 128B", swizzled, TMAP_SWIZZLE_128B, true},
    {"swizzle 64B", swizzled, TMAP_SWIZZLE_64B, false},
    {"swizzle 32B", swizzled, TMAP_SWIZZLE_32B, false},
    {"transpose, 4 bytes", transpose_4, 0, false},
    {"transpose, 2 bytes", transpose_2, 0, false},
    {"transpose, 1 byte", transpose_1, 0, false},
    {"im2col 3x3", im2col, 0, false},
    {"pages, a dimension", pages, 0, false},
    {"pages, by address", pages_at, 0, false},
    {"broadcast to 2", broadcast_2, 0, false},
    {"broadcast to 4", broadcast_4, 0, false},
    {"reduce-add f32", add, 0, true},
    {"list of descriptors", list, 0, false},
    {"descriptors patched", patched, 0, false},
};

const char *tmap_copy_case(size_t i)
{
    return i < sizeof cases / sizeof *cases ? cases[i].name : NULL;
}

void fixture_close(struct fixture *b)
{
    const struct tmap_libcuda *cu = &b->suite->gpu.api;
    const tmap_cu_deviceptr all[] = {b->src, b->dst, b->ref, b->index, b->found};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) cu->mem_free(all[i]);
    free(b->list);
}

static enum tmap_status plain(struct fixture *b, const char *name, uint32_t grid, uint32_t threads,
                              void *params)
{
    tmap_cu_function f = copy_function(b->suite, name);
    return f ? copy_launch(b->suite, f, grid, threads, 1, 0, params, NULL) : TMAP_E_DRIVER;
}

enum tmap_status fixture_fill(struct fixture *b, uint64_t at, uint64_t bytes, uint64_t seed)
{
    struct fill_params p = {(uint64_t *)(uintptr_t)at, bytes / 8, seed, b->adds};
    return plain(b, "reference_fill", 4096, 256, &p);
}

enum tmap_status fixture_reference(struct fixture *b, uint64_t dst)
{
    const bool light =
        strcmp(b->reference, "reference_dense") == 0 || strcmp(b->reference, "reference_add") == 0;
    const uint32_t blocks = (uint32_t)b->suite->gpu.sm_count * (light ? 4 : 8);
    const uint32_t threads = light ? 512 : 256;
    if (strcmp(b->reference, "reference_im2col") == 0) {
        struct reference_im2col_params p = b->image;
        p.dst = (uint8_t *)(uintptr_t)dst;
        return plain(b, b->reference, blocks, threads, &p);
    }
    struct reference_params p = b->rows;
    enum tmap_status s = TMAP_OK;
    const uint32_t copies = b->problem.copies ? b->problem.copies : 1;
    for (uint32_t i = 0; i < copies && s == TMAP_OK; i++) {
        p.dst = (uint8_t *)(uintptr_t)(dst + i * b->problem.copy_stride);
        s = plain(b, b->reference, blocks, threads, &p);
    }
    return s;
}

enum tmap_status fixture_reset(struct fixture *b, uint64_t at)
{
    if (b->adds) return fixture_fill(b, at, b->dst_bytes, 2);
    return b->suite->gpu.api.memset_d8_async(at, POISON, b->dst_bytes, NULL) ? TMAP_E_DRIVER
                                                                             : TMAP_OK;
}

enum tmap_status fixture_compare(struct fixture *b, uint64_t *wrong)
{
    const struct tmap_libcuda *cu = &b->suite->gpu.api;
    uint64_t found[2] = {0, UINT64_MAX};
    if (cu->memcpy_htod(b->found, found, sizeof found)) return TMAP_E_DRIVER;
    struct compare_params p = {(const uint64_t *)(uintptr_t)b->dst,
                               (const uint64_t *)(uintptr_t)b->ref, b->dst_bytes / 8,
                               (unsigned long long *)(uintptr_t)b->found};
    const enum tmap_status s = plain(b, "reference_compare", 4096, 256, &p);
    if (s != TMAP_OK) return s;
    if (cu->memcpy_dtoh(found, b->found, sizeof found)) return TMAP_E_DRIVER;
    *wrong = found[0];
    return TMAP_OK;
}

// The same bytes as the reference left, padding and all.
enum tmap_status fixture_verify(struct fixture *b, const struct tmap_copy_plan *plan,
                                uint64_t *wrong)
{
    enum tmap_status s = fixture_fill(b, b->src, b->src_bytes, 1);
    if (s == TMAP_OK) s = fixture_reset(b, b->dst);
    if (s == TMAP_OK) s = fixture_reset(b, b->ref);
    if (s == TMAP_OK) s = tmap_copy_run(plan, NULL);
    if (s == TMAP_OK) s = fixture_reference(b, b->ref);
    return s == TMAP_OK ? fixture_compare(b, wrong) : s;
}

bool fixture_has_conservative(size_t i)
{
    return cases[i].conservative;
}

enum tmap_status fixture_open(struct fixture *b, struct tmap_copy *suite, size_t i, uint64_t bytes,
                              struct tmap_copy_config *request)
{
    memset(b, 0, sizeof *b);
    b->suite = suite;
    if (cases[i].swizzle) request->swizzle = cases[i].swizzle, request->keep_type = 1;
    return cases[i].prepare(b, bytes);
}
