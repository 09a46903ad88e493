/* fuzz_ptx.c : any bytes as a PTX text: every instruction is inside it, has an answer and a result.
 */
#include "fuzz/fuzz.h"
#include "io/ptx/ptx.h"
#include "io/report/report.h"

#include <stdlib.h>

#define CAP 64

static void judge_one(const struct tmap_checker *checker, const struct io_stream *stream,
                      const struct io_ptx_instruction *in)
{
    struct io_record record;
    struct io_result result;
    FUZZ_CHECK(io_judge_ptx(checker, stream, in, IO_ADVISE, &record, &result) == TMAP_OK);
    FUZZ_CHECK(record.offset < stream->size && record.column > 0);
    io_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct io_ptx_instruction in[CAP];
    struct io_ptx_module module, again;
    struct io_stream stream;
    char error[IO_ERROR_SIZE];
    size_t found, count;
    uint32_t min_ptx;
    FUZZ_CHECK(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) == TMAP_OK);
    FUZZ_CHECK(io_stream_from(&stream, "fuzz.ptx", (const char *)data, size, error));
    FUZZ_CHECK(io_ptx_read(stream.text, size, &module, in, CAP, &found) == TMAP_OK);
    FUZZ_CHECK(io_ptx_read(stream.text, size, &again, NULL, 0, &count) == TMAP_OK);
    FUZZ_CHECK(found == count && module.arch == again.arch);
    io_ptx_check_module(&module, &min_ptx);
    for (size_t i = 0; i < found && i < CAP; i++) {
        FUZZ_CHECK(in[i].text >= stream.text && in[i].length > 0);
        FUZZ_CHECK((size_t)(in[i].text - stream.text) + in[i].length <= size);
        FUZZ_CHECK(in[i].forms <= IO_PTX_MAX_FORMS && in[i].line > 0);
        judge_one(&checker, &stream, &in[i]);
    }
    io_stream_close(&stream);
    return 0;
}
