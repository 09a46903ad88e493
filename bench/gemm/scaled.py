#!/usr/bin/env python3
"""torch._scaled_mm by row and by block at the shapes given: beside `gemm scaled`.

    scaled.py M N K [M N K ...]

e4m3 in, bf16 out, normal data, operands rotated beyond L2, CUDA graphs, the median of five slices.
Scales are one for each row of A and of B, or one for each 1 x 128 of A and 128 x 128 of B.
"""
import statistics
import sys

import torch

from slices import slice_us

BEYOND_L2, ROUNDS, SLICE_MS = 200 << 20, 5, 40


def graph_of(calls):
    for call in calls:
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    return graph


def up(x, to=128):
    return (x + to - 1) // to


def block_layouts(n, k):
    yield torch.ones(up(n), up(k), device="cuda").t()
    yield torch.ones(up(k), up(n), device="cuda")
    yield torch.ones(up(n), up(up(k), 4) * 4, device="cuda")[:, :up(k)].t()


def way(name, a, b, m, n, k):
    """A call, by the first layout of the scales that PyTorch takes."""
    if name == "tensor":
        one = torch.ones((), device="cuda")
        pairs = [(one, one)]
    elif name == "rows":
        pairs = [(torch.ones(m, 1, device="cuda"), torch.ones(1, n, device="cuda"))]
    else:
        rows = torch.ones(up(k), m, device="cuda").t()
        pairs = [(rows, blocks) for blocks in block_layouts(n, k)]
    for scale_a, scale_b in pairs:
        def call(x=a, y=b, sa=scale_a, sb=scale_b):
            return torch._scaled_mm(x, y.t(), scale_a=sa, scale_b=sb, out_dtype=torch.bfloat16)
        try:
            call()
            return lambda x, y, sa=scale_a, sb=scale_b: torch._scaled_mm(
                x, y.t(), scale_a=sa, scale_b=sb, out_dtype=torch.bfloat16)
        except Exception as why:
            last = why
    print(f"# {name}: {str(last).splitlines()[0][:150]}")
    return None


def main():
    print(f"# torch {torch.__version__}, cuda {torch.version.cuda}")
    numbers = [int(x) for x in sys.argv[1:]]
    for m, n, k in zip(*[iter(numbers)] * 3):
        sets = max(2, 1 + BEYOND_L2 // ((m + n) * k + m * n * 2))
        operands = [tuple(torch.randn(x, k, device="cuda").to(torch.float8_e4m3fn)
                          for x in (m, n)) for _ in range(min(sets, 32))]
        graphs = {}
        for name in ("tensor", "rows", "blocks"):
            call = way(name, *operands[0], m, n, k)
            if call:
                repeat = max(1, int(4e13 / (2 * m * n * k) / len(operands)))
                calls = [lambda x=x, y=y, call=call: call(x, y) for x, y in operands] * repeat
                graphs[name] = graph_of(calls), len(calls)
        times = {name: [] for name in graphs}
        for _ in range(ROUNDS):
            for name, (graph, launches) in graphs.items():
                times[name].append(slice_us(graph, launches, SLICE_MS))
        for name, us in times.items():
            t = statistics.median(us)
            print(f"torch\t{name}\t{m}\t{n}\t{k}\t{t:.2f} us\t{2e-6 * m * n * k / t:.1f} TFLOP/s",
                  flush=True)


main()
