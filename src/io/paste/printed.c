/* printed.c : see printed.h. The form is torch's and numpy's: in elements, outermost first, a 1 at
 * the end. */
#include "io/paste/printed.h"

#include "core/layout.h"
#include "expr/values.h"
#include "io/paste/dump_fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAME = 40 };

/* A list of numbers behind "stride", "strides" or "stride()", that ends in 1; its length, or 0. */
static int list_behind(const char *at, const char *end, int64_t out[TMAP_MAX_RANK])
{
    int count = 0;

    if (*at == 's' || *at == 'S') at++;
    if (end - at > 1 && at[0] == '(' && at[1] == ')') at += 2;
    at += strspn(at, " =:`");
    if (at == end || (*at != '(' && *at != '[')) return 0;
    for (at++; count < TMAP_MAX_RANK && io_dump_number(&at, end, &out[count]);) {
        count++;
        while (at < end && (*at == ',' || *at == ' ')) at++;
    }
    return at < end && (*at == ')' || *at == ']') && count > 1 && out[count - 1] == 1 ? count : 0;
}

/* The type that a line names; -1 for none. */
static int32_t type_in(const char *line, const char *end)
{
    int32_t dtype;

    for (const char *p = line; p < end;) {
        char name[NAME];
        size_t n = 0;
        const char *word = p;
        while (p < end && (io_dump_is_word(*p) || *p == '.')) p++;
        for (; word < p && n + 1 < NAME; word++) name[n++] = *word;
        name[n] = 0;
        if (n > 2 && isalpha((unsigned char)*name) && value_find(VALUES_DTYPE, name, &dtype))
            return dtype;
        if (p < end) p++;
    }
    return -1;
}

/* The rule of strides that so many bytes break; TMAP_NO_ROW for none. */
static tmap_row broken(int32_t dtype, uint64_t stride_bytes)
{
    const struct tmap_target target = tmap_default_target();
    const tmap_row row = tmap_row_find("TMA014");
    struct tmap_desc d = {.kind = TMAP_TILED, .dtype = dtype, .rank = 2};
    struct tmap_violation found[TMAP_MAX_RANK * 8];
    size_t count = 0;

    for (int i = 0; i < 2; i++) d.dim[i] = d.box[i] = 64, d.elem_stride[i] = 1;
    d.stride_bytes[0] = stride_bytes;
    if (tmap_check(&d, &target, TMAP_CONTRACT_SAFE, found, TMAP_MAX_RANK * 8, &count) != TMAP_OK)
        return TMAP_NO_ROW;
    for (size_t i = 0; i < count && i < TMAP_MAX_RANK * 8; i++)
        if (found[i].row == row) return row;
    return TMAP_NO_ROW;
}

tmap_row io_printed_stride(const struct io_stream *stream, char *out, size_t size)
{
    const char *text = stream->text, *end = text + stream->size;

    for (const char *line = text, *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        const int32_t dtype = type_in(line, stop);
        const int bits = dtype < 0 ? 0 : (int)layout_gmem_bits(dtype);
        for (const char *p = line; bits && stop - p > 6; p++) {
            int64_t v[TMAP_MAX_RANK];
            const int count = strncasecmp(p, "stride", 6) ? 0 : list_behind(p + 6, stop, v);
            for (int i = 0; i + 1 < count; i++) {
                const tmap_row row = broken(dtype, (uint64_t)v[i] * (uint64_t)bits / 8);
                if (v[i] < 1 || row == TMAP_NO_ROW) continue;
                snprintf(out, size, "a printed stride of %lld elements is %lld bytes (%s)",
                         (long long)v[i], (long long)v[i] * bits / 8, tmap_row_id(row));
                return row;
            }
        }
    }
    return TMAP_NO_ROW;
}
