/* calls.h : the calls of calls.def, one function each. */
#ifndef TMAP_TESTS_FUZZ_CALLS_H
#define TMAP_TESTS_FUZZ_CALLS_H

#include "fuzz/api/api.h"

#define CALL(name, weight, statuses) void try_##name(struct world *w);
#include "fuzz/api/calls.def"
#undef CALL

#endif
