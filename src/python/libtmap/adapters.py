"""Descriptors from what other libraries pass around before they encode."""

from __future__ import annotations

from typing import Any, Dict, Sequence

from ._descriptor import Descriptor, describe
from ._native import LayoutError, ffi, lib

_TILELANG_FIXED = 8  # arguments besides the four arrays


def tilelang(args: Sequence[Any]) -> Descriptor:
    """The arguments of TileLang's __tvm_tensormap_create_tiled, which its run-time validator sees:
    map, type, rank, address, then dims, strides in bytes with the innermost one, box and traversal
    strides (innermost first), interleave, swizzle, L2 promotion and fill, all as the driver's
    integers (src/cuda/runtime.cc, TensorMapArgs::Extract)."""
    given = list(args)
    rank = int(given[2]) if len(given) >= _TILELANG_FIXED else -1
    if not 1 <= rank <= lib.TMAP_MAX_RANK or len(given) != _TILELANG_FIXED + 4 * rank:
        raise LayoutError(f"{len(given)} arguments, which no rank from 1 to 5 has")
    arrays = [given[4 + i * rank:4 + (i + 1) * rank] for i in range(4)]
    c = ffi.new("struct tmap_desc *")
    c.dtype, c.rank, c.address = int(given[1]), rank, int(given[3] or 0)
    c.dim, c.stride_bytes, c.box, c.elem_stride = arrays[0], arrays[1][1:], arrays[2], arrays[3]
    c.interleave, c.swizzle, c.l2_promotion, c.oob_fill = map(int, given[4 + 4 * rank:])
    return Descriptor(c)


def _integer(value: Any) -> int:
    """Of an enumeration's member, or of an integer."""
    return int(getattr(value, "value") if hasattr(value, "value") else value)


def cuda_core(view: Any, options: Any) -> Descriptor:
    """cuda.core's StridedMemoryView with the TensorMapDescriptorOptions (or keywords in a dict) that
    view.as_tensor_map() would take."""
    said: Dict[str, Any] = dict(options) if isinstance(options, dict) else dict(vars(options))
    dtype = said.get("data_type")
    if hasattr(dtype, "value"):
        dtype = _integer(dtype)
    plain: Dict[str, Any] = {}
    for key in ("interleave", "swizzle", "l2_promotion", "oob_fill"):
        plain[key] = _integer(said.get(key) or 0)
    return describe(view, said["box_dim"], dtype=dtype, elem_stride=said.get("element_strides"), **plain)


def triton_launch(arg: Any, metadata: Any) -> Descriptor:
    """Triton's TensorDescriptor with what its compiler chose for one kernel (an entry of the
    metadata's tensordesc_meta): the arguments that the launcher encodes."""
    from triton.backends.nvidia import driver

    code = driver.TMA_DTYPE_DEVICE_TO_HOST[metadata["elem_type"]]
    if getattr(arg, "round_f32_to_tf32", False):
        code = driver.TMA_TF32
    size = int(metadata["elem_size"])
    shape = list(arg.shape)
    if metadata.get("fp4_padded"):
        shape[-1] *= 2
    c = ffi.new("struct tmap_desc *")
    c.dtype, c.rank = code, len(shape)
    base = describe(arg, box=[1] * len(shape))
    c.address = base._c.address
    c.dim = [int(n) for n in shape[::-1]]
    c.stride_bytes = [int(s) * size for s in list(arg.strides)[:-1][::-1]]
    c.box = [int(n) for n in list(metadata["block_size"])[::-1]]
    c.elem_stride = [1] * lib.TMAP_MAX_RANK
    c.swizzle = int(metadata["swizzle"])
    c.l2_promotion = lib.TMAP_L2_128B
    c.oob_fill = lib.TMAP_OOB_NAN if getattr(arg, "padding", "zero") == "nan" else lib.TMAP_OOB_NONE
    return Descriptor(c, assumed=base.assumed)


__all__ = ["cuda_core", "tilelang", "triton_launch"]
