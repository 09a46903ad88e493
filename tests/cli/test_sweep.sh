#!/bin/sh
# A few commands with what can go wrong around them; make sweep does all of them, and every allocation.
cd "$(dirname "$0")/../.." || exit 2
command -v python3 >/dev/null || { echo "ok 1 # SKIP sweep: python3"; echo "1..1"; exit 0; }
exec python3 tests/cli/sweep.py --sample 12 --every 97 --signals 4 "${B:-build}"
