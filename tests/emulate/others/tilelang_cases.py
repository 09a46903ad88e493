"""Kernels in TileLang: its compiler writes CUDA C++, and nvcc makes PTX of it; no GPU is needed for either."""
import pathlib
import re
import subprocess
import tempfile

import numpy
import tilelang
import tilelang.language as T
from tilelang import tvm

from run import NVCC, SUFFIX, Case, Map, aligned, codes, integers, numbers

NAME = {"bf16": "bfloat16", "fp16": "float16", "fp8e4nv": "float8_e4m3fn", "fp8e5": "float8_e5m2", "i8": "int8"}
ROOT = pathlib.Path(tilelang.__file__).parent


def product(M, N, K, BM, BN, BK, dtype, acc, stages):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), acc)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            a = T.alloc_shared((BM, BK), dtype)
            b = T.alloc_shared((BN, BK), dtype)
            c = T.alloc_fragment((BM, BN), acc)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[by * BM, k * BK], a)
                T.copy(B[bx * BN, k * BK], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * BM, bx * BN])

    return main


def stored(M, N, K, BM, BN, BK, dtype, acc, stages):
    """The same, its tiles stored in the operands' type by way of shared memory."""
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=256) as (bx, by):
            a = T.alloc_shared((BM, BK), dtype)
            b = T.alloc_shared((BN, BK), dtype)
            c = T.alloc_fragment((BM, BN), acc)
            out = T.alloc_shared((BM, BN), dtype)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[by * BM, k * BK], a)
                T.copy(B[bx * BN, k * BK], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, out)
            T.copy(out, C[by * BM, bx * BN])

    return main


def held(M, N, K, BM, BN, BK, dtype, acc, stages):
    """Sums in tensor memory."""
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), acc)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            a = T.alloc_shared((BM, BK), dtype)
            b = T.alloc_shared((BN, BK), dtype)
            sums = T.alloc_tmem((BM, BN), acc)
            bar = T.alloc_barrier(1)
            c = T.alloc_fragment((BM, BN), acc)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[by * BM, k * BK], a)
                T.copy(B[bx * BN, k * BK], b)
                T.gemm(a, b, sums, transpose_B=True, mbar=bar, clear_accum=k == 0)
            T.copy(sums, c)
            T.copy(c, C[by * BM, bx * BN])

    return main


def attention(rows, length, D, BM, BN, dtype, stages):
    @T.prim_func
    def main(Q: T.Tensor((rows, D), dtype), K: T.Tensor((length, D), dtype), V: T.Tensor((length, D), dtype),
             O: T.Tensor((rows, D), "float32")):
        with T.Kernel(T.ceildiv(rows, BM), threads=128) as bx:
            q = T.alloc_shared((BM, D), dtype)
            k = T.alloc_shared((BN, D), dtype)
            v = T.alloc_shared((BN, D), dtype)
            s = T.alloc_fragment((BM, BN), "float32")
            p = T.alloc_fragment((BM, BN), dtype)
            o = T.alloc_fragment((BM, D), "float32")
            most = T.alloc_fragment((BM, ), "float32")
            before = T.alloc_fragment((BM, ), "float32")
            part = T.alloc_fragment((BM, ), "float32")
            total = T.alloc_fragment((BM, ), "float32")
            T.copy(Q[bx * BM, 0], q)
            T.fill(o, 0)
            T.fill(total, 0)
            T.fill(most, -T.infinity("float32"))
            for n in T.Pipelined(T.ceildiv(length, BN), num_stages=stages):
                T.copy(K[n * BN, 0], k)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(V[n * BN, 0], v)
                T.copy(most, before)
                T.fill(most, -T.infinity("float32"))
                T.reduce_max(s, most, dim=1, clear=False)
                for i in T.Parallel(BM):
                    most[i] = T.max(most[i], before[i])
                for i, j in T.Parallel(BM, BN):
                    s[i, j] = T.exp2((s[i, j] - most[i]) * 0.125)
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(BM):
                    total[i] = total[i] * T.exp2((before[i] - most[i]) * 0.125) + part[i]
                for i, j in T.Parallel(BM, D):
                    o[i, j] *= T.exp2((before[i] - most[i]) * 0.125)
                T.copy(s, p)
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(BM, D):
                o[i, j] /= total[i]
            T.copy(o, O[bx * BM, 0])

    return main


def transpose(M, N, BM, BN, dtype):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((N, M), dtype)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            a = T.alloc_shared((BM, BN), dtype)
            b = T.alloc_shared((BN, BM), dtype)
            T.copy(A[by * BM, bx * BN], a)
            for i, j in T.Parallel(BN, BM):
                b[i, j] = a[j, i]
            T.copy(b, B[bx * BN, by * BM])

    return main


# --- from the program to a launch


class Raw(Map):
    """A tensor map by the numbers that the host's code passes to the driver."""

    def __init__(self, array, values):
        dtype, rank, rest = values[0], values[1], values[2:] + [0]
        self.array = array
        dims, strides, box, steps = (rest[i * rank:(i + 1) * rank] for i in range(4))
        self.said = {"kind": "tiled", "dtype": dtype, "rank": rank, "address": hex(array.ctypes.data), "dim": dims,
                     "stride": strides[1:], "box": box, "elem_stride": steps, "interleave": rest[4 * rank],
                     "swizzle": rest[4 * rank + 1], "l2_promotion": rest[4 * rank + 2], "oob_fill": rest[4 * rank + 3]}

    def bytes(self):
        return self.encoded(self.said)


def ptx_of(source, arch):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "k.cu"
        path.write_text(source)
        subprocess.run([NVCC, "-ptx", "-std=c++17", "-w", f"-arch=sm_{SUFFIX[arch]}", f"-I{ROOT / 'src'}",
                        f"-I{ROOT / '3rdparty/cutlass/include'}", str(path), "-o", str(path.with_suffix(".ptx"))],
                       check=True, capture_output=True)
        return path.with_suffix(".ptx").read_text()


def numbers_of(text):
    return [int(v) for v in text.split(",") if re.fullmatch(r"\s*-?\d+\s*", v)]


def launched(case, program, arrays, *wanted):
    """arrays: what the program's parameters of the same names are."""
    target = tvm.target.Target({"kind": "cuda", "arch": f"sm_{SUFFIX[case.arch]}"})
    with target:
        made = tilelang.lower(program, target=target)
    host = str(made.host_mod)
    maps = {name: Raw(arrays[of], [int(dtype), int(rank)] + numbers_of(rest)) for name, dtype, rank, of, rest in
            re.findall(r'"__tvm_tensormap_create_tiled", (\w+), (\d+), (\d+), (\w+), ([^)]*)\)', host)}
    call = re.search(r'T.call_packed\("main_kernel", ([^)]*)\)', host).group(1).split(", ")
    args = [maps.get(a, arrays.get(a)) for a in call if not a.isdigit()]
    extent = dict(re.findall(r'"(blockIdx.[xyz]|threadIdx.x)": (\d+)', str(made.device_mod)))
    smem = re.search(r'"dyn_shared_memory_buf": (\d+)', str(made.device_mod))
    case.ptx, case.args, case.wanted = ptx_of(made.kernel_source, case.arch), args, wanted
    case.grid = tuple(int(extent.get(f"blockIdx.{d}", 1)) for d in "xyz")
    case.warps, case.smem = int(extent["threadIdx.x"]) // 32, int(smem.group(1)) if smem else 0


def multiplies(fn, dtype, bm, bn, bk, stages):
    def build(case):
        rng, m, n, k = numpy.random.default_rng(21), 2 * bm, 2 * bn, 4 * bk
        a, b = integers(rng, m, k), integers(rng, n, k)
        integer = dtype == "i8"
        c = aligned(numpy.zeros((m, n), numpy.uint16 if fn is stored else numpy.int32 if integer else numpy.float32))
        program = fn(m, n, k, bm, bn, bk, NAME[dtype], "int32" if integer else "float32", stages)
        want = codes(a @ b.T, dtype) if fn is stored else a @ b.T
        launched(case, program, {"A": aligned(codes(a, dtype)), "B": aligned(codes(b, dtype)), "C": c}, (c, want, 0))
    return build


def attends(dtype, bm=64, bn=64, d=64, stages=1):
    def build(case):
        rng, rows, length = numpy.random.default_rng(22), 2 * bm, 3 * bn
        raw = [(r.view(numpy.uint32) >> 16).astype(numpy.uint16) if dtype == "bf16" else r.astype(numpy.float16).view(
            numpy.uint16) for r in (rng.standard_normal((n, d)).astype(numpy.float32) for n in (rows, length, length))]
        raw = [aligned(r) for r in raw]
        q, k, v = (numbers(r, dtype) for r in raw)
        o = aligned(numpy.zeros((rows, d), numpy.float32))
        s = q @ k.T * 0.125
        e = numpy.exp2(s - s.max(1, keepdims=True))
        launched(case, attention(rows, length, d, bm, bn, NAME[dtype], stages),
                 dict(zip("QKVO", raw + [o])), (o, e @ v / e.sum(1, keepdims=True), 0.02))
    return build


def turns(dtype, bm=64, bn=64):
    def build(case):
        a = aligned(codes(integers(numpy.random.default_rng(23), 2 * bm, 3 * bn), dtype))
        b = aligned(numpy.zeros((3 * bn, 2 * bm), a.dtype))
        launched(case, transpose(2 * bm, 3 * bn, bm, bn, NAME[dtype]), {"A": a, "B": b}, (b, a.T, 0))
    return build


def cases():
    for arch in (90, 100, 120):
        for dtype in ("bf16", "fp16", "fp8e4nv", "i8"):
            yield Case(f"tile_product_{dtype}", arch, multiplies(product, dtype, 128, 64, 64, 2))
        for dtype in ("bf16", "fp16"):
            yield Case(f"tile_stored_{dtype}", arch, multiplies(stored, dtype, 128, 128, 64, 3))
            yield Case(f"tile_attention_{dtype}", arch, attends(dtype))
        yield Case("tile_transpose_fp16", arch, turns("fp16"))
    for dtype in ("bf16", "fp16", "fp8e4nv"):
        yield Case(f"tile_held_{dtype}", 100, multiplies(held, dtype, 128, 128, 64, 1))
