// Every case of the copy suite again and again, alone and beside a bandwidth hog.
#ifndef TESTS_DEVICE_REPEAT_H
#define TESTS_DEVICE_REPEAT_H

#include <stdint.h>

// repeat_main() : each case `runs` times with `bytes` of input; TAP; 0 when every run of every case
// left the same bytes.
int repeat_main(uint32_t runs, uint64_t bytes);

#endif
