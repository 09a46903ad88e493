#!/bin/sh
# The PTX that tests/data/emulate/kernels keeps for machines without nvcc is what the sources give
# here: each file names its kernel, and its source in the first line. Another compiler writes other
# PTX, so then this is a skip. After a kernel was changed: make kept-ptx.
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$(dirname "$0")/../.." || exit 2
result() { n=$((n + 1)); if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | head -8 | cut -c1-160 | sed 's/^/# /'; fi; }
compiler() { grep -m 1 '^// Cuda compilation tools' "$1"; }
for kept in tests/data/emulate/kernels/*.ptx; do
    read -r _ source _ <"$kept"
    kernel=$(basename "$kept" .ptx) made=$B/${source%.cu}.ptx
    if [ ! -f "$made" ] || { [ "$1" != --keep ] && [ "$(compiler "$made")" != "$(compiler "$kept")" ]; }; then
        skipped="$skipped $kernel"
        continue
    fi
    { head -n 1 "$kept"; awk -v kernel="$kernel" -f tests/emulate/kept.awk "$made"; } >"$tmp/now"
    if [ "$1" = --keep ]; then cp "$tmp/now" "$kept"; fi
    result "$kernel is what $source gives (else: make kept-ptx)" "$(diff "$kept" "$tmp/now")"
    sed 's/ld\.param/ld.global/' "$kept" | cmp -s - "$tmp/now"
    [ $? = 1 ] || result "another instruction of $kernel would be seen" "no"
done
[ -z "$skipped" ] || echo "ok $((n + 1)) # SKIP kept kernels: the compiler that made them, for$skipped"
echo "1..$((n + ${skipped:+1} + 0))"
