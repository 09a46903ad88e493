/* baseline.c : see baseline.h. Several records of one name share what any of them had. */
#include "cli/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cli_baseline {
    json_t *rules; /* {"name": {"TMA014": true}} */
};

static bool add_line(struct cli_baseline *b, const json_t *line)
{
    const json_t *name = json_object_get(line, "name"), *listed = json_object_get(line, "rules");
    const json_t *verdict = json_object_get(line, "verdict");
    json_t *known;

    if (json_object_get(line, "error")) return true; /* what could not be read had no rules */
    if (!json_is_string(verdict) || !json_is_array(listed)) return false;
    if (!json_is_string(name)) return true;
    known = json_object_get(b->rules, json_string_value(name));
    if (!known) {
        known = json_object();
        json_object_set_new(b->rules, json_string_value(name), known);
    }
    for (size_t i = 0; i < json_array_size(listed); i++) {
        const json_t *rule = json_array_get(listed, i);
        if (!json_is_string(rule)) return false;
        json_object_set_new(known, json_string_value(rule), json_true());
    }
    return true;
}

static bool add_file(struct cli *cli, struct cli_baseline *b, FILE *in, const char *path)
{
    char *text = NULL;
    size_t room = 0, number = 0;
    bool good = true;

    while (good && getline(&text, &room, in) > 0) {
        json_t *line;
        number++;
        if (strspn(text, " \t\r\n") == strlen(text)) continue;
        line = json_loads(text, 0, NULL);
        good = line && add_line(b, line);
        json_decref(line);
        if (!good) cli_message(cli, "%s:%zu: not a line of check -f jsonl", path, number);
    }
    if (good && !feof(in)) {
        cli_message(cli, "%s: %s", path,
                    ferror(in) && errno != ENOMEM ? "cannot be read" : "out of memory");
        good = false;
    }
    free(text);
    return good;
}

struct cli_baseline *cli_baseline_read(struct cli *cli, const char *path)
{
    FILE *in = fopen(path, "r");
    if (!in) cli_message(cli, "%s: cannot be read: %s", path, strerror(errno));
    struct cli_baseline *b = calloc(1, sizeof *b);
    if (!b) cli_message(cli, "%s: out of memory", path);
    bool good = b && in;

    if (good) b->rules = json_object();
    if (good) good = b->rules && add_file(cli, b, in, path);
    if (in) fclose(in);
    if (good) return b;
    cli_baseline_free(b);
    return NULL;
}

void cli_baseline_free(struct cli_baseline *baseline)
{
    if (!baseline) return;
    json_decref(baseline->rules);
    free(baseline);
}

void cli_baseline_apply(const struct cli_baseline *baseline, struct io_result *result)
{
    const char *name = result->record->name;
    const json_t *known = name ? json_object_get(baseline->rules, name) : NULL;
    bool all = known != NULL && result->verdict == TMAP_ILLEGAL;

    for (size_t i = 0; known && i < result->finding_count; i++) {
        struct io_finding *f = &result->finding[i];
        if (!f->allowed && json_object_get(known, tmap_row_id(f->row)))
            f->allowed = "in the baseline";
        all = all && (f->advisory || f->allowed);
    }
    if (all) result->accepted = true;
}
