/* mode.c : who reports the calls of this process: CUPTI, or the functions that stand before the
 * driver's. Both ask here, and neither the other. */
#include "driver/inject/inject.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic bool on;

void cupti_now_on(bool is)
{
    atomic_store(&on, is);
}

bool cupti_is_on(void)
{
    return atomic_load(&on);
}

enum trace_how mode_wanted(void)
{
    const char *mode = getenv(TRACE_MODE);
    if (mode && strcmp(mode, "cupti") == 0) return TRACE_BY_CUPTI;
    if (mode && strcmp(mode, "interpose") == 0) return TRACE_BY_INTERPOSING;
    return TRACE_BY_NOTHING;
}
