#!/bin/sh
# encode, decode, oracle and doctor as commands: forms, exit codes, words; a stand-in for libcuda.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} tmap=${B:-build}/tmap fake=$PWD/${B:-build}/tests/driver/libfakecuda.so
n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
is() { # is NAME CONDITION...
    n=$((n + 1)); name=$1; shift
    if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; sed 's/^/# /' "$tmp/err" | head -5; fi
}
run() { "$tmap" "$@" >"$tmp/out" 2>"$tmp/err"; rc=$?; }
has() { grep -q -- "$@"; }

cat >"$tmp/in" <<'END'
{"name":"A","dtype":"BFLOAT16","address":"0x7f0000000000","dim":[4096,8192],"stride":[8192],"box":[64,128],"swizzle":"128B"}
{"name":"B","dtype":"FLOAT32","address":"0x7f0000000000","dim":[4096,8192],"stride":[16384],"box":[32,64],"elem_stride":[1,3]}
END
echo '{"name":"bad","dtype":"BFLOAT16","address":8,"dim":[64],"stride":[],"box":[63]}' >"$tmp/bad"
echo '{"dtype":"bf16","boxes":1}' >"$tmp/key"
echo '{"name":"fp4","dtype":"16U4_ALIGN8B","address":0,"dim":[64,64],"stride":[32],"box":[32,8]}' >"$tmp/fp4"

# --- encode and decode
for form in hex bin json; do
    run encode --as $form "$tmp/in"; cp "$tmp/out" "$tmp/maps.$form"
    is "encode --as $form" [ $rc -eq 0 ]
    run decode "$tmp/maps.$form"
    is "decode reads what --as $form writes" [ "$rc$(grep -c '^{' "$tmp/out")" = 02 ]
    sed '/^ /d' "$tmp/out" >"$tmp/back.$form"
done
is "the three forms decode to the same fields" cmp -s "$tmp/back.hex" "$tmp/back.bin"
is "and json too" cmp -s "$tmp/back.hex" "$tmp/back.json"
is "encode --as bin: 128 bytes a map" [ "$(wc -c <"$tmp/maps.bin")" -eq 256 ]
run decode "$tmp/maps.hex"
is "the driver's own box bytes are said to be another figure" has 'derived: driver.box_bytes' "$tmp/out"
"$tmap" encode --as bin "$tmp/back.bin" >"$tmp/again" 2>"$tmp/err"
is "what decode prints encodes to the same bytes" cmp -s "$tmp/again" "$tmp/maps.bin"
run encode --as c "$tmp/in"
(cat "$tmp/out"; echo 'int main(void){return map_A[1] != 0x0000020000006510ULL || map_B[0] == 0;}') >"$tmp/c.c"
is "encode --as c compiles and holds the words" sh -c "${CC:-cc} -std=c11 -o $tmp/c $tmp/c.c && $tmp/c"
run encode --format jsonl "$tmp/in" "$tmp/bad"
is "encode --format jsonl: words, or the rules" [ "$(grep -c '"words"' "$tmp/out")$(grep -c '"rules":\["TMA018","TMA026"\]' "$tmp/out")" = 21 ]
is "encode of what the driver refuses: exit code 1" [ $rc -eq 1 ]
run encode "$tmp/bad"
is "and says why" has 'bad: TMA018: .*address' "$tmp/err"
echo '{"name":"many","dtype":"bf16","address":0,"dim":[64,64,64],"stride":[130,8330],"box":[64,300,1]}' >"$tmp/many"
run encode "$tmp/many"
is "every one of them, two of one rule too" has 'TMA014: stride\[0\].*; TMA014: stride\[1\].*; TMA025: box\[1\]' "$tmp/err"
echo '{"kind":"im2col","dtype":"fp16","address":0,"dim":[64,28,28,8],"stride":[128,3584,100352],"lower":[-1,-2],"upper":[-1,-1],"channels":64,"pixels":64}' >"$tmp/conv"
"$tmap" encode --as bin "$tmp/conv" >"$tmp/wide"
run encode --arch sm_100a "$tmp/fp4"
is "encode of a packed type" [ $rc -eq 0 ]
sed 's/"dtype"/"swizzle":"128B_ATOM_32B", "dtype"/' "$tmp/fp4" >"$tmp/atoms"
run encode --arch sm_100a "$tmp/atoms"
is "bytes that nobody has seen are not made up: exit code 4" [ $rc -eq 4 ]
run encode --as rot13 "$tmp/in"
is "encode --as rot13: usage" [ $rc -eq 3 ]
head -c 128 "$tmp/maps.bin" >"$tmp/a"; tail -c 128 "$tmp/maps.bin" >"$tmp/b"
run decode "$tmp/a" "$tmp/b"
is "decode A B lists the differing fields" [ "$(grep -c ' -> ' "$tmp/out")" -eq 8 ]
is "differences are exit code 0" [ $rc -eq 0 ]
run decode --exit-code "$tmp/a" "$tmp/b"
is "or 1 with --exit-code" [ $rc -eq 1 ]
run decode --exit-code "$tmp/a" "$tmp/a"
is "equal maps: exit code 0 and words" [ "$rc$(cat "$tmp/out")" = "0the same bytes" ]
run decode --patch "$tmp/a" "$tmp/b"
is "decode --patch: tensormap.replace" [ "$(grep -c '^tensormap.replace.tile' "$tmp/out")" -eq 6 ]
run decode --patch -f jsonl "$tmp/a" "$tmp/b"
is "decode --patch -f jsonl: the same steps, as JSON" python3 -c "
import json
steps = [json.loads(l) for l in open('$tmp/out')]
assert len(steps) == 6 and all(int(s['value'], 16) >= 0 for s in steps) and any('ordinal' in s for s in steps)"
run decode -f json "$tmp/a" "$tmp/b"
is "decode A B -f json: indented" has '^  "field": ' "$tmp/out"
for more in "" --patch; do
    run decode $more "$tmp/a" "$tmp/maps.bin"
    is "decode $more of three maps, for a pair: usage" [ "$rc$(grep -c 'two maps are compared, here are 3' "$tmp/err")" = 31 ]
done
run decode --patch "$tmp/a" "$tmp/wide"
is "decode --patch to what no instruction writes: exit code 1, and why" [ "$rc$(grep -c 'no plan: ' "$tmp/err")" = 11 ]
run decode "$tmp/a" "$tmp/wide"
is "decode A B of two kinds: what one of them lacks is a dash, corners have signs" [ "$rc$(grep -cE ' -> -$|-> -[0-9]' "$tmp/out" | sed 's/[1-9][0-9]*/+/')" = 0+ ]
run decode - <"$tmp/a"
is "decode - reads standard input" [ "$rc$(grep -c '^{' "$tmp/out")" = 01 ]
run decode "$tmp/none" "$tmp/a"
is "decode of no file: exit code 2, and why" [ "$rc$(grep -c 'none: No such file' "$tmp/err")" = 21 ]
run decode "$tmp"
is "decode of a folder: exit code 2, and why" [ "$rc$(grep -c ': Is a directory' "$tmp/err")" = 21 ]
run decode /dev/zero
is "decode of a device without an end: exit code 2" [ "$rc$(grep -c 'more than 67108863 bytes' "$tmp/err")" = 21 ]
run decode --patch --cuda 12.4 "$tmp/a" "$tmp/b"
is "before 12.5 a stride is in 16 bytes" has 'global_stride.* 0x400;' "$tmp/out"
printf 'short' >"$tmp/short"; run decode "$tmp/short"
is "decode of something else: exit code 2" [ $rc -eq 2 ]
head -c 128 /dev/zero | tr '\0' '\377' >"$tmp/ones"; run decode "$tmp/ones"
is "bytes that nobody made: exit code 1, listed" [ $rc -eq 1 ]
is "with the reserved bits" has 'impossible: reserved' "$tmp/out"

# --- oracle
run oracle run --libcuda "$fake" -n 50000 --threads 1
is "oracle run: no disagreement, exit code 0" has '^verdict disagreements  0$' "$tmp/out"
FAKE_CUDA=wrong_bytes "$tmap" oracle run --libcuda "$fake" -n 4000 --threads 1 --format json >"$tmp/out" 2>"$tmp/err"; rc=$?
is "oracle run --format json: a disagreement is exit code 1" [ $rc -eq 1 ]
is "and is JSON" python3 -c "import json,sys; r=json.load(open('$tmp/out')); sys.exit(not r['disagreements'][0]['descriptor'])"
run oracle run --libcuda /nonexistent -n 10
is "oracle run without a driver: exit code 2" [ $rc -eq 2 ]
is "and words" has 'no driver to ask: .*cannot be loaded' "$tmp/err"
run oracle replay tests/golden/h200-580.bin
is "oracle replay: the recorded corpus, 0 differences" has '0 verdicts differ, 0 maps differ' "$tmp/out"
run oracle replay --case 10740 tests/golden/h200-580.bin
is "oracle replay --case" has 'case 10740: the driver answered 1' "$tmp/out"
run oracle replay "$tmp/short"
is "oracle replay of something else: exit code 2" [ $rc -eq 2 ]
run oracle replay --case 99999999 tests/golden/h200-580.bin
is "a case that is not there: exit code 3, and how many there are" has 'there is no case 99999999, of [0-9]* from 0 on' "$tmp/err"
head -c 100000 tests/golden/h200-580.bin >"$tmp/cut"
for more in "" "--case 99999999"; do
    run oracle replay $more "$tmp/cut"
    is "oracle replay $more of a corpus cut short: exit code 2" [ "$rc$(grep -c 'cut: not a whole corpus' "$tmp/err")" = 21 ]
    run oracle replay $more "$tmp/none"
    is "oracle replay $more of no file: exit code 2, and why" [ "$rc$(grep -c 'none: No such file' "$tmp/err")" = 21 ]
done
run oracle replay "$tmp/short" tests/golden/h200-580.bin
is "and the next corpus is replayed" has '0 verdicts differ' "$tmp/out"
run oracle replay --case 3 tests/golden/h200-580.bin tests/golden/h200-580.bin
is "a case of each corpus" [ "$(grep -c '^case 3: ' "$tmp/out")" = 2 ]
run oracle replay -f jsonl tests/golden/h200-580.bin
is "oracle replay -f jsonl" python3 -c "import json; r=json.load(open('$tmp/out')); assert r['verdict_differences'] == 0 and r['cases'] > 10000 and r['rows']"
run oracle record --libcuda "$fake" -o "$tmp/none/corpus" --rows 1 --legal 1
is "a corpus that cannot be written: exit code 2, and why" [ "$rc$(grep -c 'none/corpus.*No such file' "$tmp/err")" = 21 ]
run oracle record --libcuda "$fake" -o "$tmp/corpus" --rows 2 --legal 2 "$tmp/in"
is "oracle record" [ $rc -eq 0 ]
is "with a manifest, which is JSON" python3 -c "import json; assert json.load(open('$tmp/corpus.json'))['cases_a_row'] == 2"
run oracle replay "$tmp/corpus"
is "and its replay: no difference" [ $rc -eq 0 ]
run oracle record --libcuda "$fake" -o "$tmp/corpus" "$tmp/none"
is "oracle record of a file that is not there: exit code 2" [ "$rc$(grep -c 'none: .*No such file' "$tmp/err")" = 21 ]
run oracle run --libcuda "$fake" -n 40000 --threads 2 "$tmp/key" "$tmp/in"
is "oracle run of a record that cannot be read: exit code 2" [ "$rc$(grep -c 'boxes' "$tmp/err")" = 21 ]
is "and the others count" has 'from .* real [1-9]' "$tmp/out"
run oracle run --libcuda "$fake" -f jsonl -n 70000 --threads 1
is "oracle run -f jsonl: a line for each block" [ "$(wc -l <"$tmp/out")" = 2 ]
run oracle run --processes --libcuda "$fake" -n 2000
is "oracle run --processes" has '^verdict disagreements  0$' "$tmp/out"
run oracle run --processes --libcuda /nonexistent -n 10
is "and without a driver: exit code 2" [ "$rc$(grep -c 'no driver to ask' "$tmp/err")" = 21 ]
run oracle run --processes --libcuda "$fake" -n 10 "$tmp/none"
is "and of a file that is not there: exit code 2" [ $rc -eq 2 ]
FAKE_CUDA=wrong "$tmap" oracle run --libcuda "$fake" -n 20000 --threads 1 --stop-after 3 >"$tmp/out" 2>"$tmp/err"; rc=$?
is "a driver that refuses a box of 255, in words: exit code 1" [ "$rc$(grep -c '^verdict disagreements  [1-9]' "$tmp/out")" = 11 ]
is "and the least descriptor of it" has '^{"what":"verdict".*"driver":1, "tmap":"legal", "rows":\[\], "descriptor":.*"box": \[2, 255\]' "$tmp/out"
FAKE_CUDA=wrong_bytes "$tmap" oracle run --libcuda "$fake" -n 4000 --threads 1 -f jsonl >"$tmp/out" 2>"$tmp/err"; rc=$?
is "other bytes, -f jsonl: exit code 1, both maps" python3 -c "
import json
d = json.loads(open('$tmp/out').readline())['disagreements'][0]
assert $rc == 1 and d['what'] == 'bytes' and d['driver_words'] != d['tmap_words']"
run oracle probe --libcuda "$fake" -f jsonl
is "oracle probe -f jsonl: a line for each answer" python3 -c "import json; assert all('asked' in json.loads(l) for l in open('$tmp/out'))"
run oracle time --libcuda "$fake" -f json
is "oracle time -f json" python3 -c "import json; assert json.load(open('$tmp/out'))['encode_ns'] > 0"
run oracle probe --libcuda "$fake"
is "oracle probe answers hundreds of questions" [ "$(wc -l <"$tmp/out")" -gt 300 ]
run oracle time --libcuda "$fake"
is "oracle time" has '^tmap, encode  ' "$tmp/out"
run oracle record --libcuda "$fake"
is "oracle record without --output: usage" [ $rc -eq 3 ]
run oracle
is "oracle without a verb: usage" [ $rc -eq 3 ]

# --- doctor
run doctor --libcuda /nonexistent
is "doctor without a driver: exit code 1" [ $rc -eq 1 ]
is "and how to get one" has 'install NVIDIA' "$tmp/out"
FAKE_CUDA=nodevice "$tmap" doctor --libcuda "$fake" >"$tmp/out" 2>"$tmp/err"
is "doctor without a GPU: what to look at" has 'CUDA_VISIBLE_DEVICES' "$tmp/out"
while read -r mode health what words; do
    FAKE_CUDA=$mode "$tmap" doctor --libcuda "$fake" >"$tmp/out" 2>"$tmp/err"; rc=$?
    is "doctor, $mode: $words" [ "$rc$(grep -c "^$health *$what .*$words" "$tmp/out")" = 11 ]
    FAKE_CUDA=$mode "$tmap" oracle run --libcuda "$fake" -n 10 >"$tmp/out" 2>"$tmp/err"; rc=$?
    is "oracle run, $mode: exit code 2, the same words" [ "$rc$(grep -c "no driver to ask: .*$words" "$tmp/err")" = 21 ]
done <<'END'
nodevice absent GPU sees no GPU
stub absent driver the toolkit's link stub
mismatch absent driver different versions
nocontext broken driver cuDevicePrimaryCtxRetain failed: CUDA_ERROR_OUT_OF_MEMORY
old_gpu absent GPU has compute capability 8.0: tensor maps need 9.0
END
run doctor --libcuda "$fake" --device 7
is "doctor of a GPU that is not there" has 'there is no GPU number 7: the driver sees 1' "$tmp/out"
FAKE_CUDA=sticky "$tmap" doctor --libcuda "$fake" >"$tmp/out" 2>"$tmp/err"
is "a driver that does not say its version has words for it" grep -qE '^ok +driver +[^, ]' "$tmp/out"
is "doctor of a driver in a fault: the encode call is broken" has '^broken *encode .* 0 accepted' "$tmp/out"
run doctor --libcuda "$fake" --format json
is "doctor --format json" python3 -c "import json,sys; r=json.load(open('$tmp/out')); f={x['what']:x for x in r['findings']}; sys.exit(not (f['encode']['health']=='ok' and f['tensor copy']['health']=='broken' and not r['usable']))"
echo "1..$n"
