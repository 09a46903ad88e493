#!/bin/sh
# Which steps tests/device/run takes on which GPU, and what it says of them: with programs that only
# print their arguments in place of those that need a GPU.
cd "$(dirname "$0")/../.." || exit 2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/b/tests/device/gemm" "$tmp/b/tests/device/emulate" "$tmp/b/bench/gemm" "$tmp/bin"
printf '#!/bin/sh\ncase $* in *compute_cap*) echo "$GPU" ;; *) echo "a GPU" ;; esac\n' >"$tmp/bin/nvidia-smi"
# Each says what it is called with, and the copies' architectures; the one that FAILS names fails.
printf '#!/bin/sh\necho "${0##*/} $* $COPY_ARCHES"; [ "${0##*/}" != "$FAILS" ]\n' >"$tmp/says"
for name in explore gemm/verify gemm/later gemm/faults_later gemm/conv gemm/groups gemm/rows gemm/streams gemm/graphs \
    gemm/two gemm/hog gemm/tune gemm/faults emulate/record; do
    cp "$tmp/says" "$tmp/b/tests/device/$name"
done
for name in copy copy_rates gemm/gemm; do cp "$tmp/says" "$tmp/b/bench/$name"; done
cp "$tmp/says" "$tmp/b/tmap"
find "$tmp/b" "$tmp/bin" -type f -exec chmod +x {} +

# on CC: runs as on a GPU of that compute capability, sets rc
on()
{
    rm -rf "$tmp/out"
    GPU=$1 PATH="$tmp/bin:$PATH" BUILD=no B="$tmp/b" CC= COPY_ARCHES= tests/device/run "$tmp/out" >/dev/null 2>&1
    rc=$?
}
# is WHAT COMMAND...
is()
{
    what=$1
    shift
    if "$@"; then echo "ok - $what"; else echo "not ok - $what: $(cat "$tmp/out/summary.txt")"; fi
}
took() { sed -n 's/^ok - \([a-z0-9-]*\),.*/\1/p' "$tmp/out/summary.txt" | tr '\n' ' '; }
later="copy-verify copy-misuse copy-plans copy-repeat copy-rates copy-bench gemm-later gemm-later-faults gemm-command \
gemm-streams gemm-hog gemm-core-bf16 gemm-core-f16 "
for cc in 10.0 10.3 11.0 12.0 12.1; do
    on $cc
    is "compute capability $cc: every step" [ "$rc/$(took)" = "0/$later" ]
    is "compute capability $cc: its copies" grep -q " $(echo $cc | tr -d .)a$" "$tmp/out/copy-verify.log"
done
on 9.0
is "Hopper has its own steps" grep -q '^ok - gemm-verify,' "$tmp/out/summary.txt"
is "and none of the later ones" test ! -e "$tmp/out/gemm-later.log"
FAILS=later
export FAILS
on 10.0
is "a step that fails is told" grep -q '^not ok (1) - gemm-later,' "$tmp/out/summary.txt"
is "by the exit code too" [ "$rc/$(tail -n 1 "$tmp/out/summary.txt")" = 1/FAILED ]
FAILS=
rm "$tmp/b/tmap"
on 10.0
is "without the command its step is left out" grep -q 'SKIP gemm-command' "$tmp/out/summary.txt"
is "and the others pass" [ "$rc" = 0 ]
