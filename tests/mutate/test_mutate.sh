#!/bin/sh
# Mutants of the rows and of their evidence: all of them where that is quick, else a seeded tenth of the
# first (make mutate runs all).
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} seed=${TMAP_SEED:-7} n=0
case $B in *asan*) every=10 ;; *) every=1 ;; esac
check() { # check NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if out=$("$@"); then echo "ok $n - $name"; else echo "not ok $n - $name"; fi
    echo "$out" | sed 's/^/# /'
}
check "every mutant of a row is killed or proved equivalent" \
    "$B/tests/mutate/mutate" tests/mutate/survivors.txt $every "$seed"
check "every mutant of the evidence changes a contract or the rows' page" \
    "$B/tests/mutate/evidence" docs/RULES.md
echo "1..$n"
