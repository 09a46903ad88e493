// Faults planted in the copy kernels' protocol, and their positive controls.
#ifndef TESTS_DEVICE_CONTROLS_H
#define TESTS_DEVICE_CONTROLS_H

#include <stdint.h>

// controls_main() : each fault `draws` times, case and ring drawn by seed, each in a process of its
// own beside a control that has everything but the fault. part: of the names of the faults wanted,
// or NULL. TAP on stdout; 0 when every fault that can show was caught and every control passed.
int controls_main(uint64_t seed, uint32_t draws, int workers, const char *part);

#endif
