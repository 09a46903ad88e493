/* Arguments of tmap emulate, from text. */
#include "cli/emulate_args.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/ops/small.h"
#include "expr/values.h"
#include "io/report/suggest.h"

#define MOST_ELEMENTS (UINT64_C(1) << 28) /* of a buffer */

static const struct {
    const char *name;
    uint32_t bytes;
    int32_t dtype; /* of a tensor map */
} dtypes[] = {
    [EM_BF16] = {"bf16", 2, TMAP_BFLOAT16}, [EM_F16] = {"f16", 2, TMAP_FLOAT16},
    [EM_F32] = {"f32", 4, TMAP_FLOAT32},    [EM_E4M3] = {"e4m3", 1, TMAP_UINT8},
    [EM_E5M2] = {"e5m2", 1, TMAP_UINT8},    [EM_S8] = {"s8", 1, TMAP_UINT8},
    [EM_U8] = {"u8", 1, TMAP_UINT8},        [EM_S32] = {"s32", 4, TMAP_INT32},
    [EM_U32] = {"u32", 4, TMAP_UINT32},     [EM_U64] = {"u64", 8, TMAP_UINT64},
};

static double value_at(const struct emulate_buffer *b, const uint8_t *data, uint64_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, data + i * dtypes[b->dtype].bytes, dtypes[b->dtype].bytes);
    switch (b->dtype) {
    case EM_BF16:
        return (double)emu_from_bfloat((uint32_t)bits);
    case EM_F16:
        return (double)emu_from_half((uint32_t)bits);
    case EM_F32:
        return (double)emu_float((uint32_t)bits);
    case EM_E4M3:
        return (double)emu_from_small(SMALL_E4M3, (uint32_t)bits);
    case EM_E5M2:
        return (double)emu_from_small(SMALL_E5M2, (uint32_t)bits);
    case EM_S8:
        return (double)(int8_t)bits;
    case EM_S32:
        return (double)(int32_t)bits;
    default:
        return (double)bits;
    }
}

static void put(const struct emulate_buffer *b, uint64_t i, double v)
{
    uint64_t bits;
    switch (b->dtype) {
    case EM_BF16:
        bits = emu_to_bfloat((float)v);
        break;
    case EM_F16:
        bits = emu_to_half((float)v);
        break;
    case EM_F32:
        bits = emu_bits((float)v);
        break;
    case EM_E4M3:
        bits = emu_to_small(SMALL_E4M3, (float)v);
        break;
    case EM_E5M2:
        bits = emu_to_small(SMALL_E5M2, (float)v);
        break;
    default:
        bits = (uint64_t)(int64_t)v;
    }
    memcpy(b->data + i * dtypes[b->dtype].bytes, &bits, dtypes[b->dtype].bytes);
}

static double draw(struct emulate_args *args)
{
    args->random = args->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(args->random >> 33) / 0x1p31;
}

/* The file's first bytes. */
static enum cli_exit fill_from(struct cli *cli, const struct emulate_buffer *b, const char *path)
{
    const size_t want = b->count * dtypes[b->dtype].bytes;
    FILE *f = fopen(path, "rb");
    if (!f) {
        cli_message(cli,
                    "%s: %s; what fills a buffer is zero, one, index, integers, random or a file",
                    path, strerror(errno));
        return CLI_INPUT;
    }
    const size_t got = fread(b->data, 1, want, f);
    if (ferror(f))
        cli_message(cli, "%s: %s", path, strerror(errno));
    else if (got != want)
        cli_message(cli, "%s: too short: %zu bytes of the %zu that %s holds", path, got, want,
                    b->name);
    fclose(f);
    return got == want ? CLI_OK : CLI_INPUT;
}

/* What a buffer holds at first. */
static enum cli_exit fill(struct cli *cli, struct emulate_args *args, struct emulate_buffer *b,
                          const char *how)
{
    static const char *const names[] = {"zero", "one", "index", "integers", "random"};
    int which = 0;
    while (which < 5 && strcmp(how, names[which]) != 0) which++;
    if (which == 5) return fill_from(cli, b, how);
    for (uint64_t i = 0; i < b->count; i++) {
        const double u = draw(args);
        put(b, i,
            which == 0   ? 0
            : which == 1 ? 1
            : which == 2 ? (double)i
            : which == 3 ? floor(4 * u) - 2
                         : 2 * u - 1);
    }
    return CLI_OK;
}

static struct emulate_buffer *find(const struct emulate_args *args, const char *name, size_t length)
{
    for (size_t i = 0; i < args->buffers; i++)
        if (strlen(args->buffer[i].name) == length &&
            memcmp(args->buffer[i].name, name, length) == 0)
            return (struct emulate_buffer *)(uintptr_t)&args->buffer[i];
    return NULL;
}

static enum cli_exit type_of(struct cli *cli, const char *text, const char *spec,
                             enum emulate_dtype *out)
{
    char names[80] = "", wanted[24], what[120];
    const int n = (int)strcspn(spec, "[");
    size_t used = 0;
    snprintf(wanted, sizeof wanted, "%.*s", n, spec);
    for (int i = 0; i <= EM_U64; i++) {
        if (strcmp(dtypes[i].name, wanted) == 0) return *out = (enum emulate_dtype)i, CLI_OK;
        used = io_list(names, sizeof names, used, (size_t)i, EM_U64 + 1, dtypes[i].name);
    }
    snprintf(what, sizeof what, "the type of --arg %.80s", text);
    return cli_no_value(cli, what, names, wanted);
}

/* [128,64]; *spec becomes what stands behind it. */
static enum cli_exit shape_of(struct cli *cli, const char *text, const char **spec,
                              struct emulate_buffer *b)
{
    const char *at = *spec;
    char *end;
    b->count = 1;
    for (; (*at == '[' || *at == ',') && b->rank < EMULATE_MAX_RANK; at = end) {
        const uint64_t n = strtoull(at + 1, &end, 0);
        if (at[1] < '0' || at[1] > '9' || n == 0 || n > MOST_ELEMENTS / b->count)
            return cli_usage(cli, "--arg %s: dimension %u is %.*s, not 1 to %" PRIu64, text,
                             b->rank, (int)strcspn(at + 1, ",]"), at + 1, MOST_ELEMENTS / b->count);
        b->dim[b->rank++] = n;
        b->count *= n;
    }
    if (*at == ',')
        return cli_usage(cli, "--arg %s: a buffer has at most %d dimensions", text,
                         EMULATE_MAX_RANK);
    if (*at != ']' || (at[1] && at[1] != ':'))
        return cli_usage(cli, "--arg %s: a buffer is TYPE[ROWS,COLUMNS]:FILL, bf16[128,64]:random",
                         text);
    *spec = at + 1;
    return CLI_OK;
}

/* bf16[128,64]:random */
static enum cli_exit buffer(struct cli *cli, struct emulate_args *args, const char *name,
                            size_t length, const char *spec, uint64_t *address)
{
    struct emulate_buffer *b = &args->buffer[args->buffers];
    enum cli_exit code;
    memset(b, 0, sizeof *b);
    if (length >= sizeof b->name)
        return cli_usage(cli, "--arg %s: a name has at most %zu bytes", name, sizeof b->name - 1);
    memcpy(b->name, name, length);
    if ((code = type_of(cli, name, spec, &b->dtype)) != CLI_OK) return code;
    spec += strcspn(spec, "[");
    if ((code = shape_of(cli, name, &spec, b)) != CLI_OK) return code;
    b->address = 0x100000000u * (args->buffers + 1);
    b->data = calloc(b->count + 1, dtypes[b->dtype].bytes);
    b->initial = malloc((b->count + 1) * dtypes[b->dtype].bytes);
    args->buffers++;
    if (!b->data || !b->initial) return cli_status(cli, TMAP_E_MEMORY, name);
    code = fill(cli, args, b, *spec ? spec + 1 : "zero");
    memcpy(b->initial, b->data, b->count * dtypes[b->dtype].bytes);
    *address = b->address;
    return code;
}

/* "=64x128", a number for each dimension of the map; what is not said is 0, which the rows refuse.
 * NULL where it is none. */
static const char *box_of(const char *at, struct tmap_desc *d)
{
    for (uint32_t i = 0; i < d->rank && *at == (i ? 'x' : '='); i++) {
        char *end;
        const unsigned long long n = strtoull(at + 1, &end, 0);
        if (at[1] < '0' || at[1] > '9' || n > UINT32_MAX) return NULL;
        d->box[i] = (uint32_t)n;
        at = end;
    }
    return *at == ',' || *at == ')' ? at : NULL;
}

static void tensor_of(const struct emulate_buffer *b, struct tmap_desc *d)
{
    uint64_t bytes = dtypes[b->dtype].bytes;
    *d = (struct tmap_desc){.kind = TMAP_TILED,
                            .dtype = dtypes[b->dtype].dtype,
                            .rank = b->rank,
                            .address = b->address};
    for (uint32_t i = 0; i < d->rank; i++) {
        d->dim[i] = b->dim[d->rank - 1 - i];
        d->elem_stride[i] = 1;
        bytes *= d->dim[i];
        if (i + 1 < d->rank) d->stride_bytes[i] = bytes;
    }
}

/* The map's box and swizzle. */
static enum cli_exit options_of(struct cli *cli, const char *text, const char *spec,
                                struct tmap_desc *d)
{
    while (*spec == ',') {
        const char *word = spec + 1;
        spec = word + strcspn(word, ",)");
        if (strncmp(word, "box=", 4) == 0) {
            spec = box_of(word + 3, d);
            if (!spec)
                return cli_usage(cli, "--arg %s: box takes %u numbers, box=64x128, innermost first",
                                 text, d->rank);
        } else if (strncmp(word, "swizzle=", 8) == 0) {
            char name[40] = "";
            snprintf(name, sizeof name, "%.*s", (int)(spec - word - 8), word + 8);
            if (!value_find(VALUES_SWIZZLE, name, &d->swizzle))
                return cli_no_value(cli, "swizzle", "NONE, 32B, 64B, 128B or 128B_ATOM_32B", name);
        } else {
            return cli_usage(cli, "--arg %s: a map has box= and swizzle=, not '%.*s'", text,
                             (int)(spec - word), word);
        }
    }
    if (strcmp(spec, ")") == 0) return CLI_OK;
    return cli_usage(cli, "--arg %s: a map is map(A,box=64x128,swizzle=128B)", text);
}

/* map(A,box=64x128,swizzle=128B): rows of A, innermost first in the box */
static enum cli_exit map(struct cli *cli, const struct emulate_args *args, const char *text,
                         const char *spec, struct tmap_map *out)
{
    struct tmap_desc d;
    struct tmap_checker checker;
    struct tmap_violation v;
    struct tmap_detail detail;
    size_t found = 0;
    const size_t n = strcspn(spec, ",)");
    const struct emulate_buffer *b = find(args, spec, n);
    if (!b)
        return cli_usage(cli, "--arg %s: there is no buffer %.*s before it", text, (int)n, spec);
    tensor_of(b, &d);
    const enum cli_exit code = options_of(cli, text, spec + n, &d);
    if (code != CLI_OK) return code;
    tmap_checker_prepare(&cli->target, TMAP_CONTRACT_SAFE, &checker);
    tmap_check_with(&checker, &d, &v, 1, &found, NULL);
    if (!found) return cli_status(cli, tmap_encode(&checker, &d, out), text);
    tmap_detail_of(&cli->target, &d, NULL, &v, &detail);
    return cli_usage(cli, "--arg %s: %s (%s)", text, detail.message, tmap_row_id(v.row));
}

/* A number, as the parameter's bytes hold it. */
static enum cli_exit scalar(struct cli *cli, const char *text, const char *value, uint32_t bytes,
                            uint8_t *to)
{
    const bool negative = value[0] == '-';
    char *end;
    errno = 0;
    uint64_t v = negative ? (uint64_t)strtoll(value, &end, 0) : strtoull(value, &end, 0);
    const unsigned unused = bytes < 8 ? 64 - 8 * bytes : 0; /* bits */
    const bool fits =
        negative ? (int64_t)(v << unused) >> unused == (int64_t)v : v << unused >> unused == v;
    bool is_number = end != value, in_range = !errno && fits;
    if (*end == '.' || *end == 'e') {
        const double f = strtod(value, &end);
        v = bytes == 4 ? emu_bits((float)f) : emu_bits64(f);
        in_range = bytes == 4 || bytes == 8; /* there are two types of 2 bytes */
    }
    if (!is_number || *end || bytes > 8)
        return cli_usage(cli, "--arg %s: a parameter of %u bytes takes %s", text, bytes,
                         bytes == 8     ? "a buffer, bf16[128,64]:random, or a number"
                         : bytes == 128 ? "a map, map(A,box=64x128,swizzle=128B)"
                         : bytes > 8    ? "what no --arg can say"
                                        : "a number");
    if (!in_range) return cli_usage(cli, "--arg %s: not a number of %u bytes", text, bytes);
    memcpy(to, &v, bytes);
    return CLI_OK;
}

static enum cli_exit one(struct cli *cli, struct emulate_args *args, const char *text,
                         uint32_t offset, uint32_t bytes)
{
    const char *spec = strchr(text, '=') + 1;
    uint8_t *to = args->params + offset;
    enum cli_exit code;
    uint64_t address = 0;
    struct tmap_map m;
    if (offset + bytes > sizeof args->params)
        return cli_usage(cli, "--arg %s: parameters have at most %zu bytes", text,
                         sizeof args->params);
    if (strncmp(spec, "map(", 4) == 0 && bytes == sizeof m) {
        code = map(cli, args, text, spec + 4, &m);
        if (code == CLI_OK) memcpy(to, &m, sizeof m);
        return code;
    }
    if (!strchr(spec, '[') || bytes != 8) return scalar(cli, text, spec, bytes, to);
    code = buffer(cli, args, text, (size_t)(spec - 1 - text), spec, &address);
    memcpy(to, &address, 8);
    return code;
}

/* "+A=…" makes a buffer that is no parameter of its own, for maps. */
static enum cli_exit extra(struct cli *cli, struct emulate_args *args, const char *text)
{
    uint64_t address;
    const char *spec = strchr(text, '=');
    return buffer(cli, args, text, (size_t)(spec - text), spec + 1, &address);
}

enum cli_exit emulate_args_read(struct cli *cli, const struct tmap_emulate_module *module,
                                const char *kernel, struct emulate_args *args)
{
    uint32_t offset, bytes;
    size_t n = 0;
    args->random = cli->seed;
    for (size_t i = 0; i < cli->value_count; i++) {
        const char *text = cli->value[i].text;
        if (strcmp(cli->value[i].name, "arg") != 0) continue;
        const bool more = *text == '+';
        if (!strchr(text, '=')) return cli_usage(cli, "--arg takes NAME=VALUE, not '%s'", text);
        if (!more && !tmap_emulate_param(module, kernel, n, &offset, &bytes, NULL))
            return cli_usage(cli, "--arg %s: %s has only %zu parameters", text, kernel, n);
        const enum cli_exit code =
            more ? extra(cli, args, text + 1) : one(cli, args, text, offset, bytes);
        if (code != CLI_OK) return code;
        if (!more) n++;
    }
    for (size_t i = 0; tmap_emulate_param(module, kernel, i, &offset, &bytes, NULL); i++)
        args->param_bytes = offset + bytes;
    if (tmap_emulate_param(module, kernel, n, &offset, &bytes, NULL))
        cli_message(cli, "%s has more parameters than there are --arg: the rest is 0", kernel);
    if (args->param_bytes <= sizeof args->params) return CLI_OK;
    return cli_usage(cli, "%s has %zu bytes of parameters, not at most %zu", kernel,
                     args->param_bytes, sizeof args->params);
}

void emulate_args_free(struct emulate_args *args)
{
    for (size_t i = 0; i < args->buffers; i++) {
        free(args->buffer[i].data);
        free(args->buffer[i].initial);
    }
}

void emulate_args_reset(struct emulate_args *args)
{
    for (size_t i = 0; i < args->buffers; i++) {
        struct emulate_buffer *b = &args->buffer[i];
        memcpy(b->data, b->initial, b->count * dtypes[b->dtype].bytes);
    }
}

/* --- expectations */

static double expected_at(const struct emulate_buffer *a, const struct emulate_buffer *b,
                          bool transposed, uint64_t n, uint64_t i)
{
    if (!b) return value_at(a, a->initial, i);
    const uint64_t k_count = a->dim[1], row = i / n, col = i % n;
    double sum = 0;
    for (uint64_t k = 0; k < k_count; k++)
        sum += value_at(a, a->initial, row * k_count + k) *
               value_at(b, b->initial, transposed ? col * k_count + k : k * n + col);
    return sum;
}

static bool close_enough(const struct emulate_buffer *d, double found, double expected)
{
    static const double step[] = {[EM_BF16] = 0x1p-7,
                                  [EM_F16] = 0x1p-10,
                                  [EM_F32] = 0x1p-13,
                                  [EM_E4M3] = 0x1p-2,
                                  [EM_E5M2] = 0x1p-1};
    return d->dtype <= EM_E5M2 && fabs(found - expected) <= step[d->dtype] * (fabs(expected) + 1);
}

bool emulate_expect(struct cli *cli, const struct emulate_args *args, const char *text,
                    struct emulate_verdict *out)
{
    const char *call = strchr(text, '=');
    const struct emulate_buffer *d = call ? find(args, text, (size_t)(call - text)) : NULL;
    const bool copy = d && strncmp(call, "=copy(", 6) == 0;
    const bool nt = d && strncmp(call, "=matmul_nt(", 11) == 0;
    const bool nn = d && strncmp(call, "=matmul(", 8) == 0;
    const struct emulate_buffer *a = NULL, *b = NULL;
    const char *end = "";
    memset(out, 0, sizeof *out);
    if (copy || nt || nn) {
        const char *first = strchr(call, '(') + 1;
        end = first + strcspn(first, ",)");
        a = find(args, first, (size_t)(end - first));
        if (!copy && *end == ',') {
            const char *second = end + 1;
            end = second + strcspn(second, ")");
            b = find(args, second, (size_t)(end - second));
        }
    }
    const bool fits =
        a && strcmp(end, ")") == 0 &&
        (copy ? a->count == d->count
              : b && a->rank == 2 && b->rank == 2 && d->rank == 2 && d->dim[0] == a->dim[0] &&
                    d->dim[1] == b->dim[nt ? 0 : 1] && a->dim[1] == b->dim[nt ? 1 : 0]);
    if (!fits) {
        cli_message(cli,
                    "--expect takes D=copy(A), D=matmul(A,B) or D=matmul_nt(A,B) of buffers "
                    "whose shapes fit, not %s",
                    text);
        return false;
    }
    const bool exact = copy && a->dtype == d->dtype; /* nothing is rounded */
    out->elements = d->count;
    for (uint64_t i = 0; i < d->count; i++) {
        const double want = expected_at(a, b, nt, d->dim[d->rank - 1], i);
        const double found = value_at(d, d->data, i);
        if (found == want || (isnan(found) && isnan(want))) continue;
        if (!exact && close_enough(d, found, want)) continue;
        if (out->wrong++ == 0) out->first = i, out->found = found, out->expected = want;
        if (!(fabs(found - want) <= out->largest)) out->largest = fabs(found - want);
    }
    return true;
}
