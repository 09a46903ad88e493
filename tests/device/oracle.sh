#!/bin/sh
# What a machine with a GPU is asked, in one go. Usage: tests/device/oracle.sh BIN OUT [COUNT], or the
# step `oracle` of tests/device/run. BIN holds, built where jansson is and in need of libc only,
#   tmap, libtmap-trace.so   make STRICT= B=build/device WITH_ISL= WITH_Z3= NVCC= WITH_CUDA= \
#                              CLI_LIBS=-l:libjansson.a lib cli
#   encoder                  tests/driver/fake/encoder.c
#   mutants/                 tests/device/mutants 40 1 BIN/mutants
set -u
bin=$1 out=$2 count=${3:-1020000000}
tmap=$bin/tmap
cd "$(dirname "$0")/../.." || exit 2
say() { echo "== $1 ($(date +%T))"; }
say doctor; $tmap doctor; echo "exit $?"; $tmap doctor --format json >"$out/doctor.json"
say time; $tmap oracle time | tee "$out/time.txt"
say "run $count"
$tmap oracle run --processes --seed 1 -n "$count" --seconds 230 examples/descriptors/*/*.json \
    >"$out/run.txt" 2>"$out/run.err"
ran=$?
echo "exit $ran"; tail -1 "$out/run.err"; cut -c1-700 "$out/run.txt"
say record
$tmap oracle record --seed 1 --legal 3000 -o "$out/corpus.bin" examples/descriptors/*/*.json
echo "exit $?"; ls -l "$out/corpus.bin"; $tmap oracle replay "$out/corpus.bin" >"$out/replay.txt"
replay=$?
sed -n 1,2p "$out/replay.txt"
say mutants
one() { # the first disagreement of a wrong row, on one thread so that the number is the sequence's
    "$1" oracle run --seed 7 -n 1e6 --threads 1 --stop-after 1 2>/dev/null >"$1.txt"
    echo "$(basename "$1") $(grep -c '"what"' "$1.txt") $(grep -o '"number":[0-9]*' "$1.txt" | head -1)"
}
[ -d "$bin/mutants" ] && for m in "$bin"/mutants/tmap??; do one "$m" & done >"$out/mutants.txt"
wait
[ -f "$out/mutants.txt" ] && sort "$out/mutants.txt" | awk '{ n++; f += $2 > 0 } END { print n " wrong rows, " f " found" }'
[ -f "$bin/mutants/list.txt" ] && cp "$bin/mutants/list.txt" "$out/mutants.list"
say trace
for mode in auto interpose; do
    $tmap trace --mode $mode -o "$out/trace-$mode.txt" --record "$out/trace-$mode.jsonl" -- \
        python3 tests/device/trace_program.py illegal 2>&1 | tail -12
    echo "exit $?"
done
for mode in none auto interpose; do
    if [ $mode = none ]; then run=; else run="$tmap trace --mode $mode -o /dev/null --"; fi
    for i in 1 2 3; do echo "$mode: $($run "$bin/encoder" libcuda.so.1 proc 20000 2>&1 | head -1)"; done
done
say probe; for i in 1 2 3 4 5 6; do $tmap oracle probe --rash $i; echo "exit $?"; done >"$out/rash.txt" 2>&1
cat "$out/rash.txt"; $tmap oracle probe >"$out/probe.txt"; echo "exit $?"
say end
# The last line says how it went (tests/device/run prints it).
touch "$out/mutants.txt"
wrong=$(wc -l <"$out/mutants.txt") found=$(awk '$2 > 0' "$out/mutants.txt" | wc -l)
echo "run exit $ran, replay exit $replay, $found of $wrong wrong rows found"
[ $ran = 0 ] && [ $replay = 0 ] && [ "$found" = "$wrong" ]
