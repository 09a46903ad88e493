/* seen.h : the call in pasted source that makes or uses a descriptor, where the source does not
 * have its numbers. */
#ifndef TMAP_IO_SEEN_H
#define TMAP_IO_SEEN_H

#include <stdbool.h>
#include <stddef.h>

enum { IO_SEEN = 120 };

struct io_seen {
    char call[IO_SEEN]; /* "make_host_desc(q, y_dim_q, d)"; a long one's beginning */
    size_t line;        /* from 1 */
    bool makes;         /* a descriptor; else it uses one that is made elsewhere */
    bool prefetches;    /* reads nothing but the map itself */
};

/* io_seen_call() : the first that makes one, else the first that uses one; false for none. */
bool io_seen_call(const char *text, size_t size, struct io_seen *out);

#endif
