#!/bin/sh
# Writes fitted constants ("NAME = value" lines on standard input) into the model's source.
#   put.sh src/kernels/gemm/model_constants.h < fit.out
while read -r name is value; do
    [ "$is" = "=" ] && sed -i -E "s|^(static const double $name = )[^;]*;|\1$value;|" "$1"
done
exit 0
