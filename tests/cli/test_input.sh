#!/bin/sh
# Where descriptors come from: options, directories, logs of other programs; every command that reads
# descriptors takes all of them.
cd "$(dirname "$0")/../.." || exit 2
tmap=${B:-build}/tmap
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0
ok() { # ok NAME COMMAND...
    n=$((n + 1))
    name=$1
    shift
    if "$@" >"$tmp/out" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; sed 's/^/# /' "$tmp/out"; fi
}
code() { wanted=$1; shift; "$@"; [ $? = "$wanted" ]; }
same() { # same FILE COMMAND... : its answer is the file's
    wanted=$1; shift
    "$@" >"$tmp/answer" 2>/dev/null
    diff "$wanted" "$tmp/answer"
}

# --- a descriptor said by options is the one that JSON says
echo '{"kind":"im2col","dtype":"fp16","address":"0x7f0000000000","dim":[64,28,28,8],"stride":[128,3584,100352],"lower":[-1,-1],"upper":[-1,-1],"channels":64,"pixels":64,"elem_stride":[1,1,1,1],"swizzle":"128B"}' >"$tmp/conv.json"
conv='--kind im2col --dtype fp16 --address 0x7f0000000000 --dim 64,28,28,8 --stride 128,3584,100352 --lower -1,-1 --upper -1,-1 --channels 64 --pixels 64 --elem-stride 1,1,1,1 --swizzle 128B'
for command in check encode layout repair; do
    "$tmap" $command -f jsonl "$tmp/conv.json" >"$tmp/wanted" 2>/dev/null
    ok "$command: options say what JSON says" same "$tmp/wanted" "$tmap" $command -f jsonl $conv
done
ok "there is an answer to compare" grep -q '"view"\|plans\|verdict\|\[' "$tmp/wanted"
two='--dtype bf16 --dim 4096,8192 --box 64,128'
ok "a legal one is exit code 0" code 0 "$tmap" check $two --swizzle 128B
ok "an illegal one is exit code 1" code 1 "$tmap" check $two --stride 8200
"$tmap" check $two >"$tmp/text"
ok "dense strides are said" grep -q 'stride not given: those of a dense tensor, 8192' "$tmp/text"
ok "a missing address is said" grep -q 'address not given' "$tmp/text"
"$tmap" solve --dtype bf16 --dim 4096,8192 --tile 64,128 --consumer wgmma_k_major -f jsonl >"$tmp/solve"
echo '{"tensor":{"dtype":"bf16","dim":[4096,8192]},"tile":[64,128],"consumer":"wgmma_k_major"}' |
    "$tmap" solve -f jsonl >"$tmp/asked"
ok "a tile is said by options" cmp "$tmp/solve" "$tmp/asked"
ok "and not beside a file" sh -c "! $tmap solve --tile 64 --dtype bf16 --dim 64 $tmp/asked 2>/dev/null"
ok "a tile that is not there is asked for" sh -c "$tmap solve --dtype bf16 --dim 64 2>&1 | grep -q 'tile: expected an array'"
ok "encode needs an address" code 2 "$tmap" encode $two
ok "a wrong name is unreadable" code 2 "$tmap" check $two --swizzle 129B
ok "a missing field is unreadable" code 2 "$tmap" check --dim 64,64
ok "options and a file exclude each other" code 3 "$tmap" check $two "$tmp/conv.json"
ok "the last of two options counts" code 0 "$tmap" check $two --stride 8200 --stride 8192
ok "null is a NULL pointer" code 1 "$tmap" check $two --stride null
ok "im2col_wide has one number for a corner" code 0 "$tmap" check --arch sm_100a --kind im2col_wide \
    --dtype fp16 --dim 64,28,28,8 --mode W --lower -1 --upper -1 --channels 64 --pixels 64 --swizzle 128B
ok "--help lists the fields" sh -c '"$1" check --help | grep -q -- "--elem-stride "' sh "$tmap"

# --- directories: their *.json files, by name
mkdir "$tmp/d" "$tmp/d/deeper.d" "$tmp/empty"
for name in b a; do
    echo '{"name":"'$name'","dtype":"bf16","address":4096,"dim":[64,64],"box":[64,64]}' >"$tmp/d/$name.json"
done
echo 'no JSON' >"$tmp/d/notes.txt"
for command in check encode layout repair; do
    "$tmap" $command -f jsonl "$tmp/d/a.json" "$tmp/d/b.json" >"$tmp/wanted" 2>/dev/null
    ok "$command: a directory is its .json files" same "$tmp/wanted" "$tmap" $command -f jsonl "$tmp/d"
done
"$tmap" check -f junit "$tmp/d" >"$tmp/junit" 2>/dev/null
ok "junit names the files of a directory" grep -q "testsuite name=.*b.json" "$tmp/junit"
for command in condition guard report; do
    "$tmap" $command "$tmp/d/a.json" "$tmp/d/b.json" >"$tmp/wanted" 2>/dev/null
    ok "$command: a directory is its .json files" same "$tmp/wanted" "$tmap" $command "$tmp/d"
done
ok "a directory without any is exit code 2" code 2 "$tmap" check "$tmp/empty"

# --- logs: told from JSON without --from
cat >"$tmp/run.log" <<'LOG'
step 7 of 9
TMA Desc Addr:   0x7ffd5a2b3c40
format         9
dim            2
gmem_address   0x7f0000000000
globalDim      (4096,8192,1,1,1)
globalStrides  (2,8200,0,0,0)
boxDim         (64,128,1,1,1)
elementStrides (1,1,1,1,1)
interleave     0
swizzle        3
l2Promotion    0
oobFill        0
Error: Failed to initialize the TMA descriptor 1
LOG
for command in check encode layout repair; do
    "$tmap" $command -f jsonl --from cutlass "$tmp/run.log" >"$tmp/wanted" 2>/dev/null
    ok "$command: a log is told from JSON" same "$tmp/wanted" "$tmap" $command -f jsonl "$tmp/run.log"
done
ok "the log's stride is blamed" grep -q '"stride"\|8192\|8208' "$tmp/wanted"
ok "check: and found illegal" code 1 "$tmap" check "$tmp/run.log"
ok "JSON with a log's words in it is JSON" sh -c '
    echo "{\"name\":\"TMA Desc Addr: 1\",\"dtype\":\"bf16\",\"dim\":[64,64],\"box\":[64,64]}" | "$1" check' sh "$tmap"
ok "an unknown program is exit code 3" code 3 "$tmap" layout --from gcc "$tmp/run.log"
echo "1..$n"
