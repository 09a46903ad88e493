#!/bin/sh
# Kernels that pip's Triton makes here without a GPU, on the emulator, against plain sums: a few of
# them; make others-emulate runs all.
B=${B:-build}
cd "$(dirname "$0")/../.." || exit 2
if ! python3 -c 'import numpy, triton; assert triton.__version__.startswith("3.6")' 2>/dev/null; then
    echo "ok 1 # SKIP kernels of other compilers: Triton 3.6 and numpy"
    echo "1..1"
    exit 0
fi
export B
few=mm_bf16_64x64x64_sm90,mmd_fp16_64x64x64_sm100,scaled_mxf8_sm100,scaled_nvf4_sm120,gather4_bf16_sm100,cute_dsl_bf16_sm90
exec python3 tests/emulate/others/others.py -k "$few" 2>/dev/null
