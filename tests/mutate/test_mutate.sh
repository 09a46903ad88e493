#!/bin/sh
# Mutants of the rows: all of them where that is quick, else a seeded tenth (make mutate runs all).
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} seed=${TMAP_SEED:-7}
case $B in *asan*) every=10 ;; *) every=1 ;; esac
out=$("$B/tests/mutate/mutate" tests/mutate/survivors.txt $every "$seed")
[ $? -eq 0 ] && echo "ok 1 - every mutant of a row is killed or proved equivalent" ||
    echo "not ok 1 - every mutant of a row is killed or proved equivalent"
echo "$out" | sed 's/^/# /'
echo "1..1"
