/* bulk.h : a bulk copy in pasted source that uses no map: how many bytes it moves. */
#ifndef TMAP_IO_BULK_H
#define TMAP_IO_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io_bulk {
    uint64_t bytes;
    size_t line; /* from 1 */
};

/* io_bulk_odd() : the first that moves a constant count of bytes that is not a multiple of 16;
 * false for none. */
bool io_bulk_odd(const char *text, size_t size, struct io_bulk *out);

#endif
