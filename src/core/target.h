/* What is known of a target. */
#ifndef TMAP_CORE_TARGET_H
#define TMAP_CORE_TARGET_H

#include "tmap/tmap.h"

/* Some source speaks of this toolkit, PTX version, driver and architecture. */
bool target_covered(const struct tmap_target *target);
/* The rows were recorded on this driver branch and this architecture. */
bool target_observed(const struct tmap_target *target);

#endif
