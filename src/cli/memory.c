/* memory.c : jansson leaves out what it has no memory for: an answer would look whole and not be.
 * GMP, inside isl, aborts. Our own allocations are checked where they are made; these end the
 * command, with what is printed so far and the exit code of a failure. */
#define _GNU_SOURCE
#include "cli/memory.h"
#include "cli/cli.h"

#include <dlfcn.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

static void *there_is(void *memory)
{
    static const char message[] = "tmap: out of memory\n";

    if (memory) return memory;
    fflush(stdout);
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(CLI_INTERNAL);
    _exit(CLI_INTERNAL);
}

static void *allocate(size_t size)
{
    return there_is(malloc(size));
}

static void *gmp_reallocate(void *old, size_t old_size, size_t size)
{
    (void)old_size;
    return there_is(realloc(old, size));
}

static void gmp_free(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

/* mp_set_memory_functions() of the library that isl brings; GMP's manual, "Custom Allocation". */
typedef void set_functions(void *(*)(size_t), void *(*)(void *, size_t, size_t),
                           void (*)(void *, size_t));

void cli_memory_begin(void)
{
    set_functions *set = NULL;

    *(void **)&set = dlsym(RTLD_DEFAULT, "__gmp_set_memory_functions");
    if (set) set(allocate, gmp_reallocate, gmp_free);
    json_set_alloc_funcs(allocate, free);
}
