/* names.c : verdicts, targets and numbers in words and in JSON, the same for every format. */
#include "expr/field.h"
#include "io/json/number.h"
#include "io/report/outside.h"
#include "io/report/report.h"

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
