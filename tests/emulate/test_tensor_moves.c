/* Copies into tensor memory, shifts, loads and stores of it, and ldmatrix and stmatrix, in every
 * shape: what each leaves against where the PTX ISA and CUTLASS's traits say that it goes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/splitmix.h"

enum { LANES = 128, COLUMNS = 32, IMAGE_BYTES = 4096, IMAGE_AT = 0x400, SMEM = 16384 };
enum { UNTOUCHED = -1 }; /* what tensor memory holds before */

static struct memory {
    uint8_t image[IMAGE_BYTES];
    uint32_t cell[2][LANES][COLUMNS]; /* of each CTA */
} memory, expected;
static char text[32768];

static const char head[] =
    ".version 9.0\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<12>; .reg .b32 %base, %tm, %id;\n"
    ".reg .b32 %v<32>; .reg .b32 %rank;\n"
    "ld.param.u64 %rd9, [p]; cvta.to.global.u64 %rd9, %rd9; mov.u32 %rank, %cluster_ctarank;\n"
    "mov.u32 %base, smem; mov.u32 %id, %tid.x; shl.b32 %r2, %id, 4;\n"
    "setp.ge.u32 %p1, %id, 32; @%p1 bra copy;\n"
    "tcgen05.alloc.cta_group::G.sync.aligned.shared::cta.b32 [smem + 16], 32;\n"
    "setp.ne.u32 %p1, %id, 0; @%p1 bra copy;\n"
    "mbarrier.init.shared::cta.b64 [smem], 1; fence.mbarrier_init.release.cluster;\n"
    "copy: cvt.u64.u32 %rd2, %r2; add.u64 %rd3, %rd9, %rd2; add.u32 %r3, %base, %r2;\n"
    "ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%rd3];\n"
    "st.shared.v4.u32 [%r3 + 1024], {%v0, %v1, %v2, %v3};\n"
    "add.u32 %r2, %r2, 2048; setp.lt.u32 %p2, %r2, 4096; @%p2 bra copy;\n"
    "fence.proxy.async.shared::cta; tcgen05.fence::before_thread_sync;\n"
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "tcgen05.fence::after_thread_sync; ld.shared.u32 %tm, [smem + 16];\n"
    "and.b32 %r4, %id, 96; shl.b32 %r4, %r4, 16; add.u32 %r4, %r4, %tm;\n";

/* One thread of the first CTA issues what stands between these two. */
static const char issue[] =
    "setp.ne.u32 %p1, %id, 0; @%p1 bra wait; setp.ne.u32 %p1, %rank, 0; @%p1 bra wait;\n"
    "add.u32 %r1, %base, 1024; shr.u32 %r1, %r1, 4; cvt.u64.u32 %rd1, %r1;\n";
static const char committed[] =
    "tcgen05.commit.cta_group::G.mbarrier::arrive::one.shared::cluster.b64 [%base];\n"
    "wait: setp.ne.u32 %p1, %rank, 0; @%p1 bra done;\n"
    "again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [smem], 0; @!%p1 bra again;\n"
    "done: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
    "tcgen05.fence::after_thread_sync;\n";

static const char tail[] =
    "mul.wide.u32 %rd2, %id, 128; add.u64 %rd3, %rd9, %rd2; mul.wide.u32 %rd2, %rank, 16384;\n"
    "add.u64 %rd3, %rd3, %rd2; mov.u32 %r5, 0;\n"
    "out: tcgen05.ld.sync.aligned.32x32b.x4.b32 {%v0, %v1, %v2, %v3}, [%r4];\n"
    "tcgen05.wait::ld.sync.aligned;\n"
    "st.global.v4.u32 [%rd3 + 4096], {%v0, %v1, %v2, %v3};\n"
    "add.u32 %r4, %r4, 4; add.u64 %rd3, %rd3, 16; add.u32 %r5, %r5, 4;\n"
    "setp.lt.u32 %p2, %r5, 32; @%p2 bra out;\n"
    "tcgen05.fence::before_thread_sync; barrier.cluster.arrive.aligned;\n"
    "barrier.cluster.wait.aligned; tcgen05.fence::after_thread_sync;\n"
    "setp.ge.u32 %p1, %id, 32; @%p1 bra end;\n"
    "tcgen05.dealloc.cta_group::G.sync.aligned.b32 %tm, 32;\nend: ret;\n}\n";

static void append(const char *what, uint32_t ctas)
{
    size_t n = strlen(text);
    for (const char *c = what; *c && n + 1 < sizeof text; c++) {
        const char digit = (char)('0' + ctas);
        text[n++] = c[0] == 'G' && c[-1] == ':' ? digit : *c;
    }
    text[n] = 0;
}

static void begin(uint64_t seed)
{
    memset(&memory, 0, sizeof memory);
    for (uint32_t i = 0; i < IMAGE_BYTES; i++) memory.image[i] = (uint8_t)splitmix(&seed);
    expected = memory;
    memset(expected.cell, UNTOUCHED, sizeof expected.cell);
    text[0] = 0;
}

static void run_and_compare(const char *what, uint32_t ctas, enum tmap_emulate_schedule schedule)
{
    struct ptx_run run;
    if (!ptx_run(text, &memory, sizeof memory, LANES, ctas, SMEM, schedule, &run))
        fail_msg("%s", what);
    for (uint32_t cta = 0; cta < ctas; cta++)
        for (uint32_t l = 0; l < LANES; l++)
            for (uint32_t c = 0; c < COLUMNS; c++)
                if (memory.cell[cta][l][c] != expected.cell[cta][l][c])
                    fail_msg("%s: CTA %u, lane %u, column %u is 0x%08x and not 0x%08x", what, cta,
                             l, c, memory.cell[cta][l][c], expected.cell[cta][l][c]);
}

/* --- tcgen05.cp */

static const struct {
    const char *name;
    uint32_t rows, pieces;
} shapes[] = {{"128x256b", 128, 2},
              {"4x256b", 4, 2},
              {"128x128b", 128, 1},
              {"64x128b.warpx2::02_13", 64, 1},
              {"64x128b.warpx2::01_23", 64, 1},
              {"32x128b.warpx4", 32, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* The row that lane l gets; -1: none. */
static int row_for(uint32_t shape, uint32_t l)
{
    static const uint8_t warp_01[] = {0, 0, 1, 1}, warp_02[] = {0, 1, 0, 1};
    switch (shape) {
    case 1:
        return l % 32 ? -1 : (int)l / 32;
    case 3:
        return warp_02[l / 32] * 32 + (int)l % 32;
    case 4:
        return warp_01[l / 32] * 32 + (int)l % 32;
    case 5:
        return (int)l % 32;
    default:
        return (int)l;
    }
}

/* Number n of 16, packed. */
static uint32_t number(const uint8_t *piece, uint32_t n, uint32_t width)
{
    uint32_t v = 0;
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t bit = n * width + i;
        v |= (uint32_t)(piece[bit / 8] >> bit % 8 & 1) << i;
    }
    return width == 4 ? v << 2 : v;
}

static void copies(void **state)
{
    static const char *const formats[] = {"", ".b8x16.b4x16_p64", ".b8x16.b6x16_p32"};
    static const uint32_t widths[] = {8, 4, 6};
    char what[300];
    (void)state;
    for (uint32_t i = 0; i < SHAPES * 3 * 2; i++) {
        const uint32_t shape = i % SHAPES, format = i / SHAPES % 3, ctas = 1 + i / SHAPES / 3;
        const uint32_t pieces = shapes[shape].pieces;
        begin(i);
        append(head, ctas);
        append(issue, ctas);
        snprintf(what, sizeof what,
                 "or.b64 %%rd1, %%rd1, 0x%llx; add.u32 %%r6, %%tm, 4;\n"
                 "tcgen05.cp.cta_group::%u.%s%s [%%r6], %%rd1;\n",
                 (unsigned long long)(UINT64_C(1) << 46 | (uint64_t)pieces * 8 << 32 | 8 << 16),
                 ctas, shapes[shape].name, formats[format]);
        append(what, ctas);
        append(committed, ctas);
        append(tail, ctas);
        for (uint32_t l = 0; l < LANES * ctas; l++)
            for (uint32_t n = 0; n < 16 * pieces && row_for(shape, l % LANES) >= 0; n++) {
                const uint32_t row = (uint32_t)row_for(shape, l % LANES);
                const uint8_t *piece =
                    memory.image + row / 8 * pieces * 128 + n / 16 * 128 + row % 8 * 16;
                uint8_t *to = (uint8_t *)&expected.cell[l / LANES][l % LANES][4] + n;
                *to = (uint8_t)number(piece, n % 16, widths[format]);
            }
        run_and_compare(what, ctas, i % 3);
    }
}

/* --- tcgen05.shift */

static void shift(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t ctas = 1 + i % 2;
        begin(i);
        append(head, ctas);
        append(issue, ctas);
        append("or.b64 %rd1, %rd1, 0x401000080000;\n"
               "tcgen05.cp.cta_group::G.128x256b [%tm], %rd1;\n"
               "tcgen05.shift.cta_group::G.down [%tm];\n",
               ctas);
        append(committed, ctas);
        append(tail, ctas);
        for (uint32_t l = 0; l < LANES * ctas; l++) {
            const uint32_t own = l % LANES, row = own % 32 == 31 ? own : own + 1;
            memcpy(expected.cell[l / LANES][own], memory.image + row / 8 * 256 + row % 8 * 16, 16);
            memcpy(&expected.cell[l / LANES][own][4],
                   memory.image + row / 8 * 256 + 128 + row % 8 * 16, 16);
        }
        run_and_compare("shift", ctas, i % 3);
    }
}

/* The first copy that runs ends the run; the other is dropped with the CTA that has left. */
static void copies_left_behind(void **state)
{
    struct ptx_run run;
    bool said = false;
    (void)state;
    begin(1);
    append(head, 1);
    append(issue, 1);
    append("add.u32 %r6, %tm, 64;\nor.b64 %rd1, %rd1, 0x401000080000;\n"
           "tcgen05.cp.cta_group::1.128x256b [%r6], %rd1;\n"
           "tcgen05.cp.cta_group::1.128x256b [%r6], %rd1;\nwait: ret;\n}\n",
           1);
    assert_false(ptx_run(text, &memory, sizeof memory, LANES, 1, SMEM, TMAP_EMULATE_LATEST, &run));
    for (size_t i = 0; i < run.findings && i < PTX_RUN_FINDINGS; i++)
        said |= strstr(run.finding[i].text, "are not allocated") != NULL;
    assert_true(said);
}

/* --- tcgen05.ld and st: what a store leaves, and that a load takes the same */

static const struct {
    const char *name;
    uint32_t per, lanes; /* registers of x1 */
} forms[] = {{"32x32b", 1, 32},
             {"16x64b", 1, 16},
             {"16x128b", 2, 16},
             {"16x256b", 4, 16},
             {"16x32bx2", 1, 16}};

static void place(uint32_t form, uint32_t l, uint32_t r, uint32_t *lane, uint32_t *column)
{
    switch (form) {
    case 1: /* of each row 64 bits, in two lanes that are two apart */
        *lane = l / 4 + 8 * (l & 1), *column = (l >> 1 & 1) + 2 * r;
        return;
    case 2:
        *lane = l / 4 + 8 * (r & 1), *column = l % 4 + r / 2 * 4;
        return;
    case 3:
        *lane = l / 4 + 8 * (r >> 1 & 1), *column = (r & 1) + l % 4 * 2 + r / 4 * 8;
        return;
    default:
        *lane = form == 4 ? l % 16 : l, *column = r;
    }
}

static int registers(char *to, size_t cap, const char *name, uint32_t n)
{
    int at = snprintf(to, cap, "{");
    for (uint32_t i = 0; i < n; i++)
        at += snprintf(to + at, cap - (size_t)at, "%s%s%u", i ? ", " : "", name, i);
    return at + snprintf(to + at, cap - (size_t)at, "}");
}

/* Thread t stores t << 8 | r | 0xa0000 in its register r, loads it again, and stores that 8 or 16
 * columns further in the shape 32x32b where it has one lane a thread. */
static void loads_and_stores(void **state)
{
    char line[600], list[200];
    (void)state;
    for (uint32_t i = 0; i < 5 * 2; i++) {
        const uint32_t form = i % 5, packed = i / 5, width = 1 + packed, n = 2 * forms[form].per;
        const uint32_t gap = form == 4 ? 7 : 0, first = packed ? 0 : 3;
        begin(i);
        append(head, 1);
        registers(list, sizeof list, "%v", n);
        for (uint32_t r = 0; r < n; r++) {
            snprintf(line, sizeof line, "shl.b32 %%v%u, %%id, 8; add.u32 %%v%u, %%v%u, 0x%x;\n", r,
                     r, r, 0xa0000 | r);
            append(line, 1);
        }
        char split[16] = "";
        if (gap) snprintf(split, sizeof split, ", %u", gap);
        snprintf(line, sizeof line,
                 "tcgen05.st.sync.aligned.%s.x2%s.b32 [%%r4 + %u]%s, %s;\n"
                 "tcgen05.wait::st.sync.aligned;\n",
                 forms[form].name, packed ? ".unpack::16b" : "", first, split, list);
        append(line, 1);
        for (uint32_t r = 0; r < n; r++) {
            snprintf(line, sizeof line, "mov.u32 %%v%u, 0;\n", r);
            append(line, 1);
        }
        snprintf(line, sizeof line,
                 "tcgen05.ld.sync.aligned.%s.x2%s.b32 %s, [%%r4 + %u]%s;\n"
                 "tcgen05.wait::ld.sync.aligned;\n"
                 "mul.wide.u32 %%rd2, %%id, 32; add.u64 %%rd3, %%rd9, %%rd2;\n",
                 forms[form].name, packed ? ".pack::16b" : "", list, first, split);
        append(line, 1);
        for (uint32_t r = 0; r < n; r++) { /* into the image's place */
            snprintf(line, sizeof line, "st.global.u32 [%%rd3 + %u], %%v%u;\n", 4 * r, r);
            append(line, 1);
        }
        append("tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n",
               1);
        append(tail, 1);
        for (uint32_t t = 0; t < LANES; t++)
            for (uint32_t r = 0; r < n; r++) {
                const uint32_t v = (t << 8) + (0xa0000 | r);
                uint32_t lane, column;
                place(form, t % 32, r, &lane, &column);
                column = column * width + first + (t % 32 >= 16 ? gap : 0);
                uint32_t *cell = &expected.cell[0][t / 32 * 32 + lane][column];
                cell[0] = packed ? v & 0xffff : v;
                if (packed) cell[1] = v >> 16;
            }
        run_and_compare(forms[form].name, 1, i % 3);
        for (uint32_t t = 0; t < LANES; t++)
            for (uint32_t r = 0; r < n; r++) {
                uint32_t v;
                memcpy(&v, memory.image + 32 * t + 4 * r, 4);
                assert_int_equal(v, (t << 8) + (0xa0000 | r));
            }
    }
}

/* Numbers stored before the wait for them, and, at the earliest time, right all the same. */
static void registers_read_before_the_wait(void **state)
{
    (void)state;
    for (int how = TMAP_EMULATE_EARLIEST; how <= TMAP_EMULATE_RANDOM; how++) {
        struct ptx_run run;
        begin(1);
        append(head, 1);
        append("mov.u32 %v0, 5; add.u32 %v1, %id, 1;\n"
               "tcgen05.st.sync.aligned.32x32b.x2.b32 [%r4], {%v0, %v1};\n"
               "tcgen05.wait::st.sync.aligned;\n"
               "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%v2, %v3}, [%r4];\n"
               "mul.wide.u32 %rd2, %id, 4; add.u64 %rd3, %rd9, %rd2;\n"
               "st.global.u32 [%rd3], %v3; tcgen05.wait::ld.sync.aligned;\n"
               "st.global.u32 [%rd3 + 512], %v3;\n"
               "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\n",
               1);
        append(tail, 1);
        assert_false(ptx_run(text, &memory, sizeof memory, LANES, 1, SMEM,
                             (enum tmap_emulate_schedule)how, &run));
        assert_int_equal(run.findings, 1);
        assert_int_equal(run.finding[0].kind, TMAP_EMULATE_RACE);
        assert_non_null(strstr(run.finding[0].text, "no tcgen05.wait::ld lies between them"));
        for (uint32_t t = 0; t < LANES; t++) {
            uint32_t before, after;
            memcpy(&before, memory.image + 4 * t, 4);
            memcpy(&after, memory.image + 512 + 4 * t, 4);
            assert_int_equal(before, how == TMAP_EMULATE_EARLIEST ? t + 1 : UINT32_MAX);
            assert_int_equal(after, t + 1);
        }
    }
}

/* --- ldmatrix and stmatrix */

static const char warp_head[] =
    ".version 9.0\n.target sm_120a\n.address_size 64\n.shared .align 128 .b8 rows[1024];\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .b32 %v<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 32;\n"
    "add.u64 %rd3, %rd1, %rd2; mov.u32 %r2, rows; shl.b32 %r3, %r1, 5;\n"
    "add.u32 %r3, %r2, %r3; shl.b32 %r4, %r1, 4; add.u32 %r4, %r2, %r4;\n"
    "ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%rd3];\n"
    "ld.global.v4.u32 {%v4, %v5, %v6, %v7}, [%rd3 + 16];\n";
static const char load_text[] = /* 1 KiB to shared memory, a load, its registers */
    "st.shared.v4.u32 [%%r3], {%%v0, %%v1, %%v2, %%v3};\n"
    "st.shared.v4.u32 [%%r3 + 16], {%%v4, %%v5, %%v6, %%v7}; bar.warp.sync -1;\n"
    "ldmatrix.sync.aligned.%s %s, [%%r4];\nst.global.v4.u32 [%%rd3], {%%v0, %%v1, %%v2, %%v3};\n"
    "ret;\n}\n";
static const char store_text[] = /* a store of four registers, and 512 bytes of shared memory */
    "stmatrix.sync.aligned.%s [%%r4], %s; bar.warp.sync -1;\n"
    "ld.shared.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%r4];\n"
    "st.global.v4.u32 [%%rd3], {%%v0, %%v1, %%v2, %%v3};\nret;\n}\n";

struct matrix_form {
    const char *name;
    uint32_t regs, width;
    char how; /* r: rows of 8, t: their transpose, s: 16 x 16 transposed, m: 16 x 8 */
};
static const struct matrix_form loads[] = {{"m8n8.x1.shared.b16", 1, 8, 'r'},
                                           {"m8n8.x4.shared.b16", 4, 8, 'r'},
                                           {"m8n8.x2.trans.shared.b16", 2, 8, 't'},
                                           {"m8n16.x1.shared.b8x16.b6x16_p32", 1, 6, 'r'},
                                           {"m8n16.x4.shared.b8x16.b4x16_p64", 4, 4, 'r'},
                                           {"m16n16.x1.trans.shared.b8", 2, 8, 's'},
                                           {"m16n16.x2.trans.shared.b8", 4, 8, 's'},
                                           {"m16n16.x1.trans.shared.b8x16.b4x16_p64", 2, 4, 's'},
                                           {"m16n16.x2.trans.shared.b8x16.b6x16_p32", 4, 6, 's'}};
static const struct matrix_form stores[] = {{"m8n8.x4.shared.b16", 4, 8, 'r'},
                                            {"m8n8.x4.trans.shared.b16", 4, 8, 't'},
                                            {"m16n8.x4.trans.shared.b8", 4, 8, 'm'},
                                            {"m16n8.x2.trans.shared.b8", 2, 8, 'm'},
                                            {"m16n8.x1.trans.shared.b8", 1, 8, 'm'}};

/* Row and byte that byte e of lane l's register r is. */
static void source(char how, uint32_t l, uint32_t r, uint32_t e, uint32_t *row, uint32_t *byte)
{
    switch (how) {
    case 'r':
        *row = r * 8 + l / 4, *byte = l % 4 * 4 + e;
        return;
    case 't':
        *row = r * 8 + l % 4 * 2 + e / 2, *byte = l / 4 * 2 + e % 2;
        return;
    case 's': /* as measured on sm_120: column l / 4 and 8 more, rows 4 (l % 4) to 3 more */
        *row = r / 2 * 16 + l % 4 * 4 + e, *byte = l / 4 + r % 2 * 8;
        return;
    default: /* CUTLASS: bits 256 (l % 4) + 8 (l / 4) + 128 (e % 2) + 64 (e / 2) */
        *row = r * 8 + l % 4 * 2 + e % 2, *byte = l / 4 + e / 2 * 8;
    }
}

static struct {
    uint8_t rows[64][16];
} warp;

static void run_matrix(const struct matrix_form *f, bool store)
{
    struct ptx_run run;
    char list[64];
    int n;
    registers(list, sizeof list, "%v", f->regs);
    n = snprintf(text, sizeof text, "%s", warp_head);
    snprintf(text + n, sizeof text - (size_t)n, store ? store_text : load_text, f->name, list);
    if (!ptx_run(text, &warp, sizeof warp, 32, 1, 0, TMAP_EMULATE_LATEST, &run))
        fail_msg("%s", f->name);
}

static void matrices(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        for (uint32_t b = 0; b < sizeof warp; b++) ((uint8_t *)&warp)[b] = (uint8_t)splitmix(&seed);
        const uint8_t *before = memcpy(memory.image, &warp, sizeof warp);
        run_matrix(&loads[i], false);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t e = 0; e < 4 * loads[i].regs; e++) {
                uint32_t row, byte;
                source(loads[i].how, l, e / 4, e % 4, &row, &byte);
                const uint8_t want = (uint8_t)number(before + 16 * row, byte, loads[i].width);
                if (warp.rows[2 * l][e] != want)
                    fail_msg("%s: lane %u, byte %u", loads[i].name, l, e);
            }
    }
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        for (uint32_t b = 0; b < sizeof warp; b++) ((uint8_t *)&warp)[b] = (uint8_t)splitmix(&seed);
        memcpy(memory.image, &warp, sizeof warp);
        run_matrix(&stores[i], true);
        for (uint32_t l = 0; l < 32; l++)
            for (uint32_t e = 0; e < 4 * stores[i].regs; e++) {
                uint32_t row, byte;
                source(stores[i].how, l, e / 4, e % 4, &row, &byte);
                if (warp.rows[2 * row][byte] != memory.image[32 * l + e])
                    fail_msg("%s: lane %u, byte %u", stores[i].name, l, e);
            }
    }
}

/* An offset that wraps around 2^32 is outside tensor memory. */
static void columns_before_the_first(void **state)
{
    static const char store[] =
        "tcgen05.st.sync.aligned.16x32bx2.x2.b32 [%r4], -1, {%v0, %v1};\nend: ret;\n}\n";
    struct ptx_run run;
    (void)state;
    begin(1);
    append(head, 1);
    append(store, 1);
    assert_false(ptx_run(text, &memory, sizeof memory, LANES, 1, SMEM, TMAP_EMULATE_LATEST, &run));
    assert_int_equal(run.run, TMAP_OK);
    assert_int_equal(run.finding[0].kind, TMAP_EMULATE_ACCESS);
    assert_non_null(strstr(run.finding[0].text, "columns 4294967295"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(shift),
        cmocka_unit_test(copies_left_behind),
        cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(columns_before_the_first),
        cmocka_unit_test(registers_read_before_the_wait),
        cmocka_unit_test(matrices),
    };
    return cmocka_run_group_tests_name("tensor memory and matrices", tests, NULL, NULL);
}
