"""A Triton kernel on the CPU: compiled by Triton for a target, run by the emulator."""

from __future__ import annotations

import ctypes
import re
from typing import Any, Dict, List, Sequence, Tuple, Union

from . import _emulate, _tensor
from ._bytes import encode
from ._descriptor import Descriptor
from ._native import LayoutError, _arch_of

_TYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
          "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "bool": "i1",
          **{f"{u}int{n}": f"{u[:1] or 'i'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)}}


def _type_of(tensor: Any) -> str:
    name = str(_tensor.read(tensor).dtype).rsplit(".", 1)[-1].rstrip("'>")
    if name not in _TYPES:
        raise LayoutError(f"Triton has no type for {name}; there are {', '.join(_TYPES)}")
    return _TYPES[name]


class _HostDescriptor:
    """What the compiler and the launcher ask of a TensorDescriptor, of a TensorMap."""

    def __init__(self, given: _emulate.TensorMap) -> None:
        read = _tensor.read(given.array)
        if given.said[0] is None:
            raise LayoutError("a TensorMap for Triton says its block: TensorMap(array, box=block)")
        self.base, self.shape = given.array, list(read.shape)
        self.strides = [int(s) // read.itemsize for s in read.strides]
        self.block_shape, self.padding = list(given.said[0]), "zero"


def _signature(arg: Any) -> str:
    if hasattr(arg, "block_shape"):
        return f"tensordesc<{_type_of(arg.base)}{list(arg.block_shape)}>"
    if isinstance(arg, bool):
        return "i1"
    if isinstance(arg, int):
        return "i32" if -(1 << 31) <= arg < 1 << 31 else "i64"
    return "fp32" if isinstance(arg, float) else "*" + _type_of(arg)


def _is_multiple(arg: Any) -> bool:
    """Of 16, which Triton is told as a launch tells it."""
    if hasattr(arg, "block_shape") or isinstance(arg, (bool, float)):
        return False
    return (arg if isinstance(arg, int) else _emulate._address(arg)) % 16 == 0


def _named(kernel: Any, args: Sequence[Any], keywords: Dict[str, Any]) -> Dict[str, Any]:
    names = [p.name for p in kernel.params]
    if len(args) > len(names):
        raise LayoutError(f"{kernel.__name__} takes {len(names)} arguments, not {len(args)}")
    given = {**{p.name: p.default for p in kernel.params if p.has_default}, **dict(zip(names, args)), **keywords}
    lacking = [name for name in names if name not in given]
    if lacking or len(given) > len(names):
        raise LayoutError(f"{kernel.__name__} takes {', '.join(names)}")
    return {name: _HostDescriptor(given[name]) if isinstance(given[name], _emulate.TensorMap) else given[name]
            for name in names}


def compiled(kernel: Any, given: Dict[str, Any], target: str, options: Dict[str, int]) -> Any:
    """By Triton's own compiler, for an architecture that need not be here."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, compile as triton_compile

    said = re.fullmatch(r"sm_(\d+)[af]?", target)
    if not said:
        raise LayoutError(f"there is no architecture {target!r}")
    constant = {p.name for p in kernel.params if p.is_constexpr}
    signature = {name: "constexpr" if name in constant else _signature(arg) for name, arg in given.items()}
    attrs = {(i,): [["tt.divisibility", 16]] for i, (name, arg) in enumerate(given.items())
             if name not in constant and _is_multiple(arg)}
    source = ASTSource(kernel, signature, {name: given[name] for name in constant}, attrs)
    return triton_compile(source, target=GPUTarget("cuda", int(said[1]), 32), options=options)


class _Scratch:
    """Device memory that a launch would allocate, as an array of bytes."""

    def __init__(self, size: int) -> None:
        self.memory = ctypes.create_string_buffer(size + 128)
        address = (ctypes.addressof(self.memory) + 127) // 128 * 128
        self.__array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (address, False), "version": 3}


def _parameters(built: Any, given: Dict[str, Any], constant: Sequence[str], target: str) -> Tuple[List[Any], List[Any]]:
    """The kernel's parameters as the launcher passes them, and the memory behind descriptors."""
    from .adapters import triton_launch

    chosen = iter(getattr(built.metadata, "tensordesc_meta", None) or ())
    out: List[Any] = []
    behind: List[Any] = []
    for name, arg in given.items():
        if name in constant:
            continue
        if not hasattr(arg, "block_shape"):
            out.append(arg)
            continue
        descriptor = triton_launch(arg, next(chosen))
        descriptor._c.address = _emulate._address(arg.base)
        out += [encode(Descriptor(descriptor._c), target=target), *arg.shape, *arg.strides]
        behind.append(arg.base)
    return out, behind


def emulate(kernel: Any, grid: Union[int, Sequence[int]], args: Sequence[Any] = (), *, target: str = "sm_90a",
            num_warps: int = 4, num_stages: int = 3, num_ctas: int = 1, schedule: str = "latest", seed: int = 1,
            races: bool = True, budget: int = 0, **keywords: Any) -> _emulate.Emulated:
    """Compiles a @triton.jit kernel for target and runs its PTX on the CPU (libtmap.emulate), in the memory
    of the host's arrays: no GPU, and no GPU of that architecture, is needed. args and keywords in the
    kernel's order and names, constexprs too: arrays (numpy, torch's of the CPU), numbers, Triton's host
    TensorDescriptor, or TensorMap(array, box=block) in its place. target: an architecture, or a GPU's
    name, "B200"."""
    while not hasattr(kernel, "params"):  # an autotuner's or heuristics' kernel
        kernel = kernel.fn
    given, target = _named(kernel, args, keywords), _arch_of(target)
    built = compiled(kernel, given, target,
                     {"num_warps": num_warps, "num_stages": num_stages, "num_ctas": num_ctas})
    parameters, behind = _parameters(built, given, [p.name for p in kernel.params if p.is_constexpr], target)
    ptx, meta = built.asm["ptx"], built.metadata
    shape = _emulate._three(grid)
    entry = ptx[ptx.index(".entry"):]
    for _ in range(entry[:entry.index(")")].count(".param") - len(parameters)):
        size = meta.global_scratch_size * shape[0] * shape[1] * shape[2] * num_ctas
        parameters.append(_Scratch(size) if size else 0)
    return _emulate.emulate(ptx, (shape[0] * num_ctas, shape[1], shape[2]), parameters,
                            block=32 * meta.num_warps, cluster=num_ctas if num_ctas > 1 else 0,
                            smem_bytes=meta.shared, memory=behind, schedule=schedule, seed=seed,
                            races=races, budget=budget, target=target)


__all__ = ["emulate"]
