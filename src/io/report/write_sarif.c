/* write_sarif.c : SARIF 2.1.0, for code scanning.
 *
 * One run; its rules are those that were violated, in order of appearance. A finding that a single
 * changed value was seen to repair carries it as a fix; an allowed one is a suppressed result; an
 * unreadable record is a notification. Findings of a record that is expected to be illegal are
 * suppressed as well. Unknown verdicts are notifications too: SARIF has no way to
 * say "not legal, not illegal". Results are printed as they come: only notifications are kept. */
#include "io/report/report.h"
#include "io/report/rule.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct sarif {
    json_t *notifications;
    bool failed, some;
    int index[ROW_COUNT]; /* of a row in rules, from 1; 0: not there yet */
    int expectation;      /* likewise, of what is not met */
    json_t *rules;
};

static json_t *text(const char *words)
{
    return json_pack("{s:o}", "text", io_string_json(words));
}

/* A relative or absolute path as a URI reference: what it does not allow goes as %XX. */
static json_t *artifact(const char *file)
{
    char uri[1024];
    size_t used = 0;

    if (strcmp(file, "-") == 0) file = "stdin";
    for (; *file && used + 4 < sizeof uri; file++) {
        const unsigned char c = (unsigned char)*file;
        if (c < 0x80 && (isalnum(c) || strchr("/._-~+,@=", c)))
            uri[used++] = (char)c;
        else
            used += (size_t)snprintf(uri + used, sizeof uri - used, "%%%02X", c);
    }
    uri[used] = 0;
    return json_pack("{s:s}", "uri", uri);
}

static json_t *region(size_t line, size_t column, size_t length)
{
    json_t *out = json_pack("{s:I}", "startLine", (json_int_t)line);
    if (column) json_object_set_new(out, "startColumn", json_integer((json_int_t)column));
    if (column && length)
        json_object_set_new(out, "endColumn",
                            json_integer((json_int_t)column + (json_int_t)length));
    return out;
}

static json_t *location(const struct io_record *record, const struct io_finding *f)
{
    char where[160];

    snprintf(where, sizeof where, "%s%s", record->name ? record->name : "",
             f && f->path[0] ? f->path + 1 : "");
    return json_pack("{s:{s:o, s:o}, s:[{s:o}]}", "physicalLocation", "artifactLocation",
                     artifact(record->file), "region",
                     f ? region(f->line, f->column, f->length) : region(record->line, 1, 0),
                     "logicalLocations", "fullyQualifiedName", io_string_json(where));
}

static json_t *fixes(const struct io_record *record, const struct io_finding *f)
{
    char value[40], words[140];

    io_input_text(f->detail.slot, f->fix, value);
    snprintf(words, sizeof words, "%s = %s makes the record legal", f->path, value);
    return json_pack("[{s:o, s:[{s:o, s:[{s:o, s:{s:s}}]}]}]", "description", text(words),
                     "artifactChanges", "artifactLocation", artifact(record->file), "replacements",
                     "deletedRegion", region(f->line, f->column, f->length), "insertedContent",
                     "text", value);
}

/* Stable over edits elsewhere in the file: the descriptor, the rule and the place in it. */
static json_t *fingerprint(const struct io_record *record, const struct io_finding *f)
{
    char words[240];

    snprintf(words, sizeof words, "%.100s/%s/%s/%d/%d", record->name ? record->name : "record",
             tmap_row_id(f->row), f->path, f->use, f->index);
    return json_pack("{s:o}", "tmap/v1", io_string_json(words));
}

/* Where a rule's first source is to be read. */
static const char *help_uri(const struct row *row)
{
    const bool ptx =
        row->evidence[0].source == SOURCE_PTX || row->evidence[0].source == SOURCE_GUIDE;
    return ptx ? "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html"
               : "https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TENSOR__MEMORY.html";
}

/* A name in words: "stride multiple 16". */
static json_t *title(const char *name)
{
    char words[80];

    snprintf(words, sizeof words, "%s", name);
    for (char *c = words; *c; c++)
        if (*c == '_') *c = ' ';
    return text(words);
}

static json_t *rule(tmap_row number)
{
    const struct row *row = &row_table[number];
    const char *level = row->effect == EFFECT_ADVISORY ? "warning" : "error";

    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:{s:s}}", "id", row->id, "name", row->name,
                     "shortDescription", title(row->name), "fullDescription", text(row->why),
                     "help", text(row->fix), "helpUri", help_uri(row), "defaultConfiguration",
                     "level", level);
}

static int rule_index(struct sarif *s, tmap_row row)
{
    if (!s->index[row]) {
        json_array_append_new(s->rules, rule(row));
        s->index[row] = (int)json_array_size(s->rules);
    }
    return s->index[row] - 1;
}

static json_t *finding(struct sarif *s, const struct io_result *result, const struct io_finding *f)
{
    const struct io_record *record = result->record;
    json_t *out =
        json_pack("{s:s, s:i, s:s, s:o, s:[o], s:o}", "ruleId", tmap_row_id(f->row), "ruleIndex",
                  rule_index(s, f->row), "level", f->advisory ? "warning" : "error", "message",
                  text(f->detail.message), "locations", location(record, f), "partialFingerprints",
                  fingerprint(record, f));

    if (f->fix_checked && f->length && record->json)
        json_object_set_new(out, "fixes", fixes(record, f));
    const char *why = f->allowed ? f->allowed : io_is_as_expected(result) ? "as expected" : NULL;
    if (why)
        json_object_set_new(
            out, "suppressions",
            json_pack("[{s:s, s:o}]", "kind", "inSource", "justification", io_string_json(why)));
    return out;
}

/* --arch all: the record on one architecture; the rules are those violated there. */
static json_t *arch_finding(struct sarif *s, const struct io_result *result,
                            const struct io_arch_answer *a)
{
    const tmap_row first = a->rules[0];
    char words[600], print[160];
    size_t used = (size_t)snprintf(words, sizeof words, "illegal on %s:", tmap_arch_name(a->arch));

    for (size_t i = 0; i < a->rule_count && used < sizeof words; i++)
        used +=
            (size_t)snprintf(words + used, sizeof words - used, " %s", tmap_row_id(a->rules[i]));
    snprintf(print, sizeof print, "%.100s/%s",
             result->record->name ? result->record->name : "record", tmap_arch_name(a->arch));
    return json_pack("{s:s, s:i, s:s, s:o, s:[o], s:{s:o}}", "ruleId", tmap_row_id(first),
                     "ruleIndex", rule_index(s, first), "level", "error", "message", text(words),
                     "locations", location(result->record, NULL), "partialFingerprints", "tmap/v1",
                     io_string_json(print));
}

/* An expectation that is not met is a finding of a rule of its own. */
static int expectation_index(struct sarif *s)
{
    if (!s->expectation) {
        json_array_append_new(
            s->rules, json_pack("{s:s, s:s, s:o, s:{s:s}}", "id", "expectation", "name",
                                "expectation", "shortDescription",
                                text("the record's expect or expect_rules is not what came"),
                                "defaultConfiguration", "level", "error"));
        s->expectation = (int)json_array_size(s->rules);
    }
    return s->expectation - 1;
}

static json_t *unmet(struct sarif *s, const struct io_result *result)
{
    char print[160];

    snprintf(print, sizeof print, "%.100s/expectation",
             result->record->name ? result->record->name : "record");
    return json_pack("{s:s, s:i, s:s, s:o, s:[o], s:{s:o}}", "ruleId", "expectation", "ruleIndex",
                     expectation_index(s), "level", "error", "message", text(result->expectation),
                     "locations", location(result->record, NULL), "partialFingerprints", "tmap/v1",
                     io_string_json(print));
}

static void notify(struct sarif *s, const char *level, const char *words,
                   const struct io_record *record)
{
    json_array_append_new(s->notifications,
                          json_pack("{s:s, s:o, s:[o]}", "level", level, "message", text(words),
                                    "locations", location(record, NULL)));
}

static void print_result(struct io_run *run, json_t *value)
{
    struct sarif *s = run->state;

    fputs(s->some ? ",\n" : "\n", run->out);
    s->some = true;
    io_put_json(run->out, value, JSON_COMPACT);
    json_decref(value);
}

static void result(struct io_run *run, const struct io_result *result)
{
    struct sarif *s = run->state;
    char words[160];

    for (size_t i = 0; i < result->arch_count; i++)
        if (result->arch[i].verdict == TMAP_ILLEGAL)
            print_result(run, arch_finding(s, result, &result->arch[i]));
    for (size_t i = 0; !result->arch && i < result->finding_count; i++)
        print_result(run, finding(s, result, &result->finding[i]));
    if (result->unmet) print_result(run, unmet(s, result));
    if (result->verdict == TMAP_UNKNOWN) {
        snprintf(words, sizeof words, "unknown: %s", result->unknown);
        notify(s, "warning", words, result->record);
    }
    for (size_t i = 0; i < result->record->allow_count; i++)
        if (!io_allow_is_used(result, i)) {
            snprintf(words, sizeof words, "%s is allowed but not violated",
                     tmap_row_id(result->record->allows[i].row));
            notify(s, "warning", words, result->record);
        }
}

static void unreadable(struct io_run *run, const struct io_record *record)
{
    struct sarif *s = run->state;
    char words[600];

    s->failed = true;
    io_error_text(record, words, sizeof words);
    notify(s, "error", words, record);
}

static json_t *tool(const struct io_run *run, json_t *rules)
{
    char target[120];

    io_target_text(&run->target, target, sizeof target);
    return json_pack("{s:{s:s, s:s, s:o, s:{s:s, s:s, s:s}}}", "driver", "name", "tmap", "version",
                     tmap_version(), "rules", rules, "properties", "target", target, "contract",
                     io_contract_name(run->contract), "basis", io_basis_name(run->basis));
}

static bool begin(struct io_run *run)
{
    struct sarif *s = calloc(1, sizeof *s);

    if (!s) return false;
    s->notifications = json_array();
    s->rules = json_array();
    run->state = s;
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\n"
          "\"runs\":[{\"columnKind\":\"unicodeCodePoints\",\n\"results\":[",
          run->out);
    return true;
}

static void member(struct io_run *run, const char *key, json_t *value)
{
    fprintf(run->out, ",\n\"%s\":", key);
    io_put_json(run->out, value, JSON_COMPACT);
    json_decref(value);
}

static void end(struct io_run *run)
{
    struct sarif *s = run->state;

    fputc(']', run->out);
    member(run, "tool", tool(run, s->rules));
    member(run, "invocations",
           json_pack("[{s:b, s:o}]", "executionSuccessful", !s->failed,
                     "toolExecutionNotifications", s->notifications));
    fputs("}]}\n", run->out);
    free(s);
    run->state = NULL;
}

const struct io_writer io_write_sarif = {begin, result, unreadable, end};
