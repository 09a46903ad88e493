// Plans of repair and solve on the GPU.
#ifndef TESTS_DEVICE_PLANS_H
#define TESTS_DEVICE_PLANS_H

#include <stdint.h>

// plans_main() : draws `count` requests of all classes, runs each plan's copies, and compares what
// they left with the simulator and with the request. record: a file for what was seen, or NULL. 0
// when nothing differed.
int plans_main(uint64_t count, uint64_t seed, uint64_t arena_bytes, int threads,
               const char *record);

#endif
