"""Tensors of other libraries: what each says of itself, read without that library."""

import unittest

import libtmap
from support import Dlpack, Interface

BASE = 0x7F0000000000


def wheel(name):
    try:
        return __import__(name, fromlist=["_"])
    except Exception as error:  # a wheel that cannot load here is as good as none
        raise unittest.SkipTest(f"no {name} ({type(error).__name__})") from None


class Interfaces(unittest.TestCase):
    def test_cuda_array_interface(self):
        t = Interface("__cuda_array_interface__", (128, 256), "<f2", BASE + 32)
        r = libtmap.check(t, box=(64, 64), swizzle="128B")
        self.assertTrue(r)
        self.assertEqual(r.assumed, ())
        self.assertEqual(r.descriptor.to_json()["dtype"], "FLOAT16")
        self.assertEqual(r.descriptor.address, BASE + 32)
        self.assertEqual(r.descriptor.strides_bytes, (512,))
        off = Interface("__cuda_array_interface__", (128, 256), "<f2", BASE + 2, (512, 2))
        self.assertEqual(libtmap.check(off, box=(64, 64)).rules, ["TMA018"])

    def test_array_interface(self):
        t = Interface("__array_interface__", (128, 256), "|u1", 0x1234567, (256, 1))
        r = libtmap.check(t, box=(64, 64))
        self.assertTrue(r)
        self.assertEqual(r.assumed, ("address",))

    def test_dlpack(self):
        dense = Dlpack((128, 256), None, 4, 16, BASE)
        r = libtmap.check(dense, box=(64, 64), swizzle="128B")
        self.assertTrue(r)
        self.assertEqual(r.descriptor.dtype, "BFLOAT16")
        self.assertEqual(r.descriptor.address, BASE)
        padded = Dlpack((128, 250), (251, 1), 2, 32, BASE)
        self.assertEqual(libtmap.check(padded, box=(64, 32)).rules, ["TMA014"])
        offset = Dlpack((128, 256), (256, 1), 2, 32, BASE, offset=4)
        self.assertEqual(libtmap.check(offset, box=(64, 32)).rules, ["TMA018"])
        host = Dlpack((128, 256), (256, 1), 2, 32, 0x1003, device=1)
        self.assertEqual(libtmap.check(host, box=(64, 32)).assumed, ("address",))
        with self.assertRaises(libtmap.LayoutError):
            libtmap.check(Dlpack((128, 256), None, 5, 64, BASE), box=(64, 32))

    def test_an_address_wins(self):
        t = Interface("__array_interface__", (128, 256), "|u1", 0x1234567)
        r = libtmap.check(t, box=(64, 64), address=BASE + 8)
        self.assertEqual((r.rules, r.assumed), (["TMA018"], ()))

    def test_bytes_as_packed_elements(self):
        t = Interface("__cuda_array_interface__", (128, 128), "|u1", BASE)
        r = libtmap.check(t, dtype="fp4", box=(64, 128), target="sm_100a", cuda="12.8")
        self.assertEqual(r.descriptor.shape, (128, 256))
        self.assertEqual(r.descriptor.strides_bytes, (128,))
        odd = Interface("__cuda_array_interface__", (128, 128), "|u1", BASE)
        with self.assertRaises(libtmap.LayoutError):
            libtmap.check(odd, dtype="fp6", box=(64, 128))

    def test_what_is_no_tensor(self):
        with self.assertRaises(libtmap.LayoutError):
            libtmap.check(object(), box=(1, 1))


class Wheels(unittest.TestCase):
    def test_numpy(self):
        np = wheel("numpy")
        a = np.zeros((128, 256), np.float16)
        self.assertTrue(libtmap.check(a, box=(64, 64), swizzle="128B"))
        self.assertEqual(libtmap.check(a[:, 1:], box=(64, 64)).rules, ["TMA018"])
        self.assertTrue(libtmap.check(a[5:, 8:], box=(64, 64)))
        self.assertTrue(libtmap.check(a[::2], box=(64, 64)))
        self.assertEqual(libtmap.check(a[::2], box=(64, 64)).descriptor.strides_bytes, (1024,))
        self.assertEqual(libtmap.check(a.T, box=(64, 64)).verdict, "illegal")
        self.assertEqual(libtmap.check(a[::-1], box=(64, 64)).verdict, "illegal")
        with self.assertRaises(libtmap.LayoutError):
            libtmap.check(a.astype(np.complex64), box=(64, 64))

    def test_torch(self):
        torch = wheel("torch")
        t = torch.zeros(128, 256, dtype=torch.bfloat16)
        self.assertTrue(libtmap.check(t, box=(64, 64), swizzle="128B"))
        self.assertEqual(libtmap.check(t[:, 1:], box=(64, 64)).rules, ["TMA018"])
        self.assertEqual(libtmap.check(t.t(), box=(64, 64)).verdict, "illegal")
        self.assertTrue(libtmap.check(t.t().t(), box=(64, 64)))
        for name in ("float8_e4m3fn", "float8_e5m2", "uint8", "float32", "int64", "float16", "bool"):
            made = torch.zeros(128, 256, dtype=getattr(torch, name))
            self.assertTrue(libtmap.check(made, box=(64, 16)), name)

    def test_torch_and_its_dlpack_agree(self):
        torch = wheel("torch")
        from libtmap._tensor import read_capsule
        t = torch.zeros(4, 128, 256)[:, 1:]
        mine = libtmap.check(t, box=(1, 64, 32)).descriptor
        read = read_capsule(t.__dlpack__())
        self.assertEqual(tuple(read.strides)[:-1], mine.strides_bytes)
        self.assertEqual(tuple(read.shape), mine.shape)

    def test_cuda_core(self):
        np = wheel("numpy")
        utils = wheel("cuda.core.utils")
        from libtmap import adapters
        try:
            view = utils.StridedMemoryView.from_array_interface(np.zeros((128, 256), np.float32))
        except Exception as error:  # it asks the driver for the current context
            raise unittest.SkipTest(f"no driver ({type(error).__name__})") from None
        r = libtmap.check(view, box=(64, 32))
        self.assertTrue(r)
        self.assertEqual(r.descriptor.strides_bytes, (1024,))
        d = adapters.cuda_core(view, dict(box_dim=(64, 32), swizzle=3, element_strides=(1, 1)))
        self.assertEqual((d.swizzle, d.box), ("128B", (64, 32)))
        self.assertEqual(libtmap.check(adapters.cuda_core(view, dict(box_dim=(300, 32)))).rules, ["TMA025"])

    def test_cutlass_dsl(self):
        torch = wheel("torch")
        runtime = wheel("cutlass.cute.runtime")
        t = runtime.from_dlpack(torch.zeros(128, 256, dtype=torch.float16))
        r = libtmap.check(t, box=(64, 64), swizzle="128B")
        self.assertTrue(r)
        self.assertEqual(r.descriptor.strides_bytes, (512,))
        self.assertEqual(libtmap.check(t, box=(64, 4)).rules, ["TMA026"])

    def test_tilelang(self):
        from libtmap import adapters
        args = [0, 0, 2, BASE, 1733, 512, 4, 6932, 128, 64, 1, 1, 0, 0, 2, 0]
        args[1] = 7  # FLOAT32: the strides of tile-ai/tilelang#460
        r = libtmap.check(adapters.tilelang(args))
        self.assertEqual(r.rules, ["TMA014"])
        self.assertEqual(r.violations[0].nearest, (6928, 6944))
        with self.assertRaises(libtmap.LayoutError):
            adapters.tilelang(args[:-1])
