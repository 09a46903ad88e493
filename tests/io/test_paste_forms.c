/* test_paste_forms.c : texts with a descriptor that test_pasted.sh's lines cannot hold, or that end
 * without a newline: what is read of each, or what is said instead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/clean.h"
#include "io/paste/dump.h"
#include "io/paste/hint.h"
#include "io/paste/printed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SAID = 2 * IO_ERROR_SIZE };

struct row {
    const char *text, *says;
};

/* "9 dim 64 32 stride 128 box 64 8 swizzle 3", and what is absent; or the error. */
static void describe(const struct io_record *r, char *out)
{
    const struct tmap_desc *d = &r->desc;
    const uint32_t n = d->rank < TMAP_MAX_RANK ? d->rank : TMAP_MAX_RANK;
    int used;
    if (r->error[0]) {
        snprintf(out, SAID, "%s", r->error);
        return;
    }
    used = snprintf(out, SAID, "%d dim", (int)d->dtype);
    for (uint32_t i = 0; i < n; i++)
        used += snprintf(out + used, SAID - (size_t)used, " %" PRIu64, d->dim[i]);
    used += snprintf(out + used, SAID - (size_t)used, " stride");
    for (uint32_t i = 0; i + 1 < n; i++)
        used += snprintf(out + used, SAID - (size_t)used, " %" PRIu64, d->stride_bytes[i]);
    used += snprintf(out + used, SAID - (size_t)used, d->kind == TMAP_TILED ? " box" : " corners");
    for (uint32_t i = 0; d->kind == TMAP_TILED && i < n; i++)
        used += snprintf(out + used, SAID - (size_t)used, " %" PRIu32, d->box[i]);
    for (uint32_t i = 0; d->kind != TMAP_TILED && i < n - 2; i++)
        used +=
            snprintf(out + used, SAID - (size_t)used, " %d %d", (int)d->lower[i], (int)d->upper[i]);
    used += snprintf(out + used, SAID - (size_t)used, " swizzle %d", (int)d->swizzle);
    if (r->flags & IO_PARTIAL) snprintf(out + used, SAID - (size_t)used, "; absent %s", r->absent);
}

/* The text's first record holds the words. */
static void expect(const struct row *rows, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        struct io_stream stream;
        struct io_record record;
        enum io_dump from;
        char error[IO_ERROR_SIZE], said[SAID] = "nothing";
        assert_true(io_stream_from(&stream, "log", rows[i].text, strlen(rows[i].text), error));
        if (!io_dump_guess(&stream, &from)) from = IO_DUMP_WORDS;
        if (io_dump_next(&stream, from, &record)) describe(&record, said);
        if (!strstr(said, rows[i].says))
            bad++,
                print_message("%s\n    says: %s\n    not: %s\n", rows[i].text, said, rows[i].says);
        io_stream_close(&stream);
    }
    assert_int_equal(bad, 0);
}
#define EXPECT(rows) expect(rows, sizeof rows / sizeof rows[0])

/* --- MLIR ---------------------------------------------------------------------------------------
 */

#define TRITON(names, block)                                                                       \
    "%d = tt.make_tensor_descriptor %p, [" names "], [%s, %c1_i64] : <f16>, <tensor<" block ">>"
#define ALLOCATED "%m = memref.alloc() : memref<64x4096xf16>\n"
#define NVGPU(map) "%t = nvgpu.tma.create.descriptor %m box[64, 64] : memref<*xf16> -> <" map ">"
#define NAME31 "a_name_of_thirty_one_characters"

static void mlir(void **state)
{
    static const struct row rows[] = {
        {"%s = arith.constant 4096\n" TRITON("%c64_i32, %c4096", "64x64xf16"),
         "6 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {"%s = arith.constant 4096\n" TRITON("%c64_i32, %c4096", "64x64xi8"), "0 dim 4096 64"},
        {"%s = arith.constant 4096\n" TRITON("%x#0, %a.b", "64x64xf16"), "dim: not known: %x#0"},
        {"%s = arith.constant 4096\n" TRITON("%c64x, %c4096", "64x64xf16"), "dim[1]"},
        {TRITON("%x, %x", "64x64xf16"), "not known: %x, %s"},
        {TRITON("%" NAME31 NAME31 "_and_more, %b", "64x64xf16"), "%" NAME31 NAME31 "_, %b"},
        {TRITON("%" NAME31 ", %b" NAME31, "64x64xf16"), "%" NAME31 ", %b" NAME31 ", %s: libtmap"},
        {TRITON("%" NAME31 ", %b" NAME31 "_and_some_more", "64x64xf16"),
         "%" NAME31 ", %b" NAME31 "_and_some_more, %s: libtmap"},
        {TRITON("%" NAME31 ", %b" NAME31 "_and_some_more_than_those", "64x64xf16"),
         "%" NAME31 ", %b" NAME31 "_and_some_more_than_those: libtmap"},
        {"%s = arith.extsi\n" TRITON("%c64, %c64", "64x64xf16"), "stride: not known: %s"},
        {"%s = arith.extsi %n : i32 to i64\n" TRITON("%c64, %c64", "64x64xf16"), "not known: %s"},
        {"%s = arith.addi %n\n" TRITON("%c64, %c64", "64x64xf16"), "stride: not known: %s"},
        {"%s = arith.extsi %n : i32 to i64\n%n = arith.constant 64 : i32\n" TRITON("%c64, %c64",
                                                                                   "64x64xf16"),
         "6 dim 64 64 stride 128 box 64 64"},
        {TRITON("1, 2, 3, 4, 5, 6", "64x64xf16"), "dim, stride, box: libtmap"},
        {TRITON("1, 2, x", "64x64xf16"), "dim, stride, box: libtmap"},
        {TRITON("1, 2", "1x1x1x1x1x64xf16"), "dim, stride, box: not known: %s"},
        {TRITON("1, 2", "64x64"), "dim, stride, box: not known: %s"},
        {TRITON("1, 2", "64x64xf17"), "dim, stride, box: not known: %s"},
        {TRITON("1, 2", "64x64x" NAME31 NAME31 NAME31), "dim, stride, box: not known: %s"},
        {"%d = tt.make_tensor_descriptor %p, [1, 2], [2, 1] : <64", "dim, stride, box: libtmap"},
        {"%d = tt.make_tensor_descriptor %p, [64, 4096], [4096, 1] : <64x64xf16",
         "6 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {"%d = tt.make_tensor_descriptor %p, [64, 4096", "dim, stride, box: libtmap"},
        {"%d = tt.make_tensor_descriptor %p", "dim, stride, box: libtmap"},
        {ALLOCATED NVGPU("tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b"),
         "6 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {ALLOCATED NVGPU("tensor = memref<64x64xf16, 3>, swizzle = 128b"), "box 64 64 swizzle 3"},
        {ALLOCATED NVGPU("tensor = memref<64x64xf16, 3>, swizzle = swizzlex"), "not known: swiz"},
        {ALLOCATED NVGPU("swizzle = none, interleave = odd"), "not known: odd"},
        {ALLOCATED NVGPU("swizzle = none, l2promo = odd"), "not known: odd"},
        {ALLOCATED "%t = nvgpu.tma.create.descriptor %m box[64, 64] : <swizzle = " NAME31 NAME31
                   "_and_more",
         "not known: " NAME31 NAME31},
        {ALLOCATED "!map = x, swizzle = swizzle_64b\n%t = nvgpu.tma.create.descriptor %m "
                   "box[64, 64] : memref<*xf16> -> !map",
         "box 64 64 swizzle 2"},
        {ALLOCATED "%t = nvgpu.tma.create.descriptor %m box[64, 64] : memref<*xf16> -> !map",
         "swizzle: libtmap"},
        {ALLOCATED "%t = nvgpu.tma.create.descriptor %m box[64, 64] : memref<*xf16>",
         "swizzle: libtmap"},
        {"%m = memref.alloc() : memref<64x4096xf16, strided<[1, 64]>>\n" NVGPU(
             "tensor = memref<64x64xf16, 3>, swizzle = swizzle_128b"),
         "dim, stride: not known: %m"},
        {"%m = memref.cast\n" NVGPU("swizzle = none"), "not known: %m"},
        {"%m = memref.cast %n : memref<\n" NVGPU("swizzle = none"), "not known: %m"},
        {"%m = memref.cast %n : memref<*xf16>\n" NVGPU("swizzle = none"), "not known: %m"},
        {"%m = memref.cast %n : !n\n" NVGPU("swizzle = none"), "not known: %m"},
        {"!n = vector<4xf16>\n%m = memref.cast %n : !n\n" NVGPU("swizzle = none"), "known: %m"},
        {"!n = memref<64x4096xf16>\n%m = memref.cast %n : !n to memref<*xf16>\n" NVGPU(
             "swizzle = swizzle_128b"),
         "6 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {"%n = memref.alloc() : memref<64x4096xf16>\n%m = memref.cast %n\n" NVGPU(
             "swizzle = swizzle_128b"),
         "6 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {"%m = x : !" NAME31 NAME31 NAME31 "\n" NVGPU("swizzle = none"), "not known: %m"},
        {"%m = x\n" NVGPU("swizzle = none"), "not known: %m"},
        {"%t = nvgpu.tma.create.descriptor %m box[] : <swizzle = none>", "dim, stride, box"},
        {TRITON("1, 2, x", "64x64xf16") "\n" ALLOCATED NVGPU("swizzle = none"), "dim, stride, box"},
        {ALLOCATED NVGPU("swizzle = swizzle_128b") "\n" TRITON("1, 2, x", "64x64xf16"),
         "6 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
    };
    (void)state;
    EXPECT(rows);
}

/* --- colours, entities, strings, and what a program printed -------------------------------------
 */

static void what_pasting_leaves_is_taken_out(void **state)
{
    static const struct row rows[] = {
        {"\033[1;31mdim\033[0m 2", "       dim     2"},
        {"\033[?25ldim", "      dim"},
        {"\033[1;3", "  1;3"},
        {"\033[1;", "  1;"},
        {"\033[", "\033["},
        {"a\033[1\nb", "a  1\nb"},
        {"\\x1b[1mdim", "       dim"},
        {"&lt;64&gt;", "<   64>   "},
        {"&amp", "&amp"},
        {"&", "&"},
        {"64 \xc3\x97 2", "64 x  2"},
        {"\xe2\x80", "\xe2\x80"},
        {"%[[M:.*]] = x", "%M        = x"},
        {"%[[M]] = x", "%M     = x"},
        {"%[[M = x", "%[[M = x"},
        {"%[[M", "%[[M"},
        {"%[[M\n]]", "%[[M\n]]"},
        {"%[[M:\n]]", "%[[M:\n]]"},
        {"%[[M:", "%[[M:"},
        {"%[[M                                                                              ]]",
         "%[[M                                                                              ]]"},
        {"%m", "%m"},
        {"a\\nb\\nc", "a\\nb\\nc"},
        {"a\\nb\\nc\\n\\td\\", "a \vb \vc \v  d\\"},
        {"a\\nb\\nc\\n\\x", "a \vb \vc \v\\x"},
    };
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_stream stream;
        char error[IO_ERROR_SIZE];
        const size_t n = strlen(rows[i].text);
        assert_true(io_stream_from(&stream, "log", rows[i].text, n, error));
        io_clean(&stream);
        assert_int_equal(stream.size, n);
        if (strlen(rows[i].says) != n || memcmp(stream.text, rows[i].says, n) != 0)
            bad++, print_message("'%s': '%.*s', not '%s'\n", rows[i].text, (int)n, stream.text,
                                 rows[i].says);
        io_stream_close(&stream);
    }
    assert_int_equal(bad, 0);
}

static void printed_strides(void **state)
{
    static const struct row rows[] = {
        {"bf16 stride=(70, 1)", "70 elements is 140 bytes (TMA014)"},
        {"bf16 Strides: `[70, 1]`", "70 elements is 140 bytes"},
        {"bf16 STRIDES (64, 70, 1)", "70 elements is 140 bytes"},
        {"bf16 x.stride()=(70, 1)", "70 elements is 140 bytes"},
        {"bf16 x.stride() = (-70, 70, 1)", "70 elements is 140 bytes"},
        {"bf16 x.stride(0)=70", ""},
        {"bf16 x.stride(", ""},
        {"bf16 x.stride()", ""},
        {"bf16 x.stride", ""},
        {"bf16 x.strides", ""},
        {"bf16 stride=", ""},
        {"bf16 stride=70", ""},
        {"bf16 stride=(70, 1", ""},
        {"bf16 stride=(70, ", ""},
        {"bf16 stride=(70, 1;", ""},
        {"bf16 stride=(1)", ""},
        {"bf16 stride=(70, 70)", ""},
        {"bf16 stride=(70, x)", ""},
        {"bf16 stride=(64, 1)", ""},
        {"bf16 stride=(0, 1)", ""},
        {"bf16 stride=(2, 3, 4, 5, 6, 1)", ""},
        {"int64 stride=(3, 1)", "3 elements is 24 bytes"},
        {"stride=(70, 1)", ""},
        {"stride=(70, 1)\nbf16", ""},
    };
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_stream stream;
        char error[IO_ERROR_SIZE], said[IO_ERROR_SIZE] = "";
        assert_true(io_stream_from(&stream, "log", rows[i].text, strlen(rows[i].text), error));
        const tmap_row row = io_printed_stride(&stream, said, sizeof said);
        assert_int_equal(row == TMAP_NO_ROW, !said[0]);
        if (!strstr(said, rows[i].says) || !rows[i].says[0] != !said[0])
            bad++, print_message("%s: '%s', not '%s'\n", rows[i].text, said, rows[i].says);
        io_stream_close(&stream);
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mlir),
        cmocka_unit_test(what_pasting_leaves_is_taken_out),
        cmocka_unit_test(printed_strides),
    };
    return cmocka_run_group_tests_name("paste_forms", tests, NULL, NULL);
}
