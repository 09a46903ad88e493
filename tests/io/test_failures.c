/* test_failures.c : every allocation of the readers and the writers fails, once and from then on,
 * and every operation on a temporary file: it is said, or the answer is whole, and nothing is kept.
 * jansson's own never fail here: the command ends where they do (cli/memory.c). */
#define _GNU_SOURCE
#define FAIL_ALL
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/map/maps.h"
#include "io/paste/dump.h"
#include "io/plan/plan.h"
#include "io/ptx/ptx.h"
#include "io/report/page_plans.h"
#include "io/report/report.h"
#include "io/report/write_html.h"
#include "support/failing_malloc.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OUT_BYTES = 1 << 20 };

/* --- temporary files, whose operations fail as allocations do ------------------------------------
 */

static long file_fail_at, file_count; /* fail_at and count of operations on temporary files */

static bool file_fails(void)
{
    return ++file_count == file_fail_at;
}

static ssize_t kept_read(void *fd, char *to, size_t n)
{
    return file_fails() ? -1 : read((int)(intptr_t)fd, to, n);
}

static ssize_t kept_write(void *fd, const char *from, size_t n)
{
    return file_fails() ? 0 : write((int)(intptr_t)fd, from, n);
}

static int kept_seek(void *fd, off64_t *offset, int whence)
{
    if (file_fails()) return -1;
    *offset = lseek((int)(intptr_t)fd, *offset, whence);
    return *offset < 0 ? -1 : 0;
}

static int kept_close(void *fd)
{
    return close((int)(intptr_t)fd);
}

/* In the C library's place. */
FILE *tmpfile(void)
{
    static const cookie_io_functions_t functions = {kept_read, kept_write, kept_seek, kept_close};
    const int fd = file_fails() ? -1 : memfd_create("kept", 0);
    FILE *f = fd < 0 ? NULL : fopencookie((void *)(intptr_t)fd, "w+", functions);
    if (!f && fd >= 0) close(fd);
    return f;
}

/* --- what is done ------------------------------------------------------------------------------
 */

struct way {
    const char *name;
    bool (*go)(const struct way *way, FILE *out); /* prints; true: it said that something failed */
    const char *text;
    enum io_format format;
    unsigned flags; /* enum io_judge_flag */
    const char *file;
};

static struct tmap_checker checker;

static bool says_memory(const struct io_record *r)
{
    return strstr(r->error, "memory") != NULL;
}

static bool add_result(struct io_run *run, const struct io_writer *writer,
                       const struct io_stream *stream, const struct io_record *record,
                       unsigned flags)
{
    struct io_result result;
    if (record->error[0]) return writer->unreadable(run, record), says_memory(record);
    if (io_judge(&checker, record, stream, flags, &result) != TMAP_OK) return true;
    io_count(run, &result);
    writer->result(run, &result);
    io_result_free(&result);
    return false;
}

/* The records of a text, in the way's format; of another program's text where it is one. */
static bool check(const struct way *way, FILE *out)
{
    const struct io_writer *writer = io_writer_of(way->format);
    struct io_run run = {.out = out,
                         .command = "check",
                         .things = "descriptor",
                         .target = checker.target,
                         .all_arches = way->flags & IO_ALL_ARCHES};
    struct io_stream stream;
    struct io_record record;
    enum io_dump from;
    char error[IO_ERROR_SIZE];
    if (!io_stream_from(&stream, way->file, way->text, strlen(way->text), error)) return true;
    const bool dump = io_dump_guess(&stream, &from);
    bool said = !writer->begin(&run);
    const bool begun = !said;
    while (begun &&
           (dump ? io_dump_next(&stream, from, &record) : io_record_next(&stream, 0, &record))) {
        said = add_result(&run, writer, &stream, &record, way->flags) || said;
        io_record_free(&record);
    }
    if (begun) writer->end(&run);
    io_stream_close(&stream);
    return said || run.lost;
}

/* The same for a GPU after the default one, with answers for that, too. */
static bool check_later(const struct way *way, FILE *out)
{
    const struct tmap_checker usual = checker;
    struct tmap_target target = usual.target;
    target.arch = TMAP_ARCH(100, 1);
    bool said = tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK;
    said = check(way, out) || said;
    checker = usual;
    return said;
}

/* As `tmap report` does it (cli/cmd_report.c). */
static bool add_to_page(struct io_page *page, struct io_stream *stream, bool *said)
{
    const struct io_stream before = *stream;
    struct io_record record;
    struct io_result result, arches;
    enum tmap_verdict verdict;
    if (!io_json_next(stream, &record)) return false;
    if (record.json && io_is_plan(record.json)) {
        *said = *said || !io_page_plan(page, &checker, &record, &verdict);
        return io_record_free(&record), true;
    }
    io_record_free(&record);
    *stream = before;
    io_record_next(stream, 0, &record);
    if (record.error[0]) {
        *said = says_memory(&record) || !io_page_unreadable(page, &record) || *said;
    } else if (io_judge(&checker, &record, stream, IO_ADVISE | IO_FIX, &result) != TMAP_OK) {
        *said = true;
    } else {
        const bool all =
            io_judge(&checker, &record, stream, IO_ALL_ARCHES | IO_BRIEF, &arches) == TMAP_OK;
        *said = !io_page_add(page, &checker, &result, all ? &arches : NULL) || !all || *said;
        if (all) io_result_free(&arches);
        io_result_free(&result);
    }
    io_record_free(&record);
    return true;
}

static bool page(const struct way *way, FILE *out)
{
    const struct io_run run = {.out = out, .command = "report", .target = checker.target};
    struct io_page *page = io_page_open();
    struct io_stream stream;
    char error[IO_ERROR_SIZE];
    bool said = false;
    if (!page) return true;
    if (io_stream_from(&stream, "in", way->text, strlen(way->text), error)) {
        while (add_to_page(page, &stream, &said)) continue;
        io_stream_close(&stream);
    } else {
        said = true;
    }
    return !io_page_close(page, &run) || said;
}

static bool maps(const struct way *way, FILE *out)
{
    struct io_maps m = {0};
    char error[IO_ERROR_SIZE] = "";
    const bool read = io_maps_read(&m, way->text, strlen(way->text), error, sizeof error);
    fprintf(out, "%d %zu", read, m.count);
    io_maps_free(&m);
    return !read;
}

/* The records as what io_is_plan() says, or as requests. */
static bool plans(const struct way *way, FILE *out)
{
    struct io_stream stream;
    struct io_record record;
    char error[IO_ERROR_SIZE];
    bool said = false;
    if (!io_stream_from(&stream, "in", way->text, strlen(way->text), error)) return true;
    while (io_json_next(&stream, &record)) {
        struct io_pipeline pipeline;
        struct io_prune prune;
        struct io_request request;
        if (json_object_get(record.json, "loads")) {
            fprintf(out, "%d", io_pipeline_from(&record, &pipeline));
            io_pipeline_free(&pipeline);
        } else if (json_object_get(record.json, "op") && !json_object_get(record.json, "tensor")) {
            fprintf(out, "%d", io_prune_from(&record, &prune));
            io_prune_free(&prune);
        } else {
            fprintf(out, "%d", io_request_from(&record, &request));
        }
        said = said || says_memory(&record);
        io_record_free(&record);
    }
    io_stream_close(&stream);
    return said;
}

static bool instructions(const struct way *way, FILE *out)
{
    struct io_ptx_module module;
    struct io_ptx_instruction list[4];
    struct io_stream stream;
    char error[IO_ERROR_SIZE];
    size_t found = 0;
    bool said = false;
    if (!io_stream_from(&stream, "in", way->text, strlen(way->text), error)) return true;
    io_ptx_read(stream.text, stream.size, &module, list, 4, &found);
    for (size_t i = 0; i < found && i < 4; i++) {
        struct io_record record;
        struct io_result result;
        if (io_judge_ptx(&checker, &stream, &list[i], way->flags, &record, &result) == TMAP_OK) {
            fprintf(out, "%d %zu", result.verdict, result.finding_count);
            io_result_free(&result);
        } else {
            said = true;
        }
    }
    io_stream_close(&stream);
    return said;
}

static bool assumptions(const struct way *way, FILE *out)
{
    struct io_stream stream;
    struct io_record record;
    char error[IO_ERROR_SIZE];
    bool said = false;
    if (!io_stream_from(&stream, "in", way->text, strlen(way->text), error)) return true;
    while (io_record_next(&stream, IO_SYMBOLIC, &record)) {
        fprintf(out, "%s", record.error);
        said = said || says_memory(&record);
        io_record_free(&record);
    }
    io_stream_close(&stream);
    return said;
}

/* --- the ways ----------------------------------------------------------------------------------
 */

static const char suite[] =
    "[{\"name\":\"A\",\"dtype\":\"bf16\",\"address\":\"0x7f0000000000\",\"dim\":[4096,64],"
    "\"stride\":[8200],\"box\":[512,64],\"expect\":\"legal\",\"expect_rules\":[\"TMA014\"],"
    "\"allow\":{\"TMA025\":\"known\"},\"uses\":[{\"op\":\"load\",\"coord\":[0,0],\"smem\":8},"
    "{\"op\":\"store\",\"coord\":[0]}]},\n"
    "{\"dtype\":\"bf16\",\"dim\":[64,64],\"stride\":[128],\"box\":[64,8],\"swizzle\":\"128B\"},"
    "{\"dtype\":\"bf16\",\"rank\":9,\"dim\":[1,2],\"stride\":[1],\"box\":[7,8]},{\"dtype\":1}]";
static const char unnamed[] =
    "{\"dtype\":\"bf16\",\"address\":\"0x7f0000000000\",\"dim\":[4096,64],\"stride\":[8192],"
    "\"box\":[64,64],\"expect_rules\":[\"TMA014\",\"TMA014\"]}\n"
    "{\"dtype\":\"16U6_ALIGN16B\",\"dim\":[128,64],\"stride\":[96],\"box\":[128,64]}\n";
#define LOAD                                                                                       \
    "{\"dtype\":\"bf16\",\"dim\":[4096,64],\"stride\":[8192],\"box\":[64,64],\"swizzle\":"         \
    "\"128B\"}"
static const char planned[] =
    "{\"stages\":4,\"loads\":[" LOAD "," LOAD "],\"store\":" LOAD "}\n"
    "{\"op\":\"gemm\",\"dtype\":\"bf16\",\"M\":4096,\"N\":4096,\"K\":4096,\"configs\":[{"
    "\"BLOCK_M\":128,\"BLOCK_N\":128,\"BLOCK_K\":64,\"num_stages\":4,\"num_warps\":8}]}\n"
    "{\"op\":\"gemm\",\"dtype\":\"bf16\",\"M\":4096,\"N\":4096,\"K\":4096,\"space\":{"
    "\"BLOCK_M\":[64,128],\"BLOCK_N\":[128],\"BLOCK_K\":[64],\"num_stages\":[3,4],"
    "\"num_warps\":[8]}}\n"
    "{\"tensor\":{\"dtype\":\"bf16\",\"dim\":[4096,8192],\"stride\":[8192]},\"tile\":[64,128]}\n";
static const char source[] =
    "constexpr int N = 1001; // columns\nuint64_t dims[2] = {N, 64}; uint64_t strides[1] = {N * 2};"
    "\nuint32_t box[2] = {64, 64}, ones[2] = {1, 1};\ncuTensorMapEncodeTiled(&m, "
    "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p, dims, strides, box, ones, "
    "CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, "
    "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);\n";
static const char python[] =
    "x = torch.empty(64, 1001, dtype=torch.bfloat16)  # rows\n"
    "desc = TensorDescriptor(x, shape=[64, 1001], strides=[1001, 1], block_shape=[64, 64])\n";
static const char unknown[] =
    "d = TensorDescriptor(x, shape=[M, 64], strides=[64, 1], block_shape=[64, 64])\n"
    "# the tensor data pointer must be 16B aligned\n";
static const char quoted[] = "\"Tensor data pointer must be 16B aligned\"\n";
static const char packed[] = "{\"dtype\":\"16U6_ALIGN16B\",\"address\":0,\"dim\":[128,64],"
                             "\"stride\":[96],\"box\":[128,64]}";
static const char repeats[] = "0000000 0000 0000 0000 0000 0000 0000 0000 0000\n*\n0010000\n";
/* A part of a descriptor, for a GPU that the text names. */
static const char partial[] = "on a B200: globalDim[0] = 4096, globalDim[1] = 128, boxDim[0]=300 "
                              "boxDim[1]=64 dataType: CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 "
                              "swizzle: CU_TENSOR_MAP_SWIZZLE_NONE\n";
static const char stated[] =
    "error: 'nvgpu.tma.create.descriptor' op the tensormap descriptor must "
    "have last dimension of 64, found 128\n";
static const char hex[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
                          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
static const char ptx[] =
    ".version 7.8\n.target sm_80\n.entry k() {\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r1], [%rd1, {%r2, %r3}], [%r4];\n"
    "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes "
    "[%r1], [%rd1, {%r2, %r3, %r4, %r5, %r6}], [%r4];\n}\n";
static const char symbolic[] =
    "{\"dtype\":\"bf16\",\"dim\":[\"K\",\"M\"],\"stride\":[\"2*K\"],\"box\":[64,64],"
    "\"assume\":[\"K % 8 == 0\"]}";

static const struct way ways[] = {
    {"text", check, suite, IO_TEXT, IO_FIX | IO_ADVISE, "in"},
    {"text, all GPUs", check, suite, IO_TEXT, IO_ALL_ARCHES, "in"},
    {"json", check, suite, IO_JSON, IO_FIX | IO_ADVISE | IO_ALL_ARCHES, "in"},
    {"jsonl", check, suite, IO_JSONL, IO_BRIEF, "in"},
    {"sarif", check, suite, IO_SARIF, IO_FIX | IO_ADVISE, "in"},
    {"sarif, all GPUs", check, suite, IO_SARIF, IO_ALL_ARCHES, "in"},
    {"github", check, suite, IO_GITHUB, IO_FIX | IO_ADVISE, "in"},
    {"github, all GPUs", check, suite, IO_GITHUB, IO_ALL_ARCHES, "in"},
    {"junit", check, suite, IO_JUNIT, IO_FIX | IO_ADVISE, "in"},
    {"junit, all GPUs", check, suite, IO_JUNIT, IO_ALL_ARCHES, "in"},
    {"page", page, suite, IO_TEXT, 0, "in"},
    {"page of plans", page, planned, IO_TEXT, 0, "in"},
    {"plans", plans, planned, IO_TEXT, 0, "in"},
    {"source", check, source, IO_TEXT, 0, "in"},
    {"a call in Python", check, python, IO_TEXT, 0, "in"},
#define OF_STANDARD_INPUT(text)                                                                    \
    {#text, check, text, IO_TEXT, IO_ADVISE, "-"}, {#text, check, text, IO_JSON, IO_ADVISE, "-"},  \
        {#text, check, text, IO_JSONL, IO_ADVISE, "-"},                                            \
        {#text, check, text, IO_SARIF, IO_ALL_ARCHES, "-"},                                        \
        {#text, check, text, IO_GITHUB, IO_ALL_ARCHES, "-"},                                       \
        {#text, check, text, IO_GITHUB, 0, "-"}, {#text, check, text, IO_JUNIT, 0, "-"},           \
    {                                                                                              \
#text, check, text, IO_JUNIT, IO_ALL_ARCHES, "-"                                           \
    }
    OF_STANDARD_INPUT(partial),
    OF_STANDARD_INPUT(stated),
    OF_STANDARD_INPUT(suite),
    OF_STANDARD_INPUT(unnamed),
    {"source whose sizes are not known", check, unknown, IO_TEXT, 0, "in"},
    {"words in quotes", check, quoted, IO_TEXT, 0, "in"},
    {"a file's name of no text", check, suite, IO_JSON, 0, "\xff"},
    {"a later GPU", check_later, packed, IO_JUNIT, IO_ALL_ARCHES, "in"},
    {"lines that repeat", maps, repeats, IO_TEXT, 0, "in"},
    {"hexadecimal", maps, hex, IO_TEXT, 0, "in"},
    {"PTX", instructions, ptx, IO_TEXT, IO_ADVISE, "in"},
    {"assumptions", assumptions, symbolic, IO_TEXT, 0, "in"},
};

/* --- the failures ------------------------------------------------------------------------------
 */

static char printed[OUT_BYTES], expected[OUT_BYTES];

static bool go(const struct way *way)
{
    static char buffer[BUFSIZ]; /* stdio's own would be an allocation */
    const long failing = fail_at, failing_file = file_fail_at;
    fail_at = 0;
    memset(printed, 0, sizeof printed);
    FILE *out = fmemopen(printed, sizeof printed, "w");
    assert_non_null(out);
    setvbuf(out, buffer, _IOFBF, sizeof buffer);
    count = file_count = 0;
    fail_at = failing, file_fail_at = failing_file;
    const bool said = way->go(way, out);
    fail_at = file_fail_at = 0;
    fclose(out);
    return said;
}

/* Nothing is lost without a word, and nothing kept. */
static void expect_honest(const struct way *way, const char *what, long at, long total)
{
    const long before = live;
    const bool said = go(way);
    if (!said && strcmp(printed, expected) != 0)
        fail_msg("%s: %s %ld of %ld: less than the answer, and not a word", way->name, what, at,
                 total);
    if (OWN_MALLOC && live != before)
        fail_msg("%s: %s %ld of %ld: %ld blocks kept", way->name, what, at, total, live - before);
}

static void fail_each(const struct way *way)
{
    go(way);
    if (go(way)) fail_msg("%s: %s", way->name, printed);
    const long allocations = count, operations = file_count;
    memcpy(expected, printed, sizeof expected);
    for (long at = 1; at <= allocations; at++)
        for (fail_on = 0; fail_on < 2; fail_on++) {
            fail_at = at;
            expect_honest(way, "allocation", at, allocations);
        }
    for (long at = 1; at <= operations; at++) {
        file_fail_at = at;
        expect_honest(way, "operation on a temporary file", at, operations);
    }
    print_message("# %s: %ld allocations, %ld operations on temporary files\n", way->name,
                  allocations, operations);
}

static void nothing_is_lost_without_a_word(void **state)
{
    const struct tmap_target target = tmap_default_target();
    (void)state;
    assert_int_equal(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker), TMAP_OK);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) fail_each(&ways[i]);
}

/* jansson's memory, which does not fail. */
static void *sure(size_t size)
{
#if OWN_MALLOC
    void *p = __libc_malloc(size);
#else
    void *p = malloc(size);
#endif
    if (!p) abort();
    live++;
    return p;
}

static void give_back(void *p)
{
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_without_a_word)};
    json_set_alloc_funcs(sure, give_back);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
