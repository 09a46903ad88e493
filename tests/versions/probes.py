"""The instructions that ptxas is asked about: one probe is one line of PTX.

Probes that belong to one form must be accepted alike; `forms` refuses to write a table in which
they are not. A probe whose form starts with "-" is a question outside the table: what should be
refused, or a combination that should follow from its parts. Some forms are in the table to say that
no assembler takes them.
"""

COORDS = {
    1: "{c0}",
    2: "{c0, c1}",
    3: "{c0, c1, c2}",
    4: "{c0, c1, c2, c3}",
    5: "{c0, c1, c2, c3, c4}",
}
OFFSETS = {3: "{h0}", 4: "{h0, h1}", 5: "{h0, h1, h2}"}
REDUCE = ("add", "min", "max", "inc", "dec", "and", "or", "xor")
REPORTS = (
    "disabled",
    "validity::per_16bytes::80000000",
    "validity::per_16bytes::8000",
    "validity::per_16bytes::80",
    "validity::per_16bytes::8",
    "validity::per_element::ff",
)

PROLOGUE = """.version %s
.target %s
.address_size 64
.visible .entry probe(.param .u64 a, .param .u64 b, .param .u32 x, .param .u16 y,
                      .param .align 64 .b8 tm[128])
{
.reg .b64 map, g, v64, pol, state;
.reg .b32 s, s2, m, c0, c1, c2, c3, c4, sz, r, mask32;
.reg .b16 h0, h1, h2, mask;
.reg .b8 n0, n1, n2, n3, n4;
.reg .pred p;
ld.param.u64 map, [a];
ld.param.u64 g, [b];
ld.param.u64 v64, [a];
ld.param.u64 pol, [b];
ld.param.u32 s, [x];
ld.param.u32 s2, [x];
ld.param.u32 m, [x];
ld.param.u32 c0, [x];
ld.param.u32 c1, [x];
ld.param.u32 c2, [x];
ld.param.u32 c3, [x];
ld.param.u32 c4, [x];
ld.param.u32 sz, [x];
ld.param.u32 r, [x];
ld.param.u32 mask32, [x];
ld.param.u16 h0, [y];
ld.param.u16 h1, [y];
ld.param.u16 h2, [y];
ld.param.u16 mask, [y];
ld.param.u8 n0, [y];
ld.param.u8 n1, [y];
ld.param.u8 n2, [y];
ld.param.u8 n3, [y];
ld.param.u8 n4, [y];
"""
EPILOGUE = "ret;\n}\n"


def load(dim, dst, mode, mods="", extra="", coords=None, info=""):
    return (
        "cp.async.bulk.tensor.%dd.%s.global%s.mbarrier::complete_tx::bytes%s "
        "[s], [map, %s], [m]%s%s;"
        % (dim, dst, mode, mods, coords or COORDS[dim], info and ", " + info, extra)
    )


def store(dim, mode, mods="", extra="", coords=None):
    return "cp.async.bulk.tensor.%dd.global.shared::cta%s.bulk_group%s [map, %s], [s]%s;" % (
        dim,
        mode,
        mods,
        coords or COORDS[dim],
        extra,
    )


def reduce(dim, op, mode, mods="", extra="", coords=None):
    return (
        "cp.reduce.async.bulk.tensor.%dd.global.shared::cta.%s%s.bulk_group%s [map, %s], [s]%s;"
        % (dim, op, mode, mods, coords or COORDS[dim], extra)
    )


def prefetch(dim, mode, mods="", extra="", coords=None, info=""):
    return "cp.async.bulk.prefetch.tensor.%dd.L2.global%s%s [map, %s]%s%s;" % (
        dim,
        mode,
        mods,
        coords or COORDS[dim],
        info and ", " + info,
        extra,
    )


def loads():
    wide = "{h0, h1}"
    for name, dst in (("CLUSTER", "shared::cluster"), ("CTA", "shared::cta")):
        yield "TILE_LOAD_" + name, "2d-default", load(2, dst, "")
        for d in range(1, 6):
            yield "TILE_LOAD_" + name, "%dd" % d, load(d, dst, ".tile")
        for d in (3, 4, 5):
            yield "IM2COL_LOAD_" + name, "%dd" % d, load(d, dst, ".im2col", info=OFFSETS[d])
            yield "IM2COL_W_LOAD_" + name, "%dd" % d, load(d, dst, ".im2col::w", info=wide)
            yield "IM2COL_W128_LOAD_" + name, "%dd" % d, load(d, dst, ".im2col::w::128", info=wide)
        yield "GATHER4_LOAD_" + name, "2d", load(2, dst, ".tile::gather4", coords=COORDS[5])
        yield "-GATHER4_3D_" + name, "3d", load(3, dst, ".tile::gather4", coords=COORDS[5])
        yield "-IM2COL_2D_" + name, "2d", load(2, dst, ".im2col", info="{h0}")
        yield "-IM2COL_W_2D_" + name, "2d", load(2, dst, ".im2col::w", info=wide)


def stores():
    for d in range(1, 6):
        yield "TILE_STORE", "%dd" % d, store(d, ".tile")
        yield "TILE_PREFETCH", "%dd" % d, prefetch(d, ".tile")
        for op in REDUCE:
            yield "TILE_REDUCE_" + op.upper(), "%dd" % d, reduce(d, op, ".tile")
    yield "TILE_STORE", "2d-default", store(2, "")
    yield "TILE_PREFETCH", "2d-default", prefetch(2, "")
    yield "TILE_REDUCE_ADD", "2d-default", reduce(2, "add", "")
    for d in (3, 4, 5):
        yield "IM2COL_STORE", "%dd" % d, store(d, ".im2col_no_offs")
        yield "IM2COL_W_STORE", "%dd" % d, store(d, ".im2col_no_offs::w")
        yield "IM2COL_PREFETCH", "%dd" % d, prefetch(d, ".im2col", info=OFFSETS[d])
        yield "IM2COL_W_PREFETCH", "%dd" % d, prefetch(d, ".im2col::w", info="{h0, h1}")
        yield "IM2COL_W128_PREFETCH", "%dd" % d, prefetch(d, ".im2col::w::128", info="{h0, h1}")
        for op in REDUCE:
            yield "IM2COL_REDUCE_" + op.upper(), "%dd" % d, reduce(d, op, ".im2col_no_offs")
            yield "IM2COL_W_REDUCE", "%dd-%s" % (d, op), reduce(d, op, ".im2col_no_offs::w")
    yield "SCATTER4_STORE", "2d", store(2, ".tile::scatter4", coords=COORDS[5])
    yield "GATHER4_PREFETCH", "2d", prefetch(2, ".tile::gather4", coords=COORDS[5])
    yield "-SCATTER4_3D", "3d", store(3, ".tile::scatter4", coords=COORDS[5])
    yield "-IM2COL_STORE_2D", "2d", store(2, ".im2col_no_offs")
    yield "-REDUCE_SCATTER4", "2d", reduce(2, "add", ".tile::scatter4", coords=COORDS[5])
    yield "MAP_PREFETCH", "generic", "prefetch.tensormap [map];"
    yield "MAP_PREFETCH", "param", "prefetch.param.tensormap [tm];"
    yield "MAP_PREFETCH", "const", "prefetch.const.tensormap [map];"


def modifiers():
    cluster, cta, wide = "shared::cluster", "shared::cta", "{h0, h1}"
    many = (
        ("tile", 2, ".tile", None, ""),
        ("im2col", 4, ".im2col", None, OFFSETS[4]),
        ("gather4", 2, ".tile::gather4", COORDS[5], ""),
        ("im2col_w", 4, ".im2col::w", None, wide),
        ("im2col_w128", 4, ".im2col::w::128", None, wide),
    )
    for name, d, mode, coords, info in many:
        form = (lambda f: f) if name == "tile" else (lambda f: "-%s+%s" % (name.upper(), f))
        both = dict(coords=coords, info=info)
        yield form("MOD_MULTICAST"), name, load(
            d, cluster, mode, ".multicast::cluster", ", mask", **both
        )
        yield form("MOD_MULTICAST_16B"), name, load(
            d, cluster, mode, ".multicast::cluster::16b", ", mask", **both
        )
        yield form("MOD_MULTICAST_32B"), name, load(
            d, cluster, mode, ".multicast::cluster::32b", ", mask32", **both
        )
        for width, operand in (("", "mask"), ("::16b", "mask"), ("::32b", "mask32")):
            yield (
                "MOD_MULTICAST_CTA",
                name + width,
                load(d, cta, mode, ".multicast::cluster" + width, ", " + operand, **both),
            )
        for n in (1, 2):
            group = ".cta_group::%d" % n
            yield form("MOD_CTA_GROUP_%d" % n), name, load(d, cluster, mode, group, **both)
            yield "-CTA+" + form("MOD_CTA_GROUP_%d" % n), name, load(d, cta, mode, group, **both)
            yield (
                "-MULTICAST+" + form("MOD_CTA_GROUP_%d" % n),
                name,
                load(d, cluster, mode, ".multicast::cluster" + group, ", mask", **both),
            )
        hint = ".L2::cache_hint"
        yield form("MOD_L2_HINT"), name + "-load", load(d, cluster, mode, hint, ", pol", **both)
        yield form("MOD_L2_HINT"), name + "-prefetch", prefetch(d, mode, hint, ", pol", **both)
    yield "MOD_L2_HINT", "store", store(2, ".tile", ".L2::cache_hint", ", pol")
    yield "MOD_L2_HINT", "reduce", reduce(2, "add", ".tile", ".L2::cache_hint", ", pol")
    yield "MOD_CTA_GROUP_STORE", "1", store(2, ".tile", ".cta_group::1")
    yield "MOD_CTA_GROUP_STORE", "2", store(2, ".tile", ".cta_group::2")
    yield "MOD_EVICT_LAST", "prefetch", prefetch(2, ".tile", ".L2::evict_last")
    for r in REPORTS:
        yield "MOD_REPORT", r, load(2, cta, ".tile", ".mbarrier::report::" + r)


def overrides():
    size = {
        1: "{n0}",
        2: "{n0, n1}",
        3: "{n0, n1, n2}",
        4: "{n0, n1, n2, n3}",
        5: "{n0, n1, n2, n3, n4}",
    }
    low = {2: "{c0}", 3: "{c0, c1}", 4: "{c0, c1, c2}", 5: "{c0, c1, c2, c3}"}
    for d in range(1, 6):
        address = "v64, " + COORDS[d]
        dims = "v64, " + size[d] + (", %s, h0" % low[d] if d > 1 else "") + ", " + COORDS[d]
        q = ".override::global_address"
        which = ".override::global_dim" if d == 1 else ".override::global_dim_stride"
        name = "MOD_OVERRIDE_DIM" if d == 1 else "MOD_OVERRIDE_DIM_STRIDE"
        for form, mods, coords in (("MOD_OVERRIDE_ADDRESS", q, address), (name, q + which, dims)):
            yield form, "%dd-load" % d, load(d, "shared::cta", ".tile", mods, coords=coords)
            yield form, "%dd-cluster" % d, load(d, "shared::cluster", ".tile", mods, coords=coords)
            yield form, "%dd-store" % d, store(d, ".tile", mods, coords=coords)
            yield form, "%dd-reduce" % d, reduce(d, "add", ".tile", mods, coords=coords)
            yield form, "%dd-prefetch" % d, prefetch(d, ".tile", mods, coords=coords)


def bulk():
    tx = "mbarrier::complete_tx::bytes"
    yield "BULK_LOAD_CLUSTER", "", "cp.async.bulk.shared::cluster.global.%s [s], [g], sz, [m];" % tx
    yield "BULK_LOAD_CTA", "", "cp.async.bulk.shared::cta.global.%s [s], [g], sz, [m];" % tx
    copy = "cp.async.bulk.shared::cluster.shared::cta.%s [s], [s2], sz, [m];" % tx
    yield "BULK_COPY_CLUSTER", "", copy
    yield "BULK_STORE", "", "cp.async.bulk.global.shared::cta.bulk_group [g], [s], sz;"
    yield "BULK_PREFETCH", "", "cp.async.bulk.prefetch.L2.global [g], sz;"
    yield (
        "MOD_BULK_MULTICAST",
        "",
        "cp.async.bulk.shared::cluster.global.%s.multicast::cluster [s], [g], sz, [m], mask;" % tx,
    )
    masked = "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [g], [s], sz, mask;"
    yield "MOD_BULK_MASK", "", masked
    yield (
        "MOD_BULK_IGNORE_OOB",
        "",
        "cp.async.bulk.shared::cta.global.%s.ignore_oob [s], [g], sz, r, r, [m];" % tx,
    )
    for name, text in (
        (
            "load",
            "cp.async.bulk.shared::cluster.global.%s.L2::cache_hint [s], [g], sz, [m], pol;" % tx,
        ),
        ("store", "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [g], [s], sz, pol;"),
        ("prefetch", "cp.async.bulk.prefetch.L2.global.L2::cache_hint [g], sz, pol;"),
    ):
        yield "MOD_BULK_L2_HINT", name, text
    types = {
        "add": "u32 s32 u64 f32 f64 noftz.f16 noftz.bf16",
        "min": "u32 s32 u64 s64 f16 bf16",
        "max": "u32 s32 u64 s64 f16 bf16",
        "inc": "u32",
        "dec": "u32",
        "and": "b32 b64",
        "or": "b32 b64",
        "xor": "b32 b64",
    }
    for op in REDUCE:
        for t in types[op].split():
            yield (
                "BULK_REDUCE",
                "%s.%s" % (op, t),
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [g], [s], sz;" % (op, t),
            )
    near = {
        "add": "u32 s32 u64",
        "min": "u32 s32",
        "max": "u32 s32",
        "inc": "u32",
        "dec": "u32",
        "and": "b32",
        "or": "b32",
        "xor": "b32",
    }
    for op in REDUCE:
        for t in near[op].split():
            yield (
                "BULK_REDUCE_CLUSTER",
                "%s.%s" % (op, t),
                "cp.reduce.async.bulk.shared::cluster.shared::cta.%s.%s.%s [s], [s2], sz, [m];"
                % (tx, op, t),
            )
    yield "BULK_GROUP", "commit", "cp.async.bulk.commit_group;"
    yield "BULK_GROUP", "wait", "cp.async.bulk.wait_group 0;"
    yield "BULK_GROUP", "wait-read", "cp.async.bulk.wait_group.read 0;"


def replace():
    def one(field, type_, operands, space):
        at = "[g]" if space == "global" else "[s]"
        return "tensormap.replace.tile.%s.%s.b1024.%s %s, %s;" % (
            field,
            space,
            type_,
            at,
            operands,
        )

    for space in ("global", "shared::cta"):
        yield "REPLACE_ADDRESS", space, one("global_address", "b64", "v64", space)
        yield "REPLACE_RANK", space, one("rank", "b32", "r", space)
        for i in range(6):
            for form, field, t, v, last in (
                ("BOX_DIM", "box_dim", "b32", "r", 4),
                ("GLOBAL_DIM", "global_dim", "b32", "r", 4),
                ("GLOBAL_STRIDE", "global_stride", "b64", "v64", 4),
                ("ELEMENT_STRIDE", "element_stride", "b32", "r", 4),
            ):
                name = "REPLACE_" + form if i <= last else "-REPLACE_%s_BEYOND" % form
                yield name, "%s-%d" % (space, i), one(field, t, "%d, %s" % (i, v), space)
        for field, groups in (
            ("elemtype", (("", range(13)), ("_PACKED", range(13, 16)), ("-BEYOND", (16,)))),
            ("interleave_layout", (("", range(3)), ("-BEYOND", (3,)))),
            ("swizzle_mode", (("", range(4)), ("_96B", (4,)), ("-BEYOND", (5,)))),
            ("swizzle_atomicity", (("", range(4)), ("-BEYOND", (4,)))),
            ("fill_mode", (("", range(2)), ("-BEYOND", (2,)))),
        ):
            for suffix, values in groups:
                form = "REPLACE_" + field.upper() + suffix.lstrip("-")
                form = "-" + form if suffix.startswith("-") else form
                for v in values:
                    yield form, "%s-%d" % (space, v), one(field, "b32", "%d" % v, space)
    yield ("-REPLACE_IM2COL", "", "tensormap.replace.im2col.rank.global.b1024.b32 [g], r;")


def fences():
    for scope in ("cta", "cluster", "gpu", "sys"):
        yield (
            "MAP_CP_FENCE",
            scope,
            "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic"
            ".release.%s.sync.aligned [g], [s], 128;" % scope,
        )
        yield "MAP_FENCE_RELEASE", scope, "fence.proxy.tensormap::generic.release.%s;" % scope
        acquire = "fence.proxy.tensormap::generic.acquire.%s [g], 128;" % scope
        yield "MAP_FENCE_ACQUIRE", scope, acquire
    yield "-MAP_FENCE_SIZE", "64", "fence.proxy.tensormap::generic.acquire.gpu [g], 64;"
    yield "ASYNC_FENCE", "all", "fence.proxy.async;"
    for space in ("global", "shared::cta", "shared::cluster"):
        yield "ASYNC_FENCE", space, "fence.proxy.async.%s;" % space
    yield "MBARRIER_INIT_FENCE", "", "fence.mbarrier_init.release.cluster;"
    yield "MBARRIER_EXPECT_TX", "expect", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], r;"
    complete = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m], r;"
    yield "MBARRIER_EXPECT_TX", "complete", complete
    yield (
        "MBARRIER_EXPECT_TX",
        "arrive",
        "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [m], r;",
    )
    yield (
        "MBARRIER_EXPECT_TX",
        "arrive-remote",
        "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [m], r;",
    )
    yield "MBARRIER_TRY_WAIT", "state", "mbarrier.try_wait.shared::cta.b64 p, [m], state;"
    yield "MBARRIER_TRY_WAIT", "parity", "mbarrier.try_wait.parity.shared::cta.b64 p, [m], r;"


def all_probes():
    """[(form, variant, ptx)], every name once."""
    rows = []
    for part in (loads, stores, modifiers, overrides, bulk, replace, fences):
        rows.extend(part())
    names = [(form, variant) for form, variant, _ in rows]
    assert len(set(names)) == len(names), "a probe stands twice"
    return rows


TENSOR = ("cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch.tensor")


def tensor_spellings():
    tx = "mbarrier::complete_tx::bytes"
    for name, dst in (("CLUSTER", "shared::cluster"), ("CTA", "shared::cta")):
        for form, mode in (
            ("TILE", "tile"),
            ("IM2COL", "im2col"),
            ("IM2COL_W", "im2col::w"),
            ("IM2COL_W128", "im2col::w::128"),
            ("GATHER4", "tile::gather4"),
        ):
            yield "%s_LOAD_%s" % (form, name), TENSOR[0], "%s global %s %s" % (dst, mode, tx)
            if name == "CTA":
                yield form + "_PREFETCH", TENSOR[2], "L2 global " + mode
    for form, mode in (
        ("TILE", "tile"),
        ("IM2COL", "im2col_no_offs"),
        ("SCATTER4", "tile::scatter4"),
        ("IM2COL_W", "im2col_no_offs::w"),
    ):
        yield form + "_STORE", TENSOR[0], "global shared::cta %s bulk_group" % mode
    for op in REDUCE:
        yield "TILE_REDUCE_" + op.upper(), TENSOR[1], "global shared::cta %s tile bulk_group" % op
        yield (
            "IM2COL_REDUCE_" + op.upper(),
            TENSOR[1],
            "global shared::cta %s im2col_no_offs bulk_group" % op,
        )
        yield "IM2COL_W_REDUCE", TENSOR[
            1
        ], "global shared::cta %s im2col_no_offs::w bulk_group" % op
    for form, word in (
        ("MULTICAST", "multicast::cluster"),
        ("MULTICAST_16B", "multicast::cluster::16b"),
        ("MULTICAST_32B", "multicast::cluster::32b"),
    ):
        yield "MOD_" + form, TENSOR[0], "shared::cluster " + word
    for form, word in (
        ("CTA_GROUP_1", "cta_group::1"),
        ("CTA_GROUP_2", "cta_group::2"),
        ("REPORT", "mbarrier::report*"),
    ):
        yield "MOD_" + form, TENSOR[0], "%s %s" % (tx, word)
    yield "MOD_MULTICAST_CTA", TENSOR[0], "shared::cta global multicast::cluster* " + tx
    yield "MOD_CTA_GROUP_STORE", TENSOR[0], "bulk_group cta_group::*"
    for operation in TENSOR:
        yield "MOD_L2_HINT", operation, "L2::cache_hint"
        yield "MOD_OVERRIDE_ADDRESS", operation, "override::global_address"
        yield "MOD_OVERRIDE_DIM", operation, "override::global_dim"
        yield "MOD_OVERRIDE_DIM_STRIDE", operation, "override::global_dim_stride"
    yield "MOD_EVICT_LAST", TENSOR[2], "L2::evict_last"


def bulk_spellings():
    copy, tx = "cp.async.bulk", "mbarrier::complete_tx::bytes"
    yield "BULK_LOAD_CLUSTER", copy, "shared::cluster global " + tx
    yield "BULK_LOAD_CTA", copy, "shared::cta global " + tx
    yield "BULK_COPY_CLUSTER", copy, "shared::cluster shared::cta " + tx
    yield "BULK_STORE", copy, "global shared::cta bulk_group"
    yield "BULK_PREFETCH", copy + ".prefetch", "L2 global"
    yield "BULK_REDUCE", "cp.reduce.async.bulk", "global shared::cta bulk_group"
    yield "BULK_REDUCE_CLUSTER", "cp.reduce.async.bulk", "shared::cluster shared::cta " + tx
    yield "BULK_GROUP", copy + ".commit_group", ""
    yield "BULK_GROUP", copy + ".wait_group", ""
    yield "MOD_BULK_MULTICAST", copy, "multicast::cluster"
    yield "MOD_BULK_MASK", copy, "cp_mask"
    yield "MOD_BULK_IGNORE_OOB", copy, "ignore_oob"
    for operation in (copy, copy + ".prefetch", "cp.reduce.async.bulk"):
        yield "MOD_BULK_L2_HINT", operation, "L2::cache_hint"


def other_spellings():
    replace = "tensormap.replace"
    yield "REPLACE_ADDRESS", replace, "tile global_address"
    for field in (
        "rank",
        "box_dim",
        "global_dim",
        "global_stride",
        "element_stride",
        "elemtype",
        "interleave_layout",
        "swizzle_mode",
        "swizzle_atomicity",
        "fill_mode",
    ):
        yield "REPLACE_" + field.upper(), replace, "tile " + field
    yield "REPLACE_ELEMTYPE_PACKED", replace, "tile elemtype"
    yield "REPLACE_SWIZZLE_MODE_96B", replace, "tile swizzle_mode"
    yield "MAP_PREFETCH", "prefetch", "tensormap"
    yield "MAP_CP_FENCE", "tensormap.cp_fenceproxy", ""
    yield "MAP_FENCE_RELEASE", "fence.proxy", "tensormap::generic release"
    yield "MAP_FENCE_ACQUIRE", "fence.proxy", "tensormap::generic acquire"
    yield "ASYNC_FENCE", "fence.proxy", "async"
    yield "MBARRIER_INIT_FENCE", "fence.mbarrier_init", ""
    yield "MBARRIER_EXPECT_TX", "mbarrier.expect_tx", ""
    yield "MBARRIER_EXPECT_TX", "mbarrier.complete_tx", ""
    yield "MBARRIER_EXPECT_TX", "mbarrier.arrive", "expect_tx"
    yield "MBARRIER_TRY_WAIT", "mbarrier.try_wait", ""


def all_spellings():
    """[(form, operation, qualifiers)]: what an instruction says that is of this form."""
    return [*tensor_spellings(), *bulk_spellings(), *other_spellings()]
