#!/bin/sh
# The trees that correct the cost model were learnt of the constants and facts that it has now.
cd "$(dirname "$0")/../.." || exit 2
trees=src/kernels/gemm/residual_trees.def
sum=$(sh bench/gemm/fit/learnt_of.sh)
if grep -qx "/\* Constants and facts: $sum \*/" $trees; then
    echo "ok 1 - the trees were learnt of the model's constants"
else
    echo "not ok 1 - the trees were learnt of the model's constants"
    echo "# the model's constants or residual_features.def have changed, whose sum is $sum now;"
    echo "# learn $trees anew (bench/gemm/fit/learn.py)"
fi
echo 1..1
