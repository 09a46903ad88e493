#!/bin/sh
# No file needs itself through others: among the objects of src, who uses whose functions and data
# (nm) forms no circle.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
find src -name '*.c' | sed "s|.*|$B/&|; s|c\$|o|" | sort | while read -r object; do
    [ ! -f "$object" ] || echo "$object"
done | xargs nm -A | awk -v root="$B/src/" '{
    file = substr($1, length(root) + 1); sub(/\.o:.*/, "", file) # "build/src/core/check.o:0000 T name"
    if (NF == 3 && $2 ~ /[TDRBVW]/) print "defines", $3, file
    if (NF == 3 && $2 == "U") print "uses", $3, file
}' >"$tmp/symbols"

# What remains when the files that nobody uses, and those that use nobody, are taken away again and
# again: circles, and what lies between two of them.
circles() { # circles SYMBOLS
    awk '$1 == "defines" { owner[$2] = $3; owners[$2]++ }
     $1 == "uses" { uses[NR] = $0 }
     END {
         for (i in uses) {
             split(uses[i], u, " ")
             if (owners[u[2]] != 1 || owner[u[2]] == u[3]) continue
             # the injected library defines names that to all others are libc
             if (owner[u[2]] ~ /inject/ && u[3] !~ /inject/) continue
             edge[u[3] " " owner[u[2]]]
         }
         do {
             split("", from); split("", to); gone = 0
             for (e in edge) { split(e, v, " "); from[v[1]]; to[v[2]] }
             for (e in edge) {
                 split(e, v, " ")
                 if (!(v[1] in to) || !(v[2] in from)) { delete edge[e]; gone = 1 }
             }
         } while (gone)
         for (e in edge) { split(e, v, " "); print v[1]; print v[2] }
     }' "$1" | sort -u
}

result() { # result NUMBER NAME OFFENDERS
    if [ -z "$3" ]; then echo "ok $1 - $2"; else echo "not ok $1 - $2"; echo "$3" | sed 's/^/# /'; fi
}
result 1 "no circle of files" "$(circles "$tmp/symbols")"
[ "$(wc -l <"$tmp/symbols")" -gt 1000 ] && few= || few="only $(wc -l <"$tmp/symbols") symbols"
result 2 "the symbols were read" "$few"
printf 'defines f a\ndefines g b\ndefines h c\nuses g a\nuses h b\nuses f c\nuses f d\n' >"$tmp/planted"
[ "$(circles "$tmp/planted" | tr '\n' ' ')" = "a b c " ] && blind= || blind="of a, b and c it sees: $(circles "$tmp/planted")"
result 3 "a circle would be seen" "$blind"
echo "1..3"
