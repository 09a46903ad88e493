"""libtmap.matmul: what it makes of tensors everywhere, and its products where there is a GPU and torch."""

import collections
import ctypes
import os
import unittest
from unittest import mock

import libtmap
from libtmap import _matmul
from support import TMAP, Interface
from test_tensors import wheel

BASE = 0x7F0000000000


def matrix(shape, typestr="<f2", strides=None):
    return Interface("__cuda_array_interface__", shape, typestr, BASE, strides)


class Layouts(unittest.TestCase):
    def said(self, *args):
        m = _matmul._matrix(matrix(*args), "a")
        return m.ld, m.batch_stride, m.mn_major, m.batch, m.rows, m.columns

    def test_rows_columns_and_batches(self):
        self.assertEqual(self.said((128, 256)), (256, 0, False, 1, 128, 256))
        self.assertEqual(self.said((128, 256), "<f2", (2, 256)), (128, 0, True, 1, 128, 256))
        self.assertEqual(self.said((3, 128, 256)), (256, 128 * 256, False, 3, 128, 256))
        self.assertEqual(self.said((128, 256), "<f2", (1024, 2)), (512, 0, False, 1, 128, 256))

    def test_a_dimension_of_one_has_any_stride(self):
        self.assertEqual(self.said((1, 100)), (112, 0, False, 1, 1, 100))
        self.assertEqual(self.said((100, 1)), (112, 0, True, 1, 100, 1))
        self.assertEqual(self.said((1, 100), "<f2", (2, 2)), (112, 0, False, 1, 1, 100))

    def test_what_no_product_takes(self):
        for shape, strides in (((8, 8), (64, 4)), ((8,), None), ((2, 2, 8, 8), None)):
            with self.assertRaises(libtmap.LayoutError):
                _matmul._matrix(matrix(shape, "<f2", strides), "a")
        with self.assertRaises(libtmap.LayoutError):
            _matmul._matrix(Interface("__array_interface__", (8, 8), "<f2", BASE), "a")
        with self.assertRaises(libtmap.LayoutError):
            libtmap.matmul(matrix((8, 16)), matrix((8, 16)))
        with self.assertRaises(libtmap.LayoutError):
            libtmap.matmul(matrix((8, 16)), matrix((16, 8), "<f4"))
        with self.assertRaises(libtmap.LayoutError):
            libtmap.matmul(matrix((8, 16), "<f8"), matrix((16, 8), "<f8"))
        ends = Interface("__cuda_array_interface__", (4,), "<i4", BASE)
        for a, b in (((8, 16), (3, 16, 8)), ((4, 8, 16), (3, 16, 8)), ((8, 16), (8, 16)), ((4, 8, 16), (16, 8))):
            with self.assertRaisesRegex(libtmap.LayoutError, "do not go together with 4 ends"):
                libtmap.matmul(matrix(a), matrix(b), ends=ends)
        for bad in (matrix((4,)), Interface("__cuda_array_interface__", (4, 4), "<i4", BASE),
                    Interface("__cuda_array_interface__", (4,), "<i4", BASE, (8,)),
                    Interface("__array_interface__", (4,), "<i4", BASE)):
            with self.assertRaisesRegex(libtmap.LayoutError, "ends is a vector of int32"):
                libtmap.matmul(matrix((8, 16)), matrix((4, 16, 8)), ends=bad)
        with self.assertRaises(libtmap.LayoutError):  # this interface cannot make a tensor
            libtmap.matmul(matrix((8, 16)), matrix((16, 8)))

    def test_a_stream_is_its_handle(self):
        class Stream:
            cuda_stream = 7

        class Protocol:
            def __cuda_stream__(self):
                return 0, 9

        like = matrix((8, 8))
        said = [_matmul._stream_of(s, like) for s in (None, 5, Stream(), Protocol())]
        self.assertEqual(said, [0, 5, 7, 9])

    def test_what_is_cut_is_said_to_the_library(self):
        """Without a suite it refuses every group, after this side has made all of the request."""
        library = os.path.join(os.path.dirname(TMAP), "libtmap-cuda.so")
        if not os.path.exists(library):
            self.skipTest("no libtmap-cuda.so beside the command")
        ctypes.CDLL(library.replace("-cuda", ""))  # which it needs, and would look for in the system
        suite, said = object.__new__(_matmul._Suite), []
        with mock.patch.dict(os.environ, LIBTMAP_CUDA=library):
            suite.ffi, suite.lib = _matmul._library()
        suite.suite, suite.groups = suite.ffi.NULL, collections.OrderedDict()
        problem = suite._problem
        suite._problem = lambda *args: said.append(problem(*args)) or said[-1]
        ends = Interface("__cuda_array_interface__", (4,), "<i4", BASE)
        with mock.patch.object(_matmul, "_empty", lambda *_: matrix((4096,))), \
                mock.patch.dict(_matmul._suites, {0: suite}):
            for a, b, out in (((8, 16), (4, 16, 32), (8, 32)), ((4, 8, 16), (4, 16, 32), (4, 8, 32)),
                              ((8, 16), (16, 32), (4, 8, 32))):
                with self.assertRaisesRegex(libtmap.LayoutError, "no such group"):
                    libtmap.matmul(matrix(a), matrix(b), ends=ends, out=matrix(out))
        self.assertEqual([(p.m, p.n, p.k, p.batch, p.b.mn_major) for p in said], [(8, 32, 16, 4, True)] * 3)
        self.assertEqual([p.d.batch_stride for p in said], [0, 256, 256])

    def test_without_the_library_it_says_so(self):
        before = os.environ.get("LIBTMAP_CUDA")
        os.environ["LIBTMAP_CUDA"] = "libnone-of-that-name.so"
        try:
            with self.assertRaisesRegex(libtmap.NotBuilt, "LIBTMAP_CUDA"):
                _matmul._library()
        finally:
            os.environ.pop("LIBTMAP_CUDA")
            if before is not None:
                os.environ["LIBTMAP_CUDA"] = before


class Products(unittest.TestCase):
    """Against torch's own sums in float64 (integers: exactly)."""

    def setUp(self):
        self.torch = wheel("torch")
        if not self.torch.cuda.is_available():
            self.skipTest("no GPU")
        self.torch.manual_seed(1)
        try:
            _matmul._suite(0)
        except libtmap.NotBuilt as error:
            self.skipTest(str(error))

    def random(self, *shape, dtype="bfloat16"):
        torch = self.torch
        if dtype == "int8":
            return torch.randint(-128, 128, shape, dtype=torch.int8, device="cuda")
        return torch.randn(*shape, device="cuda").to(getattr(torch, dtype))

    def close(self, got, a, b, alpha=1.0, add=None, bound=None):
        torch = self.torch
        want = alpha * (a.double() @ b.double())
        want = want if add is None else want + add.double()
        error = (got.double() - want).norm() / want.norm()
        self.assertLess(error.item(), bound or {torch.bfloat16: 3e-3, torch.float16: 5e-4}.get(got.dtype, 1e-3))

    def test_products_of_every_type(self):
        for dtype in ("bfloat16", "float16", "float32", "float8_e4m3fn", "float8_e5m2", "int8"):
            a, b = self.random(200, 512, dtype=dtype), self.random(304, 512, dtype=dtype).T
            got = libtmap.matmul(a, b)
            with self.subTest(dtype):
                if dtype == "int8":
                    self.assertTrue(self.torch.equal(got.cpu(), a.cpu().int() @ b.cpu().int()))
                else:
                    self.close(got, a, b)

    def test_products_of_every_layout(self):
        for batch in ((), (3,)):
            for turn_a in (False, True):
                for turn_b in (False, True):
                    a = self.random(*batch, 256, 192) if not turn_a else self.random(*batch, 192, 256).mT
                    b = self.random(*batch, 192, 320) if not turn_b else self.random(*batch, 320, 192).mT
                    with self.subTest(f"{batch} {turn_a} {turn_b}"):
                        self.close(libtmap.matmul(a, b), a, b)
        a, b = self.random(64, 128), self.random(128, 256)
        whole = self.torch.zeros(64, 512, device="cuda", dtype=self.torch.float32)
        out = libtmap.matmul(a, b, out=whole[:, :256])
        self.close(out, a, b, bound=1e-5)
        self.assertEqual(whole[:, 256:].abs().sum().item(), 0)
        self.assertEqual(out.data_ptr(), whole.data_ptr())

    def test_products_with_alpha_beta_and_c(self):
        a, b, c = self.random(128, 256), self.random(256, 128), self.random(128, 128)
        self.close(libtmap.matmul(a, b, c=c, alpha=0.5, beta=2.0), a, b, 0.5, 2 * c)
        out = c.clone()
        libtmap.matmul(a, b, out=out, beta=1.0)
        self.close(out, a, b, 1.0, c)

    def test_products_of_a_vector_and_odd_sizes(self):
        for m, k, n in ((1, 100, 8), (1, 4096, 4096), (77, 104, 200)):
            a, b = self.random(m, k), self.random(k, n)
            with self.subTest(f"{m} {k} {n}"):
                if k % 8 and m > 1:
                    self.skipTest("illegal")
                self.close(libtmap.matmul(a, b), a, b)
        with self.assertRaisesRegex(libtmap.LayoutError, "TMA014"):
            libtmap.matmul(self.random(64, 100)[:, :99], self.random(99, 64))

    def test_products_on_streams(self):
        torch = self.torch
        side = torch.cuda.Stream()
        a, b = self.random(2048, 2048), self.random(2048, 2048)
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(20_000_000)
            a.mul_(2)
            got = libtmap.matmul(a, b)
        other = libtmap.matmul(a.clone() * 0 + 1, b, stream=torch.cuda.current_stream())
        side.synchronize()
        self.close(got, a, b)
        torch.cuda.synchronize()
        self.assertTrue(torch.isfinite(other).all().item())

    def test_groups_of_products(self):
        sizes = [(64, 128, 256), (200, 264, 512), (8, 1024, 64), (1, 128, 128)]
        a = [self.random(m, k) for m, n, k in sizes]
        b = [self.random(n, k).T for m, n, k in sizes]
        for _ in range(2):
            for got, x, y in zip(libtmap.matmul(a, b), a, b):
                self.close(got, x, y)
        with self.assertRaises(libtmap.LayoutError):
            libtmap.matmul(a, [y.T.contiguous().T.contiguous() for y in b])

    def test_groups_that_the_device_cuts(self):
        torch = self.torch
        at = [0, 37, 37, 110, 200]
        for dtype in ("bfloat16", "float16", "float32", "float8_e4m3fn"):
            x, w = self.random(256, 128, dtype=dtype), self.random(4, 304, 128, dtype=dtype).mT
            ends = torch.tensor(at[1:], dtype=torch.int32, device="cuda")
            parts = list(zip(at, at[1:]))
            got = libtmap.matmul(x, w, ends=ends, out=torch.zeros(256, 304, device="cuda"))
            for e, (begin, end) in enumerate(parts):
                if end > begin:
                    self.close(got[begin:end], x[begin:end], w[e])
            self.assertEqual(got[200:].abs().sum().item(), 0)
            y = self.random(304, 256, dtype=dtype)  # rows of K, as every type has them
            got = libtmap.matmul(y, x.T.contiguous().T, ends=ends)
            for e, (begin, end) in enumerate(parts):
                if end > begin:
                    self.close(got[e], y[:, begin:end], x[begin:end])
                else:
                    self.assertEqual(got[e].abs().sum().item(), 0)
            padded = self.random(4, 100, 128, dtype=dtype)
            counts = torch.tensor([100, 0, 7, 64], dtype=torch.int32, device="cuda")
            got = libtmap.matmul(padded, w, ends=counts)
            for e, count in enumerate((100, 0, 7, 64)):
                if count:
                    self.close(got[e, :count], padded[e, :count], w[e])

    def test_products_of_cupy(self):
        cupy = wheel("cupy")
        a, b = cupy.random.rand(128, 256).astype("float16"), cupy.random.rand(256, 64).astype("float16")
        got = libtmap.matmul(a, b)
        want = a.astype("float64") @ b.astype("float64")
        self.assertLess(float(abs(got - want).max() / want.max()), 1e-3)


if __name__ == "__main__":
    unittest.main()
