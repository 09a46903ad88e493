"""A Triton program with host-made descriptors, for `tmap trace` to watch: a matrix product and a copy
over odd shapes. With the argument "illegal" its last descriptor is changed behind Triton's back so that
the driver refuses it."""
import sys

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m, n = tl.program_id(0), tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m * BM, k]), b.load([n * BN, k]).T, acc)
    c.store([m * BM, n * BN], acc.to(tl.bfloat16))


@triton.jit
def copy(x, y, BM: tl.constexpr, BN: tl.constexpr):
    m, n = tl.program_id(0), tl.program_id(1)
    y.store([m * BM, n * BN], x.load([m * BM, n * BN]))


def gemm(m, n, k, block=(128, 128, 64)):
    a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
    b = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    bm, bn, bk = block
    da, db = (TensorDescriptor.from_tensor(t, [s, bk]) for t, s in ((a, bm), (b, bn)))
    dc = TensorDescriptor.from_tensor(c, [bm, bn])
    matmul[(triton.cdiv(m, bm), triton.cdiv(n, bn))](da, db, dc, k, *block)
    want = a.float() @ b.float().T
    print("gemm %dx%dx%d: largest error %.3g" % (m, n, k, (c.float() - want).abs().max()))


def odd_copy(rows, columns, spoil=False):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float32)
    y = torch.zeros_like(x)
    dx, dy = (TensorDescriptor.from_tensor(t, [32, 32]) for t in (x, y))
    if spoil:
        dx.strides = [columns - 1, 1]
    copy[(triton.cdiv(rows, 32), triton.cdiv(columns, 32))](dx, dy, 32, 32)
    print("copy %dx%d: %s" % (rows, columns, "equal" if torch.equal(x, y) else "DIFFERENT"))


for shape in ((512, 512, 512), (1000, 520, 264), (129, 8, 72)):
    gemm(*shape)
for shape in ((100, 52), (33, 4), (1, 1028)):
    odd_copy(*shape)
if "illegal" in sys.argv:
    try:
        odd_copy(64, 64, spoil=True)
    except Exception as e:
        print("refused:", type(e).__name__, str(e)[:200])
torch.cuda.synchronize()
