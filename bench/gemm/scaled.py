#!/usr/bin/env python3
"""e4m3 with scales of 1 x 128 of A and 128 x 128 of B, beside torch._scaled_mm with the same scales.

    scaled.py LIBRARY [SECONDS [SEED]]           LIBRARY is build/libtmap-cuda.so

One process, CUDA graphs, operands rotated beyond L2, slices in turn, the median of five. Four shapes,
then layers of models.tsv with drawn rows until the time is over. Ours is the model's pick and the
tuner's choice; both are compared with PyTorch's result first. Where there is no PyTorch or Hopper
GPU it says SKIP and why.
"""
import ctypes
import math
import os
import random
import statistics
import sys
import time

try:
    import torch
except ImportError as why:
    print(f"SKIP: {why}")
    sys.exit(0)

import structs
from slices import slice_us

E4M3, BLOCK, BEYOND_L2, ROUNDS = 3, 128, 200 << 20, 5
SHAPES = ((8192, 8192, 4096), (4096, 4096, 4096), (512, 7168, 4096), (4096, 7168, 2048))
LEAST, MOST = 2 ** 31, 2 ** 40  # multiplications of a drawn product


def up(x, to=BLOCK):
    return (x + to - 1) // to


class Case:
    """A shape's operands, as many copies as are beyond L2, and its scales, at random."""

    def __init__(self, m, n, k):
        self.mnk = m, n, k
        sets = min(32, max(2, 1 + BEYOND_L2 // ((m + n) * k + m * n * 2)))
        self.operands = [tuple(torch.randn(x, k, device="cuda").to(torch.float8_e4m3fn) for x in (m, n))
                         for _ in range(sets)]
        self.outputs = [torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for _ in range(sets)]
        self.rows = torch.rand(up(k), m, device="cuda") + 0.5  # M contiguous
        self.blocks = torch.rand(up(n), up(k), device="cuda") + 0.5  # K contiguous

    def problem(self, i):
        m, n, k = self.mnk
        a, b, d = *self.operands[i], self.outputs[i]
        a, b, d = (structs.Matrix(x.data_ptr(), x.stride(0), 0, False) for x in (a, b, d))
        p = structs.Problem(kind=E4M3, m=m, n=n, k=k, batch=1, a=a, b=b, c=d, d=d, alpha=1)
        p.block_scale = structs.BlockScale(self.rows.data_ptr(), self.blocks.data_ptr(), m, up(k))
        return p


def theirs(case):
    """PyTorch's calls, with B's scales in the first layout that it takes."""
    n, k = case.mnk[1:]
    wide = torch.zeros(up(n), up(up(k), 4) * 4, device="cuda")
    wide[:, :up(k)] = case.blocks
    for blocks in (case.blocks.t(), case.blocks.t().contiguous(), wide[:, :up(k)].t()):
        def call(a, b, blocks=blocks):
            return torch._scaled_mm(a, b.t(), scale_a=case.rows.t(), scale_b=blocks,
                                    out_dtype=torch.bfloat16)
        try:
            call(*case.operands[0])
            return [lambda a=a, b=b, call=call: call(a, b) for a, b in case.operands]
        except Exception as why:  # pylint: disable=broad-except
            last = why
    print(f"# {case.mnk}: {str(last).splitlines()[0][:150]}")
    return None


class Ours:
    def __init__(self, path):
        self.lib, self.suite = structs.open_suite(path)

    def tuned(self, case):
        """The tuner's configuration."""
        plan = ctypes.create_string_buffer(structs.PLAN_BYTES)
        if self.lib.tmap_gemm_tune(self.suite, ctypes.byref(case.problem(0)), None,
                                   ctypes.c_size_t(structs.TRIALS), None, plan, None):
            return None
        return structs.Plan.from_buffer(plan).config

    def calls(self, case, config=None):
        """A launch for each copy of the operands, by this configuration or the model's."""
        plans = []
        for i in range(len(case.operands)):
            plan, why = (ctypes.create_string_buffer(x) for x in (structs.PLAN_BYTES, 4096))
            if self.lib.tmap_gemm_make_plan(self.suite, ctypes.byref(case.problem(i)),
                                            ctypes.byref(config) if config else None, plan, why):
                return None
            plans.append(plan)

        def run(plan):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            if self.lib.tmap_gemm_run(plan, stream):
                raise RuntimeError("the plan did not run")
        return [lambda plan=plan: run(plan) for plan in plans]


def graph_of(calls, repeat):
    calls[0]()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls * repeat:
            call()
    return graph, len(calls) * repeat


def words(config):
    return (f"{config.tile_m}x{config.tile_n} by {config.cluster_m}x{config.cluster_n}"
            f" split {config.split_k} stream {config.stream_k}")


def off_by(case, calls, want):
    """The largest difference from PyTorch's result, of the largest number."""
    case.outputs[0].fill_(7)
    calls[0]()
    torch.cuda.synchronize()
    return ((case.outputs[0].float() - want).abs().max() / want.abs().max()).item()


def compare(ours, m, n, k, ms):
    """Ratios of PyTorch's time to ours, by the pick and tuned; None where one of them has no plan."""
    case = Case(m, n, k)
    calls = theirs(case)
    config = ours.tuned(case)
    tracks = {"pick": ours.calls(case), "tuned": ours.calls(case, config) if config else None}
    if not calls or not all(tracks.values()):
        return None
    want = calls[0]().float()
    off = max(off_by(case, track, want) for track in tracks.values())
    repeat = max(1, int(2e12 / (2 * m * n * k) / len(calls)))
    graphs = {name: graph_of(track, repeat) for name, track in {**tracks, "torch": calls}.items()}
    times = {name: [] for name in graphs}
    for _ in range(ROUNDS):
        for name, (graph, launches) in graphs.items():
            times[name].append(slice_us(graph, launches, ms))
    us = {name: statistics.median(x) for name, x in times.items()}
    print(f"blocks\t{m}\t{n}\t{k}\tpick {us['pick']:.2f} us\ttuned {us['tuned']:.2f} us\t"
          f"torch {us['torch']:.2f} us\t{us['torch'] / us['pick']:.4f}\t{us['torch'] / us['tuned']:.4f}\t"
          f"{words(config)}\toff by {off:.1e}{'' if off < 0.01 else ' WRONG'}", flush=True)
    return us["torch"] / us["pick"], us["torch"] / us["tuned"]


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def summary(name, ratios):
    if ratios:
        pick, tuned = zip(*ratios)
        print(f"# {name}: {len(ratios)} shapes, pick {mean(pick):.4f} (least {min(pick):.3f}), "
              f"tuned {mean(tuned):.4f} (least {min(tuned):.3f})", flush=True)


def layers():
    """N and K of the models' layers that are whole blocks, as PyTorch wants them."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "models.tsv"), encoding="ascii") as file:
        rows = [tuple(map(int, x.split("\t")[2:4])) for x in file if not x.startswith("#")]
    return [x for x in rows if x[0] % BLOCK == 0 and x[1] % BLOCK == 0]


def main():
    if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
        print("SKIP: no GPU of compute capability 9.0")
        return
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().getrandbits(31)
    ours, draw, end = Ours(sys.argv[1]), random.Random(seed), time.time() + seconds
    print(f"# torch {torch.__version__}, {torch.cuda.get_device_name()}, seed {seed}")
    summary("fixed", [x for x in (compare(ours, *shape, 40) for shape in SHAPES) if x])
    ratios, pool = [], layers()
    while time.time() < end:
        n, k = draw.choice(pool)
        m = int(2 ** draw.uniform(4, 13.5)) // 4 * 4
        if LEAST <= m * n * k <= MOST:
            ratios.append(compare(ours, m, n, k, 15))
    summary("drawn", [x for x in ratios if x])


main()
