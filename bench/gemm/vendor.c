/* cublasLt as the opponent. A row-major D = A B^T is its column-major D^T = (B^T)^T A^T, so its
 * first operand is our B, transposed when k-major. */
#include "vendor.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<cublasLt.h>)
#define HAVE_CUBLASLT 1
#endif
#endif

#ifndef HAVE_CUBLASLT
struct vendor *vendor_open(const char **why)
{
    *why = "built without cublasLt.h";
    return NULL;
}
void vendor_close(struct vendor *v)
{
    (void)v;
}
int vendor_prepare(struct vendor *v, const struct tmap_gemm_problem *problem, uint64_t workspace,
                   uint64_t workspace_bytes)
{
    (void)v, (void)problem, (void)workspace, (void)workspace_bytes;
    return 0;
}
int vendor_run(struct vendor *v, const struct tmap_gemm_problem *problem, int algo, void *stream)
{
    (void)v, (void)problem, (void)algo, (void)stream;
    return 1;
}
void vendor_describe(struct vendor *v, int algo, char text[VENDOR_TEXT])
{
    (void)v, (void)algo;
    text[0] = 0;
}
void vendor_done(struct vendor *v)
{
    (void)v;
}
#else
#include <cublasLt.h>

#define CALLS(CALL)                                                                                \
    CALL(cublasLtCreate)                                                                           \
    CALL(cublasLtDestroy)                                                                          \
    CALL(cublasLtMatmul)                                                                           \
    CALL(cublasLtMatmulAlgoConfigGetAttribute)                                                     \
    CALL(cublasLtMatmulAlgoGetHeuristic)                                                           \
    CALL(cublasLtMatmulDescCreate)                                                                 \
    CALL(cublasLtMatmulDescDestroy)                                                                \
    CALL(cublasLtMatmulDescSetAttribute)                                                           \
    CALL(cublasLtMatmulPreferenceCreate)                                                           \
    CALL(cublasLtMatmulPreferenceDestroy)                                                          \
    CALL(cublasLtMatmulPreferenceSetAttribute)                                                     \
    CALL(cublasLtMatrixLayoutCreate)                                                               \
    CALL(cublasLtMatrixLayoutDestroy)

struct vendor {
    void *library;
#define CALL(name) __typeof__(name) *name;
    CALLS(CALL)
#undef CALL
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulHeuristicResult_t algos[VENDOR_MAX_ALGOS];
    int count;
    uint64_t workspace, workspace_bytes;
    bool integers;
};

struct vendor *vendor_open(const char **why)
{
    static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                                        "/usr/local/cuda/lib64/libcublasLt.so"};
    struct vendor *v = calloc(1, sizeof *v);
    if (!v) return NULL;
    for (size_t i = 0; i < 3 && !v->library; i++) v->library = dlopen(names[i], RTLD_NOW);
    *why = "libcublasLt is not there";
    bool whole = v->library != NULL;
#define CALL(name)                                                                                 \
    if (whole) *(void **)&v->name = dlsym(v->library, #name);                                      \
    whole = whole && v->name;
    CALLS(CALL)
#undef CALL
    if (whole && v->cublasLtCreate(&v->handle) == CUBLAS_STATUS_SUCCESS) return v;
    free(v);
    return NULL;
}

void vendor_close(struct vendor *v)
{
    if (!v) return;
    v->cublasLtDestroy(v->handle);
    free(v);
}

static cudaDataType_t type_of_kind(int32_t kind)
{
    static const cudaDataType_t types[] = {CUDA_R_16BF,    CUDA_R_16F,     CUDA_R_32F,
                                           CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_8I};
    return types[kind];
}

static cudaDataType_t type_of_out(int32_t out)
{
    static const cudaDataType_t types[] = {CUDA_R_16BF, CUDA_R_16F, CUDA_R_32F, CUDA_R_32I};
    return types[out];
}

/* Its rows are our columns: the bias is ours by column. Its GELU is the tanh one. */
static void describe_epilogue(struct vendor *v, const struct tmap_gemm_problem *p)
{
    const bool bias = p->epilogue.col_bias != 0;
    const void *at = (const void *)(uintptr_t)p->epilogue.col_bias;
    const cudaDataType_t type = type_of_out(p->epilogue.bias_type);
    const cublasLtEpilogue_t what =
        p->epilogue.activation == TMAP_GEMM_RELU
            ? bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU
        : p->epilogue.activation == TMAP_GEMM_GELU_TANH
            ? bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU
        : bias ? CUBLASLT_EPILOGUE_BIAS
               : CUBLASLT_EPILOGUE_DEFAULT;
    v->cublasLtMatmulDescSetAttribute(v->desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &what, sizeof what);
    if (!bias) return;
    v->cublasLtMatmulDescSetAttribute(v->desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &at, sizeof at);
    v->cublasLtMatmulDescSetAttribute(v->desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &type,
                                      sizeof type);
}

static void describe(struct vendor *v, const struct tmap_gemm_problem *p)
{
    const cudaDataType_t in = type_of_kind(p->kind), out = type_of_out(p->out);
    /* cublasLt multiplies no e5m2 by e5m2: its other operand's bytes are read as e4m3. */
    const cudaDataType_t other = p->kind == TMAP_GEMM_E5M2 ? CUDA_R_8F_E4M3 : in;
    const cublasComputeType_t compute = v->integers                 ? CUBLAS_COMPUTE_32I
                                        : p->kind == TMAP_GEMM_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                    : CUBLAS_COMPUTE_32F;
    const cublasOperation_t ta = p->b.mn_major ? CUBLAS_OP_N : CUBLAS_OP_T;
    const cublasOperation_t tb = p->a.mn_major ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int8_t fast = !p->precise;
    v->cublasLtMatmulDescCreate(&v->desc, compute, v->integers ? CUDA_R_32I : CUDA_R_32F);
    v->cublasLtMatmulDescSetAttribute(v->desc, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta);
    v->cublasLtMatmulDescSetAttribute(v->desc, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb);
    if (p->kind == TMAP_GEMM_E4M3 || p->kind == TMAP_GEMM_E5M2)
        v->cublasLtMatmulDescSetAttribute(v->desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast,
                                          sizeof fast);
    describe_epilogue(v, p);
    const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    if (p->b.mn_major)
        v->cublasLtMatrixLayoutCreate(&v->a, in, n, k, p->b.ld);
    else
        v->cublasLtMatrixLayoutCreate(&v->a, in, k, n, p->b.ld);
    if (p->a.mn_major)
        v->cublasLtMatrixLayoutCreate(&v->b, other, m, k, p->a.ld);
    else
        v->cublasLtMatrixLayoutCreate(&v->b, other, k, m, p->a.ld);
    v->cublasLtMatrixLayoutCreate(&v->d, out, n, m, p->d.ld);
}

int vendor_prepare(struct vendor *v, const struct tmap_gemm_problem *problem, uint64_t workspace,
                   uint64_t workspace_bytes)
{
    cublasLtMatmulPreference_t preference;
    v->workspace = workspace;
    v->workspace_bytes = workspace_bytes;
    v->integers = problem->out == TMAP_GEMM_OUT_S32;
    describe(v, problem);
    v->cublasLtMatmulPreferenceCreate(&preference);
    v->cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                            &workspace_bytes, sizeof workspace_bytes);
    v->count = 0;
    v->cublasLtMatmulAlgoGetHeuristic(v->handle, v->desc, v->a, v->b, v->d, v->d, preference,
                                      VENDOR_MAX_ALGOS, v->algos, &v->count);
    v->cublasLtMatmulPreferenceDestroy(preference);
    return v->count;
}

int vendor_run(struct vendor *v, const struct tmap_gemm_problem *p, int algo, void *stream)
{
    const float one = 1, zero = 0;
    const int32_t one_i = 1, zero_i = 0;
    void *d = (void *)(uintptr_t)p->d.address;
    return v->cublasLtMatmul(v->handle, v->desc, v->integers ? (const void *)&one_i : &one,
                             (void *)(uintptr_t)p->b.address, v->a, (void *)(uintptr_t)p->a.address,
                             v->b, v->integers ? (const void *)&zero_i : &zero, d, v->d, d, v->d,
                             &v->algos[algo].algo, (void *)(uintptr_t)v->workspace,
                             v->workspace_bytes, stream);
}

void vendor_done(struct vendor *v)
{
    v->cublasLtMatrixLayoutDestroy(v->a);
    v->cublasLtMatrixLayoutDestroy(v->b);
    v->cublasLtMatrixLayoutDestroy(v->d);
    v->cublasLtMatmulDescDestroy(v->desc);
}

/* The header's names of its numbers, drawn from it by build.mk. */
struct number {
    const char *of;
    uint32_t id;
    const char *name;
};
static const struct number numbers[] = {
#define NAMED(of, id, name) {#of, id, name},
#include "vendor_names.def"
#undef NAMED
};

static const char *name_of(const char *of, uint32_t id)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].id == id && !strcmp(numbers[i].of, of)) return numbers[i].name;
    return "?";
}

static uint32_t attribute(struct vendor *v, int algo, cublasLtMatmulAlgoConfigAttributes_t which,
                          size_t bytes)
{
    uint32_t value = 0;
    size_t written = 0;
    v->cublasLtMatmulAlgoConfigGetAttribute(&v->algos[algo].algo, which, &value, bytes, &written);
    return value;
}

void vendor_describe(struct vendor *v, int algo, char text[VENDOR_TEXT])
{
    snprintf(text, VENDOR_TEXT, "vendor %u, tile %s, stages %s, cluster %s, split %u",
             attribute(v, algo, CUBLASLT_ALGO_CONFIG_ID, 4),
             name_of("MATMUL_TILE", attribute(v, algo, CUBLASLT_ALGO_CONFIG_TILE_ID, 4)),
             name_of("MATMUL_STAGES", attribute(v, algo, CUBLASLT_ALGO_CONFIG_STAGES_ID, 4)),
             name_of("CLUSTER_SHAPE", attribute(v, algo, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2)),
             attribute(v, algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 4));
}
#endif
