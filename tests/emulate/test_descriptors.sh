#!/bin/sh
# The instruction and matrix descriptors of tensor memory's products are those that Triton's compiler
# and CUTLASS make for the same types, orders and widths, field by field: tests/data/*-descriptors.tsv;
# so are those of the copies that bring scale factors there. Where CUTLASS's headers (pip's
# nvidia-cutlass) and nvcc are, its tables are made again.
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
python3 tests/emulate/descriptors.py scales tests/data/cutlass-scale-descriptors.tsv "$ptx"/*.ptx | sed '$d'
# seen_if COMMAND TABLE EDIT WHAT: the table with one field changed is not the kernels'
seen_if()
{
    sed "$3" "tests/data/$2" >"$tmp/other"
    if python3 tests/emulate/descriptors.py "$1" "$tmp/other" "$ptx"/*.ptx | grep "^not ok.*$4" >/dev/null; then
        echo "ok - another field would be seen: $4"
    else
        echo "not ok - another field would be seen: $4"
    fi
}
# of one row: N eight columns less; a stride one row more; a copy less
seen_if compare triton-descriptors.tsv 's/^bf16 1 128 00 f16 0x82/bf16 1 128 00 f16 0x81/' 'instruction.n 16 for 8'
seen_if scales cutlass-scale-descriptors.tsv '2s/0x400800010000 0x/0x400900010000 0x/' 'stride 8 for 9'
seen_if scales cutlass-scale-descriptors.tsv '$s/8$/7/' 'copies 12 for 11'
headers=$(python3 -c 'import cutlass_library as c, os; print(os.path.dirname(c.__file__))' 2>/dev/null)/source/include
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ ! -d "$headers" ] || [ ! -x "$nvcc" ]; then
    echo "ok - CUTLASS's descriptors anew # SKIP CUTLASS's headers, pip's nvidia-cutlass, and nvcc"
else
    for program in descriptors:descriptors scales:scale-descriptors; do
        source=${program%:*} table=tests/data/cutlass-${program#*:}.tsv
        if "$nvcc" -std=c++17 --expt-relaxed-constexpr -w -I"$headers" -arch=compute_100a -o "$tmp/$source" \
                "tests/emulate/others/cutlass/$source.cu" && "$tmp/$source" "$tmp/anew" >"$tmp/said" &&
             sed 1d "$table" >"$tmp/known" && sed 1d "$tmp/anew" | cmp - "$tmp/known"; then
            echo "ok - CUTLASS's descriptors anew: $source"
        else
            echo "not ok - CUTLASS's descriptors anew: $source"
        fi
    done
fi
