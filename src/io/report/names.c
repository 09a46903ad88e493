/* names.c : verdicts, targets and numbers in words and in JSON, the same for every format. */
#include "expr/field.h"
#include "io/json/number.h"
#include "io/report/outside.h"
#include "io/report/report.h"
#include "io/report/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *io_verdict_name(enum tmap_verdict verdict)
{
    return verdict == TMAP_LEGAL ? "legal" : verdict == TMAP_ILLEGAL ? "illegal" : "unknown";
}

const char *io_basis_name(enum tmap_basis basis)
{
    return basis == TMAP_OBSERVED ? "observed" : "inferred";
}

const char *io_contract_name(enum tmap_contract contract)
{
    static const char *const names[] = {"safe", "documented", "driver", "hardware"};
    return (unsigned)contract < 4 ? names[contract] : "?";
}

char *io_target_text(const struct tmap_target *t, char *text, size_t size)
{
    const char *arch = tmap_arch_name(t->arch);
    snprintf(text, size, "CUDA %u.%u, PTX %u.%u, driver %u, %s", t->cuda / 100, t->cuda % 100,
             t->ptx / 10, t->ptx % 10, t->driver, arch ? arch : "unknown architecture");
    return text;
}

json_t *io_target_json(const struct tmap_target *t)
{
    char cuda[24], ptx[24];
    const char *arch = tmap_arch_name(t->arch);
    snprintf(cuda, sizeof cuda, "%u.%u", t->cuda / 100, t->cuda % 100);
    snprintf(ptx, sizeof ptx, "%u.%u", t->ptx / 10, t->ptx % 10);
    return json_pack("{s:s, s:s, s:i, s:s?}", "cuda", cuda, "ptx", ptx, "driver", (int)t->driver,
                     "arch", arch);
}

json_t *io_number_json(struct tmap_number number)
{
    char text[22];
    if (!number.known) return json_null();
    if (number.magnitude > INT64_MAX) return json_string(io_number_text(number, text));
    return json_integer(number.negative ? -(json_int_t)number.magnitude
                                        : (json_int_t)number.magnitude);
}

json_t *io_u64_json(uint64_t number)
{
    return io_number_json((struct tmap_number){true, false, number});
}

json_t *io_rules_json(const tmap_row *rules, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, json_string(tmap_row_id(rules[i])));
    return out;
}

static enum values values_of(int slot)
{
    const struct field_info *f = field_info_of(field_of_slot(slot));
    return f ? f->values : VALUES_NUMBER;
}

char *io_value_text(int slot, struct tmap_number number, char text[40])
{
    const enum values values = values_of(slot);
    const char *name = number.negative || number.magnitude > INT32_MAX
                           ? NULL
                           : value_name(values, (int64_t)number.magnitude);
    if (name)
        snprintf(text, 40, "%s", name);
    else if (values == VALUES_ADDRESS && number.magnitude > 65535)
        snprintf(text, 40, "0x%llx", (unsigned long long)number.magnitude);
    else
        io_number_text(number, text);
    return text;
}

char *io_input_text(int slot, struct tmap_number number, char text[40])
{
    char plain[40];

    io_value_text(slot, number, plain);
    if (values_are_named(values_of(slot)) || plain[1] == 'x' || number.magnitude > INT64_MAX)
        snprintf(text, 40, "\"%.36s\"", plain);
    else
        snprintf(text, 40, "%s", plain);
    return text;
}

/* --- results in JSON ---------------------------------------------------------------------------*/

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

void io_put_json(FILE *out, const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags);

    for (char *end, *at = text; at; at = end ? end + 1 : NULL) {
        end = strchr(at, '\n'); /* between values: inside of a string it is \n */
        if (end) *end = 0;
        io_put(out, at); /* its escapes are JSON's */
        if (end) fputc('\n', out);
    }
    free(text);
}

void io_print_json(FILE *out, json_t *value, int indent)
{
    io_put_json(out, value, indent ? JSON_INDENT((size_t)indent) : JSON_COMPACT);
    fputc('\n', out);
    json_decref(value);
}
