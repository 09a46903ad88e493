"""libtmap.dask on a cluster of processes, one of which dies in the middle of its part."""

import json
import os
import pathlib
import signal
import tempfile
import unittest

import libtmap
from test_tensors import wheel

SPACE = {"BLOCK_M": [64, 128, 256], "BLOCK_N": [64, 128, 256], "BLOCK_K": [32, 64], "num_stages": [2, 3, 4, 5],
         "num_warps": [4, 8]}
SAID = dict(m=4096, n=4096, k=4096, dtype="bf16", model="triton")


def dies_once(marker, space, said, part, parts):
    """The first time that part 2 is done, its worker is killed."""
    from libtmap import dask
    if part == 2 and not pathlib.Path(marker).exists():
        pathlib.Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return dask._prune_part(space, said, part, parts)


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lacking = None
        try:
            distributed = wheel("distributed")
        except unittest.SkipTest as reason:
            cls.lacking = str(reason)
            return
        cls.cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                               dashboard_address=None)
        cls.client = distributed.Client(cls.cluster)

    @classmethod
    def tearDownClass(cls):
        if not cls.lacking:
            cls.client.close()
            cls.cluster.close()

    def setUp(self):
        if self.lacking:
            self.skipTest(self.lacking)

    def test_a_space_over_a_cluster(self):
        import libtmap.dask
        whole = libtmap.dask._prune_part(SPACE, SAID, 0, 1)
        self.assertEqual(len(whole), 144)
        self.assertEqual(len({v.verdict for _, v in whole}), 2)
        for parts in (1, 7, 64, 200):
            self.assertEqual(libtmap.dask.prune(self.client, SPACE, parts=parts, **SAID), whole)

    def test_a_worker_that_dies(self):
        import libtmap.dask
        whole = libtmap.dask._prune_part(SPACE, SAID, 0, 1)
        with tempfile.TemporaryDirectory() as d:
            marker = os.path.join(d, "died")
            each = [(marker, SPACE, SAID, i, 7) for i in range(7)]
            got = libtmap.dask._gather(self.client, dies_once, each, 3)
            self.assertTrue(os.path.exists(marker))
        self.assertEqual(got, whole)

    def test_a_corpus_in_parquet(self):
        pa, parquet = wheel("pyarrow"), wheel("pyarrow.parquet")
        import libtmap.dask
        rows = [json.dumps({"dtype": "bf16", "address": 0, "dim": [64, 8], "stride": [128 + i % 3 * 8],
                            "box": [64, 8]}) for i in range(100)]
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "corpus.parquet")
            parquet.write_table(pa.table({"descriptor": rows}), path, row_group_size=13)
            got = libtmap.dask.check_parquet(self.client, path)
        want = [libtmap.check(json.loads(row)) for row in rows]
        self.assertEqual([g.verdict for g in got], [w.verdict for w in want])
        self.assertEqual({g.rules for g in got}, {(), ("TMA014",)})
