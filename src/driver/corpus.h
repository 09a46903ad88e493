/* corpus.h : recorded driver answers, packed.
 *
 * The file: "TMAPREC1", then the cases. A case is written as what differs from the one before it:
 *   byte      operation: 0 encode, 1 replace address, 2 the end
 *   encode    varint, a bit per slot (slot.h) that changed; per set bit a zigzag varint, the new
 *             value less the old one, modulo 2^64. Slots that the call does not read are 0.
 *   replace   zigzag varint, the address; it is applied to the last map that was written
 *   both      zigzag varint, the CUresult; on success a varint, a bit per word of the map that
 *             changed since the last map, and per set bit a varint, new word XOR old word.
 * Everything starts from zeros. The last varint behind operation 2 is the number of cases. */
#ifndef TMAP_DRIVER_CORPUS_H
#define TMAP_DRIVER_CORPUS_H

#include "driver/slot.h"
#include "driver/whole.h"
#include "tmap/driver.h"

struct corpus_writer {
    struct whole_file out;
    struct tmap_desc desc;
    struct tmap_map map;
    uint64_t count, bytes, hash;
    bool failed;
};

bool corpus_writer_open(struct corpus_writer *w, const char *path);
void corpus_write_encode(struct corpus_writer *w, const struct tmap_desc *desc, int result,
                         const struct tmap_map *map);
void corpus_write_replace(struct corpus_writer *w, uint64_t address, int result,
                          const struct tmap_map *map);
/* False when anything could not be written: then there is no file, or the one of before. hash and
 * bytes are the file's. */
bool corpus_writer_close(struct corpus_writer *w);

#endif
