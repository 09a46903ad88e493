#!/usr/bin/env python3
"""PyTorch's convolutions (cuDNN's best by its own search) beside ours, in one process, in turn.

    conv.py LIBRARY [SET...]     LIBRARY is build/libtmap-cuda.so; all sets

Channels-last bf16, normal data, every track a CUDA graph of ten launches, so that no host time
counts, of as many copies of the tensors in turn as the L2 cache does not hold; the median of seven
slices. "pick" is the model's plan, "tuned" the best of MOST (32). The set "drawn" is of COUNT (20)
layers of SEED (1), half of them gradients. The error is ours against cuDNN's, relative in the
Frobenius norm: both round to bf16. Where there is no PyTorch or no GPU it says SKIP and why.
"""
import ctypes
import math
import os
import random
import statistics
import sys

try:
    import torch
except ImportError as why:
    print(f"SKIP: {why}")
    sys.exit(0)

import structs
from structs import AXES

ROUNDS, LAUNCHES, BEYOND_CACHE = 7, 10, 160e6  # bytes


class Layer:
    """An image's extents are outermost first, as PyTorch has them."""

    def __init__(self, name, images, channels, filters, size, filter, stride=1, pad=0, dilation=1,
                 data=False):
        self.name, self.axes, self.data = name, len(size), data
        self.per_axis = [stride] * self.axes, [pad] * self.axes, [dilation] * self.axes
        fmt = torch.channels_last if self.axes == 2 else torch.channels_last_3d
        draw = lambda shape: torch.randn(shape, device="cuda", dtype=torch.bfloat16).contiguous(
            memory_format=fmt)
        self.x = [draw([images, channels, *size])]
        self.w = [draw([filters, channels] + [filter] * self.axes) * 0.05]
        self.y = [self.forward(0).contiguous(memory_format=fmt)]
        self.flops = 2.0 * self.y[0].numel() * channels * filter ** self.axes
        self.out = [torch.full_like(self.x[0] if data else self.y[0], math.nan)]
        every = self.x, self.w, self.y, self.out
        bytes = sum(2 * one[0].numel() for one in every)
        self.copies = min(LAUNCHES, math.ceil(BEYOND_CACHE / bytes))
        for one in every:
            one += [one[0].clone() for _ in range(self.copies - 1)]
        axes = lambda v, rest: AXES(*list(reversed(v)), *[rest] * (3 - self.axes))
        pads = axes(self.per_axis[1], 0)
        self.shape = structs.Shape(images, channels, filters, axes(list(size), 1),
                                   axes([filter] * self.axes, 1), axes(self.per_axis[0], 1),
                                   axes(self.per_axis[2], 1), pads, pads)

    def problem(self, i):
        return structs.Conv(operation=self.data, alpha=1, filters=self.w[i].data_ptr(),
                            x=(self.out if self.data else self.x)[i].data_ptr(),
                            y=(self.y if self.data else self.out)[i].data_ptr(), shape=self.shape)

    def forward(self, i):
        conv = torch.nn.functional.conv2d if self.axes == 2 else torch.nn.functional.conv3d
        stride, pad, dilation = self.per_axis
        return conv(self.x[i], self.w[i], None, stride, pad, dilation)

    def theirs(self, i):
        if not self.data:
            return self.forward(i)
        return torch.ops.aten.convolution_backward(self.y[i], self.x[i], self.w[i], None,
                                                   *self.per_axis, False, [0] * self.axes, 1,
                                                   [True, False, False])[0]


class Ours:
    def __init__(self, path):
        self.lib, self.suite = structs.open_suite(path)

    def plan(self, problem, config=None):
        """The plan, or the refusal."""
        plan, refusal = (ctypes.create_string_buffer(structs.PLAN_BYTES) for _ in range(2))
        if self.lib.tmap_conv_make_plan(self.suite, ctypes.byref(problem), config, plan, refusal):
            return None, max(refusal.raw.split(b"\0"), key=len).decode()
        return plan, None

    def plans(self, layer):
        """The model's and the tuner's, one a copy; None and the refusal where there is none."""
        problems = [layer.problem(i) for i in range(layer.copies)]
        pick, why = self.plan(problems[0])
        if why:
            return None, why
        tuned, product = (ctypes.create_string_buffer(structs.PLAN_BYTES) for _ in range(2))
        most = ctypes.c_size_t(int(os.getenv("MOST", "32")))
        self.lib.tmap_conv_product(ctypes.byref(problems[0]), product, None)
        failed = self.lib.tmap_gemm_tune(self.suite, product, None, most, None, tuned, None)
        configs = [structs.Plan.from_buffer(p).config for p in (pick, pick if failed else tuned)]
        return [[self.plan(p, ctypes.byref(c))[0] for p in problems] for c in configs], None

    def run(self, plan):
        self.lib.tmap_gemm_run(plan, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))


def config(plan):
    c = structs.Plan.from_buffer(plan).config
    turns, dealt = "p" * (c.pingpong > 0), f" sk{c.stream_k}" * (c.stream_k > 0)
    turns += " patch" * (c.patch > 0)
    return f"{c.tile_m}x{c.tile_n}{turns} by {c.cluster_m}x{c.cluster_n}x{c.split_k}{dealt}"


def graph(launch, copies):
    stream, made = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    with torch.cuda.stream(stream):
        launch(0)
        stream.synchronize()
        with torch.cuda.graph(made, stream=stream):
            for i in range(LAUNCHES):
                launch(i % copies)
    return made


def slices_us(graphs):
    times = [[] for _ in graphs]
    for _ in range(ROUNDS):
        for own, one in zip(times, graphs):
            first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            one.replay()
            first.record()
            one.replay()
            last.record()
            torch.cuda.synchronize()
            own.append(first.elapsed_time(last) * 1000 / LAUNCHES)
    return [statistics.median(t) for t in times]


def compare(ours, name, layer):
    plans, why = ours.plans(layer)
    if why:
        print(f"{name}\t{layer.name}\trefused: {why}", flush=True)
        return None
    pick, tuned = plans
    want = layer.theirs(0).float()
    error = 0
    for plan in pick[0], tuned[0]:
        ours.run(plan)
        error = max(error, ((layer.out[0].float() - want).norm() / want.norm()).item())
    them, us, best = slices_us([graph(layer.theirs, layer.copies),
                                graph(lambda i: ours.run(pick[i]), layer.copies),
                                graph(lambda i: ours.run(tuned[i]), layer.copies)])
    rate = layer.flops / min(us, best) / 1e6
    print(f"{name}\t{layer.name}\t{them:.1f}\t{us:.1f}\t{best:.1f}\t{them / us:.3f}\t"
          f"{them / min(us, best):.3f}\t{rate:.0f}\t{error:.1e}\t{config(pick[0])}\t{config(tuned[0])}",
          flush=True)
    return them / us, them / min(us, best)


def resnet50(images=64):
    for channels, mid, out, size, stride in ((64, 64, 256, 56, 1), (256, 128, 512, 56, 2),
                                             (512, 256, 1024, 28, 2), (1024, 512, 2048, 14, 2)):
        small = size // stride
        yield f"k1 {channels} to {mid}, {size}", images, channels, mid, (size, size), 1
        yield f"k3 s{stride} {mid}, {size}", images, mid, mid, (size, size), 3, stride, 1
        yield f"k1 {mid} to {out}, {small}", images, mid, out, (small, small), 1
        if stride > 1:
            yield f"k1 s2 {channels} to {out}, {size}", images, channels, out, (size, size), 1, 2
            yield f"k1 {out} to {mid}, {small}", images, out, mid, (small, small), 1
            yield f"k3 {mid}, {small}", images, mid, mid, (small, small), 3, 1, 1
    yield "k7 s2 stem, 8 channels", 32, 8, 64, (224, 224), 7, 2, 3
    yield "k7 s2 stem, 3 channels", 32, 3, 64, (224, 224), 7, 2, 3


def convnext(images=64):
    for c, size in ((96, 56), (192, 28), (384, 14), (768, 7)):
        yield f"k1 {c} to {4 * c}, {size}", images, c, 4 * c, (size, size), 1
        yield f"k1 {4 * c} to {c}, {size}", images, 4 * c, c, (size, size), 1
        if c < 768:
            yield f"k2 s2 {c} to {2 * c}, {size}", images, c, 2 * c, (size, size), 2, 2


def unet3d(images=2):
    for c, k, size in ((32, 64, 64), (64, 64, 32), (64, 128, 32), (128, 256, 16), (256, 512, 8),
                       (768, 256, 16), (384, 128, 32), (192, 64, 64)):
        yield f"k3 {c} to {k}, {size} cubed", images, c, k, (size,) * 3, 3, 1, 1


def issue():
    yield "64x64x56x56 k3", 64, 64, 64, (56, 56), 3, 1, 1
    yield "64x256x56x56 to 64 k1", 64, 256, 64, (56, 56), 1
    yield "64x128x28x28 k3", 64, 128, 128, (28, 28), 3, 1, 1
    yield "64x512x7x7 k3", 64, 512, 512, (7, 7), 3, 1, 1
    yield "8x320x64x64 k3", 8, 320, 320, (64, 64), 3, 1, 1
    yield "2x1280x32x32 k3", 2, 1280, 1280, (32, 32), 3, 1, 1
    yield "3-D 2x64x16x56x56 k3", 2, 64, 64, (16, 56, 56), 3, 1, 1


def gradients():
    for c, size in ((64, 56), (128, 28), (256, 14), (512, 7), (320, 64)):
        yield f"k3 {c}, {size}", 32, c, c, (size, size), 3, 1, 1, 1, True


def drawn():
    """Layers that nobody chose: of two and three axes, filters mostly three wide."""
    r, made = random.Random(int(os.getenv("SEED", "1"))), 0
    while made < int(os.getenv("COUNT", "20")):
        axes, data = r.choice((2, 2, 3)), r.random() < 0.5
        size = r.choice((7, 10, 14, 20, 28, 32, 40, 56, 64, 80, 96) if axes == 2 else (8, 12, 16, 24, 32, 40, 48))
        few = (32,) * (axes == 3)
        c, k = (r.choice(few + (64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768)) for _ in range(2))
        images = r.choice((8, 16, 32, 64) if axes == 2 else (1, 2, 4))
        filter = 3 if axes == 3 else r.choice((3, 3, 3, 3, 5, 2))
        stride = 1 if data or axes == 3 else r.choice((1, 1, 1, 2))
        if not 2e9 < 2.0 * images * size ** axes * c * k * filter ** axes / stride ** axes < 2.5e11:
            continue
        made += 1
        what = "gradient" if data else f"s{stride}"
        yield (f"k{filter} {what} {c} to {k}, {size} to the {axes}, {images} images", images, c, k,
               (size,) * axes, filter, stride, filter // 2, 1, data)


SETS = {f.__name__: f for f in (issue, resnet50, convnext, unet3d, gradients, drawn)}


def main():
    if not torch.cuda.is_available():
        print("SKIP: no GPU")
        return
    torch.backends.cudnn.benchmark = True
    torch.zeros(1, device="cuda")
    ours = Ours(sys.argv[1])
    print("set\tlayer\tcuDNN us\tpick us\ttuned us\tratio of the pick\tof the better\tTFLOP/s\t"
          "error\tpick\ttuned")
    for name in sys.argv[2:] or SETS:
        rows = [compare(ours, name, Layer(*layer)) for layer in SETS[name]()]
        for i, which in enumerate(("pick", "better")):
            got = [r[i] for r in rows if r]
            mean = math.exp(sum(map(math.log, got)) / len(got))
            print(f"# {name}, {which}: geometric {mean:.3f}, worst {min(got):.3f} of {len(got)}",
                  flush=True)


main()
