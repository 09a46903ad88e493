#!/bin/sh
# The fences that the GEMM kernels need but a GPU does not miss (tests/device/gemm/faults), on every
# path through their PTX; and that the reader (tests/kernels/order.py) sees each of them missing.
# Needs nvcc, no GPU.
nvcc=${NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
if [ -z "$nvcc" ]; then
    echo "ok 1 # SKIP gemm order: no nvcc"
    echo 1..1
    exit 0
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# broken FLAGS...: the rules of fences and of waits that the kernels compiled so break. (How a panel is
# waited for is the faults' business: it shows.)
broken() {
    "$nvcc" -std=c++17 -O3 -gencode=arch=compute_90a,code=compute_90a ${edited:+-I"$edited"} -Isrc -Iinclude "$@" -ptx \
        -o "$dir/order.ptx" tests/device/gemm/order.cu || { echo "does not compile"; return; }
    python3 tests/kernels/order.py "$dir/order.ptx" | grep -e -fence -e launch-order -e watchdog -e kernel
}
say() { # OK NUMBER TEXT
    [ "$1" = yes ] || failed=1
    echo "$([ "$1" = yes ] && echo ok || echo not ok) $2 - $3"
}
case $(broken) in "") good=yes ;; *) good=no ;; esac
say $good 1 "gemm order: no fence is out of order, every wait gives up"
case $(broken -DGEMM_PLANT=1) in *proxy-fence*) good=yes ;; *) good=no ;; esac
say $good 2 "gemm order: a missing proxy fence before the store is seen"
case $(broken -DGEMM_PLANT=2) in *init-fence*) good=yes ;; *) good=no ;; esac
say $good 3 "gemm order: a missing fence after mbarrier.init is seen"
# without NUMBER FILE KERNELS: a wait for the predecessor's end taken out of that file; those kernels
# are then found, and no other.
without() {
    edited=$dir/without
    mkdir -p "$edited/kernels/gemm" && cp -r src/kernels/gemm/sm90 "$edited/kernels/gemm"
    grep -v 'ptx::grid_wait()' "src/kernels/gemm/sm90/$2" >"$edited/kernels/gemm/sm90/$2"
    found=$(broken | awk '$2 == "launch-order" { print $1 }' | sort | tr '\n' ' ')
    [ "$found" = "$3 " ] && good=yes || good=no
    say $good "$1" "gemm order: $2 without griddepcontrol.wait is seen (in $found)"
    rm -r "$edited"
}
without 4 kernel.cuh "order_pingpong order_promote order_sum"
without 5 groups.cuh order_group
echo 1..5
exit $failed
