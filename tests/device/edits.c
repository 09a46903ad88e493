// Edits of maps by tensormap.replace, each field with values inside and outside its range.
#include "device/probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/layout.h"
#include "device/executor_host.h"

static struct tmap_desc matrix(int dtype, uint64_t address)
{
    const uint32_t size = layout_gmem_bits(dtype) / 8;
    const struct tmap_desc d = {.dtype = dtype,
                                .rank = 2,
                                .address = address,
                                .dim = {256 / size, 64},
                                .stride_bytes = {256},
                                .box = {64 / size, 4},
                                .elem_stride = {1, 1, 1, 1, 1}};
    return d;
}

void probe_edits(const char *dir)
{
    static const uint64_t address[] = {0, 16, 8, 1, (1ull << 57) - 16, 1ull << 57, ~0ull};
    static const uint64_t small[] = {0, 1, 2,   3,   4,   5,          6,          7,
                                     8, 9, 255, 256, 257, 0x7fffffff, 0x80000000, 0xffffffff};
    static const uint64_t stride[] = {
        0, 8, 15, 16, 48, (1ull << 36), (1ull << 40) - 16, 1ull << 40, (1ull << 44) + 32, ~0ull};
    static const uint32_t ords[] = {1, 1, 5, 5, 5, 5};
    struct executor ex;
    char path[400];
    struct executor_edit *edits = calloc(4096, sizeof *edits);
    uint64_t *maps = calloc(4096, 128), map[3][16] __attribute__((aligned(64)));
    uint32_t n = 0;
    if (executor_open(&ex, 1 << 20, 42, path, sizeof path) != TMAP_OK) return;
    for (int b = 0; b < 3; b++) {
        const struct tmap_desc d = matrix(b == 0 ? TMAP_BFLOAT16 : TMAP_TFLOAT32_FTZ, ex.arena);
        probe_encode(&ex.gpu.api, &d, map[b]);
        if (b == 2) memset(map[b], 0xff, 128);
    }
    for (int b = 0; b < 3; b++)
        for (uint32_t f = 0; f <= TMAP_REPLACE_FILL_MODE; f++)
            for (uint32_t o = 0; o < (f < 6 ? ords[f] : 1); o++) {
                static const uint32_t imm[] = {13, 3, 4, 0, 2};
                const uint64_t *v = f == 0 ? address : f == 4 ? stride : small;
                const uint32_t count = f == 0 ? 7 : f == 4 ? 10 : f < 6 ? 16 : imm[f - 6];
                for (uint32_t k = 0; k < count; k++, n++) {
                    memcpy(edits[n].map, map[b], 128);
                    edits[n].field = EXECUTOR_FIELD(f, o);
                    edits[n].value = v[k];
                }
            }
    const enum tmap_status s = executor_edit_maps(&ex, edits, n, maps);
    snprintf(path, sizeof path, "%s/replace.rec", dir);
    FILE *f = fopen(path, "wb");
    for (uint32_t i = 0; f && i < n; i++) {
        fwrite(&edits[i], sizeof edits[i], 1, f);
        fwrite(maps + 16 * i, 128, 1, f);
    }
    if (f) fclose(f);
    printf("replace: %u edits, status %d, code %d\n", n, s, ex.failed);
    fflush(stdout);
}
