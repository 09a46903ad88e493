#!/bin/sh
# What asks isl or Z3 runs in a process of its own: that one's end by force is said, with exit code 5;
# a parent that is told to end takes it along, and ends by that signal.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if ! "$B/tmap" doctor | grep -q '^ok .*Z3'; then
    echo "ok 1 # SKIP the helper process: built without Z3"; echo "1..1"; exit 0
fi
mkfifo "$tmp/in"
# A question that waits for its input: parent and child are there, and nothing else is going on.
begin() {
    "$B/tmap" check --prove "$tmp/in" >"$tmp/out" 2>"$tmp/err" &
    parent=$! child= n=0
    while [ -z "$child" ] && [ $n -lt 50 ]; do
        child=$(grep -ls "^PPid:[[:space:]]*$parent\$" /proc/[0-9]*/status | cut -d/ -f3)
        n=$((n + 1)); sleep 0.1
    done
}
begin
kill -9 "$child"
wait $parent; got=$?
if [ $got = 5 ] && grep -q 'the solver ended without an answer (signal 9)' "$tmp/err"; then
    echo "ok 1 - a helper that is killed is said, exit code 5"
else
    echo "not ok 1 - a helper that is killed is said, exit code 5"
    echo "# exit $got: $(cat "$tmp/err")"
fi
begin
kill $parent
wait $parent; got=$?
n=0
while kill -0 "$child" 2>/dev/null && [ $n -lt 50 ]; do n=$((n + 1)); sleep 0.1; done
if [ $got = 143 ] && ! kill -0 "$child" 2>/dev/null; then
    echo "ok 2 - a parent that is told to end takes its helper along"
else
    echo "not ok 2 - a parent that is told to end takes its helper along"
    echo "# exit $got, child $child"
    kill -9 "$child"
fi
echo "1..2"
