/* The tile of a request; see tile_walk.h. */
#include "support/tile_walk.h"
#include "support/splitmix.h"

#include "core/layout.h"

#include <string.h>

uint64_t tile_unit_bits(const struct tmap_desc *d)
{
    return d->interleave ? layout_slice_bytes(d->interleave) * UINT64_C(8)
                         : layout_gmem_bits(d->dtype);
}

uint64_t tile_unit_bytes(const struct tmap_desc *d)
{
    return tile_unit_bits(d) / 8;
}

bool tile_bit(const struct tmap_desc *d, const int64_t *x, uint64_t *bit)
{
    uint64_t at = d->address * 8 + (uint64_t)x[0] * tile_unit_bits(d);
    for (uint32_t i = 0; i < d->rank; i++) {
        if (x[i] < 0 || (uint64_t)x[i] >= d->dim[i]) return false;
        if (i) at += (uint64_t)x[i] * d->stride_bytes[i - 1] * 8;
    }
    *bit = at;
    return true;
}

bool tile_address(const struct tmap_desc *d, const int64_t *x, uint64_t *address)
{
    uint64_t bit;
    if (!tile_bit(d, x, &bit)) return false;
    *address = bit / 8;
    return true;
}

void tile_walk_start(struct tile_walk *w, const struct tmap_desc *request, const int64_t *coord)
{
    *w = (struct tile_walk){.request = request};
    memcpy(w->first, coord, sizeof w->first);
    memcpy(w->x, coord, sizeof w->x);
}

/* From one pixel to the next: along W, H and D, then to the next image. */
static void next_pixel(const struct tmap_desc *d, int64_t *x)
{
    for (uint32_t i = 1; i + 1 < d->rank; i++) {
        x[i] += d->elem_stride[i];
        if (x[i] < (int64_t)d->dim[i] + d->upper[i - 1]) return;
        x[i] = d->lower[i - 1];
    }
    x[d->rank - 1] += d->elem_stride[d->rank - 1];
}

static bool next_of_im2col(struct tile_walk *w)
{
    w->x[0]++;
    if (++w->tile[0] < w->request->channels) return true;
    w->tile[0] = 0;
    w->x[0] = w->first[0];
    next_pixel(w->request, w->x);
    return ++w->tile[1] < w->request->pixels;
}

bool tile_walk_next(struct tile_walk *w)
{
    const struct tmap_desc *d = w->request;
    if (d->kind == TMAP_IM2COL) return next_of_im2col(w);
    for (uint32_t i = 0; i < d->rank; i++) {
        const uint32_t step = i || d->interleave ? d->elem_stride[i] : 1;
        if (d->interleave && i + 2 == d->rank) continue; /* one slice, always */
        w->tile[i] += step;
        w->x[i] += step;
        if (w->tile[i] < d->box[i]) return true;
        w->tile[i] = 0;
        w->x[i] = w->first[i];
    }
    return false;
}

uint8_t tile_byte(uint64_t address)
{
    uint64_t s = address;
    return (uint8_t)splitmix(&s);
}

unsigned tile_memory_bit(uint64_t bit)
{
    return tile_byte(bit / 8) >> bit % 8 & 1;
}

bool tile_read(void *user, uint64_t address, void *to, size_t bytes)
{
    (void)user;
    for (size_t i = 0; i < bytes; i++) ((uint8_t *)to)[i] = tile_byte(address + i);
    return true;
}
