"""libtmap.triton: descriptors that explain themselves, configurations that cannot exist left out."""

import unittest

import libtmap
from test_tensors import wheel


class Triton(unittest.TestCase):
    def setUp(self):
        self.torch, self.host = wheel("torch"), wheel("triton.tools.tensor_descriptor")
        import libtmap.triton
        self.ours = libtmap.triton
        self.addCleanup(self.ours.unpatch)

    def make(self, shape, block, **said):
        t = self.torch.zeros(*shape, dtype=self.torch.float16)
        return self.host.TensorDescriptor(t, list(t.shape), list(t.stride()), list(block), **said)

    def test_a_triton_descriptor_is_a_tensor(self):
        d = self.make((128, 256), (64, 64))
        r = libtmap.check(d, swizzle="128B")
        self.assertTrue(r)
        self.assertEqual((r.descriptor.box, r.descriptor.strides_bytes), ((64, 64), (512,)))

    def test_patched_descriptors_explain_themselves(self):
        self.ours.patch()
        self.make((128, 256), (64, 64))
        self.make((1024, 1024), (512, 64))  # Triton splits what exceeds a box
        with self.assertRaises(libtmap.IllegalDescriptor) as caught:
            self.make((128, 255), (64, 64))
        self.assertEqual(caught.exception.result.rules, ["TMA014"])
        self.assertIn("nearest", str(caught.exception))
        with self.assertRaises(libtmap.IllegalDescriptor):  # Triton's own checks let this pass
            base = self.torch.zeros(64, dtype=self.torch.float16)
            self.host.TensorDescriptor(base, [2 ** 33, 64], [64, 1], [64, 64])
        self.ours.unpatch()
        with self.assertRaises(AssertionError):
            self.make((128, 255), (64, 64))

    def test_a_launch_is_checked_exactly(self):
        wheel("triton.backends.nvidia.driver")
        d = self.make((128, 256), (64, 64))
        metadata = dict(swizzle=3, elem_size=2, elem_type=self._type("FLOAT16"), block_size=[64, 64],
                        fp4_padded=False)
        self.assertTrue(self.ours.check_launch(d, metadata))
        wrong = self.ours.check_launch(d, {**metadata, "block_size": [64, 128]})
        self.assertEqual(wrong.verdict, "illegal")
        self.ours.patch()
        from triton.backends.nvidia import driver
        with self.assertRaises(libtmap.IllegalDescriptor):
            driver.make_tensordesc_arg(d, {**metadata, "block_size": [64, 128]}, None)

    def _type(self, name):
        from libtmap import _native
        from triton.backends.nvidia import driver
        code = _native.DTYPE.value(name)
        table = driver.TMA_DTYPE_DEVICE_TO_HOST
        listed = table.items() if isinstance(table, dict) else enumerate(table)
        return next(device for device, host in listed if host == code)

    def test_configurations_that_cannot_exist_are_not_compiled(self):
        triton = wheel("triton")
        configs = [triton.Config(dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k), num_stages=s, num_warps=w)
                   for m in (64, 128, 256) for n in (64, 128, 256) for k in (32, 64, 128)
                   for s in (2, 3, 4, 5, 6) for w in (4, 8)]
        out = []
        early = self.ours.prune_configs_by(on_pruned=out.extend)["early_config_prune"]
        a = self.make((4096, 4096), (64, 64))
        left = early(configs, dict(a=a, M=4096, N=4096, K=4096))
        print(f"# {len(configs) - len(left)} of {len(configs)} are not compiled")
        self.assertEqual(len(left) + len(out), len(configs))
        self.assertTrue(0 < len(left) < len(configs))
        self.assertTrue(all(j.rules for j in out))
        hopeless = [triton.Config(dict(BLOCK_M=256, BLOCK_N=256, BLOCK_K=128), num_stages=9, num_warps=4)]
        self.assertEqual(early(hopeless, dict(a=a), M=4096, N=4096, K=4096), hopeless)
