#!/bin/sh
# README shows real output: each `$ command` of its console block, run in examples/descriptors,
# prints what stands below it.
cd "$(dirname "$0")/../../examples/descriptors" || exit 2
top=$(cd ../.. && pwd)
case ${B:=build} in /*) ;; *) B=$top/$B ;; esac
PATH=$B:$PATH COLUMNS=100
export PATH COLUMNS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
sed -n '/^```console/,/^```/p' "$top/README.md" | sed '/^```/d' >"$tmp/shown"
if [ ! -s "$tmp/shown" ]; then echo "not ok 1 - README has no console block"; exit 1; fi
sed -n 's/^\$ //p' "$tmp/shown" | while read -r command; do
    echo "\$ $command"
    sh -c "$command" 2>&1 </dev/null
done >"$tmp/now"
if cmp -s "$tmp/shown" "$tmp/now"; then echo "ok 1 - README's console block is what the commands print"
else echo "not ok 1 - README's console block is stale"; diff "$tmp/shown" "$tmp/now" | head -20 | sed 's/^/# /'; fi
n=1
for link in $(grep -oE '\]\([A-Za-z][^):]*\)' "$top/README.md" | sed 's/^](//; s/)$//'); do
    n=$((n + 1))
    if [ -e "$top/$link" ]; then echo "ok $n - README's link $link"
    else echo "not ok $n - README's link $link leads nowhere"; fi
done
