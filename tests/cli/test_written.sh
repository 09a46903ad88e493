#!/bin/sh
# Where results go: each command, in each format, onto a full disk says so once and is exit code 2, into a pipe that
# nobody reads says nothing; files that cannot be written are named, with the reason.
cd "$(dirname "$0")/../.." || exit 2
case ${B:=build} in /*) ;; *) B=$PWD/$B ;; esac
n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; head -3 "$tmp/log" "$tmp/err" | sed 's/^/# /'; fi
}
bad=$tmp/bad
echo "{\"name\":\"B\",\"dtype\":\"bf16\",\"address\":0,\"dim\":[64,64],\"stride\":[130],\"box\":[64,300]}" >"$bad"
echo '{"name":"L","dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]}' >"$tmp/legal"
"$B/tmap" encode "$tmp/legal" >"$tmp/map"
cat >"$tmp/copy.ptx" <<'PTX'
.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a)
{
    ret;
}
PTX
# COMMAND: its formats, and where standard output is full what else stderr may say
cat >"$tmp/commands" <<END
check $bad|text json jsonl sarif github junit
check --arch all $bad|text json jsonl sarif github junit
report $bad|html text json jsonl
explain TMA014|text json jsonl
rules|text json jsonl
repair $bad|text json jsonl
repair --patch $bad|text jsonl
solve examples/solve/tiles.json|text json jsonl
condition $tmp/legal|text json jsonl
guard $tmp/legal|text json jsonl
diff 13.0 13.0|text json jsonl
encode $tmp/legal|text json jsonl
encode --as c $tmp/legal|text
encode --as bin $tmp/legal|text
decode $tmp/map|text json jsonl
decode $tmp/map $tmp/map|text
layout $tmp/legal|text json jsonl
layout --svg - $tmp/legal|text
pipeline examples/solve/gemm-ring.json|text json jsonl
prune examples/solve/gemm-configs.json|text json jsonl
oracle replay tests/golden/h200-580.bin|text json jsonl
emulate $tmp/copy.ptx --arg a=1|text json jsonl sarif junit
tune --model $tmp/product|text json jsonl
doctor --libcuda /none|text json jsonl
--version|none
--help|none
check --help|none
END
echo '{"kind":"bf16","m":1024,"n":1024,"k":1024}' >"$tmp/product"
symbolic=yes
"$B/tmap" diff 13.0 13.0 2>&1 | grep -qi 'built without\|not installed' && symbolic=
while IFS='|' read -r command formats; do
    case $command in condition* | guard* | diff*) [ -n "$symbolic" ] || continue ;; esac
    for f in $formats; do
        form="-f $f"
        case $f in none | html) form= ;; esac
        # shellcheck disable=SC2086
        "$B/tmap" $command $form >/dev/full 2>"$tmp/err"
        ok "$command $form, a full disk: exit code 2" test $? = 2
        ok "$command $form: and said once" test "$(grep -c 'No space left\|cannot be written\|cannot write' "$tmp/err")" = 1
        # shellcheck disable=SC2086
        { "$B/tmap" $command $form 2>"$tmp/err"; echo $? >"$tmp/code"; } | :
        ok "$command $form, nobody reads: nothing is said of it" sh -c '! grep -q "No space left\|written\|cannot write\|ipe" "$1"' sh "$tmp/err"
    done
done <"$tmp/commands"

# --- files: of a folder that is not there, a folder, a full disk
into() { # into OPTION COMMAND...: the file of the option cannot be written
    option=$1; shift
    for to in none/file "" /dev/full; do
        case $to in /*) path=$to ;; *) path=$tmp/$to ;; esac
        "$B/tmap" "$@" "$option" "$path" >"$tmp/out" 2>"$tmp/err"
        ok "$1 $option $to: exit code 2" test $? = 2
        ok "$1 $option $to: named, with the reason" grep -q "$path: \(No such file\|Is a directory\|No space left\)" "$tmp/err"
    done
}
into -o report $bad
into --output report -f json $bad
into --svg layout "$tmp/legal"
into --timeline emulate "$tmp/copy.ptx" --arg a=1
# --- what is one line each is one line each
cat "$bad" "$bad" >"$tmp/two"
"$B/tmap" repair --patch -f jsonl "$tmp/two" >"$tmp/out" 2>"$tmp/err"
ok "repair --patch -f jsonl: a patch a line" python3 -c "
import json
assert [len(json.loads(l)) > 0 for l in open('$tmp/out')] == [True, True]"
echo "1..$n"
