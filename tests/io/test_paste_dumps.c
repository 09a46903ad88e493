/* test_paste_dumps.c : dumps and people's own lines: what is a dump, where a list ends, what is
 * missing; and long logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/paste/dump.h"
#include "io/paste/dump_fields.h"
#include "io/paste/hint.h"
#include "io/paste/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAID = 2 * IO_ERROR_SIZE };

static void open_text(struct io_stream *stream, const char *text)
{
    char error[IO_ERROR_SIZE];
    assert_true(io_stream_from(stream, "log", text, strlen(text), error));
}

static void what_is_no_json(void **state)
{
    static const struct {
        const char *text;
        bool prose;
    } rows[] = {
        {"", false},          {" \n ", false},    {"[ ", false},      {"[]", false},
        {"[{}]", false},      {"{", false},       {"{}", false},      {"{ \"a\":1}", false},
        {"{ x }", false},     {"\"", false},      {"\"a\"", false},   {"\"\"\"doc", true},
        {"1", false},         {"-1", false},      {"1.5, 2", false},  {"1. a point", true},
        {"1e5", false},       {"1e", false},      {"1e+5", false},    {"1E-5", false},
        {"1e5x", true},       {"1 apple", true},  {"1D", true},       {"- a point", true},
        {"-", true},          {"true", false},    {"[true]", false},  {"trup", true},
        {"[[ ", false},       {"[[\"a", false},   {"[INFO] a", true}, {"[]]", false},
        {"[1, 2]", false},    {"[[1 2]]", false}, {"(a)", true},      {"words", true},
        {"2025-11-22", true},
    };
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_stream stream;
        enum io_dump from = IO_DUMP_TRITON;
        open_text(&stream, rows[i].text);
        if (io_dump_guess(&stream, &from) != rows[i].prose)
            bad++, print_message("%s\n", rows[i].text);
        io_stream_close(&stream);
    }
    assert_int_equal(bad, 0);
}

static void programs_have_names(void **state)
{
    enum io_dump from;
    (void)state;
    assert_true(io_dump_find("flashinfer", &from) && from == IO_DUMP_FLASHINFER);
    assert_false(io_dump_find("jax", &from));
}

/* --- dumps --------------------------------------------------------------------------------------
 */

struct row {
    const char *text, *says;
};

/* "dim 64 32 stride 128 box 64 8 swizzle 3", then what is absent; or the error. */
static void describe(const struct io_record *r, char *out)
{
    const struct tmap_desc *d = &r->desc;
    const uint32_t n = d->rank < TMAP_MAX_RANK ? d->rank : TMAP_MAX_RANK;
    int used = snprintf(out, SAID, "dim");
    if (r->error[0]) {
        snprintf(out, SAID, "%s", r->error);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        used += snprintf(out + used, SAID - (size_t)used, " %" PRIu64, d->dim[i]);
    used += snprintf(out + used, SAID - (size_t)used, " stride");
    for (uint32_t i = 0; i + 1 < n; i++)
        used += snprintf(out + used, SAID - (size_t)used, " %" PRIu64, d->stride_bytes[i]);
    snprintf(out + used, SAID - (size_t)used, " swizzle %d%s%s", (int)d->swizzle,
             r->flags & IO_PARTIAL ? "; absent " : "", r->flags & IO_PARTIAL ? r->absent : "");
}

/* The first record holds the words, and reading ends. */
static void expect(const struct row *rows, size_t n, const enum io_dump *as)
{
    int bad = 0;
    for (size_t i = 0; i < n; i++) {
        struct io_stream stream;
        struct io_record record;
        enum io_dump from;
        char said[SAID] = "nothing";
        open_text(&stream, rows[i].text);
        if (!io_dump_guess(&stream, &from)) from = IO_DUMP_WORDS;
        if (as) from = *as;
        for (size_t k = 0; io_dump_next(&stream, from, &record); k++)
            if (k == 0) describe(&record, said);
        if (!strstr(said, rows[i].says))
            bad++,
                print_message("%s\n    says: %s\n    not: %s\n", rows[i].text, said, rows[i].says);
        io_stream_close(&stream);
    }
    assert_int_equal(bad, 0);
}
#define EXPECT(rows, as) expect(rows, sizeof rows / sizeof rows[0], as)

#define TRITON(rank, shape, more)                                                                  \
    "elemType=6 rank=" rank " global_address=0x7f0000000000 elemSize=2 swizzle=3 padding=0\n"      \
    "shape=[" shape "]\nstrides=[128, 7168, 401408, 4, 5]\n" more                                  \
    "elementStrides=[1, 1, 1, 1, 1]\n"
#define WINDOW "channelsPerPixel=64 pixelsPerColumn=128\n"
#define CUTLASS(fields)                                                                            \
    "TMA Desc Addr: 0x80\n" fields                                                                 \
    "globalDim (4096,64,8)\nglobalStrides (2,8192)\nboxDim (64,64,1)\nelementStrides (1,1,1)\n"    \
    "interleave 0\nl2Promotion 2\noobFill 0\n"

static void dumps(void **state)
{
    static const struct row rows[] = {
        {TRITON("2", "64, 56", "blockSize=[64, 64]\n"), "dim 64 56 stride 128 swizzle 3"},
        {"p(\"elemType=%d\")\n" TRITON("2", "64, 56", "blockSize=[64, 64]\n"), "dim 64 56 stride"},
        {TRITON("4", "64, 56, 57, 32", WINDOW "pixelBoxLower=[-1, -2] pixelBoxUpper=[1, 2]\n"),
         "dim 64 56 57 32 stride 128 7168 401408"},
        {TRITON("3", "64, 56, 57", WINDOW "pixelBoxLower=[-1] pixelBoxUpper=[-1]\n"),
         "dim 64 56 57 stride 128 7168 swizzle 3"},
        {TRITON("6", "64, 56, 57, 32, 2, 2", WINDOW "pixelBoxLower=[1, 2] pixelBoxUpper=[1, 2]\n"),
         "lists 2 of lower corners; the rank asks for 3"},
        {TRITON("2", "64, 56", WINDOW "pixelBoxLower=[] pixelBoxUpper=[]\n"), "dim 64 56 stride"},
        {TRITON("4", "64, 56, 57, 32", WINDOW "pixelBoxLower=[-1] pixelBoxUpper=[1, 2]\n"),
         "lists 1 of lower corners"},
        {TRITON("4", "64, 56, 57, 32", WINDOW "pixelBoxLower=[-1, 1] pixelBoxUpper=[1]\n"),
         "lists 1 of upper corners"},
        {TRITON("4", "64, 56, 57, 32",
                "pixelsPerColumn=128 pixelBoxLower=[-1, 1] pixelBoxUpper=[1, 1]\n"),
         "no readable channels"},
        {TRITON("4", "64, 56, 57, 32",
                "channelsPerPixel=64 pixelBoxLower=[-1, 1] pixelBoxUpper=[1, 1]\n"),
         "no readable pixels"},
        {CUTLASS("format 9\ndim 2\ngmem_address 0\nswizzle 3\n"), "dim 4096 64 stride 8192"},
        {CUTLASS("format 9\ndim 3\ngmem_address 0\nswizzle 3\n"), "lists 2 of strides"},
        {CUTLASS("format 9\ndim 0\ngmem_address 0\nswizzle 3\n"), "dim stride swizzle 3"},
        {CUTLASS("format 9\ndim 2\ngmem_address 0\nswizzle -99999999999\n"),
         "dim 4096 64 stride 8192 swizzle 2147483647"},
        {CUTLASS("dim 7\ngmem_address 0\nswizzle 3\n"), "no readable element type"},
        {CUTLASS("format 9\ndim 7\nswizzle 3\n"), "no readable address"},
        {CUTLASS("format 9\ndim 7\ngmem_address 0\n"), "no readable swizzle"},
        {CUTLASS("format 9\ndim 7\ngmem_address 0\nswizzle 3\n"), "lists 3 of dimensions"},
        {"TMA Desc Addr: 0x80\nformat 9\ndim 1\ngmem_address 0\nglobalDim (4096)\nboxDim (64)\n"
         "elementStrides (1)\ninterleave 0\nswizzle 3\nl2Promotion 2\noobFill 0\n",
         "no readable strides"},
        {"outer stride: 7168 alone", "it does not say dtype, dim, box, swizzle; check"},
    };
    (void)state;
    EXPECT(rows, NULL);
}

/* --- lines of one's own -------------------------------------------------------------------------
 */

#define FIELDS_ALL                                                                                 \
    "dataType: BFLOAT16 swizzle: 3 boxDim: [64, 64] globalStrides: [8192] globalDim: "
#define SIZES(list) FIELDS_ALL list
#define WITH(fields) "globalDim: [4096, 64] boxDim: [64, 64] " fields
#define WHOLE "dim 4096 64 stride 8192 swizzle 3"
#define NO_SIZES "not in this text: dim"
#define WIDE "a_type_of_more_characters_than_"

static void ends_of_lists(void **state)
{
    static const struct row rows[] = {
        {SIZES("[4096, 64]"), WHOLE},
        {SIZES("4096 64"), WHOLE},
        {SIZES("4096 64 ."), WHOLE},
        {SIZES("4096 64."), WHOLE},
        {SIZES("4096 64.x"), WHOLE},
        {SIZES("4096 64.:"), WHOLE},
        {SIZES("4096 64. a"), WHOLE},
        {SIZES("4096 64.5"), NO_SIZES},
        {SIZES("4096 64 /"), NO_SIZES},
        {SIZES("4096 64 //c"), WHOLE},
        {SIZES("4096 64 /*c*/"), WHOLE},
        {SIZES("4096 64 / 2"), NO_SIZES},
        {SIZES("4096 64 <"), NO_SIZES},
        {SIZES("4096 64 <b"), WHOLE},
        {SIZES("4096 64 << 2"), NO_SIZES},
        {SIZES("4096 64 -"), NO_SIZES},
        {SIZES("4096 64 ->"), WHOLE},
        {SIZES("4096 64 --"), WHOLE},
        {SIZES("4096 64 - 2"), NO_SIZES},
        {SIZES("4096 64("), NO_SIZES},
        {SIZES("4096 64["), NO_SIZES},
        {SIZES("4096 64{"), NO_SIZES},
        {SIZES("4096 64,("), NO_SIZES},
        {SIZES("4096 64 % 8"), NO_SIZES},
        {SIZES("4096 x 64"), WHOLE},
        {SIZES("4096 X 64"), WHOLE},
        {SIZES("4096; 64"), WHOLE},
        {SIZES("[4096u32, 64u64]"), WHOLE},
        {SIZES("[4096ul, 64LL]"), WHOLE},
        {SIZES("[4096u3, 64]"), NO_SIZES},
        {SIZES("4096u16 64"), NO_SIZES},
        {SIZES("=> [4096, 64]"), WHOLE},
        {SIZES("-> [4096, 64]"), WHOLE},
        {SIZES("== [4096, 64]"), WHOLE},
        {SIZES("-"), NO_SIZES},
        {SIZES("="), NO_SIZES},
        {SIZES("\nglobalDim_0 = 4096 globalDim_1 = 64"), WHOLE},
        {SIZES("\nglobalDim_0 = 4096 * 2"), NO_SIZES},
        {WITH("dataType: " WIDE WIDE WIDE " swizzle: 3 globalStrides: [8192]"), "dtype"},
    };
    (void)state;
    EXPECT(rows, NULL);
}

/* What is not there has no list that is longer either: a rank of 6 came of whatever lay there. */
static void nothing_is_read_yet(void **state)
{
    struct numbers fields[FIELDS];
    (void)state;
    memset(fields, 1, sizeof fields);
    io_dump_none(fields);
    for (int i = 0; i < FIELDS; i++) assert_true(fields[i].count == -1 && !fields[i].longer);
}

static void listings(void **state)
{
    static const struct row rows[] = {
        {WITH("dtype: bf16 swizzle: 3 globalStrides: [16, 32, 48, 64, 80]"), "dim 4096 64 stride"},
        {WITH("dtype: bf16 swizzle: 3 globalStrides: [8192, 16384, 32768]"), "dim[2], dim[3]"},
        {WITH("dtype: bf16 swizzle: 3 globalStrides: [8, 1]"), "dim 4096 64"},
        {WITH("dtype: bf16 swizzle: 3 globalStrides: [2, 8192]"), WHOLE},
        {WITH("dtype: bf16 swizzle: 3 globalStrides: [1, 8192]"), WHOLE},
        {WITH("elem size: 2 swizzle: 3 globalStrides: [1, 8192]"), WHOLE},
        {WITH("swizzle: 3 globalStrides: [1, 8192]"), "dtype, stride"},
        {WITH("dtype: bf16 swizzle: 77 globalStrides: [8192]"), "swizzle"},
        {WITH("dtype: bf16 swizzle: -99999999999 globalStrides: [8192]"), "swizzle"},
        {WITH("dtype: bf16 swizzle: 3 globalStrides: [8192]") "\nboxDim: [64, 64]", WHOLE},
        {"tensorRank: 1 globalDim: [4096] boxDim: [64] dtype: bf16 swizzle: 3",
         "dim 4096 stride swizzle 3"},
        {"tensorRank: 1 globalDim: [4096] boxDim: [64] dtype: bf16 swizzle: 3 globalStrides: [2]",
         "dim 4096 stride swizzle 3"},
        {"tensorRank: 1 globalDim: [4096] boxDim: [64] dtype: bf16 swizzle: 3 globalStrides: [64]",
         "dim 4096 stride swizzle 3"},
    };
    static const struct row as_cutlass[] = {
        {WITH("dtype: bf16 swizzle: 3 globalStrides: [8192]"), "does not say its fields together"}};
    static const enum io_dump cutlass = IO_DUMP_CUTLASS;
    (void)state;
    EXPECT(rows, NULL);
    EXPECT(as_cutlass, &cutlass);
}

/* --- why a legal descriptor's call failed, and for which GPU
 * --------------------------------------
 */

static void causes(void **state)
{
    static const struct row rows[] = {
        {"Failed to initialize the TMA descriptor 2\n", "2 is out of memory"},
        {"it says TMA descriptor due to invalid argument", ""},
        {"RuntimeError: illegal memory access", "compute-sanitizer"},
        {"Failed to create tensor map: invalid argument", ""},
        {"tma_load(a, b);", ""},
        {"it calls tma_load( there", ""},
        {"RuntimeError: tma_load( is odd", ""},
        {"too many resources requested: error", "the launch asks for more registers"},
        {"Segmentation fault (core dumped)", "the host program"},
        {"all is well", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_stream stream;
        open_text(&stream, rows[i].text);
        const char *cause = io_hint_cause(&stream);
        if (!cause != !rows[i].says[0] || (cause && !strstr(cause, rows[i].says)))
            fail_msg("%s: %s", rows[i].text, cause ? cause : "nothing");
        io_stream_close(&stream);
    }
}

static void gpus(void **state)
{
    static const struct {
        const char *text;
        const char *arch; /* "": the default one */
    } rows[] = {{"on a B200", "sm_100a"}, {"B200", "sm_100a"}, {"xB200", ""},
                {"B200_x", ""},           {"B2000", ""},       {"_B200 B200", "sm_100a"},
                {"B200 and an H100", ""}, {"on none", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct tmap_desc desc = {.dtype = TMAP_BFLOAT16};
        struct io_stream stream;
        char why[IO_ERROR_SIZE];
        open_text(&stream, rows[i].text);
        const tmap_arch arch = io_hint_arch(&stream, &desc, why, sizeof why);
        assert_string_equal(arch ? tmap_arch_name(arch) : "", rows[i].arch);
        io_stream_close(&stream);
    }
    assert_string_equal(io_hint_gpu("b200"), "sm_100a");
    assert_null(io_hint_gpu("B2"));
}

/* Prose of a rule's own words is a verdict behind a failure alone. */
static void words_behind_a_failure(void **state)
{
    static const struct {
        const char *text;
        bool states;
    } rows[] = {{"something failed here\nByte strides must be divisible by 16\n", true},
                {"something is here\nByte strides must be divisible by 16\n", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct io_stream stream;
        open_text(&stream, rows[i].text);
        if ((io_hint_stated(&stream) != TMAP_NO_ROW) != rows[i].states)
            fail_msg("%s", rows[i].text);
        io_stream_close(&stream);
    }
}

/* What is vague of an exception outweighs a condition in source beside it. */
static void a_check_beside_an_exception(void **state)
{
    static const char text[] = "assert ptr % 16 == 0, \"Tensor data pointer must be 16B aligned\"\n"
                               "RuntimeError: CUDA error: an illegal memory access\n";
    struct io_stream stream;
    (void)state;
    open_text(&stream, text);
    assert_non_null(strstr(io_hint_in(&stream, NULL), "compute-sanitizer"));
    io_stream_close(&stream);
}

/* --- long logs ----------------------------------------------------------------------------------
 */

/* So many times the line, and what stands behind them; freed by the caller. */
static char *repeated(const char *line, size_t times, const char *behind)
{
    const size_t n = strlen(line);
    char *text = malloc(n * times + strlen(behind) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < times; i++) memcpy(text + i * n, line, n);
    strcpy(text + n * times, behind);
    return text;
}

/* A log is longer than a paste: its first messages count, behind them any line that says it, and of
 * a message its beginning. */
static void messages_of_a_log(void **state)
{
    static const char stated[] = "RuntimeError: Tensor data pointer must be 16B aligned";
    static const struct {
        const char *line, *behind;
        size_t times;
        bool heard;
    } rows[] = {
        {"x", "", 1, true},
        {"all is well\n", "", 5600, true},
        {"error: of another kind\n", "", 3000, true},
        {"KeyError: 7\n", "", 5600, true},
        {"error: of another kind\n", "error: Tensor data pointer must be 16B aligned", 3000, true},
        {"error: of another kind\n", "error: Tensor data pointer must be 16B aligned", 4097, true},
        {"x", " error: Tensor data pointer must be 16B aligned", 70000, true},
        {"all is well\n", "Tensor data pointer must be 16B aligned", 5600, false},
        {"x", " error: Tensor data pointer must be 16B aligned", 2000, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char behind[200], *text;
        struct io_stream stream;
        snprintf(behind, sizeof behind, "%s%s", rows[i].behind[0] ? "" : "\n",
                 rows[i].behind[0] ? rows[i].behind : stated);
        text = repeated(rows[i].line, rows[i].times, behind);
        open_text(&stream, text);
        if ((io_hint_stated(&stream) != TMAP_NO_ROW) != rows[i].heard)
            fail_msg("%zu * %s", rows[i].times, rows[i].line);
        struct io_record record;
        assert_true(io_dump_next(&stream, IO_DUMP_WORDS, &record) && record.error[0]);
        io_stream_close(&stream);
        free(text);
    }
}

static void calls_of_a_long_source(void **state)
{
    static const char call[] =
        "enc(&m, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p, {4096, 64}, {8192}, {64, 64}, {1, 1}, "
        "CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_"
        "NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);\n";
    static const struct {
        size_t before, behind;
        bool read;
    } rows[] = {{1, 1, true}, {3000, 3000, true}, {70000, 1, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *tail = repeated("\n", rows[i].behind, ""), *whole = malloc(1 << 18);
        char *head = repeated("\n", rows[i].before, call);
        struct io_stream stream;
        struct io_record record;
        enum io_dump from;
        assert_non_null(whole);
        snprintf(whole, 1 << 18, "%s%s", head, tail);
        open_text(&stream, whole);
        const bool read = io_dump_guess(&stream, &from) && from == IO_DUMP_SOURCE &&
                          io_dump_next(&stream, from, &record) && !record.error[0];
        assert_int_equal(read, rows[i].read);
        io_stream_close(&stream);
        free(head), free(tail), free(whole);
    }
}

/* Behind a long module of MLIR the words beside it are not told. */
static void words_beside_a_long_module(void **state)
{
    static const char module[] =
        "%t = tt.make_tensor_descriptor %p, [%m, %n], [%n, %c1_i64] : <f16>, <tensor<64x64xf16>>\n"
        "error: Tensor data pointer must be 16B aligned\n";
    char said[IO_ERROR_SIZE];
    (void)state;
    for (size_t times = 1; times < 100000; times += 70000) {
        char *text = repeated("\n", times, module);
        struct io_stream stream;
        open_text(&stream, text);
        io_hint_names(&stream, "", said, sizeof said);
        assert_int_equal(said[0] != 0, times == 1);
        io_stream_close(&stream);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_json),
        cmocka_unit_test(programs_have_names),
        cmocka_unit_test(dumps),
        cmocka_unit_test(ends_of_lists),
        cmocka_unit_test(causes),
        cmocka_unit_test(gpus),
        cmocka_unit_test(nothing_is_read_yet),
        cmocka_unit_test(words_behind_a_failure),
        cmocka_unit_test(a_check_beside_an_exception),
        cmocka_unit_test(listings),
        cmocka_unit_test(messages_of_a_log),
        cmocka_unit_test(calls_of_a_long_source),
        cmocka_unit_test(words_beside_a_long_module),
    };
    return cmocka_run_group_tests_name("paste_dumps", tests, NULL, NULL);
}
