"""Instruction and matrix descriptors of tcgen05.mma and tcgen05.cp in PTX text, field by field.

  descriptors.py triton              what pip's Triton writes, a line a product: tests/data/triton-descriptors.tsv
  descriptors.py compare TSV PTX...  whether the kernels tensor_* of tmap's PTX have the same fields
  descriptors.py scales TSV PTX...   the same of the copies of scale factors to tensor memory

tests/data/cutlass-descriptors.tsv has the same columns: others/cutlass/descriptors.cu writes it; others/cutlass/scales.cu
writes tests/data/cutlass-scale-descriptors.tsv.

Fields and their bits: PTX ISA 9.0, tcgen05, "instruction descriptor" and "matrix descriptor". The leading
offset is compared where the other compiler writes one: of a k-major operand under a swizzle it is not used, nor
of an mn-major one of a single span. The operands' types are a parameter of tmap's kernels, which kinds share:
tests/kernels/test_gemm_families.c has them. A tile of scale factors is one column of 16-byte rows, so that its
copy has no use for a leading offset either, and the two have different ones.
"""
import re
import sys

INSTRUCTION = {"d": (4, 3), "negated": (13, 3), "a_mn": (15, 1),
               "b_mn": (16, 1), "n": (17, 63), "scale": (23, 1), "m": (24, 31), "sparse": (0, 15), "high": (29, 7)}
MATRIX = {"constant": (46, 7), "base": (49, 7), "mode": (52, 1), "zero": (53, 255), "swizzle": (61, 7),
          "stride": (32, 0x3fff)}
LEADING = {"leading": (16, 0x3fff)}


def fields(value, table):
    return {name: value >> at & mask for name, (at, mask) in table.items()}


def products(text):
    """The first tcgen05.mma of each kernel: (kernel, kind, its descriptors; None where a register's
    constant is not written beside it)."""
    for kernel in re.split(r"\.entry\s+", text)[1:]:
        name = re.match(r"\w+", kernel).group()
        found = re.search(r"tcgen05\.mma\.cta_group::(\d)\.kind::(\w+)[.\w:]*\s*\[[^\]]*\],\s*(%\w+),\s*(%\w+),\s*(%\w+)",
                          kernel)
        if not found:
            continue
        before = kernel[:found.start()]

        def constant(register):
            made = re.findall(re.escape(register) + r",\s*(?:%\w+,\s*)?(-?\d+);", before)
            words = re.findall(re.escape(register) + r",\s*\{%\w+, (%\w+)\};", before)
            if not made and words:  # the upper word is the constant
                return constant(words[-1]) << 32
            return int(made[-1]) & (1 << 64) - 1 if made else None

        yield (name, found[1], found[2]) + tuple(constant(found[i]) for i in (5, 3, 4))


def triton_products():
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    scope = {"triton": triton, "tl": tl}
    types = {"bf16": "bf16", "f16": "fp16", "e4m3": "fp8e4nv", "e5m2": "fp8e5"}
    for word, dtype in types.items():
        for n in (128, 256):
            for b_mn in (0, 1):
                k = 64 if word.endswith("16") else 128
                yield word, n, b_mn, compiled(triton, tl, ASTSource, GPUTarget, dtype, n, k, b_mn)


def compiled(triton, tl, ASTSource, GPUTarget, dtype, n, k, b_mn):
    fn = triton.jit(turned if b_mn else straight)
    box = f"[{k},{n}]" if b_mn else f"[{n},{k}]"
    source = ASTSource(fn=fn, signature={"a": f"tensordesc<{dtype}[128,{k}]>", "b": f"tensordesc<{dtype}{box}>",
                                         "c": "*fp32", "K": "i32", "BN": "constexpr", "BK": "constexpr"},
                       constexprs={"BN": n, "BK": k})
    return triton.compile(source, target=GPUTarget("cuda", 100, 32),
                          options={"num_stages": 2, "num_warps": 4}).asm["ptx"]


def straight(a, b, c, K, BN: "tl.constexpr", BK: "tl.constexpr"):
    acc = tl.zeros((128, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([0, k]), b.load([0, k]).T, acc)
    tl.store(c + tl.arange(0, 128)[:, None] * BN + tl.arange(0, BN)[None, :], acc)


def turned(a, b, c, K, BN: "tl.constexpr", BK: "tl.constexpr"):
    acc = tl.zeros((128, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([0, k]), b.load([k, 0]), acc)
    tl.store(c + tl.arange(0, 128)[:, None] * BN + tl.arange(0, BN)[None, :], acc)


def differences(ours, theirs):
    found = [] if ours[0] == theirs[0] else ["kind"]
    for i, what, table in ((1, "instruction", INSTRUCTION), (2, "A", MATRIX), (3, "B", MATRIX)):
        x, y = fields(ours[i], table), fields(theirs[i], table)
        if table is MATRIX and fields(theirs[i], LEADING)["leading"]:
            x, y = {**x, **fields(ours[i], LEADING)}, {**y, **fields(theirs[i], LEADING)}
        found += [f"{what}.{f} {x[f]} for {y[f]}" for f in x if x[f] != y[f]]
    return found


def compare(table, paths):
    theirs, bad, seen = {}, 0, 0
    whose = "CUTLASS's" if open(table).readline().startswith("# CUTLASS") else "Triton's"
    for line in open(table):
        if not line.startswith("#"):
            kind, ctas, n, orders, mma, shape, a, b = line.split()
            theirs.setdefault(f"tensor_{mma}_{ctas}x{n}_{orders}", []).append(
                (kind, mma, int(shape, 0), int(a, 0), int(b, 0)))
    for path in paths:
        for name, ctas, mma, shape, a, b in products(open(path).read()):
            if name not in theirs:
                continue
            for kind, *want in theirs[name]:
                seen += 1
                differ = differences((mma, shape, a, b), want)
                bad += bool(differ)
                print(f"{'not ok' if differ else 'ok'} {seen} - {name}, {kind}: descriptors are {whose}" +
                      (": " + ", ".join(differ) if differ else ""))
    print(f"1..{seen}")
    return bad or seen != sum(map(len, theirs.values()))


def copies(kernel):
    """Of a kernel's text each tcgen05.cp: (CTAs, shape, the constant part of its descriptor or None)."""
    for found in re.finditer(r"tcgen05\.cp\.cta_group::(\d)\.([\w.]+)\s*\[[^\]]*\],\s*(%\w+)", kernel):
        made = re.findall(r"or\.b64\s+" + re.escape(found[3]) + r",\s*%\w+,\s*(\d+);", kernel[:found.start()])
        yield found[1], found[2], int(made[-1]) if made else None


def scale_differences(ours, ctas, shape, wanted, count):
    """Which of the wanted descriptors and of how many copies a k-block takes the kernel has not."""
    found = [] if len(ours) == count else [f"copies {len(ours)} for {count}"]
    for x_ctas, x_shape, x in ours:
        found += ["form"] if (x_ctas, x_shape) != (ctas, shape) else []
        found += ["descriptor unknown"] if x is None else []
        for want in wanted if x is not None else []:
            mine, other = fields(x, MATRIX), fields(want, MATRIX)
            found += [f"{f} {mine[f]} for {other[f]}" for f in mine if mine[f] != other[f]]
    return sorted(set(found))


def compare_scales(table, paths):
    kernels, bad, seen = {}, 0, 0
    for path in paths:
        for kernel in re.split(r"\.entry\s+", open(path).read())[1:]:
            kernels[re.match(r"\w+", kernel).group()] = list(copies(kernel))
    for line in open(table):
        if line.startswith("#"):
            continue
        kind, ctas, n, mma, group, shape, a, b, *counts = line.split()
        name = f"tensor_{mma}_{ctas}x{n}_00"
        differ = scale_differences(kernels.get(name, []), group, shape, [int(a, 0), int(b, 0)], sum(map(int, counts)))
        seen += 1
        bad += bool(differ)
        print(f"{'not ok' if differ else 'ok'} {seen} - {name}, {kind}: scale factors' copies are CUTLASS's" +
              (": " + ", ".join(differ) if differ else ""))
    print(f"1..{seen}")
    return bad or not seen


if __name__ == "__main__":
    if sys.argv[1:2] == ["triton"]:
        import triton
        import triton.language as tl
        print(f"# descriptors.py triton, Triton {triton.__version__}: kind ctas n orders mma instruction a b")
        for word, n, b_mn, ptx in triton_products():
            for _, _, mma, shape, a, b in products(ptx):
                print(word, 1, n, f"0{b_mn}", mma, hex(shape), hex(a), hex(b))
    else:
        of = compare_scales if sys.argv[1] == "scales" else compare
        sys.exit(1 if of(sys.argv[2], sys.argv[3:]) else 0)
