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

static void triton(void **state)
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
        {"%d = tt.make_tensor_descriptor", "dim, stride, box"},
    };
    (void)state;
    EXPECT(rows);
}

static void nvgpu(void **state)
{
    static const struct row rows[] = {
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
        {"%m = memref.cast %n : memref<64x4096xf16> to !n\n" NVGPU("swizzle = swizzle_128b"),
         "6 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {"!map = x, swizzle = swizzle_64b\n" ALLOCATED "%t = nvgpu.tma.create.descriptor %m "
         "box[64, 64] : memref<*xf16> -> !map>",
         "box 64 64 swizzle 2"},
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

/* The type of a map where nothing makes one: its box, its element type and its modes. */
static void map_types(void **state)
{
    static const struct row rows[] = {
        {"%x : !nvgpu.tensormap.descriptor<tensor = memref<128x64xf16, 3>, swizzle = swizzle_128b>",
         "dim, stride: libtmap"},
        {"<tensor=memref<128x64xf16, #gpu.address_space<workgroup>>, l2promo = none> -> swizzle",
         "dim, stride, swizzle: libtmap"},
        {"<tensor = memref<64x128xf16, 3>, swizzle = swizzle_128b>",
         "box 128 64 swizzle 3; absent dim, stride"},
        {"<tensor = memref<64x128xf16, 3>, swizzle = swizzle_128b", "box 128 64 swizzle 3; absent"},
        {"<tensor = memref<8x64xf16, 3>, swizzle = swizzle_256b>", "not known: swizzle_256b"},
        {"<tensor = memref<8x64xf16, 3>, swizzle = none>, x<tensor = memref<512x64xf16, 3>>",
         "dim, stride: libtmap"},
        {"<tensor = memref<*xf16>, swizzle = none>", "dim, stride, box"},
        {"<tensor = tensor<8x64xf16>, swizzle = none>", "no descriptor"},
        {"a tensor of memref<8x64xf16>, swizzle = none", "no descriptor"},
        {"tensor = memref", "no descriptor"},
    };
    (void)state;
    EXPECT(rows);
}

/* --- a library's own calls ----------------------------------------------------------------------
 */

#define X "x = torch.empty(64, 4096, dtype=torch.float16)\n"
#define VIEW(more) "y = torch.tensor(v)\n" X "m = from_tiled(" more ")\n"
#define IM2COL(dims, low, high, more)                                                              \
    "m = cuTensorMapEncodeIm2col(DT.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, p, " dims                 \
    ", [128, 7168, 401408], " low ", " high ", 64, 128, [1, 1, 1, 1], IL.CU_TENSOR_MAP_INTERLEAVE" \
    "_NONE, SW.CU_TENSOR_MAP_SWIZZLE_128B, L2.CU_TENSOR_MAP_L2_PROMOTION_NONE, " more ")\n"
#define ZERO "OO.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE"
#define XLA(dims, strides, box)                                                                    \
    "auto d = TmaDescriptor::Create(" dims ", " strides ", " box ", {1, 1}, 2, "                   \
    "TmaInterleave::kNone, TmaSwizzle::k128B, TmaL2Promotion::kNone, TmaFloatOobFill::kZeros);\n"

static void calls(void **state)
{
    static const struct row rows[] = {
        {X "d = TensorDescriptor(x, [64, 4096], [4096, 1], [64, 64])\n",
         "6 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {"class TensorDescriptor(Base):\n    pass\n" X
         "d = TensorDescriptor(x, x.shape, x.stride(), "
         "[64, 32])\n",
         "6 dim 4096 64 stride 8192 box 32 64 swizzle 2"},
        {"as_tensor_map(box_dim=[64, 64])", "dtype, dim, stride"},
        {"x.as_tensor_map(box_dim=[64, 64])", "dtype, dim, stride"},
        {VIEW("x, box_dim= )"), "box: tmap trace"},
        {VIEW("x, [64, 64], data_type= )"), "dtype"},
        {VIEW("y, [64, 64])"), "dtype, dim, stride"},
        {VIEW("x, y.shape)"), "box: not known: y"},
        {VIEW("x, [1, 2, 3, 4, 5, 6])"), "2 dimensions and 6 box sizes"},
        {"d = TensorDescriptor(x, [1, 2, 3], [3, 2], [1, 2])\n", "3 dimensions and 2 box sizes"},
        {"b = device.allocate(4096)\nm = from_tiled(b, [64], data_type=torch.float16)\n",
         "6 dim 2048 stride box 64"},
        {"b = device.allocate(4096)\nm = from_tiled(b, [64])\n", "dtype, dim"},
        {"y = torch.tensor(v)\nd = TensorDescriptor(y, block_shape=[64, 64])\n", "dtype, dim, str"},
        {IM2COL("[64, 57, 56, 32]", "[-1, -2]", "[1, 2]", ZERO),
         "9 dim 64 57 56 32 stride 128 7168 401408 corners -1 1 -2 2 swizzle 3"},
        {IM2COL("[64, 57, 56, 32, 4, 2]", "[-1, -2, 0]", "[1, 2, 0]", ZERO), "9 dim 64 57 56 32 4"},
        {IM2COL("[64, 57]", "[]", "[]", ZERO), "9 dim 64 57 stride 128 corners"},
        {IM2COL("[64, 57, 56, 32]", "[-1]", "[1, 2]", ZERO), "the corners, channels or pixels"},
        {IM2COL("[64, 57, 56, 32]", "[-1, n]", "[1, 2]", ZERO), "the corners, channels or pixels"},
        {IM2COL("[64, 57, 56, 32]", "[-1, 0]", "[1]", ZERO), "the corners, channels or pixels"},
        {IM2COL("[64, 57, 56, 32]", "[-1, 0]", "[1, n]", ZERO), "the corners, channels or pixels"},
        {XLA("{4096, 64}", "{8192}", "{64, 64}"), "9 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {XLA("{4096}", "{n}", "{64}"), "9 dim 4096 stride box 64 swizzle 3"},
        {XLA("/* global_dims: */ {4096, 64}", "/* global_strides */ {8192}", "{64, 64}"),
         "9 dim 4096 64 stride 8192 box 64 64"},
        {XLA("{4096, 64, 8}", "{8192}", "{64, 64, 1}"), "stride[1]"},
        {XLA("{4096, 64}", "{8192}", "{64, 64}") X
         "d = TensorDescriptor(x, [64, 4096], [4096, 1], [64, 32])\n",
         "9 dim 4096 64 stride 8192 box 64 64 swizzle 3"},
        {X "d = TensorDescriptor(x, [64, 4096], [4096, 1], [64, 32])\n" XLA("{4096, 64}", "{8192}",
                                                                            "{64, 64}"),
         "6 dim 4096 64 stride 8192 box 32 64 swizzle 2"},
        {XLA("/* = */ {4096, 64}", "/* a b */ {8192}", "/* box_dims= */ {64, 64}"), "box 64 64"},
        {X "d = TensorDescriptor(x, # /* shape\n [64, 4096], [4096, 1], [64, 32])\n", "box 32 64"},
        {X "d = TensorDescriptor(x, a==b, [4096, 1], [64, 32])\n", "dim: not known"},
        {"f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, "
         "25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41)\ndef f(M):\n"
         "    d = TensorDescriptor(x, [M, 64], [64, 1], [64, 32])\n",
         "dim[1]"},
    };
    (void)state;
    EXPECT(rows);
}

/* --- encode calls in C --------------------------------------------------------------------------
 */

#define MODES                                                                                      \
    "CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, " \
    "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)"
#define BF16 "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16"
#define ENCODE(type, rank, dims)                                                                   \
    "cuTensorMapEncodeTiled(&m, " type ", " rank ", p, " dims ", {8192}, {64, 64}, {1, 1}, " MODES
#define CONV(rank, dims, low, high)                                                                \
    "cuTensorMapEncodeIm2col(&m, " BF16 ", " rank ", p, " dims                                     \
    ", {128, 7168, 401408, 8, 16}, " low ", " high ", 64, 128, {1, 1, 1, 1, 1, 1}, " MODES
#define MAP "9 dim 4096 64 stride 8192 box 64 64 swizzle 3"

static void encode_calls(void **state)
{
    static const struct row rows[] = {
        {ENCODE(BF16, "2", "{4096, 64}") ";", MAP},
        {ENCODE(BF16, "2", "{4096, 64}") ";\nprintf(\"a\\", MAP},
        {ENCODE(BF16, "2", "{4096, 64}") ";\nprintf(\"a\\\nb", MAP},
        {ENCODE(BF16, "2", "{4096, 64}") ";\nprintf(\"a\\\"b\");", MAP},
        {ENCODE(BF16, "2", "{4096}") ";", "dim[1]"},
        {ENCODE(BF16, "2", "a==b") ";", "dim: not known"},
        {ENCODE(BF16, "2", "n") ";\nByte strides must be divisible by 16", "TMA014: a stride"},
        {ENCODE(BF16, "2", "") ";", "dim: tmap trace"},
        {ENCODE(BF16, "2", "dim={4096, 64}") ";", MAP},
        {ENCODE("T + 1", "2", "{4096, 64}") ";", "dtype: not known"},
        {ENCODE("CUtensorMapDataType ", "2", "{4096, 64}") ";", "dtype: not known"},
        {ENCODE("CUtensorMapDataType type", "2", "{4096, 64}") ";", "without the numbers"},
        {"cuTensorMapEncodeTiled(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);",
         "without the numbers"},
        {CONV("4", "{64, 57, 56, 32}", "{-1, -2}", "{1, 2}") ";",
         "9 dim 64 57 56 32 stride 128 7168 401408 corners -1 1 -2 2 swizzle 3"},
        {CONV("4", "{64, 57, 56, 32}", "{-1, -2}", "{1, n}") ";", "not known: n"},
        {CONV("6", "{64, 57, 56, 32, 4, 2}", "{-1, -2, 0}", "{1, 2, 0}") ";",
         "9 dim 64 57 56 32 4"},
        {CONV("2", "{64, 57}", "{}", "{}") ";", "9 dim 64 57 stride 128 corners"},
        {CONV("n", "{64, 57, 56, 32}", "{-1, -2}", "{1, 2}") ";", "not known: n"},
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
        {"bf16 stride=(1099511627776, 1)", ""},
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
        cmocka_unit_test(triton),          cmocka_unit_test(nvgpu),
        cmocka_unit_test(map_types),       cmocka_unit_test(calls),
        cmocka_unit_test(encode_calls),    cmocka_unit_test(what_pasting_leaves_is_taken_out),
        cmocka_unit_test(printed_strides),
    };
    return cmocka_run_group_tests_name("paste_forms", tests, NULL, NULL);
}
