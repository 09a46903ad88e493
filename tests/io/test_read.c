/* test_read.c : descriptors from JSON: what is read, what is refused and in which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/json/number.h"
#include "io/json/symbolic.h"
#include "io/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_stream(struct io_stream *s, const char *text, size_t length)
{
    char error[IO_ERROR_SIZE];
    return io_stream_from(s, "test.json", text, length, error);
}

#define BASE "\"dtype\":\"BFLOAT16\",\"address\":\"0x7f0000000000\","
#define SHAPE "\"dim\":[64,32],\"stride\":[128],\"box\":[64,8]"
#define WHOLE "{" BASE SHAPE "}"
#define WITH(more) "{" BASE SHAPE "," more "}"
#define IM2COL                                                                                     \
    "{" BASE "\"kind\":\"im2col\",\"dim\":[64,8,8,2],\"stride\":[128,1024,8192],"                  \
    "\"channels\":64,\"pixels\":32"

static struct io_stream stream;

static struct io_record read_one(const char *text, unsigned flags)
{
    struct io_record r;
    assert_true(text_stream(&stream, text, strlen(text)));
    assert_true(io_record_next(&stream, flags, &r));
    return r;
}

static void done(struct io_record *r)
{
    io_record_free(r);
    io_stream_close(&stream);
}

static void a_whole_descriptor(void **state)
{
    struct io_record r = read_one(
        "{\"name\":\"A\",\"kind\":\"tiled\",\"dtype\":\"BFLOAT16\",\"rank\":2,"
        "\"address\":\"0x7f0000000000\",\"dim\":[4096,8192],\"stride\":[8192],\"box\":[64,128],"
        "\"elem_stride\":[1,2],\"interleave\":\"NONE\",\"swizzle\":\"128B\","
        "\"l2_promotion\":\"256B\",\"oob_fill\":\"NAN\",\"map_address\":64,"
        "\"allocation\":{\"base\":\"0x7f0000000000\",\"bytes\":67108864}}",
        0);
    const struct tmap_desc *d = &r.desc;
    (void)state;
    assert_string_equal(r.error, "");
    assert_string_equal(r.name, "A");
    assert_int_equal(d->kind, TMAP_TILED);
    assert_int_equal(d->dtype, TMAP_BFLOAT16);
    assert_int_equal(d->rank, 2);
    assert_true(d->address == 0x7f0000000000);
    assert_true(d->dim[0] == 4096 && d->dim[1] == 8192 && d->stride_bytes[0] == 8192);
    assert_true(d->box[0] == 64 && d->box[1] == 128);
    assert_true(d->elem_stride[0] == 1 && d->elem_stride[1] == 2);
    assert_int_equal(d->swizzle, TMAP_SWIZZLE_128B);
    assert_int_equal(d->l2_promotion, TMAP_L2_256B);
    assert_int_equal(d->oob_fill, TMAP_OOB_NAN);
    assert_int_equal(d->flags, TMAP_HAS_MAP_ADDRESS | TMAP_HAS_ALLOCATION);
    assert_true(d->map_address == 64 && d->allocation_bytes == 67108864);
    done(&r);
}

static void what_may_be_left_out(void **state)
{
    struct io_record r = read_one(WHOLE, 0);
    (void)state;
    assert_string_equal(r.error, "");
    assert_null(r.name);
    assert_int_equal(r.desc.rank, 2);
    assert_int_equal(r.desc.elem_stride[1], 1);
    assert_int_equal(r.desc.flags | r.desc.interleave | r.desc.swizzle | r.desc.oob_fill, 0);
    assert_int_equal(r.flags | (unsigned)r.use_count, 0);
    done(&r);
}

static void im2col_and_wide(void **state)
{
    struct io_record r = read_one(IM2COL ",\"lower\":[-1,-2],\"upper\":[1,\"-0x3\"]}", 0);
    (void)state;
    assert_string_equal(r.error, "");
    assert_true(r.desc.lower[0] == -1 && r.desc.lower[1] == -2 && r.desc.upper[1] == -3);
    assert_true(r.desc.channels == 64 && r.desc.pixels == 32);
    done(&r);
    r = read_one("{" BASE "\"kind\":\"im2col_wide\",\"dim\":[64,8,2],\"stride\":[128,1024],"
                 "\"channels\":64,\"pixels\":32,\"lower\":-4,\"upper\":5,\"mode\":\"W128\"}",
                 0);
    assert_string_equal(r.error, "");
    assert_true(r.desc.lower[0] == -4 && r.desc.upper[0] == 5);
    assert_int_equal(r.desc.mode, TMAP_WIDE_W128);
    done(&r);
}

/* Everything that a rule can judge is read, not refused. */
static void what_rules_judge_is_no_error(void **state)
{
    static const char *const texts[] = {
        WITH("\"swizzle\":-7"),
        WITH("\"swizzle\":\"0x7fffffff\""),
        WITH("\"oob_fill\":2147483647"),
        "{\"dtype\":-1,\"address\":null," SHAPE "}",
        WITH("\"map_address\":null"),
        WITH("\"elem_stride\":null"),
        WITH("\"uses\":[{\"op\":\"load\",\"dst\":\"cluster\"}]"),
        "{" BASE "\"dim\":[64,\"0x4000000000000000\"],\"box\":[64,8]}",
        "{" BASE "\"rank\":2,\"dim\":null,\"stride\":null,\"box\":null}",
        "{" BASE "\"dim\":[],\"box\":[]}",
        "{" BASE "\"rank\":0,\"dim\":[],\"stride\":[],\"box\":[]}",
        "{" BASE "\"rank\":1,\"dim\":[0],\"box\":[0]}",
        "{" BASE "\"rank\":\"0xffffffff\",\"dim\":[1,2,3,4,5],\"stride\":[16,16,16,16],"
        "\"box\":[1,1,1,1,1]}",
        "{" BASE "\"dim\":[1,2,3,4,5,6],\"stride\":[16,16,16,16,16],\"box\":[1,1,1,1,1,1]}",
        "{" BASE "\"dim\":[\"18446744073709551615\",1],\"stride\":[\"0xffffffffffffffff\"],"
        "\"box\":[\"4294967295\",1]}",
        IM2COL ",\"lower\":null,\"upper\":null}",
        "{" BASE "\"kind\":\"im2col\",\"dim\":[64,8],\"stride\":[128],\"channels\":0,"
        "\"pixels\":0}",
        "{" BASE "\"kind\":\"im2col_wide\",\"dim\":[64,8,2],\"stride\":[128,1024],\"channels\":64,"
        "\"pixels\":32,\"lower\":[0],\"upper\":[0],\"mode\":99}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct io_record r = read_one(texts[i], 0);
        if (r.error[0]) fail_msg("%s: %s: %s", texts[i], r.path, r.error);
        done(&r);
    }
}

/* What is written of a record reads back as the same descriptor and the same uses. */
static void written_and_read_back(void **state)
{
    static const char *const texts[] = {
        WHOLE,
        WITH("\"swizzle\":-7,\"oob_fill\":\"NAN\",\"elem_stride\":[2,8],\"map_address\":64"),
        WITH("\"map_address\":null,\"allocation\":{\"base\":0,\"bytes\":\"0xffffffffffffffff\"}"),
        "{\"kind\":9," BASE SHAPE "}",
        "{" BASE "\"rank\":2,\"dim\":null,\"stride\":null,\"box\":null,\"elem_stride\":null}",
        "{" BASE "\"rank\":9,\"dim\":[1,2,3,4,5],\"stride\":[16,16,16,16],"
        "\"box\":[1,1,1,1,1]}",
        "{" BASE "\"dim\":[],\"box\":[]}",
        IM2COL ",\"lower\":[-1,-2],\"upper\":null}",
        "{" BASE "\"kind\":\"im2col_wide\",\"dim\":[64,8,2],\"stride\":[128,1024],"
        "\"channels\":64,\"pixels\":32,\"lower\":-4,\"upper\":5,\"mode\":7}",
        WITH("\"uses\":[{\"op\":\"gather4\",\"coord\":[0,1,2,3,-4],\"smem\":128,\"dst\":\"cta\","
             "\"multicast\":2,\"cta_group\":1,\"consumer\":\"wgmma\",\"major\":\"mn\",\"expect_"
             "tx\":\"0x10000000000\",\"mbarrier\":8}]"),
        WITH("\"uses\":[{\"op\":\"replace\",\"field\":\"rank\",\"ordinal\":2,\"value\":3}]"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct io_record r = read_one(texts[i], 0), again;
        json_t *json = io_desc_json(&r.desc, NULL);
        struct io_stream other;
        if (r.use_count)
            json_object_set_new(json, "uses", json_pack("[o]", io_use_json(&r.uses[0])));
        char *text = json_dumps(json, JSON_COMPACT);
        assert_true(text_stream(&other, text, strlen(text)));
        assert_true(io_record_next(&other, 0, &again));
        if (again.error[0]) fail_msg("%s: %s: %s", text, again.path, again.error);
        if (memcmp(&r.desc, &again.desc, sizeof r.desc) != 0) fail_msg("%s is another", text);
        assert_int_equal(r.use_count, again.use_count);
        if (r.use_count) assert_memory_equal(&r.uses[0], &again.uses[0], sizeof r.uses[0]);
        io_record_free(&again);
        io_stream_close(&other);
        json_decref(json);
        free(text);
        done(&r);
    }
}

static void the_widest_numbers(void **state)
{
    struct io_record r = read_one("{" BASE "\"dim\":[\"0xFFFFFFFFFFFFFFFF\",9223372036854775807],"
                                  "\"stride\":[\"18446744073709551615\"],\"box\":[4294967295,0]}",
                                  0);
    (void)state;
    assert_string_equal(r.error, "");
    assert_true(r.desc.dim[0] == UINT64_MAX && r.desc.dim[1] == INT64_MAX);
    assert_true(r.desc.stride_bytes[0] == UINT64_MAX && r.desc.box[0] == UINT32_MAX);
    done(&r);
}

/* Names as cuda.h, torch, JAX and Triton write them. */
static void names_of_others(void **state)
{
    static const char *const types[] = {
        "BFLOAT16",       "bf16",         "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16",
        "torch.bfloat16", "jnp.bfloat16", "tl.bfloat16",
        "__nv_bfloat16"};
    char text[300];
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        snprintf(text, sizeof text,
                 "{\"$schema\":\"descriptor.json\",\"dtype\":\"%s\",\"dim\":[64],\"box\":[64],"
                 "\"swizzle\":\"CU_TENSOR_MAP_SWIZZLE_128B\","
                 "\"l2_promotion\":\"CU_TENSOR_MAP_L2_PROMOTION_L2_256B\","
                 "\"oob_fill\":\"CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA\"}",
                 types[i]);
        struct io_record r = read_one(text, 0);
        assert_string_equal(r.error, "");
        assert_int_equal(r.desc.dtype, TMAP_BFLOAT16);
        assert_int_equal(r.desc.swizzle, TMAP_SWIZZLE_128B);
        assert_int_equal(r.desc.l2_promotion, TMAP_L2_256B);
        assert_int_equal(r.desc.oob_fill, TMAP_OOB_NAN);
        done(&r);
    }
}

/* In a string a width may stand without its unit; a number is CUDA's value as it is. */
static void widths_in_strings(void **state)
{
    (void)state;
    struct io_record r =
        read_one(WITH("\"swizzle\":\"64\",\"l2_promotion\":\"256\",\"interleave\":\"16\""), 0);
    assert_string_equal(r.error, "");
    assert_int_equal(r.desc.swizzle, TMAP_SWIZZLE_64B);
    assert_int_equal(r.desc.l2_promotion, TMAP_L2_256B);
    assert_int_equal(r.desc.interleave, TMAP_INTERLEAVE_16B);
    done(&r);

    r = read_one(WITH("\"swizzle\":64,\"l2_promotion\":\"2\",\"interleave\":\"32B\""), 0);
    assert_string_equal(r.error, "");
    assert_int_equal(r.desc.swizzle, 64);
    assert_int_equal(r.desc.l2_promotion, TMAP_L2_128B);
    assert_int_equal(r.desc.interleave, TMAP_INTERLEAVE_32B);
    done(&r);
}

/* What is left out of a dense tensor; the smallest unit is a byte. */
static void address_and_strides_left_out(void **state)
{
    static const struct {
        const char *text;
        uint64_t stride[3];
    } rows[] = {
        {"{\"dtype\":\"bf16\",\"dim\":[4096,8,3],\"box\":[64,8,1]}", {8192, 65536}},
        {"{\"dtype\":\"16U4_ALIGN8B\",\"dim\":[6,8,3],\"box\":[4,1,1]}", {3, 24}},
        {"{\"dtype\":\"16U6_ALIGN16B\",\"dim\":[128,8],\"box\":[128,1]}", {96}},
        {"{\"dtype\":\"bf16\",\"interleave\":\"32B\",\"dim\":[4,5,6,7],\"box\":[1,1,1,1]}",
         {128, 640, 3840}},
        {"{\"dtype\":\"u8\",\"dim\":[1,1,\"0xffffffffffffffff\"],\"box\":[1,1,1]}", {1, 1}}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_record r = read_one(rows[i].text, 0);
        assert_string_equal(r.error, "");
        assert_int_equal(r.flags & (IO_NO_ADDRESS | IO_NO_STRIDE), IO_NO_ADDRESS | IO_NO_STRIDE);
        for (int k = 0; k < 3; k++) assert_int_equal(r.desc.stride_bytes[k], rows[i].stride[k]);
        done(&r);
    }
}

static const struct {
    const char *text, *path, *says;
} refused[] = {
    {"{}", "$", "\"dtype\" is missing"},
    {"{\"dtype\":\"UINT8\"}", "$", "\"dim\" is missing"},
    {"{" BASE "\"dim\":[1],\"stride\":[]}", "$", "\"box\" is missing"},
    {"{" BASE "\"dim\":[\"0xffffffffffffffff\",2,1],\"box\":[1,1,1]}", "$",
     "\"stride\" is missing"},
    {"{\"dtype\":99,\"dim\":[4,2],\"box\":[1,1]}", "$", "\"stride\" is missing"},
    {"{" BASE "\"dim\":null,\"stride\":[],\"box\":[]}", "$", "\"rank\" is missing"},
    {IM2COL ",\"lower\":[0,0]}", "$", "\"upper\" is missing"},
    {WITH("\"foo\":1"), "$.foo", "unknown key"},
    {WITH("\"strides\":[1]"), "$.strides", "did you mean 'stride'?"},
    {WITH("\"elemStride\":[1]"), "$.elemStride", "did you mean 'elem_stride'?"},
    {WITH("\"channels\":1"), "$.channels", "unknown key"},
    {IM2COL ",\"lower\":[0,0],\"upper\":[0,0],\"box\":[1]}", "$.box", "unknown key"},
    {WITH("\"kind\":\"im2row\""), "$.kind", "expected \"tiled\", \"im2col\" or \"im2col_wide\""},
    {WITH("\"swizzle\":\"512B\""), "$.swizzle", "there is no swizzle \"512B\""},
    {WITH("\"swizzle\":null"), "$.swizzle", "expected a name or an integer, not null"},
    {WITH("\"swizzle\":2147483648"), "$.swizzle", "does not fit"},
    {WITH("\"rank\":-1"), "$.rank", "-1 does not fit: its field holds 0 to 4294967295"},
    {WITH("\"rank\":3"), "$.dim", "2 entries where the rank asks for 3"},
    {WITH("\"rank\":1"), "$.dim", "2 entries where the rank asks for 1"},
    {WITH("\"rank\":true"), "$.rank", "expected an integer, not a boolean"},
    {WITH("\"elem_stride\":[1]"), "$.elem_stride", "1 entry where the rank asks for 2"},
    {"{" BASE "\"dim\":[-4,1],\"stride\":[16],\"box\":[1,1]}", "$.dim[0]", "-4 does not fit"},
    {"{" BASE "\"dim\":[1,1.5],\"stride\":[16],\"box\":[1,1]}", "$.dim[1]",
     "expected an integer, not a number with a fraction"},
    {"{" BASE "\"dim\":[1,\"x\"],\"stride\":[16],\"box\":[1,1]}", "$.dim[1]",
     "\"x\" is no decimal or hexadecimal number below 2^64"},
    {"{" BASE "\"dim\":[1,\"18446744073709551616\"],\"stride\":[16],\"box\":[1,1]}", "$.dim[1]",
     "no decimal or hexadecimal number below 2^64"},
    {"{" BASE "\"dim\":[18446744073709551615,1],\"stride\":[16],\"box\":[1,1]}", "$.dim[0]",
     "over 2^63 - 1: write it as a string"},
    {"{" BASE "\"dim\":7,\"stride\":[16],\"box\":[1,1]}", "$.dim", "expected an array or null"},
    {"{" BASE "\"dim\":[1,1],\"stride\":{},\"box\":[1,1]}", "$.stride",
     "expected an array or null, not an object"},
    {"{" BASE "\"dim\":[1,1],\"stride\":[16],\"box\":[1,[]]}", "$.box[1]",
     "expected an integer, not an array"},
    {WITH("\"name\":7"), "$.name", "expected a string, not an integer"},
    {WITH("\"allocation\":{\"base\":0}"), "$.allocation", "\"bytes\" is missing"},
    {WITH("\"allocation\":{\"base\":0,\"bytes\":1,\"size\":2}"), "$.allocation.size",
     "unknown key"},
    {WITH("\"assume\":[\"K % 8 == 0\"]"), "$.assume", "symbolic input"},
    {WITH("\"uses\":{}"), "$.uses", "expected an array, not an object"},
    {WITH("\"uses\":[{}]"), "$.uses[0]", "\"op\" is missing"},
    {WITH("\"uses\":[{\"op\":\"steal\"}]"), "$.uses[0].op", "there is no op \"steal\""},
    {WITH("\"uses\":[{\"op\":\"load\",\"coord\":[1,2,3,4,5,6]}]"), "$.uses[0].coord",
     "6 entries; at most 5"},
    {WITH("\"uses\":[{\"op\":\"load\"},{\"op\":\"load\",\"coord\":[2147483648]}]"),
     "$.uses[1].coord[0]", "2147483648 does not fit"},
    {WITH("\"uses\":[{\"op\":\"load\",\"where\":1}]"), "$.uses[0].where", "unknown key"},
    {WITH("\"uses\":[{\"op\":\"load\",\"dst\":\"global\"}]"), "$.uses[0].dst", "\"cluster\""},
    {WITH("\"uses\":[{\"op\":\"load\",\"dst\":7}]"), "$.uses[0].dst", "\"cluster\""},
    {WITH("\"uses\":[{\"op\":\"replace\",\"value\":1}]"), "$.uses[0]", "\"field\" is missing"},
    {WITH("\"uses\":[{\"op\":\"replace_address\"}]"), "$.uses[0]", "\"value\" is missing"},
    {WITH("\"expect\":\"maybe\""), "$.expect", "expected \"legal\""},
    {WITH("\"expect_rules\":[\"TMA999\"]"), "$.expect_rules[0]", "there is no rule \"TMA999\""},
    {WITH("\"expect_rules\":\"TMA001\""), "$.expect_rules", "expected an array"},
    {WITH("\"allow\":{\"TMA001\":\"\"}"), "$.allow.TMA001", "expected the reason"},
    {"{\"dtype\":\"UINT8\",\"dtype\":\"UINT8\"}", "$.dtype", "duplicate object key"},
    {"{\"dtype\":[],\"dim\":[1],\"box\":[1]}", "$.dtype",
     "expected a name or an integer, not an array"},
    {"{\"dtype\":\"bf17\",\"dim\":[1],\"box\":[1]}", "$.dtype", "there is no dtype \"bf17\""},
    {WITH("\"interleave\":\"64B\""), "$.interleave", "there is no interleave \"64B\""},
    {WITH("\"l2_promotion\":\"x\""), "$.l2_promotion", "there is no l2_promotion \"x\""},
    {WITH("\"oob_fill\":\"ONES\""), "$.oob_fill", "there is no oob_fill \"ONES\""},
    {WITH("\"kind\":true"), "$.kind", "expected \"tiled\", \"im2col\" or \"im2col_wide\""},
    {"{" BASE "\"kind\":\"im2col_wide\",\"dim\":[64,8,8]}", "$", "\"mode\" is missing"},
    {"{" BASE "\"kind\":\"im2col_wide\",\"mode\":\"X\",\"dim\":[64,8,8]}", "$.mode", "no mode"},
    {IM2COL ",\"lower\":[0],\"upper\":[0,0]}", "$.lower", "1 entry where the rank asks for 2"},
    {IM2COL ",\"lower\":null,\"upper\":7}", "$.upper", "expected an array or null, not an integer"},
    {"{" BASE "\"kind\":\"im2col\",\"dim\":[64,8,8,2],\"stride\":[128,1024,8192],"
     "\"lower\":[0,0],\"upper\":[0,0],\"channels\":-1,\"pixels\":32}",
     "$.channels", "-1 does not fit"},
    {"{" BASE "\"kind\":\"im2col\",\"dim\":[64,8,8,2],\"stride\":[128,1024,8192],"
     "\"lower\":[0,0],\"upper\":[0,0],\"channels\":64}",
     "$", "\"pixels\" is missing"},
    {"{" BASE "\"kind\":\"im2col_wide\",\"mode\":\"W\",\"dim\":[64,8,8],\"stride\":[128,1024],"
     "\"lower\":[0,0],\"upper\":0,\"channels\":64,\"pixels\":32}",
     "$.lower", "2 entries where the rank asks for 1"},
    {"{" BASE "\"kind\":\"im2col_wide\",\"mode\":\"W\",\"dim\":[64,8,8],\"stride\":[128,1024],"
     "\"lower\":null,\"upper\":0,\"channels\":64,\"pixels\":32}",
     "$.lower", "expected an integer, not null"},
    {"{" BASE "\"rank\":6,\"dim\":[1,1,1,1,1,1],\"box\":[1,1,1,1,1,1]}", "$",
     "\"stride\" is missing"},
    {"{" BASE "\"rank\":3,\"dim\":null,\"box\":[1,1,1]}", "$", "\"stride\" is missing"},
    {WITH("\"map_address\":-1"), "$.map_address", "-1 does not fit"},
    {WITH("\"allocation\":{\"bytes\":1}"), "$.allocation", "\"base\" is missing"},
    {WITH("\"allocation\":{\"base\":-1,\"bytes\":1}"), "$.allocation.base", "-1 does not fit"},
    {WITH("\"allocation\":{\"base\":0,\"bytes\":[]}"), "$.allocation.bytes", "expected an integer"},
    {WITH("\"expect\":7"), "$.expect", "expected \"legal\""},
    {WITH("\"expect_rules\":[\"TMA001\",7]"), "$.expect_rules[1]", "expected a rule's id"},
    {WITH("\"allow\":[]"), "$.allow", "expected an object, not an array"},
    {WITH("\"allow\":{\"TMA999\":\"why\"}"), "$.allow.TMA999", "there is no rule \"TMA999\""},
    {WITH("\"allow\":{\"TMA001\":7}"), "$.allow.TMA001", "expected the reason"},
    {WITH("\"name\":null"), "$.name", "expected a string, not null"},
    {"{\"dtype\":nan}", "$.dtype", "not JSON: "},
    {"{\"dim\":[x]}", "$.dim[0]", "not JSON: "},
    {"{\"dim\":[1,x]}", "$.dim[1]", "not JSON: "},
    {"{\"dtype\":\"\\u0000\"}", "$.dtype", "not JSON: \\u0000 is not allowed"},
};

static void refusals_name_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct io_record r = read_one(refused[i].text, 0);
        if (strcmp(r.path, refused[i].path) != 0 || !strstr(r.error, refused[i].says))
            fail_msg("%s\n  got  %s: %s\n  want %s: %s", refused[i].text, r.path, r.error,
                     refused[i].path, refused[i].says);
        done(&r);
    }
}

static void an_error_names_file_record_line_and_path(void **state)
{
    static const char text[] = "[" WHOLE ",\n {" BASE "\n  \"dim\":[1,\n   -1],"
                               "\"stride\":[16],\"box\":[1,1]},\n" WHOLE "]";
    struct io_record r;
    char line[400];
    json_t *json;
    (void)state;
    assert_true(text_stream(&stream, text, strlen(text)));
    assert_true(io_record_next(&stream, 0, &r));
    assert_string_equal(r.error, "");
    io_record_free(&r);
    assert_true(io_record_next(&stream, 0, &r));
    io_error_text(&r, line, sizeof line);
    assert_string_equal(line, "test.json:4: record 2: $.dim[1]: -1 does not fit: its field holds "
                              "0 to 18446744073709551615");
    json = io_error_json(&r);
    assert_int_equal(json_integer_value(json_object_get(json, "record")), 2);
    assert_int_equal(json_integer_value(json_object_get(json, "line")), 4);
    assert_string_equal(json_string_value(json_object_get(json, "path")), "$.dim[1]");
    json_decref(json);
    io_record_free(&r);
    assert_true(io_record_next(&stream, 0, &r));
    assert_string_equal(r.error, "");
    assert_int_equal(r.record, 3);
    io_record_free(&r);
    assert_false(io_record_next(&stream, 0, &r));
    io_stream_close(&stream);
}

static void uses(void **state)
{
    struct io_record r = read_one(
        WITH("\"uses\":[{\"op\":\"load\",\"coord\":[-16,64],\"smem\":\"0x400\",\"multicast\":2,"
             "\"expect_tx\":16384,\"dst\":\"cta\",\"mbarrier\":8},"
             "{\"op\":\"reduce_xor\"},{\"op\":\"replace\",\"field\":\"global_dim\",\"ordinal\":1,"
             "\"value\":\"0x10\"}]"),
        0);
    const struct tmap_use *u = r.uses;
    (void)state;
    assert_string_equal(r.error, "");
    assert_int_equal(r.use_count, 3);
    assert_int_equal(u[0].op, TMAP_OP_LOAD);
    assert_int_equal(u[0].flags, TMAP_USE_COORD | TMAP_USE_SMEM | TMAP_USE_EXPECT_TX |
                                     TMAP_USE_MBARRIER | TMAP_USE_CTA_DST);
    assert_true(u[0].coord_count == 2 && u[0].coord[0] == -16 && u[0].coord[1] == 64);
    assert_true(u[0].smem == 0x400 && u[0].multicast == 2 && u[0].expect_tx == 16384);
    assert_true(u[1].op == TMAP_OP_REDUCE_XOR && u[1].flags == 0);
    assert_int_equal(u[2].field, TMAP_REPLACE_GLOBAL_DIM);
    assert_true(u[2].ordinal == 1 && u[2].value == 16);
    done(&r);
}

static void symbols_only_where_asked_for(void **state)
{
    static const char text[] = "{" BASE "\"dim\":[\"K\",64],\"stride\":[\"2*K\"],\"box\":[64,8],"
                               "\"assume\":[\"K % 8 == 0\"]}";
    struct io_record r = read_one(text, IO_SYMBOLIC);
    (void)state;
    assert_string_equal(r.error, "");
    assert_true(r.flags & IO_HAS_SYMBOLS);
    assert_string_equal(json_string_value(json_array_get(json_object_get(r.json, "stride"), 0)),
                        "2*K");
    done(&r);
    r = read_one(text, 0);
    assert_string_equal(r.path, "$.dim[0]");
    done(&r);
}

static void aliases(void **state)
{
    static const struct {
        const char *text;
        int32_t dtype;
    } rows[] = {{"bf16", TMAP_BFLOAT16},
                {"FP8_E4M3", TMAP_UINT8},
                {"float16", TMAP_FLOAT16},
                {"fp4", TMAP_16U4_ALIGN8B},
                {"16U6_ALIGN16B", TMAP_16U6_ALIGN16B},
                {"tf32", TMAP_TFLOAT32}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "{\"dtype\":\"%s\",\"address\":0," SHAPE "}", rows[i].text);
        struct io_record r = read_one(text, 0);
        assert_string_equal(r.error, "");
        assert_int_equal(r.desc.dtype, rows[i].dtype);
        done(&r);
    }
}

/* "K" in the place of a list is that of a list of one; a list beyond its field is cut. */
static void expressions_keep_their_places(void **state)
{
    static const char text[] =
        "{" BASE "\"kind\":\"im2col_wide\",\"mode\":\"W\",\"dim\":[64,\"W\",\"H\"],"
        "\"stride\":[128,\"128*W\"],\"lower\":\"-P\",\"upper\":[\"P\"],\"channels\":\"C\","
        "\"pixels\":\"N\",\"assume\":[\"P >= 0\",\"N > 0\"],"
        "\"uses\":[{\"op\":\"load\",\"coord\":[0,\"c\"],\"offset\":[\"o\"],\"smem\":\"S\"}]}";
    struct io_record r = read_one(text, IO_SYMBOLIC);
    struct tmap_symbolic_desc d;
    struct tmap_symbolic_use use;
    const char *assume[2] = {NULL, NULL};
    (void)state;
    assert_string_equal(r.error, "");
    io_symbolic_of(&r, &d);
    io_symbolic_uses_of(&r, &use);
    assert_null(d.dim[0]);
    assert_string_equal(d.dim[2], "H");
    assert_string_equal(d.stride[1], "128*W");
    assert_string_equal(d.lower[0], "-P");
    assert_string_equal(d.upper[0], "P");
    assert_string_equal(d.channels, "C");
    assert_string_equal(d.pixels, "N");
    assert_string_equal(use.coord[1], "c");
    assert_string_equal(use.offset[0], "o");
    assert_string_equal(use.smem, "S");
    assert_int_equal(io_assumptions_of(&r, assume, 1), 2);
    assert_string_equal(assume[0], "P >= 0");
    assert_null(assume[1]);
    done(&r);
    r = read_one("{" BASE "\"dim\":[1,2,3,4,\"K\",\"L\"],\"stride\":[16,16,16,16,16],"
                 "\"box\":[1,1,1,1,1,1]}",
                 IO_SYMBOLIC);
    assert_string_equal(r.error, "");
    io_symbolic_of(&r, &d);
    assert_string_equal(d.dim[4], "K");
    assert_null(d.stride[0]);
    done(&r);
}

static void numbers(void **state)
{
    static const struct {
        const char *text;
        bool ok, negative;
        uint64_t magnitude;
    } rows[] = {{"0", true, false, 0},
                {"-0", true, false, 0},
                {"-1", true, true, 1},
                {"18446744073709551615", true, false, UINT64_MAX},
                {"-18446744073709551615", true, true, UINT64_MAX},
                {"18446744073709551616", false, false, 0},
                {"0xffffffffffffffff", true, false, UINT64_MAX},
                {"0X1g", false, false, 0},
                {"0x10000000000000000", false, false, 0},
                {"0x", false, false, 0},
                {"", false, false, 0},
                {"-", false, false, 0},
                {"+1", false, false, 0},
                {" 1", false, false, 0},
                {"1 ", false, false, 0},
                {"1e3", false, false, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tmap_number n;
        if (io_parse_number(rows[i].text, &n) != rows[i].ok) fail_msg("%s", rows[i].text);
        if (!rows[i].ok) continue;
        assert_int_equal(n.negative, rows[i].negative);
        assert_true(n.magnitude == rows[i].magnitude);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_descriptor),
        cmocka_unit_test(what_may_be_left_out),
        cmocka_unit_test(im2col_and_wide),
        cmocka_unit_test(what_rules_judge_is_no_error),
        cmocka_unit_test(written_and_read_back),
        cmocka_unit_test(the_widest_numbers),
        cmocka_unit_test(names_of_others),
        cmocka_unit_test(widths_in_strings),
        cmocka_unit_test(address_and_strides_left_out),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(an_error_names_file_record_line_and_path),
        cmocka_unit_test(uses),
        cmocka_unit_test(symbols_only_where_asked_for),
        cmocka_unit_test(aliases),
        cmocka_unit_test(expressions_keep_their_places),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests_name("read", tests, NULL, NULL);
}
