#!/bin/sh
# What the libraries export, need and keep: only tmap_ names, only the C library under libtmap, no
# way to end the process or print behind the caller's back, and no mutable global.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0
result() {
    n=$((n + 1))
    if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | sed 's/^/# /'; fi
}
case $B in *asan*) sanitized=1 ;; *) sanitized= ;; esac

# They take a quarter of the time that the first command compiles.
bad=$(nm "$B/tmap" 2>/dev/null | grep -w 'columns_rows_base')
result "the command holds no rows compiled for columns" "$bad"

for lib in libtmap libtmap-symbolic libtmap-emulate libtmap-cuda; do
    bad=$(nm -D --defined-only "$B/$lib.so" | awk '{ print $3 }' | sed 's/@.*//' |
        grep -vE '^(tmap_[a-z0-9_]+|TMAP_[0-9]+)$')
    [ -n "$sanitized" ] && bad=$(echo "$bad" | grep -vE '^(__asan|__ubsan|_ZN|__odr_asan)')
    result "$lib.so exports only tmap_ names" "$bad"
done

for so in "$B"/libtmap-cuda-*.so.*; do
    bad=$(nm -D --defined-only "$so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | grep -vx tmap_code_embedded_at)
    result "$(basename "$so") has images and nothing else" "$bad"
done
for so in "$B"/libtmap*.so.*.*.*; do
    bytes=$(stat -c %s "$so")
    bad=$([ -n "$sanitized" ] || [ "$bytes" -le 12000000 ] || echo "$bytes bytes")
    result "$(basename "$so") takes 12 MB at most" "$bad"
done

# A name with external linkage carries the prefix of what it belongs to, so that a static link
# cannot collide with the program's own.
bad=$(nm --defined-only "$B/libtmap.a" 2>/dev/null | awk '$2 ~ /^[TDBR]$/ { print $3 }' |
    grep -E '^(check|encode|decode|layout|solve|repair|init|error|parse|main)$')
result "libtmap.a has no name that a program would use" "$bad"

needed() { readelf -d "$B/$1.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'; }
bad=$(needed libtmap | grep -vE '^(libc|ld-linux[-a-z0-9_]*)\.so')
[ -n "$sanitized" ] && bad=$(echo "$bad" | grep -vE '^lib(asan|ubsan)')
result "libtmap.so needs the C library alone" "$bad"
bad=$(needed libtmap-cuda | grep -E 'cuda|nvrtc|cupti')
result "libtmap-cuda.so loads the driver at run time, not before" "$bad"
bad=$(needed libtmap | grep -E 'isl|z3|jansson|gmp')
result "libtmap.so links neither isl nor Z3" "$bad"

for lib in libtmap libtmap-symbolic libtmap-emulate libtmap-cuda; do
    bad=$(nm -D --undefined-only "$B/$lib.so" | awk '{ print $2 }' | sed 's/@.*//' |
        grep -xE 'abort|exit|_exit|quick_exit|printf|puts|putchar|perror|stdout|stderr|__assert_fail|__printf_chk')
    # A forked child that could not become the traced program ends itself.
    [ $lib = libtmap-cuda ] && bad=$(echo "$bad" | grep -vx _exit)
    # What the sanitizers' own headers pull in is not ours.
    [ -n "$sanitized" ] && bad=
    result "$lib.so neither ends the process nor prints" "$bad"
done

if [ -z "$sanitized" ]; then
    bad=$(size -A "$B/libtmap.a" | awk '/:$/ || /ex / { file = $1 } ($1 ~ /^\.(data|bss|tdata|tbss)(\.[^r].*)?$/) && $2 > 0 { print file ": " $1 " " $2 " bytes" }')
    result "libtmap has no mutable global" "$bad"
fi
echo "1..$n"
