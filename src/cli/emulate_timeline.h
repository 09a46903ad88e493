/* The timeline of a CTA on the emulator: its warps' turns, its copies and tensor core instructions
 * from issue to end, and the phases of its mbarriers, as SVG. */
#ifndef TMAP_CLI_EMULATE_TIMELINE_H
#define TMAP_CLI_EMULATE_TIMELINE_H

#include "tmap/emulate.h"

#include <stdio.h>

struct timeline {
    struct tmap_emulate_event *event;
    size_t events, room;
    uint32_t cta;
    bool lost; /* there was no memory for all of them */
};

/* Adds an event of the timeline's CTA; others are passed over. */
void timeline_add(struct timeline *t, const struct tmap_emulate_event *e);
bool timeline_svg(FILE *out, const struct timeline *t, const char *title);
void timeline_free(struct timeline *t);

#endif
