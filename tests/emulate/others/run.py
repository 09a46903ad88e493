"""Kernels of other compilers on the emulator: types of numbers, tensor maps, one launch, a comparison."""
import ctypes
import json
import os
import pathlib
import shutil
import subprocess

import numpy

TREE = pathlib.Path(__file__).resolve().parents[3]
BUILD = TREE / os.environ.get("B", "build")
SCHEDULES = {"earliest": 0, "latest": 1, "random": 2}
MOST = 32
NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
SUFFIX = {90: "90a", 100: "100a", 120: "120a"}


class Error(ctypes.Structure):
    _fields_ = [("line", ctypes.c_uint32), ("text", ctypes.c_char * 200)]


class Buffer(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("data", ctypes.c_void_p),
                ("name", ctypes.c_char_p)]


class Launch(ctypes.Structure):
    _fields_ = [("kernel", ctypes.c_char_p), ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3),
                ("cluster", ctypes.c_uint32 * 3), ("smem_bytes", ctypes.c_uint32),
                ("params", ctypes.c_void_p), ("param_bytes", ctypes.c_size_t),
                ("buffers", ctypes.POINTER(Buffer)), ("buffer_count", ctypes.c_size_t),
                ("schedule", ctypes.c_int), ("seed", ctypes.c_uint64), ("budget", ctypes.c_uint64),
                ("residents", ctypes.c_uint32), ("no_races", ctypes.c_bool),
                ("tensor_fences", ctypes.c_bool), ("overlap", ctypes.c_bool)]


class Finding(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("line", ctypes.c_uint32), ("source_line", ctypes.c_uint32),
                ("file", ctypes.c_char_p), ("cta", ctypes.c_uint32), ("warp", ctypes.c_uint32),
                ("lane", ctypes.c_uint32), ("address", ctypes.c_uint64), ("text", ctypes.c_char * 400)]


class Result(ctypes.Structure):
    _fields_ = [("counts", ctypes.c_uint64 * 7), ("finished", ctypes.c_bool), ("basis", ctypes.c_int)]


def library():
    lib = ctypes.CDLL(str(BUILD / "libtmap-emulate.so"))
    lib.tmap_emulate_kind_name.restype = ctypes.c_char_p
    lib.tmap_emulate_kernel.restype = ctypes.c_char_p
    return lib


# --- numbers: what a code stands for, and the codes of small integers


def minifloat(exponent, mantissa, bias, finite):
    """Values of every code of a small floating type; not those of NaN and infinity."""
    values = {}
    for code in range(1 << (1 + exponent + mantissa)):
        e, m = code >> mantissa & ((1 << exponent) - 1), code & ((1 << mantissa) - 1)
        sign = -1.0 if code >> (exponent + mantissa) else 1.0
        if finite(e, m):
            values[code] = sign * (2.0 ** (e - bias) * (1 + m / (1 << mantissa)) if e else
                                   2.0 ** (1 - bias) * m / (1 << mantissa))
    return values


SMALL = {"e4m3": minifloat(4, 3, 7, lambda e, m: (e, m) != (15, 7)),
         "e5m2": minifloat(5, 2, 15, lambda e, m: e != 31), "e2m1": minifloat(2, 1, 1, lambda e, m: True)}
KEY = {"fp8e4nv": "e4m3", "fp8e5": "e5m2"}
MAP_TYPE = {"bf16": "BFLOAT16", "fp16": "FLOAT16", "fp32": "FLOAT32", "fp8e4nv": "UINT8", "fp8e5": "UINT8",
            "i8": "UINT8", "u8": "UINT8", "i32": "INT32"}
SIZE = {"bf16": 2, "fp16": 2, "fp32": 4, "fp8e4nv": 1, "fp8e5": 1, "i8": 1, "u8": 1, "i32": 4}


def codes(values, dtype):
    """Numbers as that type's bits; they are exact in it."""
    values = numpy.asarray(values, dtype=numpy.float32)
    if dtype == "bf16":
        return (values.view(numpy.uint32) >> 16).astype(numpy.uint16)
    if dtype == "fp16":
        return values.astype(numpy.float16).view(numpy.uint16)
    if dtype in KEY:
        table = {v: c for c, v in reversed(list(SMALL[KEY[dtype]].items()))}
        return numpy.vectorize(table.get, otypes=[numpy.uint8])(values)
    return values.astype({"fp32": numpy.float32, "i8": numpy.int8, "i32": numpy.int32}[dtype])


def numbers(bits, dtype):
    if dtype == "bf16":
        return (bits.astype(numpy.uint32) << 16).view(numpy.float32)
    return bits.view(numpy.float16).astype(numpy.float32) if dtype == "fp16" else bits


def aligned(array):
    """A copy whose memory begins at a multiple of 1024."""
    raw = numpy.zeros(array.nbytes + 1024, numpy.uint8)
    at = -raw.ctypes.data % 1024
    out = raw[at:at + array.nbytes].view(array.dtype).reshape(array.shape)
    out[...] = array
    return out


def integers(rng, rows, cols):
    return rng.integers(-2, 2, (rows, cols)).astype(numpy.float32)


# --- launches


class Case:
    """name, arch; build() compiles; then ptx, warps, smem, grid, args, and (array, wanted, bound) of what it leaves."""

    def __init__(self, name, arch, build):
        self.name, self.arch, self.build = f"{name}_sm{arch}", arch, build
        self.cluster = self.schedule = None

    def compile(self):
        self.build(self)
        return self

    def made(self, ptx, meta, grid, args, *wanted):
        warps = getattr(meta, "num_warps")
        found = [line for line in ptx.splitlines() if line.strip().startswith((".reqntid", ".maxntid"))]
        threads = int(found[0].split()[1].split(",")[0]) if found else 32 * warps
        self.ptx, self.warps, self.smem, self.grid = ptx, threads // 32, meta.shared, grid
        self.args, self.wanted = args, wanted
        scratch = aligned(numpy.zeros(1 << 16, numpy.uint8))
        self.args = list(args) + [scratch, scratch]


class Map:
    """A tensor map of an array's rows, as the compiler's metadata describes it, and what follows it
    among the parameters: shape and strides."""

    def __init__(self, array, dtype, box, swizzle, padded=False):
        self.array, self.dtype, self.box, self.swizzle, self.padded = array, dtype, box, swizzle, padded

    def bytes(self):
        shape = self.array.shape
        rows = [int(s) for s in self.array.strides[:-1]][::-1]
        scale = 2 if self.padded else 1
        box = [int(n) for n in self.box][::-1]
        said = {"kind": "tiled", "dtype": "16U4_ALIGN16B" if self.padded else MAP_TYPE[self.dtype],
                "rank": len(shape), "address": hex(self.array.ctypes.data),
                "dim": [shape[-1] * scale] + [int(n) for n in shape[:-1]][::-1], "stride": rows,
                "box": box, "elem_stride": [1] * len(shape),
                "swizzle": ["NONE", "32B", "64B", "128B"][self.swizzle]}
        return self.encoded(said)

    @staticmethod
    def encoded(said):
        run = subprocess.run([str(BUILD / "tmap"), "encode", "--format", "jsonl", "--arch", "sm_100a"],
                             input=json.dumps(said), text=True, capture_output=True)
        answer = json.loads(run.stdout)
        if "words" not in answer:
            raise RuntimeError(f"the map is {answer}: {said}")
        return b"".join(int(w, 16).to_bytes(8, "little") for w in answer["words"])


class Params:
    """A kernel's one parameter as bytes, and the arrays whose addresses it holds."""

    def __init__(self, raw, arrays):
        self.raw, self.arrays = raw, arrays


class Ran:
    def __init__(self, finished, findings, counts):
        self.finished, self.findings, self.counts = finished, findings, counts


def load(lib, ptx):
    module, why, raw = ctypes.c_void_p(), Error(), ptx.encode()
    if lib.tmap_emulate_load(raw, ctypes.c_size_t(len(raw)), ctypes.byref(module), ctypes.byref(why)):
        raise RuntimeError(f"line {why.line}: {why.text.decode(errors='replace')}")
    return module


def parameters(lib, module, kernel):
    """Where each parameter begins, and its bytes."""
    offset, size, align = ctypes.c_uint32(), ctypes.c_uint32(), ctypes.c_uint32()
    found = []
    while lib.tmap_emulate_param(module, kernel, ctypes.c_size_t(len(found)), ctypes.byref(offset),
                                 ctypes.byref(size), ctypes.byref(align)):
        found.append((offset.value, size.value))
    return found


def lay_out(lib, module, kernel, args):
    """Parameters' bytes. What the compiler adds for itself is 0."""
    params, places = b"", parameters(lib, module, kernel)
    for i, (offset, size) in enumerate(places):
        arg = args[i] if i < len(args) else 0
        if isinstance(arg, Map):
            raw = arg.bytes()
        elif isinstance(arg, Params):
            raw = arg.raw
        elif isinstance(arg, numpy.ndarray):
            raw = arg.ctypes.data.to_bytes(8, "little")
        elif isinstance(arg, float):
            raw = numpy.float32(arg).tobytes()
        else:
            raw = int(arg).to_bytes(size, "little", signed=True)
        params = params.ljust(offset, b"\0") + raw
    if len(places) < len(args):
        raise RuntimeError(f"{len(places)} parameters, and {len(args)} arguments")
    return params


def launch(lib, ptx, args, grid, warps, smem, schedule="latest", seed=1, budget=60000000, cluster=None):
    module = load(lib, ptx)
    kernel = lib.tmap_emulate_kernel(module, ctypes.c_size_t(0))
    params = ctypes.create_string_buffer(lay_out(lib, module, kernel, args))
    held = [a for x in args for a in (x.arrays if isinstance(x, Params) else [getattr(x, "array", x)])]
    arrays = {id(a): a for a in held if isinstance(a, numpy.ndarray)}.values()
    buffers = (Buffer * max(len(arrays), 1))(*[Buffer(a.ctypes.data, a.nbytes, a.ctypes.data, b"")
                                               for a in arrays])
    how = Launch(kernel, (ctypes.c_uint32 * 3)(*(tuple(grid) + (1, 1))[:3]), (ctypes.c_uint32 * 3)(32 * warps, 1, 1),
                 (ctypes.c_uint32 * 3)(*(cluster or (0, 0, 0))), smem,
                 ctypes.cast(params, ctypes.c_void_p), len(params) - 1, buffers, len(arrays),
                 SCHEDULES[schedule], seed, budget, 0, False, False, False)
    findings, found, result = (Finding * MOST)(), ctypes.c_size_t(), Result()
    status = lib.tmap_emulate_run(module, ctypes.byref(how), findings, ctypes.c_size_t(MOST),
                                  ctypes.byref(found), ctypes.byref(result))
    lib.tmap_emulate_free(module)
    if status:
        raise RuntimeError(f"status {status}")
    said = [f"{lib.tmap_emulate_kind_name(f.kind).decode()} at line {f.line}: {f.text.decode(errors='replace')}"
            for f in findings[:min(found.value, MOST)]]
    return Ran(result.finished, said, list(result.counts))
