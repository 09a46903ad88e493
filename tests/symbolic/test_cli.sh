#!/bin/sh
# condition, guard and diff on the command line: outputs, exit codes, bad input.
tmap=${B:-build}/tmap
n=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
is() { # name, expected exit code, expected text (a fixed string), command...
    name=$1 code=$2 text=$3
    shift 3
    n=$((n + 1))
    "$@" >"$dir/out" 2>&1
    rc=$?
    if [ $rc -eq "$code" ] && grep -qF -- "$text" "$dir/out"; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name (exit $rc)"
        head -20 "$dir/out"
    fi
}
a=examples/symbolic/gemm_a_bf16.json
if "$tmap" condition $a 2>&1 | grep -qi 'built without isl'; then
    echo "ok 1 # SKIP symbolic commands: built without isl"
    exit 0
fi
is 'condition names the congruence' 0 'A: legal if and only if K % 8 = 0' "$tmap" condition $a
is 'condition names the least padding' 0 'least padding: round K up to a multiple of 8' "$tmap" condition $a
is 'assumptions decide' 0 'legal for all parameters' "$tmap" condition $a \
    -a 'K % 8 == 0' -a '1 <= K <= 4096' -a '1 <= M <= 4096'
is 'forall is an exit code' 1 'not legal, for example: K = 1' "$tmap" condition --forall $a
is 'never legal is an exit code' 1 'never legal' "$tmap" condition $a -a 'K == 3'
is 'three operands at once' 0 'N % 8 = 0 and K % 8 = 0' "$tmap" condition --joint \
    examples/symbolic/gemm_abc_bf16.json
is 'jsonl has the isl form' 0 '"isl": "[K, M] -> { : K mod 8 = 0' "$tmap" condition -f jsonl $a
is 'an inferred target says so' 0 'inferred' "$tmap" condition --arch sm_100a $a
is 'a budget that runs out is undecided' 4 'budget of 10 operations' "$tmap" condition --budget 10 $a
# more assumptions than any list of one size holds; the last one decides
awk 'BEGIN { printf "{\"name\":\"A\",\"dtype\":\"bf16\",\"address\":0,\"dim\":[\"K\",64],\"stride\":[\"2*K\"],\"box\":[64,64],\"assume\":["
    for (i = 1; i < 200; i++) printf "\"K >= %d\",", i; print "\"K <= 4096\",\"K % 8 == 0\"]}" }' >"$dir/assume.jsonl"
for more in "" --joint; do
    is "201 assumptions count, $more" 0 'legal for all parameters' "$tmap" condition $more "$dir/assume.jsonl"
done
is 'and make a guard that is always true' 0 'legal if and only if: true' "$tmap" guard "$dir/assume.jsonl"
for i in $(seq 40); do
    echo '{"name":"'$i'","dtype":"bf16","address":0,"dim":["K",64],"stride":["2*K"],"box":[64,64],"assume":["K >= 1","K <= 4096"]}'
done >"$dir/forty.jsonl"
is 'an option counts behind those of 40 records' 0 '40: legal for all parameters' "$tmap" condition -a 'K % 8 == 0' "$dir/forty.jsonl"
is 'a bad assumption says where' 2 'column 4' "$tmap" condition $a -a 'K %% 8'
cat >"$dir/unknown.jsonl" <<'END'
{"name":"dim0","dtype":"bf16","address":"0x7f0000000000","dim":[0,4096],"stride":[8192],"box":[64,128],"swizzle":"128B"}
{"name":"dtype99","dtype":99,"address":"0x7f0000000000","dim":[4096,4096],"stride":[8192],"box":[64,128],"swizzle":"128B"}
{"name":"im2col","kind":"im2col","dtype":"f32","rank":3,"address":"0x7f0000000000","dim":["8796093022207",256,256],"stride":[8192,2097152],"lower":[0],"upper":[0],"channels":32,"pixels":64}
END
is 'check calls these unknown' 4 '0 legal, 0 illegal, 3 unknown' \
    "$tmap" check --contract hardware "$dir/unknown.jsonl"
is 'condition calls them unknown too' 4 'dim0: unknown, and legal for no value' \
    "$tmap" condition --forall --contract hardware "$dir/unknown.jsonl"
is 'their guard says no' 4 'return 0;' "$tmap" guard --contract hardware "$dir/unknown.jsonl"
cat >"$dir/places.jsonl" <<'END'
{"name":"a","dtype":"bf16","dim":["K","M"],"stride":["2*K"],"box":[64,128],"swizzle":"128B"}
{"name":"b","dtype":"bf16","dim":["K","M"],"stride":["2*K"],"box":[64,"B*"],"swizzle":"128B"}
{"name":"c","dtype":"bf17","dim":["K","M"],"stride":["2*K"],"box":[64,128],"swizzle":"128B"}
END
for format in json jsonl; do
    is "$format answers each record in its place" 2 'conditional a,error b,error c' sh -c '
        "$1" condition -f $2 "$3" 2>/dev/null | python3 -c "
import json, sys
text = sys.stdin.read()
all = json.loads(text) if sys.argv[1] == \"json\" else [json.loads(l) for l in text.splitlines()]
print(\",\".join((\"error\" if \"error\" in x else x[\"verdict\"]) + \" \" + x[\"name\"] for x in all))
" $2; "$1" condition "$3" >/dev/null 2>&1' - "$tmap" $format "$dir/places.jsonl"
    is "$format answers what the budget leaves open" 4 '"verdict": "unknown"' \
        "$tmap" condition -f $format --budget 10 $a
done
cat >"$dir/uses.jsonl" <<'END'
{"name":"coord","dtype":"bf16","address":"0x7f0000000000","dim":[4096,4096],"stride":[8192],"box":[64,128],"swizzle":"128B","uses":[{"op":"load","coord":["x",0],"smem":"S","expect_tx":16384}]}
{"name":"bad use","dtype":"bf16","address":"0x7f0000000000","dim":["K",4096],"stride":["2*K"],"box":[64,128],"swizzle":"128B","uses":[{"op":"load","coord":[0,0],"smem":"0x401","expect_tx":1}]}
{"name":"box","dtype":"bf16","address":"0x7f0000000000","dim":[4096,4096],"stride":[8192],"box":[64,"B"],"swizzle":"128B","uses":[{"op":"load","coord":[0,0],"expect_tx":"128*B"}]}
END
is 'coordinates are expressions' 1 'coord: legal if and only if S % 128 = 0' "$tmap" condition "$dir/uses.jsonl"
is 'an illegal use is never legal' 1 'bad use: never legal' "$tmap" condition "$dir/uses.jsonl"
is 'what a box of unknown size moves is a condition' 1 '"condition": "1 <= B <= 256"' \
    "$tmap" condition -f jsonl "$dir/uses.jsonl"
sed -n 1p "$dir/uses.jsonl" >"$dir/coord.json"
is 'coordinates are parameters of the guard' 0 'int tmap_is_legal(int64_t x, int64_t S)' \
    "$tmap" guard "$dir/coord.json"
is 'guard in C' 0 'static inline int ok(int64_t K, int64_t M)' "$tmap" guard --name ok $a
is 'guard in CUDA C' 0 '__host__ __device__' "$tmap" guard --as cuda $a
is 'guard in Python' 0 'def tmap_is_legal(K, M):' "$tmap" guard --as python $a
is 'guard in nothing else' 3 '--as takes' "$tmap" guard --as rust $a
is 'a reserved name' 2 'reserves' "$tmap" guard --name int $a
if "$tmap" diff 13.0 13.0 2>&1 | grep -qi 'built without Z3\|not installed'; then
    echo "ok $((n + 1)) # SKIP diff lists and proves: no Z3"
    exit 0
fi
is 'diff lists what Blackwell adds' 0 'TMA038 atom_swizzle_needs_blackwell' \
    "$tmap" diff sm_90 sm_100
is 'diff proves the rest' 0 'proved: nothing else changes' "$tmap" diff 12.9 13.0
is 'diff as an exit code' 1 'TMA045' "$tmap" diff 12.9 13.0 --exit-code
is 'diff of equals' 0 '0 regions' "$tmap" diff 13.0 13.0 --exit-code
is 'diff of contracts' 0 'TMA030' "$tmap" diff documented driver
is 'diff needs both sides' 3 'say what is compared' "$tmap" diff 12.9
is 'diff of no architecture says which' 3 "did you mean 'sm_90'" "$tmap" diff sm_91 sm_90
is 'diff of no contract says which' 3 "not 'documentd'; did you mean 'documented'?" "$tmap" diff documentd driver
is 'diff of no toolkit' 3 "a toolkit (12.6), an architecture (sm_90)" "$tmap" diff 12.9 12.x
is 'diff of nothing that it knows' 3 "not ''" "$tmap" diff 12.9 ''
is 'diff of 12 and 13: no drivers' 3 "'12' is no driver's branch, and no toolkit's version: 12.0?" "$tmap" diff 12 13
is 'diff of two kinds' 3 "'12.9' is a toolkit, 'documented' is a contract" "$tmap" diff 12.9 documented
is 'diff of a GPU by its name' 0 'TMA' "$tmap" diff H200 B200
is 'diff of drivers' 0 'proved: nothing else changes' "$tmap" diff 550 580
is 'diff of an uncovered toolkit' 4 'no source covers' "$tmap" diff 12.9 19.0
# The witnesses are descriptors that check reads, and judges as said.
"$tmap" diff 12.9 13.0 -f json | python3 -c '
import json, sys
for r in json.load(sys.stdin)["regions"]: print(json.dumps(r["witness"]))' >"$dir/w.jsonl"
is 'check confirms the witness before' 0 '' "$tmap" check --cuda 12.9 "$dir/w.jsonl"
is 'check confirms the witness after' 1 'TMA045' "$tmap" check --cuda 13.0 "$dir/w.jsonl"
is 'check proves a legal verdict' 0 'proved legal' "$tmap" check --prove --cuda 12.9 "$dir/w.jsonl"
is 'check names the rows of a proof' 1 'proved illegal: TMA045' \
    "$tmap" check --prove --cuda 13.0 "$dir/w.jsonl"
cat >"$dir/bad.json" <<'END'
{"name":"A","dtype":"bf16","address":0,"dim":[4096,4096],"stride":[8192],"box":[60,64],"swizzle":"128B"}
END
echo '{"name":"T","tensor":{"dtype":"BFLOAT16","dim":[4096,4096],"stride":[8192]},"tile":[64,64]}' >"$dir/request.json"
is 'solve proves what its copies move' 0 'T: proved that the copies move what was requested' \
    "$tmap" solve --prove "$dir/request.json"
is 'solve proves its plan the first' 0 'views rank before it (isl' \
    "$tmap" solve --prove "$dir/request.json"
is 'repair proves that its plan is least' 0 'fewer than 1 changed field would not do' \
    "$tmap" repair --plans 1 --prove "$dir/bad.json"
is 'repair proves what its copies move' 0 'copies move what was requested, for every tile' \
    "$tmap" repair --plans 1 --prove "$dir/bad.json"
is 'repair proves its cost least in each view' 0 'views cost less (isl' \
    "$tmap" repair --plans 1 --prove "$dir/bad.json"
is 'repair proves its plan legal' 0 'A, repaired: proved legal' \
    "$tmap" repair --plans 1 --prove "$dir/bad.json"
is 'repair of a type that the target lacks' 1 'no plan' \
    "$tmap" repair --plans 1 examples/descriptors/workloads/blackwell/packed-weights.json
