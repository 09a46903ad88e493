/* 19_conv : a 3 x 3 convolution with bias and ReLU in one launch; and one that no map can be for.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <tmap/conv.h>

enum { H = 12, W = 20, C = 16, K = 40, FILTERS = K * 3 * 3 * C };
static uint16_t x[H * W * C], filters[FILTERS], code[] = {0xbf80, 0, 0x3f80}; /* -1, 0, 1 in bf16 */
static float bias[K], y[H * W * K];
/* By the definition, with a border of zeros. */
static float expected(int row, int col, int k)
{
    int sum = k % 4 - 2;
    for (int t = 0; t < 9 * C; t++) {
        const int h = row + t / C / 3 - 1, w = col + t / C % 3 - 1, c = t % C;
        if (h >= 0 && h < H && w >= 0 && w < W)
            sum += (((h * W + w) * C + c) * 7 % 3 - 1) * ((k * 9 * C + t) * 5 % 3 - 1);
    }
    return sum > 0 ? (float)sum : 0;
}

int main(void)
{
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal refusal;
    struct tmap_conv_problem conv = {.kind = TMAP_GEMM_BF16, .out = TMAP_GEMM_OUT_F32, .alpha = 1};
    conv.operation = TMAP_CONV_FORWARD, conv.epilogue.activation = TMAP_GEMM_RELU;
    conv.epilogue.bias_type = TMAP_GEMM_OUT_F32, conv.shape.size[0] = W, conv.shape.size[1] = H;
    conv.shape.images = 1, conv.shape.channels = C, conv.shape.filters = K, conv.shape.size[2] = 1;
    for (int i = 0; i < 3; i++) { /* along W, H and, with one tap, a third axis */
        conv.shape.stride[i] = conv.shape.dilation[i] = 1, conv.shape.filter[i] = i < 2 ? 3 : 1;
        conv.shape.pad_low[i] = conv.shape.pad_high[i] = i < 2;
    }
    if (tmap_gemm_open(NULL, &suite, NULL, 0) != TMAP_OK)
        return !printf("there is no GPU for it here\n");
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2"), *(void **)&copy = dlsym(cuda, "cuMemcpy");
    for (int i = 0; i < H * W * C; i++) x[i] = code[i * 7 % 3];
    for (int i = 0; i < FILTERS; i++) filters[i] = code[i * 5 % 3];
    for (int i = 0; i < K; i++) bias[i] = (float)(i % 4 - 2);
    allocate(&conv.x, sizeof x), allocate(&conv.filters, sizeof filters);
    allocate(&conv.y, sizeof y), allocate(&conv.epilogue.col_bias, sizeof bias);
    copy(conv.x, (uint64_t)(uintptr_t)x, sizeof x);
    copy(conv.filters, (uint64_t)(uintptr_t)filters, sizeof filters);
    copy(conv.epilogue.col_bias, (uint64_t)(uintptr_t)bias, sizeof bias);
    if (tmap_conv_make_plan(suite, &conv, NULL, &plan, &refusal) || tmap_gemm_run(&plan, NULL))
        return 1;
    copy((uint64_t)(uintptr_t)y, conv.y, sizeof y); /* waits */
    int wrong = 0;
    for (int i = 0; i < H * W * K; i++) wrong += y[i] != expected(i / K / W, i / K % W, i % K);
    printf("%d of %d outputs wrong\n", wrong, H * W * K);
    conv.shape.channels = 3;
    const enum tmap_status status = tmap_conv_make_plan(suite, &conv, NULL, &plan, &refusal);
    printf("three channels: %s\n", status == TMAP_OK ? "" : refusal.text);
    tmap_gemm_close(suite);
    return wrong != 0 || status == TMAP_OK;
}
