#!/bin/sh
# A sign of life from every command that runs for more than two seconds: on stderr, on a terminal or when asked
# for, and never among the results. The input of each stays open for three seconds; all run at once.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tmap=$B/tmap
is() { n=$((n + 1)); name=$1; shift; if "$@"; then echo "ok $n - $name"; else echo "not ok $n - $name"; fi; }
slowly() { # slowly NAME FILE COMMAND...
    name=$1 file=$2; shift 2
    { cat "$file"; sleep 3; } | "$tmap" "$@" >"$tmp/$name.out" 2>"$tmp/$name.err"
    echo $? >"$tmp/$name.code"
}
echo '{"dtype":"bf16","address":0,"dim":[64],"box":[64]}' >"$tmp/descriptor"
echo '{"tensor":{"dtype":"bf16","dim":[64,64],"stride":[128]},"tile":[8,64]}' >"$tmp/request"
reading="check repair encode layout"
"$tmap" condition "$tmp/descriptor" 2>&1 | grep -q 'without isl' || reading="$reading condition guard"
for command in $reading; do slowly "$command" "$tmp/descriptor" "$command" --progress always & done
slowly solve "$tmp/request" solve --progress always &
slowly prune examples/solve/gemm-configs.json prune --progress always &
slowly emulate tests/golden/emulate-copy/in.ptx emulate --progress always --block 64 --arg A=u32[64]:index --arg D=u32[64] &
slowly auto "$tmp/descriptor" check &
if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then # a machine may lack it, or pseudo-terminals
    script -qec "sh -c '{ cat $tmp/descriptor; sleep 3; } | $tmap check >$tmp/tty.out'" /dev/null >"$tmp/tty.err" 2>&1 </dev/null &
fi
wait
for command in $reading solve prune emulate; do
    is "$command says that it runs" grep -q "^tmap $command: 2 s" "$tmp/$command.err"
    is "$command answers as always" sh -c "test \$(cat $tmp/$command.code) -le 1 -a -s $tmp/$command.out && ! grep -q '2 s' $tmp/$command.out"
done
is "no terminal, nothing said" test ! -s "$tmp/auto.err"
[ -e "$tmp/tty.err" ] && is "a terminal is told" grep -q "tmap check: 2 s" "$tmp/tty.err"
"$tmap" check --progress always "$tmp/descriptor" >"$tmp/out" 2>"$tmp/err"
is "a quick command says nothing" test ! -s "$tmp/err"
"$tmap" check --progress often "$tmp/descriptor" >"$tmp/out" 2>"$tmp/err"
is "--progress takes three words" test $? -eq 3
echo "1..$n"
