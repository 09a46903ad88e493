"""check(): the verdict of one descriptor, and why."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from . import _native
from ._descriptor import Descriptor, Use, WORDS, describe, of_tensor, of_words
from ._native import LayoutError, ffi, lib

_MOST = 128  # more violated rows than a descriptor and a use can have
_LEGAL, _ILLEGAL, _UNKNOWN = lib.TMAP_LEGAL, lib.TMAP_ILLEGAL, lib.TMAP_UNKNOWN


class Violation(NamedTuple):
    """One violated rule at one place. `rule` is its id ("TMA025"); "" where the tensor itself cannot
    be said in a tensor map, such as one whose innermost elements do not lie side by side."""

    rule: str
    name: str  # of the rule: "box_within_256"
    field: str  # CUDA's order: "box[1]" is the second innermost dimension's
    value: Optional[int]
    nearest: Tuple[int, ...]  # legal values of that field, the smaller one first
    needs: str  # "1 <= box[1] <= 256"
    message: str
    use: Optional[int] = None  # number of the use that it is about

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}" if self.rule else self.message


class IllegalDescriptor(ValueError):
    """raise_if_illegal()'s: the message has every violation; `result` is what was checked."""

    def __init__(self, result: "Result") -> None:
        super().__init__(result.explanation())
        self.result = result


class Result:
    """True when legal. `verdict` is "legal", "illegal" or "unknown", `basis` "observed" or
    "inferred"; everything else is worked out when it is asked for."""

    __slots__ = ("_checker", "_code", "descriptor", "_violations")

    def __init__(self, checker: Any, code: int, descriptor: Descriptor) -> None:
        self._checker = checker
        self._code = code
        self.descriptor = descriptor
        self._violations: Optional[List[Violation]] = None

    def __bool__(self) -> bool:
        return bool(self._code == _LEGAL)

    @property
    def verdict(self) -> str:
        return _native.VERDICT[self._code]

    @property
    def basis(self) -> str:
        return _native.BASIS[self._checker.basis]

    @property
    def target(self) -> str:
        return _native.target_text(self._checker)

    @property
    def assumed(self) -> Tuple[str, ...]:
        """What was not known and was taken to be fine: "address"."""
        return self.descriptor.assumed

    @property
    def violations(self) -> List[Violation]:
        if self._violations is None:
            self._violations = [] if self._code == _LEGAL else list(_all(self._checker, self.descriptor))
        return self._violations

    @property
    def rules(self) -> List[str]:
        """Ids of all violated rules, each once, in the table's order."""
        return sorted({v.rule for v in self.violations if v.rule}, key=_native.RULE_ID.index)

    def explanation(self) -> str:
        lines = [f"{self.verdict} on {self.target} ({self.basis})"]
        for v in self.violations:
            lines.append(f"  {v}")
            if v.nearest:
                lines.append("    nearest: " + " or ".join(map(str, v.nearest)))
        if "address" in self.assumed:
            lines.append("  where the tensor starts is not known: taken as aligned")
        return "\n".join(lines)

    def raise_if_illegal(self) -> "Result":
        """Returns itself when legal; unknown is not legal."""
        if self._code != _LEGAL:
            raise IllegalDescriptor(self)
        return self

    def to_json(self) -> Dict[str, Any]:
        """The line that `tmap check --format jsonl` prints."""
        return {"name": self.descriptor.name, "verdict": self.verdict, "basis": self.basis,
                "rules": self.rules}

    def __repr__(self) -> str:
        return f"<{self.verdict}, {self.basis}{', ' if self.rules else ''}{' '.join(self.rules)}>"

    def __str__(self) -> str:
        return self.explanation()


# --- violations in full -----------------------------------------------------------------------


def _number(n: Any) -> Optional[int]:
    return None if not n.known else -int(n.magnitude) if n.negative else int(n.magnitude)


def _detail(checker: Any, d: Descriptor, use: Any, v: Any, index: Optional[int]) -> Violation:
    out = ffi.new("struct tmap_detail *")
    target = ffi.addressof(checker, "target")
    _native.must(lib.tmap_detail_of(target, d._c, use, v, out), "detail")
    field = _native.text(out.field)
    if out.index >= 0:
        field += f"[{out.index}]"
    near = tuple(n for n in (_number(out.below), _number(out.above)) if n is not None)
    return Violation(_native.RULE_ID[v.row], _native.RULE_NAME[v.row], field, _number(out.value), near,
                     _native.text(out.needs), _native.text(out.message), index)


def _found(checker: Any, d: Descriptor, use: Any) -> Tuple[Any, int, int]:
    rows = ffi.new("struct tmap_violation[]", _MOST)
    found, verdict = ffi.new("size_t *"), ffi.new("enum tmap_verdict *")
    if use is None:
        status = lib.tmap_check_with(checker, d._c, rows, _MOST, found, verdict)
    else:
        status = lib.tmap_check_use(checker, d._c, use, rows, _MOST, found, verdict)
    _native.must(status, "check")
    return rows, min(found[0], _MOST), verdict[0]


def _all(checker: Any, d: Descriptor) -> Iterator[Violation]:
    for field, message, nearest in d._broken:
        yield Violation("", "not_expressible", field, None, (nearest,), "", message)
    for index, use in enumerate((None, *(u._c for u in d.uses))):
        rows, count, _ = _found(checker, d, use)
        for i in range(count):
            yield _detail(checker, d, ffi.NULL if use is None else use, rows + i,
                          index - 1 if index else None)


_WORSE = {_LEGAL: 0, _UNKNOWN: 1, _ILLEGAL: 2}


def judge(checker: Any, d: Descriptor) -> Result:
    """Illegal if the descriptor or any use of it is; then unknown; then legal."""
    code: int = lib.tmap_verdict_of(checker, d._c)
    if d.uses:
        for use in d.uses:
            code = max(code, _found(checker, d, use._c)[2], key=_WORSE.__getitem__)
    if d._broken:
        code = _ILLEGAL
    return Result(checker, code, d)


def check(tensor: Any = None, box: Any = None, swizzle: Any = 0, *, contract: str = "safe",
          target: Optional[str] = None, cuda: Optional[str] = None, ptx: Optional[str] = None,
          driver: Optional[str] = None, **described: Any) -> Result:
    """Is this a legal tensor map?

    tensor   anything with DLPack, __cuda_array_interface__ or __array_interface__, a Triton
             TensorDescriptor, cuda.core's StridedMemoryView, a Descriptor, or the command's JSON as
             a dict. Or none, with dtype= and shape= (and strides=, in elements, or strides_bytes=;
             dense without).
    box      elements, one a dimension; `swizzle` CUDA's name without its prefix ("128B").
    order    "python" (outermost first, the default) or "cuda" (innermost first), for shape, strides,
             box, elem_stride, corners and coordinates alike.
    target   the architecture, "sm_100a", or a GPU, "B200"; cuda="12.8", ptx=, driver= the versions. Without them the
             newest observed target.
    address  of the first element. Of a tensor that lies on no device it is not known: its
             allocation is taken as aligned (result.assumed says so), a view's offset counts.
    Packed types: with dtype="fp4" (or 16U4_ALIGN16B, 16U6_ALIGN16B) a tensor of bytes is read as
    elements of that width; shape= and box= then count those.

    A tensor that no tensor map can say is illegal; arguments that are none raise LayoutError."""
    checker = _native.checker_for(contract, cuda, ptx, driver, target)
    if tensor is None and WORDS.issuperset(described):
        return judge(checker, of_words(box, swizzle, **described))
    if described or tensor is None:
        return judge(checker, describe(tensor, box, swizzle, **described))
    return judge(checker, of_tensor(tensor, box, swizzle))


__all__ = ["Descriptor", "IllegalDescriptor", "LayoutError", "Mapping", "Result", "Use", "Violation",
           "check", "judge"]
