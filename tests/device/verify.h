// Random copies on the GPU against the simulator.
#ifndef TESTS_DEVICE_VERIFY_H
#define TESTS_DEVICE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "device/cases.h"
#include "device/executor_host.h"

// verify_main() : 0 when no byte differed. misuse: each case breaks a rule whose breach does not
// fault, and must do what the simulator says of it. classes: NULL-terminated names, or NULL for
// all.
int verify_main(uint64_t count, uint64_t seed, uint64_t arena_bytes, int threads, bool misuse,
                char **classes);

// verify_predict() : what the simulator says a case leaves in its image: shared memory from
// c->image_from on, in smem, or the window. smem has room for EXECUTOR_HASHED_BYTES, and so has
// window for the window. Of ex the arena's place and seed are read, no GPU.
const uint8_t *verify_predict(const struct executor *ex, const struct device_case *c, uint8_t *smem,
                              uint8_t *window, struct tmap_outcome *out);

#endif
