"""The suite's structs as ctypes has them, for the benchmarks beside PyTorch: one place, which
tests/kernels/test_bench_structs.sh compares with the headers member by member."""
import ctypes
import sys

I32, U64, I64, F32 = ctypes.c_int32, ctypes.c_uint64, ctypes.c_int64, ctypes.c_float
AXES = I32 * 3
TRIALS = 48  # GEMM_TRIALS
PLAN_BYTES = 8192  # more than a struct tmap_gemm_plan or tmap_gemm_group


def struct(name, *members):
    """members: a type, then the names that have it, and so on."""
    fields, kind = [], None
    for member in members:
        if isinstance(member, str):
            fields += [(one, kind) for one in member.split()]
        else:
            kind = member
    return type(name, (ctypes.Structure,), {"_fields_": fields})


Matrix = struct("tmap_gemm_matrix", U64, "address", I64, "ld batch_stride", ctypes.c_bool, "mn_major")
Epilogue = struct("tmap_gemm_epilogue", I32, "activation bias_type",
                  U64, "alpha beta row_scale col_scale row_bias col_bias", Matrix, "second", U64, "amax d_scale",
                  I32, "gate")
BlockScale = struct("tmap_gemm_block_scale", U64, "a b", I64, "lda ldb")
Shape = struct("tmap_conv_shape", I32, "images channels filters",
               AXES, "size filter stride dilation pad_low pad_high")
Problem = struct("tmap_gemm_problem", I32, "kind out m n k batch", Matrix, "a b c d", F32, "alpha beta",
                 ctypes.c_bool, "precise", U64, "workspace", Epilogue, "epilogue", U64, "a_scales b_scales",
                 BlockScale, "block_scale", Shape, "conv", ctypes.c_bool, "b_ready")
Config = struct("tmap_gemm_config", I32, "tile_m tile_n stages panels cluster_m cluster_n split_k group clusters "
                "swapped stream_k direct overlap flip_k load_policy store_policy pingpong store_warp dynamic patch apart")
Conv = struct("tmap_conv_problem", I32, "operation kind out groups", Shape, "shape", U64, "x y filters",
              I64, "x_ld y_ld", F32, "alpha beta", U64, "added", I64, "added_ld", Epilogue, "epilogue")
Plan = struct("tmap_gemm_plan", Problem, "problem", Config, "config")  # its beginning
Routing = struct("tmap_gemm_routing", I32, "form usual", U64, "ends")
Group = struct("tmap_gemm_group", Problem, "like", Routing, "routing", Config, "config")  # its beginning
ALL = (Matrix, Epilogue, BlockScale, Shape, Problem, Config, Conv, Routing)
BEGINNINGS = (Plan, Group)


def open_suite(path):
    """The library and a suite of this process's device; without one it says SKIP and why."""
    lib, suite, why = ctypes.CDLL(path), ctypes.c_void_p(), ctypes.create_string_buffer(160)
    if lib.tmap_gemm_open(None, ctypes.byref(suite), why, 160):
        print(f"SKIP: {why.value.decode()}")
        sys.exit(0)
    return lib, suite
