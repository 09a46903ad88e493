#!/bin/sh
# Answers that need more than one descriptor's verdict: uses that a plan cannot mend, patches of an array, PTX files and
# baselines as they come, protocols, filters, pages, and what each command says of them. A line: exit code, words, command.
cd "$(dirname "$0")/../.." || exit 2
case ${B:=build} in /*) ;; *) B=$PWD/$B ;; esac
n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tmap=$B/tmap
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; head -5 "$tmp/log" | sed 's/^/# /'; fi
}
said() { # said CODE WORDS COMMAND...: the words are in a line of what it prints
    code=$1 want=$2; shift 2
    n=$((n + 1))
    (cd "$tmp" && timeout 120 "$tmap" "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = "$code" ] && cat "$tmp/out" "$tmp/err" | grep -qF -- "$want"; then echo "ok $n - $*: $want"
    else echo "not ok $n - $*: exit code $got, not $code with '$want'"; head -3 "$tmp/err" "$tmp/out" | cut -c1-200 | sed 's/^/# /'; fi
}
json() { # json NAME ASSERTION: of what was printed last, as d (one document) or lines
    ok "$1" python3 -c "
import json
text = open('$tmp/out').read()
lines = [json.loads(l) for l in text.splitlines() if l] if '\n{' in text else [json.loads(text)]
d = lines[0]
assert $2"
}
file() { cat >"$tmp/$1"; } # file NAME <<...
map='"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]'
bad='"dtype":"bf16","address":0,"dim":[64,64],"stride":[130],"box":[64,64]'

# --- repair
echo "{\"name\":\"U\",$map,\"uses\":[{\"op\":\"load\",\"coord\":[0,0]},{\"op\":\"load\",\"coord\":[0,0,0]}]}" | file use.json
said 1 'U: the descriptor is legal, uses[1] is not: TMA131: 3 coordinates for a map of rank 2' repair use.json
said 1 '"verdict":"illegal","plans":[]' repair -f jsonl use.json
said 1 'uses[1] is not: TMA131' repair --patch use.json
ok "a patch of nothing is an empty one" test "$(cat "$tmp/out")" = "[]"
echo "{$map}" | file legal.json
said 0 'record: legal, nothing to repair' repair legal.json
echo "{$bad,\"uses\":[{\"op\":\"load\",\"coord\":[8,0]},{\"op\":\"load\",\"coord\":[24,16]},{\"op\":\"store\",\"coord\":[0,16]}]}" | file moved.json
said 0 'record:' repair moved.json
said 0 '"shared_layout":"as_requested"' repair -f jsonl --op store moved.json
json "a plan for copies that do not begin on the box's grid" "d['plans'] and all(p['desc'] if 'desc' in p else p for p in d['plans'])"
printf '  \n[{%s},{%s},{%s}]\n' "$bad" "$map" "$bad" | file array.json
said 0 '"path": "/2/stride"' repair --patch array.json
json "an array has one patch, with each record's place" "{s['path'].split('/')[1] for s in lines[0]} == {'0', '2'}"
said 1 'not proved: not a descriptor' repair --prove "$PWD/tests/golden/repair-rank-6/in.json"
said 4 'budget' repair --prove --budget 1 "$PWD/examples/descriptors/failures/flashinfer-2232.json"
said 0 'no plan costs less' repair --op load --dtype bf16 --address 0 --dim 64,64 --stride 130 --box 64,64

# --- check: PTX files
printf '// a comment\n\n/* and\nanother */\n.version 7.8\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n' | file old.txt
said 1 'old.txt:6: .target sm_90a needs .version 8.0' check old.txt
said 3 'a PTX file is checked alone' check old.txt legal.json
said 3 'a PTX file is checked on one --arch' check --arch all old.txt
said 3 'a PTX file has no parts' check --shard 1/2 -f jsonl old.txt
printf '/* never closed .version 8.0' | file open.txt
said 2 'no descriptor in this text' check open.txt
printf '/' | file slash.txt
said 2 'slash.txt' check slash.txt
printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [a], [b, {c, d}], [e];\n}\n' | file k.ptx
for f in json jsonl sarif junit text; do said 0 '' check -f $f k.ptx; done
said 1 'line=6,col=1' check -f github --ptx 7.8 k.ptx
said 0 '1 TMA instruction' check --arch sm_90a k.ptx
said 1 'needs' check --ptx 7.8 k.ptx
said 0 'CUDA 12.4, PTX 8.4' check --cuda 12.4 k.ptx
sed 's/^.version.*/.version 8.0/; /^.target/d' "$tmp/k.ptx" >"$tmp/untargeted.ptx"
said 0 '1 TMA instruction' check untargeted.ptx

# --- check: what was known before
"$tmap" check -f jsonl "$tmp/moved.json" >"$tmp/no-name" 2>/dev/null
echo "{\"name\":\"B\",$bad}" | file b.json
"$tmap" check -f jsonl "$tmp/b.json" >"$tmp/before" 2>/dev/null
said 1 'B' check b.json
said 0 'in the baseline' check --baseline before b.json
printf '\n  \n{"error":"x"}\n{"name":5,"verdict":"illegal","rules":[]}\n' >>"$tmp/before"
cat "$tmp/before" "$tmp/before" | file twice
said 0 'in the baseline' check --baseline twice b.json
said 1 'TMA014' check --baseline no-name b.json
for line in '{' '5' '{"verdict":"illegal"}' '{"rules":[],"verdict":5}' '{"name":"B","verdict":"illegal","rules":[5]}'; do
    echo "$line" | file wrong
    said 2 'wrong:1: not a line of check -f jsonl' check --baseline wrong b.json
done
said 2 'none: cannot be read: No such file' check --baseline none b.json

# --- report
said 2 'none.json' report none.json
said 2 'without a .json file' report /proc/self/fdinfo
said 1 '</html>' report b.json
said 0 '</html>' report --dtype bf16 --dim 64,64 --box 64,64
echo "{\"name\":\"E\",$map,\"expect\":\"illegal\"}" | file unmet.json
said 1 '</html>' report unmet.json
said 4 '</html>' report --cuda 99.0 legal.json
echo '{"boxes":1}' | file key.json
said 2 'unknown key' report key.json
"$tmap" report -f json <"$tmp/b.json" >"$tmp/out" 2>"$tmp/err"
ok "a page of standard input: exit code 1" test $? = 1
json "and its numbers" "d"
printf 'Error: Failed to initialize the TMA descriptor 1\nTMA Desc Addr:   0x7ffe31b1a980\nformat         0\ndim            2\ngmem_address   0x7f0000000000\nglobalDim      (4096,300,1,1,1)\nglobalStrides  (1,4096,0,0,0)\nboxDim         (256,300,1,1,1)\nelementStrides (1,1,1,1,1)\ninterleave     0\nswizzle        0\nl2Promotion    0\noobFill        0\n' | file run.log
said 1 'TMA025' report run.log
said 1 'TMA025' report --from cutlass run.log

# --- condition, guard: what they read
said 0 'the assumptions admit no value' condition --dtype bf16 --dim K,64 --stride '2*K' --box 64,64 -a 'K >= 5' -a 'K <= 4'
said 1 'never legal' condition run.log
said 2 'without a .json file' condition /proc/self/fdinfo
said 2 'none.json' guard none.json legal.json
for i in $(seq 65); do echo "{$map}"; done | file many.json
said 2 'more than 64 descriptors' condition many.json
ok "64 of them are answered" test "$(grep -c 'legal for all\|: legal' "$tmp/out")" = 64
said 2 'unknown key' condition -f json key.json
json "an unreadable record answers in its place" "'error' in lines[0][0]"
said 2 'unknown key' condition --joint key.json

# --- layout
said 3 '--major takes k or mn' layout --consumer wgmma --major x legal.json
said 0 'MN-major' layout --consumer wgmma --major mn --dtype bf16 --dim 64,64 --box 64,64 --swizzle 128B
said 0 'cannot read it in place: ' layout --consumer wgmma --dtype u8 --dim 48,64 --box 48,64
said 0 '"refused_by":"TMA' layout -f jsonl --consumer wgmma --dtype u8 --dim 48,64 --box 48,64
said 1 'record: illegal: tmap check says why' layout --dtype bf16 --dim 64,64 --box 64,300
said 4 'undecided' layout --cuda 99.0 legal.json
said 4 '"verdict":"unknown"' layout --cuda 99.0 -f jsonl legal.json
said 1 '"verdict":"illegal"' layout -f jsonl b.json

# --- rules, explain, help
said 0 'belongs to:' explain TMA001 TMA181
ok "a blank line between two" grep -q '^$' "$tmp/out"
said 0 'legal without the null' explain TMA041
said 0 'no contract; nothing has shown it there' explain TMA155
said 3 "there is no rule 'nosuch'" explain -f json nosuch
said 3 "there is no rule ''" explain ''
said 3 "there is no rule '29x'" explain 29x
said 3 "there is no rule 'tma9999'" explain tma9999
said 0 'TMA014' rules --effect violation
ok "advisories are not among them" sh -c '! grep -q advisory "$1"' sh "$tmp/out"
said 0 'advisory' rules --effect advisory --subject errata
said 0 'TMA110' rules --cuda 12.0 --subject map
said 0 'TMA110' rules --driver 580 --subject map
said 0 'TMA110' rules --ptx 8.4 --subject map
said 0 'rules. A P G D H' rules --contract driver
said 0 'verdict and every violated rule' help check
said 0 'Exit code: 0 legal or done' help
said 0 'Exit code: 0 legal or done' -h
said 3 "there is no command 'nosuch'" help nosuch
said 0 'default target: ' -V

# --- pipeline, prune, solve
ring='"loads":[{"dtype":"bf16","address":0,"dim":[4096,4096],"stride":[8192],"box":[64,16],"swizzle":"128B"}]'
store='"store":{"dtype":"bf16","address":0,"dim":[4096,4096],"stride":[8192],"box":[64,16],"swizzle":"128B"}'
echo "{\"name\":\"P\",\"stages\":9,\"expect_tx\":5,\"store_stages\":2,$store,$ring}" | file ring.json
said 1 'the kernel expects 5: not what lands' pipeline ring.json
ok "the store's buffers have their places" grep -q 'store, buffer 1' "$tmp/out"
said 1 '"name":"P"' pipeline -f jsonl ring.json
echo "{\"stages\":16,\"consumers\":16,$ring}" | file wide.json
said 4 'unknown: proved with' pipeline wide.json
echo "{\"stages\":500,$ring}" | file long.json
said 1 'nearest:' pipeline long.json
echo "{\"stages\":40,\"loads\":[{\"dtype\":\"bf16\",\"address\":0,\"dim\":[4096,4096],\"stride\":[8192],\"box\":[64,128],\"swizzle\":\"128B\"}]}" | file deep.json
said 1 '"nearest":{"load":0,"dim":1,"box":' pipeline -f jsonl deep.json
said 1 'with box[1] of load 0 at most' pipeline deep.json
printf '{"name":"own","protocol":{"rings":{"r":1},"agents":[{"name":"p","block":[{"advance":"r"}]}]}}\n' | file own.json
said 0 '"name":"own"' pipeline -f jsonl own.json
echo "{\"stages\":2,$ring,\"protocol\":{\"rings\":{\"r\":1},\"agents\":[{\"name\":\"p\",\"block\":[{\"advance\":\"r\"}]}]}}" | file both.json
said 0 'protocol: proved for any number of iterations' pipeline both.json
ok "beside the budget of its loads" grep -q '2 stages of 2048 bytes' "$tmp/out"
echo "{\"name\":\"R\",\"loads\":[{$bad}],\"store\":{$bad}}" | file refused.json
said 1 'load 0 is illegal' pipeline refused.json
ok "and the store" grep -q 'store is illegal' "$tmp/out"
said 1 '"name": "R"' pipeline -f json refused.json
configs='"configs":[{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":4,"num_warps":8},{"BLOCK_M":128,"BLOCK_N":128,"BLOCK_K":64,"num_stages":40,"num_warps":8}]'
echo "{\"dtype\":\"bf16\",\"M\":4096,\"N\":4096,\"K\":4096,$configs}" | file configs.json
said 1 '1 of 2 can exist' prune configs.json
said 1 '1 of 2 can exist' prune --possible configs.json
ok "--possible leaves the other out" sh -c '! grep -q TMA1 "$1"' sh "$tmp/out"
said 4 'it is unknown' prune --cuda 99.0 configs.json
said 4 '"unknown":' prune --cuda 99.0 -f jsonl configs.json
said 0 '"possible":' prune --possible -f jsonl "$PWD/examples/solve/gemm-space.json"
ok "--possible of a space: what can exist, and how many" python3 -c "
import json
*configs, last = [json.loads(l) for l in open('$tmp/out')]
assert len(configs) == last['possible'] < last['configs'] and all(c['verdict'] == 'legal' for c in configs)"
cat "$tmp/configs.json" "$tmp/configs.json" | file problems.json
said 3 '--shard takes one problem at a time' prune --shard 1/2 -f jsonl problems.json
said 3 '--shard takes I/N' prune --shard 3/2 -f jsonl configs.json
said 3 '--shard needs -f jsonl' prune --shard 1/2 configs.json
said 3 '--shard needs files' prune --shard 1/2 -f jsonl
said 3 '--shard needs files' check --shard 1/2 -f jsonl -
said 0 '"plans":[' solve -f jsonl --dtype bf16 --address 0 --dim 4096,8192 --tile 64,128 --multicast 2 --op load
said 2 'multicast' solve --dtype bf16 --dim 4096,8192 --tile 64,128 --multicast two
said 1 'no plan: ' solve --dtype bf16 --address 0 --dim 4096,8192 --stride 8192 --tile 64,128 --consumer tcgen05_k_major
echo '{"kind":"bf16","m":128,"n":0,"k":128}' | file product.json
said 1 '128 x 0 x 128: none: n is 0' tune --model product.json
echo "1..$n"
