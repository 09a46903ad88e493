"""Triton: descriptors that explain themselves, configurations that cannot exist left out, kernels on the CPU.

    libtmap.triton.patch()            # a failing descriptor raises IllegalDescriptor, with reasons
    @triton.autotune(configs, key=["M", "N", "K"], prune_configs_by=libtmap.triton.prune_configs_by())
    run = libtmap.triton.emulate(kernel, grid, args, target="sm_100a")   # on the CPU, with races found
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Dict, List, Optional

from . import _native
from ._check import Result, check, judge
from ._descriptor import Descriptor
from ._plans import prune
from ._triton_emulate import emulate
from .adapters import triton_launch

_BOX = 256  # Triton splits a block into boxes of at most this many elements
_patched: Dict[str, Any] = {}


def check_descriptor(descriptor: Any, **target: Any) -> Result:
    """A host TensorDescriptor before any kernel is compiled for it: base, shape, strides, padding,
    and its block as Triton splits it. The swizzle is the compiler's choice, made later."""
    box = [min(int(n), _BOX) for n in descriptor.block_shape]
    fill = "NAN" if getattr(descriptor, "padding", "zero") == "nan" else "NONE"
    return check(descriptor, box, oob_fill=fill, **target)


def check_launch(arg: Any, metadata: Any, *, contract: str = "driver", **target: Any) -> Result:
    """The exact encode call that a kernel's launch makes."""
    checker = _native.checker_for(contract, target.get("cuda"), target.get("ptx"),
                                  target.get("driver"), target.get("target"))
    return judge(checker, triton_launch(arg, metadata))


def patch(**target: Any) -> None:
    """From now on a host TensorDescriptor that is illegal raises IllegalDescriptor where it is made,
    and so does a launch whose encode call would be refused. target=, cuda=, driver= as check()'s.
    unpatch() undoes it; a second patch() changes the target."""
    import triton.tools.tensor_descriptor as host

    unpatch()
    original = host.TensorDescriptor.__post_init__

    @functools.wraps(original)
    def made(self: Any) -> None:
        if _is_real(self.base) and len(self.shape) == len(self.strides) == len(self.block_shape):
            check_descriptor(self, **target).raise_if_illegal()
        original(self)

    host.TensorDescriptor.__post_init__ = made
    _patched["made"] = (host.TensorDescriptor, original)
    _patch_launch(target)


def _patch_launch(target: Dict[str, Any]) -> None:
    try:
        from triton.backends.nvidia import driver
        original = driver.make_tensordesc_arg
    except (ImportError, AttributeError):
        return  # a Triton without NVIDIA's backend

    @functools.wraps(original)
    def launched(arg: Any, metadata: Any, *rest: Any) -> Any:
        if metadata is not None and not metadata.get("is_im2col", False):
            check_launch(arg, metadata, **target).raise_if_illegal()
        return original(arg, metadata, *rest)

    driver.make_tensordesc_arg = launched
    _patched["launched"] = (driver, original)


def unpatch() -> None:
    if "made" in _patched:
        owner, original = _patched.pop("made")
        owner.__post_init__ = original
    if "launched" in _patched:
        owner, original = _patched.pop("launched")
        owner.make_tensordesc_arg = original


def _is_real(base: Any) -> bool:
    """Not one of the tracer's tensors, which have no memory."""
    return type(base).__name__ not in ("FakeTensor", "FunctionalTensor")


def _dtype_of(values: Dict[str, Any]) -> Any:
    for value in values.values():
        dtype = getattr(getattr(value, "base", value), "dtype", None)
        if dtype is not None:
            return dtype
    return None


def prune_configs_by(m: str = "M", n: str = "N", k: str = "K", *, dtype: Any = None,
                     model: str = "triton", on_pruned: Optional[Callable[[List[Any]], None]] = None,
                     **target: Any) -> Dict[str, Any]:
    """For triton.autotune: leaves out the configurations of a matrix product that cannot exist, before
    they are compiled. m, n, k are the kernel's argument names; the element type is its first
    tensor's. Where none would be left all are, so that Triton says why. on_pruned gets what was left
    out, as prune()'s answers."""

    def early(configs: List[Any], named_args: Dict[str, Any], **kwargs: Any) -> List[Any]:
        values = {**named_args, **kwargs}
        said = dtype if dtype is not None else _dtype_of(values)
        judged = prune(configs, m=values[m], n=values[n], k=values[k],
                       dtype="bf16" if said is None else said, model=model, **target)
        left = [j.config for j in judged if j.verdict != "illegal"]
        if on_pruned is not None:
            on_pruned([j for j in judged if j.verdict == "illegal"])
        return left or list(configs)

    return {"early_config_prune": early}


__all__ = ["Descriptor", "check_descriptor", "check_launch", "emulate", "patch", "prune_configs_by", "unpatch"]
