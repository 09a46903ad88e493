/* fuzz_log.c : any bytes as the log of a program whose encode call failed, behind one byte that
 * says whose: records end, keep inside the text, and a field that is located lies in its record. */
#include "fuzz/fuzz.h"
#include "io/paste/dump.h"

static void locate(const struct io_stream *stream, const struct io_record *r)
{
    static const char *const fields[] = {"dim", "stride", "box", "rank", "address", "none"};
    size_t offset, size;
    if (r->offset > stream->size) FUZZ_CHECK(false);
    const size_t length = stream->size - r->offset;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (int index = -1; index < 6; index++)
            if (io_dump_locate(stream->text + r->offset, length, fields[i], index, &offset, &size))
                FUZZ_CHECK(offset <= length && size <= length - offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_stream stream;
    struct io_record record;
    enum io_dump from;
    char error[IO_ERROR_SIZE];
    size_t records = 0;
    if (size == 0) return 0;
    FUZZ_CHECK(io_stream_from(&stream, "fuzz.log", (const char *)data + 1, size - 1, error));
    if (!io_dump_guess(&stream, &from)) from = (enum io_dump)(data[0] % 3);
    while (io_dump_next(&stream, from, &record)) {
        FUZZ_CHECK(++records <= size + 1 && record.json == NULL);
        locate(&stream, &record);
        io_record_free(&record);
    }
    io_stream_close(&stream);
    return 0;
}
