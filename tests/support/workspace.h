/* workspace.h : memory that the tests of one program share, taken before the first and given back
 * after the last; WORKSPACE says how much. */
#ifndef TESTS_SUPPORT_WORKSPACE_H
#define TESTS_SUPPORT_WORKSPACE_H

#include <stdlib.h>

static void *memory;

static int take_memory(void **state)
{
    (void)state;
    memory = malloc(WORKSPACE);
    return memory ? 0 : -1;
}

static int give_memory(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

#endif
