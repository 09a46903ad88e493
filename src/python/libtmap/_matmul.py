"""Matrix products of libtmap-cuda on tensors that lie on a device already: matmul()."""

from __future__ import annotations

import collections
import os
import sys
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _native, _tensor
from ._native import LayoutError, NotBuilt

_KINDS = {"bfloat16": 0, "float16": 1, "float32": 2, "float8_e4m3fn": 3, "float8_e5m2": 4, "int8": 5}
_OUTS = {"bfloat16": 0, "float16": 1, "float32": 2, "int32": 3}
_USUAL = ("bfloat16", "float16", "float32", "float32", "float32", "int32")  # what D is, by kind
_MOST_PLANS, _MOST_GROUPS = 512, 64
_lock = threading.Lock()
_suites: Dict[int, "_Suite"] = {}


def _dtype(t: Any) -> str:
    """The library's own name without the library's: float8 types have no tensor map of their own."""
    said = getattr(t, "dtype", None)
    return str(said if said is not None else _tensor.read(t).dtype).rsplit(".", 1)[-1].rstrip("'>")


class _Matrix(NamedTuple):
    """As struct tmap_gemm_matrix: rows of mn, or (mn_major) rows of k, in elements."""

    address: int
    ld: int
    batch_stride: int
    mn_major: bool
    batch: int
    rows: int
    columns: int


def _matrix(t: Any, what: str) -> _Matrix:
    """A matrix, or a batch of them, as it lies: one of its last two dimensions is contiguous."""
    read = _tensor.read(t)
    if not read.known:
        raise LayoutError(f"{what} is not on a device")
    if len(read.shape) not in (2, 3):
        raise LayoutError(f"{what} has {len(read.shape)} dimensions: matmul takes matrices, or batches of them")
    shape = (1, *(int(n) for n in read.shape))[-3:]
    strides = [int(s) // read.itemsize for s in read.strides]
    between = strides[0] if len(read.shape) == 3 and shape[0] > 1 else 0
    row, column = strides[-2:]
    rows, columns = shape[1:]
    by_row, by_column = column == 1 or columns == 1, row == 1 or rows == 1
    if by_row and not (by_column and columns == 1):
        return _Matrix(read.address, row if rows > 1 else _whole(columns), between, False, *shape)
    if by_column:
        return _Matrix(read.address, column if columns > 1 else _whole(rows), between, True, *shape)
    raise LayoutError(f"{what} has strides {tuple(strides)}: neither its rows nor its columns are contiguous")


def _whole(elements: int) -> int:
    """The distance to a second row that is not there: any legal one."""
    return (elements + 15) // 16 * 16


class _Refused(NotBuilt):
    """What the library says instead of a product: no kernels, no driver, no device, a failed launch."""

    def __init__(self, what: str, status: int) -> None:
        super().__init__(what)
        self.status = status


# --- the library ------------------------------------------------------------------------------


class _Library(NamedTuple):
    ffi: Any
    lib: Any


def _library() -> _Library:
    """libtmap-cuda, by LIBTMAP_CUDA or as the system finds it."""
    from ._gemm import ffi

    name = os.environ.get("LIBTMAP_CUDA", "libtmap-cuda.so.0")
    try:
        lib = ffi.dlopen(name)
    except OSError as error:
        raise NotBuilt(f"no libtmap-cuda ({error}): make install with CUDA, or say where it is in "
                       "LIBTMAP_CUDA") from None
    theirs = ffi.string(lib.tmap_version()).decode()
    if theirs != _native.version():  # struct layouts are read from the headers this was built with
        raise NotBuilt(f"{name} is {theirs}, and this package {_native.version()}")
    return _Library(ffi, lib)


class _Suite:
    """The kernels, loaded for one device; plans by what they were made of."""

    def __init__(self, device: int) -> None:
        self.ffi, self.lib = _library()
        how = self.ffi.new("struct tmap_open *", {"ordinal": device})
        out, why = self.ffi.new("struct tmap_gemm **"), self.ffi.new("char[256]")
        status = self.lib.tmap_gemm_open(how, out, why, 256)
        if status != _native.lib.TMAP_OK:
            raise _Refused(self.ffi.string(why).decode() or "no kernels for this device", status)
        self.suite = out[0]  # until the process ends: a plan may be in flight
        self.plans: "collections.OrderedDict[Any, Any]" = collections.OrderedDict()
        self.groups: "collections.OrderedDict[Any, Any]" = collections.OrderedDict()

    def plan(self, key: Tuple[Any, ...]) -> Any:
        plan = self.plans.get(key)
        if plan is None:
            plan = self.plans[key] = self._make(key)
            if len(self.plans) > _MOST_PLANS:
                self.plans.popitem(last=False)
        self.plans.move_to_end(key)
        return plan

    def _make(self, key: Tuple[Any, ...]) -> Any:
        plan, refusal = self.ffi.new("struct tmap_gemm_plan *"), self.ffi.new("struct tmap_gemm_refusal *")
        status = self.lib.tmap_gemm_make_plan(self.suite, self._problem(*key), self.ffi.NULL, plan, refusal)
        self.must(status, refusal)
        return plan

    def _problem(self, size: Tuple[int, ...], kind: int, out: int, a: _Matrix, b: _Matrix, c: _Matrix,
                 d: _Matrix, alpha: float, beta: float, precise: bool) -> Any:
        return self.ffi.new("struct tmap_gemm_problem *", {
            "kind": kind, "out": out, "m": size[0], "n": size[1], "k": size[2], "batch": size[3],
            "a": a[:4], "b": b[:4], "c": c[:4], "d": d[:4], "alpha": alpha, "beta": beta, "precise": precise})

    def group(self, members: Any, said: Tuple[Any, ...], like: Any) -> Any:
        """By its members and its stream (runs of one group must not overlap), with the device memory that
        holds their maps. The members are copied there at once, so whatever had that memory before must be
        done: a new group waits for the device."""
        key = (bytes(self.ffi.buffer(members)), *said)

        def make(memory: int) -> Any:
            _wait(like)
            return self._make_group(members, key, memory)

        return self._kept(key, len(members), like, make)

    def routed(self, key: Tuple[Any, ...], like: Any) -> Any:
        """By all that was said and its stream. Nothing is copied: its runs alone write its memory."""
        return self._kept(key, key[2][3], like, lambda memory: self._make_routed(key, memory))

    def _kept(self, key: Tuple[Any, ...], members: int, like: Any, make: Callable[[int], Any]) -> Any:
        with _lock:
            if key not in self.groups:
                room = _empty(like, (self.lib.tmap_gemm_group_bytes(members) + 128,), "uint8")
                self.groups[key] = (make((_tensor.read(room).address + 127) // 128 * 128), room)
                if len(self.groups) > _MOST_GROUPS:
                    self.groups.popitem(last=False)
            self.groups.move_to_end(key)
            return self.groups[key][0]

    def _make_group(self, members: Any, key: Tuple[Any, ...], memory: int) -> Any:
        _, out, kind, alpha, precise, _ = key
        like = self.ffi.new("struct tmap_gemm_problem *", {"kind": kind, "out": out, "batch": 1,
                                                           "alpha": alpha, "precise": precise})
        group, refusal = self.ffi.new("struct tmap_gemm_group *"), self.ffi.new("struct tmap_gemm_refusal *")
        self.must(self.lib.tmap_gemm_make_group(self.suite, like, members, len(members), memory,
                                                self.ffi.NULL, group, refusal), refusal)
        return group

    def _make_routed(self, key: Tuple[Any, ...], memory: int) -> Any:
        form, ends, *said = key[:-1]
        group, refusal = self.ffi.new("struct tmap_gemm_group *"), self.ffi.new("struct tmap_gemm_refusal *")
        how = self.ffi.new("struct tmap_gemm_routing *", {"form": form, "ends": ends})
        self.must(self.lib.tmap_gemm_make_routed(self.suite, self._problem(*said), how, memory, self.ffi.NULL,
                                                 group, refusal), refusal)
        return group

    def must(self, status: int, refusal: Any) -> None:
        if status == _native.lib.TMAP_OK:
            return
        said = self.ffi.string(refusal.text).decode()
        row = refusal.violation.row
        if status == _native.lib.TMAP_E_ILLEGAL:
            raise LayoutError(f"{refusal.operand.decode()}: {_native.RULE_ID[row]}: {said}")
        if status in (_native.lib.TMAP_E_ARGUMENT, _native.lib.TMAP_E_NO_PLAN):
            raise LayoutError(said or "there is no kernel for these types and layouts")
        raise _Refused(said or "the driver refused", status)


def _suite(device: int) -> _Suite:
    with _lock:
        if device not in _suites:
            _suites[device] = _Suite(device)
        return _suites[device]


# --- other libraries' devices, streams and memory ---------------------------------------------


def _library_of(t: Any) -> Any:
    """torch or cupy, which the tensor's own type has imported."""
    return sys.modules.get(type(t).__module__.split(".")[0])


def _device_of(t: Any) -> int:
    device = getattr(t, "device", None)
    number = getattr(device, "index", None)
    return int(number if number is not None else getattr(device, "id", 0))


def _stream_of(stream: Any, t: Any) -> int:
    """A CUstream as a number. None is the stream that the tensor's library is on."""
    if stream is None:
        library = _library_of(t)
        if hasattr(library, "cuda") and hasattr(library.cuda, "current_stream"):
            stream = library.cuda.current_stream(t.device)
        elif hasattr(library, "cuda") and hasattr(library.cuda, "get_current_stream"):
            stream = library.cuda.get_current_stream()
        else:
            return 0
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    return int(stream)


def _wait(like: Any) -> None:
    library = _library_of(like)
    if hasattr(library, "cuda") and hasattr(library.cuda, "synchronize"):
        library.cuda.synchronize(like.device)
    elif hasattr(library, "cuda") and hasattr(library.cuda, "Device"):
        library.cuda.Device(_device_of(like)).synchronize()


def _record(stream: Any, tensors: Sequence[Any]) -> None:
    """torch's allocator must not hand the memory out again before another stream is done with it."""
    if hasattr(stream, "cuda_stream"):
        for t in tensors:
            if hasattr(t, "record_stream"):
                t.record_stream(stream)


def _empty(like: Any, shape: Tuple[int, ...], dtype: str) -> Any:
    library = _library_of(like)
    if hasattr(like, "new_empty"):
        return like.new_empty(shape, dtype=getattr(library, dtype))
    if hasattr(library, "empty") and hasattr(library, "cuda"):
        return library.empty(shape, dtype=dtype)
    raise LayoutError(f"out= says where to store: {type(like).__name__} cannot make one")


# --- products ---------------------------------------------------------------------------------


def _kind_of(a: Any, b: Any) -> int:
    first, second = _dtype(a), _dtype(b)
    if first != second:
        raise LayoutError(f"the operands are {first} and {second}")
    if first not in _KINDS:
        raise LayoutError(f"no product of {first}; there are {', '.join(_KINDS)}")
    return _KINDS[first]


def _out_of(t: Any) -> int:
    name = _dtype(t)
    if name not in _OUTS:
        raise LayoutError(f"no product stores {name}; there are {', '.join(_OUTS)}")
    return _OUTS[name]


def _stored(t: Any, what: str, batch: int, m: int, n: int) -> _Matrix:
    x = _matrix(t, what)
    if (x.batch, x.rows, x.columns) != (batch, m, n):
        raise LayoutError(f"{what} is {x.batch} of {x.rows} x {x.columns}, not {batch} of {m} x {n}")
    return x


def _out_and_c(out: Any, c: Any, batch: int, m: int, n: int) -> Tuple[_Matrix, _Matrix]:
    d = _stored(out, "out", batch, m, n)
    e = d if c is None else _stored(c, "c", batch, m, n)
    if e.mn_major != d.mn_major or c is not None and _dtype(c) != _dtype(out):
        raise LayoutError("c lies as out does, in its type")
    return d, e


def _shape(a: Any, b: Any) -> Tuple[_Matrix, _Matrix, Tuple[int, int, int, int]]:
    """B is asked for as N rows of K, so its other dimension is the contiguous one of a k-major B."""
    x, y = _matrix(a, "a"), _matrix(b, "b")
    if x.columns != y.rows or x.batch != y.batch:
        raise LayoutError(f"{tuple(a.shape)} and {tuple(b.shape)} do not go together")
    return x, y._replace(mn_major=not y.mn_major), (x.rows, y.columns, x.columns, x.batch)


def matmul(a: Any, b: Any, *, out: Any = None, c: Any = None, alpha: float = 1.0, beta: float = 0.0,
           dtype: Optional[str] = None, precise: bool = True, stream: Any = None,
           device: Optional[int] = None, ends: Any = None) -> Any:
    """alpha a b + beta c on the tensor cores, in place of nothing: the tensors' own memory is read and
    written, on stream (None: the one that their library is on), and the call does not wait. a is M x K,
    b K x N, or batches of them; each may lie row by row or column by column. out is given or made, of
    dtype or the usual one (float32 of 8-bit types, int32 of int8). c with a beta is out unless given.
    precise: 8-bit floats are summed in fp32 every 128 of K. Lists of matrices are one launch (b column
    by column). ends, int32 on the device, cuts members out of a and b: of M x K and E x K x N rows of
    sorted tokens, of E x M x K and E x K x N the first so many rows of each, of M x K and K x N parts of K,
    for E x M x N; rows that nobody has are left as out was. No gradients. Raises LayoutError where a rule or a type stands against it, NotBuilt
    without libtmap-cuda or its kernels."""
    if isinstance(a, (list, tuple)):
        return _group(a, b, out, alpha, dtype, precise, stream, device)
    if ends is not None:
        return _routed(a, b, ends, out, c, (float(alpha), float(beta), bool(precise)), dtype, stream, device)
    x, y, size = _shape(a, b)
    kind = _kind_of(a, b)
    if out is None:
        shape = (size[0], size[1]) if len(a.shape) == 2 else (size[3], size[0], size[1])
        out = _empty(a, shape, dtype or _USUAL[kind])
    d, e = _out_and_c(out, c, size[3], size[0], size[1])
    suite = _suite(_device_of(a) if device is None else device)
    with _lock:
        plan = suite.plan((size, kind, _out_of(out), x, y, e, d, float(alpha), float(beta), bool(precise)))
    _run(suite, suite.lib.tmap_gemm_run, plan, stream, a)
    _record(stream, [t for t in (a, b, c, out) if t is not None])
    return out


def _run(suite: _Suite, call: Any, plan: Any, stream: Any, like: Any) -> None:
    handle = suite.ffi.cast("void *", _stream_of(stream, like))
    status = call(plan, handle)
    if status != _native.lib.TMAP_OK:
        raise _Refused("the launch failed", status)


def _group(a: Sequence[Any], b: Sequence[Any], out: Optional[Sequence[Any]], alpha: float,
           dtype: Optional[str], precise: bool, stream: Any, device: Optional[int]) -> List[Any]:
    """Products of their own sizes in one launch; the members' maps are made on the device."""
    if not a or len(a) != len(b):
        raise LayoutError("a group is as many matrices a as b, at least one")
    kind = _kind_of(a[0], b[0])
    outs = list(out) if out is not None else [
        _empty(x, (int(x.shape[0]), int(y.shape[1])), dtype or _USUAL[kind]) for x, y in zip(a, b)]
    suite = _suite(_device_of(a[0]) if device is None else device)
    ffi = suite.ffi
    members = ffi.new("struct tmap_gemm_member[]", len(a))
    for member, p, q, r in zip(members, a, b, outs):
        x, y, (m, n, k, _) = _shape(p, q)
        d = _stored(r, "out", 1, m, n)
        if _kind_of(p, q) != kind or x.mn_major or y.mn_major or d.mn_major:
            raise LayoutError("a group's members are of one type, a row by row and b column by column")
        member.m, member.n, member.k = m, n, k
        member.a, member.b, member.d, member.lda, member.ldb, member.ldd = \
            x.address, y.address, d.address, x.ld, y.ld, d.ld
    said = (_out_of(outs[0]), kind, float(alpha), bool(precise), _stream_of(stream, a[0]))
    group = suite.group(members, said, a[0])
    _run(suite, suite.lib.tmap_gemm_group_run, group, stream, a[0])
    _record(stream, [*a, *b, *outs])
    return outs


_FORMS = {(2, 3): 0, (3, 3): 1, (2, 2): 2}  # enum tmap_gemm_form, by the dimensions of a and b


def _members(ends: Any) -> Tuple[int, int]:
    """Where they lie, and how many there are."""
    read = _tensor.read(ends)
    if not read.known or _dtype(ends) != "int32" or len(read.shape) != 1 or \
            int(read.shape[0]) > 1 and int(read.strides[0]) != 4:
        raise LayoutError("ends is a vector of int32 on the device, one for each member")
    return read.address, int(read.shape[0])


def _routed(a: Any, b: Any, ends: Any, out: Any, c: Any, numbers: Tuple[float, float, bool],
            dtype: Optional[str], stream: Any, device: Optional[int]) -> Any:
    """Products whose sizes the device alone knows."""
    kind, form, (address, members) = _kind_of(a, b), _FORMS.get((len(a.shape), len(b.shape))), _members(ends)
    x, y = _matrix(a, "a"), _matrix(b, "b")
    batches = {0: (1, members), 1: (members, members), 2: (1, 1)}
    if form is None or x.columns != y.rows or (x.batch, y.batch) != batches[form]:
        raise LayoutError(f"{tuple(a.shape)} and {tuple(b.shape)} do not go together with {members} ends")
    m, n, batch = x.rows, y.columns, 1 if form == 0 else members
    if out is None:
        out = _empty(a, (m, n) if form == 0 else (batch, m, n), dtype or _USUAL[kind])
    d, e = _out_and_c(out, c, batch, m, n)
    suite = _suite(_device_of(a) if device is None else device)
    key = (form, address, (m, n, x.columns, members), kind, _out_of(out), x,
           y._replace(mn_major=not y.mn_major), e, d, *numbers, _stream_of(stream, a))
    _run(suite, suite.lib.tmap_gemm_group_run, suite.routed(key, a), stream, a)
    _record(stream, [t for t in (a, b, c, out, ends) if t is not None])
    return out


__all__ = ["matmul"]
