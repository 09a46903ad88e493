"""Spaces of configurations and corpora of descriptors over a cluster, by Dask.

    from dask.distributed import Client
    judged = libtmap.dask.prune(Client(address), {"BLOCK_M": [64, 128], ...}, m=8192, n=8192, k=8192)
    verdicts = libtmap.dask.check_parquet(client, "descriptors.parquet")

The work is cut into contiguous parts, whose answers are put together in their order: the same for any number of
parts and workers. Dask gives the part of a worker that dies to another one.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple

from . import _plans
from ._check import check


class Verdict(NamedTuple):
    verdict: str
    rules: Tuple[str, ...]


def _range(size: int, part: int, parts: int) -> range:
    return range(size * part // parts, size * (part + 1) // parts)


def _gather(client: Any, work: Callable[..., List[Any]], each: Sequence[Tuple[Any, ...]], retries: int) -> List[Any]:
    futures = [client.submit(work, *arguments, pure=False, retries=retries) for arguments in each]
    return [answer for part in client.gather(futures) for answer in part]


# --- a space of configurations ----------------------------------------------------------------


def _config(space: Mapping[str, Sequence[Any]], number: int) -> Dict[str, Any]:
    """The number-th configuration: the last dimension varies fastest, as in tmap prune."""
    out: Dict[str, Any] = {}
    for name in reversed(list(space)):
        number, at = divmod(number, len(space[name]))
        out[name] = space[name][at]
    return {name: out[name] for name in space}


def _prune_part(space: Mapping[str, Sequence[Any]], said: Mapping[str, Any], part: int, parts: int) -> List[Any]:
    size = 1
    for values in space.values():
        size *= len(values)
    configs = [_config(space, i) for i in _range(size, part, parts)]
    return [(j.config, Verdict(j.verdict, tuple(j.rules))) for j in _plans.prune(configs, **said)] if configs else []


def prune(client: Any, space: Mapping[str, Sequence[Any]], *, parts: int = 64, retries: int = 3,
          **said: Any) -> List[Tuple[Dict[str, Any], Verdict]]:
    """Every configuration of the space with its verdict, in the space's order. said: as libtmap.prune()'s."""
    return _gather(client, _prune_part, [(dict(space), said, i, parts) for i in range(parts)], retries)


# --- a corpus in Parquet ----------------------------------------------------------------------


def _check_group(path: str, column: str, said: Mapping[str, Any], group: int) -> List[Verdict]:
    import pyarrow.parquet as parquet

    texts = parquet.ParquetFile(path).read_row_group(group, columns=[column]).column(0).to_pylist()
    results = [check(json.loads(text), **said) for text in texts]
    return [Verdict(r.verdict, tuple(r.rules)) for r in results]


def check_parquet(client: Any, path: str, *, column: str = "descriptor", retries: int = 3,
                  **said: Any) -> List[Verdict]:
    """Of a file whose column holds descriptors as JSON: a verdict for each row, a row group being a part. The
    workers read the file themselves. said: as libtmap.check()'s target, cuda, contract, ..."""
    import pyarrow.parquet as parquet

    groups = parquet.ParquetFile(path).num_row_groups
    return _gather(client, _check_group, [(path, column, said, i) for i in range(groups)], retries)


__all__ = ["Verdict", "check_parquet", "prune"]
