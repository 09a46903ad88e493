#!/bin/sh
# --timeline draws what the run counted: a box for every copy and tensor core instruction of a block,
# turns for each warp, a mark for every phase; and --schedule all says how far it went.
B=${B:-build}
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
check() {
    n=$((n + 1))
    if [ "$2" = "$3" ]; then echo "ok $n - $1"; else echo "not ok $n - $1: $2, not $3"; fi
}
product() {
    "$B/tmap" emulate tests/data/ptx/triton_product_sm_90.ptx --block 128 --grid 1,1 --smem 65536 \
        --arg '+A=bf16[64,192]:integers' --arg 'a=map(A,box=64x64,swizzle=128B)' --arg m=64 --arg k=192 \
        --arg s=192 --arg t=1 --arg '+B=bf16[64,192]:integers' --arg 'b=map(B,box=64x64,swizzle=128B)' \
        --arg n=64 --arg k2=192 --arg s2=192 --arg t2=1 --arg 'C=f32[64,64]' --arg N=64 --arg K=192 \
        --arg x=0 --arg y=0 "$@"
}
product --format jsonl --timeline "$tmp/t.svg" >"$tmp/out"
boxes() { grep -c "class=\"$1\"" "$tmp/t.svg"; }
counted() { sed "s/.*\"$1\": *\([0-9]*\).*/\1/" "$tmp/out"; }
check "copies" "$(boxes copy)" "$(counted copies)"
check "a tensor core instruction for each warp" "$(boxes multiply)" $((4 * $(counted multiplies)))
check "phases" "$(boxes phase)" "$(counted barrier_phases)"
check "warps" "$(grep -c '>warp [0-9]*</text>' "$tmp/t.svg")" 4
check "the end" "$(tail -n 1 "$tmp/t.svg")" "</svg>"
product --timeline "$tmp/none/t.svg" >/dev/null 2>"$tmp/err"
check "a folder that is not there" "$?:$(grep -c 'No such file' "$tmp/err")" "2:1"
"$B/tmap" emulate tests/golden/emulate-copy/in.ptx --block 64 --arg 'A=u32[64]:index' --arg 'D=u32[64]' \
    --schedule all >"$tmp/all"
check "every order of two warps" "$(grep -c 'runs in chosen orders, no finding: there are no other' "$tmp/all")" 1
"$B/tmap" emulate tests/golden/emulate-copy/in.ptx --block 512 --arg 'A=u32[512]:index' --arg 'D=u32[512]' \
    --schedule all --orders 50 >"$tmp/all"
check "some orders of sixteen" "$(grep -c '50 runs in chosen orders, no finding: every order with up to 0' "$tmp/all")" 1
echo "1..$n"
