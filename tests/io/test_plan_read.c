/* test_plan_read.c : requests, pipelines, protocols and problems from JSON: what is refused, in
 * which place and words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/plan/plan.h"

#include <stdlib.h>
#include <string.h>

typedef bool reader(struct io_record *r);

static bool request(struct io_record *r)
{
    struct io_request out;
    return io_request_from(r, &out);
}

static bool pipeline(struct io_record *r)
{
    struct io_pipeline out;
    const bool ok = io_pipeline_from(r, &out);
    io_pipeline_free(&out);
    return ok;
}

static bool problem(struct io_record *r)
{
    struct io_prune out;
    const bool ok = io_prune_from(r, &out);
    io_prune_free(&out);
    return ok;
}

#define BF16 "\"dtype\":\"BFLOAT16\""
#define TENSOR "\"tensor\":{" BF16 ",\"dim\":[64,64]}"
#define TILE "\"tile\":[8,8]"
#define TORCH "\"tensor\":{" BF16 ",\"sizes\":[2,64]"
#define SIX(more) "{\"tensor\":{" BF16 ",\"dim\":[64,64,2,2,2,2]" more "},\"tile\":[8,8,1,1,1,1]}"
#define LOADS "\"loads\":[{" BF16 ",\"dim\":[64,64],\"box\":[64,64]}]"
#define PROTOCOL(more) "{\"protocol\":{\"agents\":[{\"name\":\"a\"}]" more "}}"
#define PROTOCOL_OF_TILES(agents) "{\"protocol\":{\"tiles\":true,\"agents\":[" agents "]}}"
#define STEP(step)                                                                                 \
    "{\"protocol\":{\"ctas\":2,\"rings\":{\"r\":2},\"barriers\":{\"b\":{\"ring\":\"r\"}},"         \
    "\"buffers\":{\"x\":\"r\"},\"agents\":[{\"name\":\"a\",\"tile\":[" step "]}]}}"
#define FIRST "$.protocol.agents[0].tile[0]"
#define CONFIG "\"BLOCK_M\":1,\"BLOCK_N\":1,\"BLOCK_K\":1,\"num_stages\":1"
#define LISTS "\"BLOCK_M\":[1],\"BLOCK_N\":[1],\"BLOCK_K\":[1],\"num_stages\":[1]"

static const struct row {
    reader *reads;
    const char *text, *path, *says;
} rows[] = {
    {request, "{" TENSOR "," TILE ",\"tilt\":1}", "$.tilt", "unknown key; did you mean"},
    {request, "{" TENSOR "}", "$.tile", "expected an array of numbers"},
    {request, "{\"tensor\":[]," TILE "}", "$.tensor", "expected an object"},
    {request, "{" TILE "}", "$.tensor", "expected an object"},
    {request, "{\"tensor\":{\"dim\":[64,64]}," TILE "}", "$.tensor", "\"dtype\" is missing"},
    {request, "{" TENSOR ",\"tile\":[8]}", "$.tile", "1 entry where the rank asks for 2"},
    {request, "{" TENSOR ",\"tile\":[8,\"x\"]}", "$.tile[1]", "\"x\" is no decimal"},
    {request, "{" TENSOR "," TILE ",\"op\":\"add\"}", "$.op", "load or store"},
    {request, "{" TENSOR "," TILE ",\"op\":1}", "$.op", "load or store"},
    {request, "{" TENSOR "," TILE ",\"consumer\":\"wgmma\",\"major\":1}", "$.consumer", "none, "},
    {request, "{" TENSOR "," TILE ",\"consumer\":\"wgmma\",\"major\":\"m\"}", "$.consumer", "none"},
    {request, "{" TENSOR "," TILE ",\"consumer\":\"wgmma_k_major\",\"major\":\"k\"}", "$.consumer",
     "none, "},
    {request, "{" TENSOR "," TILE ",\"consumer\":\"mma\"}", "$.consumer", "none, "},
    {request, "{" TENSOR "," TILE ",\"consumer\":1}", "$.consumer", "none, "},
    {request, "{" TENSOR "," TILE ",\"multicast\":-1}", "$.multicast", "-1 does not fit"},
    {request, "{" TORCH "}," TILE ",\"multicast\":[]}", "$.multicast", "expected an integer"},
    {request, "{\"tensor\":{\"sizes\":[2,64]}," TILE "}", "$.tensor", "dtype is missing"},
    {request, "{\"tensor\":{\"dtype\":99,\"sizes\":[2,64]}," TILE "}", "$.tensor", "no size"},
    {request, "{\"tensor\":{\"dtype\":\"b\",\"sizes\":[2,64]}," TILE "}", "$.tensor.dtype", "no d"},
    {request, "{" TORCH ",\"stride\":[64,1]}," TILE "}", "$.tensor.stride", "unknown key; did"},
    {request, "{" TORCH ",\"strides\":[64]}," TILE "}", "$.tensor.strides", "array of 2 numbers"},
    {request, "{" TORCH ",\"strides\":1}," TILE "}", "$.tensor.strides", "array of 2 numbers"},
    {request, "{" TORCH ",\"strides\":[64,\"x\"]}," TILE "}", "$.tensor.strides[1]", "no decimal"},
    {request, "{" TORCH ",\"strides\":[\"0x1000000000000000\",1]}," TILE "}", "$.tensor.strides",
     "a stride of more than 2^61 bytes"},
    {request, "{" TORCH ",\"address\":[]}," TILE "}", "$.tensor.address", "expected an integer"},
    {request, "{" TORCH ",\"offset\":-1}," TILE "}", "$.tensor.offset", "-1 does not fit"},
    {request, "{" TORCH ",\"offset\":\"0xffffffffffffffff\"}," TILE "}", "$.tensor.offset",
     "element 0 lies at no byte"},
    {request, "{" TORCH ",\"address\":\"0xffffffffffffffff\",\"offset\":1}," TILE "}",
     "$.tensor.offset", "element 0 lies at no byte"},
    {request, "{" TORCH "},\"tile\":[1]}", "$.tile", "expected an array of 2 numbers"},
    {request, "{" TORCH "},\"tile\":[1,0]}", "$.tile", "a tile of no elements"},
    {request, "{" TORCH "},\"tile\":[1,\"x\"]}", "$.tile[1]", "\"x\" is no decimal"},
    {request, "{\"tensor\":{" BF16 ",\"sizes\":[]}," TILE "}", "$.tensor.sizes", "array of 1 to"},
    {request, "{\"tensor\":{" BF16 ",\"sizes\":2}," TILE "}", "$.tensor.sizes", "array of 1 to"},
    {request, "{\"tensor\":{" BF16 ",\"sizes\":[2,[]]}," TILE "}", "$.tensor.sizes[1]", "expected"},
    {request, "{\"tensor\":{" BF16 ",\"sizes\":[\"0x4000000000000000\",8]}," TILE "}",
     "$.tensor.strides", "more than 2^61 bytes"},
    {request, SIX(",\"strid\":[1]"), "$.tensor.strid", "unknown key; did you mean"},
    {request, "{\"tensor\":{" BF16 ",\"dim\":[64,64],\"boxes\":[1]}," TILE "}", "$.tensor.boxes",
     "unknown key; did you mean"},
    {request, SIX(",\"kind\":\"tile\""), "$.tensor.kind", "expected \"tiled\""},
    {request, SIX(",\"elem_stride\":[]"), "$.tensor", "\"stride\" is missing"},
    {request, SIX(",\"interleave\":\"x\""), "$.tensor.interleave", "there is no interleave"},
    {request, SIX(",\"rank\":3"), "$.tensor.dim", "6 entries where the rank asks for 3"},
    {request, SIX(",\"oob_fill\":\"x\""), "$.tensor.oob_fill", "there is no oob_fill"},
    {pipeline, "{\"stage\":1," LOADS "}", "$.stage", "unknown key; did you mean"},
    {pipeline, "{\"stages\":1}", "$.loads", "expected an array of descriptors"},
    {pipeline, "{\"loads\":[1]}", "$.loads[0]", "expected an object, not an integer"},
    {pipeline, "{" LOADS ",\"store\":[]}", "$.store", "expected an object, not an array"},
    {pipeline, "{" LOADS ",\"stages\":-1}", "$.stages", "-1 does not fit"},
    {pipeline, "{" LOADS ",\"store_stages\":[]}", "$.store_stages", "expected an integer"},
    {pipeline, "{" LOADS ",\"consumers\":[]}", "$.consumers", "expected an integer"},
    {pipeline, "{" LOADS ",\"cta_group\":[]}", "$.cta_group", "expected an integer"},
    {pipeline, "{" LOADS ",\"tmem_columns\":[]}", "$.tmem_columns", "expected an integer"},
    {pipeline, "{" LOADS ",\"reserve_bytes\":[]}", "$.reserve_bytes", "expected an integer"},
    {pipeline, "{" LOADS ",\"expect_tx\":[]}", "$.expect_tx", "expected an integer"},
    {pipeline, "{" LOADS ",\"cluster\":[]}", "$.cluster", "expected one or two numbers of CTAs"},
    {pipeline, "{" LOADS ",\"cluster\":[1,1,1]}", "$.cluster", "expected one or two numbers"},
    {pipeline, "{" LOADS ",\"cluster\":[\"x\"]}", "$.cluster[0]", "no decimal"},
    {pipeline, "{" LOADS ",\"cluster\":[0]}", "$.cluster", "CTAs together can be explored"},
    {pipeline, "{" LOADS ",\"cluster\":[1,0]}", "$.cluster", "CTAs together can be explored"},
    {pipeline, "{" LOADS ",\"cluster\":[99]}", "$.cluster", "CTAs together can be explored"},
    {pipeline, "{" LOADS ",\"cluster\":[2,99]}", "$.cluster", "CTAs together can be explored"},
    {pipeline, "{" LOADS ",\"cluster\":[2]}", "$.shared", "along direction 0 share no load"},
    {pipeline, "{" LOADS ",\"shared\":[]}", "$.shared", "a list of loads for each direction of"},
    {pipeline, "{" LOADS ",\"shared\":[[],[],[]]}", "$.shared", "for each direction of"},
    {pipeline, "{" LOADS ",\"cluster\":[2],\"shared\":[[0],7]}", "$.shared[1]", "a list of loads"},
    {pipeline, "{" LOADS ",\"cluster\":[2],\"shared\":[[0],[\"x\"]]}", "$.shared[1][0]", "no deci"},
    {pipeline, "{" LOADS ",\"cluster\":[2],\"shared\":[[1]]}", "$.shared[0]", "1 is no load"},
    {pipeline, "{" LOADS ",\"cluster\":[2],\"shared\":[[0,0]]}", "$.shared[0]", "or named twice"},
    {pipeline, "{" LOADS ",\"cluster\":[2],\"shared\":[[0],[0]]}", "$.shared[1]", "named twice"},
    {pipeline, "{" LOADS ",\"mma\":1}", "$.mma", "expected an object"},
    {pipeline, "{" LOADS ",\"mma\":{\"l\":1}}", "$.mma.l", "unknown key"},
    {pipeline, "{" LOADS ",\"mma\":{\"kind\":1,\"m\":1}}", "$.mma", "kind, m and n are needed"},
    {pipeline, "{" LOADS ",\"mma\":{\"kind\":[],\"m\":1,\"n\":1}}", "$.mma.kind", "expected an"},
    {pipeline, "{" LOADS ",\"mma\":{\"kind\":99,\"m\":\"x\",\"n\":1}}", "$.mma.m", "no decimal"},
    {problem, "{\"dtypes\":1}", "$.dtypes", "unknown key; did you mean"},
    {problem, "{\"op\":1}", "$.op", "expected a string, not an integer"},
    {problem, "{\"op\":\"conv\"}", "$.op", "only gemm is known"},
    {problem, "{\"model\":[]}", "$.model", "expected a string, not an array"},
    {problem, "{\"model\":\"r\"}", "$.model", "ring, triton or tcgen05"},
    {problem, "{\"op\":\"gemm\",\"model\":\"ring\"}", "$", "dtype is missing"},
    {problem, "{\"dtype\":\"x\"}", "$.dtype", "there is no dtype"},
    {problem, "{" BF16 ",\"out_dtype\":\"x\"}", "$.out_dtype", "there is no"},
    {problem, "{" BF16 ",\"M\":[]}", "$.M", "expected an integer"},
    {problem, "{" BF16 ",\"N\":[]}", "$.N", "expected an integer"},
    {problem, "{" BF16 ",\"K\":[]}", "$.K", "expected an integer"},
    {problem, "{" BF16 ",\"accumulators\":-1}", "$.accumulators", "-1 does not fit"},
    {problem, "{" BF16 "}", "$", "expected either configs or space"},
    {problem, "{" BF16 ",\"space\":{},\"configs\":[]}", "$", "expected either configs or space"},
    {problem, "{" BF16 ",\"space\":1}", "$.space", "expected an object"},
    {problem, "{" BF16 ",\"space\":{\"WIDE\":1}}", "$.space.WIDE", "unknown key"},
    {problem, "{" BF16 ",\"space\":{" LISTS "}}", "$.space", "num_warps: expected an array"},
    {problem, "{" BF16 ",\"space\":{" LISTS ",\"num_warps\":[1,\"x\"]}}", "$.space.num_warps[1]",
     "\"x\" is no decimal"},
    {problem, "{" BF16 ",\"configs\":[]}", "$.configs", "expected an array of configurations"},
    {problem, "{" BF16 ",\"configs\":[1]}", "$.configs[0]", "expected an object"},
    {problem, "{" BF16 ",\"configs\":[{" CONFIG "}]}", "$.configs[0]", "num_warps is missing"},
    {problem, "{" BF16 ",\"configs\":[{\"BLOCK\":1}]}", "$.configs[0].BLOCK", "unknown key"},
    {problem, "{" BF16 ",\"configs\":[{" CONFIG ",\"num_warps\":[]}]}", "$.configs[0].num_warps",
     "expected an integer"},
    {problem, "{" BF16 ",\"configs\":[{" CONFIG ",\"num_warps\":4,\"num_ctas\":[]}]}",
     "$.configs[0].num_ctas", "expected an integer"},
    {pipeline, "{\"protocol\":1}", "$.protocol", "expected an object"},
    {pipeline, "{\"protocol\":{}}", "$.protocol.agents", "expected an array of agents"},
    {pipeline, "{\"protocol\":{\"agents\":[1]}}", "$.protocol.agents[0]", "expected an object"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"x\":1}]}}", "$.protocol.agents[0].x", "unknown key"},
    {pipeline, "{\"protocol\":{\"agents\":[{}]}}", "$.protocol.agents[0]",
     "name: up to 31 letters"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"\"}]}}", "$.protocol.agents[0]", "name: up"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"a;b\"}]}}", "$.protocol.agents[0]", "name"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"a\",\"cta\":1}]}}", "$.protocol.agents[0]",
     "cta: at most 0"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"a\",\"every\":17}]}}",
     "$.protocol.agents[0]", "every: at most 16"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"a\",\"every\":2}]}}", "$.protocol.agents[0]",
     "every: the protocol has no tiles"},
    {pipeline, PROTOCOL_OF_TILES("{\"name\":\"a\",\"every\":2,\"turn\":2}"), "$.protocol.agents[0]",
     "turn: at most 1"},
    {pipeline, PROTOCOL_OF_TILES("{\"name\":\"a\",\"turn\":1}"), "$.protocol.agents[0]",
     "turn: at most 0"},
    {pipeline, PROTOCOL_OF_TILES("{\"name\":\"a\",\"every\":2},{\"name\":\"b\",\"every\":3}"),
     "$.protocol.agents[1]", "every: another agent's is 2"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"a\",\"count\":99}]}}",
     "$.protocol.agents[0]", "count: at most"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"a\",\"end\":1}]}}",
     "$.protocol.agents[0].end", "expected an array of steps"},
    {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"a\"}]},\"stages\":4}", "$.stages",
     "needs \"loads\""},
    {pipeline, PROTOCOL(",\"x\":1"), "$.protocol.x", "unknown key"},
    {pipeline, PROTOCOL(",\"ctas\":0"), "$.protocol", "ctas: at least 1"},
    {pipeline, PROTOCOL(",\"ctas\":[]"), "$.protocol.ctas", "expected an integer"},
    {pipeline, PROTOCOL(",\"tiles\":1"), "$.protocol", "tiles: true or false"},
    {pipeline, PROTOCOL(",\"started\":1"), "$.protocol", "started: true or false"},
    {pipeline, PROTOCOL(",\"stays\":1"), "$.protocol", "stays: true or false"},
    {pipeline, PROTOCOL(",\"rings\":[]"), "$.protocol.rings", "expected an object of names"},
    {pipeline, PROTOCOL(",\"rings\":{\"\":1}"), "$.protocol.rings", "names: up to"},
    {pipeline, PROTOCOL(",\"rings\":{\"a_name_of_more_than_31_characters\":1}"), "$.protocol.rings",
     "names: up to 31"},
    {pipeline, PROTOCOL(",\"rings\":{\"r\":0}"), "$.protocol.rings", "r: no slots"},
    {pipeline, PROTOCOL(",\"rings\":{\"r\":[]}"), "$.protocol.rings.r", "expected an integer"},
    {pipeline, PROTOCOL(",\"barriers\":[]"), "$.protocol.barriers", "an object of names"},
    {pipeline, PROTOCOL(",\"barriers\":{\"b\":1}"), "$.protocol.barriers.b", "expected an object"},
    {pipeline, PROTOCOL(",\"barriers\":{\"b\":{}}"), "$.protocol.barriers.b", "names nothing"},
    {pipeline, PROTOCOL(",\"barriers\":{\"b\":{\"x\":1}}"), "$.protocol.barriers.b.x", "unknown"},
    {pipeline,
     PROTOCOL(",\"rings\":{\"r\":1},\"barriers\":{\"b\":{\"ring\":\"r\",\"arrivals\":0}}"),
     "$.protocol.barriers.b", "no arrivals"},
    {pipeline, PROTOCOL(",\"buffers\":[]"), "$.protocol.buffers", "an object of names"},
    {pipeline, PROTOCOL(",\"buffers\":{\"x\":\"r\"}"), "$.protocol.buffers", "names nothing"},
    {pipeline, PROTOCOL(",\"syncs\":[]"), "$.protocol.syncs", "an object of names"},
    {pipeline, PROTOCOL(",\"syncs\":{\"s\":1}"), "$.protocol.syncs", "s: expected an array"},
    {pipeline, PROTOCOL(",\"syncs\":{\"s\":[1]}"), "$.protocol.syncs", "s: names no agent"},
    {pipeline, PROTOCOL(",\"syncs\":{\"s\":[\"a\",\"a\"]}"), "$.protocol.syncs", "or one twice"},
    {pipeline, STEP("1"), FIRST, "expected an object with one step"},
    {pipeline, STEP("{\"x\":1}"), FIRST, "expected an object with one step"},
    {pipeline, STEP("{\"fence\":true,\"x\":1}"), FIRST ".x", "unknown key"},
    {pipeline, STEP("{\"fence\":false}"), FIRST, "fence: expected true"},
    {pipeline, STEP("{\"init\":0}"), FIRST, "init: expected true"},
    {pipeline, STEP("{\"wait\":\"x\"}"), FIRST, "names nothing that the protocol has"},
    {pipeline, STEP("{\"wait\":null}"), FIRST, "names nothing that the protocol has"},
    {pipeline, STEP("{\"commit\":\"b\",\"barrier\":\"b\"}"), FIRST, "names nothing"},
    {pipeline, STEP("{\"commit\":null}"), FIRST, "barrier is missing"},
    {pipeline, STEP("{\"wait\":\"b\",\"barrier\":\"b\"}"), FIRST, "has no barrier"},
    {pipeline, STEP("{\"wait\":\"b\",\"bytes\":1}"), FIRST, "has no bytes"},
    {pipeline, STEP("{\"expect\":\"b\"}"), FIRST, "bytes are missing"},
    {pipeline, STEP("{\"expect\":\"b\",\"bytes\":-1}"), FIRST ".bytes", "-1 does not fit"},
    {pipeline, STEP("{\"wait_read\":[]}"), FIRST ".wait_read", "expected an integer"},
    {pipeline, STEP("{\"load\":\"x\",\"barrier\":\"y\",\"bytes\":1}"), FIRST, "names nothing"},
    {pipeline, STEP("{\"arrive\":\"b\",\"ctas\":[]}"), FIRST, "ctas: none"},
    {pipeline, STEP("{\"arrive\":\"b\",\"ctas\":[2]}"), FIRST, "there is no CTA 2"},
    {pipeline, STEP("{\"arrive\":\"b\",\"ctas\":[[]]}"), FIRST ".ctas[0]", "expected an integer"},
    {pipeline, STEP("{\"arrive\":\"b\",\"signal\":2}"), FIRST, "signal: at most 1"},
    {pipeline, STEP("{\"arrive\":\"b\",\"back\":99}"), FIRST, "back: at most"},
    {pipeline, STEP("{\"arrive\":\"b\",\"when\":99}"), FIRST, "when: at most"},
};

static void refusals_name_the_place(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct io_stream stream;
        struct io_record r;
        char error[IO_ERROR_SIZE];
        assert_true(io_stream_from(&stream, "t.json", row->text, strlen(row->text), error));
        assert_true(io_json_next(&stream, &r));
        if (r.error[0]) fail_msg("%s: %s", row->text, r.error);
        const bool read = row->reads(&r);
        if (read || strcmp(r.path, row->path) != 0 || !strstr(r.error, row->says)) {
            print_error("%s\n    %s: %s, not %s: %s\n", row->text, r.path, read ? "read" : r.error,
                        row->path, row->says);
            wrong++;
        }
        io_record_free(&r);
        io_stream_close(&stream);
    }
    assert_int_equal(wrong, 0);
}

/* The record of a text, which has nothing wrong as JSON. */
static void read_one(const char *text, struct io_stream *stream, struct io_record *r)
{
    char error[IO_ERROR_SIZE];
    assert_true(io_stream_from(stream, "t.json", text, strlen(text), error));
    assert_true(io_json_next(stream, r));
    if (r->error[0]) fail_msg("%s: %s", text, r->error);
}

static void what_may_be_said_is_read(void **state)
{
    static const struct {
        reader *reads;
        const char *text;
    } all[] = {
        {pipeline,
         "{\"protocol\":{\"agents\":[{\"name\":\"a\"}]},\"name\":\"p\",\"$schema\":\"s\"}"},
        {pipeline, "{\"protocol\":{\"agents\":[{\"name\":\"a\"}]}," LOADS "}"},
        {pipeline, "{" LOADS ",\"store\":null}"},
        {request, SIX(",\"stride\":[128,8192,16384,32768,65536]")},
        {problem, "{" BF16 ",\"op\":\"gemm\",\"model\":\"triton\",\"configs\":[{" CONFIG
                  ",\"num_warps\":4}]}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct io_stream stream;
        struct io_record r;
        read_one(all[i].text, &stream, &r);
        if (!all[i].reads(&r)) fail_msg("%s: %s: %s", all[i].text, r.path, r.error);
        io_record_free(&r);
        io_stream_close(&stream);
    }
}

static void a_sum_is_of_its_kind(void **state)
{
    static const struct {
        const char *text;
        uint32_t sum;
    } all[] = {{"{" LOADS ",\"mma\":{\"kind\":\"i8\",\"m\":64,\"n\":64}}", 2},
               {"{" LOADS ",\"mma\":{\"kind\":\"f16\",\"m\":64,\"n\":64}}", 1}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct io_stream stream;
        struct io_record r;
        struct io_pipeline out;
        read_one(all[i].text, &stream, &r);
        if (!io_pipeline_from(&r, &out)) fail_msg("%s: %s", r.path, r.error);
        assert_int_equal(out.pipeline.mma.d_type, all[i].sum);
        io_pipeline_free(&out);
        io_record_free(&r);
        io_stream_close(&stream);
    }
}

static char *protocol_as_json(const char *text)
{
    static const char head[] = "{\"protocol\":";
    struct io_stream stream;
    struct io_record r;
    struct io_pipeline out;
    read_one(text, &stream, &r);
    if (!io_pipeline_from(&r, &out)) fail_msg("%s: %s", r.path, r.error);
    json_t *o = io_protocol_json(&out.protocol);
    char *said = json_dumps(o, JSON_COMPACT), *whole = malloc(strlen(said) + sizeof head + 2);
    assert_non_null(whole);
    sprintf(whole, "%s%s}", head, said);
    free(said);
    json_decref(o);
    io_pipeline_free(&out);
    io_record_free(&r);
    io_stream_close(&stream);
    return whole;
}

static void a_protocol_is_written_as_it_is_read(void **state)
{
    static const char text[] =
        "{\"protocol\":{\"ctas\":2,\"rings\":{\"r\":2},\"barriers\":{\"b\":{\"ring\":\"r\"}},"
        "\"buffers\":{\"x\":\"r\"},\"syncs\":{\"s\":[\"a\"]},\"agents\":[{\"name\":\"a\","
        "\"tile\":[{\"arrive\":\"b\",\"ctas\":[1],\"signal\":1},{\"commit\":\"x\",\"barrier\":"
        "\"b\"},"
        "{\"commit\":null,\"barrier\":\"b\"},{\"sync\":\"s\"}]},{\"name\":\"c\",\"cta\":1}]}}";
    (void)state;
    char *once = protocol_as_json(text), *twice = protocol_as_json(once);
    assert_string_equal(once, twice);
    static const char *const words[] = {"\"signal\":1", "{\"commit\":\"x\"", "{\"commit\":null",
                                        "\"sync0\":[\"a\"]", "\"cta\":1"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strstr(once, words[i])) fail_msg("%s is not in %s", words[i], once);
    free(once);
    free(twice);
}

static void steps_have_a_limit(void **state)
{
    static char text[1 << 16];
    struct io_stream stream;
    struct io_record r;
    (void)state;
    size_t used = (size_t)sprintf(text, "{\"protocol\":{\"agents\":[{\"name\":\"a\",\"tile\":[");
    for (int i = 0; i <= TMAP_PROTOCOL_STEPS; i++)
        used += (size_t)sprintf(text + used, "%s{\"fence\":true}", i ? "," : "");
    sprintf(text + used, "]}]}}");
    read_one(text, &stream, &r);
    assert_false(pipeline(&r));
    assert_non_null(strstr(r.error, "at most"));
    assert_non_null(strstr(r.error, "steps"));
    io_record_free(&r);
    io_stream_close(&stream);
}

/* Of more dimensions than a map has: what else is said counts as for any tensor. */
static void a_fold_keeps_what_is_said_beside_the_tensor(void **state)
{
    static const struct {
        const char *text, *reason;
        int32_t fill;
        uint64_t bytes;
    } of[] = {{SIX(",\"oob_fill\":\"NAN\""), "", TMAP_OOB_NAN, 0},
              {SIX(",\"allocation\":{\"base\":0,\"bytes\":7}"), "", TMAP_OOB_NONE, 7},
              {"{\"tensor\":{" BF16 ",\"dim\":[64,64,64,64,64,64],\"allocation\":{\"base\":0,"
               "\"bytes\":7}},\"tile\":[8,8,2,2,2,1]}",
               "the tensor takes 64 maps", TMAP_OOB_NONE, 7}};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        struct io_stream stream;
        struct io_record r;
        struct io_request out;
        char error[IO_ERROR_SIZE];
        assert_true(io_stream_from(&stream, "t.json", of[i].text, strlen(of[i].text), error));
        assert_true(io_json_next(&stream, &r));
        assert_true(io_request_from(&r, &out));
        assert_true(out.folded);
        assert_int_equal(strncmp(out.fold.reason, of[i].reason, strlen(of[i].reason)), 0);
        assert_int_equal(!of[i].reason[0], !out.fold.reason[0]);
        assert_int_equal(out.request.tensor.oob_fill, of[i].fill);
        assert_int_equal(!of[i].bytes, !(out.request.tensor.flags & TMAP_HAS_ALLOCATION));
        assert_int_equal(out.request.tensor.allocation_bytes, of[i].bytes);
        io_record_free(&r);
        io_stream_close(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(what_may_be_said_is_read),
        cmocka_unit_test(a_sum_is_of_its_kind),
        cmocka_unit_test(a_protocol_is_written_as_it_is_read),
        cmocka_unit_test(steps_have_a_limit),
        cmocka_unit_test(a_fold_keeps_what_is_said_beside_the_tensor),
    };
    return cmocka_run_group_tests_name("plan_read", tests, NULL, NULL);
}
