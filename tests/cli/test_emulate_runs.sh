#!/bin/sh
# What runs of tmap emulate say: products beside sums, findings at their source lines in each format, schedules, parts of
# protocols, pictures; a module that cannot be read, and one that is long.
cd "$(dirname "$0")/../.." || exit 2
case ${B:=build} in /*) ;; *) B=$PWD/$B ;; esac
n=0 tmp=$(mktemp -d) golden=$PWD/tests/golden
trap 'rm -rf "$tmp"' EXIT
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; head -5 "$tmp/log" | cut -c1-200 | sed 's/^/# /'; fi
}
said() { # said CODE WORDS ARGUMENT...
    code=$1 want=$2; shift 2
    n=$((n + 1))
    timeout 120 "$B/tmap" emulate "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ $got = "$code" ] && cat "$tmp/out" "$tmp/err" | grep -qF -- "$want"; then echo "ok $n - $*: $want"
    else echo "not ok $n - $*: exit code $got, not $code with '$want'"; head -3 "$tmp/err" "$tmp/out" | cut -c1-200 | sed 's/^/# /'; fi
}
cat >"$tmp/mm.ptx" <<'PTX'
.version 8.4
.target sm_90a
.address_size 64
.visible .entry mm(.param .u64 A, .param .u64 B, .param .u64 D)
{
    .reg .b64 a, b, d;
    .reg .f32 x, y, s;
    ld.param.u64 a, [A];
    ld.param.u64 b, [B];
    ld.param.u64 d, [D];
    ld.global.f32 x, [a];
    ld.global.f32 y, [b];
    mul.f32 s, x, y;
    st.global.f32 [d], s;
    ret;
}
PTX
mm="$tmp/mm.ptx --arg"
# --- products: one element is right, and what the kernel leaves out is counted
said 0 'D=matmul(A,B): all 1 elements are right' $mm A=f32[1,1]:one --arg B=f32[1,1]:one --arg D=f32[1,1] --expect 'D=matmul(A,B)'
said 0 'D=matmul_nt(A,B): all 1' $mm A=f32[1,1]:random --arg B=f32[1,1]:random --arg D=f32[1,1] --expect 'D=matmul_nt(A,B)'
said 1 '4 of 4 elements are wrong, the first is number 0: 0, not 3' $mm A=f32[2,3]:one --arg B=f32[2,3]:index --arg D=f32[2,2] --expect 'D=matmul_nt(A,B)'
said 1 '"largest_difference":9.0' $mm A=f32[2,3]:one --arg B=f32[3,2]:index --arg D=f32[2,2] --expect 'D=matmul(A,B)' -f jsonl
for shapes in 'A=f32[2,3] B=f32[2,3] D=f32[2,2]' 'A=f32[6] B=f32[3,2] D=f32[2,2]' 'A=f32[2,3] B=f32[6] D=f32[2,2]' \
    'A=f32[2,3] B=f32[3,2] D=f32[4]' 'A=f32[2,3] B=f32[3,2] D=f32[3,2]' 'A=f32[2,3] B=f32[3,3] D=f32[2,2]'; do
    # shellcheck disable=SC2086
    set -- $shapes
    said 3 'whose shapes fit, not D=matmul(A,B)' $mm $1 --arg $2 --arg $3 --expect 'D=matmul(A,B)'
done
said 3 'whose shapes fit, not D=matmul(A,C)' $mm A=f32[1,1] --arg B=f32[1,1] --arg D=f32[1,1] --expect 'D=matmul(A,C)'
said 3 'whose shapes fit, not D=copy(B)' $mm A=f32[1,1] --arg B=f32[2,1] --arg D=f32[1,1] --expect 'D=copy(B)'
said 3 'whose shapes fit, not E=copy(A)' $mm A=f32[1,1] --arg B=f32[1,1] --arg D=f32[1,1] --expect 'E=copy(A)'
for what in 'D=copy(A' 'D=copy(A)+1' 'D=copy(A,B)' 'D=matmul(A,B' 'D=matmul(A,B)T'; do
    said 3 "whose shapes fit, not $what" $mm A=f32[1,1] --arg B=f32[1,1] --arg D=f32[1,1] --expect "$what"
done
said 3 'whose shapes fit, not D=sum(A)' $mm A=f32[1,1] --arg B=f32[1,1] --arg D=f32[1,1] --expect 'D=sum(A)'
# a copy rounds nothing: another number is wrong in each type, and what is no number is right where it stays so
for type in bf16 f16 f32 e4m3 e5m2; do
    said 1 'D=copy(A): 3 of 4 elements are wrong, the first is number 1: 0, not 1' $mm "A=$type[4]:index" --arg "B=f32[1]" --arg "D=$type[4]" --expect 'D=copy(A)'
done

printf '\0\0\300\177' >"$tmp/nan"
said 0 'D=copy(B): all 1 elements are right' $mm A=f32[1]:one --arg "B=f32[1]:$tmp/nan" --arg D=f32[1] --expect 'D=copy(B)'

# --- findings, with the line of their source
race=$golden/emulate-race/in.ptx
sed 's/^\.address_size 64/&\n.file 1 "a<b>\&\\"c\\".cu"/; s/^\( *\)st\./\1.loc 1 7 3\n\1st./' "$race" >"$tmp/loc.ptx"
said 1 '"file":"' "$tmp/loc.ptx" --block 64 --arg D=u32[64] -f jsonl
said 1 'relatedLocations' "$tmp/loc.ptx" --block 64 --arg D=u32[64] -f sarif
ok "sarif is JSON" python3 -c "import json; assert json.load(open('$tmp/out'))['runs'][0]['results']"
cp "$race" "$tmp/a<&%
b.ptx"
said 1 '%25%0Ab.ptx' "$tmp/a<&%
b.ptx" --block 64 --arg D=u32[64] -f github
said 1 '<failure' "$tmp/a<&%
b.ptx" --block 64 --arg D=u32[64] -f junit --schedule all
ok "junit is XML, and has the file's name" python3 -c "
import xml.dom.minidom
assert 'a<&%' in xml.dom.minidom.parse('$tmp/out').getElementsByTagName('testsuite')[0].getAttribute('name')"
said 1 'random 5' "$race" --block 64 --arg D=u32[64] -f junit --schedule random --seed 5
"$B/tmap" emulate -f sarif --block 64 --arg D=u32[64] - <"$race" >"$tmp/out" 2>"$tmp/err"
ok "from standard input, a name all the same" grep -q '"uri": *"stdin"' "$tmp/out"
said 1 'the run was ended' "$race" --block 64 --arg D=u32[64] --budget 5
said 3 '--orders takes a number' "$golden/emulate-copy/in.ptx" --block 64 --arg A=u32[64] --arg D=u32[64] --schedule all --orders x

# --- parts, protocols
ring="$golden/emulate-protocol/in.ptx --kernel ring --block 64 --arg A=u32[640]:one --arg D=u32[32] --arg blocks=3"
said 0 ': agents ' $ring --run blocks=5 --protocol "$tmp/p.json"
ok "the file is a protocol" python3 -c "import json; assert json.load(open('$tmp/p.json'))['protocol']['agents']"
# shellcheck disable=SC2086
"$B/tmap" emulate $ring --protocol "$tmp/q.json" -f jsonl --part all >"$tmp/out" 2>"$tmp/err"
ok "-f jsonl says nothing beside the file, which has one line" test "$(wc -l <"$tmp/q.json"):$(wc -c <"$tmp/out")" = 1:0
said 4 'ring has no staging:0' $ring --protocol - --part staging:0
said 4 'ring has no ring:7' $ring --protocol - --part ring:7
said 3 '--part takes all, ring:N or staging:N, not' $ring --protocol - --part ring:1000
said 3 '--part takes all, ring:N or staging:N, not' $ring --protocol - --part part:1
said 2 'none/p.json: No such file' $ring --protocol "$tmp/none/p.json"
said 2 'No space left' $ring --protocol /dev/full
said 3 'no launch of' $ring --run blocks=5 --cluster 2 --protocol -
said 3 '7 at most' $ring --run blocks=4 --run blocks=4 --run blocks=4 --run blocks=4 --run blocks=4 --run blocks=4 --run blocks=4 --run blocks=4 --protocol -
said 2 'the budget of 3 warp instructions is spent' $ring --budget 3 --protocol -

# --- modules
echo 'hello' >"$tmp/hello.ptx"
said 2 'hello.ptx:1: ' "$tmp/hello.ptx"
{ cat "$tmp/mm.ptx"; for i in $(seq 3000); do echo "// a line that makes the module long, number $i"; done; } >"$tmp/long.ptx"
said 0 'every thread left' "$tmp/long.ptx" --arg A=f32[1] --arg B=f32[1] --arg D=f32[1]
printf '.version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry big(.param .align 8 .b8 a[4000], .param .align 8 .b8 b[4000], .param .align 8 .b8 c[4000], .param .u64 d)\n{\nret;\n}\n' >"$tmp/big.ptx"
echo "1..$n"
