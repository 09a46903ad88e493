#!/bin/sh
# The same bad input under the address and undefined-behaviour sanitizers. Builds that command, in a
# folder of its own, without the kernels: they read no input.
cd "$(dirname "$0")/../.." || exit 2
case ${B:-build} in
*asan*) echo "ok 1 - this build is the sanitizers': test_bad_input.sh has run under them" ;;
*)
    here=build/asan-input
    if log=$(make -s -j2 MODE=asan WITH_CUDA= B=$here $here/tmap 2>&1); then
        B=$here exec tests/cli/test_bad_input.sh
    fi
    echo "not ok 1 - the command does not build with the sanitizers"
    echo "$log" | tail -5 | sed 's/^/# /'
    ;;
esac
