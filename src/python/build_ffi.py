"""What cffi compiles: the declarations are the public headers themselves, preprocessed.

Four extension modules, so that each needs only its own libraries, and one that finds its library when it
runs:
  _core   libtmap: check, encode, decode, layout, repair, solve, prune (libc)
  _emu    libtmap-emulate: kernels on the CPU (libc)
  _isl    libtmap-symbolic: conditions and guards (isl; Z3 is loaded at run time)
  _io     logs, rules in words, pictures (jansson)
  _gemm   libtmap-cuda: matrix products (loaded when one is asked for)
"""

import functools
import os
import pathlib
import re
import subprocess
import sysconfig
import tempfile

import cffi

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE / "csrc"
INCLUDE = [str(TREE / "include"), str(TREE / "src"), str(HERE)]
CC = (sysconfig.get_config_var("CC") or "cc").split()


def version():
    return re.search(r"^VERSION\s*:=\s*(\S+)", (TREE / "Makefile").read_text(), re.M).group(1)


def defines():
    old = ["-include", str(HERE / "old_glibc.h")] if os.environ.get("LIBTMAP_MANYLINUX") else []
    return ["-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", f'-DTMAP_VERSION_STRING="{version()}"', *old]


def sources(*folders):
    """As setuptools wants them: relative to setup.py."""
    return sorted(os.path.relpath(f, HERE) for folder in folders
                  for f in (TREE / "src" / folder).rglob("*.c"))


def archive():
    return {
        "sources": sources("expr", "core", "solve"),
        "include_dirs": INCLUDE,
        "cflags": ["-std=c11", "-O2", "-fvisibility=hidden", *defines()],
    }


# --- what is there ----------------------------------------------------------------------------


@functools.lru_cache(None)
def has_header(name):
    run = subprocess.run([*CC, "-E", "-x", "c", "-"], input=f"#include <{name}>\n", text=True,
                         capture_output=True)
    return run.returncode == 0


def modules():
    return ["core", "emu", "gemm"] + ["isl"] * has_header("isl/ctx.h") + ["io"] * has_header("jansson.h")


def missing():
    if not has_header("isl/ctx.h"):
        yield "no isl (libisl-dev): condition() will not be there"
    if not has_header("jansson.h"):
        yield "no jansson (libjansson-dev): explain(), from_log() and pictures will not be there"


# --- declarations -----------------------------------------------------------------------------


def declarations(*headers):
    """The headers as cffi reads them: no includes of the system's, no attributes, no comments."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            pathlib.Path(empty, name).touch()
        text = "".join(f'#include "{h}"\n' for h in headers)
        run = subprocess.run([*CC, "-E", "-P", "-nostdinc", "-U__GNUC__", "-x", "c", f"-I{empty}",
                              f"-I{TREE / 'include'}", "-"], input=text, text=True,
                             capture_output=True, check=True)
    return run.stdout


def constants(*headers):
    """The integer macros, which the preprocessor has put in where they are used."""
    for header in headers:
        for name in re.findall(r"^#define (TMAP_[A-Z0-9_]+) +[(\d]", (TREE / "include" / header).read_text(),
                               re.M):
            yield f"#define {name} ...\n"


NAMES = """
struct libtmap_name { const char *text; int value; int smem_bits, gmem_bits; };
extern const struct libtmap_name libtmap_dtypes[], libtmap_interleaves[], libtmap_swizzles[],
    libtmap_promotions[], libtmap_fills[], libtmap_modes[];
"""

CORE_SOURCE = """
#include "tmap/solve.h"
#include "tmap/tmap.h"
#include "names.h"
"""
CORE_HEADERS = ("tmap/tmap.h", "tmap/solve.h")

core = cffi.FFI()
core.cdef(declarations(*CORE_HEADERS) + "".join(constants(*CORE_HEADERS)) + NAMES)
core.set_source("libtmap._core", CORE_SOURCE, include_dirs=INCLUDE)

emu = cffi.FFI()
emu.include(core)
emu.cdef(declarations("tmap/emulate.h").replace(declarations("tmap/tmap.h"), ""))
emu.set_source("libtmap._emu", CORE_SOURCE + '#include "tmap/emulate.h"\n', sources=sources("emulate"),
               include_dirs=INCLUDE, extra_compile_args=["-std=c11", "-O2", "-fvisibility=hidden", *defines()],
               libraries=["m"])

gemm = cffi.FFI()
gemm.cdef(declarations("tmap/kernels.h"))
gemm.set_source("libtmap._gemm", None)

if "isl" in modules():
    isl = cffi.FFI()
    isl.include(core)
    known = declarations("tmap/tmap.h")
    isl.cdef(declarations("tmap/symbolic.h").replace(known, ""))
    isl.set_source("libtmap._isl", CORE_SOURCE + '#include "tmap/symbolic.h"\n',
                   sources=sources("symbolic"), include_dirs=INCLUDE,
                   extra_compile_args=["-fvisibility=hidden", "-DTMAP_WITH_ISL",
                                       *["-DTMAP_WITH_Z3"] * has_header("z3.h"), *defines()],
                   libraries=["isl", "dl"],
                   extra_link_args=["-Wl,--no-as-needed", "-l:libdl.so.2"] if os.environ.get("LIBTMAP_MANYLINUX")
                   else [])

if "io" in modules():
    io = cffi.FFI()
    io.include(core)
    io.cdef((HERE / "bridge.h").read_text())
    io.set_source("libtmap._io", CORE_SOURCE + '#include "bridge.h"\n',
                  sources=[*sources("io"), "bridge.c"], include_dirs=INCLUDE,
                  extra_compile_args=["-fvisibility=hidden", *defines()], libraries=["jansson", "m"])
