#!/bin/sh
# The instruction and matrix descriptors of tensor memory's products are those that Triton's compiler
# and CUTLASS make for the same types, orders and widths, field by field: tests/data/*-descriptors.tsv.
# Where CUTLASS's headers (pip's nvidia-cutlass) and nvcc are, its table is made again.
B=${B:-build}
cd "$(dirname "$0")/../.." || exit 2
ptx="$B/src/kernels/gemm/sm100"
if [ ! -e "$ptx/f16.ptx" ] || ! command -v python3 >/dev/null; then
    echo "ok 1 # SKIP descriptors beside Triton's: no PTX of the kernels (nvcc), or no python3"
    exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for whose in triton cutlass; do
    python3 tests/emulate/descriptors.py compare tests/data/$whose-descriptors.tsv "$ptx"/*.ptx | sed '$d'
done
# N of one row, eight columns less
sed 's/^bf16 1 128 00 f16 0x82/bf16 1 128 00 f16 0x81/' tests/data/triton-descriptors.tsv >"$tmp/other"
if python3 tests/emulate/descriptors.py compare "$tmp/other" "$ptx"/*.ptx | grep '^not ok.*instruction.n 16 for 8' >/dev/null; then
    echo "ok - another field would be seen"
else
    echo "not ok - another field would be seen"
fi
headers=$(python3 -c 'import cutlass_library as c, os; print(os.path.dirname(c.__file__))' 2>/dev/null)/source/include
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ ! -d "$headers" ] || [ ! -x "$nvcc" ]; then
    echo "ok - CUTLASS's descriptors anew # SKIP CUTLASS's headers, pip's nvidia-cutlass, and nvcc"
elif "$nvcc" -std=c++17 --expt-relaxed-constexpr -w -I"$headers" -arch=compute_100a -o "$tmp/descriptors" \
        tests/emulate/others/cutlass/descriptors.cu && "$tmp/descriptors" "$tmp/anew" >"$tmp/said" &&
     sed 1d tests/data/cutlass-descriptors.tsv >"$tmp/known" && sed 1d "$tmp/anew" | cmp - "$tmp/known"; then
    echo "ok - CUTLASS's descriptors anew"
else
    echo "not ok - CUTLASS's descriptors anew"
fi
