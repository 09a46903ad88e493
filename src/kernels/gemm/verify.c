/* One product, computed by the suite and by the plainest kernels there are, compared. */
#include <math.h>
#include <string.h>

#include "kernels/gemm/verify.h"
#include "tmap/conv.h"

enum { GUARD_BYTES = 4096, POISON = 0xff, BLOCKS = 1056, THREADS = 256, VECTORS = 32 };

tmap_cu_deviceptr verify_allocate(struct bench *b, int64_t bytes)
{
    tmap_cu_deviceptr at = 0;
    if (b->failed || b->buffers == MOST_BUFFERS || b->api->mem_alloc(&at, (size_t)bytes)) {
        b->failed = true;
        return 0;
    }
    b->buffer[b->buffers++] = at;
    b->failed |= b->api->memset_d8_async(at, POISON, (size_t)bytes, NULL) != 0;
    return at;
}

static void launch(struct bench *b, const char *name, unsigned grid, void **params)
{
    tmap_cu_function function;
    struct tmap_cu_launch how = {
        .grid_x = grid, .grid_y = 1, .grid_z = 1, .block_x = THREADS, .block_y = 1, .block_z = 1};
    if (b->failed) return;
    b->failed = b->api->module_get_function(&function, b->suite->probe, name) != 0 ||
                b->api->launch_kernel_ex(&how, function, params, NULL) != 0;
}

struct probe_result verify_fetch(struct bench *b)
{
    struct probe_result result = {0};
    if (!b->failed)
        b->failed = b->api->memcpy_dtoh(&result, b->result, sizeof result) != 0 ||
                    b->api->memset_d8_async(b->result, 0, sizeof result, NULL) != 0;
    return result;
}

static int32_t probe_type_of_kind(int32_t kind)
{
    static const int32_t type[GEMM_KINDS] = {
#define KIND(word, NAME, element_bits, a, ...) [GEMM_##NAME] = PROBE_##a,
#include "kernels/gemm/kinds.def"
    };
    return type[kind];
}

static int32_t probe_type_of_out(int32_t out)
{
    static const int32_t type[] = {
        [GEMM_OUT_BF16] = PROBE_BF16, [GEMM_OUT_F16] = PROBE_F16,   [GEMM_OUT_F32] = PROBE_F32,
        [GEMM_OUT_S32] = PROBE_S32,   [GEMM_OUT_E4M3] = PROBE_E4M3, [GEMM_OUT_E5M2] = PROBE_E5M2};
    return type[out];
}

static int32_t bits_of(int32_t type)
{
    if (type == PROBE_E2M1) return 4;
    return type == PROBE_F32 || type == PROBE_S32 ? 32 : type <= PROBE_F16 ? 16 : 8;
}

static int32_t bytes_of(int32_t type)
{
    return bits_of(type) / 8;
}

/* Smallest legal strides where none are given: rows at multiples of 16 bytes. */
static void complete(struct tmap_gemm_matrix *x, int32_t inner, int32_t rows, int32_t bits)
{
    const int32_t unit = 128 / bits;
    if (x->ld == 0) x->ld = (inner + unit - 1) / unit * unit;
    if (x->batch_stride == 0) x->batch_stride = x->ld * rows;
}

/* One matrix between two guard bands. */
static struct probe_matrix place(struct bench *b, struct tmap_gemm_matrix *x, int32_t type,
                                 int32_t outer, int32_t k, int32_t batch, int64_t *all_bytes)
{
    const int32_t rows = x->mn_major ? k : outer;
    complete(x, x->mn_major ? outer : k, rows, bits_of(type));
    *all_bytes =
        ((batch - 1) * x->batch_stride + rows * x->ld) * bits_of(type) / 8 + 2 * GUARD_BYTES;
    x->address = verify_allocate(b, *all_bytes) + GUARD_BYTES;
    struct probe_matrix m = {.data = (void *)(uintptr_t)x->address,
                             .type = type,
                             .outer = outer,
                             .k = k,
                             .batch = batch,
                             .outer_inner = x->mn_major,
                             .ld = x->ld,
                             .batch_stride = x->batch_stride};
    return m;
}

static void fill(struct bench *b, struct probe_matrix *x, int32_t how, int32_t parameter,
                 uint64_t seed)
{
    void *params[] = {x, &how, &parameter, &seed};
    launch(b, "probe_fill", BLOCKS, params);
}

/* Where a vector is wanted, so many normal numbers. */
static const void *vector(struct bench *b, uint64_t *address, int32_t type, int32_t count,
                          uint64_t seed)
{
    if (!*address) return NULL;
    *address = verify_allocate(b, (int64_t)count * bytes_of(type));
    struct probe_matrix v = {.data = (void *)(uintptr_t)*address,
                             .type = type,
                             .outer = 1,
                             .k = count,
                             .batch = 1,
                             .ld = count};
    fill(b, &v, PROBE_NORMAL, 0, seed);
    return v.data;
}

static void prepare_epilogue(struct bench *b, uint64_t seed, struct product *p)
{
    struct tmap_gemm_problem *q = &p->problem;
    struct tmap_gemm_epilogue *e = &q->epilogue;
    const int32_t bias = probe_type_of_out(e->bias_type);
    p->epilogue = (struct probe_epilogue){.wanted = gemm_wants_epilogue(q),
                                          .activation = e->activation,
                                          .bias_type = bias,
                                          .gate = e->gate,
                                          .alpha = vector(b, &e->alpha, PROBE_F32, 1, seed + 3),
                                          .beta = vector(b, &e->beta, PROBE_F32, 1, seed + 4)};
    struct probe_epilogue *f = &p->epilogue;
    f->row_scale = vector(b, &e->row_scale, PROBE_F32, q->m, seed + 5);
    f->col_scale = vector(b, &e->col_scale, PROBE_F32, q->n, seed + 6);
    f->row_bias = vector(b, &e->row_bias, bias, q->m, seed + 7);
    f->col_bias = vector(b, &e->col_bias, bias, q->n, seed + 8);
    f->d_scale = vector(b, &e->d_scale, PROBE_F32, 1, seed + 11);
    if (e->amax && (e->amax = verify_allocate(b, sizeof(float))))
        b->failed |= b->api->memset_d8_async(e->amax, 0, sizeof(float), NULL) != 0;
    if (!e->second.address) return;
    e->second.mn_major = q->d.mn_major;
    f->second = place(b, &e->second, p->d.type, q->m, q->n, q->batch, &p->second_bytes);
}

/* Scale factors that are all alike: 2 to the exponent, as ue8m0 or, for blocks of 16, ue4m3. Of A 2
 * and of B 1/2 leave the sums those of the numbers alone. */
static uint64_t factors(struct bench *b, const struct tmap_gemm_problem *q, int32_t rows,
                        int32_t exponent)
{
    const int32_t block = gemm_scale_block(q->kind);
    const uint8_t byte = (uint8_t)(block == 16 ? (7 + exponent) << 3 : 127 + exponent);
    const int64_t tiles = ((int64_t)rows + GEMM_SCALE_ROWS - 1) / GEMM_SCALE_ROWS * q->batch;
    const int64_t bytes = tiles * gemm_scale_tiles(q->kind, q->k) * GEMM_SCALE_BYTES;
    const tmap_cu_deviceptr at = verify_allocate(b, bytes);
    if (!b->failed) b->failed |= b->api->memset_d8_async(at, byte, (size_t)bytes, NULL) != 0;
    return at;
}

/* Smallest legal rows. The scales are drawn as K's blocks of M are, and of N's. */
static void prepare_blocks(struct bench *b, uint64_t seed, struct product *p)
{
    enum { BLOCK = 128, WHOLE = 4 };
    struct tmap_gemm_problem *q = &p->problem;
    struct tmap_gemm_block_scale *x = &q->block_scale;
    if (!x->a || !x->b) return;
    const int32_t deep = (q->k + BLOCK - 1) / BLOCK, wide = (q->n + BLOCK - 1) / BLOCK;
    x->lda = ((int64_t)q->m + WHOLE - 1) / WHOLE * WHOLE;
    x->ldb = deep;
    p->blocks =
        (struct probe_blocks){.a = vector(b, &x->a, PROBE_F32, (int32_t)x->lda * deep, seed + 9),
                              .b = vector(b, &x->b, PROBE_F32, wide * deep, seed + 10),
                              .lda = x->lda,
                              .ldb = x->ldb};
}

/* A's and B's stored rows instead of the product's, of a convolution. */
static void prepare_conv(struct bench *b, const int32_t in[2], struct product *p)
{
    struct tmap_gemm_problem *q = &p->problem;
    const struct tmap_conv_shape *s = &q->conv;
    const bool data = q->b.mn_major;
    struct probe_conv *v = &p->conv;
    int64_t rows[2], length[2], ignored;
    *v = (struct probe_conv){.taps = 1, .channels = s->channels, .data = data};
    for (int i = 0; i < TMAP_MAX_SPATIAL; i++) {
        v->taps *= s->filter[i];
        v->size[i] = s->size[i];
        v->out[i] = (int32_t)tmap_conv_output(s, i);
        v->filter[i] = s->filter[i];
        v->stride[i] = s->stride[i];
        v->dilation[i] = s->dilation[i];
        v->pad[i] = s->pad_low[i];
    }
    for (int32_t i = 0; i < 2; i++) gemm_operand_extent(q, i, &rows[i], &length[i]);
    q->b.mn_major = false; /* its rows are filters either way */
    p->a = place(b, &q->a, in[0], (int32_t)rows[0], (int32_t)length[0], 1, &ignored);
    p->b = place(b, &q->b, in[1], (int32_t)rows[1], (int32_t)length[1], 1, &ignored);
    q->b.mn_major = data;
}

void verify_prepare(struct bench *b, const struct tmap_gemm_case *what, struct product *p)
{
    int64_t ignored;
    struct tmap_gemm_problem *q = &p->problem;
    *q = what->problem;
    const int32_t out = probe_type_of_out(q->out),
                  in[2] = {probe_type_of_kind(gemm_operand_kind(q->kind, 0)),
                           probe_type_of_kind(gemm_operand_kind(q->kind, 1))};
    if (q->conv.images > 0) {
        prepare_conv(b, in, p);
    } else {
        p->a = place(b, &q->a, in[0], q->m, q->k, q->batch, &ignored);
        p->b = place(b, &q->b, in[1], q->n, q->k, q->batch, &ignored);
    }
    p->d = place(b, &q->d, out, q->m, q->epilogue.gate ? q->n / 2 : q->n, q->batch, &p->d_bytes);
    p->d_base = q->d.address - GUARD_BYTES;
    fill(b, &p->a, what->fill_a, what->parameter, what->seed);
    fill(b, &p->b, what->fill_b, what->parameter, what->seed + 1);
    prepare_epilogue(b, what->seed, p);
    prepare_blocks(b, what->seed, p);
    if (gemm_is_scaled(q->kind)) {
        q->a_scales = factors(b, q, q->m, 1);
        q->b_scales = factors(b, q, q->n, -1);
    }
    if (q->beta == 0.0f) return;
    q->c.mn_major = q->d.mn_major;
    if (what->in_place) q->c = q->d;
    p->c = place(b, &q->c, out, q->m, q->n, q->batch, &ignored);
    fill(b, &p->c, PROBE_INTEGERS, 0, what->seed + 2);
    if (!what->in_place) return;
    b->failed |= b->api->memcpy_dtod_async(p->d_base, q->c.address - GUARD_BYTES,
                                           (size_t)p->d_bytes, NULL) != 0;
    q->c.address = q->d.address;
}

/* Allowed error relative to the sum of |a b|: one unit of the tensor core's running sum for each
 * addition into it (16, 16, 8 or 32 products at a time), and of fp32 for the promoted ones. */
static double relative_bound(const struct tmap_gemm_problem *q)
{
    const double fp32 = ldexp(1, -22), fp8 = ldexp(1, -12), k = q->k;
    if (gemm_is_fp8(q->kind))
        return q->precise || q->block_scale.a ? fp8 * 6 + fp32 * (k / 128 + 2) : fp8 * (k / 32 + 2);
    return fp32 * (k / (q->kind == GEMM_TF32 ? 8 : 16) + 2);
}

static bool is_random(const struct tmap_gemm_case *what)
{
    return what->problem.kind != GEMM_S8 &&
           (what->fill_a == PROBE_NORMAL || what->fill_b == PROBE_NORMAL ||
            what->problem.block_scale.a);
}

/* Of every element that was checked the largest, against the kernel's amax; a sample's may be less.
 */
static void check_amax(struct bench *b, const struct product *p, uint64_t most_bits, bool sampled,
                       struct tmap_gemm_outcome *o)
{
    /* The tensor core's own sums of fp8 keep fewer bits: 0.23 % of 62 was seen at K = 3001. */
    const bool few_bits = gemm_is_fp8(p->problem.kind) && !p->problem.precise;
    const double share = few_bits ? 0x1p-6 : 0x1p-9;
    double most;
    float got = 0;
    if (!p->problem.epilogue.amax) return;
    memcpy(&most, &most_bits, sizeof most);
    b->failed |= b->api->memcpy_dtoh(&got, p->problem.epilogue.amax, sizeof got) != 0;
    const double off = (double)got - most, room = share * (most + 1);
    const bool right = off >= -room && (sampled || off <= room);
    o->checked++;
    if (right) return;
    if (o->wrong++ == 0) o->expected = most, o->got = (double)got;
}

/* Whether fp32 has all sums of terms exactly: numbers of at most 4 in halves, or any of 8 bits. */
static bool has_exact_sums(const struct tmap_gemm_case *what)
{
    const bool bytes = what->fill_a == PROBE_NORMAL || what->fill_b == PROBE_NORMAL;
    const int64_t most = bytes ? 128 * 128 : 4 * 4 * 4;
    return !is_random(what) && most * what->problem.k <= 1 << 24;
}

void verify_compare(struct bench *b, const struct tmap_gemm_case *what, const struct product *p,
                    struct tmap_gemm_outcome *o)
{
    const struct tmap_gemm_problem *q = &p->problem;
    const double work = (double)q->m * q->n * q->k * q->batch;
    struct probe_check check = {.a = p->a,
                                .b = p->b,
                                .c = p->c,
                                .d = p->d,
                                .epilogue = p->epilogue,
                                .blocks = p->blocks,
                                .conv = p->conv,
                                .alpha = q->alpha,
                                .beta = q->beta,
                                .exact = !is_random(what),
                                .samples = work > 1e9 && !what->every ? 1 << 15 : 0,
                                .seed = (uint32_t)what->seed,
                                .relative = relative_bound(q)};
    const bool plain = !p->epilogue.wanted && !p->epilogue.gate && !p->blocks.a && !p->conv.taps;
    const bool tiles = plain && check.samples == 0 && has_exact_sums(what);
    void *params[] = {&check, &b->result};
    launch(b, tiles ? "probe_compare_exact" : "probe_compare", BLOCKS, params);
    const struct probe_result r = verify_fetch(b);
    o->checked += r.checked;
    o->wrong += r.wrong;
    o->first = r.first ? r.first - 1 : 0;
    o->expected = r.expected;
    o->got = r.got;
    memcpy(&o->worst, &r.worst_bits, sizeof o->worst);
    check_amax(b, p, r.most_bits, check.samples != 0, o);
}

/* Around a matrix whose allocation begins at base. */
static void guard_one(struct bench *b, const struct probe_matrix *d, tmap_cu_deviceptr base,
                      int64_t bytes, struct tmap_gemm_outcome *o)
{
    const int64_t size = bytes_of(d->type);
    const int32_t inner = d->outer_inner ? d->outer : d->k,
                  rows_n = d->outer_inner ? d->k : d->outer;
    int64_t first = GUARD_BYTES, row = d->ld * size, used = inner * size, rows = rows_n;
    int64_t batch_bytes = d->batch_stride * size;
    int32_t batch = d->batch;
    uint32_t poison = POISON;
    void *params[] = {&base, &bytes,       &first, &row,    &used,
                      &rows, &batch_bytes, &batch, &poison, &b->result};
    launch(b, "probe_guard", BLOCKS, params);
    o->guard_wrong += verify_fetch(b).wrong;
}

void verify_guard(struct bench *b, const struct product *p, struct tmap_gemm_outcome *o)
{
    const tmap_cu_deviceptr second = p->problem.epilogue.second.address;
    guard_one(b, &p->d, p->d_base, p->d_bytes, o);
    if (p->epilogue.second.data)
        guard_one(b, &p->epilogue.second, second - GUARD_BYTES, p->second_bytes, o);
}

static void times(struct bench *b, const struct probe_matrix *x, int32_t over_outer,
                  tmap_cu_deviceptr in, tmap_cu_deviceptr out, uint64_t seed)
{
    struct probe_matrix m = *x;
    void *params[] = {&m, &over_outer, &in, &out, &seed};
    launch(b, "probe_times", (unsigned)(over_outer ? x->k : x->outer), params);
}

/* r is a random bit for every column n: y = B^T r over n, z = A y, and D r, all by probe_times. */
static void freivalds(struct bench *b, const struct tmap_gemm_case *what, const struct product *p,
                      struct tmap_gemm_outcome *o)
{
    const struct tmap_gemm_problem *q = &p->problem;
    tmap_cu_deviceptr y = verify_allocate(b, (int64_t)q->k * VECTORS * 8);
    tmap_cu_deviceptr z = verify_allocate(b, (int64_t)q->m * VECTORS * 8);
    tmap_cu_deviceptr w = verify_allocate(b, (int64_t)q->m * VECTORS * 8);
    times(b, &p->b, 1, 0, y, what->seed);
    times(b, &p->a, 0, y, z, what->seed);
    times(b, &p->d, 0, 0, w, what->seed);
    int64_t count = (int64_t)q->m * VECTORS;
    void *params[] = {&z, &w, &count, &b->result};
    launch(b, "probe_same", BLOCKS, params);
    const struct probe_result r = verify_fetch(b);
    o->checked += r.checked;
    o->wrong += r.wrong;
}

static void rerun(struct bench *b, const struct tmap_gemm_case *what, const struct product *p,
                  const struct tmap_gemm_plan *plan, struct tmap_gemm_outcome *o)
{
    if (what->reruns == 0 || what->in_place) return;
    tmap_cu_deviceptr first = verify_allocate(b, p->d_bytes), second = p->d_base;
    if (b->failed) return;
    b->failed |= b->api->memcpy_dtod_async(first, second, (size_t)p->d_bytes, NULL) != 0;
    int64_t words = p->d_bytes / 4;
    for (int i = 0; i < what->reruns && !b->failed; i++) {
        b->failed |= b->api->memset_d8_async(second, POISON, (size_t)p->d_bytes, NULL) != 0 ||
                     tmap_gemm_run(plan, NULL) != TMAP_OK;
        void *params[] = {&first, &second, &words, &b->result};
        launch(b, "probe_identical", BLOCKS, params);
    }
    o->rerun_wrong = verify_fetch(b).wrong;
}

static enum tmap_status check(struct bench *b, const struct tmap_gemm_case *what,
                              struct tmap_gemm_outcome *o)
{
    struct product p;
    memset(&p, 0, sizeof p);
    verify_prepare(b, what, &p);
    if (b->failed) return TMAP_E_DRIVER;
    struct tmap_gemm_plan plan;
    enum tmap_status status =
        tmap_gemm_make_plan(b->suite, &p.problem, &what->request, &plan, &o->refusal);
    if (status != TMAP_OK) return status;
    o->config = plan.config;
    status = tmap_gemm_run(&plan, NULL);
    if (status != TMAP_OK) return status;
    if (what->freivalds)
        freivalds(b, what, &p, o);
    else
        verify_compare(b, what, &p, o);
    verify_guard(b, &p, o);
    rerun(b, what, &p, &plan, o);
    return b->failed ? TMAP_E_DRIVER : TMAP_OK;
}

/* What the family does not multiply its probe need not know. */
enum tmap_status verify_refuse_kind(struct tmap_gemm *suite, const struct tmap_gemm_case *what,
                                    struct tmap_gemm_refusal *refusal)
{
    struct tmap_gemm_plan plan;
    if (gemm_has_kind(suite->family, what->problem.kind)) return TMAP_OK;
    return tmap_gemm_make_plan(suite, &what->problem, &what->request, &plan, refusal);
}

static enum tmap_status verify(struct tmap_gemm *suite, const struct tmap_gemm_case *what,
                               struct tmap_gemm_outcome *outcome)
{
    struct bench b = {.suite = suite, .api = &suite->gpu.api};
    struct tmap_gemm_outcome made;
    memset(&made, 0, sizeof made);
    enum tmap_status status = gemm_validate_case(what, &made.refusal);
    if (status == TMAP_OK) status = verify_refuse_kind(suite, what, &made.refusal);
    if (status == TMAP_OK) status = gemm_module(suite, "gemm/sm90/probe", &suite->probe);
    if (status != TMAP_OK) {
        *outcome = made;
        return status;
    }
    b.result = verify_allocate(&b, sizeof(struct probe_result));
    verify_fetch(&b);
    status = check(&b, what, &made);
    for (int i = 0; i < b.buffers; i++) b.api->mem_free(b.buffer[i]);
    *outcome = made;
    return status;
}

enum tmap_status tmap_gemm_verify(struct tmap_gemm *suite, const struct tmap_gemm_case *what,
                                  struct tmap_gemm_outcome *outcome)
{
    tmap_cu_context before;
    if (!suite || !what || !outcome) return TMAP_E_ARGUMENT;
    enum tmap_status status = tmap_gpu_enter(&suite->gpu, &before);
    if (status != TMAP_OK) return status;
    status = verify(suite, what, outcome);
    tmap_gpu_leave(&suite->gpu, before);
    return status;
}
