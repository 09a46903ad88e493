#!/bin/sh
# The package libtmap: built from a copy of the tree as a user does (pip install ./src/python, no
# compiler flags that matter), in an environment of its own, then tested. Asks pip's index for cffi
# and setuptools only where the machine has none.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} python=${PYTHON:-python3} tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
skip() { echo "ok 1 # SKIP python package: $1"; echo 1..1; exit 0; }
case $B in *asan* | *tsan*) skip "its modules would need the sanitizer's runtime before Python's" ;; esac
case $B in /*) ;; *) B=$PWD/$B ;; esac
"$python" -c 'import venv, ensurepip' 2>/dev/null || skip "no python3 with venv"
"$python" -m venv --system-site-packages "$tmp/venv" || skip "no environment can be made"
py=$tmp/venv/bin/python
have() { "$py" -c 'import cffi, setuptools, wheel' 2>/dev/null; }
have || timeout 60 "$py" -m pip install -q cffi setuptools wheel >/dev/null 2>&1
have || skip "no cffi or setuptools"

mkdir -p "$tmp/tree/src"
cp -r Makefile include "$tmp/tree/"
for d in rules expr core solve emulate symbolic io python; do cp -r "src/$d" "$tmp/tree/src/"; done
rm -rf "$tmp/tree/src/python/build" "$tmp/tree/src/python/csrc" "$tmp/tree/src/python/"*.egg-info
command -v ccache >/dev/null && CC="ccache ${CC:-cc}" && export CC
if ! LIBTMAP_MANYLINUX=1 CFLAGS='-O1 -g0' "$py" -m pip install -q --no-index --no-build-isolation --no-deps \
    "$tmp/tree/src/python" >"$tmp/log" 2>&1; then
    echo "not ok 1 - pip install ./src/python"
    tail -40 "$tmp/log" | sed 's/^/# /'
    exit 1
fi
for left in build csrc; do
    [ ! -e "$tmp/tree/src/python/$left" ] || { echo "not ok 1 - the install leaves src/python/$left in the tree"; exit 1; }
done
# One wheel for all versions: the limited API, which an interpreter without its lock does not have.
if "$py" -c 'import sys, sysconfig; sys.exit(sys.implementation.name != "cpython" or bool(sysconfig.get_config_var("Py_GIL_DISABLED")))'; then
    grep -q '^Tag: cp39-abi3-' "$tmp"/venv/lib/python3*/site-packages/libtmap-*.dist-info/WHEEL ||
        { echo "not ok 1 - the wheel is for one version of Python"; exit 1; }
fi
# What a wheel built so asks of glibc: nothing newer than manylinux_2_28 has.
if command -v objdump >/dev/null; then
    objdump -T "$tmp"/venv/lib/python3*/site-packages/libtmap/*.so | grep -oE 'GLIBC_2\.[0-9]+' |
        sort -t. -k2 -nu | tail -1 >"$tmp/newest"
    [ "$(cut -d. -f2 "$tmp/newest")" -le 28 ] || { echo "not ok 1 - modules need $(cat "$tmp/newest")"; exit 1; }
fi
export TMAP="$B/tmap" TREE="$PWD"
cd "$tmp" && "$py" "$TREE/tests/python/tap.py" $(cd "$TREE/tests/python" && ls test_*.py | sed 's/[.]py$//')
