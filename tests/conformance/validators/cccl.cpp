// cccl.cpp : CCCL's cuda::make_tma_descriptor over the suite. Reads a case a line in numbers (cccl.py),
// answers 1 legal, 0 illegal, s for what DLPack has no words for. The driver and the runtime are stand-ins.
#include <cuda/tma>

#include <cstdio>
#include <cstdlib>
#include <exception>

// The runtime's part: every function that the headers ask for.
#define STUB extern "C" __attribute__((visibility("default")))
static int capability()
{
    const char *arch = std::getenv("ARCH");
    return arch ? std::atoi(arch) : 90;
}
STUB cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr what, int)
{
    *v = what == cudaDevAttrComputeCapabilityMajor   ? capability() / 10
         : what == cudaDevAttrComputeCapabilityMinor ? capability() % 10
                                                     : 232448;
    return cudaSuccess;
}
STUB cudaError_t cudaGetDeviceCount(int *n)
{
    *n = 1;
    return cudaSuccess;
}
STUB cudaError_t cudaGetLastError() { return cudaSuccess; }
STUB const char *cudaGetErrorString(cudaError_t) { return "stand-in"; }
STUB const char *cudaGetErrorName(cudaError_t) { return "stand-in"; }
static CUresult accept_all() { return CUDA_SUCCESS; }
STUB cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **at, unsigned, unsigned long long,
                                                  cudaDriverEntryPointQueryResult *found)
{
    *at = reinterpret_cast<void *>(accept_all);
    if (found) *found = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

struct Case {
    long long dtype, rank, address, dim[5], stride[4], box[5], elem_stride[5], interleave, swizzle, l2, oob;
};
static bool read(Case &c)
{
    auto number = [](long long &n) { return std::scanf("%lld", &n) == 1; };
    if (!number(c.dtype) || !number(c.rank) || !number(c.address)) return false;
    for (int i = 0; i < 5; i++) number(c.dim[i]);
    for (int i = 0; i < 4; i++) number(c.stride[i]);
    for (int i = 0; i < 5; i++) number(c.box[i]);
    for (int i = 0; i < 5; i++) number(c.elem_stride[i]);
    return number(c.interleave) && number(c.swizzle) && number(c.l2) && number(c.oob);
}

// CUtensorMapDataType -> DLPack; tf32 and the ftz types have no words there, nor the padded packed ones.
static bool type_of(long long t, DLDataType &out, int &bytes)
{
    static const struct { int code, bits, lanes; } types[] = {
        {kDLUInt, 8, 1}, {kDLUInt, 16, 1}, {kDLUInt, 32, 1}, {kDLInt, 32, 1}, {kDLUInt, 64, 1}, {kDLInt, 64, 1},
        {kDLFloat, 16, 1}, {kDLFloat, 32, 1}, {kDLFloat, 64, 1}, {kDLBfloat, 16, 1}};
    if (t < 0 || t > 9) return false;
    out = {static_cast<uint8_t>(types[t].code), static_cast<uint8_t>(types[t].bits), 1};
    bytes = types[t].bits / 8;
    return true;
}

static char judge(const Case &c)
{
    DLTensor t{};
    int64_t shape[5], strides[5];
    int box[5], elem[5], bytes;
    const int n = static_cast<int>(c.rank);
    if (!type_of(c.dtype, t.dtype, bytes) || c.interleave < 0 || c.interleave > 2 || c.swizzle < 0 || c.swizzle > 6 ||
        c.l2 < 0 || c.l2 > 3 || c.oob < 0 || c.oob > 1)
        return 's';
    for (int i = 0; i < n; i++) {
        shape[i] = c.dim[n - 1 - i];
        box[i] = static_cast<int>(c.box[n - 1 - i]);
        elem[i] = static_cast<int>(c.elem_stride[n - 1 - i]);
        strides[i] = i == n - 1 ? 1 : c.stride[n - 2 - i] / bytes;
        if (i < n - 1 && c.stride[n - 2 - i] % bytes) return 's';
        if (c.box[n - 1 - i] != box[i] || c.elem_stride[n - 1 - i] != elem[i]) return 's';
    }
    t.data = reinterpret_cast<void *>(c.address);
    t.device = {kDLCUDA, 0};
    t.ndim = n;
    t.shape = shape;
    t.strides = strides;
    try {
        (void)cuda::make_tma_descriptor(t, cuda::std::span<const int>(box, n), cuda::std::span<const int>(elem, n),
                                        static_cast<cuda::tma_interleave_layout>(c.interleave),
                                        static_cast<cuda::tma_swizzle>(c.swizzle),
                                        static_cast<cuda::tma_l2_fetch_size>(c.l2), static_cast<cuda::tma_oob_fill>(c.oob));
        return '1';
    } catch (const std::exception &e) {
        if (std::getenv("WHY")) std::fprintf(stderr, "%s\n", e.what());
        return '0';
    }
}

int main()
{
    for (Case c{}; read(c);) std::printf("%c\n", judge(c));
    return 0;
}
