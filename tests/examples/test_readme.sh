#!/bin/sh
# The pages show real output of real commands, and their links lead somewhere.
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
for page in $(grep -lE '^(```console|<!-- commands -->)$' README.md docs/*.md); do
    n=$((n + 1))
    tests/examples/page "$page" >"$tmp/now"
    if cmp -s "$page" "$tmp/now"; then echo "ok $n - what $page prints is what the commands print"
    else echo "not ok $n - $page is stale: make docs"; diff "$page" "$tmp/now" | head -20 | sed 's/^/# /'; fi
done
n=$((n + 1))
if grep -q '^error\[TMA' README.md && grep -q '^| `tmap check` |' README.md
then echo "ok $n - README shows an error and lists check"
else echo "not ok $n - README shows no error or does not list check"; fi
for page in README.md docs/*.md examples/descriptors/README.md; do
    for link in $(grep -oE '\]\([A-Za-z.][^):]*\)' "$page" | sed 's/^](//; s/)$//; s/#.*//'); do
        n=$((n + 1))
        if [ -e "$(dirname "$page")/$link" ]; then echo "ok $n - $page links $link"
        else echo "not ok $n - $page links $link, which is not there"; fi
    done
done
