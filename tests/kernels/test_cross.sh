#!/bin/sh
# The copy suite for the architectures after Hopper: compiled without a warning, every kernel holds
# what it must (src/kernels/runtime/expect.def), and the kernels are the same ones, but copy_multicast, which
# sm_120 cannot have. Nothing is run: no such GPU was at hand.
B=${B:-build} n=0 tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$(dirname "$0")/../.." || exit 2
result() { n=$((n + 1)); if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; echo "$3" | head -20 | sed 's/^/# /'; fi; }
if ! ls "$B"/cross/sm_*/*.cubin >/dev/null 2>&1; then
    echo "ok 1 # SKIP kernels for other architectures: the build had no CUDA compiler"
    exit 0
fi
kernels() { for f in "$@"; do "$B/tmap" kernels scan "$f" 2>/dev/null; done | sed -n 's/^  \([a-z_0-9]*\) sm_.*/\1/p' | sort; }
kernels "$B"/src/kernels/copy/*.fatbin | sort -u >"$tmp/hopper"
for arch in sm_100a sm_103a sm_120a sm_121a; do
    out=$("$B/tmap" kernels scan "$B/cross/$arch"/*.cubin 2>&1); rc=$?
    result "$arch: every kernel holds what it must" $rc "$(echo "$out" | grep '^tmap')"
    bad=$(echo "$out" | sed -n 's/^  [a-z_0-9]* \(sm_[0-9]*\):.*/\1/p' | sort -u | grep -vx "${arch%a}")
    [ -z "$bad" ]; result "$arch: the code is the architecture's" $? "$bad"
    case $arch in sm_12*) grep -vE '^(faulty_)?copy_multicast$' "$tmp/hopper" ;; *) cat "$tmp/hopper" ;; esac >"$tmp/due"
    kernels "$B/cross/$arch"/*.cubin | diff "$tmp/due" - >"$tmp/diff"
    result "$arch: the kernels are Hopper's$(case $arch in sm_12*) echo ' but the multicast' ;; esac)" $? "$(cat "$tmp/diff")"
done
# A fatbin of several architectures is read whole.
fatbinary=$(command -v fatbinary || ls /usr/local/cuda/bin/fatbinary 2>/dev/null)
if [ -n "$fatbinary" ]; then
    "$fatbinary" -64 --create="$tmp/two.fatbin" "--image3=kind=elf,sm=100a,file=$B/cross/sm_100a/reference.cubin" \
        "--image3=kind=elf,sm=120a,file=$B/cross/sm_120a/reference.cubin" >"$tmp/log" 2>&1
    both=$("$B/tmap" kernels scan "$tmp/two.fatbin" | sed -n 's/^  [a-z_0-9]* \(sm_[0-9]*\):.*/\1/p' | sort | uniq -c | tr -s ' \n' ' ')
    each=$(kernels "$B/cross/sm_100a/reference.cubin" | wc -l)
    [ "$both" = " $each sm_100 $each sm_120 " ]; result "a fatbin of two architectures is read whole" $? "$both"
    "$fatbinary" -64 --create="$tmp/small.fatbin" --compress-all --compress-mode=size \
        "--image3=kind=elf,sm=100a,file=$B/cross/sm_100a/reference.cubin" >"$tmp/log" 2>&1
    "$B/tmap" kernels scan "$tmp/small.fatbin" >"$tmp/log" 2>&1
    [ $? = 2 ] && grep -q compressed "$tmp/log"; result "one compressed by Zstandard is refused with words" $? "$(cat "$tmp/log")"
    for mode in none speed; do
        "$fatbinary" -64 --create="$tmp/$mode.fatbin" --compress-all --compress-mode=$mode \
            "--image3=kind=elf,sm=100a,file=$B/cross/sm_100a/reference.cubin" >"$tmp/log" 2>&1
        "$B/tmap" kernels scan "$tmp/$mode.fatbin" | sed 1s/.*fnv/fnv/ >"$tmp/$mode.scan"
    done
    [ -s "$tmp/speed.scan" ] && cmp -s "$tmp/none.scan" "$tmp/speed.scan"; result "one compressed by LZ4 is read as it was" $?
fi
echo "1..$n"
