#!/bin/sh
# Every allocation of a run fails once, and then every later one too: no crash, and no answer that
# looks whole and is not. A run that succeeds all the same prints what it prints with memory.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case $B in *asan*)
    echo "ok 1 # SKIP failing allocations: the sanitizer brings its own malloc"
    exit 0 ;;
esac
if ! ${CC:-cc} -shared -fPIC -o "$tmp/fail.so" tests/cli/preload/fail_malloc.c 2>"$tmp/log"; then
    echo "not ok 1 - tests/cli/preload/fail_malloc.c does not build"
    sed 's/^/# /' "$tmp/log"
    exit 1
fi
cat >"$tmp/in.json" <<'JSON'
{"name":"A","dtype":"bf16","address":"0x7f0000000000","dim":[64,64],"stride":[130],"box":[64,300],"allow":{"TMA014":"x"}}
{"name":"B","dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"uses":[{"op":"load","coord":[3,0]}],"expect":"legal"}
{"name":"C","boxes":1}
JSON

# survive NAME STEP ARGUMENT...: fails each STEP-th allocation of that command
survive() {
    name=$1 step=$2; shift 2
    n=$((n + 1)) crashes= lies=
    COUNT_TO=$tmp/count LD_PRELOAD=$tmp/fail.so "$B/tmap" "$@" "$tmp/in.json" >"$tmp/whole" 2>/dev/null
    code=$? total=$(cat "$tmp/count") at=1 tried=0
    while [ $at -le "$total" ]; do
        for on in '' 1; do
            env FAIL_AT=$at ${on:+FAIL_ON=1} LD_PRELOAD=$tmp/fail.so "$B/tmap" "$@" "$tmp/in.json" >"$tmp/out" 2>"$tmp/err"
            got=$?
            if [ $got -ge 128 ]; then crashes="$crashes $at"
            elif [ $got -ne 5 ] && { [ $got -ne $code ] || ! cmp -s "$tmp/out" "$tmp/whole"; } &&
                ! grep -q memory "$tmp/out" "$tmp/err"; then lies="$lies $at${on:+on}"; fi
            tried=$((tried + 1))
        done
        at=$((at + step))
    done
    if [ -z "$crashes$lies" ]; then echo "ok $n - $name: $tried failures of $total allocations"
    else echo "not ok $n - $name: crashes at${crashes:- none}; says nothing at${lies:- none}"; fi
}
survive "check" 2 check
survive "check -f jsonl" 2 check -f jsonl
survive "check -f json" 5 check -f json
survive "check -f sarif" 5 check -f sarif
survive "check -f github" 2 check -f github
echo "1..$n"
