/* fault_process.h : a device program that runs one of its planted faults in a process of its own,
 * since a fault may end the context: "SELF fault ID" exits with 1 when it was found. */
#ifndef TMAP_TESTS_FAULT_PROCESS_H
#define TMAP_TESTS_FAULT_PROCESS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FAULT_NOT_FOUND = 0, FAULT_FOUND = 1 << 8 }; /* as system() has them */

static inline int fault_process(const char *self, uint32_t id)
{
    char command[300];
    snprintf(command, sizeof command, "'%s' fault %u >/dev/null 2>&1", self, id);
    return system(command);
}

#endif
