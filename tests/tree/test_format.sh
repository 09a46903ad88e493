#!/bin/sh
# The sources are as clang-format leaves them (.clang-format). Versions differ in opinion, so only
# the one of Debian 12 is asked.
cd "$(dirname "$0")/../.." || exit 2
echo "1..1"
if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    echo "ok 1 # SKIP formatting: there is no clang-format 14"
    exit 0
fi
bad=$(find src include tests bench examples \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) |
    sort | xargs clang-format -n 2>&1 | grep -oE '^[^: ]*\.(c|h|cu|cuh):[0-9]+' | sort -u)
if [ -z "$bad" ]; then echo "ok 1 - formatting"
else echo "not ok 1 - formatting: clang-format -i these"; echo "$bad" | sed 's/^/# /'; fi
