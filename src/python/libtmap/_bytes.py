"""The 128 bytes, without a driver."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native
from ._check import check
from ._descriptor import Descriptor, describe
from ._native import LayoutError, ffi, lib

_NOTES = 64
_NOTE_KIND = {value: name[len("TMAP_NOTE_"):].lower()
              for value, name in _native._enumerators("tmap_note_kind").items()}


class Note(NamedTuple):
    """What the bytes leave open, or what no encode call writes."""

    kind: str  # "ambiguous", "impossible", "derived"
    field: str
    text: str


class Decoded(NamedTuple):
    descriptor: Descriptor
    notes: List[Note]


def encode(tensor: Any = None, box: Any = None, swizzle: Any = 0, *, target: Optional[str] = None,
           cuda: Optional[str] = None, ptx: Optional[str] = None, driver: Optional[str] = None,
           **described: Any) -> bytes:
    """The 128 bytes that the driver writes for what check() takes. The address must be known: it
    stands in the bytes. An illegal descriptor raises IllegalDescriptor (contract "driver")."""
    d = describe(tensor, box, swizzle, **described)
    if "address" in d.assumed:
        raise LayoutError("the address stands in the bytes, and it is not known: pass address=")
    check(d, contract="driver", target=target, cuda=cuda, ptx=ptx, driver=driver).raise_if_illegal()
    checker = _native.checker_for("driver", cuda, ptx, driver, target)
    out = ffi.new("struct tmap_map *")
    status = lib.tmap_encode(checker, d._c, out)
    if status == lib.TMAP_E_TARGET:
        raise _native.Error(status, "encode: no source shows the bytes of this on " + _native.target_text(checker))
    _native.must(status, "encode")
    return bytes(ffi.buffer(out))


def decode(data: Union[bytes, bytearray, memoryview, Sequence[int]]) -> Decoded:
    """The fields in any 128 bytes (or sixteen 64-bit words), and what they leave open."""
    map_ = ffi.new("struct tmap_map *")
    if isinstance(data, (bytes, bytearray, memoryview)):
        raw = bytes(data)
    else:
        raw = b"".join(int(word).to_bytes(8, "little") for word in data)
    if len(raw) != ffi.sizeof("struct tmap_map"):
        raise LayoutError(f"a tensor map is 128 bytes, and these are {len(raw)}")
    ffi.memmove(map_, raw, len(raw))
    c = ffi.new("struct tmap_desc *")
    notes, found = ffi.new("struct tmap_note[]", _NOTES), ffi.new("size_t *")
    _native.must(lib.tmap_decode(map_, c, notes, _NOTES, found), "decode")
    return Decoded(Descriptor(c), [_note(notes[i]) for i in range(min(found[0], _NOTES))])


def _note(n: Any) -> Note:
    field = _native.text(n.field) + (f"[{n.index}]" if n.index >= 0 else "")
    return Note(_NOTE_KIND[n.kind], field, _native.text(n.text))


class Layout(NamedTuple):
    """What one copy moves and where it lands in shared memory. Shows itself as a picture in a
    notebook (where the build has jansson)."""

    descriptor: Descriptor
    tx_bytes: int  # completed on the barrier by one load
    footprint_bytes: int
    row_bytes: int
    pitch_bytes: int
    rows: int
    align_bytes: int
    pattern_bytes: int
    extent: Tuple[int, ...]  # elements moved per dimension, outermost first
    bank_conflicts: Tuple[int, ...]  # ways: by row, by column, 8 rows of 16 bytes, 16-byte vectors
    checker: Any

    def _repr_svg_(self) -> str:
        from ._reports import svg
        return svg(self.checker, self.descriptor)

    def swizzled(self, address: int) -> int:
        """The shared address at which the byte of an unswizzled one lands."""
        return int(lib.tmap_swizzle_address(self.descriptor._c.swizzle, address))


def layout(tensor: Any = None, box: Any = None, swizzle: Any = 0, *, contract: str = "safe",
           target: Optional[str] = None, cuda: Optional[str] = None, ptx: Optional[str] = None,
           driver: Optional[str] = None, **described: Any) -> Layout:
    """Where the box lies in shared memory. An illegal descriptor raises IllegalDescriptor."""
    d = describe(tensor, box, swizzle, **described)
    check(d, contract=contract, target=target, cuda=cuda, ptx=ptx, driver=driver).raise_if_illegal()
    checker = _native.checker_for(contract, cuda, ptx, driver, target)
    y, ways = ffi.new("struct tmap_layout *"), ffi.new("uint32_t *")
    _native.must(lib.tmap_layout(checker, d._c, y), "layout")
    conflicts = []
    for access in sorted(_native._enumerators("tmap_access")):
        _native.must(lib.tmap_bank_conflicts(checker, d._c, access, ways), "bank conflicts")
        conflicts.append(int(ways[0]))
    return Layout(d, y.tx_bytes, y.footprint_bytes, y.row_bytes, y.pitch_bytes, y.rows, y.align_bytes,
                  y.pattern_bytes, tuple(y.extent[0:d._rank()])[::-1], tuple(conflicts), checker)
