#!/bin/sh
# The kit for continuous integration, each part as its host runs it: the action's steps, the hook over
# what a commit touches, the pipelines of docs/CI.md.
cd "$(dirname "$0")/../.." || exit 2
top=$PWD n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
case ${B:=build} in /*) ;; *) B=$top/$B ;; esac
PATH=$B:$PATH
ok() { # ok NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; tail -8 "$tmp/log" | sed 's/^/# /'; fi
}
skip() { n=$((n + 1)); echo "ok $n # SKIP $1: $2"; }
mkdir -p "$tmp/repo/deep" && cd "$tmp/repo" || exit 2
good='"dtype":"bf16","address":0,"dim":[64,64],"stride":[128],"box":[64,64]'
echo "{\"name\":\"good\",$good}" >good.tmap.json
echo "{\"name\":\"bad one\",$good}" | sed 's/\[128\]/[130]/' >'deep/bad.tmap.json'

action() { python3 "$top/tests/ci/action.py" "$top/.github/actions/check/action.yml" "$@"; }
if command -v python3 >/dev/null && command -v bash >/dev/null; then
    ok "the action passes what is legal" action files='*.tmap.json'
    action files='**/*.tmap.json' sarif=out.sarif >annotations 2>&1
    ok "it fails what is not" test $? -eq 1
    ok "it annotates the place" grep -q '^::error file=deep/bad.tmap.json,line=1,col=' annotations
    ok "it writes SARIF" grep -q '"TMA014"' out.sarif
    tmap check -f jsonl deep/bad.tmap.json >baseline.jsonl
    ok "a baseline lets old findings pass" action files='**/*.tmap.json' baseline=baseline.jsonl
    action files='**/*.tmap.json' arguments='--cuda 99.0' >annotations 2>&1
    ok "options reach the command" test $? -eq 4
    action files='nothing/*.json' >annotations 2>&1
    ok "no file is an error" test $? -eq 2
    # shellcheck disable=SC2016
    ok "a file's name is no code" sh -c 'touch "a;touch pwned.json"; python3 "$1/tests/ci/action.py" "$1/.github/actions/check/action.yml" files="\$(touch pwned)*.json;touch pwned" || test ! -e pwned' - "$top"
else skip "action" "no python3 or no bash"; fi

# pre-commit: the files of a commit that match `files`, behind `entry`
field() { sed -n "s/^  $1: //p" "$top/.pre-commit-hooks.yaml"; }
git init -q . 2>/dev/null && git add good.tmap.json && ok "the hook's files and entry" sh -c \
    "git diff --cached --name-only | grep -E '$(field files)' | xargs $(field entry)"
git add deep/bad.tmap.json && ok "the hook refuses what is illegal" sh -c \
    "! git diff --cached --name-only | grep -E '$(field files)' | xargs $(field entry)"
if command -v pre-commit >/dev/null; then
    git -C "$top" rev-parse -q HEAD >/dev/null && ok "pre-commit itself" sh -c \
        "pre-commit try-repo '$top' tmap-check --files good.tmap.json && ! pre-commit try-repo '$top' tmap-check --files deep/bad.tmap.json"
else skip "pre-commit" "no pre-commit"; fi

# docs/CI.md's GitLab and Jenkins lines write JUnit that a reader of XML takes
tmap check -f junit ./*.tmap.json deep/*.json >tmap.xml
ok "test reports fail what is not legal" test $? -eq 1
if command -v python3 >/dev/null; then
    ok "they are XML with their counts" python3 -c "
import xml.etree.ElementTree as X
suites = X.parse('tmap.xml').getroot()
for s in suites:
    assert int(s.get('tests')) == len(s) and int(s.get('failures')) == len(s.findall('testcase/failure'))
assert sum(int(s.get('failures')) for s in suites) == 1"
else skip "test reports" "no python3"; fi
for word in 'check -f junit' 'check --baseline' '.github/actions/check' tmap-check; do
    ok "docs/CI.md shows $word" grep -q -- "$word" "$top/docs/CI.md"
done
echo "1..$n"
