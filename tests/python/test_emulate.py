"""emulate(): kernels on arrays of the host."""

import ctypes
import unittest

import libtmap
from support import TREE

COPY = (TREE / "tests/golden/emulate-copy/in.ptx").read_text()
RACE = (TREE / "tests/golden/emulate-race/in.ptx").read_text()
PRODUCT = (TREE / "tests/data/ptx/triton_product_sm_90.ptx").read_text()


class Array:
    """An array of the host without numpy: what numpy's arrays say of themselves."""

    def __init__(self, shape, typestr, values=()):
        size, total = int(typestr[2:]), 1
        for n in shape:
            total *= n
        self.raw = ctypes.create_string_buffer(total * size + 128)
        self.at = -(-ctypes.addressof(self.raw) // 128) * 128
        self.shape, self.typestr = shape, typestr
        kind = {"<i4": ctypes.c_int32, "<u2": ctypes.c_uint16, "<f4": ctypes.c_float}[typestr]
        self.data = (kind * total).from_address(self.at)
        self.data[:len(values)] = values
        self.__array_interface__ = {"shape": shape, "typestr": typestr, "data": (self.at, False),
                                    "strides": None, "version": 3}


def product_args(a, b, c, said):
    """As Triton passes descriptors: the map, then its shape and its strides; then c, N, K and two of its own."""
    (m, k), (n, _) = a.shape, b.shape
    maps = [libtmap.TensorMap(x, **said) for x in (a, b)]
    return [maps[0], m, k, k, 1, maps[1], n, k, k, 1, c, n, k, 0, 0]


class Emulate(unittest.TestCase):
    def test_emulate_copies_an_array(self):
        a, d = Array((64,), "<i4", range(64)), Array((64,), "<i4")
        for schedule in ("earliest", "latest", "random"):
            d.data[:] = [0] * 64
            run = libtmap.emulate(COPY, 1, [a, d], block=64, schedule=schedule)
            self.assertTrue(run, run.findings)
            self.assertEqual(list(d.data), list(range(64)))
        self.assertGreater(run.warp_instructions, 0)

    def test_emulate_multiplies_what_triton_compiled(self):
        m, n, k = 128, 128, 192
        a = Array((m, k), "<u2", [0x3F80 if (i * 7 + j) % 3 == 0 else 0 for i in range(m) for j in range(k)])
        b = Array((n, k), "<u2", [0x3F80 if (i + j * 5) % 4 == 0 else 0xBF80 for i in range(n) for j in range(k)])
        c = Array((m, n), "<f4")
        sign = {0: 0, 0x3F80: 1, 0xBF80: -1}
        said = dict(box=(64, 64), swizzle="128B", dtype="bf16")
        run = libtmap.emulate(PRODUCT, (m // 64, n // 64), product_args(a, b, c, said), block=128,
                              smem_bytes=65536, races=False)
        self.assertTrue(run.finished, run.findings)
        for i, j in ((0, 0), (5, 77), (64, 64), (127, 127)):
            want = sum(sign[a.data[i * k + x]] * sign[b.data[j * k + x]] for x in range(k))
            self.assertEqual(c.data[i * n + j], want)
        self.assertEqual(run.multiply_adds, m * n * k)

    def test_emulate_says_where_a_race_is(self):
        args = (TREE / "tests/golden/emulate-race/cmd").read_text()
        self.assertIn("--block", args)
        a = Array((256,), "<i4")
        run = libtmap.emulate(RACE, 1, [a], block=64)
        self.assertFalse(run)
        self.assertIn("race", {f.kind for f in run.findings})
        self.assertGreater(run.findings[0].line, 0)

    def test_emulate_refuses_what_makes_no_sense(self):
        a = Array((64,), "<i4")
        for args in ([a], [a, a, a], [a, 1.5 + 0j], [a, b"12"]):
            with self.assertRaises((libtmap.LayoutError, TypeError)):
                libtmap.emulate(COPY, 1, args, block=64)
        with self.assertRaises(libtmap.LayoutError):
            libtmap.emulate("not PTX at all {", 1, [])
        with self.assertRaises(libtmap.LayoutError):
            libtmap.emulate(COPY, 1, [a, a], schedule="never")
        with self.assertRaises(libtmap.LayoutError):
            libtmap.emulate(COPY, 1, [a, a], kernel="copy", block=64)
        with self.assertRaises(libtmap.Error):
            libtmap.emulate(COPY, 1, [a, a], block=64, smem_bytes=1 << 30)
