"""repair(), solve() and prune(): what would be legal."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import _native
from ._descriptor import Descriptor, describe
from ._native import LayoutError, ffi, lib

_MOST_PLANS = 16
_REASON = 160


class Plan:
    """One way to make the copy legal: the descriptor, and how a kernel's coordinates change."""

    def __init__(self, c: Any) -> None:
        self._c = c
        self.descriptor = Descriptor(ffi.new("struct tmap_desc *", c.desc))

    @property
    def kind(self) -> str:
        """ "free": no byte of the tensor moves; "padding": it is copied once; "decision"."""
        return _native.text(lib.tmap_plan_kind_name(self._c.cost.kind))

    @property
    def skip(self) -> bool:
        """Nothing is there to be copied: launch nothing."""
        return bool(self._c.skip)

    @property
    def copies(self) -> int:
        return int(self._c.copies)

    @property
    def tx_bytes(self) -> int:
        """Of all copies of a tile together: what the barrier must expect."""
        return int(self._c.tx_bytes)

    @property
    def allocation_bytes(self) -> int:
        return int(self._c.allocation_bytes)

    @property
    def cost(self) -> Dict[str, int]:
        cost = self._c.cost
        return {name: int(getattr(cost, name)) for name, _ in ffi.typeof("struct tmap_cost").fields
                if name != "kind"}

    @property
    def steps(self) -> List[str]:
        text = ffi.new("char[]", 256)
        out = []
        for i in range(self._c.step_count):
            lib.tmap_plan_step_text(self._c.step + i, text, 256)
            out.append(_native.text(text))
        return out

    def coordinates(self, *coord: int, copy: int = 0) -> Tuple[int, ...]:
        """Where copy number `copy` of the tile at these coordinates (outermost first) starts."""
        given = list(coord)[::-1] + [0] * (lib.TMAP_MAX_RANK - len(coord))
        out = ffi.new("int64_t[]", lib.TMAP_MAX_RANK)
        lib.tmap_plan_coords(ffi.addressof(self._c), ffi.new("int64_t[]", given), copy, out)
        return tuple(out[0:self.descriptor.rank])[::-1]

    def __repr__(self) -> str:
        return f"<{self.kind}, {self.copies} copies: {'; '.join(self.steps)}>"


class Plans(List[Plan]):
    """Best first. `minimal`: nothing cheaper exists; `reason` says why there is none."""

    minimal = False
    reason = ""


def repair(tensor: Any = None, box: Any = None, swizzle: Any = 0, *, plans: int = 3,
           op: str = "load", keep_swizzle: bool = False, no_copy: bool = False,
           no_im2col: bool = False, contract: str = "safe", target: Optional[str] = None,
           cuda: Optional[str] = None, ptx: Optional[str] = None, driver: Optional[str] = None,
           **described: Any) -> Plans:
    """Ranked plans that make an illegal descriptor legal; what check() takes, or its result's
    descriptor. Milliseconds."""
    d = describe(tensor, box, swizzle, **described)
    checker = _native.checker_for(contract, cuda, ptx, driver, target)
    request = ffi.new("struct tmap_request *")
    request.op = _native.OP.value(op)
    request.keep_swizzle, request.no_copy, request.no_im2col = keep_swizzle, no_copy, no_im2col
    if not 1 <= plans <= _MOST_PLANS:
        raise LayoutError(f"plans is 1 to {_MOST_PLANS}")
    found = ffi.new("struct tmap_plan[]", plans)
    report = ffi.new("struct tmap_repair_report *")
    status = lib.tmap_repair(checker, d._c, request, *_workspace(), found, plans, report, ffi.NULL)
    if status not in (lib.TMAP_OK, lib.TMAP_E_NO_PLAN):
        _native.must(status, "repair")
    out = Plans(Plan(ffi.new("struct tmap_plan *", found[i])[0]) for i in range(report.found))
    out.minimal = bool(report.closed and report.found)
    out.reason = _native.text(report.reason)
    return out


def _workspace() -> Tuple[Any, int]:
    """Fresh for each call, so that threads share nothing."""
    size = int(lib.TMAP_REPAIR_WORKSPACE)
    return ffi.new("uint64_t[]", size // 8), size


# --- synthesis --------------------------------------------------------------------------------


class TilePlan(Plan):
    """A plan of solve(), with what ranks it."""

    def __init__(self, c: Any) -> None:
        super().__init__(c.plan)
        self._owner = c
        self.instructions = int(c.instructions)
        self.conflicts = int(c.conflicts)
        self.shared_bytes = int(c.shared_bytes)


def solve(tensor: Any = None, tile: Optional[Sequence[int]] = None, *, op: str = "load",
          consumer: Optional[str] = None, multicast: int = 0, plans: int = 1, contract: str = "safe",
          target: Optional[str] = None, cuda: Optional[str] = None, ptx: Optional[str] = None,
          driver: Optional[str] = None, **described: Any) -> Plans:
    """The best descriptors and copies for a tile of this tensor. consumer: who reads it
    ("ldmatrix", "wgmma_k_major", "wgmma_mn_major", "tcgen05_k_major", ...)."""
    if tile is None:
        raise LayoutError("give the tile")
    d = describe(tensor, [1] * len(tile), **described)
    checker = _native.checker_for(contract, cuda, ptx, driver, target)
    request = ffi.new("struct tmap_tile_request *")
    request.tensor = d._c[0]
    inner_first = list(tile) if described.get("order") == "cuda" else list(tile)[::-1]
    request.tile = inner_first
    request.op, request.multicast = _native.OP.value(op), multicast
    request.consumer, request.major = _consumer(consumer)
    found, count = ffi.new("struct tmap_tile_plan[]", plans), ffi.new("size_t *")
    reason = ffi.new("char[]", _REASON)
    status = lib.tmap_solve(checker, request, *_workspace(), found, plans, count, reason,
                            _REASON)
    if status not in (lib.TMAP_OK, lib.TMAP_E_NO_PLAN):
        _native.must(status, "solve")
    n = count[0] if status == lib.TMAP_OK else 0
    out = Plans(TilePlan(ffi.new("struct tmap_tile_plan *", found[i])[0]) for i in range(n))
    out.reason = "" if n else _native.text(reason)
    return out


def _consumer(said: Optional[str]) -> Tuple[int, int]:
    consumer, major = ffi.new("uint32_t *"), ffi.new("uint32_t *")
    names, i = [], 0
    while lib.tmap_consumer_at(i, consumer, major):
        names.append(_native.text(lib.tmap_consumer_name(consumer[0], major[0])))
        if names[-1] == (said or "none"):
            return consumer[0], major[0]
        i += 1
    raise LayoutError(f"there is no consumer {said!r}; there are {', '.join(names)}")


# --- configurations ---------------------------------------------------------------------------


class Judged(NamedTuple):
    """One kernel configuration. Rules are why it cannot exist; the rest is the model's."""

    config: Any  # as it was given
    verdict: str
    rules: List[str]
    shared_bytes: int
    max_stages: int
    registers: int
    time_us: float  # a roofline's, with nominal rates: it orders, and decides nothing

    def __bool__(self) -> bool:
        return self.verdict == "legal"


_KEYS = {"block_m": ("BLOCK_M", "BLOCK_SIZE_M", "block_m"), "block_n": ("BLOCK_N", "BLOCK_SIZE_N", "block_n"),
         "block_k": ("BLOCK_K", "BLOCK_SIZE_K", "block_k"), "stages": ("num_stages", "stages"),
         "warps": ("num_warps", "warps")}


def _words(config: Any) -> Mapping[str, Any]:
    """A mapping, or a triton.Config."""
    if isinstance(config, Mapping):
        return config
    return {**config.kwargs, "num_stages": config.num_stages, "num_warps": config.num_warps}


def _model(name: str) -> int:
    for i in range(lib.TMAP_MODEL_COUNT):
        if _native.text(lib.tmap_model_name(i)) == name:
            return i
    raise LayoutError(f"there is no model {name!r}")


def prune(configs: Iterable[Any], *, m: int, n: int, k: int, dtype: Any = "bf16",
          out_dtype: Any = None, model: str = "ring", target: Optional[str] = None,
          cuda: Optional[str] = None, ptx: Optional[str] = None,
          driver: Optional[str] = None) -> List[Judged]:
    """Which configurations of a matrix product can exist: mappings with BLOCK_M, BLOCK_N, BLOCK_K,
    num_stages, num_warps, or triton.Config. Nothing but what cannot exist is called illegal.
    model: "ring" (one buffer of A and B a stage) or "triton"."""
    listed = list(configs)
    checker = _native.checker_for("safe", cuda, ptx, driver, target)
    problem = ffi.new("struct tmap_problem *")
    problem.m, problem.n, problem.k = m, n, k
    problem.dtype = _native.DTYPE.value(dtype)
    problem.out_dtype = problem.dtype if out_dtype is None else _native.DTYPE.value(out_dtype)
    problem.model = _model(model)
    given = ffi.new("struct tmap_config[]", max(len(listed), 1))
    for i, config in enumerate(listed):
        words = _words(config)
        for member, names in _KEYS.items():
            said = next((name for name in names if name in words), None)
            if said is None:
                raise LayoutError(f"configuration {i} has no {names[0]}")
            setattr(given[i], member, words[said])
    answers = ffi.new("struct tmap_config_answer[]", max(len(listed), 1))
    _native.must(lib.tmap_prune(checker, problem, given, len(listed), answers), "prune")
    return [_judged(listed[i], answers[i]) for i in range(len(listed))]


def _judged(config: Any, a: Any) -> Judged:
    return Judged(config, _native.VERDICT[a.verdict],
                  [_native.RULE_ID[a.rows[r]] for r in range(a.row_count)], int(a.shared_bytes),
                  int(a.max_stages), int(a.registers), float(a.time_us))
