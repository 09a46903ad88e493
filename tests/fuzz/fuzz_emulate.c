/* fuzz_emulate.c : any bytes as PTX for the emulator: refused with a line, or run for a while. */
#include "fuzz/fuzz.h"
#include "tmap/emulate.h"

#include <string.h>

static void run(const struct tmap_emulate_module *module, const char *kernel)
{
    static uint8_t data[1024], params[4096];
    uint32_t offset = 0, bytes = 0, align = 0, all = 0;
    for (size_t i = 0; tmap_emulate_param(module, kernel, i, &offset, &bytes, &align); i++)
        all = offset + bytes;
    if (all > sizeof params) return;
    const struct tmap_emulate_buffer buffer = {0x10000, sizeof data, data, "data"};
    const struct tmap_emulate_launch launch = {.kernel = kernel,
                                               .grid = {1, 1, 1},
                                               .block = {64, 1, 1},
                                               .params = params,
                                               .param_bytes = all,
                                               .buffers = &buffer,
                                               .buffer_count = 1,
                                               .schedule = TMAP_EMULATE_RANDOM,
                                               .budget = 2000};
    struct tmap_emulate_finding finding;
    struct tmap_emulate_result result;
    size_t found = 0;
    if (tmap_emulate_run(module, &launch, &finding, 1, &found, &result) == TMAP_OK)
        FUZZ_CHECK(result.finished || found > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tmap_emulate_module *module = NULL;
    struct tmap_emulate_error error;
    const enum tmap_status s = tmap_emulate_load((const char *)data, size, &module, &error);
    FUZZ_CHECK((s == TMAP_OK) == (module != NULL));
    FUZZ_CHECK(s == TMAP_OK || s == TMAP_E_MEMORY || error.text[0]);
    for (size_t i = 0; module && i < 4 && tmap_emulate_kernel(module, i); i++)
        run(module, tmap_emulate_kernel(module, i));
    tmap_emulate_free(module);
    return 0;
}
