#!/bin/sh
# What a verdict costs, in instructions: the same on every machine, so a slower check shows here where a
# clock would not tell. bench/check goes once over its set under callgrind; the making of the set is
# counted alone and subtracted. Another compiler writes other instructions, so the limits (cost-limits)
# are for one compiler only.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
skip() { echo "ok 1 # SKIP cost of a legal verdict: $1"; echo "ok 2 # SKIP cost of an illegal one: $1"; echo "1..2"; exit 0; }
command -v valgrind >/dev/null 2>&1 || skip "no valgrind (apt: valgrind)"
case $(${CC:-cc} -dumpmachine)-$(${CC:-cc} -dumpversion) in x86_64-linux-gnu-12*) ;; *) skip "the limits are for gcc 12 on x86-64" ;; esac
case $B in build) ;; *) skip "the limits are for the release build" ;; esac

instructions() { # of one pass over what $1 names
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$B/bench/check" --count "$1" 2>"$tmp/log" >"$tmp/out" || return 1
    sed -n 's/.*Collected : *//p' "$tmp/log"
}
descriptors() { sed -n "s/.*[ ,]\([0-9]*\) $1[,;].*/\1/p" "$tmp/out"; }
setup=$(instructions setup) || { echo "not ok 1 - bench/check under callgrind"; sed 's/^/# /' "$tmp/log"; echo "1..2"; exit 1; }

check() { # check N NAME KIND
    total=$(instructions "$3") each=$(((total - setup) / $(descriptors "$3")))
    limit=$(sed -n "s/^$3 //p" tests/core/cost-limits)
    if [ "$each" -gt 0 ] && [ "$each" -le "$limit" ]; then echo "ok $1 - $2: $each instructions, at most $limit"
    else echo "not ok $1 - $2: $each instructions, more than $limit"; fi
}
check 1 "cost of a legal verdict" legal
check 2 "cost of an illegal one" illegal
echo "1..2"
