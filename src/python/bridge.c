/* bridge.c : see bridge.h. */
#include "io/paste/dump.h"
#include "io/paste/hint.h"
#include "io/picture/picture.h"
#include "io/report/rule.h"

#include "bridge.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(LIBTMAP_ERROR_SIZE == IO_ERROR_SIZE, "what Python makes room for");

long libtmap_log(const char *program, const char *text, size_t size, struct tmap_desc *descs,
                 char *errors, size_t *lines, unsigned *flags, size_t cap)
{
    struct io_stream stream;
    struct io_record record;
    enum io_dump from;
    char error[IO_ERROR_SIZE], why[64];
    size_t n = 0;

    if (program && !io_dump_find(program, &from)) return -1;
    if (!io_stream_from(&stream, "log", text, size, error)) return -2;
    if (!program && !io_dump_guess(&stream, &from)) from = IO_DUMP_WORDS;
    for (; io_dump_next(&stream, from, &record); n++) {
        if (n < cap) {
            descs[n] = record.desc;
            lines[n] = record.line;
            flags[n] = (record.flags & IO_NO_ADDRESS ? 1u : 0) |
                       (!record.error[0] && record.flags & IO_PARTIAL ? 2u : 0);
            flags[n] |= (unsigned)io_hint_arch(&stream, &record.desc, why, sizeof why) << 8;
            if (flags[n] & 2u) io_fail(&record, "", "not in this text: %s", record.absent);
            snprintf(errors + n * IO_ERROR_SIZE, IO_ERROR_SIZE, "%s", record.error);
        }
        io_record_free(&record);
    }
    io_stream_close(&stream);
    return (long)n;
}

char *libtmap_rule(const struct tmap_target *target, unsigned row)
{
    json_t *rule = row < tmap_row_count() ? io_rule_json(target, (tmap_row)row) : NULL;
    char *text = rule ? json_dumps(rule, 0) : NULL;
    json_decref(rule);
    return text;
}

char *libtmap_svg(const struct tmap_checker *checker, const struct tmap_desc *desc,
                  const char *name)
{
    struct picture *picture = malloc(sizeof *picture);
    char *text = NULL;
    size_t size = 0;
    FILE *out = picture && picture_make(checker, desc, name, picture) == TMAP_OK
                    ? open_memstream(&text, &size)
                    : NULL;

    if (out) picture_svg(out, picture);
    if (out) fclose(out);
    free(picture);
    return text;
}

const char *libtmap_gpu(const char *name)
{
    return io_hint_gpu(name);
}

void libtmap_free(char *text)
{
    free(text);
}
