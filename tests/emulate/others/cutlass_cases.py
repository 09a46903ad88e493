"""Products by CUTLASS's collective builders (cutlass/product.cu) with the headers of pip's nvidia-cutlass: nvcc makes
PTX, and a program of the same source prints the launch, with maps by tmap's encoder. Some minutes each: run by name."""
import json
import os
import pathlib
import subprocess
import tempfile

import numpy

import cutlass_library
from run import BUILD, NVCC, SUFFIX, TREE, Case, Params, aligned, codes, integers

HERE = pathlib.Path(__file__).with_name("cutlass")
ROOT = pathlib.Path(cutlass_library.__file__).parent / "source"
TYPE = {"bf16": "cutlass::bfloat16_t", "fp16": "cutlass::half_t", "fp8e4nv": "cutlass::float_e4m3_t", "i8": "int8_t"}


def built(folder, arch, defines):
    """product, with its PTX beside it."""
    target = f"compute_{SUFFIX[arch]}"
    subprocess.run([NVCC, "-std=c++17", "--expt-relaxed-constexpr", "-w", "-gencode", f"arch={target},code={target}",
                    "-DCUTLASS_ENABLE_DIRECT_CUDA_DRIVER_CALL", f"-I{ROOT / 'include'}", f"-I{ROOT / 'tools/util/include'}",
                    *[f"-D{k}={v}" for k, v in defines.items()], "--keep", "--keep-dir", folder, "-c",
                    str(HERE / "product.cu"), "-o", f"{folder}/product.o"], check=True, capture_output=True)
    subprocess.run(["cc", f"-I{TREE / 'include'}", "-c", str(HERE / "encode.c"), "-o", f"{folder}/encode.o"], check=True)
    subprocess.run([NVCC, "-o", f"{folder}/product", f"{folder}/product.o", f"{folder}/encode.o",
                    str(BUILD / "libtmap.a")], check=True, capture_output=True)


def launched(case, folder, dtype, m, n, k):
    rng = numpy.random.default_rng(31)
    a, b, c = integers(rng, m, k), integers(rng, n, k), aligned(integers(rng, m, n))
    d, workspace = aligned(numpy.zeros((m, n), numpy.float32)), aligned(numpy.zeros(1 << 16, numpy.uint8))
    arrays = [aligned(codes(a, dtype)), aligned(codes(b, dtype)), c, d, workspace]
    where = [hex(x.ctypes.data) for x in arrays]
    ran = subprocess.run([f"{folder}/product", *where, str(m), str(n), str(k), "6"], text=True, capture_output=True)
    said = json.loads(ran.stdout)
    case.ptx = (pathlib.Path(folder) / "product.ptx").read_text()
    case.args, case.wanted = [Params(bytes.fromhex(said["params"]), arrays)], ((d, a @ b.T + 2 * c, 0), )
    case.grid, case.warps = tuple(said["grid"]), said["block"] // 32
    case.cluster, case.smem = tuple(said["cluster"]), said["smem"]
    if case.arch == 100:  # its epilogue reads registers of tcgen05.ld before tcgen05.wait::ld
        case.schedule = "earliest"


def product(dtype, m, n, k, **defines):
    def build(case):
        kept = os.environ.get("CUTLASS_BUILT")  # folders of earlier builds, by the cases' names
        if kept and (pathlib.Path(kept) / case.name / "product").exists():
            launched(case, f"{kept}/{case.name}", dtype, m, n, k)
            return
        with tempfile.TemporaryDirectory() as folder:
            built(folder, case.arch, {"A_TYPE": TYPE[dtype], "ARCH": f"Sm{case.arch}", **defines})
            launched(case, folder, dtype, m, n, k)
    return build


def cases():
    yield Case("cutlass_bf16", 90, product("bf16", 256, 256, 256))
    yield Case("cutlass_fp8e4nv_pair_of_ctas", 90, product("fp8e4nv", 256, 256, 512, TILE_K=128, CLUSTER_M=2))
    yield Case("cutlass_bf16", 100, product("bf16", 256, 256, 256))
    yield Case("cutlass_bf16_pair", 100, product("bf16", 512, 256, 256, TILE_M=256, CLUSTER_M=2))
