#!/bin/sh
# tmap.hpp: built and run by g++ and clang++, in C++17, 20 and 23, with and without exceptions, all
# warnings errors. Twice in one program: nothing is defined twice.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} tmp=$(mktemp -d) n=0
trap 'rm -rf "$tmp"' EXIT
case $B in *asan*) san=-fsanitize=address,undefined ;; *tsan*) san=-fsanitize=thread ;; *) san= ;; esac
isl= libs=
if nm "$B/libtmap-symbolic.a" 2>/dev/null | grep -q 'U isl_ctx_alloc'; then
    isl=-DWITH_ISL libs="$B/libtmap-symbolic.a $B/libtmap.a -lisl -ldl"
fi
: >"$tmp/all"
echo '#include <tmap/tmap.hpp>
#include <tmap/tmap.hpp>
tmap::verdict elsewhere(const tmap::checker &c) { return c.verdict(tmap::descriptor()); }' >"$tmp/other.cpp"
build() { # build COMPILER STD [FLAG]
    label="$1 $2${3:+ $3}"
    # shellcheck disable=SC2086
    if "$1" -std="$2" $3 $san $isl -DLABEL="\"$label\"" -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
        -Werror -Iinclude tests/cpp/use.cpp "$tmp/other.cpp" -o "$tmp/use" $libs "$B/libtmap.a" 2>"$tmp/log"; then
        "$tmp/use" >"$tmp/out" || echo "not ok 0 - $label ended with $?" >>"$tmp/out"
        sed '/^1\.\./d' "$tmp/out" >>"$tmp/all"
    else
        { echo "not ok 0 - $label does not build"; head -20 "$tmp/log" | sed 's/^/# /'; } >>"$tmp/all"
    fi
}
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || { echo "ok 0 # SKIP C++ with $compiler: no $compiler" >>"$tmp/all"; continue; }
    for std in c++17 c++20 c++2b; do
        build $compiler $std
    done
    build $compiler c++17 -fno-exceptions
    build $compiler c++2b -fno-exceptions
done
awk '/^(not )?ok /{ n++; sub(/ok [0-9]+/, "ok " n) } { print } END { print "1.." n }' "$tmp/all"
