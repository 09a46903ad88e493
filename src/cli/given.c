/* given.c : see given.h. The options are those of CLI_DESC (options.def), named as JSON names the
 * fields. */
#include "cli/given.h"

#include "expr/field.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* The field that an option says; NULL for an option of another kind. */
static const struct field_info *field_of(const char *name)
{
    struct cli_option option[CLI_MAX_OPTIONS];
    const size_t n = cli_field_options(CLI_DESC, option, CLI_MAX_OPTIONS);
    const int slot = field_find(name);

    for (size_t i = 0; i < n && slot >= 0; i++)
        if (strcmp(option[i].name, name) == 0) return field_info_of(field_of_slot(slot));
    return NULL;
}

bool cli_is_given(const struct cli *cli)
{
    if (!(cli->command->groups & (CLI_DESC | CLI_TILE))) return false;
    if (cli->command->groups & CLI_TILE && cli_has(cli, "tile")) return true;
    for (size_t i = 0; i < cli->value_count; i++)
        if (field_of(cli->value[i].name)) return true;
    return false;
}

/* A number as JSON has it, or a name; numbers too long for jansson stay strings. */
static json_t *scalar(const char *text, size_t length)
{
    const size_t digits = strspn(text, "0123456789");
    if (length == 0 || length > 18 || digits < length || (text[0] == '0' && length > 1))
        return json_stringn(text, length);
    return json_integer(strtoll(text, NULL, 10));
}

static json_t *list(const char *text)
{
    json_t *out = json_array();
    for (;;) {
        const size_t length = strcspn(text, ",");
        json_array_append_new(out, scalar(text, length));
        if (!text[length]) return out;
        text += length + 1;
    }
}

/* im2col_wide has one number where im2col has a corner's list. */
static json_t *value_of(const struct cli *cli, const struct field_info *field, const char *text)
{
    const char *kind = cli_get(cli, "kind");
    const bool wide = kind && strstr(kind, "wide") && field->span == SPAN_SPATIALS;
    int32_t known;

    if (strcmp(text, "null") == 0) return json_null();
    if (value_find(field->values, text, &known)) return json_string(text); /* --swizzle 128 */
    return field->count > 1 && !wide ? list(text) : scalar(text, strlen(text));
}

/* The tensor's fields with what its tile says beside them. */
static json_t *request_of(const struct cli *cli, json_t *tensor)
{
    static const char *const words[] = {"op", "consumer"};
    const char *tile = cli_get(cli, "tile"), *cast = cli_get(cli, "multicast");
    json_t *out = json_object();

    json_object_set_new(out, "tensor", tensor);
    if (tile) json_object_set_new(out, "tile", list(tile));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (cli_has(cli, words[i]))
            json_object_set_new(out, words[i], json_string(cli_get(cli, words[i])));
    if (cast) json_object_set_new(out, "multicast", scalar(cast, strlen(cast)));
    return out;
}

bool cli_given(struct cli *cli, struct io_stream *stream)
{
    char error[IO_ERROR_SIZE];
    json_t *object = json_object();

    for (size_t i = 0; i < cli->value_count; i++) {
        const struct field_info *field = field_of(cli->value[i].name);
        if (field)
            json_object_set_new(object, field->json, value_of(cli, field, cli->value[i].text));
    }
    if (cli->command->groups & CLI_TILE) object = request_of(cli, object);
    char *text = json_dumps(object, JSON_PRESERVE_ORDER);
    json_decref(object);
    const bool ok = text && io_stream_from(stream, "options", text, strlen(text), error);
    free(text);
    if (!ok) cli_note(cli, cli_status(cli, TMAP_E_MEMORY, "the descriptor of the options"));
    return ok;
}
