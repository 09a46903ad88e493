/* Convolutions by their definition: one loop an axis, no map and no product in sight. */
#include "support/emulated_conv.h"

#include <stdlib.h>
#include <string.h>

#include "support/splitmix.h"

/* Rows of so many numbers, each row of ld: bf16 in memory, small integers in the result. There is
 * room for fp32, which a result may be of. */
static int8_t *tensor(struct tmap_gemm *s, uint64_t *address, int64_t rows, int32_t length,
                      int64_t ld, uint64_t *seed)
{
    int8_t *v = malloc((size_t)(rows * length));
    if (!v || s->gpu.api.mem_alloc(address, (uint64_t)(rows * ld) * 4)) return NULL;
    uint16_t *to = (uint16_t *)(uintptr_t)*address;
    memset(to, 0xff, (size_t)(rows * ld) * 4);
    for (int64_t i = 0; i < rows * length; i++) {
        const int8_t number = (int8_t)(splitmix(seed) >> 40 & 3) - 2;
        const float real = number;
        uint32_t bits;
        memcpy(&bits, &real, 4);
        v[i] = number;
        to[i / length * ld + i % length] = (uint16_t)(bits >> 16);
    }
    return v;
}

struct walk {
    const struct tmap_conv_shape *shape;
    int64_t out[3];
    const int8_t *x, *y, *filters;
    double *sums; /* of the result */
    bool data;
};

/* One output pixel and one tap: where its input pixel is, or -1. */
static int64_t input_of(const struct walk *w, int64_t image, const int64_t at[3],
                        const int32_t tap[3])
{
    int64_t index = image;
    for (int i = 2; i >= 0; i--) {
        const struct tmap_conv_shape *s = w->shape;
        const int64_t x = at[i] * s->stride[i] - s->pad_low[i] + (int64_t)tap[i] * s->dilation[i];
        if (x < 0 || x >= s->size[i]) return -1;
        index = index * s->size[i] + x;
    }
    return index;
}

/* y += filters x, or x += filters^T y. */
static void add(const struct walk *w, int64_t x, int64_t y, int64_t tap, int64_t taps)
{
    const int32_t C = w->shape->channels, K = w->shape->filters;
    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < C; c++) {
            const double f = w->filters[(k * taps + tap) * C + c];
            if (w->data)
                w->sums[x * C + c] += f * w->y[y * K + k];
            else
                w->sums[y * K + k] += f * w->x[x * C + c];
        }
}

static void sums(const struct walk *w, int64_t taps)
{
    const int64_t *o = w->out, pixels = o[0] * o[1] * o[2];
    const int32_t *f = w->shape->filter;
    for (int64_t y = 0; y < w->shape->images * pixels; y++)
        for (int64_t t = 0; t < taps; t++) {
            const int64_t at[3] = {y % o[0], y / o[0] % o[1], y / o[0] / o[1] % o[2]};
            const int32_t tap[3] = {(int32_t)(t % f[0]), (int32_t)(t / f[0] % f[1]),
                                    (int32_t)(t / f[0] / f[1])};
            const int64_t x = input_of(w, y / pixels, at, tap);
            if (x >= 0) add(w, x, y, t, taps);
        }
}

static int64_t whole(int64_t length)
{
    return (length + 7) / 8 * 8;
}

bool emulated_conv_make(struct tmap_gemm *suite, const struct tmap_conv_problem *shape,
                        uint64_t seed, struct emulated_conv *out)
{
    struct tmap_conv_problem *c = &out->conv;
    struct walk w = {.shape = &c->shape, .data = shape->operation == TMAP_CONV_DATA_GRADIENT};
    memset(out, 0, sizeof *out);
    *c = *shape;
    const struct tmap_conv_shape *s = &c->shape;
    const int64_t taps = (int64_t)s->filter[0] * s->filter[1] * s->filter[2];
    int64_t in = s->images, pixels = s->images;
    for (int i = 0; i < 3; i++) {
        in *= s->size[i];
        pixels *= w.out[i] = tmap_conv_output(s, i);
    }
    if (!c->x_ld) c->x_ld = whole(s->channels);
    if (!c->y_ld) c->y_ld = whole(s->filters);
    const int64_t results = w.data ? in * s->channels : pixels * s->filters;
    int8_t *x = tensor(suite, &c->x, in, s->channels, c->x_ld, &seed);
    int8_t *y = tensor(suite, &c->y, pixels, s->filters, c->y_ld, &seed);
    int8_t *f = tensor(suite, &c->filters, s->filters, (int32_t)taps * s->channels,
                       taps * s->channels, &seed);
    double *made = calloc((size_t)results * 2, sizeof *made);
    if (!x || !y || !f || !made) return false;
    memset((void *)(uintptr_t)(w.data ? c->x : c->y), 0xff, emulated_bytes(w.data ? c->x : c->y));
    w.x = x, w.y = y, w.filters = f, w.sums = made;
    sums(&w, taps);
    out->product.expected = made;
    out->product.size = made + results;
    free(x), free(y), free(f);
    return tmap_conv_product(c, &out->product.problem, NULL) == TMAP_OK;
}

void emulated_conv_free(struct tmap_gemm *suite, struct emulated_conv *c)
{
    suite->gpu.api.mem_free(c->conv.x);
    suite->gpu.api.mem_free(c->conv.y);
    suite->gpu.api.mem_free(c->conv.filters);
    free(c->product.expected);
}
