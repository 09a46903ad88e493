#!/usr/bin/env python3
"""PyTorch's and Triton's products beside ours, in one process, slice by slice in turn.

    peers.py LIBRARY [SET [MS]]     LIBRARY is build/libtmap-cuda.so; SET of shapes.tsv (squares)

bf16 in, bf16 out, normal data, operands rotated beyond L2, every track a CUDA graph, so that no
host time counts. Triton's kernel is the plain one of its tutorial with tensor descriptors, in two
configurations: the conservative one (64 x 64 x 32, one stage, 4 warps) and our plan's tile as
Triton takes it (128 x 256 x 64, three stages, 8 warps). Where there is no PyTorch, Triton or Hopper
GPU it says SKIP and why.
"""
import ctypes
import os
import statistics
import sys

try:
    import torch
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError as why:
    print(f"SKIP: {why}")
    sys.exit(0)

import structs
from slices import slice_us

ROUNDS, BEYOND_L2 = 5, 200 << 20
CONSERVATIVE, SOLVERS = (64, 64, 32, 1, 4), (128, 256, 64, 3, 8)


@triton.jit
def product(a, b, d, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    per_group = 8 * tiles_n
    first = tl.program_id(0) // per_group * 8
    rows = min(tiles_m - first, 8)
    inside = tl.program_id(0) % per_group
    row, col = (first + inside % rows) * BM, inside // rows * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, k, BK):
        acc = tl.dot(a.load([row, at]), b.load([col, at]).T, acc)
    d.store([row, col], acc.to(tl.bfloat16))


def matrix(x):
    return structs.Matrix(x.data_ptr(), x.stride(0), 0, False)


class Ours:
    def __init__(self, path):
        self.lib, self.suite = structs.open_suite(path)

    def plan(self, a, b, d):
        p = structs.Problem(m=a.shape[0], n=b.shape[0], k=a.shape[1], batch=1, a=matrix(a), b=matrix(b),
                    c=matrix(d), d=matrix(d), alpha=1)
        plan = ctypes.create_string_buffer(structs.PLAN_BYTES)
        if self.lib.tmap_gemm_make_plan(self.suite, ctypes.byref(p), None, plan, None):
            raise RuntimeError("no plan")
        stream = ctypes.c_void_p
        return lambda: self.lib.tmap_gemm_run(plan, stream(torch.cuda.current_stream().cuda_stream))


def by_triton(a, b, d, config):
    bm, bn, bk, stages, warps = config
    maps = [TensorDescriptor.from_tensor(x, box)
            for x, box in ((a, [bm, bk]), (b, [bn, bk]), (d, [bm, bn]))]
    m, n, k = a.shape[0], b.shape[0], a.shape[1]
    grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn),)
    return lambda: product[grid](*maps, m, n, k, BM=bm, BN=bn, BK=bk, num_stages=stages,
                                 num_warps=warps)


def graph_of(runs):
    """One launch on every set of operands; the first calls compile and load."""
    for run in runs[:1]:
        run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for run in runs:
            run()
    return graph


def shapes(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes.tsv")
    for line in open(path):
        word = line.split()
        if word and word[0] == name:
            yield tuple(map(int, word[2:5]))


def tracks_of(ours, m, n, k):
    sets = min(16, 1 + BEYOND_L2 // (2 * (m * k + n * k + m * n)))
    def normal(rows):
        return torch.randn(rows, k, device="cuda", dtype=torch.bfloat16)
    data = [(normal(m), normal(n), torch.empty(m, n, device="cuda", dtype=torch.bfloat16))
            for _ in range(sets)]
    kinds = {"ours": ours.plan, "pytorch": lambda a, b, d: lambda: torch.mm(a, b.t(), out=d),
             "triton, conservative": lambda a, b, d: by_triton(a, b, d, CONSERVATIVE),
             "triton, the solver's tile": lambda a, b, d: by_triton(a, b, d, SOLVERS)}
    return {name: (graph_of([make(*x) for x in data]), sets) for name, make in kinds.items()}, data


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
        print("SKIP: no Hopper GPU")
        return
    ours, ms = Ours(sys.argv[1]), float(sys.argv[3]) if len(sys.argv) > 3 else 60
    print("m\tn\tk\ttrack\tus\ttflops\tours_over_it")
    for m, n, k in shapes(sys.argv[2] if len(sys.argv) > 2 else "squares"):
        tracks, data = tracks_of(ours, m, n, k)
        us = {name: [] for name in tracks}
        for _ in range(ROUNDS):
            for name, (graph, sets) in tracks.items():
                us[name].append(slice_us(graph, sets, ms))
        mine = statistics.median(us["ours"])
        for name in tracks:
            t = statistics.median(us[name])
            print(f"{m}\t{n}\t{k}\t{name}\t{t:.2f}\t{2e-6 * m * n * k / t:.1f}\t{t / mine:.3f}",
                  flush=True)


main()
