#!/bin/sh
# The structs that the benchmarks beside PyTorch hand to the suite are the headers': every member's place; and
# so is how many configurations they let the tuner try.
cd "$(dirname "$0")/../.." || exit 2
if ! command -v python3 >/dev/null; then
    echo "ok 1 # SKIP structs of the benchmarks: python3"
    echo "1..1"
    exit 0
fi
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=bench/gemm python3 - >"$dir/list" <<'P'
import structs
for s in (*structs.ALL, *structs.BEGINNINGS):
    whole = s not in structs.BEGINNINGS
    for name, _kind in s._fields_:
        print(s.__name__, name, getattr(s, name).offset)
    if whole:
        print(s.__name__, "-", __import__("ctypes").sizeof(s))
print("GEMM_TRIALS", "is", structs.TRIALS)
P
{
    printf '#include "kernels/gemm/trial.h"\n#include "tmap/conv.h"\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n'
    while read -r type member _; do
        if [ "$member" = is ]; then printf '    printf("%s is %%d\\n", %s);\n' "$type" "$type"
        elif [ "$member" = - ]; then printf '    printf("%s - %%zu\\n", sizeof(struct %s));\n' "$type" "$type"
        else printf '    printf("%s %s %%zu\\n", offsetof(struct %s, %s));\n' "$type" "$member" "$type" "$member"; fi
    done <"$dir/list"
    printf '    return 0;\n}\n'
} >"$dir/list.c"
if ${CC:-cc} -std=c11 -Iinclude -Isrc -o "$dir/list.run" "$dir/list.c" && "$dir/list.run" >"$dir/want" && diff "$dir/want" "$dir/list" >"$dir/diff"; then
    echo "ok 1 - structs of the benchmarks: $(wc -l <"$dir/list") places"
else
    echo "not ok 1 - structs of the benchmarks"
    sed 's/^/# /' "$dir/diff"
fi
echo "1..1"
