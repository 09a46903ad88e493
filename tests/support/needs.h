/* needs.h : programs whose every test needs a part that this build lacks. */
#ifndef TMAP_TESTS_SUPPORT_NEEDS_H
#define TMAP_TESTS_SUPPORT_NEEDS_H

#include <stdbool.h>
#include <stdio.h>

/* Prints one skip for the whole program; then main() returns 0. */
static inline bool lacks_isl(const char *name)
{
#ifdef TMAP_WITH_ISL
    (void)name;
    return false;
#else
    printf("1..1\nok 1 # SKIP %s: built without isl\n", name);
    return true;
#endif
}

#endif
