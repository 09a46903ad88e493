#ifndef TMAP_EMULATE_QUIET_H
#define TMAP_EMULATE_QUIET_H

#include "emulate/emulate.h"

// Of a machine in which nothing that others can wait for has happened for m->quiet instructions,
// and no operation is under way. Where a warp may still compute it says no, and is asked again.
bool emu_hangs(struct emu_machine *m);

#endif
