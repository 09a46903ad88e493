#!/bin/sh
# The order of fences, waits and copies in the copy kernels, on every path (order.py); and that each
# rule finds its fault: the same kernels with one line taken out. These are the faults of
# tests/device/controls.c that a GPU need not show.
here=$(dirname "$0") top=$(dirname "$0")/../..
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -z "$nvcc" ]; then
    echo "ok 1 # SKIP order of the copy kernels: there is no nvcc here"
    echo "1..1"
    exit 0
fi
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
n=0

# rules FILE: what order.py finds in it, on one line.
rules() {
    "$nvcc" -std=c++17 -O3 -gencode arch=compute_90a,code=compute_90a -I"$dir" -I"$top/src" \
        -I"$top/include" -ptx -o "$dir/out.ptx" "$1" 2>"$dir/err" || { echo "does not compile"; return; }
    python3 "$here/order.py" "$dir/out.ptx" | awk '{ print $2 }' | sort -u | tr '\n' ' ' | sed 's/ $//'
}

verdict() { # NAME RULE FOUND: that rule is among the broken ones; none is where RULE is empty
    n=$((n + 1))
    case "$2:$3" in
    : | ?*:*"$2"*) echo "ok $n - $1" ;;
    *) echo "not ok $n - $1: '$3', not '$2'" ;;
    esac
}

for f in copy special transpose; do
    verdict "$f.cu keeps the order on every path" "" "$(rules "$top/src/kernels/copy/$f.cu")"
done

# without NAME RULE FILE EDITED PATTERN: the kernels of FILE with the lines of EDITED that match
# PATTERN taken out.
without() {
    mkdir -p "$dir/kernels/copy" "$dir/kernels/ptx"
    grep -v "$5" "$top/src/kernels/copy/$4" >"$dir/kernels/copy/$4"
    cmp -s "$dir/kernels/copy/$4" "$top/src/kernels/copy/$4" && echo "# $5 is not in $4"
    cp "$top"/src/kernels/ptx/copy.cuh "$dir/kernels/ptx" # which an edited ptx.cuh includes
    [ "$4" = "$3" ] || cp "$top/src/kernels/copy/$3" "$dir/kernels/copy/$3"
    verdict "$1 is found" "$2" "$(rules "$dir/kernels/copy/$3")"
    rm -r "$dir/kernels"
}
without "a missing proxy fence" proxy-fence transpose.cu transpose.cu 'ptx::fence_proxy_async()'
without "a missing fence after mbarrier.init" init-fence transpose.cu transpose.cu fence_mbarrier_init
without "the same in the ring" init-fence copy.cu ring.cuh fence_mbarrier_init
without "a missing acquire" descriptor-fence special.cu special.cu 'ptx::tensormap_acquire('
without "a missing release" descriptor-fence special.cu special.cu 'ptx::tensormap_publish('
without "a missing drain" drain copy.cu ring.cuh 'bulk_wait<0>'
without "a slot refilled too early" reuse copy.cu ring.cuh 'bulk_wait_read<LAG>'
without "an output slot rewritten too early" reuse transpose.cu transpose.cu 'bulk_wait_read<1>'
without "a wait that never gives up" watchdog transpose.cu ../ptx/ptx.cuh '__trap()'
echo "1..$n"
