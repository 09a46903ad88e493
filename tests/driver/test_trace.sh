#!/bin/sh
# tmap trace on a program that encodes, with a stand-in for libcuda: by CUPTI, by interposed
# functions, through children, with the program's own output and exit code untouched.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
fake=$PWD/$B/tests/driver/libfakecuda.so encoder=$B/tests/driver/encoder tmap=$B/tmap
n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
is() { # is NAME CONDITION...
    n=$((n + 1)); name=$1; shift
    if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; sed 's/^/# /' "$tmp/err"; fi
}
has() { grep -q "$@"; }
# The sanitizers' runtime must come first in a program's libraries; a preloaded one is refused.
LSAN_OPTIONS=detect_leaks=0 ASAN_OPTIONS=verify_asan_link_order=0; export LSAN_OPTIONS ASAN_OPTIONS
TMAP_CUPTI=/nonexistent; export TMAP_CUPTI # not this machine's

trace() { "$tmap" trace "$@" >"$tmp/out" 2>"$tmp/err"; rc=$?; }

for way in dlsym proc nested; do
    trace --mode interpose -- "$encoder" "$fake" $way 1000
    is "interposed, $way: every call is seen" has '^tmap trace: 1001 calls, 1 refused, 4 different, 1 proc' "$tmp/err"
    is "interposed, $way: the refusal is explained" has 'error\[TMA026\]: box\[0\] is 63' "$tmp/err"
    is "interposed, $way: the exit code is the program's" [ $rc -eq 7 ]
done
is "the program's output is its own" [ "$(wc -l <"$tmp/out")" -eq 2 ]
is "a refused call is listed first" [ "$(sed -n 2p "$tmp/err" | awk '{ print $3 }')" = 1 ]

TMAP_CUPTI=$fake
trace -- "$encoder" "$fake" dlsym 1000
is "CUPTI: every call is seen, once" has '^tmap trace: 1001 calls, 1 refused, 4 different, 1 proc.* CUPTI$' "$tmp/err"
FAKE_CUPTI=taken; export FAKE_CUPTI
trace -- "$encoder" "$fake" dlsym 1000
is "a taken CUPTI: interposed instead, and said" has '^tmap trace: 1001 calls.*interposed.*(CUPTI answered 39)' "$tmp/err"
unset FAKE_CUPTI
TMAP_CUPTI=/nonexistent

trace --mode interpose -- "$encoder" "$fake" dlsym 1000 fork
is "a forked child's call counts" has '^tmap trace: 1002 calls, 1 refused, 5 different, 2 proc' "$tmp/err"
trace --mode interpose -- "$encoder" "$fake" dlsym 1000 exec
is "an exec'd child that closes its files counts" has '^tmap trace: 1003 calls, 2 refused, 4 different, 2 proc' "$tmp/err"
trace --mode interpose -- "$encoder" "$fake" dlsym 1000 close
is "a program that closes its files is still seen" has '^tmap trace: 1001 calls, 1 refused' "$tmp/err"

trace --mode interpose --record "$tmp/calls" -- "$encoder" "$fake" dlsym 10
"$tmap" check "$tmp/calls" --contract driver >"$tmp/err" 2>&1
is "the record is input for tmap check" [ $? -eq 0 ]
trace --mode interpose --exit-code -- "$encoder" "$fake" dlsym 10
is "--exit-code: 1 for a refused call" [ $rc -eq 1 ]
trace --mode interpose --format jsonl --output "$tmp/report" -- "$encoder" "$fake" dlsym 10
is "--format jsonl --output: a line per different call" [ "$(grep -c verdict "$tmp/report")" -eq 4 ]
FAKE_CUDA=sticky; export FAKE_CUDA
trace --mode interpose -- "$encoder" "$fake" dlsym 2
is "a refused legal call: look elsewhere" has 'refused with 719, but its arguments are legal: look elsewhere' "$tmp/err"
unset FAKE_CUDA
trace --mode interpose -- sh -c 'echo hello; exit 3'
is "a program without CUDA: nothing seen, and said" has '^tmap trace: 0 calls.*no process initialized CUDA' "$tmp/err"
is "its exit code and output" [ "$rc$(cat "$tmp/out")" = 3hello ]

# Paths that LD_PRELOAD cannot hold, and a directory that the program leaves.
odd="$tmp/a b:c" && mkdir "$odd" && cp "$B/libtmap-trace.so" "$odd"
trace --mode interpose --library "$odd/libtmap-trace.so" -- "$encoder" "$fake" dlsym 1000
is "a library in a path with a space and a colon is injected" has '^tmap trace: 1001 calls' "$tmp/err"
saved=$TMPDIR; TMPDIR=$odd; export TMPDIR
trace --mode interpose -- "$encoder" "$fake" dlsym 1000
is "TMPDIR with a space and a colon: all is seen" has '^tmap trace: 1001 calls' "$tmp/err"
is "nothing is left there" [ "$(ls "$odd")" = libtmap-trace.so ]
here=$PWD && cd "$tmp" && mkdir relative && TMPDIR=relative
case $tmap in /*) ;; *) tmap=$here/$tmap ;; esac; case $encoder in /*) ;; *) encoder=$here/$encoder ;; esac
trace --mode interpose -- sh -c "cd / && exec '$encoder' '$fake' dlsym 1000"
is "a relative TMPDIR: all is seen of a program that goes elsewhere" has '^tmap trace: 1001 calls' "$tmp/err"
is "and nothing is left there" [ -z "$(ls relative)" ]
"$tmap" trace -- sh -c 'trap "exit 9" TERM; echo ready; while :; do sleep 0.1; done' >"$tmp/out" 2>"$tmp/err" &
job=$!
while ! grep -q ready "$tmp/out"; do sleep 0.05; done
kill -TERM $job; wait $job; rc=$?
is "TERM is the program's, whose exit code counts" [ $rc -eq 9 ]
is "and leaves nothing behind" [ -z "$(ls relative)" ]
cd "$here" && TMPDIR=$saved; [ -n "$saved" ] || unset TMPDIR
if [ -w /dev/full ]; then
    trace --mode interpose --output /dev/full -- "$encoder" "$fake" dlsym 10
    is "a report that cannot be written: 2" [ $rc -eq 2 ]
fi
trace -- /nonexistent/program
is "a program that is not there: 127" [ $rc -eq 127 ]
trace --library /nonexistent/lib.so -- true
is "a missing library is said" has 'cannot read /nonexistent/lib.so' "$tmp/err"
is "and is exit code 2" [ $rc -eq 2 ]
trace
is "no program: usage" [ $rc -eq 3 ]
echo "1..$n"
