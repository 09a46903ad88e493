#!/bin/sh
# Builds every program of examples/ against the headers and the library a user would have, runs it,
# and compares what it prints with tests/examples/NAME.out. BLESS=1 writes that file instead. The
# libraries that a program needs stand in its head; the driver is hidden, so that all machines agree.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} tmp=$(mktemp -d) n=0
trap 'rm -rf "$tmp"' EXIT
export TMAP_LIBCUDA=/nonexistent/libcuda.so.1
case $B in *asan*) flags=-fsanitize=address,undefined ;; *) flags= ;; esac
for source in examples/*.c; do
    name=$(basename "$source" .c)
    n=$((n + 1))
    libs=$(sed -n 's|^ [*] libs: ||p' "$source")
    archives=
    case " $libs " in
    *" tmap-symbolic "*)
        if ! nm "$B/libtmap-symbolic.a" 2>/dev/null | grep -q 'U isl_ctx_alloc'; then
            echo "ok $n # SKIP $name: built without isl"
            continue
        fi
        ;;
    esac
    for lib in $libs tmap; do archives="$archives $B/lib$lib.a"; done
    # shellcheck disable=SC2086
    if ! ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror $flags -Iinclude "$source" \
        -o "$tmp/$name" $archives $(sed -n 's|^ [*] link: \(.*\) [*]/$|\1|p' "$source") 2>"$tmp/log"; then
        echo "not ok $n - $name does not build"
        sed 's/^/# /' "$tmp/log"
        continue
    fi
    "$tmp/$name" >"$tmp/out" 2>&1
    code=$?
    if [ -n "$BLESS" ]; then cp "$tmp/out" "tests/examples/$name.out"; fi
    if [ $code -eq 0 ] && cmp -s "$tmp/out" "tests/examples/$name.out"; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name (exit $code)"
        diff -u "tests/examples/$name.out" "$tmp/out" | sed 's/^/# /'
    fi
    lines=$(wc -l <"$source")
    n=$((n + 1))
    if [ "$lines" -le 60 ]; then echo "ok $n - $name is $lines lines"
    else echo "not ok $n - $name is $lines lines, more than 60"; fi
done
