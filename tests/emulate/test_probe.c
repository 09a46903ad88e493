/* The verifier's comparisons (sm90/probe.cu) on the emulator: both count every element and find a
 * wrong one wherever it is; so each may stand for the other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "kernels/gemm/sm90/probe.h"
#include "support/emulated_suites.h"

enum { M = 70, N = 131, K = 37, BATCH = 2, BLOCKS = 3, THREADS = 256 };

struct memory {
    float a[BATCH][M][K], b[BATCH][K][N], c[BATCH][M][N], d[BATCH][M][N];
    struct probe_result result;
};
static struct tmap_libcuda api;

static struct probe_matrix matrix(void *data, int32_t outer, int32_t k, int32_t outer_inner)
{
    return (struct probe_matrix){.data = data,
                                 .type = PROBE_F32,
                                 .outer = outer,
                                 .k = k,
                                 .batch = BATCH,
                                 .outer_inner = outer_inner,
                                 .ld = outer_inner ? outer : k,
                                 .batch_stride = (int64_t)outer * k};
}

static void fill(struct memory *x, float beta)
{
    for (int n = 0; n < BATCH * M * K; n++) (&x->a[0][0][0])[n] = (float)(n * 7 % 9 - 4);
    for (int n = 0; n < BATCH * K * N; n++) (&x->b[0][0][0])[n] = (float)(n * 11 % 9 - 4);
    for (int n = 0; n < BATCH * M * N; n++) (&x->c[0][0][0])[n] = (float)(n % 5);
    for (int e = 0; e < BATCH * M * N; e++) {
        const int batch = e / (M * N), i = e / N % M, j = e % N;
        float sum = 0;
        for (int k = 0; k < K; k++) sum += x->a[batch][i][k] * x->b[batch][k][j];
        x->d[batch][i][j] = 2 * sum + beta * x->c[batch][i][j];
    }
}

static struct probe_result compare(struct memory *x, const char *name, float beta)
{
    struct probe_check check = {.a = matrix(x->a, M, K, 0),
                                .b = matrix(x->b, N, K, 1),
                                .c = matrix(x->c, M, N, 0),
                                .d = matrix(x->d, M, N, 0),
                                .alpha = 2,
                                .beta = beta,
                                .exact = 1};
    tmap_cu_deviceptr at = (uint64_t)(uintptr_t)&x->result;
    void *params[] = {&check, &at};
    const struct tmap_cu_launch how = {
        .grid_x = BLOCKS, .grid_y = 1, .grid_z = 1, .block_x = THREADS, .block_y = 1, .block_z = 1};
    memset(&x->result, 0, sizeof x->result);
    assert_int_equal(api.launch_kernel_ex(&how, emulated_function(name), params, NULL), 0);
    assert_int_equal(emulated_state()->findings, 0);
    return x->result;
}

static void a_wrong_element_is_found(void **state)
{
    static const char *const names[] = {"probe_compare", "probe_compare_exact"};
    static const int at[][3] = {{0, 0, 0}, {0, M - 1, N - 1}, {1, 63, 64}, {1, 64, 127}};
    tmap_cu_deviceptr memory;
    (void)state;
    emulated_open(&api);
    if (!emulated_ptx("src/kernels/gemm/sm90/probe")) {
        print_message("# no PTX of the verifier's kernels (nvcc)\n");
        emulated_close();
        skip();
    }
    assert_int_equal(api.mem_alloc(&memory, sizeof(struct memory)), 0);
    struct memory *x = (struct memory *)(uintptr_t)memory;
    for (int way = 0; way < 4; way++) {
        const float beta = way % 2 ? 3 : 0;
        fill(x, beta);
        assert_int_equal(compare(x, names[way / 2], beta).wrong, 0);
        for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
            float *element = &x->d[at[i][0]][at[i][1]][at[i][2]];
            *element += 1;
            const struct probe_result r = compare(x, names[way / 2], beta);
            assert_int_equal(r.checked, BATCH * M * N);
            assert_int_equal(r.wrong, 1);
            assert_int_equal(r.first, 1 + (element - &x->d[0][0][0]));
            assert_true(r.got == (double)*element && r.expected == (double)(*element - 1));
            *element -= 1;
        }
    }
    api.mem_free(memory);
    emulated_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_wrong_element_is_found)};
    return cmocka_run_group_tests_name("the verifier's comparisons", tests, NULL, NULL);
}
