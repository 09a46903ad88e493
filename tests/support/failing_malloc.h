/* failing_malloc.h : a program's own malloc, which fails where a test says so and counts what is
 * not given back. For one source of a program; where a sanitizer or another C library has its own
 * malloc, nothing fails (OWN_MALLOC 0). */
#ifndef TESTS_SUPPORT_FAILING_MALLOC_H
#define TESTS_SUPPORT_FAILING_MALLOC_H

#include <errno.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OWN_MALLOC 0
#else
#define OWN_MALLOC 1
#endif

/* fail_at: the allocation that fails, from the first that is 1; 0: none. fail_on: and all after it.
 * count: allocations since a test made it 0; live: blocks not given back. */
static long fail_at, fail_on, count, live;

#if OWN_MALLOC
#ifdef FAIL_ALL /* those of the C library's own calls, too */
#define EVERYBODYS __attribute__((visibility("default")))
#else
#define EVERYBODYS __attribute__((visibility("hidden")))
#endif
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static int fails(void)
{
    count++;
    if (fail_at == 0 || count < fail_at || (count > fail_at && !fail_on)) return 0;
    errno = ENOMEM;
    return 1;
}

EVERYBODYS void *malloc(size_t n)
{
    void *p = fails() ? NULL : __libc_malloc(n);
    live += p != NULL;
    return p;
}

EVERYBODYS void *calloc(size_t n, size_t size)
{
    void *p = fails() ? NULL : __libc_calloc(n, size);
    live += p != NULL;
    return p;
}

EVERYBODYS void *realloc(void *old, size_t n)
{
    void *p = fails() ? NULL : __libc_realloc(old, n);
    live += p != NULL && old == NULL;
    return p;
}

EVERYBODYS void free(void *p)
{
    live -= p != NULL;
    __libc_free(p);
}
#endif

#endif
