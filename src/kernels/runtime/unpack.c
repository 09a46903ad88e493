/* Compressed fatbins: each entry's LZ4 block (the format's own document: lz4_Block_format.md)
 * becomes its plain bytes. Nothing that a block says is believed before it is compared. */
#include <stdlib.h>
#include <string.h>

#include "kernels/runtime/cubin.h"

#define ENTRY_LZ4 0x2000u
/* A byte of a block stands for at most 255. */
#define MOST_PER_BYTE 255u
#define SHORTEST_MATCH 4u
#define MALFORMED SIZE_MAX

struct reader {
    const uint8_t *at, *end;
};

/* A length of 15 goes on in bytes, up to one that is not 255. False at the block's end. */
static bool read_length(struct reader *in, size_t *length)
{
    uint8_t byte = 255;
    if (*length != 15) return true;
    while (byte == 255) {
        if (in->at == in->end) return false;
        byte = *in->at++;
        *length += byte;
    }
    return true;
}

static bool copy_literals(struct reader *in, size_t n, uint8_t *out, size_t size, size_t *at)
{
    if (n > (size_t)(in->end - in->at) || n > size - *at) return false;
    memcpy(out + *at, in->at, n);
    in->at += n;
    *at += n;
    return true;
}

/* A match may overlap what it makes, so byte by byte. */
static bool copy_match(struct reader *in, size_t n, uint8_t *out, size_t size, size_t *at)
{
    if (in->end - in->at < 2) return false;
    const size_t back = cubin_u16(in->at);
    in->at += 2;
    if (!read_length(in, &n)) return false;
    n += SHORTEST_MATCH;
    if (back == 0 || back > *at || n > size - *at) return false;
    for (size_t i = 0; i < n; i++, ++*at) out[*at] = out[*at - back];
    return true;
}

/* True when the block gives exactly size bytes. */
static bool unpack_block(const uint8_t *block, size_t bytes, uint8_t *out, size_t size)
{
    struct reader in = {block, block + bytes};
    size_t at = 0;
    while (in.at < in.end) {
        const uint8_t token = *in.at++;
        size_t literals = token >> 4;
        if (!read_length(&in, &literals) || !copy_literals(&in, literals, out, size, &at))
            return false;
        if (in.at == in.end) break;
        if (!copy_match(&in, token & 15, out, size, &at)) return false;
    }
    return at == size;
}

static void put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> (8 * i));
}

/* The bytes that all entries need, plain; MALFORMED when one is. *packed: how many are compressed.
 */
static size_t measure(const uint8_t *image, size_t size, size_t *packed)
{
    struct cubin_entry e;
    size_t at = 0, all = 0;
    bool bad;
    *packed = 0;
    while (cubin_entry_next(image, size, &at, &e, &bad)) {
        const bool known = e.packed == 0 || cubin_u32(e.header + 40) & ENTRY_LZ4;
        if (!known || e.packed > e.bytes || e.plain_bytes / MOST_PER_BYTE > e.packed)
            return MALFORMED;
        all += e.head_bytes + (e.packed ? (e.plain_bytes + 7) / 8 * 8 : e.bytes);
        *packed += e.packed != 0;
    }
    return bad ? MALFORMED : all;
}

static bool unpack_entry(const struct cubin_entry *e, uint8_t *out, size_t *at)
{
    uint8_t *header = out + *at, *body = header + e->head_bytes;
    const size_t bytes = e->packed ? (e->plain_bytes + 7) / 8 * 8 : e->bytes;
    memcpy(header, e->header, e->head_bytes);
    *at += e->head_bytes + bytes;
    if (!e->packed) {
        memcpy(body, e->body, e->bytes);
        return true;
    }
    memset(body, 0, bytes);
    put(header + 8, bytes, 8);
    put(header + 16, 0, 4);
    put(header + 40, cubin_u32(header + 40) & ~ENTRY_LZ4, 4);
    return unpack_block(e->body, e->packed, body, e->plain_bytes);
}

enum tmap_status cubin_unpack(const uint8_t *image, size_t size, uint8_t **plain,
                              size_t *plain_size)
{
    struct cubin_entry e;
    size_t at = 0, packed;
    bool bad;
    *plain = NULL;
    if (size < 16 || !cubin_is_fatbin(image, size)) return TMAP_OK;
    const size_t head = cubin_u16(image + 6), bytes = measure(image, size, &packed);
    if (bytes == MALFORMED) return TMAP_E_ARGUMENT;
    if (packed == 0) return TMAP_OK;
    uint8_t *out = malloc(head + bytes);
    if (!out) return TMAP_E_MEMORY;
    memcpy(out, image, head);
    put(out + 8, bytes, 8);
    *plain_size = head;
    while (cubin_entry_next(image, size, &at, &e, &bad)) {
        if (unpack_entry(&e, out, plain_size)) continue;
        free(out);
        return TMAP_E_ARGUMENT;
    }
    *plain = out;
    return TMAP_OK;
}
