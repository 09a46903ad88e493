#!/bin/sh
# make install: what lies where, the programs of examples/ built against it through pkg-config and CMake,
# shared and static, and run; manual pages, completions, schemas; uninstall leaves nothing. Installs
# what is built: nothing is built again.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build} n=0 tmp=$(mktemp -d) CC=${CC:-cc}
trap 'rm -rf "$tmp"' EXIT
case $B in *asan*) mode=asan san=-fsanitize=address,undefined ;; *debug*) mode=debug san= ;; *) mode=release san= ;; esac
unset MAKEFLAGS MAKELEVEL
export TMAP_LIBCUDA=/nonexistent/libcuda.so.1
ok() { n=$((n + 1)); echo "ok $n - $1"; }
bad() { n=$((n + 1)); echo "not ok $n - $1"; [ -z "$2" ] || tail -8 "$2" | sed 's/^/# /'; }
skip() { n=$((n + 1)); echo "ok $n # SKIP $1: $2"; }
check() { # check NAME COMMAND...
    name=$1; shift
    if "$@" >"$tmp/log" 2>&1; then ok "$name"; else bad "$name" "$tmp/log"; fi
}
install_to() { make -s install-files B="$B" MODE=$mode "$@"; }

# --- where things go ---------------------------------------------------------------------------
built=$(stat -c %Y "$B/tmap")
check "make install DESTDIR= PREFIX= LIBDIR=" install_to DESTDIR="$tmp/stage" PREFIX=/opt/one LIBDIR=/opt/one/lib64
for f in bin/tmap include/tmap/tmap.h include/tmap/tmap.hpp lib64/libtmap.a lib64/libtmap.so lib64/libtmap.so.0 \
    lib64/libtmap-symbolic.a lib64/libtmap-cuda.so.0 lib64/pkgconfig/tmap.pc lib64/pkgconfig/tmap-cuda.pc \
    lib64/cmake/tmap/tmap-config.cmake lib/libtmap-trace.so share/tmap/schema/descriptor.json; do
    check "installs $f" test -e "$tmp/stage/opt/one/$f"
done
check "nothing names the staging folder" sh -c "! grep -rlF '$tmp' '$tmp/stage/opt/one/lib64/pkgconfig' '$tmp/stage/opt/one/lib64/cmake'"
check "the .pc file says where" grep -qx 'prefix=/opt/one' "$tmp/stage/opt/one/lib64/pkgconfig/tmap.pc"
root=$tmp/root
check "make install of another PREFIX" install_to PREFIX="$root"
[ -e "$root/lib/libtmap.a" ] || { echo "1..$n"; exit 1; }
check "its .pc file is not the first one's" grep -qx "prefix=$root" "$root/lib/pkgconfig/tmap.pc"
check "nothing is built again" test "$(stat -c %Y "$B/tmap")" = "$built"
check "the installed command runs" "$root/bin/tmap" --version
for family in sm90 sm100 sm120; do
    check "it finds the kernels of $family" sh -c "'$root/bin/tmap' kernels list | grep -q 'image gemm/$family/'"
done
for f in include/tmap/*.h include/tmap/*.hpp; do [ -e "$root/include/tmap/${f##*/}" ] || bad "$f is not installed"; done

# --- the examples -------------------------------------------------------------------------------
has_isl() { nm "$B/libtmap-symbolic.a" 2>/dev/null | grep -q 'U isl_ctx_alloc'; }
parts() { sed -n 's|^ [*] libs: ||p' "$1"; }
usable() { case " $(parts "$1") " in *" tmap-symbolic "*) has_isl ;; esac; }
compare() { # compare NAME HOW: the program prints what tests/examples has
    if LD_LIBRARY_PATH="$root/lib" "$tmp/$1" >"$tmp/out" 2>&1 && cmp -s "$tmp/out" "tests/examples/$1.out"; then
        ok "$1, $2"
    else
        diff "tests/examples/$1.out" "$tmp/out" >"$tmp/log" 2>&1
        bad "$1, $2" "$tmp/log"
    fi
}
mkdir "$tmp/static" && cp "$root"/lib/*.a "$tmp/static"
through_pkg_config() { # through_pkg_config shared|static [FLAG...]
    kind=$1; shift
    for source in examples/*.c; do
        usable "$source" || continue
        name=$(basename "$source" .c)
        # shellcheck disable=SC2046,SC2086
        if PKG_CONFIG_PATH=$root/lib/pkgconfig $CC -std=c11 $san -o "$tmp/$name" "$source" \
            $(PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config --cflags --libs "$@" $(parts "$source") tmap) -lm 2>"$tmp/log"; then
            compare "$name" "pkg-config, $kind"
        else bad "$name, pkg-config, $kind" "$tmp/log"; fi
        rm -f "$tmp/$name"
    done
}
through_cmake() { # through_cmake shared|static ON|OFF
    mkdir -p "$tmp/cmake" && {
        echo 'cmake_minimum_required(VERSION 3.13)'
        echo "project(examples C)"
        [ -z "$san" ] || echo "add_compile_options($san)
add_link_options($san)"
        echo "set(tmap_USE_STATIC_LIBS $2)"
        echo "find_package(tmap 0.1 REQUIRED COMPONENTS symbolic cuda)"
        for source in examples/*.c; do
            usable "$source" || continue
            echo "add_executable($(basename "$source" .c) $PWD/$source)"
            echo "target_link_libraries($(basename "$source" .c) tmap::tmap $(parts "$source" | sed 's/tmap-/tmap::/g') m)"
        done
    } >"$tmp/cmake/CMakeLists.txt"
    if cmake -S "$tmp/cmake" -B "$tmp/cmake/$1" -DCMAKE_PREFIX_PATH="$root" >"$tmp/log" 2>&1 &&
        cmake --build "$tmp/cmake/$1" >"$tmp/log" 2>&1; then
        for source in examples/*.c; do
            usable "$source" || continue
            name=$(basename "$source" .c)
            cp "$tmp/cmake/$1/$name" "$tmp/$name" && compare "$name" "CMake, $1"
        done
    else bad "CMake, $1" "$tmp/log"; fi
}
if command -v pkg-config >/dev/null; then
    check "pkg-config knows the version" test "$(PKG_CONFIG_PATH=$root/lib/pkgconfig pkg-config --modversion tmap-cuda)" = "${VERSION:-0.1.0}"
    through_pkg_config shared
    through_pkg_config static --static --define-variable=libdir="$tmp/static"
else skip "install through pkg-config" "no pkg-config"; fi
if command -v cmake >/dev/null; then
    through_cmake shared OFF
    through_cmake static ON
    ldd "$tmp/cmake/static/13_gemm" 2>/dev/null | grep -q libtmap && bad "a static program needs libtmap.so" || ok "a static program needs no libtmap.so"
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(x C)\nfind_package(tmap 9.9)\nif(tmap_FOUND)\nmessage(FATAL_ERROR found)\nendif()\n' >"$tmp/cmake/CMakeLists.txt"
    check "CMake refuses another version" cmake -S "$tmp/cmake" -B "$tmp/cmake/v" -DCMAKE_PREFIX_PATH="$root"
else skip "install through CMake" "no cmake"; fi

# --- what is generated --------------------------------------------------------------------------
man=$root/share/man
for c in $(sed -n 's/^COMMAND(\(.*\))/\1/p' src/cli/commands.def); do
    [ -s "$man/man1/tmap-$c.1" ] || bad "tmap $c has no manual page"
done
missing=$(for f in $(nm -D --defined-only "$B"/libtmap*.so | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | grep ^tmap_ | sort -u); do
    ! grep -qw "$f" include/tmap/*.h || [ -s "$man/man3/$f.3" ] || echo "$f"; done)
check "every public function has a manual page" test -z "$missing"
[ -z "$missing" ] || echo "# $missing"
check "a manual page says what the header says" grep -q 'Writes at most cap' "$man/man3/tmap_check_with.3"
if command -v man >/dev/null; then
    check "man reads every page without a warning" sh -c "for f in '$man'/man?/*; do MANWIDTH=80 man --warnings -E UTF-8 -l \"\$f\" 2>&1 >/dev/null | grep . && exit 1; done; true"
else skip "manual pages" "no man"; fi
cat >"$tmp/complete" <<'END'
. "$1/share/bash-completion/completions/tmap"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _tmap; echo "${COMPREPLY[*]}"; }
[ "$(try tmap expl)" = explain ] && [ "$(try tmap check --format js)" = "json jsonl" ] &&
    [ "$(try tmap check -f sa)" = sarif ] && [[ " $(try tmap check --a) " == *" --advise "* ]]
END
if command -v bash >/dev/null; then check "bash completes" bash "$tmp/complete" "$root"
else skip "bash completion" "no bash"; fi
if command -v zsh >/dev/null; then check "zsh reads its completion" zsh -n "$root/share/zsh/site-functions/_tmap"
else skip "zsh completion" "no zsh"; fi
if command -v fish >/dev/null; then check "fish reads its completion" fish -n "$root/share/fish/vendor_completions.d/tmap.fish"
else skip "fish completion" "no fish"; fi
ids=$(sed -n 's/.*"\$id": *"\([^"]*\)".*/\1/p' "$root"/share/tmap/schema/*.json | sort)
check "each schema has an \$id of its own" test "$(echo "$ids" | uniq | wc -l)" = "$(ls "$root"/share/tmap/schema/*.json | wc -l)"

# --- packages -----------------------------------------------------------------------------------
if command -v dpkg-deb >/dev/null && [ $mode = release ]; then
    install_to DESTDIR="$tmp/deb" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu >/dev/null 2>&1
    check "a .deb" src/install/deb "$tmp/deb" 0.1.0 "$(dpkg --print-architecture)" "$tmp/tmap.deb"
    check "its files" dpkg-deb -x "$tmp/tmap.deb" "$tmp/unpacked"
    check "its command runs" "$tmp/unpacked/usr/bin/tmap" --version
    check "its links are whole" test -e "$tmp/unpacked/usr/lib/x86_64-linux-gnu/libtmap.so"
    check "its needs are packages" sh -c "dpkg-deb -f '$tmp/tmap.deb' Depends | grep -q libc6"
else skip "a Debian package" "no dpkg-deb, or a build with sanitizers"; fi

make -s uninstall B="$B" MODE=$mode DESTDIR="$tmp/stage" PREFIX=/opt/one LIBDIR=/opt/one/lib64 >"$tmp/log" 2>&1
check "uninstall leaves no file" test -z "$(find "$tmp/stage" -type f -o -type l)"
echo "1..$n"
