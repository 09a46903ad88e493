#!/bin/sh
# Who may include whom (docs/ARCHITECTURE.md): a folder sees the folders below it, never those above,
# and third-party headers stay in the folders they belong to.
cd "$(dirname "$0")/../.." || exit 2
n=0
result() { # result NAME OFFENDERS
    n=$((n + 1))
    if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | sed 's/^/# /'; fi
}
files() { find "src/$1" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' | sort; }

# folder FOLDER ALLOWED...: every "x/..." that a file of src/FOLDER includes is of an allowed folder; a bare
# name is a file beside it, and ../ one of the folder above
folder() {
    folder=$1; shift
    allowed=$(echo "$*" | tr ' ' '|')
    [ -n "$(files "$folder")" ] || return
    bad=$(files "$folder" | xargs grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
        grep -vE "include[[:space:]]*\"($allowed)(/|\")" | grep -vE 'include[[:space:]]*"[^/"]*"' |
        grep -vE '^src/[a-z]*/[a-z]*/[^:]*:.*include[[:space:]]*"\.\./[^/"]*"')
    result "$folder includes only $*" "$bad"
}
folder rules  rules
folder expr   rules expr tmap/tmap.h
folder core   rules expr core tmap/tmap.h
folder solve  rules expr core solve tmap/tmap.h tmap/solve.h
folder symbolic rules expr core solve symbolic tmap/tmap.h tmap/solve.h tmap/symbolic.h
folder symbolic/poly symbolic/poly tmap/tmap.h tmap/symbolic.h
folder symbolic/isl  symbolic/poly symbolic/isl symbolic/context.h
folder symbolic/smt  rules expr symbolic/poly symbolic/smt symbolic/context.h
folder symbolic/condition rules expr core symbolic/poly symbolic/isl symbolic/context.h symbolic/condition tmap/symbolic.h
folder driver rules expr core driver tmap/tmap.h tmap/driver.h
folder emulate rules expr core solve emulate tmap/tmap.h tmap/protocol.h tmap/emulate.h
folder kernels rules expr core solve driver kernels tmap
# io fills the public structs of symbolic.h, which is types alone to it: it calls nothing there
folder io     rules expr core solve io tmap/tmap.h tmap/solve.h tmap/symbolic.h
folder cli    rules expr core solve symbolic driver emulate kernels io cli tmap

# only HEADER FOLDERS: a system header is included in those folders alone
only() {
    bad=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*<$1" src include |
        grep -vE "^src/($2)/")
    result "<$1...> only in $2" "$bad"
}
only jansson 'io|cli'
only isl 'symbolic'
only z3 'symbolic'
only 'cuda' 'kernels'
only 'stdio' 'expr|core|solve|symbolic|driver|emulate|kernels|io|cli'

bad=$(grep -nE '#[[:space:]]*include' include/tmap/*.h | grep -vE '<std(bool|def|int)\.h>|"tmap/')
result "the public headers need libc alone" "$bad"
echo "1..$n"
