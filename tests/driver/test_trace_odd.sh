#!/bin/sh
# tmap trace on programs that do what programs do: the traced program's result is what it is without
# tmap, what can be seen is seen, and nothing is left behind.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
fake=$PWD/$B/tests/driver/libfakecuda.so encoder=$PWD/$B/tests/driver/encoder tmap=$PWD/$B/tmap
n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
is() { # is NAME CONDITION...
    n=$((n + 1)); name=$1; shift
    if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; sed 's/^/# /' "$tmp/err"; fi
}
skip() { n=$((n + 1)); echo "ok $n # SKIP $1"; }
has() { grep -q "$@"; }
LSAN_OPTIONS=detect_leaks=0 ASAN_OPTIONS=verify_asan_link_order=0; export LSAN_OPTIONS ASAN_OPTIONS
TMAP_CUPTI=/nonexistent TMPDIR=$tmp/t; export TMAP_CUPTI TMPDIR
mkdir "$TMPDIR"
trace() { "$tmap" trace --mode interpose "$@" >"$tmp/out" 2>"$tmp/err"; rc=$?; }
alone() { "$@" >"$tmp/alone" 2>/dev/null; own=$?; } # what the program does without tmap
words() { sed 's/^[0-9]* ns a call$/N ns a call/' "$1"; } # the encoder times itself
same() { [ "$rc" = "$own" ] && [ "$(words "$tmp/out")" = "$(words "$tmp/alone")" ]; }
clean() { [ -z "$(ls "$TMPDIR")" ]; }

# 1. A static program loads nothing.
printf '#include <stdio.h>\nint main(void) { puts("static"); return 5; }\n' >"$tmp/s.c"
if ${CC:-cc} -static -o "$tmp/static" "$tmp/s.c" 2>/dev/null; then
    alone "$tmp/static"; trace -- "$tmp/static"
    is "a static program: its own result" same
    is "and what was not seen is said" has '^tmap trace: 0 calls' "$tmp/err"
else
    skip "static program: this compiler makes none"; skip "static program: this compiler makes none"
fi

# 2. A storm: 40 programs at once, every third with a child that it forks or becomes.
cat >"$tmp/storm" <<EOF
for i in \$(seq 40); do
    case \$((i % 3)) in 0) more=fork ;; 1) more=exec ;; *) more= ;; esac
    "$encoder" "$fake" dlsym 100 \$more >/dev/null &
done
wait; exit 6
EOF
trace -- sh "$tmp/storm" # 26 x 101 and a fork's one more, or an exec's two
is "a storm of forks and execs: each call is seen" has '^tmap trace: 4081 calls' "$tmp/err"
is "and the exit code is the program's" [ $rc -eq 6 ]

# 3. Killed in the middle, with children that go on.
trace -- sh -c "'$encoder' '$fake' dlsym 20000 >/dev/null & sleep 0.1; kill -9 \$\$"
is "a program killed in the middle: 128 and its signal" [ $rc -eq 137 ]
is "its end is no end of the trace" has '^tmap trace: ' "$tmp/err"
is "nothing is left behind" clean

# 4. The trace itself killed: the program goes on, and its writes to a pipe without a reader hurt it not.
"$tmap" trace --mode interpose -- sh -c "echo \$\$; sleep 0.5; '$encoder' '$fake' dlsym 3000 >'$tmp/went'; echo \$? >'$tmp/code'" \
    >"$tmp/out" 2>"$tmp/err" &
job=$!
while ! [ -s "$tmp/out" ]; do sleep 0.05; done
kill -KILL $job; wait $job 2>/dev/null
for _ in $(seq 100); do [ -s "$tmp/code" ] && break; sleep 0.1; done
is "tmap killed: the program ends as ever" [ "$(cat "$tmp/code")" = 7 ]
rm -rf "$TMPDIR"/tmap-trace-*

# 5. Set-uid: the loader ignores what is preloaded.
if [ "$(id -u)" = 0 ] && cp "$encoder" "$tmp/suid" && chown nobody "$tmp/suid" && chmod 4755 "$tmp/suid" &&
    chmod 755 "$tmp"; then
    alone "$tmp/suid" "$fake" dlsym 100; trace -- "$tmp/suid" "$fake" dlsym 100
    is "a set-uid program: its own result" same
else
    skip "set-uid program: not root"
fi

# 6. Where nothing can be written.
alone "$encoder" "$fake" dlsym 100
saved=$TMPDIR; TMPDIR=/proc
trace -- "$encoder" "$fake" dlsym 100
is "a TMPDIR that takes nothing: /tmp does" has '^tmap trace: 101 calls' "$tmp/err"
is "and the result is the program's" same
TMPDIR=$saved
trace --record /dev/full -- "$encoder" "$fake" dlsym 100
is "a record on a full disk: 2, and words" [ $rc -eq 2 ] && has . "$tmp/err"
is "the program had its output all the same" [ "$(words "$tmp/out")" = "$(words "$tmp/alone")" ]

# 7. Two traces at once, and one inside another.
"$tmap" trace --mode interpose -- "$encoder" "$fake" dlsym 3000 >/dev/null 2>"$tmp/one" &
trace -- "$encoder" "$fake" dlsym 2000
wait $!
is "two traces at once see each its own" has '^tmap trace: 2001 calls' "$tmp/err"
cp "$tmp/one" "$tmp/err"
is "the other too" has '^tmap trace: 3001 calls' "$tmp/err"
"$tmap" trace --mode interpose -- "$tmap" trace --mode interpose -- "$encoder" "$fake" dlsym 100 >"$tmp/out" 2>"$tmp/err"; rc=$?
is "a trace of a trace: the inner one sees all" has '^tmap trace: 101 calls' "$tmp/err"
is "and the result is the program's" same

# 8. Threads that call at once, while others end.
trace -- sh -c "for i in 1 2 3 4 5 6 7 8; do ('$encoder' '$fake' proc 500 >/dev/null; '$encoder' '$fake' nested 500 >/dev/null) & done; wait"
is "eight at once, each two programs: each call is seen" has '^tmap trace: 8016 calls' "$tmp/err"
is "nothing is left behind" clean

# 9. A program without a call: a report for machines is whole all the same.
for f in json jsonl sarif github junit text; do
    trace -f $f -o "$tmp/none.$f" -- true
    is "no call, -f $f: exit code 0" [ $rc -eq 0 ]
    is "no call, -f $f: nothing is unreadable" sh -c '! grep -q "empty\|unreadable\":1" "$1"' sh "$tmp/none.$f"
done
is "no call, -f json: JSON" python3 -c "import json; assert json.load(open('$tmp/none.json'))['results'] == []"
is "no call, -f sarif: SARIF" python3 -c "import json; assert json.load(open('$tmp/none.sarif'))['runs'][0]['results'] == []"
is "no call, -f junit: XML" python3 -c "import xml.dom.minidom; xml.dom.minidom.parse('$tmp/none.junit')"
for f in json jsonl sarif github junit; do
    trace -f $f -o "$tmp/calls.$f" -- "$encoder" "$fake" dlsym 100
    is "calls, -f $f: the program's exit code" [ $rc -eq $own ]
done
is "calls, -f json: the refused one is illegal" python3 -c "
import json
r = json.load(open('$tmp/calls.json'))
assert r['command'] == 'trace' and r['summary']['illegal'] == 1 and r['summary']['records'] >= 2"
is "calls, -f jsonl: a line for each different call" python3 -c "
import json
assert len([json.loads(l) for l in open('$tmp/calls.jsonl')]) == json.load(open('$tmp/calls.json'))['summary']['records']"
trace --exit-code -- "$encoder" "$fake" dlsym 100
is "--exit-code: a refused call is 1" [ $rc -eq 1 ]
trace --exit-code -- true
is "--exit-code without a call: 0" [ $rc -eq 0 ]
trace -o /dev/full -f json -- "$encoder" "$fake" dlsym 100
is "a report on a full disk: 2, and why" [ "$rc$(grep -c '/dev/full: No space left' "$tmp/err")" = 21 ]
trace -o "$tmp/none/report" -- true
is "a report in no folder: 2, and why" [ "$rc$(grep -c 'none/report: No such file' "$tmp/err")" = 21 ]
trace --library "$tmp/none.so" -- true
is "a library that is not there: 2, and its name" [ "$rc$(grep -c 'none.so' "$tmp/err")" = 21 ]
trace -- "$tmp/none"
is "a program that is not there: 127, as a shell" [ "$rc$(grep -c 'none: No such file' "$tmp/err")" = 1271 ]
echo "1..$n"
