#!/bin/sh
# The GEMM suite on this machine's GPU, a tenth of the shapes; all of them:
#   build/tests/device/gemm/verify
B=${B:-build}
"$B/tests/device/gemm/verify" quick
