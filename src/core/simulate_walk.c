// Which rows a copy has, in the order they lie in shared memory, and where each is in the tensor.
#include "core/simulate.h"

#include <string.h>

void sim_walk_start(struct sim_walk *w, const struct tmap_desc *desc, const struct tmap_use *use)
{
    memset(w, 0, sizeof *w);
    w->desc = desc;
    w->use = use;
    layout_of(desc, &w->layout);
    w->rows = sim_by_row(use->op) ? GATHERED_ROWS : w->layout.rows + layout_halo_rows(desc, use);
    for (uint32_t i = 0; i < desc->rank; i++) w->x[i] = use->coord[i];
}

// Dimension i of the coordinates counts spatial axis j = i - 1; with interleave i = j.
static uint32_t axis_at(const struct tmap_desc *d)
{
    return d->interleave ? 0 : 1;
}

static bool in_bounds(const struct tmap_desc *d, const int64_t x[], uint32_t from)
{
    for (uint32_t i = from; i < d->rank; i++)
        if (x[i] < 0 || (uint64_t)x[i] >= d->dim[i]) return false;
    return true;
}

static uint64_t row_address(const struct tmap_desc *d, const int64_t x[])
{
    uint64_t at = d->address;
    for (uint32_t i = 1; i < d->rank; i++) at += (uint64_t)x[i] * d->stride_bytes[i - 1];
    return at;
}

static void step_tiled(struct sim_walk *w)
{
    const struct tmap_desc *d = w->desc;
    for (uint32_t i = d->interleave ? 0 : 1; i < d->rank; i++) {
        w->x[i] += d->elem_stride[i];
        if (++w->k[i] < w->layout.extent[i]) return;
        w->k[i] = 0;
        w->x[i] = w->use->coord[i];
    }
}

// Gather and scatter: coordinate 0 is the column, the others are the rows.
static void step_row(struct sim_walk *w)
{
    if (w->next < GATHERED_ROWS) w->x[1] = w->use->coord[1 + w->next];
}

static uint32_t pixels_between(const struct sim_walk *w)
{
    return w->desc->mode == TMAP_WIDE_W128 ? LAYOUT_HALO_EVERY : w->layout.extent[1];
}

// im2col::w walks W alone, then the images (PTX ISA; no GPU here has it). The halo goes on along W
// from the pixel before it, whatever the bounding box; the walk then resumes where it was.
static void step_wide(struct sim_walk *w)
{
    const struct tmap_desc *d = w->desc;
    const uint32_t halo = w->use->op == TMAP_OP_LOAD ? w->use->offset[0] : 0;
    if (w->halo > 0) {
        if (--w->halo > 0) {
            w->x[1] += d->elem_stride[1];
            return;
        }
        w->x[1] -= (int64_t)(halo - 1) * d->elem_stride[1];
    } else if (++w->k[1] % pixels_between(w) == 0 && halo > 0) {
        w->halo = halo;
        w->x[1] += d->elem_stride[1];
        return;
    } else {
        w->x[1] += d->elem_stride[1];
    }
    if (w->x[1] < (int64_t)d->dim[1] + d->upper[0]) return;
    w->x[1] = d->lower[0];
    w->x[d->rank - 1] += d->elem_stride[d->rank - 1];
}

// Pixels run along W, then H, then D inside the bounding box, then over the images.
static void step_im2col(struct sim_walk *w)
{
    const struct tmap_desc *d = w->desc;
    const uint32_t off = axis_at(d);
    for (uint32_t j = 0; j + 2 < d->rank; j++) {
        const uint32_t i = j + off;
        w->x[i] += d->elem_stride[i];
        if (w->x[i] < (int64_t)d->dim[i] + d->upper[j]) return;
        w->x[i] = d->lower[j];
    }
    w->x[d->rank - 1] += d->elem_stride[d->rank - 1];
}

// The instruction takes the offsets packed into 16 bits: one of 16, two of 8, three of 5. What does
// not fit is dropped at rank 4 and carries into the next one at rank 5 (as ptxas 13.0 packs them;
// seen on an H200).
static uint32_t offset_of(const struct sim_walk *w, uint32_t j)
{
    const uint32_t *o = w->use->offset;
    switch (w->desc->rank) {
    case 3:
        return o[0] & 0xffff;
    case 4:
        return o[j] & 0xff;
    default:
        return (o[0] + (o[1] << 5) + (o[2] << 10)) >> (5 * j) & 0x1f;
    }
}

static void pixel_coords(const struct sim_walk *w, int64_t x[TMAP_MAX_RANK])
{
    const uint32_t off = axis_at(w->desc);
    memcpy(x, w->x, sizeof w->x);
    if (w->use->op != TMAP_OP_LOAD) return; // stores take no offsets
    if (w->desc->kind == TMAP_IM2COL_WIDE) {
        x[1] += w->use->offset[1];
        return;
    }
    for (uint32_t j = 0; j + 2 < w->desc->rank; j++) x[j + off] += offset_of(w, j);
}

bool sim_walk_next(struct sim_walk *w, struct sim_row *row)
{
    const struct tmap_desc *d = w->desc;
    int64_t x[TMAP_MAX_RANK];
    if (w->next == w->rows) return false;
    if (d->kind == TMAP_TILED)
        memcpy(x, w->x, sizeof x);
    else
        pixel_coords(w, x);
    row->smem = w->use->smem + w->next * w->layout.pitch_bytes;
    row->address = row_address(d, x);
    row->first = x[0];
    row->inside = in_bounds(d, x, d->interleave ? 0 : 1);
    w->next++;
    if (sim_by_row(w->use->op))
        step_row(w);
    else if (d->kind == TMAP_TILED)
        step_tiled(w);
    else if (d->kind == TMAP_IM2COL_WIDE)
        step_wide(w);
    else
        step_im2col(w);
    return true;
}
