#!/bin/sh
# What `tmap encode --as c` prints compiles in C and in C++, whatever the records are called, and
# tmap decode reads it back.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
result() { # result NAME BAD: passes where BAD is empty
    n=$((n + 1))
    if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | head -9 | sed 's/^/# /'; fi
}
rest='"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}'
for name in class int a_b_5 'a b' a_b a_b 1x 'é' 'x;int y' 'a\nb' "$(printf 'n%.0s' $(seq 200))"; do
    printf '{"name":"%s",%s\n' "$name" "$rest"
done >"$tmp/in.json"
echo "{$rest" >>"$tmp/in.json"
"$B/tmap" encode --as c "$tmp/in.json" >"$tmp/maps.h"
result "an array for each record" "$([ "$(grep -c '^static' "$tmp/maps.h")" = 12 ] || cat "$tmp/maps.h")"
result "it is C99" "$(${CC:-cc} -x c -std=c99 -Wall -Wpedantic -Werror -Wno-unused -fsyntax-only "$tmp/maps.h" 2>&1)"
if command -v "${CXX:-c++}" >/dev/null; then
    result "it is C++11" "$(${CXX:-c++} -x c++ -std=c++11 -Wall -Wpedantic -Werror -Wno-unused -fsyntax-only "$tmp/maps.h" 2>&1)"
else
    n=$((n + 1)); echo "ok $n # SKIP what encode writes in C++: there is no C++ compiler"
fi
"$B/tmap" decode "$tmp/maps.h" >"$tmp/back" 2>&1
result "decode reads it back" "$([ "$(grep -c '"BFLOAT16"' "$tmp/back")" = 12 ] || cat "$tmp/back")"
echo "1..$n"
