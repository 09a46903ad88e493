"""A descriptor: the arguments of one encode call, in Python's order or in CUDA's."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from . import _native, _tensor
from ._native import LayoutError, ffi, lib

_U64 = (1 << 64) - 1
_ENUMS = {"interleave": _native.INTERLEAVE, "swizzle": _native.SWIZZLE,
          "l2_promotion": _native.L2_PROMOTION, "oob_fill": _native.OOB_FILL}


class Descriptor:
    """One tensor map before it is encoded. Sequences are outermost dimension first; to_json() and
    the `cuda_` ones are innermost first. `uses` are what instructions do with it."""

    __slots__ = ("_c", "uses", "name", "assumed", "_broken")

    def __init__(self, c: Any, uses: Sequence[Any] = (), name: Optional[str] = None,
                 assumed: Tuple[str, ...] = (), broken: Sequence[Tuple[str, str, Any]] = ()) -> None:
        self._c = c  # struct tmap_desc *, ours alone
        self.uses = tuple(uses)
        self.name = name
        self.assumed = assumed  # "address" where it was not known
        self._broken = tuple(broken)  # what no tensor map can say: (field, sentence, nearest)

    def _rank(self) -> int:
        return int(min(self._c.rank, lib.TMAP_MAX_RANK))

    @property
    def rank(self) -> int:
        return int(self._c.rank)

    @property
    def kind(self) -> Any:
        return _native.KIND.name(self._c.kind)

    @property
    def dtype(self) -> Any:
        return _native.DTYPE.name(self._c.dtype)

    @property
    def address(self) -> int:
        return int(self._c.address)

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self._c.dim[0:self._rank()])[::-1]

    @property
    def strides_bytes(self) -> Tuple[int, ...]:
        """Of every dimension but the innermost."""
        return tuple(self._c.stride_bytes[0:max(self._rank() - 1, 0)])[::-1]

    @property
    def box(self) -> Tuple[int, ...]:
        return tuple(self._c.box[0:self._rank()])[::-1]

    @property
    def swizzle(self) -> Any:
        return _native.SWIZZLE.name(self._c.swizzle)

    def to_json(self) -> Dict[str, Any]:
        """The command's input form: innermost dimension first, strides in bytes."""
        c, rank = self._c, self._rank()
        out: Dict[str, Any] = {"name": self.name} if self.name is not None else {}
        out.update(kind=self.kind, dtype=self.dtype, rank=self.rank, address=hex(c.address),
                   dim=list(c.dim[0:rank]), stride=list(c.stride_bytes[0:max(rank - 1, 0)]))
        if c.kind == lib.TMAP_TILED:
            out["box"] = list(c.box[0:rank])
        else:
            corners = 1 if c.kind == lib.TMAP_IM2COL_WIDE else max(min(rank - 2, 3), 0)
            out.update(lower=list(c.lower[0:corners]), upper=list(c.upper[0:corners]),
                       channels=c.channels, pixels=c.pixels)
        if c.kind == lib.TMAP_IM2COL_WIDE:
            out.update(lower=c.lower[0], upper=c.upper[0], mode=_native.MODE.name(c.mode))
        out["elem_stride"] = list(c.elem_stride[0:rank])
        for key, names in _ENUMS.items():
            out[key] = names.name(getattr(c, key))
        if c.flags & lib.TMAP_HAS_MAP_ADDRESS:
            out["map_address"] = hex(c.map_address)
        if c.flags & lib.TMAP_HAS_ALLOCATION:
            out["allocation"] = {"base": hex(c.allocation_base), "bytes": c.allocation_bytes}
        for key, bit in _NULLS.items():
            if c.flags & bit:
                out[key] = None
        if self.uses:
            out["uses"] = [use.to_json() for use in self.uses]
        return out

    @staticmethod
    def from_json(record: Any) -> "Descriptor":
        """From one record of the command's input: its text, or the object. Keys about expectations
        (`expect`, `allow`) are the command's and are passed over."""
        if isinstance(record, (str, bytes)):
            record = json.loads(record)
        if not isinstance(record, Mapping):
            raise LayoutError("a descriptor is a JSON object")
        return _from_mapping(record)

    def __repr__(self) -> str:
        said = self.to_json()
        said.pop("kind") if said.get("kind") == "tiled" else None
        return f"Descriptor({json.dumps(said)})"


# --- uses -------------------------------------------------------------------------------------


_USE_FLAGS = {"coord": lib.TMAP_USE_COORD, "smem": lib.TMAP_USE_SMEM,
              "expect_tx": lib.TMAP_USE_EXPECT_TX, "mbarrier": lib.TMAP_USE_MBARRIER,
              "offset": lib.TMAP_USE_OFFSET}
_USE_KEYS = {"op", "coord", "smem", "multicast", "cta_group", "expect_tx", "mbarrier", "offset",
             "consumer", "major", "field", "ordinal", "value", "dst", "address"}


class Use:
    """What one instruction does with a map: `Use("load", coord=(64, 0), smem=0x400, expect_tx=16384)`.
    Coordinates are outermost first, as a kernel's; order="cuda" for the instruction's own order."""

    __slots__ = ("_c", "_said")

    def __init__(self, op: Any = "load", *, order: str = "python", **said: Any) -> None:
        self._c = c = ffi.new("struct tmap_use *")
        unknown = set(said) - _USE_KEYS
        if unknown:
            raise LayoutError(f"a use has no {', '.join(sorted(unknown))}")
        c.op = _native.OP.value(op)
        if order == "python":
            for key in ("coord", "offset"):
                if said.get(key) is not None:
                    said[key] = list(said[key])[::-1]
        self._said = {"op": _native.OP.name(c.op), **said}
        self._fill(c, said)

    @staticmethod
    def _fill(c: Any, said: Dict[str, Any]) -> None:
        for key, bit in _USE_FLAGS.items():
            if said.get(key) is not None:
                c.flags |= bit
        for key in ("smem", "expect_tx", "mbarrier", "multicast", "cta_group", "ordinal", "value"):
            if said.get(key) is not None:
                setattr(c, key, number(said[key], key))
        coord = [number(x, "coord") for x in said.get("coord") or ()]
        c.coord_count = len(coord)
        c.coord = coord[:lib.TMAP_MAX_RANK]
        c.offset = [number(x, "offset") for x in said.get("offset") or ()][:lib.TMAP_MAX_SPATIAL]
        c.consumer = _native.CONSUMER.value(said.get("consumer"))
        c.major = _native.MAJOR.value(said.get("major") or "k")
        if said.get("field") is not None:
            c.field = _native.REPLACE_FIELD.value(said["field"])
        if said.get("address") is not None:
            c.value = number(said["address"], "address")
        if said.get("dst") == "shared::cta":
            c.flags |= lib.TMAP_USE_CTA_DST

    def to_json(self) -> Dict[str, Any]:
        return dict(self._said)

    def __repr__(self) -> str:
        return f"Use({json.dumps(self._said)})"


def number(x: Any, what: str) -> int:
    """An integer, or one in decimal or hexadecimal text."""
    if isinstance(x, str):
        try:
            return int(x, 0)
        except ValueError:
            raise LayoutError(f"{what}: {x!r} is no number") from None
    if isinstance(x, bool) or not hasattr(x, "__index__"):
        raise LayoutError(f"{what}: {x!r} is no integer")
    return int(x.__index__())


def uses_of(uses: Iterable[Any], order: str) -> Tuple[Use, ...]:
    return tuple(u if isinstance(u, Use) else Use(order=order, **u) for u in uses)


# --- from the command's input -----------------------------------------------------------------


_NULLS = {"dim": lib.TMAP_NULL_DIM, "stride": lib.TMAP_NULL_STRIDE, "box": lib.TMAP_NULL_BOX,
          "elem_stride": lib.TMAP_NULL_ELEM_STRIDE, "lower": lib.TMAP_NULL_LOWER,
          "upper": lib.TMAP_NULL_UPPER, "map_address": lib.TMAP_NULL_MAP}
_MEMBERS = {"dim": ("dim", 5), "stride": ("stride_bytes", 4), "box": ("box", 5),
            "elem_stride": ("elem_stride", 5), "lower": ("lower", 3), "upper": ("upper", 3)}
_COMMANDS = {"expect", "expect_rules", "allow", "name", "uses", "assume", "$schema"}


def _from_mapping(record: Mapping[str, Any]) -> Descriptor:
    c = ffi.new("struct tmap_desc *")
    c.kind = _native.KIND.value(record.get("kind", "tiled"))
    for key in ("dtype", "dim"):
        if key not in record:
            raise LayoutError(f'"{key}" is missing')
    dim = record["dim"]
    c.rank = number(record["rank"] if "rank" in record else len(dim), "rank")
    c.elem_stride = [1] * lib.TMAP_MAX_RANK
    for key, value in record.items():
        _put(c, key, value)
    uses = uses_of(record.get("uses") or (), "cuda")
    return Descriptor(c, uses, record.get("name"), () if record.get("address") else _ADDRESS)


def _put(c: Any, key: str, value: Any) -> None:
    if key in _NULLS and value is None:
        c.flags |= _NULLS[key]
    elif key in _MEMBERS:
        member, room = _MEMBERS[key]
        listed = value if isinstance(value, (list, tuple)) else [value]
        setattr(c, member, [number(x, key) for x in listed][:room])
    elif key in _ENUMS:
        setattr(c, key, _enum(_ENUMS[key], value))
    elif key in ("dtype", "mode"):
        setattr(c, key, _enum(_native.DTYPE if key == "dtype" else _native.MODE, value))
    elif key in ("address", "map_address", "channels", "pixels"):
        setattr(c, key, 0 if value is None else number(value, key))
        c.flags |= lib.TMAP_HAS_MAP_ADDRESS if key == "map_address" else 0
    elif key == "allocation":
        c.flags |= lib.TMAP_HAS_ALLOCATION
        c.allocation_base = number(value["base"], "allocation.base")
        c.allocation_bytes = number(value["bytes"], "allocation.bytes")
    elif key not in _COMMANDS and key not in ("kind", "rank"):
        raise LayoutError(f'a descriptor has no "{key}"')


def _enum(names: _native.Names, value: Any) -> int:
    """A name, or any raw integer, as text too."""
    try:
        return names.value(value)
    except LayoutError:
        try:
            return int(value, 0)
        except (TypeError, ValueError):
            pass
        raise


# --- from a tensor, or from its words ----------------------------------------------------------


_DESC = ffi.typeof("struct tmap_desc *")
_BLANK = ffi.new(_DESC)  # every traversal stride 1; never written again
_BLANK.elem_stride = [1] * lib.TMAP_MAX_RANK
_ADDRESS = ("address",)


def of_tensor(tensor: Any, box: Optional[Sequence[int]], swizzle: Any) -> Descriptor:
    """describe(tensor, box, swizzle), made fast for what is common."""
    reader = _tensor.readers.get(type(tensor))
    if reader is None or box is None:
        return describe(tensor, box, swizzle)
    shape, strides, dtype, size, address, known = reader(tensor)
    rank = len(shape)
    if rank > 5 or len(box) != rank or not rank or strides[-1] != size:
        return describe(tensor, box, swizzle)
    c = ffi.new(_DESC, _BLANK[0])
    c.dtype = _native.DTYPE.value(dtype)
    c.rank = rank
    c.address = address
    c.dim = shape[::-1]
    c.box = box[::-1]
    if rank > 1:
        if min(strides) < 0:
            return describe(tensor, box, swizzle)
        c.stride_bytes = strides[-2::-1]
    if swizzle:
        c.swizzle = _native.SWIZZLE.value(swizzle)
    return Descriptor(c, (), None, () if known else _ADDRESS)


def of_words(box: Optional[Sequence[int]], swizzle: Any, dtype: Any = None,
             shape: Sequence[int] = (), strides: Optional[Sequence[int]] = None) -> Descriptor:
    """describe(None, box, swizzle, dtype=, shape=, strides=), made fast for what is common."""
    code = _native.DTYPE.value(dtype)
    rank, bits = len(shape), _bits(code)
    if (strides is None or box is None or not 1 <= rank <= 5 or len(box) != rank or bits & 7
            or len(strides) != rank or strides[-1] != 1 or min(strides) < 0):
        return describe(None, box, swizzle, dtype=dtype, shape=shape, strides=strides)
    c = ffi.new(_DESC, _BLANK[0])
    c.dtype = code
    c.rank = rank
    c.address = _tensor.ASSUMED
    c.dim = shape[::-1]
    c.box = box[::-1]
    if rank > 1:
        size = bits >> 3
        c.stride_bytes = [s * size for s in strides[-2::-1]]
    if swizzle:
        c.swizzle = _native.SWIZZLE.value(swizzle)
    return Descriptor(c, (), None, _ADDRESS)


WORDS = frozenset(("dtype", "shape", "strides"))


def describe(tensor: Any = None, box: Optional[Sequence[int]] = None, swizzle: Any = 0, *,
             dtype: Any = None, shape: Optional[Sequence[int]] = None,
             strides: Optional[Sequence[int]] = None,
             strides_bytes: Optional[Sequence[int]] = None, address: Any = None,
             elem_stride: Optional[Sequence[int]] = None, interleave: Any = 0,
             l2_promotion: Any = 0, oob_fill: Any = 0, kind: Any = "tiled",
             lower: Any = None, upper: Any = None, channels: int = 0, pixels: int = 0,
             mode: Any = 0, uses: Iterable[Any] = (), order: str = "python",
             name: Optional[str] = None) -> Descriptor:
    """The descriptor of a tensor and a box; check() says what the arguments mean."""
    if tensor is not None:
        if isinstance(tensor, Descriptor):
            return tensor
        if isinstance(tensor, Mapping):
            return Descriptor.from_json(tensor)
    if order not in ("python", "cuda"):
        raise LayoutError(f"order is 'python' or 'cuda', not {order!r}")
    code = -1 if dtype is None else _native.DTYPE.value(dtype)
    if tensor is not None:
        read = _tensor.read(tensor)
        given_dtype = dtype is not None
        if not given_dtype:
            code = _native.DTYPE.value(read.dtype)
        t_shape: Sequence[int] = read.shape
        t_strides: Sequence[int] = read.strides
        known, where, itemsize = read.known, read.address, read.itemsize
        order_in = "python"
        if given_dtype and _native.BITS.get(code, (0, itemsize * 8))[1] != itemsize * 8:
            t_shape = _repacked(t_shape, itemsize, code)
    else:
        if shape is None or dtype is None:
            raise LayoutError("give a tensor, or dtype and shape")
        t_shape, order_in = shape, order
        t_strides = _given_strides(shape, code, strides, strides_bytes, order)
        known, where, itemsize = False, _tensor.ASSUMED, 0
    if address is not None:
        known, where = True, number(address, "address")
    if box is None and tensor is not None and hasattr(tensor, "block_shape"):
        box, order_box = tensor.block_shape, "python"
    else:
        order_box = order
    if order_in == "python":
        t_shape, t_strides = t_shape[::-1], t_strides[::-1]
    if order_box == "python" and box is not None:
        box = box[::-1]
    return _build(code, t_shape, t_strides, where, known, itemsize, box, swizzle, elem_stride,
                  interleave, l2_promotion, oob_fill, kind,
                  (lower, upper, channels, pixels, mode), uses, order, name)


def _bits(code: int) -> int:
    return _native.BITS.get(code, (8, 8))[1]


def _given_strides(shape: Sequence[int], code: int, strides: Optional[Sequence[int]],
                   strides_bytes: Optional[Sequence[int]], order: str) -> Sequence[int]:
    """In bytes, of every dimension, in the order of shape."""
    bits = _bits(code)
    rank = len(shape)
    if strides_bytes is not None:
        out = list(strides_bytes)
        inner = [(bits + 7) // 8]
    elif strides is not None:
        inner = [(bits + 7) // 8]
        out = [_bytes(s, bits) for s in strides]
        if len(out) == rank:  # the innermost one is in elements: 1 is dense
            at = -1 if order == "python" else 0
            out[at] = int(strides[at]) * inner[0]
    else:
        sizes = list(shape)[::-1] if order == "python" else list(shape)
        out, run = [], bits
        for n in sizes:
            out.append((run + 7) // 8)
            run *= max(int(n), 0) or 1
        return out[::-1] if order == "python" else out
    if len(out) == rank - 1:  # as the encode call takes them: without the innermost
        out = out + inner if order == "python" else inner + out
    if len(out) != rank:
        raise LayoutError(f"{len(out)} strides for {rank} dimensions")
    return out


def _bytes(elements: Any, bits: int) -> int:
    total = number(elements, "strides") * bits
    if total % 8:
        raise LayoutError(f"a stride of {elements} elements of {bits} bits is not a whole number of bytes")
    return total // 8


def _repacked(shape: Sequence[int], itemsize: int, code: int) -> Sequence[int]:
    """The same bytes as elements of another width: two 4-bit ones a byte, four 6-bit ones in three."""
    total, bits = int(shape[-1]) * itemsize * 8, _bits(code)
    if total % bits:
        raise LayoutError(f"rows of {total // 8} bytes do not hold a whole number of {bits}-bit elements")
    return [*shape[:-1], total // bits]


def _build(code: int, dim: Sequence[int], strides: Sequence[int], where: int, known: bool,
           itemsize: int, box: Any, swizzle: Any, elem_stride: Any, interleave: Any,
           l2_promotion: Any, oob_fill: Any, kind: Any, im2col: Tuple[Any, ...],
           uses: Iterable[Any], order: str, name: Optional[str]) -> Descriptor:
    c = ffi.new(_DESC, _BLANK[0])
    rank = len(dim)
    c.dtype, c.rank, c.address = code, rank, where
    if swizzle:
        c.swizzle = _native.SWIZZLE.value(swizzle)
    broken: List[Tuple[str, str, Any]] = []
    try:
        c.dim = dim if rank <= 5 else dim[:5]
        c.stride_bytes = strides[1:] if rank <= 5 else strides[1:5]
    except OverflowError:
        broken = _negative(dim, strides)
        c.stride_bytes = [abs(s) & _U64 for s in strides[1:5]]
    if rank and strides[0] != (itemsize or (_bits(code) + 7) // 8) and dim[0] != 1:
        broken.append(_not_dense(strides, itemsize or (_bits(code) + 7) // 8))
    if elem_stride is not None:
        c.elem_stride = list(elem_stride if order == "cuda" else elem_stride[::-1])[:5]
    if interleave:
        c.interleave = _native.INTERLEAVE.value(interleave)
    if l2_promotion:
        c.l2_promotion = _native.L2_PROMOTION.value(l2_promotion)
    if oob_fill:
        c.oob_fill = _native.OOB_FILL.value(oob_fill)
    if kind != "tiled":
        _fill_im2col(c, kind, im2col, order)
    elif box is None:
        raise LayoutError("a tiled descriptor needs a box")
    elif len(box) != rank:
        raise LayoutError(f"a box of {len(box)} dimensions for a tensor of {rank}")
    else:
        c.box = list(box) if rank <= 5 else list(box)[:5]
    return Descriptor(c, uses_of(uses, order) if uses else (), name, () if known else _ADDRESS, broken)


def _fill_im2col(c: Any, kind: Any, im2col: Tuple[Any, ...], order: str) -> None:
    lower, upper, channels, pixels, mode = im2col
    c.kind = _native.KIND.value(kind)
    c.channels, c.pixels, c.mode = channels, pixels, _native.MODE.value(mode)
    for member, corner in (("lower", lower), ("upper", upper)):
        listed = [corner] if isinstance(corner, int) else list(corner or ())
        setattr(c, member, (listed if order == "cuda" else listed[::-1])[:3])


def _negative(dim: Sequence[int], strides: Sequence[int]) -> List[Tuple[str, str, Any]]:
    if any(int(n) < 0 for n in dim):
        raise LayoutError("a dimension is negative")
    return [("stride", f"a stride is {s} bytes: a tensor map's strides are not negative", abs(s))
            for s in strides[1:] if s < 0]


def _not_dense(strides: Sequence[int], itemsize: int) -> Tuple[str, str, Any]:
    where = [i for i, s in enumerate(strides) if s == itemsize]
    hint = (f"; dimension {len(strides) - 1 - where[0]} (outermost first) is the one whose elements "
            "lie side by side: pass the tensor with it innermost" if where else "")
    return ("strides", f"the innermost dimension's elements are {strides[0]} bytes apart, and a tensor "
            f"map takes them to lie side by side{hint}", itemsize)
