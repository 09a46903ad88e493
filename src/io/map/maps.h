/* maps.h : 128-byte maps from whatever prints them.
 *
 * What is read: the bytes themselves; hexadecimal digits in memory order, as `tmap encode` writes
 * them; JSON with 16 words; an array in C; gdb's `x/16gx` (and w, h, b) and `p`; xxd, hexdump with
 * and without -C, and od. A file may hold several maps. */
#ifndef TMAP_IO_MAP_MAPS_H
#define TMAP_IO_MAP_MAPS_H

#include "tmap/tmap.h"

/* Maps in the order of the files. Starts as {0}. */
struct io_maps {
    struct tmap_map *list;
    size_t count;
};

/* io_maps_read() : adds the maps of a file's text. False with the reason, for people, in error (and
 *  the list as it was) when it holds none, a part of one, or what is no byte. */
bool io_maps_read(struct io_maps *maps, const char *text, size_t size, char *error,
                  size_t error_size);

void io_maps_free(struct io_maps *maps);

#endif
