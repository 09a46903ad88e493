#!/bin/sh
# The pages' code is code. Each ```c and ```cpp block compiles against the public headers, each
# ```python block parses and takes from libtmap what is there, and each indented line that begins
# with tmap runs: in a folder with `descriptors`, `space.json` and the files that its page names.
cd "$(dirname "$0")/../.." || exit 2
case ${B:=build} in /*) ;; *) B=$PWD/$B ;; esac
PATH=$B:$PATH
tmp=$(mktemp -d) n=0
trap 'rm -rf "$tmp"' EXIT
result() {
    n=$((n + 1))
    if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; sed 's/^/# /' "$tmp/log"; fi
}
# The blocks of each language, each in a file of its own: PAGE.1.c, PAGE.2.c ...
for page in README.md docs/*.md; do
    for lang in c cpp python; do
        awk -v lang=$lang -v out="$tmp/$(basename "$page" .md)" '
            $0 == "```" { on = 0 }
            on { print >out "." i "." lang }
            $0 == "```" lang { on = 1; i++ }' "$page"
    done
done
for f in "$tmp"/*.c; do
    {
        printf '#include <%s>\n' stdio.h tmap/tmap.h tmap/solve.h tmap/symbolic.h
        grep '^#include' "$f"
        echo 'void fall_back(void); void snippet(void); struct tmap_desc desc; void snippet(void) {'
        grep -v '^#include' "$f"
        echo '}'
    } >"$f.whole.c"
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -Iinclude -fsyntax-only "$f.whole.c" >"$tmp/log" 2>&1
    result "$(basename "$f") compiles" $?
done
for f in "$tmp"/*.cpp; do
    {
        printf '#include <cstdio>\n#include <tmap/tmap.hpp>\nvoid snippet(void *pointer) {\n'
        cat "$f"
        echo '}'
    } >"$f.whole.cpp"
    if ! command -v "${CXX:-c++}" >/dev/null; then
        n=$((n + 1))
        echo "ok $n # SKIP snippets in C++: no C++ compiler"
        continue
    fi
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -Iinclude -fsyntax-only "$f.whole.cpp" >"$tmp/log" 2>&1
    result "$(basename "$f") compiles" $?
done
for f in "$tmp"/*.python; do
    python3 - "$f" >"$tmp/log" 2>&1 <<'END'
import ast, re, sys
text = open(sys.argv[1]).read()
ast.parse(text)
for module, name in re.findall(r"libtmap\.(?:(triton|adapters|dask)\.)?(\w+)", text):
    source = open(f"src/python/libtmap/{module or '__init__'}.py").read()
    assert re.search(rf"\b{name}\b", source) or name in ("triton", "adapters", "dask"), name
END
    result "$(basename "$f") parses, and names what there is" $?
done
mkdir "$tmp/in"
ln -s "$PWD/examples/descriptors/failures" "$tmp/in/descriptors"
cp examples/solve/gemm-configs.json "$tmp/in/space.json"
cp examples/solve/gemm-ring.json "$tmp/in/ring.json"
cp examples/solve/gemm-configs.json "$tmp/in/configurations.json"
# Those with a GPU in mind are run by tests/device.
grep -hE '^    tmap [a-z]' README.md docs/*.md | grep -vE 'kernels (verify|bench|scan)|\\$' |
    sed -E 's/^    //; s/ +#.*//; s/   +.*//' >"$tmp/commands"
while read -r command; do
    (cd "$tmp/in" && sh -c "$command") >"$tmp/log" 2>&1 </dev/null
    code=$?
    [ $code -le 1 ] || [ $code = 4 ]
    result "$command" $?
done <"$tmp/commands"
echo "1..$n"
