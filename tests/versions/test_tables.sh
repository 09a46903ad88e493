#!/bin/sh
# The tables that are written from the recorded data are what the generators write, and a wrong row
# in any data table is seen: each line of `wrong` damages one row of a copy, and test_versions must
# fail with it.
here=tests/versions
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
n=0
export PYTHONDONTWRITEBYTECODE=1

report() { # report STATUS NAME
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

$here/forms $here/ptxas.json src/rules/targets.def >"$tmp/forms.def" &&
    cmp -s "$tmp/forms.def" src/rules/forms.def
report $? "forms.def is what 'make forms' writes"
$here/forms --example >"$tmp/every_form.ptx" &&
    cmp -s "$tmp/every_form.ptx" tests/io/ptx/every_form.ptx
report $? "every_form.ptx is what 'make forms' writes"
cp docs/VERSIONS.md "$tmp/page.md" &&
    $here/report $here/headers.json $here/ptxas.json "$tmp/page.md" &&
    cmp -s "$tmp/page.md" docs/VERSIONS.md
report $? "the lists of docs/VERSIONS.md are what 'make forms' writes"

build() { # test_versions against the tables in $tmp
    ${CC:-cc} -std=c11 -O0 -Iinclude -I"$tmp" -Isrc -o "$tmp/test" $here/test_versions.c \
        src/core/forms.c -lcmocka -ljansson 2>"$tmp/log"
}
wrong() { # wrong FILE SED-SCRIPT WHAT
    rm -rf "$tmp/rules" && cp -r src/rules "$tmp/rules"
    sed -i "$2" "$tmp/rules/$1"
    if cmp -s "$tmp/rules/$1" "src/rules/$1"; then report 1 "the damage to the $3 changes a row"
    elif ! build; then report 1 "the damage to the $3 compiles"
    elif "$tmp/test" >"$tmp/log" 2>&1; then report 1 "a wrong $3 is seen"
    else report 0 "a wrong $3 is seen"; fi
}

rm -rf "$tmp/rules" && cp -r src/rules "$tmp/rules"
build && "$tmp/test" >"$tmp/log" 2>&1
report $? "the committed tables pass"
wrong enums.def 's/^\(SWIZZLE(128B_ATOM_32B, *"128B_ATOM_32B", *\)4/\15/' 'value of an enumerator'
wrong enums.def 's/^\(DTYPE(U6X16_ALIGN16B.* 15, \)1208/\11209/' 'first toolkit of an enumerator'
wrong enums.def '/^ALLOC_CLASS(LARGE/d' 'set of enumerators'
wrong enums.def 's/^\(ENTRY_POINT(IM2COL_WIDE.*\)1208/\11206/' 'first toolkit of a function'
wrong enums.def 's/^\(MAP_STRUCT(1300, 128, \)128/\164/' 'alignment of the structure'
wrong targets.def 's/^\(CUDA(1300, "13.0", \)90/\191/' 'PTX version of a toolkit'
wrong targets.def 's/^\(ARCH(120, 1.*\) 87, 120)/\1 86, 120)/' 'first PTX version of a target'
wrong targets.def 's/^\(ARCH(121, 1.*\)101376/\1232448/' 'capacity'
wrong targets.def 's/^REPLACE_STRIDE(1205/REPLACE_STRIDE(1204/' 'unit of a replaced stride'
wrong forms.def '/^AVAILABILITY(REPLACE_SWIZZLE_MODE_96B/{n;s/88/ 0/}' 'refusal of a form'
wrong forms.def '/^AVAILABILITY(TILE_LOAD_CTA,/{n;s/86/80/}' 'version of a form'
wrong forms.def 's/^\(FORM(GATHER4_LOAD_CTA.*\)IM2COL_W_LOAD_CTA/\1TILE_LOAD_CTA/' 'availability class'
wrong forms.def '/^FORM_CALL(BULK_LOAD_CLUSTER, 121, 2)/d' 'set of calls'
echo "1..$n"
