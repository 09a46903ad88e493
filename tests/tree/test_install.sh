#!/bin/sh
# make install into an empty tree; a program built against what lies there, shared and static, with
# what pkg-config says; uninstall leaves nothing. Where pkg-config is missing, the .pc file is read
# by hand: the same lines.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d) CC=${CC:-cc}
trap 'rm -rf "$tmp"' EXIT
case $B in *asan*) mode=asan ;; *debug*) mode=debug ;; *) mode=release ;; esac
[ $mode = asan ] && san='-fsanitize=address,undefined' || san=
check() { # check NAME COMMAND...
    n=$((n + 1)) name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then echo "ok $n - $name"
    else echo "not ok $n - $name"; tail -5 "$tmp/log" | sed 's/^/# /'; fi
}
stage=$tmp/stage prefix=/opt/tmap
unset MAKEFLAGS MAKELEVEL
check "make install DESTDIR= PREFIX=" make -s install MODE=$mode DESTDIR="$stage" PREFIX=$prefix
root=$stage$prefix
for f in bin/tmap include/tmap/tmap.h lib/libtmap.a lib/libtmap.so lib/libtmap.so.0 lib/pkgconfig/tmap.pc; do
    check "installs $f" test -e "$root/$f"
done

if command -v pkg-config >/dev/null 2>&1; then
    flags() { PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$stage pkg-config "$@" tmap; }
    cflags=$(flags --cflags) libs=$(flags --libs)
    check "pkg-config knows the version" test "$(flags --modversion)" = "${VERSION:-$(flags --modversion)}"
else
    field() { sed -n "s|^$1: *||p" "$root/lib/pkgconfig/tmap.pc" | sed "s|\${prefix}|$root|g; s|\${libdir}|$root/lib|g; s|\${includedir}|$root/include|g"; }
    cflags=$(field Cflags) libs=$(field Libs)
    check "the .pc file says the version" test "$(field Version)" = "${VERSION:-$(field Version)}"
fi

cat >"$tmp/use.c" <<'C'
#include <stdio.h>
#include <tmap/tmap.h>
int main(void)
{
    struct tmap_desc d = {0};
    struct tmap_target t = tmap_default_target();
    struct tmap_violation v[64];
    size_t found = 0;
    d.dtype = TMAP_BFLOAT16;
    d.rank = 2;
    d.dim[0] = d.dim[1] = 1024;
    d.stride_bytes[0] = 2056;
    d.box[0] = d.box[1] = 64;
    d.elem_stride[0] = d.elem_stride[1] = 1;
    if (tmap_check(&d, &t, TMAP_CONTRACT_SAFE, v, 64, &found) != TMAP_OK) return 2;
    for (size_t i = 0; i < found; i++) puts(tmap_row_id(v[i].row));
    return found == 0;
}
C
# shellcheck disable=SC2086
check "a program links the shared library" $CC $san -o "$tmp/shared" "$tmp/use.c" $cflags $libs
check "and finds what is wrong" env LD_LIBRARY_PATH="$root/lib" "$tmp/shared"
# shellcheck disable=SC2086
check "a program links the static library" $CC $san -o "$tmp/static" "$tmp/use.c" $cflags "$root/lib/libtmap.a"
check "with the same answer" sh -c "[ \"\$('$tmp/static')\" = \"\$(LD_LIBRARY_PATH='$root/lib' '$tmp/shared')\" ]"
check "the installed command runs" "$root/bin/tmap" --version
make -s uninstall MODE=$mode DESTDIR="$stage" PREFIX=$prefix >"$tmp/log" 2>&1
check "uninstall leaves no file" test -z "$(find "$stage" -type f -o -type l)"
echo "1..$n"
