"""Triton's host TensorDescriptor, made of a tensor that is but its words. It has no swizzle, L2 promotion,
interleave or traversal strides of its own (the compiler chooses, or there are none), a block is a power of
two, and its launcher splits a block over 256; cases that need other words are skipped."""

import torch
from common import BYTES, tiled
from triton.tools.tensor_descriptor import TensorDescriptor

TYPES = {0: torch.uint8, 1: torch.uint16, 2: torch.uint32, 3: torch.int32, 4: torch.uint64, 5: torch.int64,
         6: torch.float16, 7: torch.float32, 8: torch.float64, 9: torch.bfloat16}


class Base:
    def __init__(self, dtype, address):
        self.dtype, self._address = dtype, address

    def data_ptr(self):
        return self._address


def arguments(c):
    """base, shape, strides in elements and block, outermost first; None where there are no words."""
    size = BYTES.get(c.dtype)
    if (c.dtype not in TYPES or c.interleave or any(e != 1 for e in c.elem_stride) or not 0 <= c.l2 <= 3
            or c.oob not in (0, 1) or any(s % size for s in c.stride)
            or any(b & (b - 1) or b == 0 or b > 256 for b in c.box)):
        return None
    strides = [s // size for s in c.stride[::-1]] + [1]
    return Base(TYPES[c.dtype], c.address), c.dim[::-1], strides, c.box[::-1]


def judge(case):
    c = tiled(case)
    given = arguments(c) if c is not None and c.swizzle == 0 else None
    if given is None:
        return None
    try:
        TensorDescriptor(*given, padding="nan" if c.oob else "zero")
        return True
    except (AssertionError, ValueError):
        return False
