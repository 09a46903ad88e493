"""What the validators' adapters share: a case of the suite in numbers."""

import ctypes
import json
import os
import pathlib
import re

TREE = pathlib.Path(__file__).resolve().parents[3]


def stand_in():
    """The driver that accepts everything (driver.c), loaded under the name that all look for. After the
    imports: some ask a driver how many devices there are when they are imported."""
    return ctypes.CDLL(os.environ["STAND_IN"], mode=ctypes.RTLD_GLOBAL)


def number(x):
    return int(x, 0) if isinstance(x, str) else int(x)


def enum(table, name):
    """The value of a name in src/rules/enums.def; a raw integer is itself."""
    return NAMES[table].get(name) if isinstance(name, str) and name in NAMES[table] else number(name)


def _names():
    out = {}
    for line in (TREE / "src/rules/enums.def").read_text().splitlines():
        match = re.match(r'([A-Z0-9_]+)\((\w+), *"([^"]+)", *(\d+)', line)
        if match:
            out.setdefault(match[1], {})[match[3]] = int(match[4])
    out["L2_PROMOTION"].update({k.removeprefix("L2_"): v for k, v in list(out["L2_PROMOTION"].items())})
    return out


NAMES = _names()
BYTES = {0: 1, 1: 2, 2: 4, 3: 4, 4: 8, 5: 8, 6: 2, 7: 4, 8: 8, 9: 2, 10: 4, 11: 4, 12: 4}


class Tiled:
    """A tiled case, or None where it is another or names no arrays."""

    def __init__(self, case):
        c = case["case"]
        self.dtype, self.rank = enum("DTYPE", c["dtype"]), c["rank"]
        self.address = number(c["address"] or 0)
        self.dim = [number(n) for n in c["dim"]]
        self.stride = [number(n) for n in c["stride"]]
        self.box = [number(n) for n in c["box"]]
        self.elem_stride = [number(n) for n in c["elem_stride"]]
        self.interleave = enum("INTERLEAVE", c["interleave"])
        self.swizzle = enum("SWIZZLE", c["swizzle"])
        self.l2 = enum("L2_PROMOTION", c["l2_promotion"])
        self.oob = enum("OOB_FILL", c["oob_fill"])


def tiled(case):
    c = case["case"]
    arrays = ("dim", "stride", "box", "elem_stride")
    if c["kind"] != "tiled" or any(c.get(k) is None for k in arrays) or "map_address" in c:
        return None
    if not 1 <= c["rank"] <= 5:
        return None  # arrays of another length: no interface takes them
    return Tiled(case)


__all__ = ["BYTES", "NAMES", "TREE", "enum", "json", "number", "stand_in", "tiled"]
