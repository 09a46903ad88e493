"""libtmap.triton.emulate: Triton's kernels for GPUs that are not here, on the CPU."""

import os
import tempfile
import unittest

import libtmap
from test_tensors import wheel


def _is_unfenced_init(f):
    """Triton lets a copy signal a barrier that no fence.mbarrier_init or fence.proxy.async follows; PTX
    asks for one, no GPU was seen to."""
    return f.kind == "proxy" and "no fence follows its mbarrier.init" in f.text


def _is_early_read(f):
    """Triton 3.9 reads the registers of a tcgen05.ld before tcgen05.wait::ld; PTX has them undefined until then,
    so that only the schedule in which each load is done at once gives the product."""
    return f.kind == "race" and "no tcgen05.wait::ld lies between" in f.text


class Emulated(unittest.TestCase):
    def setUp(self):
        self.np = wheel("numpy")
        wheel("triton")
        os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp())
        import libtmap.triton
        import triton_kernels
        self.kernels, self.emulate = triton_kernels, libtmap.triton.emulate
        self.random = self.np.random.default_rng(1)

    def test_a_sum_of_vectors(self):
        x = self.random.standard_normal(1000, dtype="float32")
        y, out = x[::-1].copy(), self.np.zeros_like(x)
        for target in ("sm_90a", "B200", "sm_120a"):
            out[:] = 0
            run = self.emulate(self.kernels.add, 8, (x, y, out, 1000), BLOCK=128, target=target)
            with self.subTest(target):
                self.assertTrue(run, run)
                self.assertTrue((out == x + y).all())

    def test_a_product_through_tensor_maps(self):
        np, m, n, k = self.np, 128, 64, 192
        a = self.random.standard_normal((m, k)).astype("float16")
        b = self.random.standard_normal((n, k)).astype("float16")
        want = a.astype("float32") @ b.astype("float32").T
        for target, basis in (("sm_90a", "observed"), ("sm_100a", "inferred")):
            c = np.zeros((m, n), "float16")
            block = [libtmap.TensorMap(t, box=(64, 64)) for t in (a, b, c)]
            run = self.emulate(self.kernels.product, (m // 64, n // 64), (*block, k), M=64, N=64, BK=64,
                               target=target)
            others = [f for f in run.findings if not (_is_unfenced_init(f) or _is_early_read(f))]
            if any(map(_is_early_read, run.findings)):
                self.emulate(self.kernels.product, (m // 64, n // 64), (*block, k), M=64, N=64, BK=64,
                             target=target, schedule="earliest")
            with self.subTest(target):
                self.assertTrue(run.finished and not others, others)
                self.assertEqual(run.basis, basis)
                self.assertGreater(run.multiply_adds, m * n * k - 1)
                self.assertLess(np.abs(c - want).max(), 0.05)

    def test_what_is_wrong_is_found(self):
        out = self.np.zeros(128, "int32")
        run = self.emulate(self.kernels.outside, 2, (out,), BLOCK=128)
        self.assertIn("access", [f.kind for f in run.findings])
        self.assertTrue(all(f.source_line for f in run.findings), run.findings)

    def test_arguments_are_looked_at(self):
        for args, keywords in (((1, 2, 3, 4, 5, 6), {}), ((), {}), ((), {"none": 1})):
            with self.assertRaises(libtmap.LayoutError):
                self.emulate(self.kernels.add, 1, args, **keywords)
        with self.assertRaises(libtmap.LayoutError):
            self.emulate(self.kernels.add, 1, (self.np.zeros(4, "complex64"),) * 3 + (4,), BLOCK=16)
        with self.assertRaises(libtmap.LayoutError):
            self.emulate(self.kernels.add, 1, (self.np.zeros(4, "float32"),) * 3 + (4,), BLOCK=16, target="gfx90")
