"""Kernels on the CPU, from their PTX, on arrays of the host: emulate()."""

from __future__ import annotations

import struct
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native, _tensor
from ._bytes import encode
from ._emu import ffi, lib
from ._native import Error, LayoutError

_MOST = 64  # findings that are kept
_SCHEDULES = {"earliest": lib.TMAP_EMULATE_EARLIEST, "latest": lib.TMAP_EMULATE_LATEST,
              "random": lib.TMAP_EMULATE_RANDOM}


class TensorMap:
    """The parameter that a kernel takes a tensor map in: of an array, with a box, as encode() has
    it. The array is the kernel's memory too."""

    def __init__(self, array: Any, box: Any = None, swizzle: Any = 0, **described: Any) -> None:
        self.array = array
        self.said = (box, swizzle, described)

    def bytes(self, target: Optional[str]) -> bytes:
        box, swizzle, described = self.said
        return encode(self.array, box, swizzle, target=target, address=_address(self.array), **described)


class Finding(NamedTuple):
    """What is wrong with a run, and where."""

    kind: str  # "race", "proxy", "hang", "access", "barrier", "trap", "illegal", "leak", ...
    text: str
    line: int  # of the PTX
    cta: int
    warp: int
    lane: int
    address: int
    file: str  # of the source, where the PTX says it; else ""
    source_line: int


class Emulated(NamedTuple):
    """A run. True when every thread left and nothing was found; the arrays hold what it wrote."""

    finished: bool
    findings: List[Finding]
    basis: str  # "observed"; "inferred" when something ran that no GPU has shown
    warp_instructions: int
    copies: int
    copy_bytes: int
    multiply_adds: int

    def __bool__(self) -> bool:
        return self.finished and not self.findings


def _three(shape: Union[int, Sequence[int]]) -> Tuple[int, int, int]:
    given = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    if not 1 <= len(given) <= 3:
        raise LayoutError(f"a shape has one to three sizes, not {given!r}")
    return (given + (1, 1))[:3]  # type: ignore[return-value]


def _load(ptx: Union[str, bytes]) -> Any:
    raw = ptx.encode() if isinstance(ptx, str) else bytes(ptx)
    out, why = ffi.new("struct tmap_emulate_module **"), ffi.new("struct tmap_emulate_error *")
    status = lib.tmap_emulate_load(raw, len(raw), out, why)
    if status != _native.lib.TMAP_OK:
        line = f"line {why.line}: " if why.line else ""
        raise LayoutError(f"{line}{_native.text(why.text)}" if why.text[0] != b"\0" else "not PTX")
    return ffi.gc(out[0], lib.tmap_emulate_free)


def _is_array(arg: Any) -> bool:
    return hasattr(arg, "__array_interface__") or hasattr(arg, "data_ptr")


def _address(array: Any) -> int:
    """Of the first element, in the host's memory."""
    if getattr(array, "is_cuda", False):
        raise LayoutError("the emulator's memory is the host's: pass a tensor of the CPU")
    if hasattr(array, "data_ptr"):
        return int(array.data_ptr())
    return int(array.__array_interface__["data"][0])


def _bytes(array: Any) -> int:
    """From the first element to the end of the last."""
    t = _tensor.read(array)
    if not all(t.shape):
        return 0
    return sum((int(n) - 1) * int(s) for n, s in zip(t.shape, t.strides)) + t.itemsize


def _scalar(value: Any, size: int, i: int) -> bytes:
    if isinstance(value, float):
        if size not in (4, 8):
            raise LayoutError(f"parameter {i} has {size} bytes, which no float has")
        return struct.pack("<f" if size == 4 else "<d", value)
    number = int(value)
    if not -(1 << (8 * size - 1)) <= number < 1 << (8 * size):
        raise LayoutError(f"parameter {i} has {size} bytes, too few for {number}")
    return (number & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


class _Launch:
    """Parameters laid out, and the memory that they speak of."""

    def __init__(self, module: Any, kernel: str, target: Optional[str]) -> None:
        self.module, self.kernel, self.target = module, kernel, target
        self.arrays: List[Any] = []
        self.buffers: List[Tuple[int, int]] = []
        self.params = b""

    def lend(self, array: Any) -> int:
        address, size = _address(array), _bytes(array)
        if (address, size) not in self.buffers and size:
            self.buffers.append((address, size))
        self.arrays.append(array)
        return address

    def parameter(self, arg: Any, size: int, i: int) -> bytes:
        if isinstance(arg, TensorMap):
            self.lend(arg.array)
            return arg.bytes(self.target)
        if isinstance(arg, (bytes, bytearray)):
            return bytes(arg)
        return _scalar(self.lend(arg) if _is_array(arg) else arg, size, i)

    def lay_out(self, args: Sequence[Any]) -> None:
        offset, size, align = (ffi.new("uint32_t *") for _ in range(3))
        name = self.kernel.encode()
        for i, arg in enumerate(args):
            if not lib.tmap_emulate_param(self.module, name, i, offset, size, align):
                raise LayoutError(f"{self.kernel} has {i} parameters, not {len(args)}")
            raw = self.parameter(arg, size[0], i)
            if len(raw) != size[0]:
                raise LayoutError(f"parameter {i} has {size[0]} bytes, not {len(raw)}")
            self.params = self.params.ljust(offset[0], b"\0") + raw
        if lib.tmap_emulate_param(self.module, name, len(args), offset, size, align):
            raise LayoutError(f"{self.kernel} has more than {len(args)} parameters")


def _finding(f: Any) -> Finding:
    return Finding(_native.text(lib.tmap_emulate_kind_name(f.kind)), _native.text(f.text), int(f.line),
                   int(f.cta), int(f.warp), int(f.lane), int(f.address), _native.text(f.file),
                   int(f.source_line))


def emulate(ptx: Union[str, bytes], grid: Union[int, Sequence[int]], args: Sequence[Any], *,
            block: Union[int, Sequence[int]] = 128, cluster: Union[int, Sequence[int]] = 0,
            smem_bytes: int = 0, kernel: Optional[str] = None, memory: Sequence[Any] = (),
            schedule: str = "latest", seed: int = 1, races: bool = True, budget: int = 0,
            target: Optional[str] = None) -> Emulated:
    """Runs a kernel's PTX on the CPU, with its copies, barriers and tensor cores, in the memory of
    the host's arrays. args in the kernel's order: an array (its address is passed), a number, a
    TensorMap of an array, or a parameter's bytes; memory: arrays that it reaches otherwise. schedule
    says when what is asynchronous happens: earliest, latest or random (by seed). target is that of
    the maps; the PTX says its own."""
    if schedule not in _SCHEDULES:
        raise LayoutError(f"schedule is {', '.join(_SCHEDULES)}, not {schedule!r}")
    module = _load(ptx)
    name = kernel or _native.text(lib.tmap_emulate_kernel(module, 0))
    at = _Launch(module, name, target)
    at.lay_out(args)
    for array in memory:
        at.lend(array)
    keep = [ffi.new("char[]", name.encode()), ffi.from_buffer(at.params)]
    buffers = ffi.new("struct tmap_emulate_buffer[]", max(len(at.buffers), 1))
    for b, (address, size) in zip(buffers, at.buffers):
        b.address, b.bytes, b.data = address, size, ffi.cast("void *", address)
    launch = ffi.new("struct tmap_emulate_launch *", {
        "kernel": keep[0], "grid": _three(grid), "block": _three(block), "smem_bytes": smem_bytes,
        "cluster": _three(cluster) if cluster else (0, 0, 0), "params": keep[1],
        "param_bytes": len(at.params), "buffers": buffers, "buffer_count": len(at.buffers),
        "schedule": _SCHEDULES[schedule], "seed": seed, "budget": budget, "no_races": not races})
    findings, found = ffi.new("struct tmap_emulate_finding[]", _MOST), ffi.new("size_t *")
    result = ffi.new("struct tmap_emulate_result *")
    _native.must(lib.tmap_emulate_run(module, launch, findings, _MOST, found, result), f"emulate {name}")
    counts = result.counts
    return Emulated(bool(result.finished), [_finding(findings[i]) for i in range(min(found[0], _MOST))],
                    "inferred" if result.basis else "observed", int(counts.warp_instructions),
                    int(counts.copies), int(counts.copy_bytes), int(counts.multiply_adds))


__all__ = ["Emulated", "Error", "Finding", "TensorMap", "emulate"]
