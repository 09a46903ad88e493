#!/bin/sh
# The optional parts that the Makefile finds: those whose headers the compiler has, and no others.
cd "$(dirname "$0")/../.." || exit 2
n=0
result() {
    n=$((n + 1))
    if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | sed 's/^/# /'; fi
}
# found [WORD=VALUE...]: what is found with these settings, whatever this make was itself called with.
found() {
    env -u MAKEFLAGS -u WITH_ISL -u WITH_Z3 -u WITH_JANSSON -u WITH_CMOCKA make -s --no-print-directory WITH_CUDA= "$@" --eval \
        'found: ; @echo isl=$(WITH_ISL) z3=$(WITH_Z3) jansson=$(WITH_JANSSON) cmocka=$(WITH_CMOCKA)' found
}
is() { if [ "$1" = "$2" ]; then :; else echo "'$1', not '$2'"; fi; }

bad=$(is "$(found CC='cc -nostdinc')" "isl= z3= jansson= cmocka=")
result "a compiler without headers has none of the parts" "$bad"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/isl" && : >"$folder/isl/ctx.h"
bad=$(is "$(found CC="cc -nostdinc -I$folder")" "isl=yes z3= jansson= cmocka=")
result "a header makes its own part and no other" "$bad"

bad=$(is "$(found WITH_ISL= WITH_Z3=no CC="cc -nostdinc -I$folder")" "isl= z3=no jansson= cmocka=")
result "what the caller says is not looked for" "$bad"
echo "1..$n"
