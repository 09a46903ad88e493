#!/bin/sh
# The machine code is what tests/kernels/images.tsv says: every kernel of the library and of the files
# that only tests and benches launch; its instructions, registers, counts and hash. Another compiler
# writes other code, so then this is a skip, and the expectations alone remain (test_code). After a kernel was changed: make kernels-table, read the diff.
B=${B:-build} table=tests/kernels/images.tsv n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$(dirname "$0")/../.." || exit 2
"$B/tmap" kernels table >"$tmp/now" || exit 2
result() { n=$((n + 1)); if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | head -20 | cut -c1-160 | sed 's/^/# /'; fi; }
compilers() { awk -F'\t' '!/^#/ && $3 == "" { print $2 }' "$1" | sort -u; }
if [ -z "$(compilers "$tmp/now")" ]; then
    echo "ok 1 # SKIP images: the library was built without a CUDA compiler"
    exit 0
fi
(cd "$B" && ./tmap kernels table $(cut -f1 "$OLDPWD/$table" | grep fatbin | uniq)) >>"$tmp/now" || exit 2
# The assembler's advisories are no warnings to it: registers not moved (C7508), products in sequence
# (C7510, C7511), waits put in (C7517).
advisories() { grep -h '(C75[0-9]*)' "$@"; }
result "the assembler advises nothing" "$(advisories /dev/null $(find "$B"/src "$B"/tests "$B"/bench "$B"/cross -name "*.log") 2>/dev/null)"
echo "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored" >"$tmp/log"
result "an advice would be seen" "$([ -n "$(advisories "$tmp/log")" ] || echo no)"
if [ "$(compilers "$tmp/now")" != "$(compilers $table)" ]; then
    echo "ok $((n + 1)) # SKIP images: $(compilers $table), with which the table was made"
    exit 0
fi
# Two builds of the same sources by ptxas 13.0 gave the kernels of tensor memory the same counts and other
# hashes, some of them exchanged between architectures (2026-11-22): theirs are not compared.
# Of the widest pingpong with a second output two machines made two codes of the same sources (11256 and
# 12376 instructions of all, 72 and 120 STSM, 2026-11-23): it and its images' hashes are not compared.
part() {
    awk -F'\t' -v OFS='\t' -v i="$1" '$1 != i || $2 ~ /_pingpong_2x192_epilogue$/ { next }
        i ~ "^gemm/sm100/" || (i ~ "^gemm/sm90/.*_epilogue$" && $3 == "") { $5 = "-" } { print }' "$2"
}
for image in $(awk -F'\t' '!/^#/ { print $1 }' "$tmp/now" $table | sort -u); do
    for f in "$tmp/now" $table; do
        part "$image" "$f" >"$tmp/$(basename "$f").part"
    done
    result "$image is the table's (else: make kernels-table)" \
        "$(diff "$tmp/images.tsv.part" "$tmp/now.part")"
done
sed '/copy_tile_2/s/UTMALDG [0-9]*/UTMALDG 0/' $table | cmp -s - "$tmp/now"
result "another count would be seen" "$([ $? = 1 ] || echo no)"
echo "1..$n"
