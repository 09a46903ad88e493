"""Kernels of tests/python/test_triton_emulate.py; Triton reads their source, so they need a file."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def product(a, b, c, K, M: tl.constexpr, N: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0), tl.program_id(1)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m * M, k]), b.load([n * N, k]).T, acc)
    c.store([m * M, n * N], acc.to(tl.float16))


@triton.jit
def outside(out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, i)
