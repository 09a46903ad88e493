#!/bin/sh
# The size of things: functions of 60 lines at most, files of 600, lines of 100 columns, and no
# left-over. The formatting puts a function's braces into the first column, so awk can count.
cd "$(dirname "$0")/../.." || exit 2
n=0
result() {
    n=$((n + 1))
    if [ -z "$2" ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$2" | sed 's/^/# /'; fi
}
sources() { find src include tests bench examples \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) | sort; }
everything() { sources; find src -name '*.def'; find tests bench examples -name '*.sh'; }

bad=$(sources | xargs awk '
    FNR == 1 { start = 0 }
    /^\{/ { start = FNR }
    /^\}/ { if (start && FNR - start - 1 > 60) print FILENAME ":" start ": " FNR - start - 1 " lines"
            start = 0 }')
result "functions have at most 60 lines" "$bad"

sources | grep ^src | xargs awk '
    FNR == 1 { start = 0 }
    /^\{/ { start = FNR }
    /^\}/ { if (start) print FNR - start - 1; start = 0 }' | sort -n |
    awk '{ l[NR] = $1 } END { print "# median function of src: " l[int((NR + 1) / 2)] " lines of " NR }'

bad=$(find src/rules -name '*.def' | xargs awk 'length > 120 { print FILENAME ":" FNR ": " length " columns" }')
result "lines of the rules have at most 120 columns" "$bad"

bad=$(everything | sort -u | xargs wc -l | awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines" }' |
    grep -v '\.def:')
result "files have at most 600 lines" "$bad"

bad=$(sources | LC_ALL=C.UTF-8 xargs awk 'length($0) > 100 { print FILENAME ":" FNR ": " length($0) }')
result "lines have at most 100 columns" "$bad"

bad=$(everything | grep -v tests/tree/test_sizes.sh | xargs grep -nE '\b(TODO|FIXME|XXX|HACK)\b')
result "nothing is marked as left to do" "$bad"

bad=$(sources | xargs grep -nE '	| $' | head -20)
result "no tabs, no blanks at the end of a line" "$bad"
echo "1..$n"
