#!/bin/sh
# The instruction and matrix descriptors of tensor memory's products are those that Triton's compiler
# writes for the same types, orders and widths, field by field: tests/data/triton-descriptors.tsv.
B=${B:-build}
cd "$(dirname "$0")/../.." || exit 2
ptx="$B/src/kernels/gemm/sm100"
if [ ! -e "$ptx/f16.ptx" ] || ! command -v python3 >/dev/null; then
    echo "ok 1 # SKIP descriptors beside Triton's: no PTX of the kernels (nvcc), or no python3"
    exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 tests/emulate/descriptors.py compare tests/data/triton-descriptors.tsv "$ptx"/*.ptx | sed '$d'
# N of one row, eight columns less
sed 's/^bf16 128 0 f16 0x82/bf16 128 0 f16 0x81/' tests/data/triton-descriptors.tsv >"$tmp/other"
if python3 tests/emulate/descriptors.py compare "$tmp/other" "$ptx"/*.ptx | grep '^not ok.*instruction.n 16 for 8' >/dev/null; then
    echo "ok 17 - another field would be seen"
else
    echo "not ok 17 - another field would be seen"
fi
echo "1..17"
