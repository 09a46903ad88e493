/* ration.h : an allocator for a symbolic context that refuses one block, or all from one on, and
 * counts what is not given back. */
#ifndef TESTS_SYMBOLIC_RATION_H
#define TESTS_SYMBOLIC_RATION_H

#include <stdbool.h>
#include <stdlib.h>

struct ration {
    long left, live; /* blocks until one is refused, below 0: none is; blocks not given back */
    bool ends;       /* those after it are refused, too: left is not below 0 to begin with */
};

static inline void *ration_allocate(void *user, size_t bytes)
{
    struct ration *r = user;
    const bool refused = r->ends ? r->left <= 0 : r->left == 0;
    r->left--;
    if (refused) return NULL;
    r->live++;
    return malloc(bytes);
}

static inline void ration_release(void *user, void *block)
{
    struct ration *r = user;
    r->live -= block != NULL;
    free(block);
}

#endif
