#!/bin/sh
# check --arch all of all examples: every format shows one finding for each illegal pair of a record
# and an architecture, and exit code 1 means that there is at least one.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
result() { # result NAME BAD: passes where BAD is empty
    n=$((n + 1))
    if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | head -9 | sed 's/^/# /'; fi
}
files=$(ls examples/descriptors/*/*.json examples/descriptors/*/*/*.json)
count() { # count FORMAT: prints how many findings the output in $tmp/FORMAT has
    case $1 in
    text) sed -nE 's/.*; ([0-9]+) illegal pairs? .*/\1/p' "$tmp/text" ;;
    github) grep -c '^::error .*title=illegal on ' "$tmp/github" ;;
    jsonl) python3 -c 'import json,sys; print(sum(a["verdict"] == "illegal" for l in sys.stdin for a in json.loads(l)["arches"]))' <"$tmp/jsonl" ;;
    json) python3 -c 'import json,sys; d = json.load(sys.stdin); p = sum(a["verdict"] == "illegal" for r in d["results"] for a in r["arches"]); print(p if p == d["summary"]["illegal_pairs"] else "summary")' <"$tmp/json" ;;
    sarif) python3 -c 'import json,sys; print(len(json.load(sys.stdin)["runs"][0]["results"]))' <"$tmp/sarif" ;;
    esac
}
for f in text json jsonl sarif github; do
    # shellcheck disable=SC2086
    "$B/tmap" check --arch all -f $f $files >"$tmp/$f" 2>"$tmp/err"
    echo $? >>"$tmp/codes"
    count $f >>"$tmp/counts"
done
result "the formats agree on $(sort -u "$tmp/counts" | head -1) illegal pairs" \
    "$([ "$(sort -u "$tmp/counts" | wc -l)" = 1 ] && [ "$(head -1 "$tmp/counts")" -gt 100 ] || cat "$tmp/counts")"
result "and on the exit code" "$([ "$(sort -u "$tmp/codes")" = 1 ] || cat "$tmp/codes")"

# One architecture: exit code 1 with a finding, exit code 0 with none.
echo '{"dtype":"bf16","address":0,"dim":[64,64],"stride":[130],"box":[64,64]}' >"$tmp/illegal.json"
echo '{"dtype":"bf16","address":0,"dim":[64,64],"stride":[130],"box":[64,64],"expect":"illegal"}' >"$tmp/met.json"
echo '{"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64],"expect":"illegal"}' >"$tmp/unmet.json"
for case in illegal:1 met:0 unmet:1; do
    name=${case%:*} want=${case#*:}
    "$B/tmap" check -f github "$tmp/$name.json" >"$tmp/github"; got=$?
    result "github, $name: exit code $want" "$([ $got = "$want" ] || echo $got)"
    result "github, $name: $want error" "$([ "$(grep -c '^::error' "$tmp/github")" = "$want" ] || cat "$tmp/github")"
    "$B/tmap" check -f sarif "$tmp/$name.json" >"$tmp/sarif"
    found=$(python3 -c 'import json,sys; print(sum("suppressions" not in r for r in json.load(sys.stdin)["runs"][0]["results"]))' <"$tmp/sarif")
    result "sarif, $name: $want result" "$([ "$found" = "$want" ] || cat "$tmp/sarif")"
done
"$B/tmap" check -f sarif examples/descriptors/failures/*.json >"$tmp/sarif"
result "the titles of rules are no templates, and each has a page" "$(python3 -c '
import json, sys
for r in json.load(sys.stdin)["runs"][0]["tool"]["driver"]["rules"]:
    if "{" in r["shortDescription"]["text"] or not r["helpUri"].startswith("https://"): print(r)' <"$tmp/sarif")"
echo "1..$n"
