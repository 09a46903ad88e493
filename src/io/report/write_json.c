/* write_json.c : one JSON document for the run, or one line per record.
 *
 * Both print each result as it comes, so a run over 10^5 records holds one at a time. The forms
 * are docs/schema/check.json and docs/schema/check-line.json. */
#include "io/report/report.h"

static bool quiet_begin(struct io_run *run)
{
    (void)run;
    return true;
}

static void quiet_end(struct io_run *run)
{
    (void)run;
}

static void line_result(struct io_run *run, const struct io_result *result)
{
    io_print_json(run->out, io_line_json(result), 0);
}

static void line_unreadable(struct io_run *run, const struct io_record *record)
{
    io_print_json(run->out, io_error_json(record), 0);
}

const struct io_writer io_write_jsonl = {quiet_begin, line_result, line_unreadable, quiet_end};

static bool begin(struct io_run *run)
{
    json_t *target = io_target_json(&run->target);
    fprintf(run->out, "{\"tool\":{\"name\":\"tmap\",\"version\":\"%s\"},\"command\":\"%s\",",
            tmap_version(), run->command);
    fputs("\"target\":", run->out);
    io_put_json(run->out, target, JSON_COMPACT);
    fprintf(run->out, ",\"contract\":\"%s\",\"basis\":\"%s\",\"results\":[",
            io_contract_name(run->contract), io_basis_name(run->basis));
    json_decref(target);
    return true;
}

static void element(struct io_run *run, json_t *value)
{
    fputs(run->state ? ",\n" : "\n", run->out);
    run->state = run;
    io_put_json(run->out, value, JSON_COMPACT);
    json_decref(value);
}

static void result(struct io_run *run, const struct io_result *result)
{
    element(run, io_result_json(result));
}

static void unreadable(struct io_run *run, const struct io_record *record)
{
    element(run, io_error_json(record));
}

static void end(struct io_run *run)
{
    fprintf(run->out,
            "\n],\"summary\":{\"records\":%zu,\"legal\":%zu,\"illegal\":%zu,\"unknown\":%zu,"
            "\"unreadable\":%zu,\"accepted\":%zu,\"unmet\":%zu",
            run->records, run->legal, run->illegal, run->unknown, run->unreadable, run->accepted,
            run->unmet);
    if (run->all_arches) fprintf(run->out, ",\"illegal_pairs\":%zu", run->illegal_pairs);
    fputs("}}\n", run->out);
}

const struct io_writer io_write_json = {begin, result, unreadable, end};
