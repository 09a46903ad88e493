#!/bin/sh
# The vocabulary: words that this project used for things that have a name in the field, or that a
# reader stumbles over. Each line is a pattern of extended regular expressions and what to write.
cd "$(dirname "$0")/../.." || exit 2
n=0 words='\b(wish|wishes|wished)\b	request
\baim of\b	objective
\b(twin|twins)\b	reference (a plain kernel), control (of a fault)
\bshy\b	conservative, baseline
\bbed\b	fixture
\bhouse\b	tree
src/<room>	folder
is heard	honours
lies otherwise in shared memory	changes the shared-memory layout
one of them not\b	does not cover one of them
Fewer clocks are not the same	rewrite
no multiple of	is not a multiple of
no whole (number|multiple|units)	is not a whole number
held against	compared with
put to the (rows|rules)	checked against
otherwise than	differently from, in another way than
([^e] |[^r]e |s )is no (error|option|plan|defect|descriptor|ring)\b	is not an error
\bthe ([a-z]+) (alone )?hears\b	sees
parts from	separates from
at most so many	at most N'
text() { git ls-files | grep -E '\.(c|h|hpp|def|md|cu|cuh|sh|py|mk)$|^Makefile$' | grep -vE '^tests/(tree/test_words.sh|data/)'; }
while IFS='	' read -r pattern instead; do
    n=$((n + 1))
    bad=$(text | xargs grep -nIiE "$pattern" | head -5)
    if [ -z "$bad" ]; then printf 'ok %d - nothing says %s\n' $n "$pattern"
    else printf 'not ok %d - %s stands for: %s\n' $n "$pattern" "$instead"; echo "$bad" | sed 's/^/# /'; fi
done <<END
$words
END
echo "1..$n"
