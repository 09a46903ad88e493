#!/bin/sh
# What each command prints as JSON against its schema in docs/schema (check, explain and rules:
# test_formats.sh). One row a form; a form without a row, or a schema without a form, fails.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
case $B in /*) ;; *) B=$PWD/$B ;; esac
PATH=$B:$PATH n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { n=$((n + 1)); echo "ok $n - $1"; }
bad() { n=$((n + 1)); echo "not ok $n - $1"; head -5 "$tmp/log" | sed 's/^/# /'; }

in=$tmp/in.json
cat >"$in" <<'JSON'
{"name":"legal","dtype":"bf16","address":"0x7f0000000000","dim":[64,64],"stride":[128],"box":[64,64]}
{"name":"illegal","dtype":"bf16","address":"0x7f0000000000","dim":[64,64],"stride":[130],"box":[64,64]}
{"name":"unreadable","boxes":1}
JSON
tmap encode -f jsonl "$in" 2>/dev/null | head -1 >"$tmp/a.json"
sed 's/0x0000000800000510/0x0000000800000710/' "$tmp/a.json" >"$tmp/b.json"

# form SCHEMA lines|whole COMMAND...: runs it and holds what it prints to the schema
form() {
    schema=$1 how=$2; shift 2
    echo "$schema" >>"$tmp/used"
    "$@" >"$tmp/out" 2>"$tmp/err"
    if [ ! -s "$tmp/out" ] && grep -qi 'built without' "$tmp/err"; then
        n=$((n + 1))
        echo "ok $n # SKIP schema of $2: built without isl or Z3"
        return
    fi
    [ "$how" = lines ] && lines=--lines || lines=
    if [ -s "$tmp/out" ] && tests/cli/validate "docs/schema/$schema.json" $lines <"$tmp/out" >"$tmp/log" 2>&1
    then ok "$1 $2: docs/schema/$schema.json ($how)"
    else bad "$1 $2 is not docs/schema/$schema.json"; fi
}
# input SCHEMA FILE: the records of a file that the commands read
input() {
    echo "$1" >>"$tmp/used"
    if grep -v '^{"request"' "$2" | tr '\n' ' ' | sed 's/} *{/}\n{/g' |
        tests/cli/validate "docs/schema/$1.json" --lines >"$tmp/log" 2>&1
    then ok "$(basename "$2"): docs/schema/$1.json"; else bad "$2 is not docs/schema/$1.json"; fi
}
. tests/cli/forms

printf '%s\n' descriptor check check-line rule >>"$tmp/used"
# conformance is the suite's (tests/conformance holds it to its schema), no command's.
ls docs/schema | grep -v "^conformance\.json$" | sed 's/\.json$//' | sort >"$tmp/there"
sort -u "$tmp/used" | comm -3 - "$tmp/there" >"$tmp/log"
if [ -s "$tmp/log" ]; then bad "every schema has a form and every form a schema"
else ok "every schema has a form and every form a schema"; fi
for command in $(sed -n 's/^COMMAND(\([a-z]*\)).*/\1/p' src/cli/commands.def); do
    tmap "$command" --help | sed -n 's/.*--format FORMAT *//p' | grep -q 'text, json, jsonl' ||
        { echo "$command --help" >"$tmp/log"; bad "$command answers as text, json and jsonl"; }
    grep -qE "^form .* tmap $command( |\$)" tests/cli/forms tests/cli/test_formats.sh ||
        case $command in check | explain | rules | trace | oracle) ;; *)
            echo "$command has a JSON format and no row in tests/cli/forms" >"$tmp/log"
            bad "$command's JSON has a schema" ;;
        esac
done
echo "1..$n"
