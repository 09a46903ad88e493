// How fast the copy engine itself is:  copy_rates
// Boxes of narrow and wide rows, everything in L2, loads and stores apart and together. One line a
// shape: bytes and rows per cycle and multiprocessor. What limits narrow swizzled tiles is read off
// here (docs/COPY.md).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy_rates.h"
#include "kernels/copy/suite.h"

#define PITCH 8192u
#define BOXES 2000u
#define STAGES 4u
#define MAX_BLOCKS 264u

extern const uint8_t image_bench_copy_rates[];

struct shape {
    uint32_t row_bytes, rows, panels; // of a box
    int32_t swizzle;
    bool packed; // rows one after another; else PITCH apart
};

struct bench {
    struct tmap_copy *suite;
    tmap_cu_function kernel;
    tmap_cu_deviceptr memory, cycles;
};

static bool encode(struct bench *b, const struct shape *s, uint32_t blocks, struct rate_params *p)
{
    const uint32_t panel_bytes = s->packed ? s->row_bytes * s->rows : s->row_bytes;
    struct tmap_desc d = {.dtype = TMAP_UINT8, .rank = 3, .address = b->memory};
    d.dim[0] = s->row_bytes;
    d.dim[1] = s->packed ? s->rows : s->rows * blocks;
    d.dim[2] = s->packed ? 8 * s->panels * blocks : PITCH / s->row_bytes;
    d.stride_bytes[0] = s->packed ? s->row_bytes : PITCH;
    d.stride_bytes[1] = panel_bytes;
    d.box[0] = s->row_bytes, d.box[1] = s->rows, d.box[2] = s->panels;
    for (int i = 0; i < TMAP_MAX_RANK; i++) d.elem_stride[i] = 1;
    d.swizzle = s->swizzle;
    d.l2_promotion = TMAP_L2_256B;
    if (d.box[0] == 512) { // elements of 8 bytes reach wider boxes
        d.dtype = TMAP_UINT64;
        d.dim[0] /= 8, d.box[0] /= 8;
    }
    struct tmap_map map;
    struct tmap_layout l;
    if (tmap_encode(&b->suite->checker, &d, &map) != TMAP_OK ||
        tmap_layout(&b->suite->checker, &d, &l) != TMAP_OK)
        return false;
    memcpy(p->map.word, map.word, sizeof map.word);
    p->tx_bytes = (uint32_t)l.tx_bytes;
    p->slot_bytes = ((uint32_t)l.footprint_bytes + 1023) / 1024 * 1024;
    p->row_step = s->packed ? 0 : s->rows;
    p->panel_step = s->panels;
    p->panel_count = s->packed ? 8 : (uint32_t)d.dim[2] / s->panels;
    p->panel_base = s->packed ? 8 * s->panels : 0;
    return true;
}

// Bytes per cycle of the slowest block.
static double rate(struct bench *b, struct rate_params *p, uint32_t blocks)
{
    const struct tmap_libcuda *cu = &b->suite->gpu.api;
    uint64_t cycles[MAX_BLOCKS], most = 0;
    const uint32_t smem = 2 * p->stages * p->slot_bytes + 8 * p->stages;
    for (int warm = 0; warm < 2; warm++)
        if (copy_launch(b->suite, b->kernel, blocks, 32, 1, smem, p, NULL) != TMAP_OK) return -1;
    if (cu->memcpy_dtoh(cycles, b->cycles, blocks * sizeof *cycles)) return -1;
    for (uint32_t i = 0; i < blocks; i++)
        if (cycles[i] > most) most = cycles[i];
    return (double)p->boxes * p->tx_bytes / (double)most;
}

static void line(struct bench *b, const struct shape *s, uint32_t blocks)
{
    static const char *const swizzle[] = {"NONE", "32B", "64B", "128B"};
    printf("%4u B x %3u x %2u %-5s %-7s %3u SM ", s->row_bytes, s->rows, s->panels,
           swizzle[s->swizzle], s->packed ? "packed" : "pitched", blocks);
    for (uint32_t mode = RATE_LOAD; mode <= RATE_BOTH; mode++) {
        struct rate_params p = {.mode = mode, .boxes = BOXES, .stages = STAGES};
        p.cycles = (uint64_t *)(uintptr_t)b->cycles;
        p.mailbox = (volatile uint32_t *)(uintptr_t)b->suite->mailbox.device;
        p.limit_ms = b->suite->limit_ms;
        const double r = encode(b, s, blocks, &p) ? rate(b, &p, blocks) : -1;
        printf("  %6.2f B %6.3f rows", r, r / s->row_bytes);
    }
    printf("\n");
    fflush(stdout);
}

static bool set_up(struct bench *b)
{
    char why[200] = "";
    tmap_cu_module module;
    const enum tmap_status s =
        tmap_copy_open(&(struct tmap_open){.watchdog_ms = 2000}, &b->suite, why, sizeof why);
    if (s != TMAP_OK) {
        printf("SKIP: no GPU for the copy suite: %s (status %d)\n", why, s);
        return false;
    }
    const struct tmap_libcuda *cu = &b->suite->gpu.api;
    return cu->module_load_data(&module, image_bench_copy_rates) == 0 &&
           suite_kernel(cu, module, "rate_rows", b->suite->smem_bytes, &b->kernel) == TMAP_OK &&
           cu->mem_alloc(&b->memory, 1u << 30) == 0 &&
           cu->mem_alloc(&b->cycles, MAX_BLOCKS * sizeof(uint64_t)) == 0;
}

int main(void)
{
    static const struct shape shapes[] = {
        {16, 256, 1, 0, true},  {32, 256, 1, 0, true},  {32, 256, 1, 1, true},
        {64, 256, 1, 0, true},  {64, 256, 1, 2, true},  {128, 128, 1, 3, true},
        {128, 128, 1, 0, true}, {256, 64, 1, 0, true},  {512, 32, 1, 0, true},
        {32, 256, 1, 1, false}, {64, 256, 1, 2, false}, {128, 128, 1, 3, false},
        {32, 64, 8, 1, false},  {64, 64, 4, 2, false},  {128, 64, 2, 3, false},
        {32, 8, 64, 1, false},  {64, 8, 32, 2, false},  {128, 8, 16, 3, false},
    };
    struct bench b = {0};
    if (!set_up(&b)) return 0;
    printf("per cycle and multiprocessor: loads alone, stores alone, each of both at once\n");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        line(&b, &shapes[i], 1);
        line(&b, &shapes[i], (uint32_t)b.suite->gpu.sm_count);
    }
    return 0;
}
