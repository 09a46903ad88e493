#!/bin/sh
# The library's machine code is what tests/kernels/images.tsv says: every kernel, its instructions,
# registers, counts and hash. Another compiler writes other code, so then this is a skip, and the
# expectations alone remain (test_code). After a kernel was changed: make kernels-table, read the diff.
B=${B:-build} table=tests/kernels/images.tsv n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$(dirname "$0")/../.." || exit 2
"$B/tmap" kernels table >"$tmp/now" || exit 2
compilers() { awk -F'\t' '!/^#/ && $3 == "" { print $2 }' "$1" | sort -u; }
if [ -z "$(compilers "$tmp/now")" ]; then
    echo "ok 1 # SKIP images: the library was built without a CUDA compiler"
    exit 0
fi
if [ "$(compilers "$tmp/now")" != "$(compilers $table)" ]; then
    echo "ok 1 # SKIP images: $(compilers $table), with which the table was made"
    exit 0
fi
for image in $(awk -F'\t' '!/^#/ { print $1 }' "$tmp/now" $table | sort -u); do
    n=$((n + 1))
    for f in "$tmp/now" $table; do
        awk -F'\t' -v i="$image" '$1 == i' "$f" >"$tmp/$(basename "$f").part"
    done
    if diff "$tmp/images.tsv.part" "$tmp/now.part" >"$tmp/diff"; then
        echo "ok $n - $image is the table's"
    else
        echo "not ok $n - $image is the table's (make kernels-table writes it anew)"
        head -20 "$tmp/diff" | cut -c1-160 | sed 's/^/# /'
    fi
done
n=$((n + 1))
sed '/copy_tile_2/s/UTMALDG [0-9]*/UTMALDG 0/' $table | cmp -s - "$tmp/now"
if [ $? = 1 ]; then echo "ok $n - another count would be seen"; else echo "not ok $n - another count would be seen"; fi
echo "1..$n"
