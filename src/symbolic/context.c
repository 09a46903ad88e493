/* context.c : what every question of a context needs, whoever answers it: words, memory, whether it
 * was cancelled. */
#include "symbolic/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum tmap_status sym_report(struct tmap_symbolic *s, enum tmap_status status, const char *why)
{
    snprintf(s->why, sizeof s->why, "%s", why);
    return status;
}

bool sym_has_memory(struct tmap_symbolic *s, size_t bytes)
{
    void *volatile p = malloc(bytes); /* clang leaves out what is only freed, and finds memory */
    const bool there = p != NULL;
    if (!there) sym_report(s, TMAP_E_MEMORY, "out of memory: a solver is not started");
    free(p);
    return there;
}

void *sym_allocate(struct tmap_symbolic *s, size_t bytes)
{
    void *p =
        s->allocator.allocate ? s->allocator.allocate(s->allocator.user, bytes) : malloc(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void sym_release(struct tmap_symbolic *s, void *block)
{
    if (s->allocator.release) {
        if (block) s->allocator.release(s->allocator.user, block);
    } else {
        free(block);
    }
}

void sym_begin(struct tmap_symbolic *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->depth++ == 0) atomic_store(&s->cancelled, false);
    pthread_mutex_unlock(&s->lock);
}

enum tmap_status sym_end(struct tmap_symbolic *s, enum tmap_status status)
{
    pthread_mutex_lock(&s->lock);
    s->depth--;
    pthread_mutex_unlock(&s->lock);
    return status;
}
