/* Sections and symbols of a cubin. Nothing that a header says is believed before it is compared
 * with the file's size. Numbers are little-endian, as the format is. */
#include "kernels/runtime/cubin.h"

#include <string.h>

#define ELF_HEADER_BYTES 64
#define SECTION_BYTES 64
#define SYMBOL_BYTES 24
#define MACHINE_CUDA 190
#define ABI_TEN_BITS                                                                               \
    8 /* of the ELF header: from here on the architecture has a byte of its own                    \
       */
#define SECTION_NOBITS 8

/* A fatbin: a header, then entries with a header each (seen in the toolkit's output: 12.x, 13.x).
 */
#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_HEADER_BYTES 16
#define ENTRY_HEADER_BYTES 16
#define ENTRY_FULL_BYTES 64
#define ENTRY_ELF 2
#define ENTRY_COMPRESSED (0x2000u | 0x8000u) /* LZ4, Zstandard */

uint16_t cubin_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

uint32_t cubin_u32(const uint8_t *at)
{
    return (uint32_t)cubin_u16(at) | (uint32_t)cubin_u16(at + 2) << 16;
}

uint64_t cubin_u64(const uint8_t *at)
{
    return (uint64_t)cubin_u32(at) | (uint64_t)cubin_u32(at + 4) << 32;
}

static bool inside(uint64_t at, uint64_t bytes, uint64_t size)
{
    return at <= size && bytes <= size - at;
}

static bool is_elf(const uint8_t *data, size_t size)
{
    return size >= ELF_HEADER_BYTES && memcmp(data, "\177ELF\2\1", 6) == 0 &&
           cubin_u16(data + 18) == MACHINE_CUDA;
}

static bool open_elf(const uint8_t *data, size_t size, struct cubin *cubin)
{
    if (!is_elf(data, size)) return false;
    const uint32_t flags = cubin_u32(data + 48);
    cubin->data = data;
    cubin->size = size;
    cubin->arch = data[8] >= ABI_TEN_BITS ? flags >> 8 & 0xff : flags & 0xff;
    cubin->sections_at = cubin_u64(data + 40);
    cubin->sections = cubin_u16(data + 60);
    cubin->names = cubin_u16(data + 62);
    return inside(cubin->sections_at, (uint64_t)cubin->sections * SECTION_BYTES, size);
}

bool cubin_is_fatbin(const uint8_t *image, size_t size)
{
    return size >= FATBIN_HEADER_BYTES && cubin_u32(image) == FATBIN_MAGIC;
}

bool cubin_entry_next(const uint8_t *image, size_t size, size_t *at, struct cubin_entry *entry,
                      bool *bad)
{
    *bad = true;
    if (!cubin_is_fatbin(image, size)) return false;
    const uint64_t head = cubin_u16(image + 6), body = cubin_u64(image + 8);
    if (head < FATBIN_HEADER_BYTES || !inside(head, body, size)) return false;
    if (*at == 0) *at = head;
    *bad = false;
    if (*at >= head + body) return false;
    const uint8_t *header = image + *at;
    *bad = true;
    if (!inside(*at, ENTRY_HEADER_BYTES, head + body)) return false;
    const uint64_t header_bytes = cubin_u32(header + 4), bytes = cubin_u64(header + 8);
    if (header_bytes < ENTRY_HEADER_BYTES || !inside(*at, header_bytes, head + body) ||
        !inside(*at + header_bytes, bytes, head + body))
        return false;
    *bad = false;
    *at += header_bytes + bytes;
    const uint32_t flags = header_bytes >= ENTRY_FULL_BYTES ? cubin_u32(header + 40) : 0;
    *entry = (struct cubin_entry){.header = header,
                                  .head_bytes = header_bytes,
                                  .body = header + header_bytes,
                                  .bytes = bytes,
                                  .is_code = cubin_u16(header) == ENTRY_ELF};
    if (header_bytes >= ENTRY_FULL_BYTES) entry->arch = cubin_u32(header + 28);
    if (flags & ENTRY_COMPRESSED) {
        entry->packed = cubin_u32(header + 16);
        entry->plain_bytes = cubin_u64(header + 56);
    }
    return true;
}

/* The next entry of a fatbin that is machine code; others (PTX) are passed over. */
static bool next_entry(const uint8_t *image, size_t size, size_t *at, struct cubin *cubin,
                       bool *bad)
{
    struct cubin_entry entry;
    while (cubin_entry_next(image, size, at, &entry, bad)) {
        if (!entry.is_code) continue;
        *bad = !open_elf(entry.body, entry.bytes, cubin);
        return !*bad;
    }
    return false;
}

bool cubin_next(const uint8_t *image, size_t size, size_t *at, struct cubin *cubin, bool *bad)
{
    *bad = false;
    if (cubin_is_fatbin(image, size)) return next_entry(image, size, at, cubin, bad);
    if (*at > 0) return false;
    *at = size;
    *bad = !open_elf(image, size, cubin);
    return !*bad;
}

/* The text at an offset of a string table, when it ends inside it. */
static const char *text_at(const uint8_t *table, uint64_t bytes, uint64_t at)
{
    if (at >= bytes || !memchr(table + at, 0, bytes - at)) return NULL;
    return (const char *)table + at;
}

static bool place_of(const struct cubin *cubin, uint32_t i, const uint8_t **data, uint64_t *bytes)
{
    if (i >= cubin->sections) return false;
    const uint8_t *header = cubin->data + cubin->sections_at + (uint64_t)i * SECTION_BYTES;
    const uint64_t at = cubin_u64(header + 24);
    *bytes = cubin_u32(header + 4) == SECTION_NOBITS ? 0 : cubin_u64(header + 32);
    if (!inside(at, *bytes, cubin->size)) return false;
    *data = cubin->data + at;
    return true;
}

bool cubin_section_at(const struct cubin *cubin, uint32_t i, struct cubin_section *section)
{
    const uint8_t *names, *data;
    uint64_t name_bytes, bytes;
    if (!place_of(cubin, cubin->names, &names, &name_bytes) || !place_of(cubin, i, &data, &bytes))
        return false;
    const uint8_t *header = cubin->data + cubin->sections_at + (uint64_t)i * SECTION_BYTES;
    const char *name = text_at(names, name_bytes, cubin_u32(header));
    if (!name) return false;
    section->name = name;
    section->type = cubin_u32(header + 4);
    section->link = cubin_u32(header + 40);
    section->info = cubin_u32(header + 44);
    section->data = data;
    section->size = bytes;
    return true;
}

bool cubin_find(const struct cubin *cubin, const char *name, struct cubin_section *section)
{
    for (uint32_t i = 0; i < cubin->sections; i++)
        if (cubin_section_at(cubin, i, section) && strcmp(section->name, name) == 0) return true;
    return false;
}

bool cubin_symbol_at(const struct cubin *cubin, uint32_t i, struct cubin_symbol *symbol)
{
    struct cubin_section table;
    if (!cubin_find(cubin, ".symtab", &table) || i >= table.size / SYMBOL_BYTES) return false;
    symbol->section = cubin_u16(table.data + (size_t)i * SYMBOL_BYTES + 6);
    return true;
}
