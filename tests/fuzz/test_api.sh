#!/bin/sh
# Random calls of the interface keep its contract (make fuzz-api runs many more), and a planted
# failure is found and shrunk to the two calls that it takes.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
log=$(mktemp) && trap 'rm -f "$log"' EXIT
"$B/tests/fuzz/api/api" --calls "${FUZZ_CALLS:-20000}" --seed 1 >"$log" 2>&1
if [ $? = 0 ]; then echo "ok 1 - random calls: $(tail -n 1 "$log")"
else echo "not ok 1 - random calls"; sed 's/^/# /' "$log"; fi
"$B/tests/fuzz/api/api" --calls 20000 --seed 1 --plant >"$log" 2>&1
got="$? $(grep -A2 '^# shortest: planted' "$log" | sed -n '2p;3p' | cut -d' ' -f1 | tr '\n' ' ')"
if [ "$got" = "1 encode decode " ]; then echo "ok 2 - a planted failure is shrunk to two calls"
else echo "not ok 2 - a planted failure is shrunk to two calls"; echo "# $got"; fi
echo "1..2"
