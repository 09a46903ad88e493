/* Arguments of tmap emulate, from text. */
#include "cli/emulate_args.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emulate/ops/small.h"
#include "expr/values.h"

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

/* What a buffer holds at first; false when the word is none of these, or no readable file. */
static bool fill(struct cli *cli, struct emulate_args *args, struct emulate_buffer *b,
                 const char *how)
{
    static const char *const names[] = {"zero", "one", "index", "integers", "random"};
    int which = 0;
    while (which < 5 && strcmp(how, names[which]) != 0) which++;
    for (uint64_t i = 0; which < 5 && i < b->count; i++) {
        const double u = draw(args);
        put(b, i,
            which == 0   ? 0
            : which == 1 ? 1
            : which == 2 ? (double)i
            : which == 3 ? floor(4 * u) - 2
                         : 2 * u - 1);
    }
    if (which < 5) return true;
    FILE *f = fopen(how, "rb");
    const size_t want = b->count * dtypes[b->dtype].bytes, got = f ? fread(b->data, 1, want, f) : 0;
    if (f) fclose(f);
    if (got != want) cli_message(cli, "%s: %s", how, f ? "too short" : "cannot be read");
    return got == want;
}

static struct emulate_buffer *find(const struct emulate_args *args, const char *name, size_t length)
{
    for (size_t i = 0; i < args->buffers; i++)
        if (strlen(args->buffer[i].name) == length &&
            memcmp(args->buffer[i].name, name, length) == 0)
            return (struct emulate_buffer *)(uintptr_t)&args->buffer[i];
    return NULL;
}

/* bf16[128,64]:random */
static bool buffer(struct cli *cli, struct emulate_args *args, const char *name, size_t length,
                   const char *spec, uint64_t *address)
{
    struct emulate_buffer *b = &args->buffer[args->buffers];
    size_t type = 0;
    char *end;
    const size_t n = strcspn(spec, "[");
    while (type <= EM_U64 &&
           (strlen(dtypes[type].name) != n || memcmp(dtypes[type].name, spec, n) != 0))
        type++;
    if (type > EM_U64 || length >= sizeof b->name) return false;
    memset(b, 0, sizeof *b);
    memcpy(b->name, name, length);
    b->dtype = (enum emulate_dtype)type;
    b->count = 1;
    for (spec += n; (*spec == '[' || *spec == ',') && b->rank < EMULATE_MAX_RANK; spec = end) {
        b->dim[b->rank] = strtoull(spec + 1, &end, 0);
        if (b->dim[b->rank] == 0 || b->dim[b->rank] > 1u << 24) return false;
        b->count *= b->dim[b->rank++];
    }
    if (*spec++ != ']' || b->count > 1u << 28 || (*spec && *spec != ':')) return false;
    b->address = 0x100000000u * (args->buffers + 1);
    b->data = calloc(b->count + 1, dtypes[type].bytes);
    b->initial = malloc((b->count + 1) * dtypes[type].bytes);
    args->buffers++;
    if (!b->data || !b->initial) cli_message(cli, "--arg %s: out of memory", name);
    if (!b->data || !b->initial || !fill(cli, args, b, *spec ? spec + 1 : "zero")) return false;
    memcpy(b->initial, b->data, b->count * dtypes[type].bytes);
    *address = b->address;
    return true;
}

/* map(A,box=64x128,swizzle=128B): rows of A, innermost first in the box */
static bool map(struct cli *cli, const struct emulate_args *args, const char *spec,
                struct tmap_map *out)
{
    struct tmap_desc d = {.kind = TMAP_TILED};
    struct tmap_checker checker;
    char *end;
    const struct emulate_buffer *b = find(args, spec, strcspn(spec, ",)"));
    if (!b) return false;
    d.dtype = dtypes[b->dtype].dtype;
    d.rank = b->rank;
    d.address = b->address;
    uint64_t bytes = dtypes[b->dtype].bytes;
    for (uint32_t i = 0; i < d.rank; i++) {
        d.dim[i] = b->dim[d.rank - 1 - i];
        d.elem_stride[i] = 1;
        bytes *= d.dim[i];
        if (i + 1 < d.rank) d.stride_bytes[i] = bytes;
    }
    for (spec += strcspn(spec, ",)"); *spec == ','; spec += strcspn(spec, ",)")) {
        spec++;
        if (strncmp(spec, "box=", 4) == 0) {
            spec += 3;
            for (uint32_t i = 0; i < d.rank && (*spec == '=' || *spec == 'x'); i++, spec = end)
                d.box[i] = (uint32_t)strtoul(spec + 1, &end, 0);
        } else if (strncmp(spec, "swizzle=", 8) == 0) {
            char name[40] = "";
            const size_t n = strcspn(spec + 8, ",)");
            if (n < sizeof name) memcpy(name, spec + 8, n);
            if (!value_find(VALUES_SWIZZLE, name, &d.swizzle)) return false;
        } else {
            return false;
        }
    }
    if (*spec != ')' || tmap_checker_prepare(&cli->target, TMAP_CONTRACT_SAFE, &checker) != TMAP_OK)
        return false;
    struct tmap_violation v;
    struct tmap_detail detail;
    size_t found = 0;
    tmap_check_with(&checker, &d, &v, 1, &found, NULL);
    if (found && tmap_detail_of(&cli->target, &d, NULL, &v, &detail) == TMAP_OK)
        cli_message(cli, "%s (%s)", detail.message, tmap_row_id(v.row));
    return !found && tmap_encode(&checker, &d, out) == TMAP_OK;
}

static bool scalar(const char *text, uint32_t bytes, uint8_t *to)
{
    char *end;
    uint64_t v = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (*end == '.' || *end == 'e') {
        const double f = strtod(text, &end);
        v = bytes == 4 ? emu_bits((float)f) : emu_bits64(f);
    }
    if (*end || end == text || bytes > 8) return false;
    memcpy(to, &v, bytes);
    return true;
}

static bool one(struct cli *cli, struct emulate_args *args, const char *text, uint32_t offset,
                uint32_t bytes)
{
    const char *spec = strchr(text, '=');
    uint64_t address = 0;
    struct tmap_map m;
    if (!spec || offset + bytes > sizeof args->params) return false;
    spec++;
    if (strncmp(spec, "map(", 4) == 0) {
        if (bytes != sizeof m || !map(cli, args, spec + 4, &m)) return false;
        memcpy(args->params + offset, &m, sizeof m);
        return true;
    }
    if (!strchr(spec, '[')) return scalar(spec, bytes, args->params + offset);
    if (!buffer(cli, args, text, (size_t)(spec - 1 - text), spec, &address)) return false;
    if (bytes == 8) memcpy(args->params + offset, &address, 8);
    return bytes == 8;
}

/* "+A=…" makes a buffer that is no parameter of its own, for maps. */
static bool extra(struct cli *cli, struct emulate_args *args, const char *text)
{
    uint64_t address;
    const char *spec = strchr(text, '=');
    return spec && buffer(cli, args, text + 1, (size_t)(spec - 1 - text), spec + 1, &address);
}

bool emulate_args_read(struct cli *cli, const struct tmap_emulate_module *module,
                       const char *kernel, struct emulate_args *args)
{
    uint32_t offset, bytes;
    size_t n = 0;
    args->random = cli->seed;
    for (size_t i = 0; i < cli->value_count; i++) {
        const char *text = cli->value[i].text;
        if (strcmp(cli->value[i].name, "arg") != 0) continue;
        const bool more = *text == '+';
        if (args->buffers == EMULATE_MAX_ARGS ||
            (!more && !tmap_emulate_param(module, kernel, n, &offset, &bytes, NULL))) {
            cli_message(cli, "%s has no parameter for --arg %s", kernel, text);
            return false;
        }
        if (more ? !extra(cli, args, text) : !one(cli, args, text, offset, bytes)) {
            cli_message(cli, "--arg %s makes no sense for a parameter of %u bytes", text,
                        more ? 0 : bytes);
            return false;
        }
        if (!more) n++;
    }
    for (size_t i = 0; tmap_emulate_param(module, kernel, i, &offset, &bytes, NULL); i++)
        args->param_bytes = offset + bytes;
    if (tmap_emulate_param(module, kernel, n, &offset, &bytes, NULL))
        cli_message(cli, "%s has more parameters than there are --arg: the rest is 0", kernel);
    return args->param_bytes <= sizeof args->params;
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
    if (found == expected) return true;
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
    memset(out, 0, sizeof *out);
    if (copy || nt || nn) {
        const char *first = strchr(call, '(') + 1;
        const size_t n = strcspn(first, ",)");
        a = find(args, first, n);
        if (!copy && first[n] == ',') b = find(args, first + n + 1, strcspn(first + n + 1, ")"));
    }
    const bool fits =
        a && (copy ? a->count == d->count
                   : b && a->rank == 2 && b->rank == 2 && d->rank == 2 && d->dim[0] == a->dim[0] &&
                         d->dim[1] == b->dim[nt ? 0 : 1] && a->dim[1] == b->dim[nt ? 1 : 0]);
    if (!fits) {
        cli_message(cli,
                    "--expect takes D=copy(A), D=matmul(A,B) or D=matmul_nt(A,B) of buffers "
                    "whose shapes fit, not %s",
                    text);
        return false;
    }
    out->elements = d->count;
    for (uint64_t i = 0; i < d->count; i++) {
        const double want = expected_at(a, b, nt, d->dim[d->rank - 1], i);
        const double found = value_at(d, d->data, i);
        if (close_enough(d, found, want)) continue;
        if (out->wrong++ == 0) out->first = i, out->found = found, out->expected = want;
        if (!(fabs(found - want) <= out->largest)) out->largest = fabs(found - want);
    }
    return true;
}
