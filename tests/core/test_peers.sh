#!/bin/sh
# What other projects decide about 154 descriptors, against `tmap check --contract documented`.
# tests/data/peers.tsv gives each case its peer's verdict, its class and the documented verdict;
# peers-TARGET.jsonl are the descriptors themselves.
cd "$(dirname "$0")/../.." || exit 2
tmap=${B:-build}/tmap data=tests/data tmp=$(mktemp -d) n=0
trap 'rm -rf "$tmp"' EXIT
ok() { n=$((n + 1)); echo "ok $n - $1"; }
bad() { n=$((n + 1)); echo "not ok $n - $1"; }

[ -x "$tmap" ] || { echo "not ok 1 - there is no $tmap"; exit 1; }
grep -v '^#' $data/peers.tsv >"$tmp/cases"
for target in sm_90 sm_100a; do
    "$tmap" check --contract documented --cuda 13.0 --arch $target --format jsonl \
        $data/peers-$target.jsonl >"$tmp/$target"
    if [ $? -eq 0 ]; then ok "every descriptor for $target gets the verdict written beside it"
    else bad "the suite of $target"; fi
done
# name, verdict of each answer
cat "$tmp/sm_90" "$tmp/sm_100a" |
    sed -nE 's/.*"name": ?"([^"]*)".*"verdict": ?"([^"]*)".*/\1\t\2/p' >"$tmp/answers"

while IFS='	' read -r name source target peer class documented reason note; do
    answer=$(awk -F'\t' -v k="$name" '$1 == k { print $2 }' "$tmp/answers")
    if [ "${answer:--}" = "$documented" ]; then
        ok "$name: $documented ($class, $target, peer: $peer)"
    else
        bad "$name: answered '${answer:--}', documented '$documented' ($source: $note)"
    fi
    case $class:$peer in
    documented:"$documented") ;;
    documented:*) bad "$name: class documented, but the peer says $peer" ;;
    *) [ "$reason" != - ] || bad "$name: a difference without a reason" ;;
    esac
done <"$tmp/cases"

tests/core/peers-table >"$tmp/table"
sed -n '/^<!-- table -->/,/^<!-- end -->/p' docs/PEERS.md | sed '1d;$d' >"$tmp/doc"
if cmp -s "$tmp/table" "$tmp/doc"; then ok "docs/PEERS.md lists every difference"
else bad "docs/PEERS.md is stale: tests/core/peers-table prints its table"; fi
