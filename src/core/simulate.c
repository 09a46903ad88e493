// What one tensor copy does to every byte of shared and global memory; see docs/SIMULATOR.md for
// what was seen on a GPU and what follows from the documents.
#include "core/checker.h"
#include "core/simulate.h"

#include <string.h>

#define MAX_ROW_BYTES 2048u // 256 elements of 8 bytes
#define CHUNK_BYTES 16u
#define PIECE_BYTES 8u // what no swizzle takes apart
#define SWIZZLE_LINE_BYTES 128u
#define GROUP_ELEMENTS 16u // packed types come in sixteens

// The NaN of the fill is the same 16 bits over and over, whatever the type's width.
#define NAN_FILL 0x7ff77ff77ff77ff7u

uint64_t sim_fill(const struct tmap_desc *d)
{
    return d->oob_fill == TMAP_OOB_NONE ? 0 : NAN_FILL;
}

// A TF32 load rounds to nearest, ties to even, into the upper 19 bits; every NaN becomes one.
// Subnormals are kept, also by the types named FTZ: seen on an H200.
static uint32_t round_tf32(uint32_t v)
{
    if ((v & 0x7fffffff) > 0x7f800000) return 0x7fffe000;
    return (v + 0xfff + (v >> 13 & 1)) & 0xffffe000;
}

// Memory is a GPU's, whatever the host: a number's lowest byte stands first.
static uint64_t get(const uint8_t *at, uint32_t size)
{
    uint64_t v = 0;
    for (uint32_t i = size; i-- > 0;) v = v << 8 | at[i];
    return v;
}
static void put(uint8_t *at, uint64_t v, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++, v >>= 8) at[i] = (uint8_t)v;
}

static void convert(const struct tmap_desc *d, uint8_t *bytes, uint32_t count)
{
    if (d->dtype != TMAP_TFLOAT32 && d->dtype != TMAP_TFLOAT32_FTZ) return;
    for (uint32_t i = 0; i < count; i += 4)
        put(bytes + i, round_tf32((uint32_t)get(bytes + i, 4)), 4);
}

struct piece {
    uint32_t from, to; // bytes of the row that are in bounds
};

static uint32_t element_bits(const struct tmap_desc *d)
{
    const uint32_t slice = layout_slice_bytes(d->interleave);
    return slice ? 8 * slice : layout_gmem_bits(d->dtype);
}

// Of a row in shared memory, how many bytes it has in global memory: fewer where padding is added.
static uint32_t global_bytes(const struct tmap_desc *d, uint32_t bytes)
{
    return d->interleave ? bytes : bytes * layout_gmem_bits(d->dtype) / layout_smem_bits(d->dtype);
}

static struct piece clip(const struct tmap_desc *d, const struct sim_row *row, uint32_t bytes)
{
    const uint32_t bits = element_bits(d);
    const int64_t count = (int64_t)bytes * 8 / bits;
    int64_t from = row->first < 0 ? -row->first : 0;
    int64_t to = (int64_t)d->dim[0] - row->first;
    if (to > count) to = count;
    if (!row->inside || from >= to) return (struct piece){0, 0};
    return (struct piece){(uint32_t)(from * bits / 8), (uint32_t)(to * bits / 8)};
}

static uint64_t piece_address(const struct tmap_desc *d, const struct sim_row *row, uint32_t from)
{
    return row->address + (uint64_t)(row->first * element_bits(d) / 8) + from;
}

static void fill_row(const struct tmap_desc *d, uint8_t *row, uint32_t bytes)
{
    const uint64_t fill = sim_fill(d);
    const uint32_t size = layout_smem_bits(d->dtype) / 8;
    if (fill == 0) memset(row, 0, bytes);
    for (uint32_t at = 0; fill && at < bytes; at += size) put(row + at, fill, size);
}

// One piece of a row, or what of it is no padding: where it lies in shared memory.
static uint8_t *place(const struct tmap_desc *d, const struct tmap_memory *m, uint64_t at)
{
    return m->smem + (tmap_swizzle_address(d->swizzle, at) - m->smem_base);
}

// `data` of every CHUNK_BYTES are the row's; the rest is padding, which nothing writes here.
static void scatter(const struct tmap_desc *d, const struct tmap_memory *m, uint64_t smem,
                    const uint8_t *row, uint32_t bytes, uint32_t data)
{
    for (uint32_t at = 0; at < bytes; at += PIECE_BYTES) {
        const uint32_t in = at % CHUNK_BYTES, left = in < data ? data - in : 0;
        memcpy(place(d, m, smem + at), row + at, left < PIECE_BYTES ? left : PIECE_BYTES);
    }
}

static void gather(const struct tmap_desc *d, const struct tmap_memory *m, uint64_t smem,
                   uint8_t *row, uint32_t bytes)
{
    for (uint32_t at = 0; at < bytes; at += PIECE_BYTES)
        memcpy(row + at, place(d, m, smem + at), PIECE_BYTES);
}

// Sixteen packed elements take 8 or 12 bytes of global memory and 16 of shared memory.
static uint32_t data_of_chunk(const struct tmap_desc *d)
{
    const bool padded = layout_smem_bits(d->dtype) != layout_gmem_bits(d->dtype);
    return padded ? GROUP_ELEMENTS * layout_gmem_bits(d->dtype) / 8 : CHUNK_BYTES;
}

// In place, from the last sixteen on.
static void spread(uint8_t *row, uint32_t bytes, uint32_t data)
{
    for (uint32_t n = bytes / CHUNK_BYTES; data != CHUNK_BYTES && n-- > 0;)
        memmove(row + n * CHUNK_BYTES, row + n * data, data);
}

// Stores pack again: a byte of shared memory holds an element in its low 6 bits (b6p2x16).
static void pack(uint8_t *row, uint32_t bytes, uint32_t data)
{
    for (uint32_t n = 0; data != CHUNK_BYTES && n < bytes / CHUNK_BYTES; n++) {
        uint8_t out[CHUNK_BYTES] = {0};
        for (uint32_t e = 0; e < GROUP_ELEMENTS; e++) {
            const uint32_t bits = 8 * data / GROUP_ELEMENTS, at = e * bits;
            const uint32_t v = row[n * CHUNK_BYTES + e] & ((1u << bits) - 1);
            out[at / 8] |= (uint8_t)(v << at % 8);
            out[at / 8 + 1] |= (uint8_t)(v << at % 8 >> 8);
        }
        memcpy(row + n * data, out, data);
    }
}

static bool load_row(const struct tmap_desc *d, const struct tmap_memory *m,
                     const struct sim_row *row, uint32_t bytes, struct tmap_outcome *out)
{
    uint8_t buffer[MAX_ROW_BYTES];
    const uint32_t packed = global_bytes(d, bytes), data = data_of_chunk(d);
    const struct piece p = clip(d, row, packed);
    if (p.from != 0 || p.to != packed) fill_row(d, buffer, packed);
    if (p.to > p.from &&
        !m->read(m->user, piece_address(d, row, p.from), buffer + p.from, p.to - p.from))
        return false;
    convert(d, buffer + p.from, p.to - p.from);
    spread(buffer, bytes, data);
    scatter(d, m, row->smem, buffer, bytes, data);
    out->global_bytes += p.to - p.from;
    return true;
}

static void reduce_row(const struct tmap_desc *d, uint32_t op, uint8_t *value, const uint8_t *old,
                       struct piece p)
{
    const uint32_t size = layout_gmem_bits(d->dtype) / 8;
    for (uint32_t at = p.from; at < p.to; at += size) {
        const uint64_t a = get(old + at, size), b = get(value + at, size);
        put(value + at, sim_reduce(op, d->dtype, a, b), size);
    }
}

static bool store_row(const struct tmap_desc *d, const struct tmap_use *u,
                      const struct tmap_memory *m, const struct sim_row *row, uint32_t bytes,
                      struct tmap_outcome *out)
{
    uint8_t buffer[MAX_ROW_BYTES], old[MAX_ROW_BYTES];
    struct piece p = clip(d, row, global_bytes(d, bytes));
    if (p.to == p.from) return true;
    p.to = (p.to + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES; // what starts inside is written
    const uint64_t at = piece_address(d, row, p.from);
    gather(d, m, row->smem, buffer, bytes);
    pack(buffer, bytes, data_of_chunk(d));
    if (u->op >= TMAP_OP_REDUCE_ADD && u->op <= TMAP_OP_REDUCE_XOR) {
        if (!m->read(m->user, at, old + p.from, p.to - p.from)) return false;
        reduce_row(d, u->op, buffer, old, p);
    }
    out->global_bytes += p.to - p.from;
    return m->write(m->user, at, buffer + p.from, p.to - p.from);
}

// A load whose box starts outside the tensor still touches the tensor's first bytes (seen: it
// faults when nothing is mapped there); one that starts inside and leaves it does not.
static bool origin_mapped(const struct tmap_desc *d, const struct tmap_use *u,
                          const struct tmap_memory *m)
{
    uint8_t first[CHUNK_BYTES];
    if (sim_by_row(u->op)) return true; // not seen
    for (uint32_t i = 0; i < d->rank; i++)
        if (u->coord[i] < 0 || (uint64_t)u->coord[i] >= d->dim[i])
            return m->read(m->user, d->address, first, sizeof first);
    return true;
}

void sim_run(const struct tmap_desc *d, const struct tmap_use *u, const struct tmap_memory *m,
             struct tmap_outcome *out)
{
    struct sim_walk w;
    struct sim_row row;
    memset(out, 0, sizeof *out);
    if (u->op == TMAP_OP_PREFETCH) return;
    const bool load = sim_loads(u->op);
    sim_walk_start(&w, d, u);
    bool mapped = !load || origin_mapped(d, u, m);
    while (mapped && sim_walk_next(&w, &row))
        mapped = load ? load_row(d, m, &row, w.layout.row_bytes, out)
                      : store_row(d, u, m, &row, w.layout.row_bytes, out);
    if (!mapped) out->fault = TMAP_FAULT_ILLEGAL_ADDRESS;
    out->tx_bytes = load ? layout_counted_bytes(d, w.rows * w.layout.row_bytes) : 0;
}

static bool copies(uint32_t op)
{
    return op <= TMAP_OP_REDUCE_XOR;
}

// What sm_90 cannot be asked: packed types, the atoms and the forms that came after it.
static bool seen_on_a_gpu(const struct tmap_desc *d, const struct tmap_use *u)
{
    return d->kind != TMAP_IM2COL_WIDE && d->dtype <= TMAP_TFLOAT32_FTZ &&
           d->swizzle <= TMAP_SWIZZLE_128B && u->op != TMAP_OP_GATHER4 && u->op != TMAP_OP_SCATTER4;
}

// The simulator reads what the flags leave out as zero, and does not wait on a barrier.
static struct tmap_use plain_use(const struct tmap_use *given)
{
    struct tmap_use u = *given;
    if (!(u.flags & TMAP_USE_COORD)) memset(u.coord, 0, sizeof u.coord);
    if (!(u.flags & TMAP_USE_OFFSET)) memset(u.offset, 0, sizeof u.offset);
    if (!(u.flags & TMAP_USE_SMEM)) u.smem = 0;
    u.flags &= ~(uint32_t)(TMAP_USE_EXPECT_TX | TMAP_USE_MBARRIER);
    return u;
}

static enum tmap_status permitted(const struct tmap_checker *checker, const struct tmap_desc *desc,
                                  const struct tmap_use *use)
{
    enum tmap_verdict verdict = tmap_verdict_of(checker, desc);
    size_t found = 0;
    if (verdict == TMAP_LEGAL) {
        const enum tmap_status s = tmap_check_use(checker, desc, use, NULL, 0, &found, &verdict);
        if (s != TMAP_OK) return s;
    }
    return checker_permits(checker, verdict);
}

// Whether all that the copy touches in shared memory is there; a swizzle stays within its line.
static bool has_room(const struct tmap_memory *m, const struct tmap_desc *d,
                     const struct tmap_use *u, const struct tmap_layout *l)
{
    const uint64_t line = d->swizzle == TMAP_SWIZZLE_NONE ? 1 : SWIZZLE_LINE_BYTES;
    const uint64_t first = u->smem / line * line;
    uint64_t bytes, halo, end;
    if (__builtin_mul_overflow(l->footprint_bytes, sim_by_row(u->op) ? GATHERED_ROWS : 1, &bytes) ||
        __builtin_mul_overflow(layout_halo_rows(d, u), l->pitch_bytes, &halo) ||
        __builtin_add_overflow(bytes, halo, &bytes) ||
        __builtin_add_overflow(u->smem, bytes, &end) || end > UINT64_MAX - line)
        return false;
    end = (end + line - 1) / line * line;
    return first >= m->smem_base && end - m->smem_base <= m->smem_bytes;
}

enum tmap_status tmap_simulate(const struct tmap_checker *checker, const struct tmap_desc *desc,
                               const struct tmap_use *use, const struct tmap_memory *memory,
                               struct tmap_outcome *out)
{
    if (checker == NULL || desc == NULL || use == NULL || memory == NULL || out == NULL)
        return TMAP_E_ARGUMENT;
    if (!copies(use->op) || memory->smem == NULL || memory->read == NULL) return TMAP_E_ARGUMENT;
    const struct tmap_use u = plain_use(use);
    const enum tmap_status s = permitted(checker, desc, &u);
    if (s != TMAP_OK) return s;
    if (desc->interleave && data_of_chunk(desc) != CHUNK_BYTES) return TMAP_E_TARGET;
    struct tmap_layout l;
    layout_of(desc, &l);
    if (u.op != TMAP_OP_PREFETCH && !has_room(memory, desc, &u, &l)) return TMAP_E_ROOM;
    sim_run(desc, &u, memory, out);
    out->basis = seen_on_a_gpu(desc, &u) ? checker->basis : TMAP_INFERRED;
    return TMAP_OK;
}
