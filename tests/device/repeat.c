// Repeated runs, bitwise equal: the output is poisoned before each and compared with the plain
// reference's after it; alone, and beside a kernel on another stream that keeps memory busy.
#include "device/repeat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/copy/fixture.h"

#define HOG_BYTES (1ull << 30) // moved by one launch of it
#define HOG_THREADS 512u

struct hog {
    tmap_cu_stream stream;
    tmap_cu_deviceptr memory;
    tmap_cu_function kernel;
    uint64_t launches;
};

static bool hog_open(struct hog *h, struct tmap_copy *suite)
{
    const struct tmap_libcuda *cu = &suite->gpu.api;
    h->kernel = copy_function(suite, "reference_dense");
    return h->kernel && cu->stream_create(&h->stream, TMAP_CU_STREAM_NON_BLOCKING) == 0 &&
           cu->mem_alloc(&h->memory, HOG_BYTES) == 0;
}

static enum tmap_status hog_launch(struct hog *h, struct tmap_copy *suite)
{
    struct reference_params p = {.src = (const uint8_t *)(uintptr_t)h->memory,
                                 .dst = (uint8_t *)(uintptr_t)(h->memory + HOG_BYTES / 2),
                                 .rows = 1,
                                 .row_bytes = HOG_BYTES / 2};
    h->launches++;
    return copy_launch(suite, h->kernel, (uint32_t)suite->gpu.sm_count, HOG_THREADS, 1, 0, &p,
                       h->stream);
}

// How many of the runs left other bytes than the reference.
static enum tmap_status repeat(struct tmap_copy *suite, size_t i, uint32_t runs, uint64_t bytes,
                               struct hog *h, uint32_t *different)
{
    struct fixture b;
    struct tmap_copy_plan plan;
    struct tmap_copy_config c;
    memset(&c, 0, sizeof c);
    memset(&plan, 0, sizeof plan);
    enum tmap_status s = fixture_open(&b, suite, i, bytes, &c);
    if (s == TMAP_OK) s = tmap_copy_make_plan(suite, &b.problem, &c, &plan, NULL);
    for (uint32_t k = 0; k < runs && s == TMAP_OK; k++) {
        uint64_t wrong = 0;
        if (h) s = hog_launch(h, suite);
        if (s == TMAP_OK) s = fixture_verify(&b, &plan, &wrong);
        *different += wrong != 0;
    }
    if (h && suite->gpu.api.stream_synchronize(h->stream)) s = TMAP_E_DRIVER;
    tmap_copy_release(&plan);
    fixture_close(&b);
    return s;
}

int repeat_main(uint32_t runs, uint64_t bytes)
{
    struct tmap_copy *suite = NULL;
    struct hog hog = {0};
    char why[200] = "";
    int bad = 0, n = 0;
    if (tmap_copy_open(&(struct tmap_open){.watchdog_ms = 2000}, &suite, why, sizeof why) !=
            TMAP_OK ||
        !hog_open(&hog, suite)) {
        printf("ok 1 # SKIP repeated copies: no usable GPU: %s\n1..1\n", why);
        return 0;
    }
    for (size_t i = 0; tmap_copy_case(i) && !bad; i++)
        for (int beside = 0; beside < 2; beside++) {
            uint32_t different = 0;
            const enum tmap_status s =
                repeat(suite, i, runs, bytes, beside ? &hog : NULL, &different);
            const bool good = s == TMAP_OK && different == 0;
            printf("%s %d - %s, %u runs%s: %u differ (status %d)\n", good ? "ok" : "not ok", ++n,
                   tmap_copy_case(i), runs, beside ? " beside a bandwidth hog" : "", different, s);
            fflush(stdout);
            bad |= s != TMAP_OK ? 2 : !good;
        }
    printf("1..%d\n# the hog ran %llu times\n", n, (unsigned long long)hog.launches);
    tmap_copy_close(suite);
    return bad != 0;
}
