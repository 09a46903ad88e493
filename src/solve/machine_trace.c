/* What a machine says: its first fault, and what is done, line by line. */
#include "solve/machine.h"

#include <stdarg.h>
#include <stdio.h>

void machine_fail(struct machine *m, enum tmap_hazard fault, const char *format, ...)
{
    va_list args;
    if (m->fault != TMAP_HAZARD_NONE) return;
    m->fault = fault;
    va_start(args, format);
    vsnprintf(m->detail, sizeof m->detail, format, args);
    va_end(args);
}

void machine_trace(struct machine *m, const char *format, ...)
{
    const size_t room = m->trace_length < m->trace_size ? m->trace_size - m->trace_length : 0;
    va_list args;
    if (!m->trace) return;
    va_start(args, format);
    const int n = vsnprintf(room ? m->trace + m->trace_length : NULL, room, format, args);
    va_end(args);
    if (n > 0) m->trace_length += (size_t)n;
}

void machine_names(struct machine *m, unsigned agent, bool copies, const char *before)
{
    const unsigned who = agent + (copies ? TMAP_PROTOCOL_AGENTS : 0u);
    if (!m->trace || (m->last_named == who + 1 && !*before)) return;
    machine_trace(m, copies ? "%s    (copies of %s)\n" : "%s    %s\n", *before ? before : "   ",
                  m->p->agent[agent].name);
    m->last_named = who + 1;
}
