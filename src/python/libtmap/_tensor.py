"""What a tensor of some library says of itself, read without importing that library.

Every reader answers a Tensor: shape, strides in bytes, element type by name, and where the first
element lies. Where the data is not on a device, the address that a kernel will see is not known: the
start of the allocation is taken as ASSUMED, which is aligned for everything, and the offset of a view
inside its allocation counts.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from ._native import LayoutError

ASSUMED = 0x7F0000000000  # an address as the driver hands them out


class Tensor(NamedTuple):
    shape: Sequence[int]
    strides: Sequence[int]  # bytes, of every dimension
    dtype: Any  # its name, or the library's own object
    itemsize: int  # bytes of one element
    address: int
    known: bool  # the address is the device's, not ASSUMED and an offset


def dense(shape: Sequence[int], itemsize: int) -> Tuple[int, ...]:
    """Strides in bytes of a row-major tensor."""
    strides = [itemsize] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * max(int(shape[i + 1]), 1)
    return tuple(strides)


# --- torch ------------------------------------------------------------------------------------


def _torch(t: Any) -> Tensor:
    size = t.element_size()
    strides = t.stride()
    if size != 1:
        strides = [s * size for s in strides]
    if t.is_cuda:
        return Tensor(t.shape, strides, t.dtype, size, t.data_ptr(), True)
    offset = t.storage_offset()
    return Tensor(t.shape, strides, t.dtype, size, ASSUMED + offset * size, False)


# --- the array interfaces ---------------------------------------------------------------------


def _typestr(interface: Dict[str, Any]) -> Tuple[str, int]:
    code = interface["typestr"]
    kind, size = code[1], int(code[2:])
    names = {"f": "float", "i": "int", "u": "uint", "b": "bool", "V": "void"}
    if kind == "b":
        return "bool", size
    return f"{names.get(kind, kind)}{size * 8}", size


def _cuda_array(t: Any) -> Tensor:
    i = t.__cuda_array_interface__
    dtype, size = _typestr(i)
    strides = i.get("strides") or dense(i["shape"], size)
    return Tensor(i["shape"], strides, dtype, size, i["data"][0] or 0, True)


def _owner(array: Any) -> Any:
    while getattr(array, "base", None) is not None and hasattr(array.base, "__array_interface__"):
        array = array.base
    return array


def _numpy(t: Any) -> Tensor:
    """Views of an array keep their offset from the array that owns the bytes."""
    where = ASSUMED
    if t.base is not None:
        owner = _owner(t)
        where += t.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return Tensor(t.shape, t.strides, t.dtype, t.itemsize, where, False)


def _array(t: Any) -> Tensor:
    i = t.__array_interface__
    dtype, size = _typestr(i)
    return Tensor(i["shape"], i.get("strides") or dense(i["shape"], size), dtype, size, ASSUMED, False)


# --- DLPack -----------------------------------------------------------------------------------


class _DLTensor(ctypes.Structure):
    """dlpack.h, struct DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _DLVersioned(ctypes.Structure):
    """dlpack.h, struct DLManagedTensorVersioned."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("tensor", _DLTensor)]


_DL_DEVICES = (2, 13)  # kDLCUDA, kDLCUDAManaged
_DL_TYPES = {(0, 8): "int8", (0, 16): "int16", (0, 32): "int32", (0, 64): "int64",
             (1, 8): "uint8", (1, 16): "uint16", (1, 32): "uint32", (1, 64): "uint64",
             (2, 16): "float16", (2, 32): "float32", (2, 64): "float64", (4, 16): "bfloat16",
             (6, 8): "bool", (10, 8): "float8_e4m3fn", (12, 8): "float8_e5m2", (17, 4): "fp4"}
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def read_capsule(capsule: Any) -> Tensor:
    """A DLPack capsule, which stays the producer's: it is read, not consumed."""
    if _is_valid(capsule, b"dltensor_versioned"):
        d = _DLVersioned.from_address(_pointer(capsule, b"dltensor_versioned")).tensor
    elif _is_valid(capsule, b"dltensor"):
        d = _DLTensor.from_address(_pointer(capsule, b"dltensor"))
    else:
        raise LayoutError("the DLPack capsule was consumed before, or is none")
    dtype = _DL_TYPES.get((d.code, d.bits * d.lanes))
    if dtype is None:
        raise LayoutError(f"no tensor map holds DLPack type code {d.code} of {d.bits} bits")
    size = max(1, d.bits * d.lanes // 8)
    shape = tuple(d.shape[i] for i in range(d.ndim))
    strides = (tuple(d.strides[i] * size for i in range(d.ndim)) if d.strides else dense(shape, size))
    on_device = d.device_type in _DL_DEVICES
    base = (d.data or 0) if on_device else ASSUMED
    return Tensor(shape, strides, dtype, size, base + d.byte_offset, on_device)


def _dlpack(t: Any) -> Tensor:
    return read_capsule(t.__dlpack__())


# --- others -----------------------------------------------------------------------------------


def _strided_view(t: Any) -> Tensor:
    """cuda.core's StridedMemoryView: shape and strides in elements, strides None where dense."""
    size = t.dtype.itemsize
    shape = tuple(t.shape)
    strides = (tuple(s * size for s in t.strides) if t.strides is not None else dense(shape, size))
    known = bool(t.is_device_accessible)
    return Tensor(shape, strides, t.dtype, size, t.ptr if known else ASSUMED, known)


def _triton(t: Any) -> Tensor:
    """Triton's host TensorDescriptor: the base's type, its own shape and strides (elements)."""
    base = read(t.base)
    size = base.itemsize
    return base._replace(shape=tuple(t.shape), strides=tuple(int(s) * size for s in t.strides))


def _cutlass(t: Any) -> Tensor:
    """A tensor of CUTLASS's DSL that wraps another library's: its modes are innermost first in no
    fixed order, so the tensor that it wraps is read."""
    return read_capsule(t._dlpack_data.__dlpack__() if hasattr(t._dlpack_data, "__dlpack__")
                        else t._dlpack_data)


def _reader(t: Any) -> Callable[[Any], Tensor]:
    module, name = type(t).__module__.split(".")[0], type(t).__name__
    if hasattr(t, "block_shape") and hasattr(t, "base"):
        return _triton
    if name == "StridedMemoryView":
        return _strided_view
    if module == "cutlass" and hasattr(t, "_dlpack_data"):
        return _cutlass
    if module == "torch" and hasattr(t, "storage_offset"):
        return _torch
    if hasattr(t, "__cuda_array_interface__"):
        return _cuda_array
    if module == "numpy":
        return _numpy
    if hasattr(t, "__dlpack__"):
        return _dlpack
    if hasattr(t, "__array_interface__"):
        return _array
    raise LayoutError(f"{type(t).__module__}.{name} says nothing of its memory: no DLPack, no "
                      "__cuda_array_interface__, no __array_interface__")


readers: Dict[type, Callable[[Any], Tensor]] = {}
_SURE = (_torch, _numpy, _strided_view)  # known by the type alone


def read(t: Any) -> Tensor:
    """The tensor's own words. The reader of a library's own type is found once."""
    reader: Optional[Callable[[Any], Tensor]] = readers.get(type(t))
    if reader is None:
        reader = _reader(t)
        if reader in _SURE:
            readers[type(t)] = reader
    return reader(t)
