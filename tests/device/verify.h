// Random copies on the GPU against the simulator.
#ifndef TESTS_DEVICE_VERIFY_H
#define TESTS_DEVICE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

// verify_main() : 0 when no byte differed. misuse: each case breaks a rule whose breach does not
// fault, and must do what the simulator says of it. classes: NULL-terminated names, or NULL for
// all.
int verify_main(uint64_t count, uint64_t seed, uint64_t arena_bytes, int threads, bool misuse,
                char **classes);

#endif
