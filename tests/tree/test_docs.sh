#!/bin/sh
# What the pages and the comments name is there: pages of docs/, targets of make, files of the tree.
cd "$(dirname "$0")/../.." || exit 2
n=0
result() {
    n=$((n + 1))
    if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | sed 's/^/# /'; fi
}
text() { ls README.md Makefile docs/*.md; find src include tests bench examples .ci -type f ! -name '*.json' ! -name '*.bin' ! -name '*.tsv' ! -name '*.jsonl'; }

bad=$(text | xargs grep -ohE '\bdocs/[A-Za-z0-9_-]+\.(md|svg)' | sort -u | while read -r f; do
    [ -e "$f" ] || echo "$f, named by $(text | xargs grep -lF "$f" | tr '\n' ' ')"; done)
result "every page that is named is there" "$bad"

bad=$(grep -ohE '(^    |`)make [a-z][a-z/-]+' README.md docs/*.md | sed 's/.*make //' | grep -v / | sort -u |
    while read -r t; do
        cat Makefile $(find src tests bench -name build.mk) | grep -qE "^([a-z -]* )?$t( [a-z -]*)?:" ||
            echo "make $t"; done)
result "every target that is named can be made" "$bad"

# A path in backquotes; a program by its name.
bad=$(grep -oHE '`(src|tests|include|bench|examples)/[A-Za-z0-9_./-]+`' README.md docs/*.md |
    tr -d '`' | sort -u | while IFS=: read -r page f; do [ -e "$f" ] || [ -e "$f.c" ] || echo "$page: $f"; done)
result "every file that the pages name is there" "$bad"

# The plot of the products: drawn from the records, and no larger than a page shows.
bad=$(python3 bench/gemm/plot.py bench/gemm/h200 | cmp - docs/gemm-ratio.svg 2>&1)
result "docs/gemm-ratio.svg is what make gemm-plot draws" "$bad"
bad=$(sed -nE "1s/.* width='([0-9]+)' height='([0-9]+)'.*/\\1 \\2/p" docs/gemm-ratio.svg |
    { read -r w h; [ "$w" -le 1000 ] && [ "$h" -le 700 ] || echo "$w x $h"; })
result "and at most 1000 x 700" "$bad"
echo "1..$n"
