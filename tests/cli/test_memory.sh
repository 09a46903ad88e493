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
cat >"$tmp/in.ptx" <<'PTX'
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k()
{
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
    cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
}
PTX
cat >"$tmp/in.log" <<'LOG'
Error: Failed to initialize the TMA descriptor 1
TMA Desc Addr:   0x7ffe31b1a980
format         0
dim            2
gmem_address   0x7f0000000000
globalDim      (4096,300,1,1,1)
globalStrides  (1,4096,0,0,0)
boxDim         (256,300,1,1,1)
elementStrides (1,1,1,1,1)
interleave     0
swizzle        0
l2Promotion    0
oobFill        0
LOG
echo '{"name":"L","dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}' >"$tmp/legal.json"
"$B/tmap" encode --as hex "$tmp/legal.json" >"$tmp/map.hex"


# survive STEP ARGUMENT...: fails each STEP-th allocation of that command (TMAP_ALL=1: each one)
survive() {
    step=${TMAP_ALL:-$1}; shift
    n=$((n + 1)) crashes= lies=
    rm -f "$tmp/count"
    COUNT_TO=$tmp/count LD_PRELOAD=$tmp/fail.so "$B/tmap" "$@" >"$tmp/whole" 2>/dev/null
    code=$? total=$(cat "$tmp/count") at=1 tried=0
    while [ $at -le "$total" ]; do
        for on in '' 1; do
            env FAIL_AT=$at ${on:+FAIL_ON=1} LD_PRELOAD=$tmp/fail.so "$B/tmap" "$@" >"$tmp/out" 2>"$tmp/err"
            got=$?
            if [ $got -ge 128 ]; then crashes="$crashes $at${on:+on}"
            elif [ $got -ne 5 ] && { [ $got -ne $code ] || ! cmp -s "$tmp/out" "$tmp/whole"; } &&
                ! grep -q 'memory\|not proved' "$tmp/out" "$tmp/err"; then lies="$lies $at${on:+on}"; fi
            tried=$((tried + 1))
        done
        at=$((at + step))
    done
    name=$(echo "$*" | sed "s#$tmp/##g")
    if [ -z "$crashes$lies" ]; then echo "ok $n - $name: $tried failures of $total allocations"
    else echo "not ok $n - $name: crashes at${crashes:- none}; says nothing at${lies:- none}"; fi
}
in=$tmp/in.json examples=examples/solve
survive 3 check "$in"
survive 3 check -f jsonl "$in"
survive 9 check -f json "$in"
survive 9 check -f sarif "$in"
survive 3 check -f github "$in"
survive 7 check --arch all "$in"
survive 7 check --from tilelang "$tmp/in.log"
survive 1 check "$tmp/in.ptx"
survive 9 explain TMA014
survive 999 rules -f json
survive 1 encode "$tmp/legal.json"
survive 1 encode -f jsonl "$tmp/legal.json"
survive 1 decode "$tmp/map.hex"
survive 1 decode "$tmp/map.hex" "$tmp/map.hex"
survive 1 layout "$tmp/legal.json"
survive 7 repair "$in"
survive 7 repair -f jsonl "$in"
survive 7 solve $examples/tiles.json
survive 7 pipeline $examples/gemm-ring.json
survive 7 prune $examples/gemm-configs.json
survive 211 condition examples/symbolic/gemm_a_bf16.json
survive 97 guard --as python examples/symbolic/gemm_a_bf16.json
survive 1499 check --prove examples/descriptors/failures/pytorch-167892.json
survive 1 check --baseline tests/golden/check-baseline/before.jsonl "$in"
survive 1 trace --output /dev/null -- /bin/true
survive 1 kernels list tf32 # an image of each library
echo "1..$n"
