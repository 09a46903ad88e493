/* test_dump.c : descriptors from what CUTLASS, Triton and TileLang print when encoding fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/dump.h"

#include <stdlib.h>
#include <string.h>

static struct io_stream stream;

static void open_log(const char *text)
{
    char error[IO_ERROR_SIZE];
    assert_true(io_stream_from(&stream, "run.log", text, strlen(text), error));
}

static const char cutlass[] = "[rank0] INFO: starting\n"
                              "[rank0] TMA Desc Addr:   0x7ffd7d2800c0\n"
                              "[rank0] format         9\n"
                              "[rank0] dim            3\n"
                              "[rank0] gmem_address   0x7f63a6000010\n"
                              "[rank0] globalDim      (128,1,8,1,1)\n"
                              "[rank0] globalStrides  (2,2,256,0,0)\n"
                              "[rank0] boxDim         (64,128,1,1,1)\n"
                              "[rank0] elementStrides (1,1,2,1,1)\n"
                              "[rank0] interleave     0\n"
                              "[rank0] swizzle        3\n"
                              "[rank0] l2Promotion    2\n"
                              "[rank0] oobFill        1\n"
                              "Error: Failed to initialize the TMA descriptor 1\n";

static void fields_of_cutlass(void **state)
{
    struct io_record r;
    const struct tmap_desc *d = &r.desc;
    (void)state;
    open_log(cutlass);
    assert_true(io_dump_next(&stream, IO_DUMP_CUTLASS, &r));
    assert_string_equal(r.error, "");
    assert_true(r.record == 1 && r.line == 2);
    assert_true(d->kind == TMAP_TILED && d->dtype == TMAP_BFLOAT16 && d->rank == 3);
    assert_true(d->address == 0x7f63a6000010);
    assert_true(d->dim[0] == 128 && d->dim[1] == 1 && d->dim[2] == 8 && d->dim[3] == 0);
    assert_true(d->stride_bytes[0] == 2 && d->stride_bytes[1] == 256);
    assert_true(d->box[0] == 64 && d->box[1] == 128 && d->box[2] == 1);
    assert_true(d->elem_stride[2] == 2);
    assert_true(d->swizzle == TMAP_SWIZZLE_128B && d->l2_promotion == TMAP_L2_128B);
    assert_true(d->oob_fill == TMAP_OOB_NAN && d->interleave == 0);
    assert_false(io_dump_next(&stream, IO_DUMP_CUTLASS, &r));
    io_stream_close(&stream);
}

/* The descriptor's own address counts, but one that an older toolkit's type allows. */
static void address_of_the_map(void **state)
{
    static const struct {
        const char *address;
        bool counts;
    } rows[] = {{"0x7ffd5f0c9a60", true}, {"0x7ffd5f0c9a80", true}, {"0x7ffd5f0c9a40", false}};
    char text[sizeof cutlass];
    struct io_record r;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memcpy(text, cutlass, sizeof text);
        memcpy(strstr(text, "0x7ffd7d2800c0"), rows[i].address, strlen(rows[i].address));
        open_log(text);
        assert_true(io_dump_next(&stream, IO_DUMP_CUTLASS, &r));
        assert_string_equal(r.error, "");
        assert_int_equal((r.desc.flags & TMAP_HAS_MAP_ADDRESS) != 0, rows[i].counts);
        if (rows[i].counts)
            assert_int_equal(r.desc.map_address, strtoull(rows[i].address, NULL, 16));
        io_stream_close(&stream);
    }
}

static void fields_of_triton(void **state)
{
    static const char text[] =
        "  File \"x.py\", line 3\n"
        "RuntimeError: Triton Error [CUDA]: Failed to create tensor map descriptor: invalid\n"
        "elemType=0 rank=2 global_address=0x7f0000000000 elemSize=1 swizzle=2 padding=1\n"
        "shape=[511, 512]\nstrides=[1022]\n"
        "blockSize=[64, 32] elementStrides=[1, 1] fill=1\n"
        "Triton Error [CUDA]: Failed to create im2col tensor map descriptor: invalid argument\n"
        "elemType=6 rank=4 global_address=0x7f0000000000 elemSize=2 swizzle=3 padding=0 "
        "channelsPerPixel=64 pixelsPerColumn=128\n"
        "shape=[64, 56, 57, 32]\nstrides=[128, 7168, 401408, 12845056]\nblockSize=[64, 128]\n"
        "pixelBoxLower=[-1, -2] pixelBoxUpper=[1, 2]\nelementStrides=[1, 1, 1, 1]\n";
    struct io_record r;
    const struct tmap_desc *d = &r.desc;
    (void)state;
    open_log(text);
    assert_true(io_dump_next(&stream, IO_DUMP_TRITON, &r));
    assert_string_equal(r.error, "");
    assert_true(d->dtype == TMAP_UINT8 && d->rank == 2 && d->dim[0] == 511 && d->dim[1] == 512);
    assert_true(d->stride_bytes[0] == 1022 && d->box[0] == 64 && d->box[1] == 32);
    assert_true(d->swizzle == TMAP_SWIZZLE_64B && d->oob_fill == TMAP_OOB_NAN);
    assert_int_equal(d->l2_promotion, TMAP_L2_128B);
    assert_true(io_dump_next(&stream, IO_DUMP_TRITON, &r));
    assert_string_equal(r.error, "");
    assert_true(d->kind == TMAP_IM2COL && d->rank == 4 && d->dim[2] == 57);
    assert_true(d->stride_bytes[2] == 401408 && d->channels == 64 && d->pixels == 128);
    assert_true(d->lower[0] == -1 && d->lower[1] == -2 && d->upper[0] == 1 && d->upper[1] == 2);
    assert_false(io_dump_next(&stream, IO_DUMP_TRITON, &r));
    io_stream_close(&stream);
}

static void fields_of_tilelang(void **state)
{
    static const char text[] = "TMA Desc Addr:   0x55d0 (mod64=16)\n"
                               "format         7 (CU_TENSOR_MAP_DATA_TYPE_FLOAT32)\n"
                               "dim            2\n"
                               "gmem_address   0x7f0000000004 (mod16=4, mod32=4)\n"
                               "globalDim      [1733, 1024]\n"
                               "globalStridesRaw [4, 6932]\n"
                               "cudaGlobalStrides [6932]\n"
                               "boxDim         [32, 128]\n"
                               "elementStrides [1, 1]\n"
                               "interleave     0 (CU_TENSOR_MAP_INTERLEAVE_NONE)\n"
                               "swizzle        3 (CU_TENSOR_MAP_SWIZZLE_128B)\n"
                               "l2Promotion    0 (CU_TENSOR_MAP_L2_PROMOTION_NONE)\n"
                               "oobFill        0 (CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)\n";
    struct io_record r;
    (void)state;
    open_log(text);
    assert_true(io_dump_next(&stream, IO_DUMP_TILELANG, &r));
    assert_string_equal(r.error, "");
    assert_true(r.desc.dtype == TMAP_FLOAT32 && r.desc.address == 0x7f0000000004);
    assert_true(r.desc.dim[0] == 1733 && r.desc.stride_bytes[0] == 6932 && r.desc.box[1] == 128);
    assert_true(r.desc.swizzle == TMAP_SWIZZLE_128B && r.desc.flags == TMAP_HAS_MAP_ADDRESS);
    io_stream_close(&stream);
}

static void numbers_are_found_again(void **state)
{
    static const struct {
        const char *field;
        int index;
        const char *number;
    } rows[] = {{"stride", 0, "2"},
                {"stride", 1, "256"},
                {"dim", 2, "8"},
                {"box", 1, "128"},
                {"address", -1, "0x7f63a6000010"},
                {"swizzle", -1, "3"},
                {"elem_stride", 2, "2"},
                {"dtype", -1, "9"},
                {"lower", 0, NULL},
                {"dim", 7, NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t at = 0, size = 0;
        const bool found =
            io_dump_locate(cutlass, sizeof cutlass - 1, rows[i].field, rows[i].index, &at, &size);
        if (found != (rows[i].number != NULL)) fail_msg("%s[%d]", rows[i].field, rows[i].index);
        if (!found) continue;
        assert_int_equal(size, strlen(rows[i].number));
        assert_memory_equal(cutlass + at, rows[i].number, size);
    }
    assert_true(cutlass[0] == '[');
}

/* Several processes write into one another's lines: what cannot be told apart is not guessed. */
static void unreadable_dumps(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "no descriptor in this text"},
        {"a log\nof other things\n", "no descriptor in this text"},
        {"TMA Desc Addr:   0x7ffd\nformat         9\n", "no readable rank"},
        {"TMA Desc Addr: 0\nformat 9\ndim 2\ngmem_address 0\nswizzle 3\nglobalDim (128,1,8",
         "not in this text: dim, stride, box, elem_stride"},
        {"TMA Desc Addr: 1\nformat 9\ndim )(,31024\n", "no readable rank"},
        {"TMA Desc Addr: 1\nformat 9\ndim 3\ngmem_address 0\nswizzle 3\nglobalDim (128,1)\n",
         "lists 2 of dimensions; the rank asks for 3"},
        {"TMA Desc Addr: 0\nformat 9\ndim 2\ngmem_address 0\nglobalDim (1,1)\noobFill 0\n",
         "not in this text: stride, box, elem_stride, swizzle"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_record r;
        open_log(rows[i].text);
        assert_true(io_dump_next(&stream, IO_DUMP_CUTLASS, &r));
        if (!strstr(r.error, rows[i].says)) fail_msg("'%s' says '%s'", rows[i].text, r.error);
        io_stream_close(&stream);
    }
}

/* Any cut of a whole dump, and any byte of it changed, is read or refused, never more. */
static void every_cut_and_every_byte(void **state)
{
    char text[sizeof cutlass];
    struct io_record r;
    (void)state;
    for (size_t n = 0; n < sizeof cutlass; n++) {
        memcpy(text, cutlass, sizeof text);
        text[n] = 0;
        open_log(text);
        while (io_dump_next(&stream, IO_DUMP_CUTLASS, &r)) assert_true(r.record < 3);
        io_stream_close(&stream);
    }
    for (size_t n = 0; n + 1 < sizeof cutlass; n++) {
        memcpy(text, cutlass, sizeof text);
        text[n] = (char)(text[n] ^ 0x15);
        open_log(text);
        while (io_dump_next(&stream, IO_DUMP_CUTLASS, &r)) assert_true(r.record < 3);
        io_stream_close(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_cutlass),        cmocka_unit_test(fields_of_triton),
        cmocka_unit_test(fields_of_tilelang),       cmocka_unit_test(address_of_the_map),
        cmocka_unit_test(numbers_are_found_again),  cmocka_unit_test(unreadable_dumps),
        cmocka_unit_test(every_cut_and_every_byte),
    };
    return cmocka_run_group_tests_name("dump", tests, NULL, NULL);
}
