/* fuzz_json.c : any bytes as a file of descriptors, behind one byte that says what is done with it:
 * checked and printed in one of the formats, or read as pipelines, as prune problems or as
 * requests, which are solved. What claims to be JSON is JSON; what was read is printed and read
 * back the same; what solves a request is legal. */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"
#include "io/plan/plan.h"
#include "io/report/report.h"

#include <stdlib.h>
#include <string.h>

enum { AS_PIPELINE = IO_FORMATS, AS_PRUNE, AS_REQUEST, WAYS, PLANS = 4 };

static void solve(struct io_record *record)
{
    static uint64_t workspace[TMAP_REPAIR_WORKSPACE / sizeof(uint64_t)];
    struct io_request asked;
    struct tmap_tile_plan plans[PLANS];
    struct tmap_checker checker;
    struct tmap_target target = tmap_default_target();
    size_t found = 0;
    char reason[160];
    FUZZ_CHECK(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) == TMAP_OK);
    if (!io_request_from(record, &asked) || asked.fold.reason[0]) return;
    tmap_solve(&checker, &asked.request, workspace, sizeof workspace, plans, PLANS, &found, reason,
               sizeof reason);
    for (size_t i = 0; i < found && i < PLANS && !plans[i].plan.skip; i++)
        FUZZ_CHECK(tmap_verdict_of(&checker, &plans[i].plan.desc) == TMAP_LEGAL);
}

static void read_as(struct io_record *record, unsigned way)
{
    struct io_pipeline pipeline;
    struct io_prune prune;
    if (way == AS_REQUEST) {
        solve(record);
    } else if (way == AS_PIPELINE) {
        io_pipeline_from(record, &pipeline);
        io_pipeline_free(&pipeline);
    } else {
        io_prune_from(record, &prune);
        io_prune_free(&prune);
    }
}

static void read_back(const struct io_record *record)
{
    json_t *json = io_desc_json(&record->desc, NULL);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    struct io_stream stream;
    struct io_record again;
    char error[IO_ERROR_SIZE];
    FUZZ_CHECK(text && io_stream_from(&stream, "again.json", text, strlen(text), error));
    FUZZ_CHECK(io_record_next(&stream, 0, &again) && !again.error[0]);
    FUZZ_CHECK(memcmp(&again.desc, &record->desc, sizeof again.desc) == 0);
    io_record_free(&again);
    io_stream_close(&stream);
    free(text);
    json_decref(json);
}

static void answer(struct io_stream *stream, const struct io_writer *writer, struct io_run *run,
                   unsigned flags)
{
    struct tmap_checker checker;
    struct io_record record;
    FUZZ_CHECK(tmap_checker_prepare(&run->target, TMAP_CONTRACT_SAFE, &checker) == TMAP_OK);
    FUZZ_CHECK(writer->begin(run));
    while (io_record_next(stream, 0, &record)) {
        struct io_result result;
        if (record.error[0]) {
            writer->unreadable(run, &record);
        } else {
            FUZZ_CHECK(io_judge(&checker, &record, stream, flags, &result) == TMAP_OK);
            writer->result(run, &result);
            io_result_free(&result);
            read_back(&record);
        }
        io_record_free(&record);
    }
    writer->end(run);
}

static void check_printed(struct io_stream *stream, enum io_format format, unsigned flags)
{
    char *text = NULL;
    size_t size = 0;
    struct io_run run = {.out = open_memstream(&text, &size), .command = "check"};
    run.things = "descriptor";
    run.target = tmap_default_target();
    FUZZ_CHECK(run.out != NULL);
    answer(stream, io_writer_of(format), &run, flags);
    fclose(run.out);
    if (format == IO_JSON || format == IO_SARIF) {
        json_t *json = json_loadb(text, size, 0, NULL);
        FUZZ_CHECK(json != NULL);
        json_decref(json);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_stream stream;
    struct io_record record;
    char error[IO_ERROR_SIZE];
    if (size == 0) return 0;
    const unsigned way = data[0] % WAYS, flags = data[0] / WAYS % 2 ? IO_FIX | IO_ADVISE : IO_BRIEF;
    FUZZ_CHECK(io_stream_from(&stream, "fuzz.json", (const char *)data + 1, size - 1, error));
    if (way < IO_FORMATS) {
        check_printed(&stream, (enum io_format)way, flags);
    } else {
        while (io_json_next(&stream, &record)) {
            if (!record.error[0]) read_as(&record, way);
            io_record_free(&record);
        }
    }
    io_stream_close(&stream);
    return 0;
}
