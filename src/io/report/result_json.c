/* result_json.c : what a check found, in JSON. */
#include "expr/row.h"
#include "io/report/report.h"
#include "io/report/rule.h"

#include <string.h>

json_t *io_rules_json(const tmap_row *rules, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, json_string(tmap_row_id(rules[i])));
    return out;
}

static void set_use(json_t *out, const struct io_finding *f)
{
    if (f->use >= 0) json_object_set_new(out, "use", json_integer(f->use));
    if (f->index >= 0) json_object_set_new(out, "index", json_integer(f->index));
}

json_t *io_finding_json(const struct io_finding *f)
{
    const struct row *row = &row_table[f->row];
    json_t *out =
        json_pack("{s:s, s:s}", "rule", tmap_row_id(f->row), "name", tmap_row_name(f->row));

    set_use(out, f);
    json_object_set_new(out, "message", io_string_json(f->detail.message));
    json_object_set_new(out, "field", f->detail.field ? json_string(f->detail.field) : json_null());
    if (f->path[0]) json_object_set_new(out, "path", json_string(f->path));
    json_object_set_new(out, "line", json_integer((json_int_t)f->line));
    json_object_set_new(out, "value", io_number_json(f->detail.value));
    json_object_set_new(out, "needs", json_string(f->detail.needs));
    json_object_set_new(out, "below", io_number_json(f->detail.below));
    json_object_set_new(out, "above", io_number_json(f->detail.above));
    if (f->fix.known) {
        json_object_set_new(out, "fix", io_number_json(f->fix));
        json_object_set_new(out, "fix_is_legal", json_boolean(f->fix_checked));
    }
    if (f->allowed) json_object_set_new(out, "allowed", json_string(f->allowed));
    json_object_set_new(out, "fix_kind", json_string(io_fix_name((enum row_fix)row->fix_kind)));
    json_object_set_new(out, "help", json_string(row->fix));
    json_object_set_new(out, "evidence", io_evidence_json(f->row));
    return out;
}

static json_t *findings(const struct io_result *result, bool advisory)
{
    json_t *out = json_array();
    for (size_t i = 0; i < result->finding_count; i++)
        if (result->finding[i].advisory == advisory)
            json_array_append_new(out, io_finding_json(&result->finding[i]));
    return out;
}

json_t *io_arches_json(const struct io_result *result)
{
    json_t *out = json_array();
    for (size_t i = 0; i < result->arch_count; i++) {
        const struct io_arch_answer *a = &result->arch[i];
        json_array_append_new(
            out, json_pack("{s:s, s:s, s:s, s:o}", "arch", tmap_arch_name(a->arch), "verdict",
                           io_verdict_name(a->verdict), "basis", io_basis_name(a->basis), "rules",
                           io_rules_json(a->rules, a->rule_count)));
    }
    return out;
}

/* Each row once, as for rules. */
static void add_advisory(json_t *out, tmap_row row)
{
    json_t *list = json_object_get(out, "advised"), *entry;
    size_t i;

    if (!list) {
        list = json_array();
        json_object_set_new(out, "advised", list);
    }
    json_array_foreach(list, i,
                       entry) if (strcmp(json_string_value(entry), tmap_row_id(row)) == 0) return;
    json_array_append_new(list, json_string(tmap_row_id(row)));
}

/* The keys that the record left out and that decide. */
static json_t *assumed_json(const struct io_record *record)
{
    json_t *out = json_array();
    if (record->flags & IO_NO_ADDRESS) json_array_append_new(out, json_string("address"));
    if (record->flags & IO_NO_STRIDE) json_array_append_new(out, json_string("stride"));
    return out;
}

json_t *io_line_json(const struct io_result *result)
{
    const struct io_record *r = result->record;
    json_t *out = json_pack("{s:s?, s:s, s:s, s:o}", "name", r->name, "verdict",
                            io_verdict_name(result->verdict), "basis", io_basis_name(result->basis),
                            "rules", io_rules_json(result->rules, result->rule_count));

    for (size_t i = 0; i < result->finding_count; i++)
        if (result->finding[i].advisory) add_advisory(out, result->finding[i].row);
    if (result->verdict == TMAP_UNKNOWN)
        json_object_set_new(out, "why", json_string(result->unknown));
    if (r->flags & (IO_NO_ADDRESS | IO_NO_STRIDE))
        json_object_set_new(out, "assumed", assumed_json(r));
    if (result->judged_for)
        json_object_set_new(out, "arch", json_string(tmap_arch_name(result->judged_for)));
    if (r->flags & IO_PARTIAL) json_object_set_new(out, "absent", json_string(r->absent));
    if (result->accepted) json_object_set_new(out, "accepted", json_true());
    if (result->unmet) json_object_set_new(out, "unmet", json_string(result->expectation));
    if (result->arch) json_object_set_new(out, "arches", io_arches_json(result));
    return out;
}

json_t *io_result_json(const struct io_result *result)
{
    const struct io_record *r = result->record;
    json_t *out = io_line_json(result), *unused = json_array();

    json_object_set_new(out, "file", io_string_json(r->file));
    json_object_set_new(out, "record", json_integer((json_int_t)r->record));
    json_object_set_new(out, "line", json_integer((json_int_t)r->line));
    json_object_set_new(out, "violations", findings(result, false));
    json_object_set_new(out, "advisories", findings(result, true));
    json_object_set_new(out, "not_evaluated",
                        io_rules_json(result->not_evaluated, result->not_evaluated_count));
    for (size_t i = 0; i < r->allow_count; i++)
        if (!io_allow_is_used(result, i))
            json_array_append_new(unused, json_string(tmap_row_id(r->allows[i].row)));
    json_object_set_new(out, "unused_allows", unused);
    return out;
}
