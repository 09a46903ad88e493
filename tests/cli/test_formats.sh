#!/bin/sh
# Every JSON form against its schema in docs/schema, SARIF's structure, GitHub's escapes, colour.
cd "$(dirname "$0")/../.." || exit 2
tmap=${B:-build}/tmap n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; head -5 "$tmp/log" | sed 's/^/# /'; fi
}
valid() { # valid SCHEMA FILE [--lines]
    tests/cli/validate "docs/schema/$1.json" $3 <"$2"
}
invalid() { ! valid "$@"; }
has() { grep -qF -- "$2" "$1"; }
lacks() { ! grep -qF -- "$2" "$1"; }

good='"dtype":"BFLOAT16","address":"0x7f0000000000","dim":[4096,4096],"stride":[8192],"box":[64,128]'
cat >"$tmp/mixed.json" <<JSON
{"name":"legal",$good,"swizzle":"128B"}
{"name":"50% off, really: \u001b[31m\n","dtype":"BFLOAT16","address":8,"dim":[4096,4096],"stride":[8200],"box":[64,300],"expect":"legal"}
{"name":"allowed","dtype":"BFLOAT16","address":0,"dim":[4096,4096],"stride":[8200],"box":[64,8],"allow":{"TMA014":"a test","TMA025":"not needed"}}
{"name":"use",$good,"uses":[{"op":"load","coord":[3,0],"smem":8}]}
{"name":"unreadable","dtype":"BFLOAT16","boxes":1}
{"name":"truncated"
{$good,"kind":"tiled"}
JSON
for f in text json jsonl sarif github junit; do
    "$tmap" check -f $f "$tmp/mixed.json" >"$tmp/$f" 2>"$tmp/err.$f"
    echo $? >"$tmp/code.$f"
    ok "$f: something unreadable is exit code 2" test "$(cat "$tmp/code.$f")" = 2
done

ok "check -f json is docs/schema/check.json" valid check "$tmp/json"
ok "check -f jsonl is docs/schema/check-line.json" valid check-line "$tmp/jsonl" --lines
ok "a line for each record" test "$(wc -l <"$tmp/jsonl")" = 7
"$tmap" check --arch all -f jsonl "$tmp/mixed.json" >"$tmp/arches" 2>/dev/null
ok "--arch all keeps to the schema" valid check-line "$tmp/arches" --lines
"$tmap" rules -f jsonl >"$tmp/rules"
ok "rules -f jsonl is docs/schema/rule.json" valid rule "$tmp/rules" --lines
"$tmap" rules -f json >"$tmp/rules.json"
ok "rules -f json is the same list" python3 -c "
import json, sys
a = json.load(open('$tmp/rules.json')); b = [json.loads(l) for l in open('$tmp/rules')]
sys.exit(a != b)"
"$tmap" explain -f json TMA014 >"$tmp/rule"
ok "explain -f json is docs/schema/rule.json" valid rule "$tmp/rule"
for f in examples/descriptors/*/*.json examples/descriptors/*/*/*.json; do
    python3 -c "
import json, sys
for d in json.load(open('$f')): print(json.dumps(d))" >>"$tmp/examples"
done
ok "every example is docs/schema/descriptor.json" valid descriptor "$tmp/examples" --lines
echo '{"dtype":1,"address":0,"dim":[1],"boxes":[1]}' >"$tmp/wrong"
ok "and an unknown key is not" invalid descriptor "$tmp/wrong"

# --- SARIF: what GitHub's upload reads
cat >"$tmp/sarif.py" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
assert doc["version"] == "2.1.0" and len(doc["runs"]) == 1
run = doc["runs"][0]
rules = run["tool"]["driver"]["rules"]
assert len({r["id"] for r in rules}) == len(rules) == len({r["ruleId"] for r in run["results"]})
for r in rules:
    assert r["shortDescription"]["text"] and r["defaultConfiguration"]["level"] in ("error", "warning")
assert run["results"]
prints = set()
for r in run["results"]:
    assert rules[r["ruleIndex"]]["id"] == r["ruleId"]
    assert r["message"]["text"] and r["level"] in ("error", "warning")
    place = r["locations"][0]["physicalLocation"]
    region = place["region"]
    assert region["startLine"] >= 1 and region["startColumn"] >= 1 and "uri" in place["artifactLocation"]
    text = open(sys.argv[2], encoding="utf-8").read().split("\n")[region["startLine"] - 1]
    if "endColumn" in region:
        assert region["startColumn"] < region["endColumn"] <= len(text) + 1
    for fix in r.get("fixes", []):
        change = fix["artifactChanges"][0]["replacements"][0]
        assert change["insertedContent"]["text"]
    prints.add(r["partialFingerprints"]["tmap/v1"])
assert len(prints) == len(run["results"]), "fingerprints repeat"
assert sum("suppressions" in r for r in run["results"]) == 1
assert sum("fixes" in r for r in run["results"]) >= 1
call = run["invocations"][0]
assert call["executionSuccessful"] is False
assert sum("unreadable" in json.dumps(x) or "not closed" in json.dumps(x) for x in call["toolExecutionNotifications"]) >= 1
PY
ok "sarif has the structure of 2.1.0" python3 "$tmp/sarif.py" "$tmp/sarif" "$tmp/mixed.json"

# --- GitHub's annotations
ok "github: an annotation on each line" sh -c "! grep -vE '^::(error|warning) file=[^,]+,line=[0-9]+(,col=[0-9]+)?,title=[^:]+::.' '$tmp/github'"
ok "github: a % in a name is escaped" has "$tmp/github" '50%25 off, really: '
ok "github: a newline in a name is escaped" has "$tmp/github" '%0A'
ok "github: warnings follow the errors" sh -c "sed -n '/^::warning/,\$p' '$tmp/github' | grep -qv '^::error'"
ok "github: an unused allow is a warning" has "$tmp/github" 'TMA025 is allowed but not violated'

# --- text
esc=$(printf '\033')
ok "text: no colour into a file" lacks "$tmp/text" "$esc"
"$tmap" check --color always "$tmp/mixed.json" >"$tmp/colour" 2>/dev/null
ok "text: --color always" has "$tmp/colour" "$esc[1;31merror"
ok "text: a name cannot colour the terminal" lacks "$tmp/colour" "really: $esc"
ok "text: the value is underlined" has "$tmp/text" '^^^^'
ok "text: the target is said" has "$tmp/text" 'target: CUDA 13.0'
ok "text: an unmet expectation is said" has "$tmp/text" 'expected legal, and it is illegal'
ok "text: an allowed one gives its reason" has "$tmp/text" '= allowed: a test'

# --- PTX
cat >"$tmp/k.ptx" <<'PTX'
.version 8.4
.target sm_90a
.address_size 64
.visible .entry k()
{
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [a], [b, {c, d}], [e];
  cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [a], [b, {c, d}], [e];
}
PTX
"$tmap" check "$tmp/k.ptx" -f jsonl >"$tmp/ptx" 2>"$tmp/err"
ok "FILE.ptx: one illegal instruction is exit code 1" test $? = 1
ok "FILE.ptx: the file's own .version and .target count" sh -c "sed -n 2p '$tmp/ptx' | grep -q '\"illegal\".*TMA151'"
ok "FILE.ptx keeps to the schema" valid check-line "$tmp/ptx" --lines
"$tmap" check "$tmp/k.ptx" --ptx 8.6 -f jsonl >"$tmp/ptx" 2>"$tmp/err"
ok "FILE.ptx --ptx VERSION: a later assembler takes both" test $? = 0
"$tmap" check "$tmp/k.ptx" >"$tmp/ptx" 2>"$tmp/err"
ok "FILE.ptx: the version that it needs is said" has "$tmp/ptx" 'PTX 8.6 or later on sm_90a; this is PTX 8.4'
for f in json sarif github; do
    "$tmap" check "$tmp/k.ptx" -f $f >"$tmp/ptx.$f" 2>"$tmp/err"
done
ok "FILE.ptx -f json keeps to the schema" valid check "$tmp/ptx.json"
ok "FILE.ptx -f github names the line" has "$tmp/ptx.github" 'line=7,col=3'
cp "$tmp/k.ptx" "$tmp/named-otherwise"
"$tmap" check "$tmp/named-otherwise" -f jsonl >"$tmp/other" 2>"$tmp/err"
ok "a PTX file is told by what it says" test $? = 1
for command in rules check; do
    "$tmap" $command --ptx "$tmp/k.ptx" >/dev/null 2>"$tmp/err"
    ok "$command --ptx takes a version alone" test $? = 3
    ok "$command --ptx says so" has "$tmp/err" 'takes a version, 8.4'
done
ok "check --ptx FILE says where a file goes" has "$tmp/err" 'tmap check FILE.ptx'

# --- json is jsonl, indented
same() { # same COMMAND...
    "$tmap" "$@" -f json 2>/dev/null | tr -d ' \n' >"$tmp/json"
    "$tmap" "$@" -f jsonl 2>/dev/null | tr -d ' \n' >"$tmp/jsonl"
    test -s "$tmp/json" && cmp "$tmp/json" "$tmp/jsonl"
}
demo=examples/descriptors/failures/flashinfer-2232.json
legal=$(ls examples/descriptors/workloads/attention*.json | head -1)
"$tmap" encode "$legal" >"$tmp/bytes" 2>/dev/null
for what in "encode $legal $demo" "layout $legal $demo" "repair $demo" "decode $tmp/bytes" "explain TMA014" \
    "prune examples/solve/gemm-configs.json" "doctor --libcuda /none"; do
    # shellcheck disable=SC2086
    ok "$what: json is jsonl, indented" same $what
done

# --- help
for c in $("$tmap" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    "$tmap" "$c" --help >"$tmp/help" 2>&1
    ok "$c --help has at most 40 lines of at most 100 columns" awk 'length($0) > 100 { exit 1 } END { exit NR > 40 || NR < 5 }' "$tmp/help"
done
echo "1..$n"
