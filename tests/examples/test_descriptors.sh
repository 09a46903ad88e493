#!/bin/sh
# The descriptors of real programs: every file of examples/descriptors gets the verdicts and, for
# what is illegal, names the rules written in it; each reported failure is told in the README there.
cd "$(dirname "$0")/../../examples/descriptors" || exit 2
top=$(cd ../.. && pwd)
case ${B:=build} in /*) ;; *) B=$top/$B ;; esac
[ -x "$B/tmap" ] || { echo "not ok 1 - there is no $B/tmap"; exit 1; }
n=0
ok() { n=$((n + 1)); echo "ok $n - $1"; }
bad() { n=$((n + 1)); echo "not ok $n - $1"; }

for f in workloads/*.json workloads/*/*.json failures/*.json failures/*/*.json; do
    options=
    if [ -f "${f%/*}/options" ]; then options=$(cat "${f%/*}/options"); fi
    # shellcheck disable=SC2086
    answers=$("$B/tmap" check $options --format jsonl "$f" 2>&1)
    code=$?
    illegal=$(grep -c '"expect": "illegal"' "$f")
    ruled=$(grep -c '"expect_rules": \["TMA' "$f")
    if [ $code -ne 0 ]; then bad "$f (exit $code)"; echo "$answers" | head -5 | sed 's/^/# /'
    elif [ "$(echo "$answers" | grep -c '"verdict": *"illegal"')" -ne "$illegal" ]; then
        bad "$f: another number of illegal descriptors than it expects"
    elif [ "$illegal" -ne "$ruled" ]; then bad "$f: an illegal descriptor without expect_rules"
    else ok "$f"; fi
done

for f in failures/*.json failures/*/*.json; do
    name=${f#failures/} name=${name%.json}
    if grep -qE "^\|([^|]*[ ,])?$name[ ,|]" README.md; then ok "README tells $name"
    else bad "README says nothing of $name"; fi
done
# Legal, but not safe in every program: --advise names the rule.
while read -r f options rule; do
    # shellcheck disable=SC2046
    if "$B/tmap" check $(cat "$options") --advise --format text "$f" 2>&1 | grep -q "$rule"
    then ok "$f: --advise names $rule"
    else bad "$f: --advise does not name $rule"; fi
done <<'END'
failures/triton-11583.json /dev/null TMA157
failures/tilelang-2379.json /dev/null TMA143
failures/ninfer-167.json /dev/null TMA143
failures/cutlass-947.json /dev/null TMA049
failures/flashinfer-1150.json /dev/null TMA048
failures/blackwell/triton-10442.json failures/blackwell/options TMA100
failures/blackwell/flashinfer-3427.json failures/blackwell/options TMA100
END

reports=$(ls failures/*.json failures/*/*.json | wc -l)
if [ "$reports" -ge 20 ]; then ok "$reports reports"; else bad "only $reports reports"; fi
