"""Products by the examples of CUTLASS's Python DSL (CUTLASS_EXAMPLES: examples/python/CuTeDSL/cute of a checkout of the
wheel's version). It compiles without a GPU; its host code writes the tensor maps and the launch, which cute_dsl/launch.c
takes down in place of the DSL's runtime library, so nothing here says how a kernel is called."""
import ctypes
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

from run import Case, Params, aligned, codes, integers, library, load, parameters

HERE = pathlib.Path(__file__).with_name("cute_dsl")
if "CUTLASS_EXAMPLES" not in os.environ:
    raise ImportError("CUTLASS_EXAMPLES does not say where the DSL's examples are")
EXAMPLES = pathlib.Path(os.environ["CUTLASS_EXAMPLES"])


class Dimensions(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint32) for n in "xyz"]

    def tuple(self):
        return self.x, self.y, self.z


class Config(ctypes.Structure):
    _fields_ = [("grid", Dimensions), ("block", Dimensions), ("smem", ctypes.c_uint64)]


LAUNCHED = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.POINTER(Config), ctypes.POINTER(Dimensions),
                            ctypes.POINTER(ctypes.c_void_p))


def stand_in():
    """The runtime library that takes launches down. It is loaded before the DSL's, so its names come first."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/launch.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", path, str(HERE / "launch.c")], check=True)
        return ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)


RUNTIME = stand_in()
os.environ.update(CUTE_DSL_NO_CACHE="1", CUTE_DSL_DISABLE_FILE_CACHING="1")
import cutlass  # noqa: E402
from cutlass import cute  # noqa: E402
from cutlass.cute.runtime import from_dlpack  # noqa: E402
from cutlass.cutlass_dsl import CuTeDSL  # noqa: E402
from cuda.bindings import driver  # noqa: E402

TYPE = {"fp16": cutlass.Float16, "bf16": cutlass.BFloat16, "fp32": cutlass.Float32, "fp8e4nv": cutlass.Float8E4M3FN}


def module(path):
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, EXAMPLES / path)
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


def launched(case, function, args, arrays, constants=(), **more):
    """Compiles, and asks the host code for the launch. constants: what compile() alone takes."""
    CuTeDSL._get_dsl().envar.arch = f"sm_{case.arch}a"  # the chip that it thinks to run on: else no host code
    with tempfile.TemporaryDirectory() as folder:
        made = cute.compile(function, *args, *constants, **more, options=f"--keep-ptx --dump-dir={folder}")
    lib, case.ptx = library(), made.artifacts.PTX

    def take_down(_kernel, config, cluster, params):
        loaded = load(lib, case.ptx)
        places = parameters(lib, loaded, lib.tmap_emulate_kernel(loaded, ctypes.c_size_t(0)))
        lib.tmap_emulate_free(loaded)
        case.args = [Params(ctypes.string_at(params[i], size), arrays) for i, (_, size) in enumerate(places)]
        case.grid, case.cluster = config.contents.grid.tuple(), cluster.contents.tuple()
        case.warps, case.smem = config.contents.block.x // 32, config.contents.smem
        if case.arch == 100:  # the DSL writes no tcgen05.wait::ld at all
            case.schedule = "earliest"

    call = LAUNCHED(take_down)
    RUNTIME.on_launch(call)
    made.__dict__["num_devices"] = 1  # nobody is asked
    made(*args, **more)


def tensor(array, dtype):
    """A matrix whose last dimension is contiguous, of any extents."""
    made = from_dlpack(array.view(numpy.int16) if dtype == "bf16" else array, assumed_align=32)
    made.element_type = TYPE[dtype]
    return made.mark_layout_dynamic(leading_dim=1).mark_compact_shape_dynamic(mode=1, divisibility=array.shape[1])


def tutorial(step, m, n, k, constants=()):
    def build(case):
        rng = numpy.random.default_rng(41)
        a, b = integers(rng, m, k), integers(rng, n, k)
        arrays = [aligned(codes(a, "fp16")).view(numpy.float16), aligned(codes(b, "fp16")).view(numpy.float16),
                  aligned(numpy.zeros((m, n), numpy.float16))]
        example = module(f"blackwell/tutorial/tutorial_gemm/fp16_gemm_{step}.py")
        launched(case, example.host_function, [tensor(x, "fp16") for x in arrays], arrays, constants)
        case.wanted = ((arrays[2], a @ b.T, 0),)
    return build


def batch(array, dtype):
    """Of one matrix, what the examples' classes take: rows, columns, 1."""
    made = from_dlpack(array.reshape(1, *array.shape).transpose(1, 2, 0), assumed_align=16)
    made.element_type = TYPE[dtype]
    return made.mark_layout_dynamic(leading_dim=1)


def example(path, name, arguments, dtype, out, m, n, k, constants=()):
    def build(case):
        rng = numpy.random.default_rng(43)
        a, b = integers(rng, m, k), integers(rng, n, k)
        arrays = [aligned(codes(a, dtype)), aligned(codes(b, dtype)), aligned(codes(numpy.zeros((m, n)), out))]
        kernel = getattr(module(path), name)(*arguments)
        args = [batch(x, t) for x, t in zip(arrays, (dtype, dtype, out))]
        launched(case, kernel, args, arrays, constants, stream=driver.CUstream(0))
        case.wanted = ((arrays[2].view(numpy.float16) if out == "fp16" else arrays[2], a @ b.T, 0),)
    return build


HOPPER, BLACKWELL, GEFORCE = (f"{chip}/kernel/dense_gemm/dense_gemm" for chip in ("hopper", "blackwell", "blackwell_geforce"))
F32 = cutlass.Float32
WARP_GROUPS = ("HopperWgmmaGemmKernel", (F32, (128, 128), (1, 1)))
PAIR = (F32, True, (256, 128), (2, 1), True)


def tensor_memory():
    """name, file, class, its arguments, type of A and B, what compile() alone takes."""
    one = (F32, False, (128, 128), (1, 1), True)
    yield "fp16", "", "DenseGemmKernel", one, "fp16", ()
    yield "fp16_registers", "", "DenseGemmKernel", (F32, False, (128, 64), (1, 1), False), "fp16", ()
    yield "bf16_pair", "", "DenseGemmKernel", PAIR, "bf16", ()
    yield "fp8e4nv", "_software_pipeline", "DenseGemmKernel", one, "fp8e4nv", ()
    yield "fp16_persistent", "_persistent", "PersistentDenseGemmKernel", one, "fp16", (2,)
    yield "bf16_persistent_pair", "_persistent", "PersistentDenseGemmKernel", PAIR, "bf16", (1,)
    yield "fp16_prefetch", "_persistent_prefetch", "PersistentDenseGemmKernel", one, "fp16", (2,)
    yield "bf16_dynamic", "_persistent_dynamic", "PersistentDenseGemmKernel", one, "bf16", ()


def cases():
    for dtype, k in (("fp16", 192), ("bf16", 256), ("fp8e4nv", 256)):
        yield Case(f"cute_dsl_{dtype}", 90, example(HOPPER + ".py", *WARP_GROUPS, dtype, "fp32", 256, 256, k))
    yield Case("cute_dsl_bf16_multicast", 90,
               example(HOPPER + ".py", WARP_GROUPS[0], (F32, (128, 128), (2, 1)), "bf16", "fp32", 512, 256, 256))
    yield Case("cute_dsl_bf16_persistent", 90,
               example(HOPPER + "_persistent.py", "HopperWgmmaGemmPersistentKernel", (F32, (128, 128), (1, 1), 1, True),
                       "bf16", "fp32", 384, 256, 256, (2,)))
    for step, constants in ((0, ()), (1, ()), (2, ()), (3, (2,)), ("3_1", (2,)), (5, (2,))):
        yield Case(f"cute_dsl_tutorial_{step}", 100, tutorial(step, 512, 512, 256, constants))
    for name, path, kind, arguments, dtype, constants in tensor_memory():
        yield Case(f"cute_dsl_{name}", 100,
                   example(BLACKWELL + path + ".py", kind, arguments, dtype, "fp32", 512, 256, 256, constants))
    for dtype in ("fp16", "bf16"):
        yield Case(f"cute_dsl_{dtype}", 120, example(GEFORCE + ".py", "Sm120GemmKernel", (F32, (128, 128, 64)), dtype,
                                                     "fp16", 256, 256, 192, (2,)))
