/* emulate_report.c : emulate's findings as annotations (github), test cases (junit) and results
 * (sarif 2.1.0). A run of one schedule without a finding is a test case that passed. */
#include "cli/emulate_report.h"

#include <stdlib.h>
#include <string.h>

#include "io/report/outside.h"
#include "io/report/report.h"

/* What a reader would take for its own becomes what `entity` says, the rest as io_put() does. */
static void escaped(FILE *out, const char *text, bool xml)
{
    uint32_t code;
    bool harmless;
    for (size_t n, left = strlen(text); left > 0; text += n, left -= n) {
        n = io_next_char(text, left, &code, &harmless);
        if (xml ? code == '&' || code == '<' || code == '>' || code == '"'
                : code == '%' || code == '\r' || code == '\n')
            fprintf(out, xml ? "&#%u;" : "%%%02X", (unsigned)code);
        else if (harmless)
            fwrite(text, 1, n, out);
        else
            fprintf(out, "\\u%04x", (unsigned)code);
    }
}

bool emulate_report_begin(struct emulate_report *r, enum io_format format, const char *file,
                          const char *kernel)
{
    *r = (struct emulate_report){.format = format,
                                 .file = strcmp(file, "-") == 0 ? "stdin" : file,
                                 .kernel = kernel,
                                 .results = json_array()};
    return r->results != NULL;
}

static json_t *place(const char *file, uint32_t line)
{
    return json_pack("{s:{s:{s:o}, s:{s:I}}}", "physicalLocation", "artifactLocation", "uri",
                     io_string_json(file), "region", "startLine", (json_int_t)(line ? line : 1));
}

static void annotate(const struct emulate_report *r, uint32_t line, const char *kind,
                     const char *schedule, const char *text)
{
    fputs("::error file=", stdout);
    escaped(stdout, r->file, false);
    printf(",line=%u,title=%s::", line ? line : 1, kind);
    escaped(stdout, r->kernel, false);
    printf(", %s: ", schedule);
    escaped(stdout, text, false);
    putchar('\n');
}

static void add(struct emulate_report *r, const char *schedule, const char *kind, uint32_t line,
                const char *text, const struct tmap_emulate_finding *f)
{
    r->cases++;
    r->failures++;
    if (r->format == IO_GITHUB) annotate(r, line, kind, schedule, text);
    json_t *o = json_pack("{s:s, s:s, s:{s:o}, s:[o], s:{s:s}}", "ruleId", kind, "level", "error",
                          "message", "text", io_string_json(text), "locations",
                          place(r->file, line), "properties", "schedule", schedule);
    if (o && f && f->file && f->source_line)
        json_object_set_new(o, "relatedLocations",
                            json_pack("[o]", place(f->file, f->source_line)));
    json_array_append_new(r->results, o);
}

void emulate_report_finding(struct emulate_report *r, const char *schedule,
                            const struct tmap_emulate_finding *f)
{
    add(r, schedule, tmap_emulate_kind_name(f->kind), f->line, f->text, f);
}

void emulate_report_wrong(struct emulate_report *r, const char *schedule, const char *text)
{
    add(r, schedule, "expectation", 0, text, NULL);
}

void emulate_report_clean(struct emulate_report *r, const char *schedule)
{
    r->cases++;
    json_array_append_new(r->results, json_pack("{s:{s:s}}", "properties", "schedule", schedule));
}

static const char *text_of(const json_t *result, const char *key, const char *inner)
{
    const char *text = json_string_value(json_object_get(json_object_get(result, key), inner));
    return text ? text : "";
}

static void junit(const struct emulate_report *r, FILE *out)
{
    const json_t *o;
    size_t i;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"", out);
    escaped(out, r->file, true);
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", r->cases, r->failures);
    json_array_foreach(r->results, i, o)
    {
        const char *kind = json_string_value(json_object_get(o, "ruleId"));
        fputs("    <testcase classname=\"", out);
        escaped(out, r->kernel, true);
        fprintf(out, "\" name=\"%s", text_of(o, "properties", "schedule"));
        fprintf(out, kind ? ": %s %zu\"" : "\"", kind, i + 1);
        if (!kind) {
            fputs("/>\n", out);
            continue;
        }
        fprintf(out, "><failure type=\"%s\" message=\"", kind);
        escaped(out, text_of(o, "message", "text"), true);
        fputs("\"/></testcase>\n", out);
    }
    fputs("  </testsuite>\n</testsuites>\n", out);
}

/* Rules: the kinds that were found, in order of appearance. */
static json_t *rules_of(const json_t *results)
{
    json_t *rules = json_array(), *seen = json_object();
    const json_t *o;
    size_t i;
    json_array_foreach(results, i, o)
    {
        const char *kind = json_string_value(json_object_get(o, "ruleId"));
        if (!kind || json_object_get(seen, kind)) continue;
        json_object_set_new(seen, kind, json_true());
        json_array_append_new(rules, json_pack("{s:s, s:s}", "id", kind, "name", kind));
    }
    json_decref(seen);
    return rules;
}

static void sarif(const struct emulate_report *r, FILE *out)
{
    json_t *results = json_array(), *o;
    size_t i;
    json_array_foreach(r->results, i, o) if (json_object_get(o, "ruleId"))
        json_array_append(results, o);
    json_t *run = json_pack("{s:{s:{s:s, s:s, s:o}}, s:o}", "tool", "driver", "name",
                            "tmap emulate", "version", TMAP_VERSION_STRING, "rules",
                            rules_of(r->results), "results", results);
    io_print_json(out,
                  json_pack("{s:s, s:s, s:[o]}", "$schema",
                            "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0",
                            "runs", run),
                  2);
}

void emulate_report_end(struct emulate_report *r, FILE *out)
{
    if (r->format == IO_JUNIT) junit(r, out);
    if (r->format == IO_SARIF) sarif(r, out);
    json_decref(r->results);
    r->results = NULL;
}
