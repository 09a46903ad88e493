#!/bin/sh
# tmap's products for the chips after Hopper and those of pip's Triton, of the same operands on the
# emulator: the same bits.
B=${B:-build}
cd "$(dirname "$0")/../.." || exit 2
if [ ! -e "$B/src/kernels/gemm/sm100/f16.ptx" ] || [ ! -e "$B/src/kernels/gemm/sm120/bf16.ptx" ] ||
   ! python3 -c 'import numpy, triton; assert triton.__version__.startswith("3.6")' 2>/dev/null; then
    echo "ok 1 # SKIP products beside Triton's: PTX of the kernels (nvcc), Triton 3.6 and numpy"
    echo "1..1"
    exit 0
fi
export B
exec python3 tests/emulate/others/beside.py
