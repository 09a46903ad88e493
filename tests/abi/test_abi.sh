#!/bin/sh
# Symbols, enumerators, structs and members against those of the last release (docs/ABI.md).
cd "$(dirname "$0")/../.." || exit 2
for tool in python3 nm readelf; do
    command -v $tool >/dev/null || { echo "ok 1 # SKIP what programs rely on: $tool"; echo "1..1"; exit 0; }
done
exec python3 tests/abi/dump.py "${B:-build}" tests/abi/0.1.0.txt
