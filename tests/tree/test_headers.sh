#!/bin/sh
# Every public header compiles alone, without a warning, in each language it promises.
cd "$(dirname "$0")/../.." || exit 2
n=0 tmp=$(mktemp -d) CC=${CC:-cc} CXX=${CXX:-c++}
trap 'rm -rf "$tmp"' EXIT
for h in include/tmap/*.h; do
    name=$(basename "$h")
    for std in c99 c11 c17 c++11 c++20; do
        n=$((n + 1))
        case $std in c++*) lang=c++ compiler=$CXX ;; *) lang=c compiler=$CC ;; esac
        if ! command -v "$compiler" >/dev/null 2>&1; then
            echo "ok $n # SKIP public header as $std: no $lang compiler"
            continue
        fi
        # twice: the include guard
        printf '#include "tmap/%s"\n#include "tmap/%s"\nint main(void) { return 0; }\n' "$name" "$name" >"$tmp/x"
        if "$compiler" -x $lang -std=$std -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "$tmp/x" 2>"$tmp/err"; then
            echo "ok $n - $name as $std"
        else
            echo "not ok $n - $name as $std"; head -5 "$tmp/err" | sed 's/^/# /'
        fi
    done
done
echo "1..$n"
