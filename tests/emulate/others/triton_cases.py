"""Kernels in Triton's language, and what each has to leave. Triton compiles for any chip without one."""
import numpy
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from run import SMALL, Case, Map, aligned, codes, integers, numbers


@triton.jit
def mm(a, b, c, M, N, K, sam, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * sam + (k + rk)[None, :])
        y = tl.load(b + rn[None, :] * sbn + (k + rk)[:, None])
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * scm + rn[None, :], acc)


@triton.jit
def mmi(a, b, c, M, N, K, sam, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * sam + (k + rk)[None, :])
        y = tl.load(b + rn[None, :] * sbn + (k + rk)[:, None])
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
    tl.store(c + rm[:, None] * scm + rn[None, :], acc)


@triton.jit
def mmd(a_desc, b_desc, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = a_desc.load([pm * BM, k])
        y = b_desc.load([pn * BN, k])
        acc = tl.dot(x, y.T, acc)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def mms(a_desc, b_desc, c_desc, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a_desc.load([pm * BM, k]), b_desc.load([pn * BN, k]).T, acc)
    c_desc.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def mmp(a_desc, b_desc, c, N, K, TM, TN, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    for t in tl.range(tl.program_id(0), TM * TN, tl.num_programs(0), flatten=True):
        pm = t // TN
        pn = t % TN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a_desc.load([pm * BM, k]), b_desc.load([pn * BN, k]).T, acc)
        rm = pm * BM + tl.arange(0, BM)
        rn = pn * BN + tl.arange(0, BN)
        tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def mmw(a_desc, b_desc, c, N, K, TM, TN, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    for t in tl.range(tl.program_id(0), TM * TN, tl.num_programs(0), warp_specialize=True):
        pm = t // TN
        pn = t % TN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a_desc.load([pm * BM, k]), b_desc.load([pn * BN, k]).T, acc)
        rm = pm * BM + tl.arange(0, BM)
        rn = pn * BN + tl.arange(0, BN)
        tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def mmk(a_desc, b_desc, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """K in parts, added by atomics."""
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.program_id(2) * BK, K, tl.num_programs(2) * BK):
        acc = tl.dot(a_desc.load([pm * BM, k]), b_desc.load([pn * BN, k]).T, acc)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    tl.atomic_add(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def scaled(a_desc, b_desc, sa, sb, c, N, K, A: tl.constexpr, B: tl.constexpr, BLOCK: tl.constexpr,
           PA: tl.constexpr, PB: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rs = tl.arange(0, BK // BLOCK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = a_desc.load([pm * BM, k // PA])
        y = b_desc.load([pn * BN, k // PB])
        u = tl.load(sa + rm[:, None] * (K // BLOCK) + (k // BLOCK + rs)[None, :])
        v = tl.load(sb + rn[:, None] * (K // BLOCK) + (k // BLOCK + rs)[None, :])
        acc = tl.dot_scaled(x, u, A, y.T, v, B, acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def attention(q_desc, k_desc, v_desc, o, length, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    q = q_desc.load([pm * BM, 0])
    most = tl.full([BM], -1.0e30, tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    for n in range(0, length, BN):
        s = tl.dot(q, k_desc.load([n, 0]).T) * scale
        new = tl.maximum(most, tl.max(s, 1))
        p = tl.math.exp2(s - new[:, None])
        keep = tl.math.exp2(most - new)
        total = total * keep + tl.sum(p, 1)
        acc = acc * keep[:, None]
        v = v_desc.load([n, 0])
        acc = tl.dot(p.to(v.dtype), v, acc)
        most = new
    rm = pm * BM + tl.arange(0, BM)
    tl.store(o + rm[:, None] * D + tl.arange(0, D)[None, :], acc / total[:, None])


@triton.jit
def gathered(a_desc, rows, c, N, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    x = a_desc.gather(tl.load(rows + rm), pn * BN)
    tl.store(c + rm[:, None] * N + (pn * BN + tl.arange(0, BN))[None, :], x)


@triton.jit
def scattered(a, rows, c_desc, N, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    x = tl.load(a + rm[:, None] * N + (pn * BN + tl.arange(0, BN))[None, :])
    c_desc.scatter(x, tl.load(rows + rm), pn * BN)


@triton.jit
def softmax(a, c, N, BN: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(a + row * N + tl.arange(0, BN), mask=tl.arange(0, BN) < N, other=-1.0e30)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(c + row * N + tl.arange(0, BN), e / tl.sum(e, 0), mask=tl.arange(0, BN) < N)


@triton.jit
def transposed(a_desc, c_desc, BM: tl.constexpr, BN: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    c_desc.store([pn * BN, pm * BM], a_desc.load([pm * BM, pn * BN]).T)


def compiled(fn, signature, constants, arch, **options):
    signature = dict(signature, **{name: "constexpr" for name in constants})
    kernel = triton.compile(ASTSource(fn=fn, signature=signature, constexprs=constants),
                            target=GPUTarget("cuda", arch, 32), options=options)
    return kernel.asm["ptx"], kernel.metadata


def descriptor(dtype, *box):
    return f"tensordesc<{dtype}[{','.join(map(str, box))}]>"


def described(array, dtype, meta):
    """A descriptor's parameters: the map, its shape, its strides."""
    strides = [s // array.itemsize for s in array.strides]
    shape = list(array.shape)
    return [Map(array, dtype, meta["block_size"], meta["swizzle"], meta.get("fp4_padded", False))] + shape + strides


def operands(dtype, m, n, k, seed=0):
    rng = numpy.random.default_rng(seed)
    a, b = integers(rng, m, k), integers(rng, n, k)
    return a @ b.T, aligned(codes(a, dtype)), aligned(codes(b, dtype))


def product(fn, dtype, arch, bm, bn, bk, warps, stages, **more):
    def build(case):
        constants = {"BM": bm, "BN": bn, "BK": bk}
        m, n, k = 2 * bm, 2 * bn, 3 * bk
        want, a, b = operands(dtype, m, n, k)
        integer = fn is mmi
        c = aligned(numpy.full((m, n), 0 if fn is mmk else -9, numpy.int32 if integer else numpy.float32))
        options = dict(num_warps=warps, num_stages=stages, **more)
        if fn in (mm, mmi):
            signature = {"a": "*" + dtype, "b": "*" + dtype, "c": "*i32" if integer else "*fp32"}
            signature.update(dict.fromkeys(("M", "N", "K", "sam", "sbn", "scm"), "i32"))
            ptx, meta = compiled(fn, signature, constants, arch, **options)
            case.made(ptx, meta, (2, 2), [a, b, c, m, n, k, k, k, n], (c, want, 0))
            return
        signature = {"a_desc": descriptor(dtype, bm, bk), "b_desc": descriptor(dtype, bn, bk), "c": "*fp32",
                     "N": "i32", "K": "i32"}
        if fn in (mmp, mmw):
            signature.update(TM="i32", TN="i32")
        if fn is mms:
            del signature["c"]
            signature = {**{x: signature[x] for x in ("a_desc", "b_desc")}, "c_desc": descriptor("fp16", bm, bn),
                         "N": "i32", "K": "i32"}
            c = aligned(numpy.zeros((m, n), numpy.uint16))
        ptx, meta = compiled(fn, signature, constants, arch, **options)
        said = meta.tensordesc_meta
        args = described(a, dtype, said[0]) + described(b, dtype, said[1])
        args += described(c, "fp16", said[2]) if fn is mms else [c]
        args += [n, k] + ([2, 2] if fn in (mmp, mmw) else [])
        grid = (3,) if fn in (mmp, mmw) else (2, 2, 2) if fn is mmk else (2, 2)
        case.made(ptx, meta, grid, args, (c, codes(want, "fp16") if fn is mms else want, 0))
    return build


def block_scaled(a_format, b_format, arch, block=32, bm=128, bn=128, bk=128):
    def build(case):
        rng = numpy.random.default_rng(3)
        m, n, k = bm, 2 * bn, 2 * bk
        packed = {"e2m1": 2}
        signature, arrays, values = {}, [], []
        for name, fmt, rows, box in (("a", a_format, m, bm), ("b", b_format, n, bn)):
            table = numpy.array([SMALL[fmt].get(c, 0) for c in range(1 << (4 if fmt == "e2m1" else 8))])
            usable = [c for c, v in SMALL[fmt].items() if 0.25 <= abs(v) <= 4]
            bits = rng.choice(usable, (rows, k)).astype(numpy.uint8)
            values.append(table[bits])
            dtype = {"e4m3": "fp8e4nv", "e5m2": "fp8e5", "e2m1": "u8"}[fmt]
            signature[name + "_desc"] = descriptor(dtype, box, bk // packed.get(fmt, 1))
            arrays.append((aligned(bits[:, 0::2] | bits[:, 1::2] << 4 if fmt == "e2m1" else bits), dtype))
        factors = []
        for rows in (m, n):
            f = rng.integers(124, 130, (rows, k // block)) if block == 32 else rng.integers(0x30, 0x40, (rows, k // block))
            factors.append(aligned(f.astype(numpy.uint8)))
        table = numpy.array([2.0 ** (c - 127) for c in range(256)]) if block == 32 else \
            numpy.array([SMALL["e4m3"].get(c, 0) for c in range(256)])
        scale = [numpy.repeat(table[f], block, axis=1) for f in factors]
        c = aligned(numpy.zeros((m, n), numpy.float32))
        sf = "*u8" if block == 32 else "*fp8e4nv"
        signature.update(sa=sf, sb=sf, c="*fp32", N="i32", K="i32")
        constants = {"A": a_format, "B": b_format, "BLOCK": block, "PA": packed.get(a_format, 1),
                     "PB": packed.get(b_format, 1), "BM": bm, "BN": bn, "BK": bk}
        ptx, meta = compiled(scaled, signature, constants, arch, num_warps=4, num_stages=2)
        said = meta.tensordesc_meta
        args = described(arrays[0][0], arrays[0][1], said[0]) + described(arrays[1][0], arrays[1][1], said[1])
        args += [factors[0], factors[1], c, n, k]
        want = (values[0] * scale[0]) @ (values[1] * scale[1]).T
        size = abs(values[0] * scale[0]) @ abs(values[1] * scale[1]).T
        case.made(ptx, meta, (1, 2), args, (c, want, size * 2.0 ** -20))
    return build


def attends(dtype, arch, bm=64, bn=64, d=64, warps=4, **more):
    def build(case):
        rng = numpy.random.default_rng(4)
        rows, length = 2 * bm, 3 * bn
        q, k, v = (rng.standard_normal((r, d)).astype(numpy.float32) for r in (rows, length, length))
        raw = [aligned((x.view(numpy.uint32) >> 16).astype(numpy.uint16) if dtype == "bf16" else
                       x.astype(numpy.float16).view(numpy.uint16)) for x in (q, k, v)]
        q, k, v = (numbers(x, dtype) for x in raw)
        o = aligned(numpy.zeros((rows, d), numpy.float32))
        constants = {"D": d, "BM": bm, "BN": bn}
        signature = {"q_desc": descriptor(dtype, bm, d), "k_desc": descriptor(dtype, bn, d),
                     "v_desc": descriptor(dtype, bn, d), "o": "*fp32", "length": "i32", "scale": "fp32"}
        ptx, meta = compiled(attention, signature, constants, arch, num_warps=warps, num_stages=2, **more)
        args = [x for a, said in zip(raw, meta.tensordesc_meta) for x in described(a, dtype, said)]
        s = q @ k.T * 0.125
        e = numpy.exp2(s - s.max(1, keepdims=True))
        case.made(ptx, meta, (2,), args + [o, length, 0.125], (o, e @ v / e.sum(1, keepdims=True), 0.02))
    return build


def gathers(fn, dtype, arch, bm=32, bn=64):
    def build(case):
        rng = numpy.random.default_rng(5)
        m, n, tall = 2 * bm, 2 * bn, 200
        rows = aligned(rng.permutation(tall)[:m].astype(numpy.int32))
        name = "a_desc" if fn is gathered else "c_desc"
        many, few = aligned(codes(integers(rng, tall, n), dtype)), aligned(codes(integers(rng, m, n), dtype))
        pointer = {"c" if fn is gathered else "a": "*" + dtype}
        order = ("a_desc", "rows", "c") if fn is gathered else ("a", "rows", "c_desc")
        types = {name: descriptor(dtype, 1, bn), "rows": "*i32", **pointer}
        signature = {x: types[x] for x in order}
        signature["N"] = "i32"
        ptx, meta = compiled(fn, signature, {"BM": bm, "BN": bn}, arch, num_warps=4)
        said = described(many, dtype, meta.tensordesc_meta[0])
        if fn is gathered:
            case.made(ptx, meta, (2, 2), said + [rows, few, n], (few, many[rows], 0))
            return
        want = many.copy()
        want[rows] = few
        case.made(ptx, meta, (2, 2), [few, rows] + said + [n], (many, want, 0))
    return build


def softened(arch):
    def build(case):
        a = aligned(numpy.random.default_rng(6).standard_normal((8, 200)).astype(numpy.float32))
        c = aligned(numpy.zeros((8, 200), numpy.float32))
        ptx, meta = compiled(softmax, {"a": "*fp32", "c": "*fp32", "N": "i32"}, {"BN": 256}, arch, num_warps=4)
        e = numpy.exp(a - a.max(1, keepdims=True))
        case.made(ptx, meta, (8,), [a, c, 200], (c, e / e.sum(1, keepdims=True), 1e-5))
    return build


def turns(dtype, arch, bm=64, bn=32):
    def build(case):
        a = aligned(codes(integers(numpy.random.default_rng(7), 2 * bm, 3 * bn), dtype))
        c = aligned(numpy.zeros((3 * bn, 2 * bm), a.dtype))
        signature = {"a_desc": descriptor(dtype, bm, bn), "c_desc": descriptor(dtype, bn, bm)}
        ptx, meta = compiled(transposed, signature, {"BM": bm, "BN": bn}, arch, num_warps=4)
        said = meta.tensordesc_meta
        case.made(ptx, meta, (2, 3), described(a, dtype, said[0]) + described(c, dtype, said[1]), (c, a.T, 0))
    return build


def cases():
    for arch in (90, 100, 120):
        for dtype in ("bf16", "fp16", "fp8e4nv", "fp32"):
            for bm, bn, bk, stages in ((64, 64, 64, 3), (128, 64, 32, 2)):
                shape = f"{dtype}_{bm}x{bn}x{bk}"
                yield Case(f"mm_{shape}", arch, product(mm, dtype, arch, bm, bn, bk, 4, stages))
                yield Case(f"mmd_{shape}", arch, product(mmd, dtype, arch, bm, bn, bk, 4, stages))
        yield Case("mmi_i8", arch, product(mmi, "i8", arch, 64, 64, 64, 4, 2))
        yield Case("mmd_fp8e5", arch, product(mmd, "fp8e5", arch, 128, 64, 64, 4, 2))
        yield Case("mms_fp16", arch, product(mms, "fp16", arch, 128, 64, 64, 4, 3))
        yield Case("mmk_bf16", arch, product(mmk, "bf16", arch, 64, 64, 64, 4, 3))
        for dtype in ("bf16", "fp16"):
            yield Case(f"mmp_{dtype}", arch, product(mmp, dtype, arch, 128, 64, 64, 4, 3))
            if arch == 90:  # for others Triton 3.6 fails to compile it
                yield Case(f"mmw_{dtype}", arch, product(mmw, dtype, arch, 128, 64, 64, 4, 3))
            yield Case(f"attention_{dtype}", arch, attends(dtype, arch))
        yield Case("softmax", arch, softened(arch))
        yield Case("transpose_bf16", arch, turns("bf16", arch))
    yield Case("mmd_wide_bf16", 90, product(mmd, "bf16", 90, 128, 128, 64, 8, 3))
    yield Case("mmd_wide_bf16", 100, product(mmd, "bf16", 100, 128, 256, 64, 8, 3))
    for arch in (100, 120):
        yield Case("scaled_mxf8", arch, block_scaled("e4m3", "e4m3", arch))
        yield Case("scaled_mxf8_e5m2", arch, block_scaled("e5m2", "e4m3", arch))
        yield Case("scaled_mxf4", arch, block_scaled("e2m1", "e2m1", arch))
        yield Case("scaled_mxf8_mxf4", arch, block_scaled("e4m3", "e2m1", arch))  # 16U4_ALIGN16B on sm_100
        yield Case("scaled_nvf4", arch, block_scaled("e2m1", "e2m1", arch, block=16))
    yield Case("gather4_bf16", 100, gathers(gathered, "bf16", 100))
    yield Case("gather4_fp32", 100, gathers(gathered, "fp32", 100, bn=32))
    yield Case("scatter4_bf16", 100, gathers(scattered, "bf16", 100))
    yield Case("gather4_bf16", 120, gathers(gathered, "bf16", 120))
