"""condition(): for which values of named parameters a descriptor is legal. Needs isl."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _native
from ._descriptor import Descriptor
from ._native import LayoutError, NotBuilt, ffi, lib

_ALIGNED = 0x7F0000000000
_local = threading.local()


def _isl() -> Any:
    try:
        from ._isl import lib as isl
    except ImportError:
        raise NotBuilt("condition() needs isl, and this build has none: install libisl-dev and build "
                       "again") from None
    return isl


def _new(what: str) -> Any:
    """Memory for a type of the symbolic part, which only its own module knows."""
    from ._isl import ffi as isl_ffi
    return isl_ffi.new(what)


class _Context:
    """A thread's own solvers."""

    def __init__(self, isl: Any) -> None:
        out = _new("struct tmap_symbolic **")
        _native.must(isl.tmap_symbolic_open(ffi.NULL, out), "symbolic")
        self.c = ffi.gc(out[0], isl.tmap_symbolic_close)


def _context() -> Any:
    if not hasattr(_local, "context"):
        _local.context = _Context(_isl())
    return _local.context.c


class Guard:
    """Is it legal at these values? Called with the parameters by name, it answers; str() of it is
    Python, .c and .cuda the same function in C and CUDA."""

    def __init__(self, condition: "Condition") -> None:
        self._condition = condition

    def __call__(self, **values: int) -> bool:
        names = self._condition.parameters
        if set(values) != set(names):
            raise LayoutError(f"the parameters are {', '.join(names) or 'none'}")
        given = ffi.new("int64_t[]", [values[name] for name in names] or [0])
        holds = _isl().tmap_condition_holds(self._condition._c, given)
        if holds < 0:
            raise OverflowError("a number is beyond 128 bits")
        return bool(holds)

    def source(self, language: str = "python", name: str = "legal") -> str:
        isl = _isl()
        kinds = {"c": isl.TMAP_GUARD_C, "cuda": isl.TMAP_GUARD_CUDA, "python": isl.TMAP_GUARD_PYTHON}
        if language not in kinds:
            raise LayoutError(f"a guard is in {', '.join(kinds)}, not {language!r}")
        return _text(isl.tmap_guard_c, _context(), self._condition._c, kinds[language], name.encode())

    @property
    def c(self) -> str:
        return self.source("c")

    @property
    def cuda(self) -> str:
        return self.source("cuda")

    def __str__(self) -> str:
        return self.source("python")


def _text(function: Any, *args: Any) -> str:
    """A text of any length: asked for its length first."""
    length = ffi.new("size_t *")
    status = function(*args, ffi.NULL, 0, length)
    if status in (lib.TMAP_OK, lib.TMAP_E_ROOM):
        at = ffi.new("char[]", length[0] + 1)
        status = function(*args, at, length[0] + 1, length)
    _must(status, "text")
    return _native.text(at)


def _must(status: int, what: str) -> None:
    if status != lib.TMAP_OK:
        why = _native.text(_isl().tmap_symbolic_why(_context()))
        raise _native.Error(status, f"{what}: {why}" if why else what)


class Condition:
    """When the descriptor is legal. `verdict`: "legal" for all values that the assumptions allow,
    "illegal" where some are not; `formula` says which."""

    def __init__(self, c: Any) -> None:
        self._c = c
        self.guard = Guard(self)

    @property
    def verdict(self) -> str:
        return _native.VERDICT[_isl().tmap_condition_verdict(self._c)]

    @property
    def reason(self) -> str:
        return _native.text(_isl().tmap_condition_reason(self._c))

    @property
    def parameters(self) -> List[str]:
        isl = _isl()
        return [_native.text(isl.tmap_condition_param(self._c, i))
                for i in range(isl.tmap_condition_param_count(self._c))]

    @property
    def formula(self) -> str:
        isl = _isl()
        return _text(isl.tmap_condition_text, _context(), self._c, isl.TMAP_FORM_TEXT)

    @property
    def padding(self) -> Optional[str]:
        """The least to add to the parameters; None where no padding helps or it cannot be said."""
        isl = _isl()
        try:
            return _text(isl.tmap_condition_padding, _context(), self._c, isl.TMAP_FORM_TEXT)
        except _native.Error:
            return None

    @property
    def counterexample(self) -> Optional[Dict[str, int]]:
        names = self.parameters
        values = ffi.new("int64_t[]", max(len(names), 1))
        if not _isl().tmap_condition_counterexample(self._c, values):
            return None
        return {name: int(values[i]) for i, name in enumerate(names)}

    def __bool__(self) -> bool:
        return self.verdict == "legal"

    def __repr__(self) -> str:
        return f"<{self.verdict}: {self.formula}>"


Expression = Union[int, str]


def _strides(shape: Sequence[Expression], strides: Optional[Sequence[Expression]],
             strides_bytes: Optional[Sequence[Expression]], bits: int) -> List[Expression]:
    """In bytes, without the innermost, outermost first."""
    if strides_bytes is not None:
        out = list(strides_bytes)
    else:
        if strides is None:
            strides = []
            for i in range(1, len(shape)):
                strides.append("*".join(f"({n})" for n in shape[i:]))
        if bits % 8:
            raise LayoutError("give strides_bytes= for elements that are no whole bytes")
        out = [s * (bits // 8) if isinstance(s, int) else f"{bits // 8}*({s})" for s in strides]
    return out[:len(shape) - 1]


def condition(*, dtype: Any, shape: Sequence[Expression], box: Sequence[Expression],
              strides: Optional[Sequence[Expression]] = None,
              strides_bytes: Optional[Sequence[Expression]] = None, swizzle: Any = 0,
              interleave: Any = 0, l2_promotion: Any = 0, oob_fill: Any = 0,
              address: Expression = _ALIGNED, assume: Sequence[str] = (), order: str = "python",
              contract: str = "safe", target: Optional[str] = None, cuda: Optional[str] = None,
              ptx: Optional[str] = None, driver: Optional[str] = None) -> Condition:
    """For which values of the parameters is this legal? Sizes, strides (elements; strides_bytes in
    bytes) and the box are integers or expressions such as "2*K"; assume: "K % 8 == 0",
    "1 <= M <= 65536". Exact, or an error."""
    isl = _isl()
    bits = _native.BITS.get(_native.DTYPE.value(dtype), (8, 8))[1]
    if order == "cuda":
        shape, box = list(shape)[::-1], list(box)[::-1]
        strides = None if strides is None else list(strides)[::-1]
        strides_bytes = None if strides_bytes is None else list(strides_bytes)[::-1]
    d = _new("struct tmap_symbolic_desc *")
    d.desc.dtype, d.desc.rank = _native.DTYPE.value(dtype), len(shape)
    d.desc.swizzle, d.desc.interleave = _native.SWIZZLE.value(swizzle), _native.INTERLEAVE.value(interleave)
    d.desc.l2_promotion = _native.L2_PROMOTION.value(l2_promotion)
    d.desc.oob_fill = _native.OOB_FILL.value(oob_fill)
    d.desc.elem_stride = [1] * lib.TMAP_MAX_RANK
    keep: List[Any] = []
    for i, n in enumerate(list(shape)[::-1]):
        _put(keep, d, d.desc, "dim", "dim", i, n)
    for i, n in enumerate(_strides(shape, strides, strides_bytes, bits)[::-1]):
        _put(keep, d, d.desc, "stride", "stride_bytes", i, n)
    for i, n in enumerate(list(box)[::-1]):
        _put(keep, d, d.desc, "box", "box", i, n)
    if isinstance(address, str):
        keep.append(ffi.new("char[]", address.encode()))
        d.address = keep[-1]
    else:
        d.desc.address = address
    assumed = [ffi.new("char[]", text.encode()) for text in assume]
    checker = _native.checker_for(contract, cuda, ptx, driver, target)
    out = _new("struct tmap_condition **")
    _must(isl.tmap_condition_of(_context(), checker, d, 1, ffi.new("char *[]", assumed or [ffi.NULL]),
                                len(assumed), out), "condition")
    return Condition(ffi.gc(out[0], isl.tmap_condition_free))


def _put(keep: List[Any], d: Any, desc: Any, text: str, number: str, i: int, value: Expression) -> None:
    if isinstance(value, int):
        getattr(desc, number)[i] = value
    else:
        keep.append(ffi.new("char[]", value.encode()))
        getattr(d, text)[i] = keep[-1]


__all__ = ["Condition", "Descriptor", "Guard", "condition"]
