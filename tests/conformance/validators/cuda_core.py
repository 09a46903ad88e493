"""cuda.core: StridedMemoryView.as_tensor_map() of a tensor on a device that is not there. The stand-in's
folder must be in LD_LIBRARY_PATH."""

import sys

from common import BYTES, TREE, tiled

sys.path.insert(0, str(TREE / "tests/python"))
from cuda.core import _tensor_map as t  # noqa: E402
from cuda.core.utils import StridedMemoryView  # noqa: E402
from support import Dlpack  # noqa: E402

TYPES = {1: (1, 8), 2: (1, 16), 4: (1, 32), 8: (1, 64)}  # the view's type; data_type= says the map's


def judge(case):
    c = tiled(case)
    size = BYTES.get(c.dtype) if c is not None else None
    if size is None or any(s % size or s >= 1 << 63 for s in c.stride) or any(n >= 1 << 63 for n in c.dim):
        return None
    if c.address >= 1 << 63 or any(b >= 1 << 31 for b in c.box + c.elem_stride):
        return None
    if not (0 <= c.interleave <= 2 and 0 <= c.swizzle <= 3 and 0 <= c.l2 <= 3 and 0 <= c.oob <= 1):
        return None  # its enumerations have no more
    strides = [s // size for s in c.stride[::-1]] + [1]
    producer = Dlpack(c.dim[::-1], strides, *TYPES[size], c.address)
    try:
        view = StridedMemoryView.from_dlpack(producer, stream_ptr=-1)
        view.as_tensor_map(tuple(c.box[::-1]), element_strides=tuple(c.elem_stride[::-1]), data_type=t.TensorMapDataType(c.dtype),
                           interleave=t.TensorMapInterleave(c.interleave), swizzle=t.TensorMapSwizzle(c.swizzle),
                           l2_promotion=t.TensorMapL2Promotion(c.l2), oob_fill=t.TensorMapOOBFill(c.oob))
        return True
    except (ValueError, RuntimeError):
        return False


__all__ = ["judge"]
