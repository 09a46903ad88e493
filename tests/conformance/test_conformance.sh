#!/bin/sh
# The conformance suite: its size, form and hashes; tmap over all of it, under each contract; validators
# that are known to be wrong, counted; those of other projects where their wheels are (PYTHON, STAND_IN).
cd "$(dirname "$0")/../.." || exit 2
top=$PWD n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case ${B:=build} in /*) ;; *) B=$top/$B ;; esac
export TMAP="$B/tmap"
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; tail -8 "$tmp/log" | sed 's/^/# /'; fi
}
command -v python3 >/dev/null || { echo "ok 1 # SKIP conformance: no python3"; echo 1..1; exit 0; }
suite=$tmp/suite && mkdir "$suite"
ok "the record and the rules agree in every case" "$B/tests/conformance/suite" tests/golden/h200-580.bin "$suite"
ok "it is at most 20 MB" test "$(cat "$suite"/*.jsonl | wc -c)" -le 20000000
ok "it has a file for each feature" test "$(ls "$suite" | wc -l)" -ge 30
cat "$suite"/*.jsonl >"$tmp/all"
ok "every line keeps to the schema" sh -c "tests/cli/validate docs/schema/conformance.json --lines <'$tmp/all'"
ok "ids are unique" test "$(grep -o '"id":"[^"]*"' "$tmp/all" | sort | uniq -d | wc -l)" = 0
run() { (cd tests/conformance/validators && python3 ../conformance.py "$@"); }
ok "the manifest" run manifest "$suite" 0.1.0
ok "its hashes are the files'" sh -c "cd '$suite' && python3 -c \"
import json; [print(f['sha256'] + '  ' + n) for n, f in json.load(open('manifest.json'))['files'].items()]\" | sha256sum -c --quiet"
for contract in driver documented hardware safe; do
    ok "tmap is right in all of it, $contract" env CONTRACT=$contract sh -c "cd tests/conformance/validators &&
        python3 ../conformance.py run '$suite' --command 'python3 tmap_itself.py' --contract $contract"
done
cat >"$tmp/wrong.py" <<'P'
def yes(case): return True
def no(case): return False
def blind(case): return case["verdicts"]["driver"] == "legal" or case["rules"] == ["TMA014"]
def silent(case): return None
P
wrong() { (cd "$tmp" && python3 "$top/tests/conformance/conformance.py" run "$suite" --json --callable "wrong:$1"); }
legal=$(grep -c '"driver":"legal"' "$tmp/all") illegal=$(grep -c '"driver":"illegal"' "$tmp/all")
ok "one that says yes has every illegal case false" sh -c "echo '$(wrong yes)' | grep -q '\"false_legal\": $illegal, \"false_illegal\": 0'"
ok "one that says no has every legal case false" sh -c "echo '$(wrong no)' | grep -q '\"false_legal\": 0, \"false_illegal\": $legal'"
alone=$(grep -c '"driver":"illegal".*"rules":\["TMA014"\]' "$tmp/all")
ok "one that forgets a rule is found out" sh -c "[ $alone -gt 0 ] && echo '$(wrong blind)' | grep -q '\"false_legal\": $alone, \"false_illegal\": 0'"
ok "one that says nothing is not wrong" sh -c "echo '$(wrong silent)' | grep -q '\"judged\": 0'"
ok "a command that answers too little is refused" sh -c "! python3 tests/conformance/conformance.py run '$suite' --command 'echo legal'"
if [ -n "$STAND_IN" ] && [ -n "$CCCL" ]; then
    tests/conformance/validators/table "$suite" "$tmp/table" | cut -d'|' -f3- >"$tmp/rows"
    sed -n '/^<!-- table -->/,/^<!-- end -->/p' docs/CONFORMANCE.md | sed '1d;$d' | cut -d'|' -f3- >"$tmp/doc"
    ok "docs/CONFORMANCE.md's table is what they say" cmp "$tmp/rows" "$tmp/doc"
else n=$((n + 1)); echo "ok $n # SKIP validators of others: STAND_IN and CCCL name no builds, PYTHON no wheels"; fi
echo "1..$n"
