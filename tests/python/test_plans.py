"""repair, solve, prune, encode, decode, layout, condition, explain, from_log."""

import unittest

import libtmap
from support import TREE, demo_files, keywords, records, tmap

WIDE = dict(dtype="bf16", shape=(8192, 4096), box=(512, 64), swizzle="128B")
try:
    from libtmap import _isl  # noqa: F401
    ISL = True
except ImportError:
    ISL = False
try:
    from libtmap import _io  # noqa: F401
    IO = True
except ImportError:
    IO = False


class Plans(unittest.TestCase):
    def test_repair(self):
        plans = libtmap.repair(**WIDE)
        self.assertTrue(plans.minimal)
        self.assertEqual((plans[0].kind, plans[0].copies), ("free", 1))
        for plan in plans:
            self.assertTrue(libtmap.check(plan.descriptor))
            self.assertTrue(plan.steps)
        self.assertEqual(plans[0].coordinates(1024, 128), (4, 0, 128))

    def test_repairs_agree_with_the_command(self):
        seen = 0
        for path, words in demo_files():
            if "failures" not in path.parts:
                continue
            for record, answer in zip(records(path), tmap("repair", *words, "--format", "jsonl", path)):
                if answer.get("verdict") != "illegal" or record.get("uses"):
                    continue
                plans = libtmap.repair(record, **keywords(words))
                with self.subTest(path=path.name):
                    self.assertEqual(len(plans), len(answer["plans"]))
                    for mine, theirs in zip(plans, answer["plans"]):
                        self.assertEqual((mine.kind, mine.copies, mine.tx_bytes),
                                         (theirs["kind"], theirs.get("copies", 0), theirs.get("expect_tx", 0)))
                        if not mine.skip:
                            theirs["descriptor"].setdefault("name", None)
                            self.assertEqual({"name": None, **mine.descriptor.to_json()},
                                             theirs["descriptor"])
                seen += 1
        self.assertGreater(seen, 10)

    def test_solve(self):
        plans = libtmap.solve(dtype="bf16", shape=(8192, 4096), tile=(128, 64),
                              consumer="wgmma_k_major")
        self.assertEqual(plans[0].descriptor.swizzle, "128B")
        self.assertEqual((plans[0].instructions, plans[0].conflicts), (1, 0))
        none = libtmap.solve(dtype="fp64", shape=(8192, 4096), tile=(128, 16), consumer="tcgen05_k_major")
        self.assertEqual(list(none), [])
        self.assertTrue(none.reason)
        with self.assertRaises(libtmap.LayoutError):
            libtmap.solve(dtype="bf16", shape=(8, 8), tile=(8, 8), consumer="nobody")

    def test_prune(self):
        configs = [dict(BLOCK_M=128, BLOCK_N=128, BLOCK_K=64, num_stages=s, num_warps=8) for s in (3, 9)]
        fits, too_much = libtmap.prune(configs, m=4096, n=4096, k=4096)
        self.assertTrue(fits)
        self.assertEqual((too_much.verdict, too_much.rules), ("illegal", ["TMA181"]))
        self.assertEqual(libtmap.prune([], m=1, n=1, k=1), [])

    def test_bytes_agree_with_the_command(self):
        seen = 0
        for path, words in demo_files():
            if "failures" in path.parts:
                continue
            for record, answer in zip(records(path), tmap("encode", *words, "--format", "jsonl", path)):
                record.pop("uses", None)
                said = keywords(words)
                said.pop("contract", None)
                if "words" not in answer:
                    with self.assertRaisesRegex(libtmap.Error, "no source shows"):
                        libtmap.encode(record, **said)
                    continue
                words16 = [int(w, 0) for w in answer["words"]]
                data = libtmap.encode(record, **said)
                self.assertEqual(data, b"".join(w.to_bytes(8, "little") for w in words16))
                back = libtmap.decode(data).descriptor
                self.assertEqual(libtmap.decode(words16).descriptor.to_json(), back.to_json())
                self.assertEqual(back.shape, libtmap.check(record, **said).descriptor.shape)
                seen += 1
        self.assertGreater(seen, 300)

    def test_bytes_need_an_address_and_a_legal_descriptor(self):
        with self.assertRaises(libtmap.LayoutError):
            libtmap.encode(dtype="bf16", shape=(64, 64), box=(64, 64))
        with self.assertRaises(libtmap.IllegalDescriptor):
            libtmap.encode(**WIDE, address=0x7F0000000000)
        with self.assertRaises(libtmap.LayoutError):
            libtmap.decode(b"short")

    def test_layout(self):
        y = libtmap.layout(dtype="bf16", shape=(8192, 4096), box=(128, 64), swizzle="128B")
        self.assertEqual((y.tx_bytes, y.row_bytes, y.rows, y.extent), (16384, 128, 128, (128, 64)))
        self.assertEqual(y.swizzled(128), 144)
        with self.assertRaises(libtmap.IllegalDescriptor):
            libtmap.layout(**WIDE)

    @unittest.skipUnless(IO, "built without jansson")
    def test_pictures_rules_and_logs(self):
        y = libtmap.layout(dtype="bf16", shape=(8192, 4096), box=(128, 64), swizzle="128B")
        self.assertTrue(y._repr_svg_().startswith("<svg"))
        violation = libtmap.check(**WIDE).violations[0]
        rule = libtmap.explain(violation)
        self.assertEqual((rule.id, libtmap.explain(rule.name).id), ("TMA025", "TMA025"))
        self.assertIn(rule.why, str(rule))
        with self.assertRaises(libtmap.LayoutError):
            libtmap.explain("TMA999")
        log = (TREE / "tests/golden/check-from-triton/in.log").read_text()
        logged = libtmap.from_log(log, "triton")
        seen = libtmap.from_log(log)
        self.assertEqual([(e.line, e.error) for e in seen], [(e.line, e.error) for e in logged])
        self.assertEqual([x.result.verdict for x in logged], ["illegal"] * len(logged))
        self.assertTrue(logged)
        self.assertTrue(libtmap.from_log("nothing here", "cutlass")[0].error)
        rules = libtmap.from_log("TMA: at most 5 dimensions.\n\nThe box must be at most 256 for TMA.\n\nIts stride is not "
                                 "a multiple of 16 bytes for TMA.\n\nShared memory must be aligned to 128 bytes for TMA.")
        self.assertGreater(len(rules[0].error), 256)  # longer than what it names first
        line, = libtmap.from_log("globalDim (64, 64) globalStrides (128) boxDim (64, 64) dtype: BFLOAT16 swizzle: 3")
        self.assertEqual((line.result.verdict, line.result.assumed), ("legal", ("address",)))
        b200 = "On a B200: globalDim (4096, 64) globalStrides (2048) boxDim (256, 32) dtype: 13 swizzle: 3"
        self.assertEqual([libtmap.from_log(b200)[0].result.verdict,
                          libtmap.from_log(b200, target="sm_90a")[0].result.verdict], ["legal", "illegal"])
        part, = libtmap.from_log("TensorDescriptor(x, [M, K], [K, 1], [64, 4])\nx = torch.empty(M, K, dtype=torch.float16)")
        self.assertEqual((part.result.verdict, part.result.rules), ("illegal", ["TMA026"]))
        self.assertIn("dim", part.error)
        for line in libtmap.from_log("TensorDescriptor(x, [M, K], [K, 1], [64, 64])"):
            self.assertIsNone(line.result)

    @unittest.skipUnless(ISL, "built without isl")
    def test_python_conditions(self):
        c = libtmap.condition(dtype="fp8", shape=("M", "K"), box=(128, 128), swizzle="128B",
                              assume=["1 <= K <= 65536", "1 <= M <= 65536"])
        self.assertEqual((c.verdict, c.formula), ("illegal", "K % 16 = 0"))
        self.assertTrue(c.guard(M=7, K=32))
        self.assertFalse(c.guard(M=7, K=33))
        space = {}
        exec(str(c.guard), space)
        for k in (1, 16, 31, 4096):
            self.assertEqual(bool(space["legal"](k, 5)), c.guard(K=k, M=5))
            self.assertEqual(bool(libtmap.check(dtype="fp8", shape=(5, k), box=(128, 128),
                                                swizzle="128B")), c.guard(K=k, M=5))
        self.assertFalse(c.guard(**c.counterexample))
        self.assertIn("int legal(", c.guard.c)
        self.assertIn("16", c.padding)
        with self.assertRaises(libtmap.Error):
            libtmap.condition(dtype="fp8", shape=("M +", "K"), box=(1, 16))
        with self.assertRaises(libtmap.LayoutError):
            c.guard(K=1)

    @unittest.skipIf(ISL, "built with isl")
    def test_without_isl_it_says_so(self):
        with self.assertRaisesRegex(libtmap.NotBuilt, "libisl-dev"):
            libtmap.condition(dtype="fp8", shape=("M", "K"), box=(1, 16))
