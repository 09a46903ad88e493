#!/usr/bin/env python3
"""torch._grouped_mm and torch._scaled_grouped_mm beside ours, tokens drawn as a router would.

    routed.py LIBRARY [SECONDS [SEED [WAY]]]     LIBRARY is build/libtmap-cuda.so; WAY: e4m3, weights, ...

One process, CUDA graphs, slices in turn; the weights alone are beyond the L2 cache. Ours is the
plan's own choice and the fastest of the family's tiles, clusters and orientations. Where there is no
PyTorch or Hopper GPU it says SKIP and why.
"""
import ctypes
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

ROWS, PADDED, ALONG_K = 0, 1, 2
BF16, E4M3 = 0, 3
ROUNDS = 5


def matrix(x, mn_major=False):
    """A matrix, or a batch of them, as its stored rows lie."""
    batch = x.stride(0) if x.dim() == 3 else 0
    return structs.Matrix(x.data_ptr(), x.stride(-2), batch, mn_major)


class Ours:
    def __init__(self, path):
        self.lib, self.suite = structs.open_suite(path)
        self.lib.tmap_gemm_group_bytes.restype = ctypes.c_size_t
        self.kept = []

    def plan(self, form, members, m, n, k, a, b, d, ends, config=None, scales=None, kind=BF16, usual=0,
             precise=False):
        p = structs.Problem(kind=kind, m=m, n=n, k=k, batch=members, a=a, b=b, c=d, d=d, alpha=1,
                            precise=precise)
        if scales:
            p.block_scale = structs.BlockScale(*scales)
        routing = structs.Routing(form, usual, ends.data_ptr())
        group, why = ctypes.create_string_buffer(structs.PLAN_BYTES), ctypes.create_string_buffer(4096)
        room = torch.empty(self.lib.tmap_gemm_group_bytes(ctypes.c_size_t(members)) + 128,
                           dtype=torch.uint8, device="cuda")
        self.kept.append((room, group))
        memory = ctypes.c_uint64((room.data_ptr() + 127) // 128 * 128)
        status = self.lib.tmap_gemm_make_routed(self.suite, ctypes.byref(p), ctypes.byref(routing), memory,
                                                ctypes.byref(config) if config else None, group, why)
        if status:
            return None
        def run():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            if self.lib.tmap_gemm_group_run(group, stream):
                raise RuntimeError("the group did not run")
        run.config = structs.Group.from_buffer(group).config
        return run


def graph_of(run, times):
    run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(times):
            run()
    return graph


def routed(draw, members, each):
    """Ends of the members' tokens: shares as a softmax of normal logits leaves them."""
    logits = [draw.gauss(0, 0.7) for _ in range(members)]
    weights = [2.718281828 ** x for x in logits]
    tokens = draw.choices(range(members), weights, k=members * each)
    counts = [0] * members
    for t in tokens:
        counts[t] += 1
    ends, at = [], 0
    for c in counts:
        at += c
        ends.append(at)
    return counts, ends


def configs():
    for tile_n in (256, 192, 128, 64, 32):
        for swapped in (-1, 1):
            for m, n in ((1, 1), (2, 1), (1, 2)):
                yield structs.Config(tile_n=tile_n, swapped=swapped, cluster_m=m, cluster_n=n)


def best_of(make, own):
    """The fastest of the family, by short slices."""
    best, least, seen = own, slice_us(graph_of(own, 2), 2, 8), []
    for config in configs():
        run = make(config)
        if run:
            us = slice_us(graph_of(run, 2), 2, 8)
            seen.append(f"{words(run)} {us:.0f}")
            if us < least:
                best, least = run, us
    print(f"# {', '.join(seen)}")
    return best


def words(run):
    c = run.config
    return f"{c.tile_m}x{c.tile_n}{' swapped' if c.swapped > 0 else ''}{' pair' if c.cluster_m > 1 else ' across' if c.cluster_n > 1 else ''}"


def compare(name, make, theirs, right, flops, ms):
    own = make(None)
    if own is None:
        print(f"{name}\tno plan", flush=True)
        return
    own()
    wrong = right()
    best = best_of(make, own)
    tracks = {"pick": own, "best": best}
    tracks.update(theirs)
    graphs = {}
    for key, run in tracks.items():
        try:
            graphs[key] = graph_of(run, 2)
        except Exception as why:  # pylint: disable=broad-except
            print(f"# {name}: {key}: {str(why).splitlines()[0][:150]}")
            torch.cuda.synchronize()
    times = {key: [] for key in graphs}
    for _ in range(ROUNDS):
        for key, graph in graphs.items():
            times[key].append(slice_us(graph, 2, ms))
    us = {key: statistics.median(x) for key, x in times.items()}
    others = "\t".join(f"{key} {us[key]:.1f} us\t{us[key] / us['pick']:.3f}\t{us[key] / us['best']:.3f}"
                       for key in us if key not in ("pick", "best"))
    print(f"{name}\t{us['pick']:.1f} us ({words(own)})\t{us['best']:.1f} us ({words(best)})\t"
          f"{flops / us['best'] / 1e6:.1f} TFLOP/s\t{others}\t{wrong}", flush=True)


def off_by(ours, theirs):
    """The largest difference, of the largest number."""
    def check():
        torch.cuda.synchronize()
        try:
            want = theirs().float()
        except Exception as why:  # pylint: disable=broad-except
            return f"unchecked: {str(why).splitlines()[0][:80]}"
        return f"off by {((ours.float() - want).abs().max() / want.abs().max()).item():.1e}"
    return check


def normal(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def rows_bf16(ours, draw, members, each, n, k, ms):
    _, ends = routed(draw, members, each)
    t = members * each
    x, w, y = normal(t, k), normal(members, n, k), torch.empty(t, n, device="cuda", dtype=torch.bfloat16)
    offs = torch.tensor(ends, device="cuda", dtype=torch.int32)
    make = lambda config: ours.plan(ROWS, members, t, n, k, matrix(x), matrix(w), matrix(y), offs, config)
    grouped = lambda: torch._grouped_mm(x, w.transpose(-2, -1), offs=offs)
    compare(f"rows bf16\t{members} x {each}\t{n} x {k}", make, {"torch": grouped}, off_by(y, grouped),
            2.0 * t * n * k, ms)


def gradient_bf16(ours, draw, members, each, n, k, ms):
    """dX = dY W: B is not contiguous along its K."""
    _, ends = routed(draw, members, each)
    t = members * each
    dy, w = normal(t, n), normal(members, n, k)
    dx = torch.empty(t, k, device="cuda", dtype=torch.bfloat16)
    offs = torch.tensor(ends, device="cuda", dtype=torch.int32)
    make = lambda config: ours.plan(ROWS, members, t, k, n, matrix(dy), matrix(w, True), matrix(dx), offs,
                                    config)
    grouped = lambda: torch._grouped_mm(dy, w, offs=offs)
    compare(f"rows bf16, B by rows of N\t{members} x {each}\t{k} x {n}", make, {"torch": grouped},
            off_by(dx, grouped), 2.0 * t * n * k, ms)


def weights_bf16(ours, draw, members, each, n, k, ms):
    """dW = dY^T X, summed over each member's tokens."""
    _, ends = routed(draw, members, each)
    t = members * each
    dy, x = normal(t, n), normal(t, k)
    dw = torch.empty(members, n, k, device="cuda", dtype=torch.bfloat16)
    offs = torch.tensor(ends, device="cuda", dtype=torch.int32)
    make = lambda config: ours.plan(ALONG_K, members, n, k, t, matrix(dy, True), matrix(x, True), matrix(dw),
                                    offs, config)
    grouped = lambda: torch._grouped_mm(dy.t(), x, offs=offs)
    compare(f"along K bf16\t{members} x {each}\t{n} x {k}", make, {"torch": grouped}, off_by(dw, grouped),
            2.0 * t * n * k, ms)


def padded_bf16(ours, draw, members, each, n, k, ms):
    """Room for four times the tokens that a member has on the average."""
    counts, _ = routed(draw, members, each)
    room = 4 * each
    counts = [min(c, room) for c in counts]
    x, w = normal(members, room, k), normal(members, n, k)
    y = torch.zeros(members, room, n, device="cuda", dtype=torch.bfloat16)
    held = torch.tensor(counts, device="cuda", dtype=torch.int32)
    make = lambda config: ours.plan(PADDED, members, room, n, k, matrix(x), matrix(w), matrix(y), held, config,
                                    usual=each)
    everything = lambda: torch.bmm(x, w.transpose(-2, -1))
    rows = torch.arange(room, device="cuda")[None, :, None] < held[:, None, None]
    compare(f"padded bf16\t{members} x {each} of {room}\t{n} x {k}", make, {"bmm of all rows": everything},
            off_by(y, lambda: everything() * rows), 2.0 * sum(counts) * n * k, ms)


def rows_e4m3(ours, draw, members, each, n, k, ms, blocks):
    _, ends = routed(draw, members, each)
    t = members * each
    fp8 = torch.float8_e4m3fn
    x, w = normal(t, k).to(fp8), torch.empty(members, n, k, device="cuda", dtype=fp8)
    for i in range(members):
        w[i] = normal(n, k).to(fp8)
    y = torch.empty(t, n, device="cuda", dtype=torch.bfloat16)
    offs = torch.tensor(ends, device="cuda", dtype=torch.int32)
    up, scales = (k + 127) // 128, None
    if blocks:
        sa, sb = torch.ones(up, t, device="cuda"), torch.ones(members, (n + 127) // 128, up, device="cuda")
        ours.kept.append((sa, sb))
        scales = (sa.data_ptr(), sb.data_ptr(), t, up)
    make = lambda config: ours.plan(ROWS, members, t, n, k, matrix(x), matrix(w), matrix(y), offs, config,
                                    scales, E4M3)
    one, each_row = torch.ones(t, device="cuda"), torch.ones(members, n, device="cuda")
    def scaled(fast):
        return lambda: torch._scaled_grouped_mm(x, w.transpose(-2, -1), one, each_row, offs=offs,
                                                out_dtype=torch.bfloat16, use_fast_accum=fast)
    compare(f"rows e4m3{' by blocks' if blocks else ''}\t{members} x {each}\t{n} x {k}", make,
            {"torch by row": scaled(not blocks)}, off_by(y, scaled(False)), 2.0 * t * n * k, ms)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not torch.cuda.is_available() or torch.cuda.get_device_capability() != (9, 0):
        print("SKIP: no Hopper GPU")
        return
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
    ours, draw, began = Ours(sys.argv[1]), random.Random(seed), time.time()
    print(f"# torch {torch.__version__}, {torch.cuda.get_device_name()}, seed {seed}")
    print("# form\tmembers x tokens\tn x k\tpick\tbest\t\tother\tover pick\tover best")
    wide, down = (4096, 7168), (7168, 2048)
    todo = [(rows_bf16, 64, 16, wide), (weights_bf16, 64, 128, wide), (padded_bf16, 64, 16, wide),
            (rows_e4m3, 64, 16, wide, False), (rows_e4m3, 64, 16, wide, True),
            (rows_bf16, 64, 128, wide), (gradient_bf16, 64, 128, wide), (weights_bf16, 64, 512, wide),
            (rows_e4m3, 64, 128, wide, True), (rows_bf16, 64, 512, wide), (rows_bf16, 128, 64, down),
            (weights_bf16, 128, 64, down), (gradient_bf16, 128, 64, down), (padded_bf16, 64, 128, wide),
            (rows_e4m3, 64, 512, wide, True), (rows_e4m3, 64, 512, wide, False),
            (rows_bf16, 8, 2048, (14336, 4096)), (weights_bf16, 8, 2048, (14336, 4096)),
            (gradient_bf16, 64, 512, wide), (rows_bf16, 16, 16, wide)]
    for what, members, each, (n, k), *more in todo:
        if len(sys.argv) > 4 and sys.argv[4] not in what.__name__:
            continue
        if time.time() - began > seconds:
            print(f"# out of time before {what.__name__} {members} x {each}")
            break
        try:
            what(ours, draw, members, each, n, k, 40, *more)
        except Exception as why:  # pylint: disable=broad-except
            print(f"# {what.__name__} {members} x {each}: {type(why).__name__}: {str(why)[:200]}", flush=True)
        ours.kept.clear()
        torch.cuda.empty_cache()


main()
