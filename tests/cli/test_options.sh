#!/bin/sh
# Options as people mistype them: a letter that is none, a value too many or missing, a number out of range, a word
# that is in no name. Each is exit code 3 with words that name the option, and what it takes.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
said() { # said WORDS CODE COMMAND...
    want=$1 code=$2; shift 2
    n=$((n + 1))
    timeout 60 "$B/tmap" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = "$code" ] && head -1 "$tmp/err" | grep -qF -- "$want"; then echo "ok $n - tmap $*: $want"
    else echo "not ok $n - tmap $*: exit code $got, not $code with '$want'"; head -2 "$tmp/err" | sed 's/^/# /'; fi
}
d='--dtype bf16 --dim 64 --box 64'

# --- options
said "there is no option -z" 3 check -zq
said "there is no option -z" 3 check -qz
said "-f needs a value" 3 check -qf
said "--format needs a value" 3 check --format
said "--quiet takes no value" 3 check --quiet=5
said "--c may be --cuda, --contract, --color" 3 check --c
said "--pr may be --prove, --progress" 3 check --pr
said "there is no option --no-such" 3 check --no-such=5
said "not 'us'; did you mean 'use'?" 3 rules --subject us
said "--effect takes violation or advisory, not 'adv'" 3 rules --effect adv
said "--op takes load or store, not 'stor'; did you mean 'store'?" 3 repair --op stor $d
said "--as takes c, cuda or python, not 'rust'" 3 guard --as rust --dtype bf16 --dim K --box 64
said "--color takes auto, always or never" 3 rules --color x
said "--driver takes a branch, 550, not 'x'" 3 rules --driver x
said "--ptx takes a version, 8.4, not '8.x'" 3 rules --ptx 8.x
said "--arch takes an architecture" 3 rules --arch ''

# --- numbers
said "--seed takes a number, not 'x'" 3 oracle run --seed x
said "--budget takes a number, not '-1'" 3 check --budget -1
said "--budget takes a number, not '1e20'" 3 check --budget 1e20
said "--budget takes a number, not '1e99'" 3 check --budget 1e99
said "--budget takes a number, not '1e-2'" 3 check --budget 1e-2
said "--budget takes a number, not '1.5e3'" 3 check --budget 1.5e3
said "--budget takes a number, not '1111111111111111111111111e1'" 3 check --budget 1111111111111111111111111e1
"$B/tmap" check --budget 1e19 --arch sm_90a $d --swizzle 128B >"$tmp/out" 2>"$tmp/err"
n=$((n + 1)); if [ $? = 0 ]; then echo "ok $n - 1e19 fits"; else echo "not ok $n - 1e19 fits"; fi
said "--plans takes 1 to 16, not 0" 3 repair --plans 0 $d
said "--plans takes 1 to 16, not 17" 3 solve --plans 17 --dtype bf16 --dim 64 --tile 64
said "--most takes 1 to 64, not 65" 3 tune --model --most 65
for command in doctor tune "oracle run" "oracle run --processes" "oracle time" "kernels verify" "kernels bench"; do
    # shellcheck disable=SC2086
    said "--device takes 0 to 2147483647, not 4294967296" 3 $command --device 4294967296
done
said "--mib takes 1 to 1048576, not 17592186044417" 3 kernels verify --mib 17592186044417
said "--repeats takes 1 to 101, not 102" 3 kernels bench --repeats 102
said "--repeats takes a number, not 'x'" 3 kernels bench --repeats x
fake=$B/tests/driver/libfakecuda.so
said "--threads takes 0 to 256, not 4294967297" 3 oracle run --libcuda "$fake" --threads 4294967297
said "--count takes 0 to 9223372036854775807" 3 oracle run --libcuda "$fake" -f jsonl -n 18446744073709551615
said "--rows takes 0 to 4294967295, not 4294967296" 3 oracle record --libcuda "$fake" -o "$tmp/c" --rows 4294967296
said "--legal takes 0 to 4294967295" 3 oracle record --libcuda "$fake" -o "$tmp/c" --legal 1e10
said "--rash takes 0 to 4294967295" 3 oracle probe --libcuda "$fake" --rash 1e10
said "there is no such question" 3 oracle probe --libcuda "$fake" --rash 999

# --- operands
said "takes no operand, not 'here'" 3 doctor here
said "takes no operand" 3 rules here
said "which rule?" 3 explain
said "say what to run" 3 trace
said "no case has 'nosuch' in its name" 3 kernels verify nosuch
said "no case has 'nosuch' in its name" 3 kernels bench dense nosuch
said "no case and no image has 'nosuch' in its name" 3 kernels list dense nosuch
said "kernels takes list, verify, bench, scan or table, not ''" 3 kernels
said "scan needs a cubin or a fatbin" 3 kernels scan
said "replay needs a corpus" 3 oracle replay
said "--shard is for oracle run" 3 oracle replay --shard 1/2 x
said "-f jsonl: --shard I/N" 3 oracle run --processes -f jsonl

# --- what tune reads
tune() { # tune WORDS CODE RECORD
    n=$((n + 1))
    echo "$3" | "$B/tmap" tune --model -f jsonl >"$tmp/out" 2>"$tmp/err"
    got=$?
    if [ $got = "$2" ] && grep -qF -- "$1" "$tmp/out"; then echo "ok $n - tune $3: $1"
    else echo "not ok $n - tune $3: exit code $got, not $2 with '$1'"; sed 's/^/# /' "$tmp/out" "$tmp/err"; fi
}
tune '"path":"$.kind"' 2 '{"kind":"bf17","m":1,"n":1,"k":1}'
tune "or mxf8e5m2e4m3, not 'bf17'; did you mean 'bf16'?" 2 '{"kind":"bf17","m":1,"n":1,"k":1}'
tune "missing: bf16, f16" 2 '{"m":1,"n":1,"k":1}'
tune "expected a name: bf16" 2 '{"kind":16,"m":1,"n":1,"k":1}'
tune "expected bf16, f16, f32 or s32, not 'f23'" 2 '{"kind":"bf16","out":"f23","m":1,"n":1,"k":1}'
tune "expected a name: bf16, f16, f32 or s32" 2 '{"kind":"bf16","out":[],"m":1,"n":1,"k":1}'
tune 'missing \"n\"' 2 '{"kind":"bf16","m":1,"k":1}'
tune '"path":"$.k"' 2 '{"kind":"bf16","m":1,"n":1,"k":"all"}'
tune 'expected true or false' 2 '{"kind":"bf16","m":1,"n":1,"k":1,"precise":1}'
tune '"path":"$.a_mn_major"' 2 '{"kind":"bf16","m":1,"n":1,"k":1,"a_mn_major":"yes"}'
tune '"path":"$.b_mn_major"' 2 '{"kind":"bf16","m":1,"n":1,"k":1,"b_mn_major":0}'
tune '"path":"$.d_mn_major"' 2 '{"kind":"bf16","m":1,"n":1,"k":1,"d_mn_major":[]}'
# As the GPU's plan: an H200 has 30 clusters of four at once, not 33.
tune '"cluster_m":1,"cluster_n":2,"split_k":1,"group":8,"clusters":64' 0 '{"kind":"bf16","m":4096,"n":4096,"k":4096}'
tune 'unknown key' 2 '{"kind":"bf16","M":1,"n":1,"k":1}'
tune 'expected a JSON object' 2 '7'
tune 'expected a string' 2 '{"kind":"bf16","m":1,"n":1,"k":1,"name":7}'
tune '"none":"m is 0, not 1 to' 1 '{"kind":"bf16","m":0,"n":1,"k":1}'
tune '"name":"A","kind":"bf16"' 0 '{"kind":"bf16","m":4096,"n":4096,"k":4096,"name":"A"}'
echo '{"kind":"bf16","m":4096,"n":4096,"k":4096,"name":"A"}' | "$B/tmap" tune --model >"$tmp/out"
n=$((n + 1))
if grep -q '^A: bf16 4096 x 4096 x 4096: tile_m .* us by the model$' "$tmp/out"; then echo "ok $n - tune, in words"
else echo "not ok $n - tune, in words"; fi
echo "1..$n"
