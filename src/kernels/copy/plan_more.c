// Plans of the kinds with more to them than a box: im2col, pages, broadcast, lists.
#include "kernels/copy/draft.h"

#include <stdlib.h>
#include <string.h>

static uint32_t or_one(uint32_t v)
{
    return v ? v : 1;
}

// The walk of the bounding box, and the matrix that its patches make.
static uint64_t im2col_pixels(struct draft *f, uint64_t *taps)
{
    const struct tmap_copy_problem *p = &f->plan->problem;
    uint64_t pixels = p->dim[p->rank - 1];
    *taps = 1;
    for (uint32_t j = 0; j + 2 < p->rank; j++) {
        const uint32_t step = or_one(p->pixel_step[j]);
        const int64_t extent = (int64_t)p->dim[j + 1] + p->upper[j] - p->lower[j];
        const uint64_t n = extent > 0 ? draft_blocks((uint64_t)extent, step) : 0;
        f->k.box_extent[j] = draft_divisor(n ? n : 1);
        f->k.pixel_step[j] = step;
        f->k.lower[j] = p->lower[j];
        f->k.taps[j] = or_one(p->taps[j]);
        f->k.tap_step[j] = or_one(p->tap_step[j]);
        pixels *= n;
        *taps *= f->k.taps[j];
    }
    return pixels;
}

enum tmap_status plan_im2col(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    static const char *const kernel[] = {"copy_im2col_3", "copy_im2col_4", "copy_im2col_5"};
    if (p->rank < 3) return draft_refuse(f, TMAP_E_ARGUMENT, "rank is %u, not 3 to 5", p->rank);
    const uint32_t size = draft_size(p->dtype);
    uint64_t taps, pixels = im2col_pixels(f, &taps), image = size;
    if (p->src_stride[0] == 0) draft_dense(p, p->rank, p->src_stride);
    struct tmap_desc *s = &plan->desc[0], *d = &plan->desc[1];
    *s = draft_tensor(p, p->rank, p->src, p->src_stride);
    s->kind = TMAP_IM2COL;
    s->channels = plan->config.box[0] ? plan->config.box[0] : draft_inner(s, p->dim[0]);
    s->pixels =
        plan->config.box[1] ? plan->config.box[1] : plan->config.slot_bytes / (s->channels * size);
    if (s->pixels > BOX_LIMIT) s->pixels = BOX_LIMIT; // the store's box
    if (s->pixels == 0)
        return draft_refuse(f, TMAP_E_NO_PLAN,
                            "slot_bytes is %u, less than one pixel of %u channels",
                            plan->config.slot_bytes, s->channels);
    for (uint32_t j = 0; j + 2 < p->rank; j++) {
        s->lower[j] = p->lower[j], s->upper[j] = p->upper[j];
        s->elem_stride[j + 1] = f->k.pixel_step[j];
    }
    const uint64_t out_stride[] = {p->dim[0] * size, p->dim[0] * size * taps};
    *d = draft_tensor(p, 1, p->dst, NULL);
    d->rank = 3, d->dim[1] = taps, d->dim[2] = pixels;
    memcpy(d->stride_bytes, out_stride, sizeof out_stride);
    d->box[0] = s->channels, d->box[1] = 1, d->box[2] = s->pixels;
    draft_cover(f, d);
    plan->kernel = kernel[p->rank - 3];
    for (uint32_t i = 0; i < p->rank; i++) image *= p->dim[i];
    plan->moved_bytes = image + pixels * taps * p->dim[0] * size;
    return draft_encode_both(f);
}

enum tmap_status plan_pages(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    const bool as_dim = p->kind == TMAP_COPY_PAGES;
    const uint64_t page = p->dim[0] * (draft_size(p->dtype));
    const uint32_t row = 2048; // 256 elements of 8 bytes: the widest row a box has
    if (page % row)
        return draft_refuse(f, TMAP_E_ARGUMENT, "dim[0]: a page's bytes must be a multiple of %u",
                            row);
    if (p->dim[1] == 0) return draft_refuse(f, TMAP_E_ARGUMENT, "dim[1] is 0, not 1 or more");
    if (p->index == 0) return draft_refuse(f, TMAP_E_ARGUMENT, "index is 0, not an address");
    const uint64_t pitch = p->src_stride[0] ? p->src_stride[0] : page;
    uint32_t rows = plan->config.box[1] ? plan->config.box[1] : plan->config.slot_bytes / row;
    while (rows > 1 && (page / row) % rows) rows--;
    if (rows == 0) rows = 1;
    struct tmap_copy_problem view = *p;
    const uint64_t stride[] = {row, pitch};
    view.dtype = TMAP_UINT64, view.dim[0] = row / 8, view.dim[1] = page / row,
    view.dim[2] = p->dim[1];
    plan->desc[0] = draft_tensor(&view, 3, p->src, stride);
    plan->desc[0].box[0] = row / 8, plan->desc[0].box[1] = rows, plan->desc[0].box[2] = 1;
    f->k.tiles[0] = draft_divisor(page / row / rows);
    f->k.step[1] = rows;
    f->k.index = (const int32_t *)(uintptr_t)p->index;
    f->k.src_address = p->src, f->k.dst_address = p->dst, f->k.page_bytes = pitch;
    plan->tiles = draft_tiles(p->page_count, page / row / rows);
    plan->kernel = as_dim ? "copy_gather_dim" : "copy_gather_index";
    plan->moved_bytes = 2 * p->page_count * page;
    return draft_encode(f, 0, &f->k.src);
}

enum tmap_status plan_broadcast(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    const uint32_t n = p->copies;
    if (p->rank != 3) return draft_refuse(f, TMAP_E_ARGUMENT, "rank is %u, not 3", p->rank);
    if (n != 2 && n != 4) return draft_refuse(f, TMAP_E_ARGUMENT, "copies is %u, not 2 or 4", n);
    draft_widen(p, plan->config.keep_type != 0);
    if (p->src_stride[0] == 0) draft_dense(p, 3, p->src_stride);
    if (p->dst_stride[0] == 0) draft_dense(p, 3, p->dst_stride);
    struct tmap_desc *s = &plan->desc[0], *d = &plan->desc[1];
    *s = draft_tensor(p, 3, p->src, p->src_stride);
    draft_box(s, &plan->config);
    s->box[2] = 1;
    s->box[1] = s->box[1] / n * n;
    if (s->box[1] == 0)
        return draft_refuse(f, TMAP_E_NO_PLAN, "a slot has fewer rows than there are copies (%u)",
                            n);
    *d = draft_tensor(p, 3, p->dst, p->dst_stride);
    d->rank = 4, d->dim[3] = n, d->stride_bytes[2] = p->copy_stride;
    memcpy(d->box, s->box, sizeof s->box);
    d->box[3] = 1;
    draft_cover(f, s);
    s->box[1] /= n; // each block loads its share, for all
    f->loads = n;
    plan->cluster = n;
    f->k.cluster = n;
    plan->kernel = "copy_multicast";
    plan->moved_bytes = (1 + n) * p->dim[0] * p->dim[1] * p->dim[2] * (draft_size(p->dtype));
    return draft_encode_both(f);
}

// A list: item k's maps differ from the template's in their addresses and rows only.
static enum tmap_status fill_list(struct draft *f, struct copy_item *items)
{
    struct tmap_copy_plan *plan = f->plan;
    const struct tmap_copy_problem *p = &plan->problem;
    for (uint32_t i = 0; i < p->list_count; i++) {
        const struct tmap_copy_matrix *m = &p->list[i];
        for (int side = 0; side < 2; side++) {
            plan->desc[side].address = side ? m->dst : m->src;
            plan->desc[side].dim[1] = m->rows;
        }
        const enum tmap_status s = draft_encode_both(f);
        if (s != TMAP_OK) return s;
        items[i].src = f->k.src, items[i].dst = f->k.dst;
        items[i].src_address = m->src, items[i].dst_address = m->dst;
        items[i].rows = (uint32_t)m->rows;
        items[i].tiles = (uint32_t)draft_blocks(m->rows, plan->desc[0].box[1]);
        plan->moved_bytes += 2 * m->rows * p->dim[0] * (draft_size(p->dtype));
    }
    return TMAP_OK;
}

static enum tmap_status send_list(struct draft *f, const struct copy_item *items, size_t bytes)
{
    const struct tmap_libcuda *cu = &f->plan->suite->gpu.api;
    const size_t slots = (size_t)f->plan->suite->gpu.sm_count * 2 * 2 * sizeof(struct copy_map);
    if (cu->mem_alloc(&f->plan->buffer, bytes + slots)) return TMAP_E_DRIVER;
    if (cu->memset_d8_async(f->plan->buffer + bytes, 0, slots, NULL) ||
        cu->memcpy_htod(f->plan->buffer, items, bytes))
        return TMAP_E_DRIVER;
    f->k.list = (const void *)(uintptr_t)f->plan->buffer;
    f->k.published = (void *)(uintptr_t)(f->plan->buffer + bytes);
    return TMAP_OK;
}

enum tmap_status plan_list(struct draft *f)
{
    struct tmap_copy_plan *plan = f->plan;
    struct tmap_copy_problem *p = &plan->problem;
    if (p->list == NULL || p->list_count == 0)
        return draft_refuse(f, TMAP_E_ARGUMENT, "list_count is 0, not 1 or more");
    p->rank = 2, p->dim[1] = BOX_LIMIT;
    p->src = p->list[0].src, p->dst = p->list[0].dst;
    draft_widen(p, plan->config.keep_type != 0);
    if (p->src_stride[0] == 0) draft_dense(p, 2, p->src_stride);
    if (p->dst_stride[0] == 0) draft_dense(p, 2, p->dst_stride);
    if (p->dim[0] > BOX_LIMIT) // one box wide
        return draft_refuse(f, TMAP_E_NO_PLAN, "dim[0]: a list's rows have at most %u units",
                            BOX_LIMIT);
    plan->desc[0] = draft_tensor(p, 2, p->src, p->src_stride);
    draft_box(&plan->desc[0], &plan->config);
    plan->desc[1] = draft_tensor(p, 2, p->dst, p->dst_stride);
    memcpy(plan->desc[1].box, plan->desc[0].box, sizeof plan->desc[0].box);
    f->k.step[1] = plan->desc[0].box[1];
    plan->tiles = p->list_count;
    plan->kernel = p->kind == TMAP_COPY_LIST ? "copy_list" : "copy_patched";
    struct copy_item *items = aligned_alloc(128, p->list_count * sizeof *items);
    if (items == NULL) return TMAP_E_MEMORY;
    memset(items, 0, p->list_count * sizeof *items);
    enum tmap_status s = fill_list(f, items);
    if (s == TMAP_OK) s = send_list(f, items, p->list_count * sizeof *items);
    free(items);
    return s;
}
