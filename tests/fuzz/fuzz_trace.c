/* fuzz_trace.c : any bytes in the pipe of a traced program, where any process may write: what the
 * parent makes of them (driver/trace.c, with a file in the pipe's place), and what the command
 * makes of the events. */
#define _GNU_SOURCE
#include "driver/trace.c"

#include "fuzz/fuzz.h"
#include "io/report/report.h"

#include <sys/mman.h>

struct told {
    size_t events, processes;
    struct tmap_checker checker;
};

static void on_event(void *user, const struct tmap_trace_event *e)
{
    struct told *told = user;
    char json[2048];
    told->events++;
    told->processes += e->what == TMAP_TRACE_PROCESS;
    if (e->what == TMAP_TRACE_PROCESS) FUZZ_CHECK(strlen(e->command) < TRACE_TEXT_BYTES);
    if (e->what != TMAP_TRACE_ENCODE) return;
    tmap_verdict_of(&told->checker, &e->desc);
    io_desc_text(&e->desc, json, sizeof json);
    FUZZ_CHECK(memchr(json, 0, sizeof json));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct told told;
    static struct trace t;
    const struct tmap_target target = tmap_default_target();
    struct tmap_trace_options options = {.event = on_event, .user = &told};
    struct tmap_trace_result result = {0};
    memset(&told, 0, sizeof told);
    memset(&t, 0, sizeof t);
    tmap_checker_prepare(&target, TMAP_CONTRACT_DRIVER, &told.checker);
    t.options = &options;
    t.result = &result;
    t.fd = memfd_create("pipe", 0);
    FUZZ_CHECK(t.fd >= 0 && write(t.fd, data, size) == (ssize_t)size &&
               lseek(t.fd, 0, SEEK_SET) == 0);
    drain(&t);
    close(t.fd);
    FUZZ_CHECK(told.events == result.processes + result.calls &&
               told.processes == result.processes);
    FUZZ_CHECK((told.events + result.foreign / TRACE_RECORD_BYTES) * TRACE_RECORD_BYTES ==
               size / TRACE_RECORD_BYTES * TRACE_RECORD_BYTES);
    FUZZ_CHECK(result.failed <= result.calls && t.filled == size % TRACE_RECORD_BYTES);
    return 0;
}
