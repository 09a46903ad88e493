#!/bin/sh
# A name that does not exist is a usage error that says which one may be meant: commands, options, their values, rules,
# fields of records.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
file=examples/descriptors/failures/triton-6354.json
meant() { # meant NAME CODE COMMAND...
    want=$1 code=$2; shift 2
    n=$((n + 1))
    "$B/tmap" "$@" >"$tmp/said" 2>&1
    if [ $? = "$code" ] && grep -q -- "did you mean '$want'?" "$tmp/said"; then echo "ok $n - tmap $*: $want"
    else echo "not ok $n - tmap $*: $want"; head -2 "$tmp/said" | sed 's/^/# /'; fi
}
meant check 3 chekc
meant --version 3 --versio
meant --from 3 check --fromm x
meant --dim 3 check --shape 64
meant --box 3 layout --block-shape 64
meant --arch 3 rules --gpu B200
meant triton 3 check --from tritn $file
meant driver 3 check --contract drivr $file
meant sm_90a 3 check --arch sm_90aa $file
meant json 3 check -f jsn $file
meant always 3 check --color alway $file
meant never 3 check --progress nevr $file
meant wgmma 3 layout --consumer wgma $file
meant json 3 encode --as jsn $file
meant cupti 3 trace --mode cuptii -- true
meant list 3 kernels lst
meant replay 3 oracle repaly
meant stride 3 explain strde
meant swizzle 3 explain swizle
meant TMA014 3 explain TMA0144
meant bf16 2 check --dtype bf61 --dim 64 --box 64
meant 32B 2 check --dtype bf16 --dim 64 --box 64 --swizzle 12B
echo '{"dtype":"bf16","adress":0,"dim":[64],"box":[64]}' >"$tmp/key.json"
meant address 2 check "$tmp/key.json"
said() { # said WORDS CODE COMMAND...: without a question
    want=$1 code=$2; shift 2
    n=$((n + 1))
    "$B/tmap" "$@" >"$tmp/said" 2>&1
    if [ $? = "$code" ] && head -1 "$tmp/said" | grep -q -- "$want"; then echo "ok $n - tmap $*: $want"
    else echo "not ok $n - tmap $*: $want"; head -2 "$tmp/said" | sed 's/^/# /'; fi
}
said "TMA029 box0" 0 explain tma029
said "TMA029 box0" 0 explain Tma29
said "TMA029 box0" 0 explain 29
said "mention '16'" 0 explain 16
said "no rule 'TMA999'" 3 explain TMA999
"$B/tmap" check --arch B200 --dtype u8 --dim 64 --box 64 >"$tmp/b200" 2>&1
said "record 1: legal" 0 check --arch "rtx 5090" --dtype u8 --dim 64 --box 64
for width in "swizzle 128" "swizzle 128B" "swizzle 3" "interleave 0" "l2-promotion 256"; do
    said "record 1: legal" 0 check --dtype bf16 --dim 4096,8192 --box 64,128 --${width% *} ${width#* }
done
said "TMA007" 1 check --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 256
said "TMA008" 1 check --dtype bf16 --dim 4096,8192 --box 64,128 --l2-promotion 4
n=$((n + 1))
if grep -q 'sm_100a (inferred)' "$tmp/b200"; then echo "ok $n - a GPU's name is its architecture"
else echo "not ok $n - a GPU's name is its architecture"; fi
said 'an expression in bytes, "2\*K"' 2 condition --dtype bf16 --dim K,M --box 64,128
said "which the 128 bytes hold" 2 encode --dtype bf16 --dim 64,64 --box 64,64
echo "1..$n"
