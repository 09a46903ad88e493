"""TileLang's run-time validator: __tvm_tensormap_create_tiled, as its generated host code calls it."""

import ctypes

import tilelang  # noqa: F401  (registers the functions)
import tvm_ffi
from common import stand_in, tiled

stand_in()
_create = tvm_ffi.get_global_func("__tvm_tensormap_create_tiled")
_room = ctypes.create_string_buffer(256)
_map = ctypes.c_void_p((ctypes.addressof(_room) + 127) & ~127)
_I64 = 1 << 63


def judge(case):
    c = tiled(case)
    if c is None or any(n >= _I64 for n in c.dim + c.stride):
        return None  # its arguments are signed
    args = [_map, c.dtype, c.rank, ctypes.c_void_p(c.address), *c.dim, 0, *c.stride, *c.box, *c.elem_stride,
            c.interleave, c.swizzle, c.l2, c.oob]
    try:
        return _create(*args) == 0
    except Exception as error:
        if "[1] " not in str(error):  # its list of violations; anything else is no verdict
            raise
        return False
