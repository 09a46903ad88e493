#!/bin/sh
# What a machine with a GPU is asked, in one go: single questions, timings, the differential run, a
# fresh corpus. Usage: tests/device/oracle.sh TMAP OUT [COUNT]. Nothing is built here: TMAP is the
# command, built without isl and Z3 and with a static jansson so that it needs libc only:
#   make B=build/device WITH_ISL= WITH_Z3= CLI_LIBS=-l:libjansson.a cli
set -u
tmap=$1 out=$2 count=${3:-1e9}
cd "$(dirname "$0")/../.." || exit 2
echo "== time"; $tmap oracle time | tee "$out/time.txt"
echo "== run $count"
$tmap oracle run --seed 1 -n "$count" --seconds 250 examples/descriptors/*/*.json \
    >"$out/run.txt" 2>"$out/run.err"
echo "exit $?"; cat "$out/run.txt"; tail -3 "$out/run.err"
echo "== record"
$tmap oracle record --seed 1 -o "$out/corpus.bin" examples/descriptors/*/*.json
echo "exit $?"; ls -l "$out"
echo "== replay"; $tmap oracle replay "$out/corpus.bin" | head -4
for i in 1 2 3 4; do $tmap oracle probe --rash $i; echo "exit $?"; done >"$out/rash.txt" 2>&1
echo "== probe"; $tmap oracle probe >"$out/probe.txt"; echo "exit $?"; wc -l "$out/probe.txt"
