/* What a convolution is as a product: its numbers, and A's and B's maps. */
#include <string.h>

#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"
#include "tmap/conv.h"

enum { AXES = TMAP_MAX_SPATIAL };

int64_t tmap_conv_output(const struct tmap_conv_shape *s, int axis)
{
    if (!s || axis < 0 || axis >= AXES || s->stride[axis] < 1) return 0;
    const int64_t reach = (int64_t)(s->filter[axis] - 1) * s->dilation[axis];
    const int64_t room = (int64_t)s->size[axis] + s->pad_low[axis] + s->pad_high[axis] - reach;
    return room < 1 ? 0 : (room - 1) / s->stride[axis] + 1;
}

int64_t gemm_conv_taps(const struct tmap_conv_shape *s)
{
    return (int64_t)s->filter[0] * s->filter[1] * s->filter[2]; /* of 16 bits each */
}

/* Whether a k-block of so many channels has several taps (instances.def). */
static bool is_few(int32_t channels)
{
    for (size_t i = 0; i < gemm_instance_count; i++)
        if (gemm_instances[i].few > 0 && gemm_instances[i].few == channels) return true;
    return false;
}

/* Along an axis of one tap and no padding the pixels between are never read: a map of every so many
 * pixels says so without an element stride, which the copy engine walks more slowly. */
static void fold_stride(const struct tmap_conv_shape *s, int i, struct gemm_conv_view *v)
{
    if (s->filter[i] != 1 || s->pad_low[i] || s->pad_high[i]) return;
    v->step[i] = v->stride[i];
    v->in[i] = v->out[i];
    v->stride[i] = 1;
}

/* Pixels side by side that no other output reads, and that lie one after the other as the filter's
 * do, are one pixel of more channels: the patches of a downsampling layer. */
static void join_row(const struct tmap_conv_shape *s, int64_t ld, struct gemm_conv_view *v)
{
    const int32_t count = s->filter[0];
    if (count < 2 || count != s->stride[0] || s->dilation[0] != 1 || s->pad_low[0] ||
        s->pad_high[0] || ld != v->channels || v->channels > INT32_MAX / count)
        return;
    v->channels *= count;
    v->taps /= count;
    v->filter[0] = v->stride[0] = 1;
    v->step[0] = count;
    v->in[0] = v->out[0];
    v->upper[0] = 0;
}

struct gemm_conv_view gemm_conv_view_of(const struct tmap_conv_shape *s, bool data, int64_t ld)
{
    struct gemm_conv_view v = {.images = s->images,
                               .channels = data ? s->filters : s->channels,
                               .taps = gemm_conv_taps(s)};
    for (int i = 0; i < AXES; i++) {
        const int32_t reach = (s->filter[i] - 1) * s->dilation[i];
        const int32_t out = (int32_t)tmap_conv_output(s, i);
        v.filter[i] = s->filter[i];
        v.dilation[i] = s->dilation[i];
        v.stride[i] = data ? 1 : s->stride[i];
        v.step[i] = 1;
        v.in[i] = v.size[i] = data ? out : s->size[i];
        v.out[i] = data ? s->size[i] : out;
        /* The corners of cuTensorMapEncodeIm2col: of the pixels that tap 0 visits. A gradient's
         * taps come backwards, and so do its paddings. */
        v.lower[i] = data ? s->pad_low[i] - reach : -s->pad_low[i];
        v.upper[i] = data ? -s->pad_high[i] : s->pad_high[i] - reach;
        fold_stride(s, i, &v);
    }
    if (data) return v;
    join_row(s, ld, &v);
    v.few = is_few(v.channels) ? v.channels : 0;
    return v;
}

/* A slab of 8 x 8 pixels, or of whole rows that leave room for the columns beside them; two along
 * an axis. False where a row is too long. */
static bool lay_patch(const struct gemm_conv_view *v, int32_t width, int axis, struct gemm_patch *p)
{
    enum { SQUARE = 8 };
    const int32_t beside = GEMM_PATCH_TAPS - 1, high = GEMM_SLAB_ROWS / width;
    const bool square = width == SQUARE;
    if (!square && (axis == 0 || v->out[0] + beside > width)) return false;
    *p = (struct gemm_patch){.slab = {width, high, 1, 1}, .tile = {width, high, 1, 1}};
    p->tile[axis] *= 2;
    p->beside[axis] = p->slab[axis];
    memcpy(p->box, p->tile, sizeof p->box);
    if (square) p->box[0] += beside;
    p->pitch = p->box[0];
    for (int i = 0; i < 4; i++) {
        const int32_t all = i < AXES ? v->out[i] : v->images;
        p->count[i] = gemm_ceil_div(all, p->tile[i]);
    }
    return true;
}

static int64_t tiles_of(const struct gemm_patch *p)
{
    return (int64_t)p->count[0] * p->count[1] * p->count[2] * p->count[3];
}

/* The fewest tiles. */
static int64_t best_patch(const struct gemm_conv_view *v, struct gemm_patch *best)
{
    int64_t least = INT64_MAX;
    for (int32_t width = 8; width <= GEMM_SLAB_ROWS; width *= 2)
        for (int axis = 0; axis < 4; axis++) {
            struct gemm_patch p;
            if (!lay_patch(v, width, axis, &p) || tiles_of(&p) >= least) continue;
            least = tiles_of(&p);
            *best = p;
        }
    return least;
}

enum { PATCH_ROWS = 2 * GEMM_SLAB_ROWS };

bool gemm_can_patch(const struct gemm_view *view, const struct gemm_instance *instance)
{
    const struct gemm_conv_view *v = &view->conv;
    const int32_t left = v->channels % view->span;
    /* Few channels at once are for those that would leave half a k-block empty. */
    if (instance->few ? left == 0 || left > instance->few : v->few > 0 && v->few == left)
        return false;
    bool plain = v->images > 0 && v->filter[0] == GEMM_PATCH_TAPS && v->dilation[0] == 1;
    struct gemm_patch p;
    for (int i = 0; i < AXES; i++) plain &= v->stride[i] == 1 && v->step[i] == 1;
    return plain && !view->by_rows && (int64_t)view->n * view->out_bytes % GEMM_CLIP_BYTES == 0 &&
           best_patch(v, &p) <= INT32_MAX / PATCH_ROWS;
}

struct gemm_view gemm_view_for(const struct gemm_view *view, const struct gemm_instance *instance)
{
    struct gemm_view made = *view;
    if (!instance->patch || !gemm_can_patch(view, instance)) return made;
    struct gemm_conv_view *v = &made.conv;
    made.m = (int32_t)best_patch(v, &v->patch) * PATCH_ROWS;
    v->few = instance->few;
    const int32_t at_once = v->few ? v->few : view->span;
    made.k = (int32_t)v->taps / GEMM_PATCH_TAPS * gemm_ceil_div(v->channels, at_once) * view->span;
    return made;
}

int64_t gemm_conv_depth(const struct gemm_conv_view *v, int32_t element_bits)
{
    const int64_t span = GEMM_SPAN_BYTES * 8 / element_bits;
    const int64_t runs = v->few ? 1 : v->taps, run = v->few ? v->taps * v->few : v->channels;
    return runs * ((run + span - 1) / span * span);
}

void gemm_operand_extent(const struct tmap_gemm_problem *p, int32_t operand, int64_t *rows,
                         int64_t *length)
{
    const struct tmap_gemm_matrix *x = operand ? &p->b : &p->a;
    const int64_t outer = operand ? p->n : p->m;
    *rows = x->mn_major ? p->k : outer;
    *length = x->mn_major ? outer : p->k;
    if (p->conv.images == 0) return;
    const struct gemm_conv_view v = gemm_conv_view_of(&p->conv, p->b.mn_major, 0);
    *rows = operand ? p->conv.filters : (int64_t)v.images * v.size[0] * v.size[1] * v.size[2];
    *length = operand ? v.taps * p->conv.channels : v.channels;
}

/* What does not fit 64 bits is too large for the map, too. */
static uint64_t times(uint64_t bytes, int32_t count)
{
    uint64_t product;
    return __builtin_mul_overflow(bytes, (uint64_t)count, &product) ? UINT64_MAX : product;
}

/* As wide as a pixel's few channels (sm90/convolution.cuh). */
static int32_t swizzle_of(int32_t few_bytes)
{
    return few_bytes == 16   ? TMAP_SWIZZLE_NONE
           : few_bytes == 64 ? TMAP_SWIZZLE_64B
                             : TMAP_SWIZZLE_128B;
}

static struct tmap_desc pixels(const struct gemm_view *view, int32_t rows)
{
    const struct gemm_conv_view *v = &view->conv;
    struct tmap_desc d = {.kind = TMAP_IM2COL,
                          .dtype = TMAP_BFLOAT16,
                          .rank = 5,
                          .address = view->a.address,
                          .dim = {(uint64_t)v->channels, 1, 1, 1, (uint64_t)v->images},
                          .elem_stride = {1, 1, 1, 1, 1},
                          .channels = (uint32_t)(v->few ? v->few : view->span),
                          .pixels = (uint32_t)rows,
                          .swizzle = swizzle_of(v->few * view->element_bits / 8),
                          .l2_promotion = TMAP_L2_128B};
    uint64_t step = (uint64_t)(view->a.ld * view->element_bits / 8);
    for (int i = 0; i < AXES; i++) {
        d.dim[1 + i] = (uint64_t)v->in[i];
        d.elem_stride[1 + i] = (uint32_t)v->stride[i];
        d.lower[i] = v->lower[i];
        d.upper[i] = v->upper[i];
        d.stride_bytes[i] = times(step, v->step[i]);
        step = times(step, v->size[i]);
    }
    d.stride_bytes[AXES] = step;
    return d;
}

/* Channels, taps, filters; a gradient's rows are the channels and its k the filters. */
static struct tmap_desc filters(const struct gemm_view *view, int32_t rows, int32_t sharers)
{
    const struct gemm_conv_view *v = &view->conv;
    const uint32_t span = (uint32_t)view->span;
    const bool data = view->b.mn_major;
    const int32_t channels = data ? view->n : v->channels, count = data ? v->channels : view->n;
    const int32_t piece = rows / sharers;
    const uint64_t tap_bytes = (uint64_t)channels * (uint64_t)view->element_bits / 8;
    struct tmap_desc d = {.kind = TMAP_TILED,
                          .dtype = TMAP_BFLOAT16,
                          .rank = 3,
                          .address = view->b.address,
                          .dim = {(uint64_t)channels, (uint64_t)v->taps, (uint64_t)count},
                          .stride_bytes = {tap_bytes, (uint64_t)v->taps * tap_bytes},
                          .box = {span, 1, data ? span : (uint32_t)piece},
                          .elem_stride = {1, 1, 1},
                          .swizzle = TMAP_SWIZZLE_128B,
                          .l2_promotion = TMAP_L2_128B};
    if (v->patch.pitch && v->few) { /* as the pixels */
        d.box[0] = (uint32_t)v->few;
        d.swizzle = swizzle_of(v->few * view->element_bits / 8);
    } else if (v->few > 0) { /* a filter's taps are one row */
        d.dim[0] *= d.dim[1];
        d.dim[1] = (uint64_t)count;
        d.dim[2] = 1;
        d.stride_bytes[0] = d.stride_bytes[1];
        d.box[1] = d.box[2];
        d.box[2] = 1;
    }
    return d;
}

/* A patch's box of pixels, and the same of D's. */
static void patches(const struct gemm_view *view, struct tmap_desc desc[3])
{
    const struct gemm_conv_view *v = &view->conv;
    struct tmap_desc *a = &desc[0], *d = &desc[2];
    const uint64_t row = d->stride_bytes[0];
    uint64_t step = row;
    *a = pixels(view, 1);
    a->kind = TMAP_TILED;
    a->channels = a->pixels = 0;
    memset(a->lower, 0, sizeof a->lower), memset(a->upper, 0, sizeof a->upper);
    a->box[0] = (uint32_t)(v->few ? v->few : view->span);
    d->rank = 5;
    for (int i = 0; i < 4; i++) {
        a->box[1 + i] = (uint32_t)v->patch.box[i];
        d->box[1 + i] = (uint32_t)v->patch.slab[i];
        d->dim[1 + i] = (uint64_t)(i < AXES ? v->out[i] : v->images);
        d->elem_stride[1 + i] = 1;
        d->stride_bytes[i] = step;
        step = times(step, i < AXES ? v->out[i] : 1);
    }
}

void gemm_describe_conv(const struct gemm_view *view, const struct gemm_choice *choice,
                        struct tmap_desc desc[3])
{
    const struct tmap_gemm_config *c = &choice->config;
    if (choice->instance->patch) {
        patches(view, desc);
        desc[1] = filters(view, gemm_b_rows(choice->instance), c->cluster_m);
        return;
    }
    desc[0] = pixels(view, gemm_a_rows(choice->instance) / c->cluster_n);
    desc[1] = filters(view, gemm_b_rows(choice->instance), c->cluster_m);
}

uint64_t gemm_conv_boxes(const struct gemm_view *view, const struct gemm_instance *instance,
                         int32_t operand)
{
    const int32_t few = view->conv.few;
    if (instance->patch) return operand ? GEMM_PATCH_TAPS : 1;
    return few > 0 && !operand ? (uint64_t)(view->span / few) : 1;
}

void gemm_fill_conv(const struct gemm_view *view, struct gemm_conv *out)
{
    const struct gemm_conv_view *v = &view->conv;
    const int32_t span = v->patch.pitch && v->few ? v->few : view->span;
    *out = (struct gemm_conv){.taps = (int32_t)v->taps,
                              .channel_blocks = gemm_ceil_div(v->channels, span)};
    for (int i = 0; i < AXES; i++) {
        out->out[i] = v->out[i];
        out->stride[i] = v->stride[i];
        out->lower[i] = v->lower[i];
        out->dilation[i] = v->dilation[i];
        out->end[i] = v->filter[i] * v->dilation[i];
    }
    if (v->patch.pitch == 0) return;
    const struct gemm_patch *p = &v->patch;
    for (int i = 0; i < AXES; i++) {
        out->out[i] = p->count[i];
        out->stride[i] = p->tile[i];
        out->beside[i] = p->beside[i];
    }
    out->images = p->tile[3];
    out->beside[3] = p->beside[3];
    out->end[0] = v->dilation[0]; /* the kernel has the others of a row */
    const int32_t second = p->beside[0] ? p->beside[0] : p->pitch * p->slab[1];
    const int32_t pixel = (v->few ? v->few * view->element_bits / 8 : GEMM_SPAN_BYTES) / 16;
    out->second = (uint32_t)(second * pixel);
    out->groups = (uint32_t)((p->slab[0] > 8 ? 8 : p->pitch) * pixel);
}
