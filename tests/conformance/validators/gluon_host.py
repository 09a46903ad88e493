"""Gluon's host TensorDescriptor (Triton), whose layout has the swizzle; else as triton_host.py."""

from common import BYTES, tiled
from triton.experimental.gluon.language._layouts import NVMMASharedLayout
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton_host import arguments

SPAN = {0: 0, 1: 32, 2: 64, 3: 128}


def judge(case):
    c = tiled(case)
    given = arguments(c) if c is not None and c.swizzle in SPAN else None
    if given is None or BYTES[c.dtype] > 4:
        return None  # its layouts have elements of 8, 16 and 32 bits
    try:
        layout = NVMMASharedLayout(swizzle_byte_width=SPAN[c.swizzle], element_bitwidth=8 * BYTES[c.dtype], rank=c.rank)
    except (AssertionError, ValueError):
        return None
    try:
        TensorDescriptor(*given, layout, padding="nan" if c.oob else "zero")
        return True
    except (AssertionError, ValueError):
        return False
