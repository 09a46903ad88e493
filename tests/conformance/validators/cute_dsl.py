"""CuTe's DSL: the constraints that create_tensor_map_tiled() checks of what is known when it is compiled
(cutlass/experimental/cuda/tensor_map.py). The call itself emits code, so its check is called."""

import cutlass
from common import tiled
from cutlass.experimental.cuda import tensor_map as t

FORMAT = {0: ("u8", "Uint8"), 1: ("u16", "Uint16"), 2: ("u32", "Uint32"), 3: ("s32", "Int32"), 4: ("u64", "Uint64"),
          5: ("s64", "Int64"), 6: ("f16", "Float16"), 7: ("f32", "Float32"), 8: ("f64", "Float64"), 9: ("bf16", "BFloat16")}
SWIZZLES = ["none", "s32b", "s64b", "s128b", "s128b_atom_32b", "s128b_atom_32b_flip_8b", "s128b_atom_64b"]


def member(enum, *names):
    return next((getattr(enum, n) for n in names if hasattr(enum, n)), None)


def judge(case):
    c = tiled(case)
    if c is None or c.dtype not in FORMAT or not (0 <= c.interleave <= 2 and 0 <= c.swizzle <= 6 and 0 <= c.oob <= 1):
        return None
    name, dsl = FORMAT[c.dtype]
    dtype = getattr(cutlass, dsl)
    swizzle = member(t.TensorMapSwizzle, SWIZZLES[c.swizzle])
    interleave = member(t.TensorMapInterleave, ("none", "i16b", "i32b")[c.interleave], ("none", "b16", "b32")[c.interleave],
                        ("none", "interleave_16b", "interleave_32b")[c.interleave])
    oob = t.TensorMapFloatOOBFill.nan_request_zero_fma if c.oob else member(t.TensorMapFloatOOBFill, "none", "zero")
    if swizzle is None or interleave is None or oob is None:
        return None
    if any(s % 16 for s in c.stride):
        return None  # strides are in 16 bytes there
    try:
        t._validate_tensormap_constraints(
            dtype=dtype, tma_format=t._infer_default_tensormap_format(dtype), global_address=c.address,
            global_dims=c.dim, global_strides=[s // 16 for s in c.stride], box_dims=c.box, interleave=interleave,
            swizzle=swizzle, oob_fill=oob)
        return True
    except ValueError:
        return False
