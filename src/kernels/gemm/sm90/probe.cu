// The verifier's kernels. Plain loads, plain arithmetic in fp64: nothing here shares a line with
// what it checks.
#include "probe.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__device__ static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

// e2m1: a multiple of 1/2 below 2, else one of 1 and 1.5 times 2 or 4. Hopper has no such products,
// and its code here stays without them.
#define HAS_E2M1 (__CUDA_ARCH__ >= 1000)

__device__ static double from_e2m1(uint32_t bits)
{
    const uint32_t m = bits & 7;
    const double v = m < 4 ? m * 0.5 : (m & 1 ? 3 : 2) * (m < 6 ? 1 : 2);
    return bits & 8 ? -v : v;
}

// To nearest, of two as near the one with an even mantissa.
__device__ static uint32_t to_e2m1(float v)
{
    const float a = fabsf(v);
    const uint32_t m = (a > 0.25f) + (a >= 0.75f) + (a > 1.25f) + (a >= 1.75f) + (a > 2.5f) +
                       (a >= 3.5f) + (a > 5);
    return m | (v < 0) << 3;
}

__device__ static double read(const void *p, int32_t type, int64_t i)
{
    if (HAS_E2M1 && type == PROBE_E2M1) return from_e2m1(((const uint8_t *)p)[i / 2] >> i % 2 * 4);
    switch (type) {
    case PROBE_BF16:
        return __bfloat162float(((const __nv_bfloat16 *)p)[i]);
    case PROBE_F16:
        return __half2float(((const __half *)p)[i]);
    case PROBE_F32:
        return ((const float *)p)[i];
    case PROBE_E4M3:
        return (float)((const __nv_fp8_e4m3 *)p)[i];
    case PROBE_E5M2:
        return (float)((const __nv_fp8_e5m2 *)p)[i];
    case PROBE_S8:
        return ((const int8_t *)p)[i];
    default:
        return ((const int32_t *)p)[i];
    }
}

__device__ static void write(void *p, int32_t type, int64_t i, float v)
{
    switch (type) {
    case PROBE_BF16:
        ((__nv_bfloat16 *)p)[i] = __float2bfloat16_rn(v);
        break;
    case PROBE_F16:
        ((__half *)p)[i] = __float2half_rn(v);
        break;
    case PROBE_F32:
        ((uint32_t *)p)[i] = __float_as_uint(v) & ~0x1fffu;
        break;
    case PROBE_E4M3:
        ((__nv_fp8_e4m3 *)p)[i] = __nv_fp8_e4m3(v);
        break;
    case PROBE_E5M2:
        ((__nv_fp8_e5m2 *)p)[i] = __nv_fp8_e5m2(v);
        break;
    case PROBE_S8:
        ((int8_t *)p)[i] = (int8_t)v;
        break;
    default:
        ((int32_t *)p)[i] = (int32_t)v;
        break;
    }
}

__device__ static float normal(uint64_t h)
{
    const float u = ((uint32_t)h + 1.0f) * 2.3283062e-10f, v = (uint32_t)(h >> 32) * 2.3283064e-10f;
    return sqrtf(-2.0f * logf(fminf(u, 1.0f))) * cospif(2.0f * v);
}

__device__ static float value(int32_t fill, int32_t type, int32_t i, int32_t k, int32_t depth,
                              int32_t parameter, uint64_t h)
{
    int32_t block = 128 / (type == PROBE_F32 ? 4 : type <= PROBE_F16 ? 2 : 1);
    if (HAS_E2M1 && type == PROBE_E2M1) block = 256;
    switch (fill) {
    case PROBE_NORMAL:
        return type == PROBE_S8 ? (float)(int8_t)(h & 0xff) : normal(h);
    case PROBE_INTEGERS:
        return (float)(int32_t)(h % 9) - 4;
    case PROBE_SIGNS:
        return (float)(int32_t)(h % 3) - 1;
    case PROBE_IDENTITY:
        return i == k;
    case PROBE_PERMUTED:
        return k == (int32_t)(((int64_t)i * 5 + 3) % depth);
    case PROBE_ONE_HOT:
        return k == parameter;
    case PROBE_K_CONSTANT:
        return 1 + k / block % 4;
    default:
        return 0;
    }
}

// Every element of the matrix; what lies between its rows is left as the host set it.
extern "C" __global__ void probe_fill(probe_matrix x, int32_t fill, int32_t parameter,
                                      uint64_t seed)
{
    const int64_t per = (int64_t)x.outer * x.k, all = per * x.batch;
    for (int64_t e = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; e < all;
         e += (int64_t)gridDim.x * blockDim.x) {
        const int32_t batch = (int32_t)(e / per);
        const int64_t r = e - batch * per;
        const int32_t inner_extent = x.outer_inner ? x.outer : x.k;
        const int32_t row = (int32_t)(r / inner_extent), in = (int32_t)(r % inner_extent);
        const int32_t i = x.outer_inner ? in : row, k = x.outer_inner ? row : in;
        if (HAS_E2M1 && x.type == PROBE_E2M1) { // a thread writes its byte's two numbers
            if (in % 2) continue;
            uint32_t byte = 0;
            for (int32_t j = 0; j < 2; j++)
                byte |= to_e2m1(value(fill, x.type, i, k + j, x.k, parameter,
                                      mix(seed ^ mix(e + j + 1))))
                        << 4 * j;
            ((uint8_t *)x.data)[(batch * x.batch_stride + row * x.ld + in) / 2] = (uint8_t)byte;
            continue;
        }
        write(x.data, x.type, batch * x.batch_stride + row * x.ld + in,
              value(fill, x.type, i, k, x.k, parameter, mix(seed ^ mix(e + 1))));
    }
}

__device__ static int64_t index_of(const probe_matrix &x, int32_t i, int32_t k, int32_t batch)
{
    return batch * x.batch_stride + (x.outer_inner ? k * x.ld + i : i * x.ld + k);
}

__device__ static bool equal(double got, float want, int32_t type)
{
    switch (type) {
    case PROBE_BF16:
        return got == (double)__bfloat162float(__float2bfloat16_rn(want));
    case PROBE_F16:
        return got == (double)__half2float(__float2half_rn(want));
    default:
        return got == (double)want;
    }
}

// Half a unit in the last place of D's type, relative.
__device__ static double rounding(int32_t type)
{
    if (type == PROBE_E4M3 || type == PROBE_E5M2) return type == PROBE_E4M3 ? 0x1p-4 : 0x1p-3;
    return type == PROBE_BF16 ? 0x1p-8 : type == PROBE_F16 ? 0x1p-11 : 0x1p-24;
}

// And half the smallest step: fp16 has so few exponents that small results are subnormal.
__device__ static double smallest(int32_t type)
{
    if (type == PROBE_E4M3 || type == PROBE_E5M2) return type == PROBE_E4M3 ? 0x1p-10 : 0x1p-17;
    return type == PROBE_F16 ? 0x1p-25 : 1e-30;
}

// In place of what is larger than a type of 8 bits has.
__device__ static double held(int32_t type, double v)
{
    const double most = type == PROBE_E4M3 ? 448 : type == PROBE_E5M2 ? 57344 : 1e300;
    return fmax(fmin(v, most), -most);
}

__device__ static void record(probe_result *r, bool good, int64_t index, double want, double got,
                              double worst)
{
    atomicAdd(&r->checked, 1ull);
    if (worst > 0) atomicMax(&r->worst_bits, (unsigned long long)__double_as_longlong(worst));
    if (good) return;
    if (atomicAdd(&r->wrong, 1ull) == 0) {
        r->first = index + 1;
        r->expected = want;
        r->got = got;
    }
}

__device__ static double at_or(const void *vector, int32_t type, int64_t i, double otherwise)
{
    return vector ? read(vector, type, i) : otherwise;
}

// By the definitions, in fp64 (enum tmap_gemm_activation).
__device__ static double activated(int32_t activation, double x)
{
    switch (activation) {
    case 1:
        return x > 0 ? x : 0;
    case 2:
        return 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
    case 3:
        return 0.5 * x * (1 + erf(x * 0.70710678118654752));
    case 4:
        return x / (1 + exp(-x));
    default:
        return x;
    }
}

// What the hardware's tanh may make of an activation whose D has 16 bits, and the polynomial in
// erf's place (compose.cuh).
__device__ static double approximation(int32_t activation, int32_t type, double x)
{
    if (activation < 2 || type == PROBE_F32) return 0;
    return 0x1p-12 * fabs(x) + (activation == 3 ? 2.6e-5 : 0);
}

// What an activation is given, and how far off it may be.
struct given {
    double x, off;
};

// n: of the product's columns. sum and size: of A B and of its terms' magnitudes; c: C's element.
__device__ static given before(const probe_check &q, int32_t m, int32_t n, double sum, double size,
                               double c)
{
    const probe_epilogue &f = q.epilogue;
    const double alpha = q.alpha * at_or(f.alpha, PROBE_F32, 0, 1) *
                         at_or(f.row_scale, PROBE_F32, m, 1) * at_or(f.col_scale, PROBE_F32, n, 1);
    const double added = q.beta * at_or(f.beta, PROBE_F32, 0, 1) * c;
    const double row = at_or(f.row_bias, f.bias_type, m, 0);
    const double col = at_or(f.col_bias, f.bias_type, n, 0);
    const double x = alpha * sum + added + row + col;
    // Of fp32's roundings and approximations on the way, by the largest number on it.
    const double way =
        fabs(alpha) * (q.exact ? fabs(sum) : size) + fabs(added) + fabs(row) + fabs(col) + 1;
    return {x, 1.2 * (q.exact ? 0 : q.relative * fabs(alpha) * size) + 0x1p-20 * way};
}

// D's element against y, which may be off by so much before D's scale.
__device__ static void check_d(const probe_check &q, int64_t e, int32_t m, int32_t n, int32_t batch,
                               double y, double off, probe_result *result)
{
    const double scale = at_or(q.epilogue.d_scale, PROBE_F32, 0, 1),
                 want = held(q.d.type, scale * y);
    const double allowed =
        fabs(scale) * off + rounding(q.d.type) * fabs(scale * y) + smallest(q.d.type);
    const double got = read(q.d.data, q.d.type, index_of(q.d, m, n, batch));
    const double error = fabs(got - want) / allowed;
    record(result, error <= 1.0, e, want, got, error);
    atomicMax(&result->most_bits, (unsigned long long)__double_as_longlong(fabs(y)));
}

// Both outputs.
__device__ static void check_finished(const probe_check &q, int64_t e, int32_t m, int32_t n,
                                      int32_t batch, double sum, double size, double c,
                                      probe_result *result)
{
    const probe_epilogue &f = q.epilogue;
    const given g = before(q, m, n, sum, size, c);
    check_d(q, e, m, n, batch, activated(f.activation, g.x),
            g.off + approximation(f.activation, q.d.type, g.x), result);
    if (!f.second.data) return;
    const double kept = read(f.second.data, q.d.type, index_of(f.second, m, n, batch));
    const double room = g.off + rounding(q.d.type) * fabs(g.x) + smallest(q.d.type);
    record(result, fabs(kept - g.x) <= room, e, g.x, kept, fabs(kept - g.x) / room);
}

// The pixel of A that the tap brings to row m of D, or -1. By the definition: y's pixel p has x's
// pixel p stride + tap dilation - pad.
__device__ static int64_t pixel_of(const probe_conv &v, int32_t m, int32_t tap)
{
    int64_t at[3], rest = m;
    for (int i = 0; i < 3; i++) {
        const int32_t extent = v.data ? v.size[i] : v.out[i];
        const int64_t reach = (int64_t)(tap % v.filter[i]) * v.dilation[i] - v.pad[i];
        const int64_t here = rest % extent;
        at[i] = v.data ? here - reach : here * v.stride[i] + reach;
        if (at[i] < 0 || (v.data && at[i] % v.stride[i] != 0)) return -1;
        if (v.data) at[i] /= v.stride[i];
        if (at[i] >= (v.data ? v.out[i] : v.size[i])) return -1;
        rest /= extent;
        tap /= v.filter[i];
    }
    const int32_t *of = v.data ? v.out : v.size;
    return ((rest * of[2] + at[2]) * of[1] + at[1]) * of[0] + at[0];
}

// Of an element of D the sum, and its terms' magnitudes'.
__device__ static void sum_conv(const probe_check &q, int32_t m, int32_t n, double &sum,
                                double &size)
{
    const probe_conv &v = q.conv;
    for (int32_t tap = 0; tap < v.taps; tap++) {
        const int64_t pixel = pixel_of(v, m, tap);
        if (pixel < 0) continue;
        for (int32_t k = 0; k < q.a.k; k++) {
            const int32_t filter = v.data ? k : n, channel = v.data ? n : k;
            const int64_t weight = filter * q.b.ld + (int64_t)tap * v.channels + channel;
            const double x =
                read(q.a.data, q.a.type, pixel * q.a.ld + k) * read(q.b.data, q.b.type, weight);
            sum += x;
            size += fabs(x);
        }
    }
}

__device__ static void sum_product(const probe_check &q, int32_t m, int32_t n, int32_t batch,
                                   double &sum, double &size)
{
    for (int32_t k = 0; k < q.a.k; k++) {
        double x = read(q.a.data, q.a.type, index_of(q.a, m, k, batch)) *
                   read(q.b.data, q.b.type, index_of(q.b, n, k, batch));
        if (q.blocks.a)
            x *= (double)q.blocks.a[k / 128 * q.blocks.lda + m] *
                 q.blocks.b[n / 128 * q.blocks.ldb + k / 128];
        sum += x;
        size += fabs(x);
    }
}

// Where a gate makes an element of D of two columns of the product.
__device__ static void check_gated(const probe_check &q, int64_t e, int32_t m, int32_t n,
                                   int32_t batch, probe_result *result)
{
    const probe_epilogue &f = q.epilogue;
    given g[2];
    for (int32_t half = 0; half < 2; half++) {
        const int32_t column = f.gate == 2 ? 2 * n + half : n + half * q.d.k;
        double sum = 0, size = 0;
        sum_product(q, m, column, batch, sum, size);
        g[half] = before(q, m, column, sum, size, 0);
    }
    const double y = activated(f.activation, g[0].x);
    // An activation's slope is at most 1.13 (GELU's).
    const double off = 1.2 * g[0].off + approximation(f.activation, q.d.type, g[0].x);
    check_d(q, e, m, n, batch, y * g[1].x,
            off * (fabs(g[1].x) + g[1].off) + fabs(y) * g[1].off + 0x1p-22 * fabs(y * g[1].x),
            result);
}

// What C adds to an element of D.
__device__ static double of_c(const probe_check &q, int32_t m, int32_t n, int32_t batch)
{
    return q.beta != 0 ? q.beta * read(q.c.data, q.c.type, index_of(q.c, m, n, batch)) : 0;
}

// One thread an element: the sum in fp64, then D's element against it. NaN and infinity fail.
extern "C" __global__ void probe_compare(probe_check q, probe_result *result)
{
    const int64_t per = (int64_t)q.d.outer * q.d.k, all = per * q.d.batch;
    const int64_t count = q.samples ? q.samples : all;
    for (int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; t < count;
         t += (int64_t)gridDim.x * blockDim.x) {
        const int64_t e = q.samples ? (int64_t)(mix(t + ((uint64_t)q.seed << 32)) % all) : t;
        const int32_t batch = (int32_t)(e / per);
        const int32_t m = (int32_t)((e - batch * per) / q.d.k),
                      n = (int32_t)((e - batch * per) % q.d.k);
        double sum = 0, size = 0;
        if (q.epilogue.gate) {
            check_gated(q, e, m, n, batch, result);
            continue;
        }
        if (q.conv.taps)
            sum_conv(q, m, n, sum, size);
        else
            sum_product(q, m, n, batch, sum, size);
        if (q.epilogue.wanted) {
            const double c = q.beta != 0 ? read(q.c.data, q.c.type, index_of(q.c, m, n, batch)) : 0;
            check_finished(q, e, m, n, batch, sum, size, c, result);
            continue;
        }
        const double got = read(q.d.data, q.d.type, index_of(q.d, m, n, batch));
        const double added = of_c(q, m, n, batch), want = q.alpha * sum + added;
        if (q.exact) {
            record(result, equal(got, (float)want, q.d.type), e, want, got, 0);
        } else {
            const double allowed = q.relative * fabs((double)q.alpha) * size +
                                   rounding(q.d.type) * (fabs(want) + fabs(added)) +
                                   smallest(q.d.type);
            const double error = fabs(got - want) / allowed;
            record(result, error <= 1.0, e, want, got, error); // NaN <= 1 is false
        }
    }
}

enum { TILE = 64, DEPTH = 32, EACH = 4 };

// The rows from `first` on of an operand, K from k on, as floats; zeros beyond its end.
__device__ static void read_tile(const probe_matrix &x, int32_t first, int32_t k, int32_t batch,
                                 float (*tile)[TILE + 1])
{
    for (int32_t t = threadIdx.x; t < TILE * DEPTH; t += blockDim.x) {
        const int32_t i = x.outer_inner ? t % TILE : t / DEPTH;
        const int32_t j = x.outer_inner ? t / TILE : t % DEPTH;
        const bool inside = first + i < x.outer && k + j < x.k;
        tile[j][i] = inside ? (float)read(x.data, x.type, index_of(x, first + i, k + j, batch)) : 0;
    }
}

// A tile of D against its sums.
__device__ static void check_tile(const probe_check &q, int32_t m, int32_t n, int32_t batch,
                                  const float (*sum)[TILE + 1], probe_result *result)
{
    uint32_t good = 0;
    for (int32_t t = threadIdx.x; t < TILE * TILE; t += blockDim.x) {
        const int32_t row = m + t / TILE, col = n + t % TILE;
        if (row >= q.d.outer || col >= q.d.k) continue;
        const double want = (double)q.alpha * sum[t / TILE][t % TILE] + of_c(q, row, col, batch);
        const double got = read(q.d.data, q.d.type, index_of(q.d, row, col, batch));
        const bool same = equal(got, (float)want, q.d.type);
        good += same;
        if (!same)
            record(result, false, ((int64_t)batch * q.d.outer + row) * q.d.k + col, want, got, 0);
    }
    good = __reduce_add_sync(0xffffffff, good);
    if (threadIdx.x % 32 == 0) atomicAdd(&result->checked, (unsigned long long)good);
}

// A tile of the product, by 16 x 16 threads of 4 x 4 elements each.
__device__ static void sum_tile(const probe_check &q, int32_t m, int32_t n, int32_t batch,
                                float (*sum)[TILE + 1])
{
    __shared__ float a[DEPTH][TILE + 1], b[DEPTH][TILE + 1];
    const int32_t x = threadIdx.x % 16, y = threadIdx.x / 16;
    float mine[EACH][EACH] = {};
    for (int32_t k = 0; k < q.a.k; k += DEPTH) {
        read_tile(q.a, m, k, batch, a);
        read_tile(q.b, n, k, batch, b);
        __syncthreads();
        for (int32_t j = 0; j < DEPTH; j++)
#pragma unroll
            for (int32_t i = 0; i < EACH * EACH; i++)
                mine[i / EACH][i % EACH] += a[j][y + i / EACH * 16] * b[j][x + i % EACH * 16];
        __syncthreads();
    }
#pragma unroll
    for (int32_t i = 0; i < EACH * EACH; i++)
        sum[y + i / EACH * 16][x + i % EACH * 16] = mine[i / EACH][i % EACH];
    __syncthreads();
}

// Every element, as probe_compare, of operands whose sums fp32 has exactly in any order.
extern "C" __global__ __launch_bounds__(256) void probe_compare_exact(probe_check q,
                                                                      probe_result *result)
{
    __shared__ float sum[TILE][TILE + 1];
    const int64_t down = (q.d.outer + TILE - 1) / TILE, across = (q.d.k + TILE - 1) / TILE;
    for (int64_t t = blockIdx.x; t < down * across * q.d.batch; t += gridDim.x) {
        const int32_t batch = (int32_t)(t / (down * across));
        const int32_t m = (int32_t)(t / across % down) * TILE, n = (int32_t)(t % across) * TILE;
        sum_tile(q, m, n, batch, sum);
        check_tile(q, m, n, batch, sum, result);
        __syncthreads(); // before the next tile's sums
    }
}

// Freivalds: out[j][r] = sum over k of x[j][k] * in[k][r], in exact integers; 32 vectors at once.
extern "C" __global__ void probe_times(probe_matrix x, int32_t over_outer, const long long *in,
                                       long long *out, uint64_t seed)
{
    // over_outer: sums over the outer index, so out is indexed by k.
    const int32_t rows = over_outer ? x.k : x.outer, depth = over_outer ? x.outer : x.k;
    const int32_t row = blockIdx.x;
    __shared__ long long part[8][32];
    const int32_t r = threadIdx.x % 32, y = threadIdx.x / 32;
    long long sum = 0;
    for (int32_t j = y; j < depth; j += 8) {
        const int64_t at = over_outer ? index_of(x, j, row, 0) : index_of(x, row, j, 0);
        const long long v = (long long)read(x.data, x.type, at);
        // Without an input the vectors are random bits.
        sum +=
            v * (in ? in[(int64_t)j * 32 + r] : (long long)(mix(seed ^ mix(j * 32 + r + 1)) & 1));
    }
    part[y][r] = sum;
    __syncthreads();
    if (y == 0 && row < rows) {
        for (int i = 1; i < 8; i++) sum += part[i][r];
        out[(int64_t)row * 32 + r] = sum;
    }
}

extern "C" __global__ void probe_same(const long long *x, const long long *y, int64_t count,
                                      probe_result *result)
{
    for (int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; t < count;
         t += (int64_t)gridDim.x * blockDim.x)
        record(result, x[t] == y[t], t, (double)x[t], (double)y[t], 0);
}

// Bytes that must still hold `poison`: everything of the allocation that is not an element of D.
extern "C" __global__ void probe_guard(const uint8_t *base, int64_t bytes, int64_t first,
                                       int64_t row_bytes, int64_t used_bytes, int64_t rows,
                                       int64_t batch_bytes, int32_t batch, uint32_t poison,
                                       probe_result *result)
{
    for (int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; t < bytes;
         t += (int64_t)gridDim.x * blockDim.x) {
        const int64_t in = t - first;
        bool element = false;
        if (in >= 0) {
            const int64_t b = batch > 1 ? in / batch_bytes : 0, rest = in - b * batch_bytes;
            element = b < batch && rest / row_bytes < rows && rest % row_bytes < used_bytes;
        }
        if (!element) record(result, base[t] == poison, t, poison, base[t], 0);
    }
}

// Two results, byte by byte.
extern "C" __global__ void probe_identical(const uint32_t *x, const uint32_t *y, int64_t words,
                                           probe_result *result)
{
    unsigned long long wrong = 0;
    for (int64_t t = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; t < words;
         t += (int64_t)gridDim.x * blockDim.x)
        wrong += x[t] != y[t];
    if (wrong) atomicAdd(&result->wrong, wrong);
    if (threadIdx.x == 0 && blockIdx.x == 0) atomicAdd(&result->checked, (unsigned long long)words);
}
