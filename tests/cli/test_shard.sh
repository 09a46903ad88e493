#!/bin/sh
# --shard I/N: the parts are disjoint and complete: put together they are the whole's bytes, for 1, 2, 7, 64
# parts and more parts than there is work; a part made again is the same.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tmap=$B/tmap
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; tail -5 "$tmp/log" | sed 's/^/# /'; fi
}
parts() { # parts N COMMAND...: the parts' outputs in their order
    of=$1; shift
    for i in $(seq "$of"); do "$tmap" "$@" -f jsonl --shard "$i/$of"; done
}
whole() { # whole NAME COMMAND...
    what=$1; shift
    "$tmap" "$@" -f jsonl >"$tmp/all" 2>/dev/null
    case $what in prune*) sed '$d' "$tmp/all" >"$tmp/whole" ;; *) cp "$tmp/all" "$tmp/whole" ;; esac
    ok "$what: there is work" test "$(wc -l <"$tmp/whole")" -ge 3
    for of in ${OF:-1 2 7 64 997}; do
        [ $of -le 64 ] || [ "$(wc -l <"$tmp/whole")" -lt 997 ] || continue
        parts $of "$@" >"$tmp/parts" 2>/dev/null
        ok "$what: $of parts are the whole" cmp "$tmp/whole" "$tmp/parts"
    done
}
# shellcheck disable=SC2046
whole "check" check $(ls examples/descriptors/failures/*.json examples/descriptors/workloads/attention*.json)
printf '{"name":"a"\n{"dtype":1}\n[]\n' >"$tmp/broken.json"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo '{"dtype":"bf16","address":0,"dim":[64],"box":[64]}'; done >>"$tmp/broken.json"
whole "check of what cannot be read" check "$tmp/broken.json" examples/descriptors/failures/triton-7385.json
whole "prune, a list" prune examples/solve/gemm-configs.json
whole "prune, a space" prune examples/solve/gemm-space.json
# shellcheck disable=SC2046
whole "encode" encode $(ls examples/descriptors/failures/*.json)
# shellcheck disable=SC2046
whole "repair" repair $(ls examples/descriptors/failures/*.json | head -12)
whole "layout" layout examples/descriptors/workloads/attention*.json
for tile in 8,64 64,64 64,128 64,256 128,64 32,32 16,8 64,7 256,256; do
    echo '{"tensor":{"dtype":"bf16","dim":[4096,8192],"stride":[8192]},"tile":['$tile'],"consumer":"wgmma_k_major"}'
done >"$tmp/requests.json"
whole "solve" solve "$tmp/requests.json"
for kind in bf16 e4m3 s8 mxf8; do
    for size in 64 1000 4096; do echo "{\"kind\":\"$kind\",\"m\":$size,\"n\":4096,\"k\":2048}"; done
done >"$tmp/products.json"
whole "tune by the model" tune --model "$tmp/products.json"
for i in 1 2 3 4 5 6 7; do
    ( timeout -s KILL "$([ $i = 3 ] && echo 0.001 || echo 60)" "$tmap" tune --model -f jsonl --shard $i/7 \
        "$tmp/products.json" >"$tmp/tune-$i.new"; [ $? -lt 2 ] && mv "$tmp/tune-$i.new" "$tmp/tune-$i" ) 2>/dev/null
done
[ -e "$tmp/tune-3" ] || { "$tmap" tune --model -f jsonl --shard 3/7 "$tmp/products.json" >"$tmp/tune-3.new"; mv "$tmp/tune-3.new" "$tmp/tune-3"; }
ok "tune: a killed worker's part is done again, nothing twice" sh -c "cat $tmp/tune-[1-7] | cmp - $tmp/whole"
"$tmap" tune -f jsonl "$tmp/products.json" >"$tmp/trial" 2>"$tmp/said"
if [ $? -eq 4 ] || grep -q 'asks no GPU' "$tmp/said"; then
    n=$((n + 1)); echo "ok $n # SKIP tune by trial in parts: $(head -1 "$tmp/said")"
else
    for i in 1 2 3; do "$tmap" tune -f jsonl --cache "$tmp/tune.$i" --shard $i/3 "$tmp/products.json"; done >"$tmp/one" 2>/dev/null
    for i in 1 2 3; do "$tmap" tune -f jsonl --cache "$tmp/tune.$i" --shard $i/3 "$tmp/products.json"; done >"$tmp/two" 2>/dev/null
    ok "tune by trial in parts: what a cache has is not timed again" cmp "$tmp/one" "$tmp/two"
fi
whole "check of another program's log" check tests/golden/check-from-triton/in.log tests/golden/check-from-cutlass/in.log tests/golden/check-from-triton/in.log

fake=$B/tests/driver/libfakecuda.so
export FAKE_CUDA=wrong_bytes
OF="1 7 64"
whole "oracle" oracle run --libcuda "$fake" -n 196608
unset OF
"$tmap" oracle run --libcuda "$fake" -n 196608 --threads 3 -f jsonl >"$tmp/three" 2>/dev/null
ok "oracle: threads change nothing" cmp "$tmp/whole" "$tmp/three"
ok "oracle: disagreements are in their parts" grep -q '"disagreements":\[{' "$tmp/whole"
unset FAKE_CUDA
cp tests/golden/emulate-copy/in.ptx "$tmp/copy.ptx"
whole "emulate" emulate "$tmp/copy.ptx" --block 64 --arg A=u32[64]:index --arg D=u32[64] --expect 'D=copy(A)' \
    --schedule all --seeds 9
"$tmap" tune --model -f jsonl --shard 1/2 - <"$tmp/products.json" >"$tmp/log" 2>&1
ok "what is piped cannot be counted before: a usage error, by - too" test $? -eq 3
"$tmap" emulate --shard 1/2 -f jsonl "$tmp/copy.ptx" --schedule never >/dev/null 2>&1
ok "emulate: an unknown schedule is a usage error" test $? -eq 3

# A worker that is killed in its part leaves no whole line behind that another would say again: its part
# is done again in a file of its own, as the recipe of docs/CI.md does.
echo "killed part" >"$tmp/part-3"
for i in 1 2 3 4 5 6 7; do
    ( timeout -s KILL "$([ $i = 3 ] && echo 0.001 || echo 60)" "$tmap" prune -f jsonl --shard $i/7 \
        examples/solve/gemm-space.json >"$tmp/part-$i.new" && mv "$tmp/part-$i.new" "$tmp/part-$i" ) 2>/dev/null
done
"$tmap" prune -f jsonl --shard 3/7 examples/solve/gemm-space.json >"$tmp/part-3.new" && mv "$tmp/part-3.new" "$tmp/part-3"
"$tmap" prune -f jsonl examples/solve/gemm-space.json | sed '$d' >"$tmp/whole"
ok "a killed worker's part is done again, nothing twice" sh -c "cat $tmp/part-[1-7] | cmp - $tmp/whole"
# The line for GNU parallel in docs/CI.md, as parallel would run it.
line=$(sed -n "s/^ *parallel --retries 3 '\(.*\)' ::: .*/\1/p" docs/CI.md)
(mkdir "$tmp/line" && cp examples/solve/gemm-space.json "$tmp/line/space.json" && PATH=$(cd "$B" && pwd):$PATH && cd "$tmp/line" &&
    for i in $(seq 64); do sh -c "$(echo "$line" | sed "s/{}/$i/g")"; done)
ok "the recipe's parts are the whole, also those without a possible configuration" sh -c \
    "cd $tmp/line && cat \$(seq -f part-%g 64) | cmp - $tmp/whole"
"$tmap" check -f jsonl --shard 1/2 "$tmp/none.json" examples/descriptors/failures/triton-7385.json >/dev/null 2>"$tmp/said"
ok "a file that cannot be opened: exit code 2" test $? -eq 2
ok "and it is said once" test "$(grep -c none.json "$tmp/said")" -eq 1
"$tmap" prune -f jsonl --shard 3/7 examples/solve/gemm-space.json >"$tmp/one"
"$tmap" prune -f jsonl --shard 3/7 examples/solve/gemm-space.json >"$tmp/two"
ok "a part made again is the same" cmp "$tmp/one" "$tmp/two"
for wrong in 0/3 4/3 1/0 1 /3 1/ a/b -1/3 1/-3 1/4294967296; do
    "$tmap" check -f jsonl --shard "$wrong" examples/descriptors/failures/triton-7385.json >/dev/null 2>&1
    ok "--shard $wrong is a usage error" test $? -eq 3
done
"$tmap" check --shard 1/2 examples/descriptors/failures/triton-7385.json >/dev/null 2>&1
ok "other formats have no parts" test $? -eq 3
"$tmap" check -f jsonl --shard 1/2 <"$tmp/broken.json" >/dev/null 2>&1
ok "standard input has no parts" test $? -eq 3
echo "1..$n"
