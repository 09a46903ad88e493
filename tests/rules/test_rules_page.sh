#!/bin/sh
# docs/RULES.md is what the rows say today (make docs writes it).
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp) && trap 'rm -f "$tmp"' EXIT
if tests/rules/rules-page "${B:-build}/tmap" >"$tmp" && diff "$tmp" docs/RULES.md >"$tmp.diff"; then
    echo "ok 1 - docs/RULES.md is fresh"
else
    echo "not ok 1 - docs/RULES.md is not fresh: make docs"
    head -10 "$tmp.diff" | sed 's/^/# /'
fi
rm -f "$tmp.diff"
echo "1..1"
