"""tmap's products for the chips after Hopper beside Triton's, of the same operands on the same emulator: TAP.

Small integers have to be equal bitwise, and of numbers that are no integers as well: both multiply the same
K in one instruction, in the same order.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

import run
from triton_cases import Case, block_scaled, integers, mmd, mmi, product

# kind, Triton's type, its tile, chip, source of tmap's kernels; of scaled kinds the formats and their block
PLAIN = [("bf16", "bf16", (128, 128, 64), 100, "f16"), ("bf16", "bf16", (128, 256, 64), 100, "f16"),
         ("f16", "fp16", (128, 128, 64), 100, "f16"), ("e4m3", "fp8e4nv", (128, 128, 128), 100, "f8f6f4"),
         ("e5m2", "fp8e5", (128, 64, 64), 100, "f8f6f4"),
         ("bf16", "bf16", (128, 64, 64), 120, "bf16"), ("f16", "fp16", (64, 64, 64), 120, "f16"),
         ("e4m3", "fp8e4nv", (64, 64, 64), 120, "e4m3"), ("s8", "i8", (64, 64, 64), 120, "s8")]
SCALED = [("mxf8", "e4m3", "e4m3", 32, 100, "mxf8f6f4"), ("mxf8", "e4m3", "e4m3", 32, 120, "mxf8"),
          ("mxf8e4m3e5m2", "e4m3", "e5m2", 32, 100, "mxf8f6f4"), ("mxf8e4m3e5m2", "e4m3", "e5m2", 32, 120, "mxf8"),
          ("mxf4", "e2m1", "e2m1", 32, 100, "mxf4"), ("nvf4", "e2m1", "e2m1", 16, 100, "mxf4"),
          ("mxf4", "e2m1", "e2m1", 32, 120, "mxf4"), ("nvf4", "e2m1", "e2m1", 16, 120, "nvf4")]
TRITON = {"e4m3": "fp8e4nv", "e5m2": "fp8e5", "e2m1": "u8"}  # of the latter two are a byte


def tiled(factors):
    """Rows of factors as cublasLt has them: 128 rows and 4 of K a tile, of which byte 16 (r mod 32) + 4 (r / 32) + j."""
    rows, count = factors.shape
    whole = numpy.zeros((-(-rows // 128) * 128, -(-count // 4) * 4), numpy.uint8)
    whole[:rows, :count] = factors
    tiles = whole.reshape(len(whole) // 128, 4, 32, -1, 4)
    return numpy.ascontiguousarray(tiles.transpose(0, 3, 2, 1, 4))


def ours(kind, arch, source, shape, arrays):
    """D of tmap's kernel for the operands' bytes."""
    with tempfile.TemporaryDirectory() as folder:
        for name, array in zip(("a", "b", "sa", "sb"), arrays):
            (pathlib.Path(folder) / name).write_bytes(array.tobytes())
        ran = subprocess.run([str(run.BUILD / "tests/emulate/beside"), folder, kind, str(arch // 10), *map(str, shape),
                              f"src/kernels/gemm/sm{arch}/{source}"], text=True, capture_output=True,
                             env=dict(os.environ, B=str(run.BUILD)))
        if ran.returncode:
            raise RuntimeError(f"tmap's: exit {ran.returncode} {ran.stdout[:300]} {ran.stderr[:300]}")
        return numpy.fromfile(f"{folder}/d", numpy.uint32)


def theirs(lib, case, d):
    d.view(numpy.uint32)[...] = 0xffffffff
    ran = run.launch(lib, case.ptx, case.args, case.grid, case.warps, case.smem)
    if not ran.finished:
        raise RuntimeError(f"Triton's: {ran.findings[:1]}")
    return d.view(numpy.uint32).ravel()


def refilled(operands, dtypes, rng, fill):
    """Operands' bytes in place."""
    for array, dtype in zip(operands, dtypes):
        if dtype == "u8":
            codes = [0xc, 0xa, 0, 2] if fill == "integers" else range(16)
            array[...] = rng.choice(codes, array.shape) | rng.choice(codes, array.shape) << 4
        elif fill == "integers":
            array[...] = run.codes(integers(rng, *array.shape), dtype)
        elif dtype in run.KEY:
            usable = [c for c, v in run.SMALL[run.KEY[dtype]].items() if 0.01 <= abs(v) <= 8]
            array[...] = rng.choice(usable, array.shape)
        elif dtype == "i8":
            array[...] = rng.integers(-128, 128, array.shape)
        else:
            values = rng.standard_normal(array.shape).astype(numpy.float32)
            array[...] = run.codes(values, dtype)


def compared(lib, case, kind, dtypes, source, factors):
    """(fill, elements, how many differ bitwise) of one kernel."""
    rng = numpy.random.default_rng(41)
    case.compile()
    a, b = operand(case, 0), operand(case, 1)
    d, k = case.wanted[0][0], a.shape[1] * (2 if dtypes[0] == "u8" else 1)
    scales = case.args[10:12] if factors else []
    for fill in ("integers", "others"):
        refilled((a, b), dtypes, rng, fill)
        for array in scales:
            array[...] = rng.choice([0x30, 0x38, 0x40] if kind == "nvf4" else [126, 127, 128], array.shape)
        them = theirs(lib, case, d)
        us = ours(kind, case.arch, source, (len(a), len(b), k), [a, b, *map(tiled, scales)])
        yield fill, len(us), int((us != them).sum())
    b[0] = b[1]  # of tmap's alone
    us = ours(kind, case.arch, source, (len(a), len(b), k), [a, b, *map(tiled, scales)])
    if not (us != them).any():
        raise RuntimeError("another row of B is not seen")


def operand(case, which):
    """Triton's arguments begin with A and B, each an array, or a map with shape and strides."""
    arrays = [getattr(x, "array", x) for x in case.args]
    return [x for x in arrays if isinstance(x, numpy.ndarray)][which]


def cases():
    for kind, dtype, (bm, bn, bk), arch, source in PLAIN:
        fn = mmi if dtype == "i8" else mmd
        case = Case(f"{kind}_{bm}x{bn}", arch, product(fn, dtype, arch, bm, bn, bk, 4, 2))
        yield case, kind, (dtype, dtype), source, False
    for kind, a, b, block, arch, source in SCALED:
        case = Case(f"{kind}_128x128", arch, block_scaled(a, b, arch, block))
        yield case, kind, (TRITON[a], TRITON[b]), source, True


def main():
    lib, number, bad = run.library(), 0, 0
    for case, kind, dtypes, source, factors in cases():
        try:
            found = list(compared(lib, case, kind, dtypes, source, factors))
        except Exception as e:  # what cannot be compiled or run is a row, too
            found = [(f"{type(e).__name__}: {str(e)[:300]}".replace("\n", " "), 0, 1)]
        for fill, elements, differ in found:
            number += 1
            bad += differ != 0
            print(f"{'not ok' if differ else 'ok'} {number} - {case.name}, {fill}: {elements} elements of D, "
                  f"{differ} unlike Triton's", flush=True)
    print(f"1..{number}")
    return bad != 0


sys.exit(main())
