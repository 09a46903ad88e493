"""Logs, rules in words and pictures: the parts that need jansson."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple, Optional

from . import _native
from ._check import Result, judge
from ._descriptor import Descriptor
from ._native import LayoutError, NotBuilt, ffi

_NO_ADDRESS, _PARTIAL = 1, 2  # bridge.h


def _io() -> Any:
    try:
        from ._io import lib as io
    except ImportError:
        raise NotBuilt("this needs jansson, and this build has none: install libjansson-dev and build "
                       "again") from None
    return io


def _given(pointer: Any) -> Optional[str]:
    if not pointer:
        return None
    try:
        return _native.text(pointer)
    finally:
        _io().libtmap_free(pointer)


def svg(checker: Any, d: Descriptor) -> str:
    name = ffi.NULL if d.name is None else ffi.new("char[]", d.name.encode())
    out = _given(_io().libtmap_svg(checker, d._c, name))
    if out is None:
        raise LayoutError("an illegal descriptor has no picture")
    return out


class Logged(NamedTuple):
    """One descriptor that a log holds, or why it could not be read; both where the text says only a
    part of it, which is illegal whatever the rest is."""

    line: int
    result: Optional[Result]
    error: str


def from_log(log: str, program: Optional[str] = None, *, contract: str = "safe",
             target: Optional[str] = None, cuda: Optional[str] = None, ptx: Optional[str] = None,
             driver: Optional[str] = None) -> List[Logged]:
    """Every descriptor that another program ("triton", "cutlass", "tilelang",
    "flashinfer"; None: whichever it looks like) printed when its encode call failed, checked."""
    io = _io()
    raw = log.encode()
    name = ffi.NULL if program is None else program.encode()
    count = io.libtmap_log(name, raw, len(raw), ffi.NULL, ffi.NULL, ffi.NULL, ffi.NULL, 0)
    if count == -1:
        raise LayoutError(f"no log of {program!r} is known")
    if count < 0:
        raise MemoryError
    descs = ffi.new("struct tmap_desc[]", max(count, 1))
    errors, lines = ffi.new("char[]", io.LIBTMAP_ERROR_SIZE * max(count, 1)), ffi.new("size_t[]", max(count, 1))
    flags = ffi.new("unsigned[]", max(count, 1))
    io.libtmap_log(name, raw, len(raw), descs, errors, lines, flags, count)
    checker = _native.checker_for(contract, cuda, ptx, driver, target)
    out = []
    for i in range(count):
        error = _native.text(errors + i * io.LIBTMAP_ERROR_SIZE)
        d = Descriptor(ffi.new("struct tmap_desc *", descs[i]), name=f"line {lines[i]}",
                       assumed=("address",) if flags[i] & _NO_ADDRESS else ())
        own = checker
        if target is None and flags[i] >> 8:  # as the command: for the GPU that the text is about
            arch = _native.text(_native.lib.tmap_arch_name(flags[i] >> 8))
            own = _native.checker_for(contract, cuda, ptx, driver, arch)
        result = judge(own, d) if not error or flags[i] & _PARTIAL else None
        if error and result is not None and result.verdict != "illegal":
            result = None  # of a part, only that it is illegal can be said
        out.append(Logged(int(lines[i]), result, error))
    return out


class Rule:
    """One rule in full; `json` is what `tmap explain --format json` says of it."""

    def __init__(self, said: Dict[str, Any]) -> None:
        self.json = said
        self.id: str = said["rule"]
        self.name: str = said["name"]
        self.why: str = said["why"]
        self.help: str = said.get("help", "")

    def __str__(self) -> str:
        lines = [f"{self.id} {self.name} ({self.json['effect']}, about the {self.json['subject']})",
                 f"  when {self.json['when']}: {self.json['must']}", f"  why: {self.why}"]
        if self.help:
            lines.append(f"  help: {self.help}")
        for e in self.json["evidence"]:
            lines.append(f"  {e['sign']} {e['source']} since {e['since']}: {e['where']}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{self.id} {self.name}>"


def explain(rule: Any, *, target: Optional[str] = None, cuda: Optional[str] = None,
            ptx: Optional[str] = None, driver: Optional[str] = None) -> Rule:
    """A rule by its id ("TMA014"), its name, or a violation of it."""
    name = getattr(rule, "rule", rule)
    row = _native.lib.tmap_row_find(str(name).encode())
    if row == 0xFFFF:
        raise LayoutError(f"there is no rule {name!r}")
    checker = _native.checker_for("safe", cuda, ptx, driver, target)
    text = _given(_io().libtmap_rule(ffi.addressof(checker, "target"), row))
    if text is None:
        raise MemoryError
    return Rule(json.loads(text))
