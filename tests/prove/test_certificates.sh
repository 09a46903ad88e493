#!/bin/sh
# What --keep leaves: a file for each question, whatever the records are called; the questions of
# moves hold again in isl, and cvc5 and Z3 read every line of the others and do not disagree.
# `make prove` does the same with every example (tests/prove/replay).
tmap=${B:-build}/tmap
here=$(dirname "$0")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0
result() { # result CODE NAME
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' "$dir/out"; fi
}
cat >"$dir/same.jsonl" <<'END'
{"name":"../../x","dtype":"BFLOAT16","address":"0x7f0000000000","dim":[4096,4096],"stride":[8192],"box":[64,128],"swizzle":"128B"}
{"name":"../../x","dtype":"BFLOAT16","address":"0x7f0000000001","dim":[4096,4096],"stride":[8192],"box":[64,128],"swizzle":"128B"}
{"name":"wide","kind":"im2col","dtype":"BFLOAT16","address":"0x7f0000000000","dim":[64,56,56,8],"stride":[128,7168,401408],"lower":[-1,-1],"upper":[-1,-1],"channels":128,"pixels":1024,"swizzle":"NONE"}
{"name":"part","dtype":"BFLOAT16","address":"0x7f0000000000","dim":[4096,4096],"stride":[8192],"box":[64,300],"swizzle":"128B","allocation":{"base":"0x7f0000000000","bytes":4096}}
{"name":"U","dtype":"BFLOAT16","address":"0x7f0000000000","dim":[4096,4096],"stride":[8192],"box":[64,128],"swizzle":"128B","uses":[{"op":"load","coord":[0,0],"smem":"0x401","expect_tx":1}]}
END
mkdir "$dir/check" "$dir/repair" "$dir/solve"
"$tmap" check -q --prove --keep "$dir/check" "$dir/same.jsonl" >/dev/null 2>"$dir/out"
if grep -qi 'built without\|not installed' "$dir/out"; then
    echo "ok 1 # SKIP certificates: built without isl or Z3"
    echo "1..1"
    exit 0
fi
[ "$(ls "$dir/check" | wc -l)" -eq 5 ] && [ "$(grep -c ': proved ' "$dir/out")" -eq 5 ]
result $? 'each record keeps its certificate, of equal names too'
grep -q 'U, the descriptor alone: proved legal' "$dir/out"
result $? 'a proof says that it is not about the uses'
"$tmap" check --prove --keep "$dir/$(printf '%0700d' 0)" "$dir/same.jsonl" >/dev/null 2>"$dir/out"
[ $? -eq 2 ] && grep -q 'cannot write' "$dir/out"
result $? 'a folder of 700 characters is an error in words'
if [ -w /dev/full ]; then
    mkdir "$dir/full" && ln -s /dev/full "$dir/full/0001-______x.smt2"
    "$tmap" check -q --prove --keep "$dir/full" "$dir/same.jsonl" >/dev/null 2>"$dir/out"
    [ $? -eq 2 ] && grep -q 'cannot write' "$dir/out"
    result $? 'a full disk is an error in words'
fi
echo '{"name":"A","dtype":"bf16","address":0,"dim":[4096,4096],"stride":[8192],"box":[60,64],"swizzle":"128B"}' >"$dir/bad.json"
echo '{"name":"T","tensor":{"dtype":"BFLOAT16","dim":[4096,4096],"stride":[8192]},"tile":[64,64]}' >"$dir/request.json"
"$tmap" repair --plans 1 --prove --keep "$dir/repair" "$dir/bad.json" >/dev/null 2>"$dir/out" &&
    ls "$dir/repair" | grep -q isl && ls "$dir/repair" | grep -q smt2
result $? 'repair keeps its questions'
"$tmap" solve --prove --keep "$dir/solve" "$dir/request.json" >/dev/null 2>"$dir/out" &&
    ls "$dir/solve" | grep -q isl && ls "$dir/solve" | grep -q smt2
result $? 'solve keeps its questions'
if [ -x "${B:-build}/tests/prove/replay_isl" ]; then
    "${B:-build}/tests/prove/replay_isl" "$dir"/repair/*.isl "$dir"/solve/*.isl >"$dir/out"
    result $? "$(tail -1 "$dir/out")"
fi
"$here/replay_smt.py" --limit 5000 "$dir"/check/*.smt2 "$dir"/repair/*.smt2 "$dir"/solve/*.smt2 >"$dir/out" 2>&1
code=$?
if [ $code -eq 77 ]; then
    n=$((n + 1))
    echo "ok $n # SKIP cvc5 and Z3 read the certificates: no cvc5 and no Z3 to replay with"
else
    result $code 'cvc5 and Z3 read the certificates and agree'
    sed 's/^/# /' "$dir/out"
fi
echo "1..$n"
