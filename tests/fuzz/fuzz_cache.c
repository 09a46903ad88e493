/* fuzz_cache.c : any bytes as a line of the tuner's cache behind its key: read in part or whole,
 * and what was read whole is printed and read back the same. */
#include "fuzz/fuzz.h"
#include "kernels/gemm/suite.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tmap_gemm_config c, again;
    char printed[512], *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    memset(&c, 0, sizeof c);
    const size_t n = gemm_read_config(text, &c);
    FUZZ_CHECK(n <= GEMM_CONFIG_MEMBERS);
    if (n == GEMM_CONFIG_MEMBERS) {
        gemm_print_config(printed, sizeof printed, &c);
        FUZZ_CHECK(gemm_read_config(printed, &again) == GEMM_CONFIG_MEMBERS);
        FUZZ_CHECK(memcmp(&c, &again, sizeof c) == 0);
    }
    free(text);
    return 0;
}
