/* cubin.h : the ELF files that the assembler writes, alone or inside a fatbin, read with care. */
#ifndef TMAP_KERNELS_CUBIN_H
#define TMAP_KERNELS_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tmap/tmap.h"

struct cubin {
    const uint8_t *data;
    size_t size;
    uint32_t arch; /* 90 for sm_90 and sm_90a */
    uint64_t sections_at;
    uint32_t sections;
    uint32_t names; /* the section that holds their names */
};

struct cubin_section {
    const char *name; /* ends in a zero inside the file */
    uint32_t type, link, info;
    const uint8_t *data;
    size_t size;
};

struct cubin_symbol {
    uint32_t section; /* 0: not in this file */
};

/* One entry of a fatbin. */
struct cubin_entry {
    const uint8_t *header; /* of head_bytes; the body lies behind it */
    size_t head_bytes;
    const uint8_t *body;
    size_t bytes;       /* the body's, padding included */
    size_t packed;      /* of these, compressed; 0: not compressed */
    size_t plain_bytes; /* before it was compressed */
    uint32_t arch;      /* 90 for sm_90 and sm_90a */
    bool is_code;       /* machine code; else PTX */
};

bool cubin_is_fatbin(const uint8_t *image, size_t size);

/* cubin_entry_next() : the entry at *at of a fatbin; moves *at behind it. False at the end, and
 * with *bad set when the image is cut short or no fatbin. */
bool cubin_entry_next(const uint8_t *image, size_t size, size_t *at, struct cubin_entry *entry,
                      bool *bad);

/* cubin_unpack() : a fatbin with compressed entries (LZ4, as nvcc --compress-mode=speed writes
 * them) as one without, malloc'd; *plain is NULL where nothing is compressed. Errors:
 * TMAP_E_ARGUMENT (cut short, or compressed otherwise), TMAP_E_MEMORY. */
enum tmap_status cubin_unpack(const uint8_t *image, size_t size, uint8_t **plain,
                              size_t *plain_size);

/* cubin_next() : the cubin at *at of an image, which is one cubin or a fatbin of several; moves *at
 *  behind it. False at the end, and with *bad set when the image is cut short, compressed, or
 *  neither. */
bool cubin_next(const uint8_t *image, size_t size, size_t *at, struct cubin *cubin, bool *bad);

/* cubin_section_at() : false when i is too large or what the header says lies outside the file. */
bool cubin_section_at(const struct cubin *cubin, uint32_t i, struct cubin_section *section);

/* cubin_find() : the first section of that name. */
bool cubin_find(const struct cubin *cubin, const char *name, struct cubin_section *section);

/* cubin_symbol_at() : the symbol with that index. */
bool cubin_symbol_at(const struct cubin *cubin, uint32_t i, struct cubin_symbol *symbol);

uint16_t cubin_u16(const uint8_t *at);
uint32_t cubin_u32(const uint8_t *at);
uint64_t cubin_u64(const uint8_t *at);

#endif
