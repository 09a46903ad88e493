#!/bin/sh
# A sum of what residual_trees.def was learnt of: the model's constants and the facts asked after.
cd "$(dirname "$0")/../../../src/kernels/gemm" || exit 2
sed -nE 's/^static const double ([A-Z_0-9]+ = [^;]+);.*/\1/p; s/^FEATURE\((.*)\)$/\1/p' \
    model_constants.h model_promoted.h residual_features.def | tr -d ' ' | cksum | cut -d' ' -f1
