/* Whether the numbers that came from outside are ones that the rest may calculate with. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/mixed.h"
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"
#include "tmap/conv.h"
#include "tmap/mixed.h"

enum tmap_status gemm_refuse(struct tmap_gemm_refusal *refusal, enum tmap_status status,
                             const char *text)
{
    if (refusal) {
        memset(refusal, 0, sizeof *refusal);
        snprintf(refusal->text, sizeof refusal->text, "%s", text);
    }
    return status;
}

enum tmap_status gemm_refuse_unloaded(struct tmap_gemm_refusal *refusal, enum tmap_status status)
{
    return gemm_refuse(refusal, status,
                       status == TMAP_E_NOT_BUILT
                           ? "the library that has the kernels is not beside libtmap-cuda"
                           : "the driver cannot load the kernels");
}

struct bound {
    const char *member;
    size_t offset;
    int64_t low, high;
};

#define CONFIG(member, low, high) {#member, offsetof(struct tmap_gemm_config, member), low, high},
static const struct bound config_bounds[] = {
#include "kernels/gemm/bounds.def"
};
#define PROBLEM(member, low, high) {#member, offsetof(struct tmap_gemm_problem, member), low, high},
static const struct bound problem_bounds[] = {
#include "kernels/gemm/bounds.def"
};
#define MATRIX(member, low, high) {#member, offsetof(struct tmap_gemm_matrix, member), low, high},
static const struct bound matrix_bounds[] = {
#include "kernels/gemm/bounds.def"
};
#define CASE(member, low, high) {#member, offsetof(struct tmap_gemm_case, member), low, high},
static const struct bound case_bounds[] = {
#include "kernels/gemm/bounds.def"
};

#define COUNT(bounds) (sizeof bounds / sizeof bounds[0])
_Static_assert(COUNT(config_bounds) * sizeof(int32_t) == sizeof(struct tmap_gemm_config),
               "every member of a configuration has its line");

static enum tmap_status out_of(struct tmap_gemm_refusal *refusal, const char *whose,
                               const char *member, int64_t value, int64_t low, int64_t high)
{
    char text[sizeof refusal->text];
    snprintf(text, sizeof text, "%s%s is %" PRId64 ", not %" PRId64 " to %" PRId64, whose, member,
             value, low, high);
    return gemm_refuse(refusal, TMAP_E_ARGUMENT, text);
}

/* The int32 members of a struct. */
static enum tmap_status narrow(const void *from, const struct bound *bounds, size_t count,
                               const char *whose, struct tmap_gemm_refusal *refusal)
{
    for (size_t i = 0; i < count; i++) {
        int32_t value;
        memcpy(&value, (const char *)from + bounds[i].offset, sizeof value);
        if (value < bounds[i].low || value > bounds[i].high)
            return out_of(refusal, whose, bounds[i].member, value, bounds[i].low, bounds[i].high);
    }
    return TMAP_OK;
}

static enum tmap_status matrix(const struct tmap_gemm_matrix *x, const char *whose,
                               struct tmap_gemm_refusal *refusal)
{
    for (size_t i = 0; i < COUNT(matrix_bounds); i++) {
        const struct bound *b = &matrix_bounds[i];
        int64_t value;
        memcpy(&value, (const char *)x + b->offset, sizeof value);
        if (value < b->low || value > b->high)
            return out_of(refusal, whose, b->member, value, b->low, b->high);
    }
    return TMAP_OK;
}

/* Two elements of 4 bits are a byte, and tiles of scale factors are copied as 16 bytes are. lengths
 * and scales: all of them, or-ed. */
static enum tmap_status suits_kind(int32_t kind, int64_t lengths, uint64_t scales,
                                   struct tmap_gemm_refusal *refusal)
{
    if (gemm_element_bits(kind) < 8 && lengths % 2 != 0)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT,
                           "K, ld and batch_stride of elements of 4 bits must be even");
    if (gemm_is_scaled(kind) && scales % 16 != 0)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT,
                           "the address of scale factors is not a multiple of 16");
    return TMAP_OK;
}

enum tmap_status gemm_validate_scales(int32_t kind, uint64_t a_scales, uint64_t b_scales,
                                      struct tmap_gemm_refusal *refusal)
{
    if (!gemm_is_scaled(kind) || (a_scales != 0 && b_scales != 0)) return TMAP_OK;
    return gemm_refuse(refusal, TMAP_E_ARGUMENT,
                       a_scales == 0 ? "a_scales has no address" : "b_scales has no address");
}

/* What one number alone does not say. */
static enum tmap_status together(const struct tmap_gemm_problem *p,
                                 struct tmap_gemm_refusal *refusal)
{
    const uint64_t bytes = (uint64_t)gemm_out_bytes(p->out);
    if (p->out == GEMM_OUT_S32 && p->kind != GEMM_S8)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "out is s32, which s8 alone has");
    if (p->out == GEMM_OUT_S32 &&
        !(p->alpha >= -0x1p31f && p->alpha < 0x1p31f && p->beta >= -0x1p31f && p->beta < 0x1p31f))
        return gemm_refuse(refusal, TMAP_E_ARGUMENT,
                           "alpha and beta of integers must be numbers of 32 bits");
    if (p->beta != 0.0f && p->c.address % bytes != 0)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT,
                           "the address of C is not a multiple of its elements' size");
    const enum tmap_status suits = suits_kind(
        p->kind,
        p->k | p->a.ld | p->b.ld | (p->batch > 1 ? p->a.batch_stride | p->b.batch_stride : 0),
        p->a_scales | p->b_scales, refusal);
    if (suits != TMAP_OK) return suits;
    if (p->workspace % GEMM_WORKSPACE_ALIGN != 0)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "workspace is not a multiple of 256");
    return TMAP_OK;
}

static enum tmap_status refuse(struct tmap_gemm_refusal *refusal, const char *text)
{
    return gemm_refuse(refusal, TMAP_E_ARGUMENT, text);
}

static enum tmap_status misplaced(struct tmap_gemm_refusal *refusal, const char *member, int bytes)
{
    char text[sizeof refusal->text];
    snprintf(text, sizeof text, "epilogue: %s is not a multiple of %d", member, bytes);
    return refuse(refusal, text);
}

/* The second output lies as D does, one row after the other. */
static enum tmap_status check_second(const struct tmap_gemm_problem *p,
                                     struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_matrix *x = &p->epilogue.second;
    const int64_t bytes = gemm_out_bytes(p->out);
    const int64_t inner = p->d.mn_major ? p->m : p->n, rows = p->d.mn_major ? p->n : p->m;
    if (x->mn_major != p->d.mn_major) return refuse(refusal, "epilogue: second lies not as D does");
    if (x->ld < inner) return refuse(refusal, "epilogue: second's ld is less than its row");
    if (x->ld * bytes % 16 != 0) return misplaced(refusal, "second's ld in bytes", 16);
    if (p->batch == 1) return TMAP_OK;
    if (x->batch_stride / x->ld < rows)
        return refuse(refusal, "epilogue: second's batch_stride is less than a matrix");
    if (x->batch_stride * bytes % 16 != 0)
        return misplaced(refusal, "second's batch_stride in bytes", 16);
    return TMAP_OK;
}

static enum tmap_status epilogue(const struct tmap_gemm_problem *p,
                                 struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_epilogue *e = &p->epilogue;
#define EPILOGUE(member, low, high)                                                                \
    if (e->member < (low) || e->member > (high))                                                   \
        return out_of(refusal, "epilogue: ", #member, e->member, low, high);
#include "kernels/gemm/bounds.def"
#define STEP(word, member, bytes)                                                                  \
    if ((uint64_t)e->member % (bytes) != 0) return misplaced(refusal, #member, bytes);
#include "kernels/gemm/epilogue.def"
    if (gemm_wants_epilogue(p) && p->out == GEMM_OUT_S32)
        return refuse(refusal, "epilogue: there is none for an out of s32");
    if (gemm_is_narrow(p->out) && p->beta != 0.0f)
        return refuse(refusal, "beta: there is no C beside an out of 8 bits");
    if (gemm_is_narrow(p->out) && e->second.address)
        return refuse(refusal, "epilogue: there is no second beside an out of 8 bits");
    if (e->gate && p->n % 2 != 0) return refuse(refusal, "epilogue: gate needs an even N");
    if (e->gate && p->beta != 0.0f) return refuse(refusal, "beta: there is no C beside a gate");
    if (e->gate && e->second.address)
        return refuse(refusal, "epilogue: there is no second beside a gate");
    return e->second.address ? check_second(p, refusal) : TMAP_OK;
}

static enum tmap_status block_scale(const struct tmap_gemm_problem *p,
                                    struct tmap_gemm_refusal *refusal)
{
    const struct tmap_gemm_block_scale *x = &p->block_scale;
    const int64_t blocks = (p->k + GEMM_SCALE_BLOCK - 1) / GEMM_SCALE_BLOCK;
    if (!x->a && !x->b) return TMAP_OK;
#define BLOCK_SCALE(member, low, high)                                                             \
    if (x->member < (low) || x->member > (high))                                                   \
        return out_of(refusal, "block_scale: ", #member, x->member, low, high);
#include "kernels/gemm/bounds.def"
    if (!x->a || !x->b) return refuse(refusal, "block_scale: only one of a and b is there");
    if (x->b % sizeof(float)) return refuse(refusal, "block_scale: b is not a multiple of 4");
    if (x->lda < p->m) return refuse(refusal, "block_scale: lda is less than M");
    if (x->ldb < blocks) return refuse(refusal, "block_scale: ldb is less than K / 128");
    if (p->kind != GEMM_E4M3) return refuse(refusal, "block_scale: e4m3 alone has it");
    if (p->batch > 1) return refuse(refusal, "block_scale: of a batch of one only");
    if (gemm_wants_epilogue(p)) return refuse(refusal, "block_scale: not beside an epilogue");
    return TMAP_OK;
}

enum { AXES = TMAP_MAX_SPATIAL };

/* A tensor's pixels; -1 where that is more than the kernels count. */
static int64_t pixels_of(int64_t images, const int64_t axis[AXES])
{
    int64_t pixels = images;
    for (int i = 0; i < AXES; i++)
        if (__builtin_mul_overflow(pixels, axis[i], &pixels) || pixels > INT32_MAX) return -1;
    return pixels;
}

static enum tmap_status conv_numbers(const struct tmap_conv_shape *s,
                                     struct tmap_gemm_refusal *refusal)
{
#define CONV(member, low, high)                                                                    \
    for (size_t i = 0; i < sizeof s->member / sizeof(int32_t); i++) {                              \
        int32_t value;                                                                             \
        memcpy(&value, (const char *)&s->member + i * sizeof value, sizeof value);                 \
        if (value < (low) || value > (high))                                                       \
            return out_of(refusal, "convolution: ", #member, value, low, high);                    \
    }
#include "kernels/gemm/bounds.def"
    return TMAP_OK;
}

enum tmap_status gemm_validate_shape(const struct tmap_conv_shape *s, int64_t *x, int64_t *y,
                                     struct tmap_gemm_refusal *refusal)
{
    int64_t in[AXES], out[AXES];
    const enum tmap_status status = conv_numbers(s, refusal);
    if (status != TMAP_OK) return status;
    for (int i = 0; i < AXES; i++) {
        in[i] = s->size[i];
        out[i] = tmap_conv_output(s, i);
        if (out[i] < 1)
            return gemm_refuse(refusal, TMAP_E_ARGUMENT,
                               "convolution: the filter is larger than its padded axis");
    }
    *x = pixels_of(s->images, in);
    *y = pixels_of(s->images, out);
    if (*x < 0 || *y < 0)
        return gemm_refuse(refusal, TMAP_E_ARGUMENT, "convolution: more pixels than 31 bits count");
    return TMAP_OK;
}

/* The product's numbers are the convolution's. */
static enum tmap_status conv(const struct tmap_gemm_problem *p, struct tmap_gemm_refusal *refusal)
{
    const struct tmap_conv_shape *s = &p->conv;
    const bool data = p->b.mn_major;
    int64_t x, y;
    const enum tmap_status status = gemm_validate_shape(s, &x, &y, refusal);
    if (status != TMAP_OK) return status;
    const int64_t n = data ? s->channels : s->filters;
    const struct gemm_conv_view view = gemm_conv_view_of(s, data, p->a.ld);
    bool strided = false;
    if (gemm_is_narrow(p->out) || p->epilogue.d_scale || p->epilogue.gate)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN,
                           "convolutions have no out of 8 bits, no d_scale and no gate");
    for (int i = 0; i < AXES; i++) strided |= s->stride[i] != 1;
    if (data && strided)
        return gemm_refuse(refusal, TMAP_E_NO_PLAN,
                           "the data gradient of a convolution with a stride is not supported");
    if (p->m != (data ? x : y) || p->n != n || p->batch != 1 || p->a.mn_major || p->d.mn_major ||
        p->k != gemm_conv_depth(&view, gemm_element_bits(p->kind)))
        return gemm_refuse(refusal, TMAP_E_ARGUMENT,
                           "convolution: the product's numbers are not tmap_conv_product()'s");
    return TMAP_OK;
}

enum tmap_status gemm_validate_request(const struct tmap_gemm_config *request,
                                       struct tmap_gemm_refusal *refusal)
{
    return narrow(request, config_bounds, COUNT(config_bounds), "request: ", refusal);
}

enum tmap_status gemm_validate(const struct tmap_gemm_problem *p,
                               const struct tmap_gemm_config *request,
                               struct tmap_gemm_refusal *refusal)
{
    enum tmap_status status = narrow(p, problem_bounds, COUNT(problem_bounds), "", refusal);
    if (status == TMAP_OK) status = matrix(&p->a, "A's ", refusal);
    if (status == TMAP_OK) status = matrix(&p->b, "B's ", refusal);
    if (status == TMAP_OK) status = matrix(&p->d, "D's ", refusal);
    if (status == TMAP_OK && p->beta != 0.0f) status = matrix(&p->c, "C's ", refusal);
    if (status == TMAP_OK && p->epilogue.second.address)
        status = matrix(&p->epilogue.second, "epilogue: second's ", refusal);
    if (status == TMAP_OK) status = together(p, refusal);
    if (status == TMAP_OK) status = epilogue(p, refusal);
    if (status == TMAP_OK) status = block_scale(p, refusal);
    if (status == TMAP_OK && p->conv.images != 0) status = conv(p, refusal);
    return status == TMAP_OK ? gemm_validate_request(request, refusal) : status;
}

enum tmap_status gemm_validate_case(const struct tmap_gemm_case *what,
                                    struct tmap_gemm_refusal *refusal)
{
    const enum tmap_status status = narrow(what, case_bounds, COUNT(case_bounds), "", refusal);
    struct tmap_gemm_problem p = what->problem;
    p.c.address = 0; /* the case's addresses do not count */
    p.block_scale = (struct tmap_gemm_block_scale){0};
    p.epilogue = (struct tmap_gemm_epilogue){.activation = p.epilogue.activation,
                                             .bias_type = p.epilogue.bias_type,
                                             .gate = p.epilogue.gate};
    return status == TMAP_OK ? gemm_validate(&p, &what->request, refusal) : status;
}

enum tmap_status gemm_validate_member(int32_t kind, const struct tmap_gemm_member *x,
                                      struct tmap_gemm_refusal *refusal)
{
#define MEMBER(member, low, high)                                                                  \
    if (x->member < low || x->member > high)                                                       \
        return out_of(refusal, "", #member, x->member, low, high);
#include "kernels/gemm/bounds.def"
    return suits_kind(kind, x->k | x->lda | x->ldb, x->a_scales | x->b_scales, refusal);
}

enum tmap_status gemm_validate_mixed(const struct tmap_mixed_problem *x,
                                     struct tmap_gemm_refusal *refusal)
{
#define MIXED_PROBLEM(member, low, high)                                                           \
    if (x->member < low || x->member > high)                                                       \
        return out_of(refusal, "", #member, x->member, low, high);
#include "kernels/gemm/bounds.def"
    return TMAP_OK;
}

int gemm_print_config(char *text, size_t cap, const struct tmap_gemm_config *c)
{
    int n = 0;
    for (size_t i = 0; i < COUNT(config_bounds); i++) {
        int32_t value;
        memcpy(&value, (const char *)c + config_bounds[i].offset, sizeof value);
        const size_t left = n < 0 || (size_t)n >= cap ? 0 : cap - (size_t)n;
        n += snprintf(left ? text + n : NULL, left, i ? ",%" PRId32 : "%" PRId32, value);
    }
    return n;
}

size_t gemm_read_config(const char *text, struct tmap_gemm_config *c)
{
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < COUNT(config_bounds); i++) {
        const struct bound *b = &config_bounds[i];
        char *end;
        const long value = strtol(text, &end, 10);
        if (end == text || value < b->low || value > b->high) return 0;
        const int32_t member = (int32_t)value;
        memcpy((char *)c + b->offset, &member, sizeof member);
        if (*end == 0 || *end == '\n') return i + 1;
        if (*end != ',') return 0;
        text = end + 1;
    }
    return 0;
}
