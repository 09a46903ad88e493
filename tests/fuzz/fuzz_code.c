/* fuzz_code.c : any bytes as a cubin or a fatbin: refused, or read within their bounds. */
#include "fuzz/fuzz.h"
#include "tmap/code.h"

#define CAP 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tmap_code_kernel kernels[CAP];
    struct tmap_code_image image;
    struct tmap_code_finding findings[4];
    size_t found = 0, again = 0;
    const enum tmap_status s = tmap_code_scan(data, size, NULL, 0, &found, NULL);
    FUZZ_CHECK(s == tmap_code_scan(data, size, kernels, CAP, &again, &image));
    FUZZ_CHECK(found == again);
    for (size_t i = 0; s == TMAP_OK && i < found && i < CAP; i++) {
        uint64_t words = 0;
        for (uint32_t j = 0; j < TMAP_CODE_OPCODES; j++) words += kernels[i].count[j];
        FUZZ_CHECK(words == kernels[i].instructions);
        tmap_code_judge(&kernels[i], findings, 4);
    }
    return 0;
}
