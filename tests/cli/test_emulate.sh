#!/bin/sh
# What a launch of tmap emulate is given: an argument, a shape or a number that makes no sense is refused with the
# words that say which, and what would do; what it answers is whole in every format.
cd "$(dirname "$0")/../.." || exit 2
case ${B:=build} in /*) ;; *) B=$PWD/$B ;; esac
n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; head -5 "$tmp/log" | sed 's/^/# /'; fi
}
said() { # said WORDS CODE ARGUMENT...: of the kernel k
    want=$1 code=$2; shift 2
    n=$((n + 1))
    timeout 60 "$B/tmap" emulate "$tmp/k.ptx" "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    if [ $got = "$code" ] && grep -qF -- "$want" "$tmp/err"; then echo "ok $n - $*: $want"
    else echo "not ok $n - $*: exit code $got, not $code with '$want'"; head -3 "$tmp/err" | sed 's/^/# /'; fi
}
cat >"$tmp/k.ptx" <<'PTX'
.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n, .param .u16 h, .param .align 64 .b8 map[128])
.maxntid 256, 1, 1
{
    ret;
}
.visible .entry other(.param .align 8 .b8 pair[16])
{
    ret;
}
PTX
a='--arg A=f32[4]'

# --- buffers
said "not 'f33'; did you mean 'f32'?" 3 --arg 'A=f33[4]'
said "the type of --arg D=float[4] takes bf16, f16, f32" 3 --arg '+D=float[4]'
said "dimension 0 is 0, not 1 to 268435456" 3 --arg 'A=f32[0]'
said "dimension 1 is 65536, not 1 to 16384" 3 --arg 'A=f32[16384,65536]'
said "dimension 2 is 65536, not 1 to 1" 3 --arg 'A=f32[16384,16384,65536]'
said "dimension 0 is -4" 3 --arg 'A=f32[-4]'
said "TYPE[ROWS,COLUMNS]:FILL" 3 --arg 'A=f32[4x]'
said "at most 4 dimensions" 3 --arg 'A=f32[1,1,1,1,1]'
said "TYPE[ROWS,COLUMNS]:FILL" 3 --arg 'A=f32[4'
said "TYPE[ROWS,COLUMNS]:FILL" 3 --arg 'A=f32[4]=one'
said "a name has at most 31 bytes" 3 --arg 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=f32[4]'
said "no-file: No such file" 2 --arg "A=f32[4]:no-file"
said "indx: No such file or directory; what fills a buffer is zero, one, index" 2 --arg 'A=f32[4]:indx'
printf '123456' >"$tmp/six"
said "too short: 6 bytes of the 16 that A holds" 2 --arg "A=f32[4]:$tmp/six"
said "Is a directory" 2 --arg "A=f32[4]:$tmp"
said "--arg takes NAME=VALUE, not 'A'" 3 --arg A
said "k has only 4 parameters" 3 $a --arg n=1 --arg h=1 --arg 'm=map(A,box=4)' --arg more=1
# shellcheck disable=SC2046
said "k has more parameters" 0 $(seq -f '--arg +B%g=u8[1]' 48) # as many as a command has options
# shellcheck disable=SC2046
said "more than 48 options" 3 $(seq -f '--arg +B%g=u8[1]' 49)
for type in bf16 f16 f32 e4m3 e5m2 s8 u8 s32 u32 u64; do
    for fill in zero one index integers random; do printf -- '--expect D=copy(A) --arg A=%s[3]:%s --arg +D=%s[3]:%s\n' $type $fill $type $fill; done
done >"$tmp/fills"
while IFS= read -r line; do # two buffers drawn one after the other differ, but for what is said
    # shellcheck disable=SC2086
    "$B/tmap" emulate "$tmp/k.ptx" $line 2>/dev/null || echo "$line" | grep -q 'random\|integers' || echo "$line"
done <"$tmp/fills" | grep -v 'all 3 elements are right\|^k,\|warp instr\|are wrong' >"$tmp/wrong"
ok "ten types, five fills: two buffers filled alike are alike" test ! -s "$tmp/wrong"

# --- numbers
said "--arg n=4294967299: not a number of 4 bytes" 3 $a --arg n=4294967299
said "not a number of 4 bytes" 3 $a --arg n=-2147483649
said "not a number of 2 bytes" 3 $a --arg n=1 --arg h=65536
said "not a number of 2 bytes" 3 $a --arg n=1 --arg h=1.5
said "not a number of 8 bytes" 3 --arg A=18446744073709551616
said "a parameter of 8 bytes takes a buffer" 3 --arg A=here
said "a parameter of 4 bytes takes a number" 3 $a --arg 'n=f32[4]'
said "a parameter of 4 bytes takes a number" 3 $a --arg n=
said "a parameter of 128 bytes takes a map" 3 $a --arg n=1 --arg h=1 --arg m=1
said "a parameter of 16 bytes takes what no --arg can say" 3 --kernel other --arg p=1
said "k has more parameters" 0 $a --arg n=-2147483648 --arg h=-32768
said "k has more parameters" 0 $a --arg n=4294967295 --arg h=0xffff
said "k has more parameters" 0 --arg A=1.5 --arg n=2.5e3

# --- maps
m="$a --arg n=1 --arg h=1 --arg"
ok "a map is taken" "$B/tmap" emulate "$tmp/k.ptx" $m 'm=map(A,box=4)'
said "there is no buffer B before it" 3 $m 'm=map(B,box=4)'
said "box takes 1 numbers" 3 $m 'm=map(A,box=4x4)'
said "box takes 1 numbers" 3 $m 'm=map(A,box=four)'
said "box takes 1 numbers" 3 $m 'm=map(A,box=4294967300)'
said "TMA025" 3 $m 'm=map(A,box=257)'
said "swizzle takes NONE, 32B" 3 $m 'm=map(A,box=4,swizzle=99B)'
said "a map has box= and swizzle=, not 'bocks=4'" 3 $m 'm=map(A,bocks=4)'
said "a map is map(A,box=64x128,swizzle=128B)" 3 $m 'm=map(A,box=4)x'

# --- the launch
said "the file has no kernel 'K'; did you mean 'k'?" 3 --kernel K
said "--grid takes one to three numbers from 1 to 65535, such as 4,4,1, not '4294967297'" 3 --grid 4294967297
said "--grid takes" 3 --grid 1,1,1,1
said "--block takes one to three numbers from 1 to 1024" 3 --block 0
said "--cluster takes one to three numbers from 1 to 16" 3 --cluster 1,x
said "no launch of --grid 1,1,1 --block 512,1,1" 3 $a --block 512
said "no launch of --grid 3,1,1" 3 $a --grid 3 --cluster 2 --schedule random --seeds 50
ok "once, of 50 runs" test "$(grep -c 'no launch' "$tmp/err")" = 1
said "no launch of" 3 $a --block 512 --protocol -
said "--smem takes 0 to 4294967295, not 4294967296" 3 --smem 4294967296
said "--smem 300000: with what k declares, more than a block has" 3 $a --smem 300000
said "--cta takes a number, not 'x'" 3 --cta x
said "--cta takes 0 to 3, not 4" 3 --grid 2,2 --cta 4 --timeline "$tmp/t.svg"
said "--seeds takes 1 to 4294967295, not 0" 3 --schedule random --seeds 0
said "--seed takes 0 to" 3 --seed 18446744073709551615
said "not 'lates'; did you mean 'latest'?" 3 --schedule lates
said "takes one FILE, not 'k2.ptx' too" 3 k2.ptx
said "--part takes all, ring:N or staging:N, not 'rings'" 3 --protocol - --part rings
said "--part takes" 3 --protocol - --part ring:x
said "--run and --part are of --protocol FILE" 3 --run n=4
said "no --arg of that name" 3 $a --protocol - --run n=4
said "not a number of 4 bytes" 3 $a --arg n=1 --protocol - --run n=4294967296
said "7 at most" 3 $a --arg n=1 --protocol - --run "$(printf '%600d' 0)"
said "--expect takes D=copy(A)" 3 $a --expect 'D=copy(A)'
said "--expect takes D=copy(A)" 3 $a --expect nothing
said "No space left" 2 $a --timeline /dev/full
"$B/tmap" emulate "$tmp/none.ptx" >"$tmp/out" 2>"$tmp/err"
ok "a file that is not there is exit code 2" test $? = 2
ok "and is named" grep -q 'none.ptx: No such file' "$tmp/err"
"$B/tmap" emulate "$tmp" >"$tmp/out" 2>"$tmp/err"
ok "a directory is exit code 2" test $? = 2
printf '.version 8.4\n.target sm_90a\n.address_size 64\n' | "$B/tmap" emulate - >"$tmp/out" 2>"$tmp/err"
ok "a module without a kernel is exit code 3" test $? = 3

# --- what is wrong by no number
printf '\0\0\300\177\0\0\300\177' >"$tmp/nan"
run() { "$B/tmap" emulate "$tmp/k.ptx" --arg "A=f32[2]:$tmp/nan" --arg '+D=f32[2]' --expect 'D=copy(A)' "$@" 2>"$tmp/err"; }
run -f json >"$tmp/out"
ok "an expectation of NaN is exit code 1" test $? = 1
ok "and stays in JSON" python3 -c "
import json, sys
e = json.load(open('$tmp/out'))['expected']
sys.exit(not (len(e) == 1 and e[0]['wrong'] == 2 and e[0]['largest_difference'] is None))"
ok "-f json keeps to docs/schema/emulate.json" sh -c 'tests/cli/validate docs/schema/emulate.json <"$1"' sh "$tmp/out"
for f in text jsonl sarif github junit; do
    run -f $f >"$tmp/out.$f"
    ok "-f $f: exit code 1, and the expectation" grep -q 'D=copy(A)' "$tmp/out.$f"
done
cat >"$tmp/far.ptx" <<'PTX'
.version 8.4
.target sm_90a
.address_size 64
.visible .entry k()
{
    .reg .b32 %r; .reg .b64 %d;
    mov.u64 %d, 0xffffffffffff0000;
    ld.global.u32 %r, [%d];
    ret;
}
PTX
"$B/tmap" emulate "$tmp/far.ptx" -f json >"$tmp/out" 2>"$tmp/err"
ok "an address beyond 2^63 is a string in JSON" python3 -c "
import json, sys
f = json.load(open('$tmp/out'))['findings']
sys.exit(not (len(f) == 1 and f[0]['address'] == str(0xffffffffffff0000)))"
ok "which docs/schema/emulate.json allows" sh -c 'tests/cli/validate docs/schema/emulate.json <"$1"' sh "$tmp/out"
run -f sarif >/dev/full
ok "a full disk is exit code 2" test $? = 2
echo "1..$n"
