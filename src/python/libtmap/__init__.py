"""libtmap: is this TMA tensor map legal, why not, and what would be?

    import libtmap
    r = libtmap.check(tensor, box=(128, 64), swizzle="128B")
    if not r: print(r)                     # every violated rule, and the nearest legal values
"""

from ._bytes import Decoded, Layout, decode, encode, layout
from ._check import IllegalDescriptor, Result, Violation, check
from ._descriptor import Descriptor, Use, describe
from ._emulate import Emulated, Finding, TensorMap, emulate
from ._matmul import matmul
from ._native import Error, LayoutError, NotBuilt, version
from ._plans import Judged, Plan, Plans, TilePlan, prune, repair, solve
from ._reports import Logged, Rule, explain, from_log
from ._symbolic import Condition, Guard, condition

__version__ = version()
__all__ = [
    "Condition", "Decoded", "Descriptor", "Emulated", "Error", "Finding", "Guard", "IllegalDescriptor",
    "Judged", "Layout", "LayoutError", "Logged", "NotBuilt", "Plan", "Plans", "Result", "Rule",
    "TensorMap", "TilePlan", "Use", "Violation", "check", "condition", "decode", "describe", "emulate",
    "encode", "explain", "from_log", "layout", "matmul", "prune", "repair", "solve", "version",
]
