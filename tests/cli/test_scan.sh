#!/bin/sh
# tmap kernels scan and table of cubins made here, byte by byte: what they hold in each format, what breaks an
# expectation, what is no cubin, and names that a terminal would obey.
cd "$(dirname "$0")/../.." || exit 2
case ${B:=build} in /*) ;; *) B=$PWD/$B ;; esac
n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; head -5 "$tmp/log" "$tmp/err" | sed 's/^/# /'; fi
}
run() { timeout 60 "$B/tmap" kernels "$@" >"$tmp/out" 2>"$tmp/err"; code=$?; }
is() { test "$code" = "$1"; }
out() { grep -qF -- "$1" "$tmp/out"; }
err() { grep -qF -- "$1" "$tmp/err"; }

# An ELF file of the machine 190 with a section of code: opcodes of 16 bytes each, by their low 9 bits.
cat >"$tmp/cubin.py" <<'PY'
import struct, sys
def cubin(path, kernel, opcodes):
    text = b''.join(struct.pack('<QQ', op, 0) for op in opcodes)
    names = b'\0.shstrtab\0.text.' + kernel + b'\0'
    sections = [(0, 0, 0, 0), (1, 3, 64, len(names)), (11, 1, 64 + len(names), len(text))]
    at = 64 + len(names) + len(text)
    head = b'\x7fELF\2\1\1' + bytes([7]) + b'\0' * 8 + struct.pack('<HHIQQQIHHHHHH', 2, 190, 1, 0, 0, at, 90, 64, 0, 0, 64, 3, 1)
    body = head + names + text
    for name, kind, offset, size in sections:
        body += struct.pack('<IIQQQQIIQQ', name, kind, 0, 0, offset, size, 0, 0, 0, 0)
    open(path, 'wb').write(body)
cubin(sys.argv[1] + '/load.cubin', b'k', [0x1b4, 0x1b4, 0x15c])
cubin(sys.argv[1] + '/spill.cubin', b'k', [0x183])
cubin(sys.argv[1] + '/evil.cubin', b'k\x1b[31m\xff\n::error::forged', [0x1b4])
PY
python3 "$tmp/cubin.py" "$tmp"
run scan "$tmp/load.cubin"
ok "a cubin is exit code 0" is 0
ok "its kernel: instructions, and opcodes by name" out '  k sm_90: 3 instructions, 0 registers, 0 stack bytes; BPT 1, UTMALDG 2'
run scan - <"$tmp/load.cubin"
ok "- is standard input" out '  k sm_90: 3 instructions'
run scan -f jsonl "$tmp/load.cubin"
ok "-f jsonl: an image and its kernel, by docs/schema" sh -c 'tests/cli/validate docs/schema/kernels-line.json --lines <"$1"' sh "$tmp/out"
ok "-f jsonl: two lines" test "$(wc -l <"$tmp/out")" = 2
ok "-f jsonl: counts" out '"opcodes":{"BPT":1,"UTMALDG":2}'
run table "$tmp/load.cubin"
ok "table: a line for the image, one for the kernel" test "$(grep -c "^$tmp/load.cubin	" "$tmp/out")" = 2
ok "table: a kernel's line" out "$tmp/load.cubin	k	3	0	"
run table -f json "$tmp/load.cubin"
ok "table -f json is what scan says" out '"kernel": "k"'
run scan "$tmp/spill.cubin" "$tmp/none" "$tmp/load.cubin"
ok "an expectation that is not met is said" err "k: LDL 1, not 0 to 0: nothing is spilled"
ok "a file that is not there is named, with the reason" err 'none: No such file or directory'
ok "the exit code is the unreadable file's" is 2
ok "and the next file is read" out '  k sm_90: 3 instructions'
run scan "$tmp/spill.cubin"
ok "alone it is exit code 1" is 1
run table "$tmp/none"
ok "table of no file is exit code 2" is 2
run scan "$tmp"
ok "a directory is one" err "$tmp: Is a directory"
echo 'no ELF' >"$tmp/text"
run scan "$tmp/text"
ok "a text is no cubin" err "text: no cubin and no fatbin"
head -c 150 "$tmp/load.cubin" >"$tmp/short"
run scan "$tmp/short"
ok "a cubin cut short is exit code 2" is 2
for f in text json jsonl; do
    run scan -f $f "$tmp/evil.cubin"
    ok "-f $f: a name of control characters and no UTF-8 is printed harmlessly" is 0
    ok "-f $f: and stays" grep -q 'k.*31m.*forged' "$tmp/out"
    ok "-f $f: nothing forged" sh -c '! grep -q "^::error\|$(printf "\033")" "$1"' sh "$tmp/out"
done
run table "$tmp/evil.cubin"
ok "table: nothing forged" sh -c '! grep -q "^::error\|$(printf "\033")" "$1"' sh "$tmp/out"
"$B/tmap" kernels scan "$tmp/load.cubin" >/dev/full 2>"$tmp/err"; code=$?
ok "a full disk is exit code 2" is 2
run list dense
if [ $code = 0 ]; then
    ok "list: the cases with a word" test "$(grep -c '^case .*dense' "$tmp/out")" = "$(grep -c '^case' "$tmp/out")"
    run list sm90/bf16
    ok "list: the images with a word, built or not" out 'image gemm/sm90/bf16'
    run list -f jsonl sm90/bf16
    ok "list -f jsonl" out '{"image":"gemm/sm90/bf16","kernels":'
    run table
    ok "table: its head without images, or with them" out '# image	kernel	instructions'
fi
echo "1..$n"
