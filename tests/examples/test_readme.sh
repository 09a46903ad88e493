#!/bin/sh
# README shows real output and real commands, and its links lead somewhere.
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tests/examples/readme-page >"$tmp/now"
if cmp -s README.md "$tmp/now"; then echo "ok 1 - what README prints is what the commands print"
else echo "not ok 1 - README is stale: make docs"; diff README.md "$tmp/now" | head -20 | sed 's/^/# /'; fi
if grep -q '^error\[TMA' "$tmp/now" && grep -q '^| `tmap check` |' "$tmp/now"
then echo "ok 2 - it shows an error and lists check"
else echo "not ok 2 - it shows no error or does not list check"; fi
n=2
for page in README.md docs/*.md examples/descriptors/README.md; do
    for link in $(grep -oE '\]\([A-Za-z.][^):]*\)' "$page" | sed 's/^](//; s/)$//; s/#.*//'); do
        n=$((n + 1))
        if [ -e "$(dirname "$page")/$link" ]; then echo "ok $n - $page links $link"
        else echo "not ok $n - $page links $link, which is not there"; fi
    done
done
