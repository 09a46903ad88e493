/* 18_conv : a 3 x 3 convolution of an image in NHWC with bias and ReLU, in one launch; and what is
 * said of one that no tensor map can be for.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <tmap/conv.h>

enum { H = 12, W = 20, C = 16, K = 40 };

static uint16_t x[H * W * C], filters[K * 3 * 3 * C];
static float bias[K], y[H * W * K];

static uint16_t bf16(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, 4);
    return (uint16_t)(bits >> 16); /* of numbers that bf16 holds */
}

static float real(uint16_t number)
{
    const uint32_t bits = (uint32_t)number << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/* By the definition, with a border of zeros. */
static float expected(int row, int col, int k)
{
    float sum = bias[k];
    for (int t = 0; t < 9 * C; t++) {
        const int h = row + t / C / 3 - 1, w = col + t / C % 3 - 1, c = t % C;
        if (h >= 0 && h < H && w >= 0 && w < W)
            sum += real(x[(h * W + w) * C + c]) * real(filters[k * 9 * C + t]);
    }
    return sum > 0 ? sum : 0;
}

int main(void)
{
    struct tmap_gemm *suite = NULL;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal refusal;
    struct tmap_conv_problem conv = {
        .operation = TMAP_CONV_FORWARD,
        .kind = TMAP_GEMM_BF16,
        .out = TMAP_GEMM_OUT_F32,
        .shape = {.images = 1,
                  .channels = C,
                  .filters = K,
                  .size = {W, H, 1},
                  .filter = {3, 3, 1},
                  .stride = {1, 1, 1},
                  .dilation = {1, 1, 1},
                  .pad_low = {1, 1, 0},
                  .pad_high = {1, 1, 0}},
        .alpha = 1,
        .epilogue = {.activation = TMAP_GEMM_RELU, .bias_type = TMAP_GEMM_OUT_F32}};
    if (tmap_gemm_open(NULL, &suite, NULL, 0) != TMAP_OK) {
        printf("there is no GPU for it here\n");
        return 0;
    }
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2");
    *(void **)&copy = dlsym(cuda, "cuMemcpy");
    for (int i = 0; i < H * W * C; i++) x[i] = bf16((float)(i % 7) / 4 - 1);
    for (int i = 0; i < K * 9 * C; i++) filters[i] = bf16((float)(i % 5) / 8 - 0.25f);
    for (int i = 0; i < K; i++) bias[i] = (float)(i % 4) - 2;
    allocate(&conv.x, sizeof x), allocate(&conv.filters, sizeof filters);
    allocate(&conv.y, sizeof y), allocate(&conv.epilogue.col_bias, sizeof bias);
    copy(conv.x, (uint64_t)(uintptr_t)x, sizeof x);
    copy(conv.filters, (uint64_t)(uintptr_t)filters, sizeof filters);
    copy(conv.epilogue.col_bias, (uint64_t)(uintptr_t)bias, sizeof bias);
    if (tmap_conv_make_plan(suite, &conv, NULL, &plan, &refusal) != TMAP_OK ||
        tmap_gemm_run(&plan, NULL) != TMAP_OK)
        return 1;
    copy((uint64_t)(uintptr_t)y, conv.y, sizeof y); /* waits */
    int wrong = 0;
    for (int i = 0; i < H * W * K; i++) wrong += y[i] != expected(i / K / W, i / K % W, i % K);
    printf("%d of %d outputs wrong\n", wrong, H * W * K);
    conv.shape.channels = 3;
    if (tmap_conv_make_plan(suite, &conv, NULL, &plan, &refusal) == TMAP_OK) return 1;
    printf("three channels: %s\n", refusal.text);
    tmap_gemm_close(suite);
    return wrong != 0;
}
