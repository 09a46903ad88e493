"""CCCL's cuda::make_tma_descriptor: the suite's lines on standard input, through cccl.cpp (CCCL names the
program)."""

import os
import subprocess
import sys

from common import json, tiled


def fixed(numbers, room):
    return [*numbers, *[0] * (room - len(numbers))]


def words(c):
    return [c.dtype, c.rank, c.address, *fixed(c.dim, 5), *fixed(c.stride, 4), *fixed(c.box, 5), *fixed(c.elem_stride, 5),
            c.interleave, c.swizzle, c.l2, c.oob]


cases = [tiled(json.loads(line)) for line in sys.stdin]
said = [c is not None and all(abs(n) < 1 << 63 for n in words(c)) for c in cases]
text = "".join(" ".join(map(str, words(c))) + "\n" for c, ok in zip(cases, said) if ok)
run = subprocess.run([os.environ["CCCL"]], input=text, text=True, stdout=subprocess.PIPE, check=True,
                     env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(os.environ["STAND_IN"])})
answers = iter(run.stdout.split())
for ok in said:
    print({"1": "legal", "0": "illegal", "s": "skip"}[next(answers)] if ok else "skip")
