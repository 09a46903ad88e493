#!/bin/sh
# docs/EVIDENCE.md is what the rows and the recorded corpus say today (make docs writes it).
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp) && trap 'rm -f "$tmp" "$tmp.diff"' EXIT
if tests/golden/evidence-page "${B:-build}/tmap" >"$tmp" && diff "$tmp" docs/EVIDENCE.md >"$tmp.diff"; then
    echo "ok 1 - docs/EVIDENCE.md is fresh"
else
    echo "not ok 1 - docs/EVIDENCE.md is not fresh: make docs"
    head -10 "$tmp.diff" | sed 's/^/# /'
fi
# No row of the descriptor is without an answer or a reason of the recorded driver.
"${B:-build}/tmap" rules --format jsonl | grep '"subject":"descriptor"' |
    grep '"source":"DRIVER","sign":"?"' | grep -v 'refused on sm_90\|does not see\|the map has no bits\|on sm_90 the bit was 0' >"$tmp"
if [ -s "$tmp" ]; then echo "not ok 2 - a row is untried without a reason"; else echo "ok 2 - no row is untried without a reason"; fi
echo "1..2"
