"""The compiled library, its names, its targets and its errors."""

from __future__ import annotations

import functools
from typing import Any, Dict, Optional, Tuple

from ._core import ffi, lib

__all__ = ["Error", "NotBuilt", "LayoutError", "checker_for", "ffi", "lib", "text", "version"]

UNSUPPORTED_TARGET = lib.TMAP_E_TARGET


class Error(Exception):
    """A call that the library refused: misuse, or a lack of room. Illegal is an answer, not an error."""

    def __init__(self, status: int, what: str) -> None:
        name = _STATUS.get(status, str(status)).removeprefix("TMAP_E_")
        super().__init__(f"{what}: {name.lower()}")
        self.status = status


class NotBuilt(Error):
    """A part that this build lacks, such as isl."""

    def __init__(self, what: str) -> None:
        Exception.__init__(self, what)
        self.status = lib.TMAP_E_NOT_BUILT


class LayoutError(ValueError):
    """A tensor or an argument that no tensor map can say, whatever the target."""


def _enumerators(name: str) -> Dict[int, str]:
    return dict(ffi.typeof(f"enum {name}").elements)


_STATUS = _enumerators("tmap_status")


def must(status: int, what: str) -> None:
    if status != lib.TMAP_OK:
        raise Error(status, what)


def text(pointer: Any) -> str:
    """A C string that the library owns; "" for NULL."""
    return ffi.string(pointer).decode() if pointer else ""


def version() -> str:
    return text(lib.tmap_version())


# --- names ------------------------------------------------------------------------------------


class Names:
    """One enumeration: CUDA's names without their prefix, other programs' names, raw integers."""

    def __init__(self, what: str, prefix: str, canonical: Dict[int, str], spoken: Dict[str, int]):
        self.what = what
        self.canonical = canonical
        self._prefix = prefix.lower()
        self._values: Dict[str, int] = {name.lower(): value for name, value in spoken.items()}
        self._seen: Dict[Any, int] = {}

    def value(self, name: Any) -> int:
        try:
            return self._seen[name]
        except (KeyError, TypeError):
            return self._find(name)

    def _find(self, name: Any) -> int:
        if isinstance(name, int) and not isinstance(name, bool):
            return int(name)
        said = "NONE" if name is None else str(name)
        key = said.lower().replace("torch.", "").replace(self._prefix, "")
        if key.isdigit() and key + "b" in self._values:  # "128" for "128B"; the number 128 is CUDA's value
            key += "b"
        if key not in self._values:
            raise LayoutError(f"there is no {self.what} {said!r}; there are "
                              + ", ".join(self.canonical.values()))
        try:
            self._seen[name] = self._values[key]
        except TypeError:
            pass
        return self._values[key]

    def name(self, value: int) -> Any:
        """The name of a value; the value itself where it has none."""
        return self.canonical.get(value, value)


def _names(what: str, prefix: str, table: Any) -> Names:
    canonical: Dict[int, str] = {}
    spoken: Dict[str, int] = {}
    i = 0
    while table[i].text:
        name, value = text(table[i].text), table[i].value
        canonical.setdefault(value, name)
        spoken.setdefault(name, value)
        i += 1
    return Names(what, prefix, canonical, spoken)


def _from_enum(what: str, enum: str, prefix: str) -> Names:
    canonical = {value: name[len(prefix):].lower() for value, name in _enumerators(enum).items()}
    return Names(what, prefix, canonical, {name: value for value, name in canonical.items()})


DTYPE = _names("dtype", "CU_TENSOR_MAP_DATA_TYPE_", lib.libtmap_dtypes)
SWIZZLE = _names("swizzle", "CU_TENSOR_MAP_SWIZZLE_", lib.libtmap_swizzles)
INTERLEAVE = _names("interleave", "CU_TENSOR_MAP_INTERLEAVE_", lib.libtmap_interleaves)
L2_PROMOTION = _names("l2_promotion", "CU_TENSOR_MAP_L2_PROMOTION_", lib.libtmap_promotions)
for _value, _name in list(L2_PROMOTION.canonical.items()):  # CUDA's "L2_128B" is "128B" here
    L2_PROMOTION.canonical[_value] = _name.removeprefix("L2_")
    L2_PROMOTION._values[_name.removeprefix("L2_").lower()] = _value
OOB_FILL = _names("oob_fill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_", lib.libtmap_fills)
OOB_FILL._values.update({"zero": lib.TMAP_OOB_NONE, "nan_request_zero_fma": lib.TMAP_OOB_NAN})
MODE = _names("mode", "CU_TENSOR_MAP_IM2COL_WIDE_MODE_", lib.libtmap_modes)
KIND = _from_enum("kind", "tmap_kind", "TMAP_")
OP = _from_enum("operation", "tmap_use_op", "TMAP_OP_")
CONSUMER = _from_enum("consumer", "tmap_consumer", "TMAP_CONSUMER_")
MAJOR = Names("major", "", {lib.TMAP_K_MAJOR: "k", lib.TMAP_MN_MAJOR: "mn"},
              {"k": lib.TMAP_K_MAJOR, "mn": lib.TMAP_MN_MAJOR})
REPLACE_FIELD = _from_enum("field", "tmap_replace_field", "TMAP_REPLACE_")
CONTRACT = _from_enum("contract", "tmap_contract", "TMAP_CONTRACT_")
VERDICT = {value: name[5:].lower() for value, name in _enumerators("tmap_verdict").items()}
BASIS = {value: name[5:].lower() for value, name in _enumerators("tmap_basis").items()}


def _bits() -> Dict[int, Tuple[int, int]]:
    """dtype -> bits of an element in shared and in global memory."""
    out: Dict[int, Tuple[int, int]] = {}
    i = 0
    while lib.libtmap_dtypes[i].text:
        row = lib.libtmap_dtypes[i]
        if row.gmem_bits:
            out[row.value] = (row.smem_bits, row.gmem_bits)
        i += 1
    return out


BITS = _bits()


# --- targets ----------------------------------------------------------------------------------


def _arch_of(name: str) -> str:
    """The architecture of a GPU's name, "B200"; any other name as it is, as without src/io."""
    try:
        from ._io import lib as io
    except ImportError:
        return name
    return text(io.libtmap_gpu(name.encode())) or name


@functools.lru_cache(maxsize=256)
def checker_for(contract: str = "safe", cuda: Optional[str] = None, ptx: Optional[str] = None,
                driver: Optional[str] = None, arch: Optional[str] = None) -> Any:
    """A prepared checker: a value, shared by all threads. Raises LayoutError for unreadable text."""
    target = ffi.new("struct tmap_target *")
    said = [None if x is None else str(x) for x in (cuda, ptx, driver, arch)]
    if said[3] is not None and not lib.tmap_arch_find(said[3].encode()):
        said[3] = _arch_of(said[3])
    status = lib.tmap_target_from(*[ffi.NULL if x is None else x.encode() for x in said], target)
    if status == lib.TMAP_E_TARGET:
        raise LayoutError(f"there is no architecture {said[3]!r}")
    if status != lib.TMAP_OK:
        raise LayoutError(f"no target: cuda={said[0]}, ptx={said[1]}, driver={said[2]}, arch={said[3]}")
    out = ffi.new("struct tmap_checker *")
    must(lib.tmap_checker_prepare(target, CONTRACT.value(contract), out), "checker")
    return out


def target_text(checker: Any) -> str:
    t = checker.target
    return (f"CUDA {t.cuda // 100}.{t.cuda % 100}, PTX {t.ptx // 10}.{t.ptx % 10}, driver {t.driver}, "
            + text(lib.tmap_arch_name(t.arch)))


# --- rules ------------------------------------------------------------------------------------

RULE_ID = [text(lib.tmap_row_id(i)) for i in range(lib.tmap_row_count())]
RULE_NAME = [text(lib.tmap_row_name(i)) for i in range(lib.tmap_row_count())]
