#!/bin/sh
# Without isl and Z3 the library builds, check works, and what needs them says so.
B=${B:-build}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cat >"$dir/main.c" <<'END'
#include "tmap/symbolic.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
    struct tmap_symbolic_desc d = {.desc = {.dtype = TMAP_BFLOAT16, .rank = 1, .dim = {64},
                                            .box = {64}, .elem_stride = {1}}};
    struct tmap_target target = tmap_default_target();
    struct tmap_checker checker;
    struct tmap_symbolic *s;
    struct tmap_condition *c = NULL;
    struct tmap_claim claim = {&d.desc, NULL, 0, 0, true};
    struct tmap_diff_proof diff;
    enum tmap_proof proof;
    size_t n;
    tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker);
    printf("check %d\n", tmap_verdict_of(&checker, &d.desc));
    printf("open %d\n", tmap_symbolic_open(NULL, &s));
    printf("condition %d %d\n", tmap_condition_of(s, &checker, &d, 1, NULL, 0, &c), c != NULL);
    printf("%s\n", tmap_symbolic_why(s));
    printf("certify %d\n", tmap_certify(s, &checker, &claim, &proof, NULL, 0, &n, NULL, 0, NULL));
    printf("%s\n", tmap_symbolic_why(s));
    printf("diff %d\n", tmap_diff(s, &checker, &checker, NULL, 0, &n, &diff));
    printf("%s\n", tmap_symbolic_solvers(s));
    tmap_symbolic_close(s);
    return 0;
}
END
cat >"$dir/expected" <<'END'
check 0
open 0
condition 30 0
this tmap was built without isl, which conditions and guards need
certify 30
this tmap was built without Z3, which proofs need
diff 30
no isl, no Z3
END
case $B in *asan*) sanitize=-fsanitize=address,undefined ;; *) sanitize= ;; esac
if ${CC:-cc} $sanitize -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -O0 -Wall -Wextra -Werror -Iinclude -Isrc -DTMAP_VERSION_STRING='"0"' \
    -o "$dir/main" "$dir/main.c" src/symbolic/*.c src/symbolic/*/*.c "$B/libtmap.a" -ldl 2>"$dir/errors"; then
    echo "ok 1 - builds without isl and Z3"
else
    echo "not ok 1 - builds without isl and Z3"
    cat "$dir/errors"
fi
"$dir/main" >"$dir/out"
if cmp -s "$dir/out" "$dir/expected"; then
    echo "ok 2 - check works and the others say what they lack"
else
    echo "not ok 2 - check works and the others say what they lack"
    diff "$dir/expected" "$dir/out"
fi
