// The copy kernels once more, with faults that a parameter plants: what the controls of
// tests/device run. With none planted they are their own positive controls.
#define COPY_FAULTS
#include "kernels/copy/copy.cu"
#include "kernels/copy/special.cu"
#include "kernels/copy/transpose.cu"
