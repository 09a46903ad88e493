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
    "$nvcc" -std=c++17 -O3 -gencode=arch=compute_90a,code=compute_90a -Isrc -Iinclude "$@" -ptx \
        -o "$dir/order.ptx" tests/device/gemm/order.cu || { echo "does not compile"; return; }
    python3 tests/kernels/order.py "$dir/order.ptx" | grep -e -fence -e watchdog -e kernel
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
echo 1..3
exit $failed
