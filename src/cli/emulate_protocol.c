/* emulate_protocol.c : several runs of one kernel, folded to the protocol that tmap pipeline
 * proves. */
#include "cli/emulate_protocol.h"

#include "io/plan/plan.h"
#include "io/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 8, RUN_BYTES = 512 };

struct runs {
    struct tmap_emulate_record *record[MOST_RUNS];
    size_t count;
    enum cli_exit code; /* of what went wrong */
};

static bool same_name(const char *text, const char *word)
{
    const size_t n = strcspn(word, "=");
    return strncmp(text, word, n) == 0 && text[n] == '=';
}

/* "grid=8" stands in for --grid, "n=6" for --arg n=…; false where there is no such option. */
static bool stand_in(struct cli *cli, const char *word)
{
    for (size_t i = 0; i < cli->value_count; i++) {
        struct cli_value *v = &cli->value[i];
        const bool arg = strcmp(v->name, "arg") == 0 && same_name(v->text, word);
        const bool grid = strcmp(v->name, "grid") == 0 && strncmp(word, "grid=", 5) == 0;
        if (!arg && !grid) continue;
        v->text = arg ? word : word + 5;
        return true;
    }
    cli_message(cli, "--run %s: no --arg of that name, and no --grid", word);
    return false;
}

static bool record(struct runs *r, emulate_recorded *launch, void *self)
{
    return tmap_emulate_record_open(0, &r->record[r->count]) == TMAP_OK &&
           launch(self, r->record[r->count++]);
}

/* One run with the words of --run in the options' place. */
static bool record_with(struct cli *cli, struct runs *r, const char *run, emulate_recorded *launch,
                        void *self)
{
    struct cli_value given[CLI_MAX_OPTIONS];
    char text[RUN_BYTES], *rest = NULL;
    bool good = strlen(run) < sizeof text && r->count < MOST_RUNS;
    if (!good) {
        r->code = cli_usage(cli, "--run: 7 at most, each of up to 511 bytes");
        return false;
    }
    memcpy(given, cli->value, sizeof given);
    strcpy(text, run);
    for (char *word = strtok_r(text, " ", &rest); good && word; word = strtok_r(NULL, " ", &rest))
        if (!(good = stand_in(cli, word))) r->code = CLI_USAGE;
    good = good && record(r, launch, self);
    memcpy(cli->value, given, sizeof given);
    return good;
}

struct part {
    enum tmap_emulate_part which;
    unsigned number;
};

static bool read_part(const struct cli *cli, struct part *out)
{
    const char *text = cli_get(cli, "part"), *colon = text ? strchr(text, ':') : NULL;
    char *end = NULL;
    const unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;
    const bool numbered = colon && colon[1] >= '0' && colon[1] <= '9' && !*end && number < 1000;

    *out = (struct part){TMAP_EMULATE_BARRIERS, (unsigned)number};
    if (!text || strcmp(text, "all") == 0) return true;
    if (numbered && strncmp(text, "ring:", 5) == 0)
        out->which = TMAP_EMULATE_RING;
    else if (numbered && strncmp(text, "staging:", 8) == 0)
        out->which = TMAP_EMULATE_STAGING;
    else
        cli_no_value(cli, "--part", "all, ring:N or staging:N", text);
    return out->which != TMAP_EMULATE_BARRIERS;
}

static enum cli_exit write_out(struct cli *cli, const char *kernel, const struct tmap_protocol *p)
{
    const char *path = cli_get(cli, "protocol");
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (f)
        io_print_json(f, json_pack("{s:s, s:o}", "name", kernel, "protocol", io_protocol_json(p)),
                      cli->format == IO_JSONL ? 0 : 2);
    if (f == stdout) return CLI_OK;
    bool good = f && !ferror(f);
    if (f && fclose(f) != 0) good = false;
    if (!good) {
        cli_message(cli, "%s: %s", path, strerror(errno));
        return CLI_INPUT;
    }
    if (cli->format == IO_TEXT)
        printf("%s: agents %u, barriers %u, buffers %u, rings %u, steps %u: %s\n", kernel,
               p->agent_count, p->barrier_count, p->buffer_count, p->ring_count, p->step_count,
               path);
    return CLI_OK;
}

static enum cli_exit fold(struct cli *cli, const char *kernel, const struct runs *r,
                          const struct part *part)
{
    const char *text = cli_get(cli, "part");
    struct tmap_emulate_error error = {0};
    struct tmap_protocol p;
    const enum tmap_status s =
        tmap_emulate_protocol(r->record, r->count, part->which, part->number, &p, &error);
    if (s == TMAP_OK) return write_out(cli, kernel, &p);
    if (s == TMAP_E_MEMORY) return cli_status(cli, s, kernel);
    if (s == TMAP_E_NO_PLAN)
        cli_message(cli, "%s has no %s", kernel, text ? text : "barriers");
    else if (error.line)
        cli_message(cli, "%s, line %u: %s", kernel, error.line, error.text);
    else
        cli_message(cli, "%s: %s", kernel, error.text);
    return CLI_UNDECIDED;
}

enum cli_exit emulate_protocol(struct cli *cli, const char *kernel, emulate_recorded *launch,
                               void *self)
{
    struct runs r = {.code = CLI_INPUT};
    struct part part;
    if (!read_part(cli, &part)) return CLI_USAGE;
    bool good = record(&r, launch, self);
    for (size_t i = 0; good && i < cli->value_count; i++)
        if (strcmp(cli->value[i].name, "run") == 0)
            good = record_with(cli, &r, cli->value[i].text, launch, self);
    const enum cli_exit code = good ? fold(cli, kernel, &r, &part) : r.code;
    for (size_t i = 0; i < r.count; i++) tmap_emulate_record_free(r.record[i]);
    return code;
}
