#!/bin/sh
# No bound is written twice: the numbers that rules speak of stand in src/rules and nowhere else in
# src and include. tests/tree/bounds-allowed lists the same numbers where they mean another thing,
# each with its reason, and has no line that nothing needs.
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Everywhere: capacities, the tx-count, the limits of strides, dimensions and addresses. In the folders
# that judge also the small ones, which elsewhere are mostly counts of threads. Texts' buffers do not
# count.
large='233472|232448|166912|101376|102400|1048575|0xfffff|1099511627776|0xffffffffff|1u?l* *<< *(20|36|40|57)|227 *\* *1024|228 *\* *1024|99 *\* *1024'
small='32768|32767|1024|256|255|1u?l* *<< *32'

code() { # code ROOT... : "path:literal" of each number, comments and strings left out
    find "$@" \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) ! -path 'src/rules/*' | sort |
        while read -r f; do
            sed -e 's#"\([^"\\]\|\\.\)*"#""#g' -e 's#//.*##' -e 's#char [a-z_]*\[[0-9]*\]##g' "$f" |
                awk '{ while (1) {
                           if (inside) { i = index($0, "*/"); if (!i) { $0 = ""; break }
                                         $0 = substr($0, i + 2); inside = 0 }
                           i = index($0, "/*"); if (!i) break
                           rest = substr($0, i + 2); j = index(rest, "*/")
                           if (j) { $0 = substr($0, 1, i - 1) " " substr(rest, j + 2) }
                           else { $0 = substr($0, 1, i - 1); inside = 1; break } }
                       print }' |
                grep -oiE "(^|[^0-9a-z_.])($numbers)([ul]*)([^0-9a-z_.]|\$)" |
                grep -oiE "($numbers)" | tr -d ' ' | tr 'A-Z' 'a-z' | sed "s|^|$f:|"
        done | sort -u
}
numbers=$large; code src include >"$tmp/found"
numbers=$small; code src/expr src/core src/solve src/symbolic src/io >>"$tmp/found"
sort -u -o "$tmp/found" "$tmp/found"
grep -v '^#' tests/tree/bounds-allowed | awk '{ print $1 }' | sort >"$tmp/allowed"

bad=$(comm -23 "$tmp/found" "$tmp/allowed")
if [ -z "$bad" ]; then echo "ok 1 - no bound of a rule stands outside src/rules"
else echo "not ok 1 - no bound of a rule stands outside src/rules"; echo "$bad" | sed 's/^/# /'; fi
bad=$(comm -13 "$tmp/found" "$tmp/allowed")
if [ -z "$bad" ]; then echo "ok 2 - every exception is needed"
else echo "not ok 2 - every exception is needed"; echo "$bad" | sed 's/^/# /'; fi
bad=$(grep -v '^#' tests/tree/bounds-allowed | awk 'NF < 4')
if [ -z "$bad" ]; then echo "ok 3 - every exception has its reason"
else echo "not ok 3 - every exception has its reason"; echo "$bad" | sed 's/^/# /'; fi
# the search itself: a bound in code is found, one in a comment or a string is not
mkdir "$tmp/t"
printf '/* 232448\n 101376 */ int a = 233472; // 102400\nchar *s = "1048575"; long b = 1ull << 40;\n' >"$tmp/t/x.c"
numbers=$large
if [ "$(code "$tmp/t" | sed 's/.*://' | tr '\n' ' ')" = '1ull<<40 233472 ' ]
then echo "ok 4 - the search sees code, not comments and strings"
else echo "not ok 4 - the search sees code, not comments and strings"; code "$tmp/t" | sed 's/^/# /'; fi
echo "1..4"
