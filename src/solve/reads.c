/* Bank conflicts of ldmatrix. It takes 8 rows of 16 bytes from any addresses, so the rows are the
 * tile's, wherever a box has put them: pieces of one row side by side are no rows. A read at
 * another column finds all rows moved by one and the same distance, which collide as before: under
 * a swizzle the pitch is the span, and a row's place in the pattern is a bijection of its number
 * modulo 8. */
#include "solve/reads.h"

#include "core/layout.h"

#include <string.h>

#define MATRIX_ROWS 8u
#define PIECE_BYTES 16u
#define PIECES 8u /* of all banks: one cycle gives as many */

/* The most of count pieces that lie in the same banks. */
static uint32_t most_alike(const uint64_t *address, uint32_t count)
{
    uint32_t in[PIECES] = {0}, most = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t n = ++in[address[i] / PIECE_BYTES % PIECES];
        if (n > most) most = n;
    }
    return most;
}

/* Index i of the draft's view at the tile's row x, which begins at x[0] = 0. */
static uint64_t index_of(const struct digit *digit, const uint64_t *x)
{
    uint64_t sum = 0;
    for (int k = 0; k < TMAP_MAX_RANK; k++) sum += digit->coef[k] * x[k];
    sum /= digit->div;
    return digit->mod ? sum % digit->mod : sum;
}

/* Where the row lands: its copy, and the row and byte in that copy's box. */
static uint64_t address_of(const struct draft *d, const struct tmap_layout *l, const uint64_t *x)
{
    struct tmap_desc own = d->p->desc;
    struct tmap_layout mine = *l;
    uint64_t in[TMAP_MAX_RANK], copy = 0, row = 0;
    bool tail = false;
    for (uint32_t i = own.rank; i-- > 0;) {
        const struct cut *c = &d->cut[i];
        const uint64_t at = index_of(&d->v->digit[i], x);
        in[i] = at % c->box;
        copy = copy * c->copies + at / c->box;
        if (c->tail == 0 || at / c->box + 1 < c->copies) continue;
        own.box[i] = c->tail;
        tail = true;
    }
    if (tail) layout_of(&own, &mine);
    for (uint32_t i = own.rank; i-- > 1;) row = row * mine.extent[i] + in[i] / own.elem_stride[i];
    const uint64_t slot =
        (l->footprint_bytes + l->align_bytes - 1) / l->align_bytes * l->align_bytes;
    return tmap_swizzle_address(own.swizzle, copy * slot + row * l->pitch_bytes +
                                                 in[0] * layout_smem_bits(own.dtype) / 8);
}

/* The next row of the tile, which takes every elem_stride-th; false after the last. */
static bool step(const struct tmap_desc *request, uint64_t *x)
{
    for (uint32_t i = 1; i < request->rank; i++) {
        x[i] += request->elem_stride[i];
        if (x[i] < request->box[i]) return true;
        x[i] = 0;
    }
    return false;
}

/* Whether the tile's rows are the box's, one after the other, eight of them never in two copies. */
static bool in_order(const struct draft *d, const struct tmap_desc *request)
{
    const struct digit *rows = &d->v->digit[1];
    if (request->rank != 2 || d->v->desc.rank < 2) return false;
    if (rows->coef[0] || rows->div != 1 || rows->mod) return false; /* the tile's second, then */
    return d->cut[1].copies == 1 || d->cut[1].box % MATRIX_ROWS == 0;
}

uint32_t reads_conflicts(const struct draft *d)
{
    const struct tmap_desc *request = d->objective->desc;
    uint64_t address[MATRIX_ROWS], x[TMAP_MAX_RANK] = {0};
    uint32_t most = 1, n = 0;
    struct tmap_layout l;
    layout_of(&d->p->desc, &l);
    if (in_order(d, request)) {
        for (; n < MATRIX_ROWS && n < request->box[1]; n++)
            address[n] = tmap_swizzle_address(d->p->desc.swizzle, (uint64_t)n * l.pitch_bytes);
        return most_alike(address, n) - 1;
    }
    for (bool more = true; more;) {
        address[n++] = address_of(d, &l, x);
        more = step(request, x);
        if (n < MATRIX_ROWS && more) continue;
        const uint32_t ways = most_alike(address, n);
        if (ways > most) most = ways;
        n = 0;
        if (most == MATRIX_ROWS || !work_spend(d->objective, MATRIX_ROWS)) break;
    }
    return most - 1;
}
