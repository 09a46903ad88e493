#!/bin/sh
# tests/rules/coverage.tsv maps every documented rule and every observation to rows, tests or a
# reason. Each named row and file exists, docs/COVERAGE.md is fresh, and no row is without evidence.
cd "$(dirname "$0")/../.." || exit 2
tsv=tests/rules/coverage.tsv n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ok() { n=$((n + 1)); echo "ok $n - $1"; }
bad() { n=$((n + 1)); echo "not ok $n - $1"; }
check() { if [ -s "$tmp/bad" ]; then bad "$1"; sed 's/^/# /' "$tmp/bad"; else ok "$1"; fi; }

# each row's id and how many pieces of evidence stand in it
cat src/rules/*.def | awk '
    match($0, /^[A-Z]*ROW\(TMA[0-9]+/) {
        id = substr($0, RSTART, RLENGTH); sub(/.*\(/, "", id); order[++rows] = id; evidence[id] = 0
    }
    id { evidence[id] += gsub(/BY_(API|PTX|GUIDE|DRIVER|HARDWARE)\(/, "") }
    END { for (i = 1; i <= rows; i++) print order[i] "\t" evidence[order[i]] }' >"$tmp/rows"
statements=$(grep -vc '^#' $tsv) rows=$(wc -l <"$tmp/rows")

if [ "$rows" -ge 50 ]; then ok "$rows rows in src/rules"; else bad "only $rows rows found in src/rules"; fi
if [ "$statements" -ge 150 ]; then ok "$statements statements"; else bad "only $statements statements"; fi
cut -f1 "$tmp/rows" | sort | uniq -d >"$tmp/bad"; check "no id stands on two rows"
awk -F'\t' '$2 == 0 { print $1 }' "$tmp/rows" >"$tmp/bad"; check "every row names its evidence"
grep -v '^#' $tsv | cut -f1 | sort | uniq -d >"$tmp/bad"; check "no key stands on two statements"
grep -v '^#' $tsv | awk -F'\t' 'NF != 4 || $2 == "" || $4 == "" { print $1 }' >"$tmp/bad"
check "every statement goes somewhere"
grep -v '^#' $tsv | awk -F'\t' '$3 !~ /^(row|test|reason)$/ { print $1, $3 }' >"$tmp/bad"
check "it goes to a row, a test or a reason"
cut -f1 "$tmp/rows" | sort >"$tmp/ids"
awk -F'\t' '$3 == "row" { n = split($4, id, " "); for (i = 1; i <= n; i++) print id[i] }' $tsv |
    sort -u | comm -23 - "$tmp/ids" >"$tmp/bad"
check "every row that is named exists"
awk -F'\t' '$3 == "test" { n = split($4, f, " "); for (i = 1; i <= n; i++) print f[i] }' $tsv |
    sort -u | while read -r f; do [ -f "$f" ] || echo "$f"; done >"$tmp/bad"
check "every test that is named exists"
tests/rules/coverage-table >"$tmp/doc"
if cmp -s "$tmp/doc" docs/COVERAGE.md; then ok "docs/COVERAGE.md is fresh"
else bad "docs/COVERAGE.md is stale: tests/rules/coverage-table prints it"; fi
