/* doctor_ptx.h : the smallest kernel that shows that a tensor copy works: one block loads one box
 * and writes it out. PTX 8.0 for sm_90, so every driver since CUDA 12.0 takes it. */
#ifndef TMAP_DRIVER_DOCTOR_PTX_H
#define TMAP_DRIVER_DOCTOR_PTX_H

/* The box: DOCTOR_COLUMNS x DOCTOR_ROWS 32-bit words, one row a warp step; the text repeats 1024.
 */
#define DOCTOR_COLUMNS 32
#define DOCTOR_ROWS 8

static const char doctor_ptx[] =
    ".version 8.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".visible .entry tmap_doctor(.param .align 64 .b8 map[128], .param .u64 out,\n"
    "                            .param .u32 x, .param .u32 y)\n"
    "{\n"
    "  .shared .align 128 .b8 tile[1024];\n"
    "  .shared .align 8 .b64 bar;\n"
    "  .reg .pred p;\n"
    "  .reg .b32 %t, %tile, %bar, %x, %y, %w, %n, %from;\n"
    "  .reg .b64 %map, %out, %to;\n"
    "  mov.u32 %t, %tid.x;\n"
    "  mov.u32 %tile, tile;\n"
    "  mov.u32 %bar, bar;\n"
    "  mov.b64 %map, map;\n"
    "  cvta.param.u64 %map, %map;\n"
    "  ld.param.u64 %out, [out];\n"
    "  cvta.to.global.u64 %out, %out;\n"
    "  ld.param.u32 %x, [x];\n"
    "  ld.param.u32 %y, [y];\n"
    "  setp.ne.u32 p, %t, 0;\n"
    "  @p bra WAIT;\n"
    "  mbarrier.init.shared::cta.b64 [%bar], 1;\n"
    "  fence.mbarrier_init.release.cluster;\n"
    "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 1024;\n"
    "  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%tile],\n"
    "    [%map, {%x, %y}], [%bar];\n"
    "WAIT:\n"
    "  bar.sync 0;\n"
    "  mov.u32 %n, 1000000;\n" /* tries; then the words stay as they were */
    "TRY:\n"
    "  mbarrier.try_wait.parity.shared::cta.b64 p, [%bar], 0;\n"
    "  @p bra COPY;\n"
    "  sub.u32 %n, %n, 1;\n"
    "  setp.ne.u32 p, %n, 0;\n"
    "  @p bra TRY;\n"
    "  ret;\n"
    "COPY:\n"
    "  mov.u32 %n, 0;\n"
    "NEXT:\n"
    "  shl.b32 %from, %n, 5;\n"
    "  add.u32 %from, %from, %t;\n"
    "  mul.wide.u32 %to, %from, 4;\n"
    "  add.u64 %to, %out, %to;\n"
    "  shl.b32 %from, %from, 2;\n"
    "  add.u32 %from, %tile, %from;\n"
    "  ld.shared.u32 %w, [%from];\n"
    "  st.global.u32 [%to], %w;\n"
    "  add.u32 %n, %n, 1;\n"
    "  setp.lt.u32 p, %n, 8;\n"
    "  @p bra NEXT;\n"
    "  ret;\n"
    "}\n";

#endif
