#!/bin/sh
# The copy suite and the simulator on this machine's GPU, a tenth of what make device does.
B=${B:-build}
out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT
why=$("$B/bench/copy" 0 0 none | sed -n 's/^SKIP: //p')
if [ -n "$why" ]; then
    echo "ok 1 # SKIP copies on a GPU: $why"
    echo "1..1"
    exit 0
fi
B=$B BUILD=no SCALE=quick "$(dirname "$0")/run" "$out" \
    copy-verify copy-misuse copy-controls copy-repeat copy-bench >/dev/null
grep -E '^(not )?ok' "$out/summary.txt" | awk '{ n++; sub(/ - /, " " n " - "); sub(/ \([0-9]*\)/, ""); print }
    END { print "1.." n }'
