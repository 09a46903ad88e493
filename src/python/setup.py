"""Builds libtmap's extension modules from the sources of the tree; pyproject.toml says the rest.

The C sources are copied from the tree into csrc/, which an sdist carries, and compiled once, into a
static archive that each extension links. They leave the tree again at the end.
"""

import atexit
import os
import pathlib
import shutil
import sys
import sysconfig

from setuptools import setup

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
SOURCES = ["Makefile", "include", *(f"src/{d}" for d in "rules expr core solve emulate symbolic io".split())]


def clean():
    for name in ("csrc", "build"):
        shutil.rmtree(HERE / name, ignore_errors=True)


def stage():
    """csrc/ anew from the tree; what an sdist brought is left as it is."""
    if not (TREE / "src" / "rules").is_dir():
        return
    clean()
    atexit.register(clean)
    for name in SOURCES:
        target = HERE / "csrc" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (TREE / name).is_dir() else shutil.copy2)(TREE / name, target)


os.chdir(HERE)
stage()
sys.path.insert(0, str(HERE))
import build_ffi  # noqa: E402

for missing in build_ffi.missing():
    print(f"libtmap: {missing}", file=sys.stderr)

# cffi builds against the limited API of CPython, so one wheel is for all versions from 3.9 on.
limited = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")

setup(
    version=build_ffi.version(),
    options={"bdist_wheel": {"py_limited_api": "cp39"}} if limited else {},
    libraries=[("tmap-python", build_ffi.archive())],
    cffi_modules=[f"build_ffi.py:{name}" for name in build_ffi.modules()],
)
