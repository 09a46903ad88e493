/* fuzz.h : what the libFuzzer targets share. A property that fails is a crash. */
#ifndef TMAP_TESTS_FUZZ_H
#define TMAP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#define FUZZ_CHECK(property)                                                                       \
    do {                                                                                           \
        if (!(property)) __builtin_trap();                                                         \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
