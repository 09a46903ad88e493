/* fuzz_log.c : any bytes as the log or source that somebody pasted, behind one byte that says whose
 * where the text does not: records end, keep inside the text, a field that is located lies in its
 * record, and what is said of it, of its cause and of its GPU ends. */
#include "fuzz/fuzz.h"
#include "io/paste/dump.h"
#include "io/paste/hint.h"

enum { READERS = IO_DUMP_WORDS + 1 };

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

/* What check asks of the text beside its record: it takes several times as long as to read. */
static void ask(struct io_stream *stream, const struct io_record *r)
{
    char why[96], others[512];
    size_t line = 0;
    const char *told = io_hint_or(stream, "", &line);
    FUZZ_CHECK(told && line >= 1);
    io_hint_cause(stream);
    io_hint_stated(stream);
    io_hint_arch(stream, &r->desc, why, sizeof why);
    io_hint_names(stream, told, others, sizeof others);
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
    if (!io_dump_guess(&stream, &from)) from = (enum io_dump)(data[0] % READERS);
    while (io_dump_next(&stream, from, &record)) {
        FUZZ_CHECK(++records <= size + 1 && record.json == NULL);
        locate(&stream, &record);
        if (records == 1 && data[0] & 4) ask(&stream, &record);
        io_record_free(&record);
    }
    io_stream_close(&stream);
    return 0;
}
