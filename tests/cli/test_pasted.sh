#!/bin/sh
# What `tmap check` says of texts as people paste them into issues (pasted*.txt; the name is the
# project's and the thread's) and of single messages (messages.txt): the verdict, the rule, or what else it
# is; and none of them a false legal.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk -v tmp="$tmp" 'FNR == 1 { file = "" }
    /^=== / { file = tmp "/" $2 ".txt"; print substr($0, 5) >(tmp "/expected"); next }
    file { print >file }' tests/cli/pasted*.txt
while read -r name want words; do
    "$B/tmap" check "$tmp/$name.txt" >"$tmp/said" 2>&1
    code=$?
    case $want in legal) wanted=0 ;; illegal) wanted=1 ;; *) wanted=2 ;; esac
    n=$((n + 1))
    if [ $code = $wanted ] && grep -q -- "$words" "$tmp/said" && { [ "$want" = legal ] || ! grep -q ': legal' "$tmp/said"; }
    then echo "ok $n - $name: $want, $words"
    else echo "not ok $n - $name: $want, $words (exit code $code)"; head -5 "$tmp/said" | sed 's/^/# /'; fi
done <"$tmp/expected"
while IFS='|' read -r words message; do
    case $words in \#*) continue ;; illegal*) wanted=1 words=${words#illegal } ;; *) wanted=2 ;; esac
    printf '%s\n' "$message" >"$tmp/message"
    "$B/tmap" check -f jsonl "$tmp/message" >"$tmp/said" 2>&1
    code=$? n=$((n + 1))
    if [ $code = $wanted ] && grep -qF -- "$words" "$tmp/said"; then echo "ok $n - $words: $message"
    else echo "not ok $n - $words: $message (exit code $code)"; head -1 "$tmp/said" | sed 's/^/# /'; fi
done <tests/cli/messages.txt
echo "1..$n"
