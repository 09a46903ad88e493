"""Kernels in Gluon, Triton's lower language, where barriers, copies and tensor memory are written by hand."""
import numpy
import triton
from triton.backends.compiler import GPUTarget
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language.nvidia import blackwell, hopper
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout, TensorMemoryScalesLayout, allocate_tensor_memory, fence_async_shared, get_tmem_reg_layout,
    mbarrier, tcgen05_commit, tcgen05_copy, tcgen05_mma, tcgen05_mma_scaled, tma)

from run import SMALL, Case, aligned, codes, integers, numbers
from triton_cases import described

TYPES = {"bf16": gl.bfloat16, "fp16": gl.float16, "fp8e4nv": gl.float8e4nv, "fp8e5": gl.float8e5, "fp32": gl.float32,
         "u8": gl.uint8, "i32": gl.int32}


@gluon.jit
def barriers(count: gl.constexpr):
    bars = gl.allocate_shared_memory(gl.int64, [count, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(count):
        mbarrier.init(bars.index(i), count=1)
    return bars


@gluon.jit
def store_tile(acc, c_desc, row, col, layout: gl.constexpr, W: gl.constexpr):
    """An accumulator of tensor memory by way of shared memory to the copy engine."""
    shape: gl.constexpr = c_desc.block_type.shape
    reg: gl.constexpr = get_tmem_reg_layout(gl.float32, (shape[0], shape[1]), layout, W)
    out = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    out.store(acc.load(reg).to(c_desc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(c_desc, [row, col], out)
    tma.store_wait(pendings=0)


@gluon.jit
def fetch(a_desc, b_desc, a, b, bar, row, col, k, T: gl.constexpr):
    mbarrier.expect(bar, a_desc.block_type.nbytes + b_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [row, k], bar, a)
    if T:
        tma.async_copy_global_to_shared(b_desc, [col, k], bar, b)
    else:
        tma.async_copy_global_to_shared(b_desc, [k, col], bar, b)


@gluon.jit
def ring(a_desc, b_desc, c_desc, T: gl.constexpr, S: gl.constexpr, W: gl.constexpr):
    """One warp group does all: copies run S - 1 blocks of K ahead of the products."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    BK: gl.constexpr = a_desc.block_type.shape[1]
    a = gl.allocate_shared_memory(a_desc.dtype, [S] + a_desc.block_type.shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, [S] + b_desc.block_type.shape, b_desc.layout)
    full = barriers(S)
    free = barriers(S)
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], layout)
    blocks = gl.cdiv(a_desc.shape[1], BK)
    for i in range(blocks + S - 1):
        if i < blocks:
            s = i % S
            mbarrier.wait(free.index(s), (i // S & 1) ^ 1)
            fetch(a_desc, b_desc, a.index(s), b.index(s), full.index(s), row, col, i * BK, T)
        j = i - (S - 1)
        if j >= 0:
            s = j % S
            mbarrier.wait(full.index(s), j // S & 1)
            if T:
                tcgen05_mma(a.index(s), b.index(s).permute((1, 0)), acc, use_acc=j > 0)
            else:
                tcgen05_mma(a.index(s), b.index(s), acc, use_acc=j > 0)
            tcgen05_commit(free.index(s))
    mbarrier.wait(free.index((blocks - 1) % S), (blocks - 1) // S & 1)
    store_tile(acc, c_desc, row, col, layout, W)


@gluon.jit
def held(a_desc, b_desc, c_desc, W: gl.constexpr):
    """A and the first sums come from shared memory by way of registers to tensor memory."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    BK: gl.constexpr = a_desc.block_type.shape[1]
    a = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_type.shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_type.shape, b_desc.layout)
    c = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    bar = barriers(2)
    mbarrier.expect(bar.index(0), a_desc.block_type.nbytes + b_desc.block_type.nbytes + c_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [0, 0], bar.index(0), a)
    tma.async_copy_global_to_shared(b_desc, [0, 0], bar.index(0), b)
    tma.async_copy_global_to_shared(c_desc, [0, 0], bar.index(0), c)
    mbarrier.wait(bar.index(0), 0)
    layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    reg: gl.constexpr = get_tmem_reg_layout(gl.float32, (BM, BN), layout, W)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], layout)
    acc.store(c.load(reg))
    a_layout: gl.constexpr = TensorMemoryLayout([BM, BK], col_stride=1)
    a_reg: gl.constexpr = get_tmem_reg_layout(a_desc.dtype, (BM, BK), a_layout, W)
    a_held = allocate_tensor_memory(a_desc.dtype, [BM, BK], a_layout)
    a_held.store(a.load(a_reg))
    tcgen05_mma(a_held, b.permute((1, 0)), acc, mbarriers=[bar.index(1)])
    mbarrier.wait(bar.index(1), 0)
    store_tile(acc, c_desc, 0, 0, layout, W)


@gluon.jit
def loader(a_desc, b_desc, c_desc, a, b, full, free, accs, ready, taken, tiles, across, S: gl.constexpr):
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    BK: gl.constexpr = a_desc.block_type.shape[1]
    blocks = gl.cdiv(a_desc.shape[1], BK)
    i = 0
    for t in range(gl.program_id(0), tiles, gl.num_programs(0)):
        for k in range(blocks):
            s = i % S
            mbarrier.wait(free.index(s), (i // S & 1) ^ 1)
            fetch(a_desc, b_desc, a.index(s), b.index(s), full.index(s), t // across * BM, t % across * BN, k * BK, True)
            i += 1


@gluon.jit
def multiplier(a_desc, b_desc, c_desc, a, b, full, free, accs, ready, taken, tiles, across, S: gl.constexpr):
    BK: gl.constexpr = a_desc.block_type.shape[1]
    blocks = gl.cdiv(a_desc.shape[1], BK)
    i = 0
    n = 0
    for t in range(gl.program_id(0), tiles, gl.num_programs(0)):
        mbarrier.wait(taken.index(n % 2), (n // 2 & 1) ^ 1)
        acc = accs.index(n % 2)
        for k in range(blocks):
            s = i % S
            mbarrier.wait(full.index(s), i // S & 1)
            tcgen05_mma(a.index(s), b.index(s).permute((1, 0)), acc, use_acc=k > 0)
            tcgen05_commit(free.index(s))
            i += 1
        tcgen05_commit(ready.index(n % 2))
        n += 1


@gluon.jit
def finisher(a_desc, b_desc, c_desc, a, b, full, free, accs, ready, taken, tiles, across, S: gl.constexpr):
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    reg: gl.constexpr = get_tmem_reg_layout(gl.float32, (BM, BN), layout, 4)
    out = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    n = 0
    for t in range(gl.program_id(0), tiles, gl.num_programs(0)):
        mbarrier.wait(ready.index(n % 2), n // 2 & 1)
        tile = accs.index(n % 2).load(reg)
        mbarrier.arrive(taken.index(n % 2), count=1)
        tma.store_wait(pendings=0)
        out.store(tile.to(c_desc.dtype))
        fence_async_shared()
        tma.async_copy_shared_to_global(c_desc, [t // across * BM, t % across * BN], out)
        n += 1
    tma.store_wait(pendings=0)


@gluon.jit
def parts(a_desc, b_desc, c_desc, tiles, across, S: gl.constexpr):
    """Warps of three kinds: copies, products into two accumulators, and the store."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    a = gl.allocate_shared_memory(a_desc.dtype, [S] + a_desc.block_type.shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, [S] + b_desc.block_type.shape, b_desc.layout)
    layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    accs = allocate_tensor_memory(gl.float32, [2, BM, BN], layout)
    args = (a_desc, b_desc, c_desc, a, b, barriers(S), barriers(S), accs, barriers(2), barriers(2), tiles, across, S)
    gl.warp_specialize([(finisher, args), (loader, args), (multiplier, args)], [1, 1], [24, 24])


@gluon.jit
def moved(a_desc, c_desc, W: gl.constexpr):
    """tcgen05.cp: shared to tensor memory, and out."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    a = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_type.shape, a_desc.layout)
    bar = barriers(2)
    mbarrier.expect(bar.index(0), a_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [0, 0], bar.index(0), a)
    mbarrier.wait(bar.index(0), 0)
    layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], layout)
    tcgen05_copy(a, acc)
    tcgen05_commit(bar.index(1))
    mbarrier.wait(bar.index(1), 0)
    store_tile(acc, c_desc, 0, 0, layout, W)


@gluon.jit
def scaled(a_desc, b_desc, c_desc, sa, sb, A: gl.constexpr, B: gl.constexpr, SF: gl.constexpr, W: gl.constexpr):
    """One tile with scale factors, which registers take to tensor memory."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    a = gl.allocate_shared_memory(a_desc.dtype, a_desc.block_type.shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, b_desc.block_type.shape, b_desc.layout)
    bar = barriers(2)
    mbarrier.expect(bar.index(0), a_desc.block_type.nbytes + b_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [0, 0], bar.index(0), a)
    tma.async_copy_global_to_shared(b_desc, [0, 0], bar.index(0), b)
    layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    acc = allocate_tensor_memory(gl.float32, [BM, BN], layout)
    scales: gl.constexpr = TensorMemoryScalesLayout()
    a_reg: gl.constexpr = get_tmem_reg_layout(sa.dtype.element_ty, (BM, SF), scales, W)
    b_reg: gl.constexpr = get_tmem_reg_layout(sb.dtype.element_ty, (BN, SF), scales, W)
    a_scale = allocate_tensor_memory(sa.dtype.element_ty, [BM, SF], scales)
    b_scale = allocate_tensor_memory(sb.dtype.element_ty, [BN, SF], scales)
    am = gl.arange(0, BM, gl.SliceLayout(1, a_reg))
    ak = gl.arange(0, SF, gl.SliceLayout(0, a_reg))
    a_scale.store(gl.load(sa + am[:, None] * SF + ak[None, :]))
    bm = gl.arange(0, BN, gl.SliceLayout(1, b_reg))
    bk = gl.arange(0, SF, gl.SliceLayout(0, b_reg))
    b_scale.store(gl.load(sb + bm[:, None] * SF + bk[None, :]))
    mbarrier.wait(bar.index(0), 0)
    tcgen05_mma_scaled(a, b.permute((1, 0)), acc, a_scale, b_scale, A, B, use_acc=False)
    tcgen05_commit(bar.index(1))
    mbarrier.wait(bar.index(1), 0)
    store_tile(acc, c_desc, 0, 0, layout, W)


@gluon.jit
def attends(q_desc, k_desc, v_desc, o_desc, length, scale, W: gl.constexpr):
    """Attention whose probabilities go back to tensor memory as the second product's A."""
    BM: gl.constexpr = q_desc.block_type.shape[0]
    BN: gl.constexpr = k_desc.block_type.shape[0]
    D: gl.constexpr = q_desc.block_type.shape[1]
    q = gl.allocate_shared_memory(q_desc.dtype, q_desc.block_type.shape, q_desc.layout)
    k = gl.allocate_shared_memory(k_desc.dtype, k_desc.block_type.shape, k_desc.layout)
    v = gl.allocate_shared_memory(v_desc.dtype, v_desc.block_type.shape, v_desc.layout)
    bar = barriers(3)
    s_layout: gl.constexpr = TensorMemoryLayout([BM, BN], col_stride=1)
    o_layout: gl.constexpr = TensorMemoryLayout([BM, D], col_stride=1)
    s_reg: gl.constexpr = get_tmem_reg_layout(gl.float32, (BM, BN), s_layout, W)
    o_reg: gl.constexpr = get_tmem_reg_layout(gl.float32, (BM, D), o_layout, W)
    p_reg: gl.constexpr = get_tmem_reg_layout(q_desc.dtype, (BM, BN), s_layout, W)
    s_acc = allocate_tensor_memory(gl.float32, [BM, BN], s_layout)
    o_acc = allocate_tensor_memory(gl.float32, [BM, D], o_layout)
    p_held = allocate_tensor_memory(q_desc.dtype, [BM, BN], s_layout)
    row = gl.program_id(0) * BM
    most = gl.full([BM], -1.0e30, gl.float32, gl.SliceLayout(1, s_reg))
    total = gl.full([BM], 0.0, gl.float32, gl.SliceLayout(1, s_reg))
    o_acc.store(gl.full([BM, D], 0.0, gl.float32, o_reg))
    phase = 0
    for n in range(0, length, BN):
        if n == 0:
            mbarrier.expect(bar.index(0), q_desc.block_type.nbytes + 2 * k_desc.block_type.nbytes)
            tma.async_copy_global_to_shared(q_desc, [row, 0], bar.index(0), q)
        else:
            mbarrier.expect(bar.index(0), 2 * k_desc.block_type.nbytes)
        tma.async_copy_global_to_shared(k_desc, [n, 0], bar.index(0), k)
        tma.async_copy_global_to_shared(v_desc, [n, 0], bar.index(0), v)
        mbarrier.wait(bar.index(0), phase)
        tcgen05_mma(q, k.permute((1, 0)), s_acc, use_acc=False, mbarriers=[bar.index(1)])
        mbarrier.wait(bar.index(1), phase)
        s = s_acc.load(s_reg) * scale
        new = gl.maximum(most, gl.max(s, 1))
        p = gl.exp2(s - new[:, None])
        keep = gl.exp2(most - new)
        total = total * keep + gl.sum(p, 1)
        old = o_acc.load(o_reg)
        o_acc.store(old * gl.convert_layout(keep, gl.SliceLayout(1, o_reg))[:, None])
        p_held.store(gl.convert_layout(p.to(q_desc.dtype), p_reg))
        tcgen05_mma(p_held, v, o_acc, use_acc=True, mbarriers=[bar.index(2)])
        mbarrier.wait(bar.index(2), phase)
        phase ^= 1
        most = new
    out = gl.allocate_shared_memory(o_desc.dtype, o_desc.block_type.shape, o_desc.layout)
    result = o_acc.load(o_reg) / gl.convert_layout(total, gl.SliceLayout(1, o_reg))[:, None]
    out.store(result)
    fence_async_shared()
    tma.async_copy_shared_to_global(o_desc, [row, 0], out)
    tma.store_wait(pendings=0)


@gluon.jit
def gathers(a_desc, rows, c_desc, BM: gl.constexpr, layout: gl.constexpr):
    BN: gl.constexpr = a_desc.block_type.shape[1]
    a = gl.allocate_shared_memory(a_desc.dtype, [BM, BN], a_desc.layout)
    bar = barriers(1)
    at = gl.load(rows + gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(0, layout)))
    mbarrier.expect(bar.index(0), BM * a_desc.block_type.nbytes)
    tma.async_gather(a_desc, at, gl.program_id(1) * BN, bar.index(0), a)
    mbarrier.wait(bar.index(0), 0)
    tma.async_copy_shared_to_global(c_desc, [gl.program_id(0) * BM, gl.program_id(1) * BN], a)
    tma.store_wait(pendings=0)


@gluon.jit
def scatters(a_desc, rows, c_desc, BM: gl.constexpr, layout: gl.constexpr):
    BN: gl.constexpr = c_desc.block_type.shape[1]
    a = gl.allocate_shared_memory(a_desc.dtype, [BM, BN], a_desc.layout)
    bar = barriers(1)
    at = gl.load(rows + gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(0, layout)))
    mbarrier.expect(bar.index(0), a_desc.block_type.nbytes)
    tma.async_copy_global_to_shared(a_desc, [gl.program_id(0) * BM, gl.program_id(1) * BN], bar.index(0), a)
    mbarrier.wait(bar.index(0), 0)
    tma.async_scatter(c_desc, at, gl.program_id(1) * BN, a)
    tma.store_wait(pendings=0)


@gluon.jit
def groups(a_desc, b_desc, c_desc, layout: gl.constexpr, S: gl.constexpr):
    """The same ring on Hopper, whose sums are in registers."""
    BM: gl.constexpr = c_desc.block_type.shape[0]
    BN: gl.constexpr = c_desc.block_type.shape[1]
    BK: gl.constexpr = a_desc.block_type.shape[1]
    a = gl.allocate_shared_memory(a_desc.dtype, [S] + a_desc.block_type.shape, a_desc.layout)
    b = gl.allocate_shared_memory(b_desc.dtype, [S] + b_desc.block_type.shape, b_desc.layout)
    full = barriers(S)
    row = gl.program_id(0) * BM
    col = gl.program_id(1) * BN
    blocks = gl.cdiv(a_desc.shape[1], BK)
    for i in gl.static_range(S - 1):
        fetch(a_desc, b_desc, a.index(i), b.index(i), full.index(i), row, col, i * BK, True)
    acc = gl.full([BM, BN], 0.0, gl.float32, layout)
    for i in range(blocks):
        s = i % S
        mbarrier.wait(full.index(s), i // S & 1)
        acc = hopper.warpgroup_mma(a.index(s), b.index(s).permute((1, 0)), acc, is_async=True)
        acc = hopper.warpgroup_mma_wait(num_outstanding=0, deps=(acc, ))
        n = i + S - 1
        if n < blocks:
            fetch(a_desc, b_desc, a.index(n % S), b.index(n % S), full.index(n % S), row, col, n * BK, True)
    out = gl.allocate_shared_memory(c_desc.dtype, c_desc.block_type.shape, c_desc.layout)
    out.store(acc.to(c_desc.dtype))
    fence_async_shared()
    tma.async_copy_shared_to_global(c_desc, [row, col], out)
    tma.store_wait(pendings=0)


# --- cases


class Tile:
    """A descriptor's type and block; `array` is what it describes."""

    def __init__(self, array, dtype, *block):
        self.array, self.dtype, self.block = array, dtype, list(block)

    def layout(self):
        rows = [max(self.block[0], 8)] + self.block[1:]  # gather4's one row is part of a tile
        return gl.NVMMASharedLayout.get_default_for(rows, TYPES[self.dtype])

    def signature(self):
        return f"tensordesc<{self.dtype}[{','.join(map(str, self.block))}],{self.layout()!r}>"


def made(case, fn, grid, args, constants, *wanted, warps=4, **options):
    """args: name to Tile, (array, type) or (number, type), in the kernel's order."""
    signature = {n: a.signature() if isinstance(a, Tile) else a[1] for n, a in args.items()}
    signature.update(dict.fromkeys(constants, "constexpr"))
    kernel = triton.compile(GluonASTSource(fn=fn, signature=signature, constexprs=constants),
                            target=GPUTarget("cuda", case.arch, 32), options=dict(num_warps=warps, **options))
    said, flat = iter(kernel.metadata.tensordesc_meta or []), []
    for a in args.values():
        flat += described(a.array, a.dtype, next(said)) if isinstance(a, Tile) else [a[0]]
    case.made(kernel.asm["ptx"], kernel.metadata, grid, flat, *wanted)


def operands(dtype, m, n, k, transposed=True):
    rng = numpy.random.default_rng(11)
    a, b = integers(rng, m, k), integers(rng, n, k)
    return a @ b.T, aligned(codes(a, dtype)), aligned(codes(b if transposed else numpy.ascontiguousarray(b.T), dtype))


def sums(m, n):
    return aligned(numpy.full((m, n), -9, numpy.float32))


def ringed(dtype, bm, bn, bk, stages, transposed=True):
    def build(case):
        want, a, b = operands(dtype, 2 * bm, 2 * bn, 5 * bk, transposed)
        c = sums(2 * bm, 2 * bn)
        block = (bn, bk) if transposed else (bk, bn)
        args = {"a_desc": Tile(a, dtype, bm, bk), "b_desc": Tile(b, dtype, *block), "c_desc": Tile(c, "fp32", bm, bn)}
        made(case, ring, (2, 2), args, {"T": transposed, "S": stages, "W": 4}, (c, want, 0))
    return build


def holds(dtype, bm, bn, bk, warps):
    def build(case):
        want, a, b = operands(dtype, bm, bn, bk)
        c = aligned(integers(numpy.random.default_rng(2), bm, bn))
        want = want + c
        args = {"a_desc": Tile(a, dtype, bm, bk), "b_desc": Tile(b, dtype, bn, bk), "c_desc": Tile(c, "fp32", bm, bn)}
        made(case, held, (1,), args, {"W": warps}, (c, want, 0), warps=warps)
    return build


def in_parts(dtype, bm, bn, bk, stages):
    def build(case):
        want, a, b = operands(dtype, 3 * bm, 2 * bn, 3 * bk)
        c = sums(3 * bm, 2 * bn)
        args = {"a_desc": Tile(a, dtype, bm, bk), "b_desc": Tile(b, dtype, bn, bk), "c_desc": Tile(c, "fp32", bm, bn),
                "tiles": (6, "i32"), "across": (2, "i32")}
        made(case, parts, (2,), args, {"S": stages}, (c, want, 0))
    return build


def moves(bn, warps):
    def build(case):
        a, c = aligned(numpy.random.default_rng(3).standard_normal((128, bn)).astype(numpy.float32)), sums(128, bn)
        args = {"a_desc": Tile(a, "fp32", 128, bn), "c_desc": Tile(c, "fp32", 128, bn)}
        made(case, moved, (1,), args, {"W": warps}, (c, a, 0), warps=warps)
    return build


def with_scales(a_format, b_format, bn=128, k=256, block=32):
    def build(case):
        rng = numpy.random.default_rng(5)
        tiles, values, factors = [], [], []
        table = numpy.array([2.0 ** (c - 127) for c in range(256)]) if block == 32 else \
            numpy.array([SMALL["e4m3"].get(c, 0) for c in range(256)])
        for fmt, rows in ((a_format, 128), (b_format, bn)):
            number = numpy.array([SMALL[fmt].get(c, 0) for c in range(16 if fmt == "e2m1" else 256)])
            usable = [c for c, v in SMALL[fmt].items() if 0.25 <= abs(v) <= 4]
            bits = rng.choice(usable, (rows, k)).astype(numpy.uint8)
            packed = fmt == "e2m1"
            raw = aligned(bits[:, 0::2] | bits[:, 1::2] << 4 if packed else bits)
            tiles.append(Tile(raw, {"e4m3": "fp8e4nv", "e5m2": "fp8e5", "e2m1": "u8"}[fmt], rows, raw.shape[1]))
            low, high = (124, 130) if block == 32 else (0x30, 0x40)
            factors.append(aligned(rng.integers(low, high, (rows, k // block)).astype(numpy.uint8)))
            values.append(number[bits] * numpy.repeat(table[factors[-1]], block, axis=1))
        c, kind = sums(128, bn), "*u8" if block == 32 else "*fp8e4nv"
        args = {"a_desc": tiles[0], "b_desc": tiles[1], "c_desc": Tile(c, "fp32", 128, bn), "sa": (factors[0], kind),
                "sb": (factors[1], kind)}
        constants = {"A": a_format, "B": b_format, "SF": k // block, "W": 4}
        bound = abs(values[0]) @ abs(values[1]).T * 2.0 ** -20
        made(case, scaled, (1,), args, constants, (c, values[0] @ values[1].T, bound))
    return build


def attention(dtype, bm=128, bn=64, d=64):
    def build(case):
        rng, rows, length = numpy.random.default_rng(4), 2 * bm, 3 * bn
        raw = [(r.view(numpy.uint32) >> 16).astype(numpy.uint16) if dtype == "bf16" else r.astype(numpy.float16).view(
            numpy.uint16) for r in (rng.standard_normal((n, d)).astype(numpy.float32) for n in (rows, length, length))]
        raw = [aligned(r) for r in raw]
        q, k, v = (numbers(r, dtype) for r in raw)
        o = sums(rows, d)
        args = {"q_desc": Tile(raw[0], dtype, bm, d), "k_desc": Tile(raw[1], dtype, bn, d),
                "v_desc": Tile(raw[2], dtype, bn, d), "o_desc": Tile(o, "fp32", bm, d), "length": (length, "i32"),
                "scale": (0.125, "fp32")}
        s = q @ k.T * 0.125
        e = numpy.exp2(s - s.max(1, keepdims=True))
        made(case, attends, (2,), args, {"W": 4}, (o, e @ v / e.sum(1, keepdims=True), 0.02))
    return build


def by_rows(fn, dtype, bm=64, bn=64):
    def build(case):
        rng = numpy.random.default_rng(6)
        rows = aligned(rng.permutation(200)[:2 * bm].astype(numpy.int32))
        tall, few = aligned(codes(integers(rng, 200, 2 * bn), dtype)), aligned(codes(integers(rng, 2 * bm, 2 * bn), dtype))
        layout = gl.BlockedLayout([1, 4], [32, 1], [1, 4], [1, 0])
        one, many = Tile(tall, dtype, 1, bn), Tile(few, dtype, bm, bn)
        if fn is gathers:
            args, wanted = {"a_desc": one, "rows": (rows, "*i32"), "c_desc": many}, (few, tall[rows], 0)
        else:
            want = tall.copy()
            want[rows] = few
            args, wanted = {"a_desc": many, "rows": (rows, "*i32"), "c_desc": one}, (tall, want, 0)
        made(case, fn, (2, 2), args, {"BM": bm, "layout": layout}, wanted)
    return build


def grouped(dtype, bm, bn, bk, warps, stages):
    def build(case):
        want, a, b = operands(dtype, 2 * bm, 2 * bn, 5 * bk)
        c = sums(2 * bm, 2 * bn)
        layout = gl.NVMMADistributedLayout([3, 0], [warps, 1], [16, bn, 32 // a.itemsize])
        args = {"a_desc": Tile(a, dtype, bm, bk), "b_desc": Tile(b, dtype, bn, bk), "c_desc": Tile(c, "fp32", bm, bn)}
        made(case, groups, (2, 2), args, {"layout": layout, "S": stages}, (c, want, 0), warps=warps)
    return build


def cases():
    for dtype in ("bf16", "fp16", "fp8e4nv"):
        yield Case(f"gluon_groups_{dtype}", 90, grouped(dtype, 64, 64, 64, 4, 3))
        yield Case(f"gluon_groups_wide_{dtype}", 90, grouped(dtype, 128, 128, 64, 8, 2))
    for dtype in ("bf16", "fp16", "fp8e4nv", "fp8e5"):
        yield Case(f"gluon_ring_{dtype}", 100, ringed(dtype, 128, 64, 64, 3))
        yield Case(f"gluon_ring_wide_{dtype}", 100, ringed(dtype, 128, 256, 128 // (1 + (dtype[2:3] != "8")), 2))
        yield Case(f"gluon_ring_short_{dtype}", 100, ringed(dtype, 64, 64, 64, 2))
        yield Case(f"gluon_ring_columns_{dtype}", 100, ringed(dtype, 128, 128, 64, 2, transposed=False))
        yield Case(f"gluon_parts_{dtype}", 100, in_parts(dtype, 128, 64, 64, 3))
    for dtype in ("bf16", "fp16"):
        for warps in (4, 8):
            yield Case(f"gluon_held_{dtype}_{warps}_warps", 100, holds(dtype, 128, 64, 64, warps))
        yield Case(f"gluon_attention_{dtype}", 100, attention(dtype))
        yield Case(f"gluon_gather_{dtype}", 100, by_rows(gathers, dtype))
        yield Case(f"gluon_scatter_{dtype}", 100, by_rows(scatters, dtype))
    yield Case("gluon_held_64_rows", 100, holds("fp16", 64, 128, 64, 4))
    yield Case("gluon_moved_64", 100, moves(64, 4))
    yield Case("gluon_moved_128", 100, moves(128, 8))
    yield Case("gluon_mxf8", 100, with_scales("e4m3", "e4m3"))
    yield Case("gluon_mxf8_e5m2", 100, with_scales("e5m2", "e4m3", bn=64))
    yield Case("gluon_mxf4", 100, with_scales("e2m1", "e2m1"))
    yield Case("gluon_mxf4_wide", 100, with_scales("e2m1", "e2m1", bn=256))
    yield Case("gluon_nvf4", 100, with_scales("e2m1", "e2m1", block=16))
