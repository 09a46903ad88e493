#!/bin/sh
# Golden tests of the command. A directory of tests/golden is one test:
#   cmd   one shell command, run in that directory with `tmap` on the path; its input lies beside it
#   out   what it prints;  err  its messages (absent: none);  code  its exit code (absent: 0)
# BLESS=1 writes out, err and code instead of comparing (`make bless`).
cd "$(dirname "$0")/../golden" || exit 2
top=$(cd ../.. && pwd)
case ${B:=build} in /*) ;; *) B=$top/$B ;; esac
[ -x "$B/tmap" ] || { echo "not ok 1 - there is no $B/tmap"; exit 1; }
PATH=$B:$PATH LC_ALL=C COLUMNS=100
export PATH LC_ALL COLUMNS
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

expected() { # expected FILE DEFAULT: the file's content, or the default
    if [ -f "$1" ]; then cat "$1"; else printf '%s' "$2"; fi
}
for dir in */; do
    name=${dir%/}
    [ -f "$name/cmd" ] || continue
    (cd "$name" && sh ./cmd >"$tmp/out" 2>"$tmp/err" </dev/null)
    echo $? >"$tmp/code"
    n=$((n + 1))
    if [ -n "$BLESS" ]; then
        cp "$tmp/out" "$name/out"
        if [ -s "$tmp/err" ]; then cp "$tmp/err" "$name/err"; else rm -f "$name/err"; fi
        if [ "$(cat "$tmp/code")" != 0 ]; then cp "$tmp/code" "$name/code"; else rm -f "$name/code"; fi
        echo "ok $n - $name (written)"
        continue
    fi
    why=
    expected "$name/code" "0
" | cmp -s - "$tmp/code" || why="exit code $(cat "$tmp/code")"
    expected "$name/err" "" | cmp -s - "$tmp/err" || why="$why err"
    expected "$name/out" "" | cmp -s - "$tmp/out" || why="$why out"
    if [ -z "$why" ]; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name: $why differs"
        for f in out err; do
            expected "$name/$f" "" | diff -u - "$tmp/$f" | cut -c1-240 | head -20 | sed 's/^/# /'
        done
    fi
done
