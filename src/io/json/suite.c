/* suite.c : what a record says about its own verdict: expect, expect_rules, allow. */
#include "io/json/read.h"

#include <stdlib.h>
#include <string.h>

static bool rule_named(struct io_record *record, const char *path, const char *id, tmap_row *out)
{
    *out = id ? tmap_row_find(id) : TMAP_NO_ROW;
    if (*out != TMAP_NO_ROW) return true;
    return id ? io_fail(record, path, "there is no rule \"%.32s\"", id)
              : io_fail(record, path, "expected a rule's id, \"TMA001\"");
}

static bool read_expect(struct io_record *record, json_t *value)
{
    static const char *const verdicts[] = {"legal", "illegal", "unknown"};
    const char *text = json_string_value(value);

    if (!value) return true;
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, verdicts[i]) == 0) {
            record->flags |= IO_HAS_EXPECT;
            record->expect = (enum tmap_verdict)i;
            return true;
        }
    return io_fail(record, "$.expect", "expected \"legal\", \"illegal\" or \"unknown\"");
}

static bool read_expect_rules(struct io_record *record, json_t *value)
{
    size_t n = json_array_size(value);
    char path[40];

    if (!value) return true;
    if (!json_is_array(value))
        return io_fail(record, "$.expect_rules", "expected an array, not %s", io_type_name(value));
    record->flags |= IO_HAS_EXPECT_RULES;
    record->expect_rules = calloc(n + 1, sizeof *record->expect_rules);
    if (!record->expect_rules) return io_fail(record, "$.expect_rules", "out of memory");
    for (size_t i = 0; i < n; i++) {
        io_path_of("$", "expect_rules", (int)i, path, sizeof path);
        if (!rule_named(record, path, json_string_value(json_array_get(value, i)),
                        &record->expect_rules[i]))
            return false;
        record->expect_rule_count++;
    }
    return true;
}

static bool read_allow(struct io_record *record, json_t *value)
{
    const char *id;
    json_t *reason;
    char path[64];

    if (!value) return true;
    if (!json_is_object(value))
        return io_fail(record, "$.allow", "expected an object, not %s", io_type_name(value));
    record->allows = calloc(json_object_size(value) + 1, sizeof *record->allows);
    if (!record->allows) return io_fail(record, "$.allow", "out of memory");
    json_object_foreach(value, id, reason)
    {
        struct io_allow *allow = &record->allows[record->allow_count];
        io_path_of("$.allow", id, -1, path, sizeof path);
        if (!rule_named(record, path, id, &allow->row)) return false;
        allow->reason = json_string_value(reason);
        if (!allow->reason || !*allow->reason)
            return io_fail(record, path, "expected the reason as a string");
        record->allow_count++;
    }
    return true;
}

bool io_suite_from(struct io_record *record)
{
    return read_expect(record, json_object_get(record->json, "expect")) &&
           read_expect_rules(record, json_object_get(record->json, "expect_rules")) &&
           read_allow(record, json_object_get(record->json, "allow"));
}
