/* Forms that PTX does not have, or that the emulator does not take: each is refused at its line, in
 * the words that say why; and what seldom used forms leave in a register. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"

#define H90 "sm_90a"
#define H100 "sm_100a"

static const struct refused {
    const char *target, *text, *says;
} refused[] = {
    /* types */
    {H90, "add.sat.s32 %r1, %r2, %r3", "qualifier '.sat' of 'add.sat.s32' is not known"},
    {H90, "fma.rn.relu.f32 %r1, %r2, %r3, %r4", "'fma.rn.relu.f32' has no such type"},
    {H90, "add.relu.f16 %h1, %h2, %h3", "'add.relu.f16' has no such type"},
    {H90, "fma.rn.tf32 %r1, %r2, %r3, %r4", "'fma.rn.tf32' has no such type"},
    {H90, "fma.rn.u32 %r1, %r2, %r3, %r4", "'fma.rn.u32' has no such type"},
    {H90, "fma.rn.e4m3 %h1, %h2, %h3, %h4", "'fma.rn.e4m3' has no such type"},
    {H90, "min.f16 %h1, %h2, %h3, %h4", "'min.f16'"},
    {H90, "dp4a.f32.u32 %r1, %r2, %r3, %r4", "'dp4a.f32.u32'"},
    {H90, "setp.eq.b8 %p1, %h1, %h2", "'setp.eq.b8' has no such type"},
    {H90, "setp.eq.b128 %p1, %q1, %q2", "'setp.eq.b128' has no such type"},
    {H90, "setp.lo.s32 %p1, %r1, %r2", "'setp.lo.s32' has no such comparison"},
    {H90, "set.eq.u16.u16 %h1, %h2, %h3", "'set.eq.u16.u16' has no such type"},
    {H90, "set.eq.u32.f16x2 %r1, %r2, %r3", "'set.eq.u32.f16x2' has no such type"},
    {H90, "set.eq.u32.bf16x2 %r1, %r2, %r3", "'set.eq.u32.bf16x2' has no such type"},
    {H90, "set.eq.f32.f16 %r1, %h2, %h3", "'set.eq.f32.f16' has no such type"},
    {H90, "set.eq.f32.bf16 %r1, %h2, %h3", "'set.eq.f32.bf16' has no such type"},
    {H90, "setp.eq.f16 %p1|%p2, %h1, %h2", "'setp.eq.f16' of one half has one predicate"},
    {H90, "setp.eq.bf16 %p1|%p2, %h1, %h2", "'setp.eq.bf16' of one half has one predicate"},
    {H90, "cvt.sat.u8.u8 %r1, %r2", "'.sat' has nothing to limit"},
    {H90, "cvt.sat.s32.s16 %r1, %h2", "'.sat' has nothing to limit"},
    {H90, "cvt.sat.s64.u32 %d1, %r2", "'.sat' has nothing to limit"},
    {H90, "cvt.u32 %r1, %r2", "'cvt.u32' has no such types"},
    {H90, "cvt.f32.f16x2 %r1, %r2", "'cvt.f32.f16x2' has no such types"},
    {H90, "cvt.f16x2.u32 %r1, %r2", "'cvt.f16x2.u32' has no such types"},
    {H90, "cvt.u32.tf32 %r1, %r2", "'cvt.u32.tf32' has no such types"},
    {H90, "cvt.rn.f32.e4m3x2 %r1, %h2", "'cvt.rn.f32.e4m3x2' has no such types"},
    {H90, "cvt.u32.u32 %p1, %r2", "'cvt.u32.u32' writes 32 bits to a register of 1"},
    {H90, "cvt.u32.u32 %r1, %p2", "a register of 1 bits where 'cvt.u32.u32' takes 32"},
    {H90, "cvt.u32.u32 %q1, %r2", "'cvt.u32.u32' has no such type"},
    {H90, "cvt.u32.u32 %r1, %q2", "'cvt.u32.u32' has no such type"},
    {H90, "cvt.rn.e4m3x2.f32 %h1, %r2, %r3", "'cvt.rn.e4m3x2.f32' without .satfinite"},
    {H100, "cvt.rn.e2m1x2.f32 %h1, %r2, %r3", "'cvt.rn.e2m1x2.f32' without .satfinite"},
    {H90, "cvt.pack.s16.s32 %r1, %r2, %r3", "'cvt.pack.s16.s32' has no such types"},
    {H90, "cvt.pack.sat.s16.u32 %r1, %r2, %r3", "'cvt.pack.sat.s16.u32' has no such types"},
    {H90, "cvt.pack.sat.s32.s32 %r1, %r2, %r3", "'cvt.pack.sat.s32.s32' has no such types"},
    {H90, "cvt.pack.sat.s8.s32 %r1, %r2, %r3", "'cvt.pack.sat.s8.s32' has no such types"},
    {H90, "cvt.pack.sat.s16.s32.b32 %r1, %r2, %r3, %r4", "has no such types"},
    /* only whole numbers saturate; groups */
    {H90,
     "mma.sync.aligned.m16n8k8.row.col.satfinite.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, %r5, "
     "{%r1, %r2}",
     "has no such shape or type"},
    {H90, "cp.async.wait_group -1", "'cp.async.wait_group' of -1 groups"},
    {H90, "cp.async.bulk.wait_group.read -1", "'cp.async.bulk.wait_group.read' of -1 groups"},
    {H90, "wgmma.wait_group.sync.aligned -1", "'wgmma.wait_group.sync.aligned' of -1 groups"},
    /* atomics */
    {H90, "atom.global.min.f32 %r1, [%d1], %r2", "'atom.global.min.f32' has no such type"},
    {H90, "atom.global.exch.f32 %r1, [%d1], %r2", "'atom.global.exch.f32' has no such type"},
    {H90, "atom.global.max.f64 %d1, [%d2], %d3", "'atom.global.max.f64' has no such type"},
    {H90, "atom.global.max.noftz.f16 %h1, [%d1], %h2", "has no such type"},
    {H90, "atom.global.and.noftz.v2.f16 {%h1, %h2}, [%d1], {%h3, %h4}", "has no such type"},
    {H90, "atom.global.add.tf32 %r1, [%d1], %r2", "'atom.global.add.tf32' has no such type"},
    {H90, "atom.global.add.u16 %h1, [%d1], %h2", "'atom.global.add.u16' has no such type"},
    {H90, "atom.global.add.b8 %h1, [%d1], %h2", "'atom.global.add.b8' has no such type"},
    {H90, "red.async.relaxed.cluster.min.s64 [%r1], %d1, [%r2]", "has no such type"},
    {H90, "red.async.relaxed.cluster.add.s64 [%r1], %d1, [%r2]", "has no such type"},
    {H90, "red.async.relaxed.cluster.inc.s32 [%r1], %r3, [%r2]", "has no such type"},
    {H90, "red.async.relaxed.cluster.xor.u32 [%r1], %r3, [%r2]", "has no such type"},
    {H90, "red.async.relaxed.cluster.u32 [%r1], %r3, [%r2]", "has no such type"},
    {H90, "red.async.relaxed.cluster.add.v2.u32 [%r1], {%r3, %r4}, [%r2]", "has no such type"},
    {H90, "st.async.shared::cluster.b16 [%r1], %h3, [%r2]", "has no such type"},
    /* operands */
    {H90, "ld.mmio.global.u32 %r1, [%d1]", "'ld.mmio.global.u32' without .relaxed"},
    {H90, "ld.global.u32 %r1, []", "'ld.global.u32' takes an address in brackets here"},
    {H90, "mov.u16 %h1, %clock", "'%clock' is not declared"},
    {H90, "mov.b32 %r1, {%h1, %h2, %h3}", "a vector that mov does not take"},
    {H90, "mov.b16 %h1, {%r1, %r2, %r3, %r4}", "a vector that mov does not take"},
    {H90, "mov.b32 %r1, %r1234567", "'%r1234567' is not declared"},
    {H90, "shfl.sync.idx.b32 %r1|%r2, %r3, %r4, 31, -1", "writes 1 bits to a register of 32"},
    {H90, "setp.eq.u32 %p1|%r2, %r3, %r4", "writes 1 bits to a register of 32"},
    {H90, "elect.sync %p1|%p2, %r3", "writes 32 bits to a register of 1"},
    {H90, "elect.sync %r1|%r2, %r3", "writes 1 bits to a register of 32"},
    /* copies */
    {H90,
     "cp.async.bulk.tensor.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%d1, {%r2}], "
     "[%r3]",
     "without a dimension"},
    {H90,
     "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%d1, %r2], "
     "[%r3]",
     "with 0 coordinates"},
    {H90,
     "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%d1, "
     "{%r2, %r3}], [%r4]",
     "with 2 coordinates"},
    {H90,
     "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%d1, "
     "{%r2}, {%r3}], [%r4]",
     "with 1 coordinates"},
    {H90,
     "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%d1, "
     "{%r2, %r3, %r4}], [%r5], {%h1, %h2, %h3, %h4}",
     "takes {offsets}"},
    {H90,
     "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%d1, "
     "{%r2, %r3, %r4}], [%r5], %h1",
     "takes {offsets}"},
    {H90, "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%d1, {%r2, %r3, %r4}]",
     "has too few operands"},
    {H90,
     "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
     "[%d1], [%r2], 64",
     "64 bytes of a tensor map"},
};

static void refuses(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct tmap_emulate_module *module = NULL;
        struct tmap_emulate_error error;
        char text[1000];
        snprintf(text, sizeof text,
                 ".version 9.0\n.target %s\n.address_size 64\n.entry k(.param .u64 p) {\n"
                 ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<9>; .reg .b64 %%d<9>; "
                 ".reg .b128 %%q<3>;\n%s;\nret;\n}\n",
                 refused[i].target, refused[i].text);
        const enum tmap_status s = tmap_emulate_load(text, strlen(text), &module, &error);
        tmap_emulate_free(module);
        if (s != TMAP_E_ARGUMENT || error.line != 6 || !strstr(error.text, refused[i].says))
            wrong++, fprintf(stderr, "# %s: status %d, line %u: '%s', not '%s'\n", refused[i].text,
                             s, error.line, error.text, refused[i].says);
    }
    assert_int_equal(wrong, 0);
}

/* --- what is left: thread 0 of CTA 0 stores %d1 */

static const struct meaning {
    const char *target, *body;
    uint64_t value;
    uint32_t threads, ctas; /* 0: 1 */
} meanings[] = {
    /* addresses */
    {H90, "st.shared.u32 [s], 7; ld.u32 %r1, [s]; cvt.u64.u32 %d1, %r1;", 7, 0, 0},
    {H90,
     "mov.u32 %r1, s; cvta.shared.u32 %r2, %r1; cvta.to.shared.u32 %r3, %r2; sub.u32 %r3, %r3, "
     "%r1; cvt.u64.u32 %d1, %r3;",
     0, 0, 0},
    {H90,
     "mov.u32 %r2, s; mov.u32 %r3, 5; st.shared.u32 [s], 8; atom.shared.add.u32 %r1, [%r2], %r3; "
     "ld.shared.u32 %r4, [s]; mad.lo.u32 %r1, %r1, 100, %r4; cvt.u64.u32 %d1, %r1;",
     813, 0, 0},
    {H90,
     "mov.u64 %d2, s; cvta.shared.u64 %d2, %d2; mapa.u64 %d3, %d2, 1; getctarank.u64 %r1, %d3; "
     "getctarank.u64 %r2, %d2; mad.lo.u32 %r1, %r1, 10, %r2; cvt.u64.u32 %d1, %r1;",
     10, 1, 2},
    {H90,
     "mov.u32 %r3, s; mapa.shared::cluster.u32 %r4, %r3, 1; getctarank.shared::cluster.u32 %r1, "
     "%r4; cvt.u64.u32 %d1, %r1;",
     1, 1, 2},
    {H90,
     "mov.u64 %d2, s; cvta.shared.u64 %d2, %d2; mapa.u64 %d3, %d2, 1; isspacep.shared::cta %p1, "
     "%d3; isspacep.shared::cluster %p2, %d3; selp.u64 %d1, 1, 0, %p1; selp.u64 %d4, 10, 0, %p2; "
     "add.u64 %d1, %d1, %d4;",
     10, 1, 2},
    {H90, "isspacep.global %p1, 0x6d0000000000; selp.u64 %d1, 1, 0, %p1;", 0, 0, 0},
    {H90,
     ".local .u32 l; mov.u64 %d2, l; cvta.local.u64 %d2, %d2; isspacep.global %p1, %d2; selp.u64 "
     "%d1, 1, 0, %p1;",
     0, 0, 0},
    {H90,
     "mov.b64 %d2, p; cvta.param.u64 %d2, %d2; isspacep.global %p1, %d2; selp.u64 %d1, 1, 0, %p1;",
     0, 0, 0},
    /* loads and stores */
    {H90,
     "st.global.u64 [%d0+16], 11; st.global.u64 [%d0+24], 22; ld.global.b128 %q1, [%d0+16]; "
     "st.global.b128 [%d0+32], %q1; ld.global.u64 %d1, [%d0+32]; ld.global.u64 %d2, [%d0+40]; "
     "mad.lo.u64 %d1, %d2, 100, %d1;",
     2211, 0, 0},
    {H90,
     "st.mmio.relaxed.sys.global.u32 [%d0+8], 6; ld.mmio.relaxed.sys.global.u32 %r1, [%d0+8]; "
     "cvt.u64.u32 %d1, %r1;",
     6, 0, 0},
    {H90,
     "st.volatile.global.u32 [%d0+8], 9; ld.global.L1::evict_last.u32 %r1, [%d0+8]; "
     "prefetch.global.L2::evict_last [%d0]; cvt.u64.u32 %d1, %r1;",
     9, 0, 0},
    /* numbers */
    {H90, "mov.u64 %d2, -5; div.s64 %d1, %d2, 0;", UINT64_MAX, 0, 0},
    {H90, "mov.u64 %d2, -5; div.s64 %d1, %d2, -1;", 5, 0, 0},
    {H90, "mov.u64 %d2, -5; rem.s64 %d1, %d2, 0;", (uint64_t)-5, 0, 0},
    {H90, "add.cc.u64 %d2, -1, 1; addc.cc.u64 %d3, 9, -1; addc.u64 %d1, 0, 0;", 1, 0, 0},
    {H90, "mov.f64 %d2, 0d7FF8000000000000; cvt.rni.s32.f64 %r1, %d2; cvt.u64.u32 %d1, %r1;",
     0x80000000, 0, 0},
    {H90, "mov.f32 %r2, 0f7FC00000; cvt.rni.s32.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0, 0, 0},
    {H90, "mov.u32 %r2, 0x12345; cvt.u16.u32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0x2345, 0, 0},
    {H90, "mov.u32 %r2, 0x18345; cvt.s16.u32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0xffff8345, 0, 0},
    {H90, "mov.s32 %r2, 1001; cvt.rp.f16.s32 %h1, %r2; cvt.u64.u16 %d1, %h1;", 0x63d2, 0, 0},
    {H90, "cvt.pack.sat.u8.s32.b32 %r1, 300, -7, 0x1234; cvt.u64.u32 %d1, %r1;", 0x1234ff00, 0, 0},
    {H90, "cvt.pack.sat.s16.s32 %r1, 40000, -40000; cvt.u64.u32 %d1, %r1;", 0x7fff8000, 0, 0},
    {H90,
     "mov.f32 %r2, 0f7FC00000; mov.f32 %r3, 0fFF800000; cvt.rn.satfinite.e4m3x2.f32 %h1, %r2, "
     "%r3; cvt.u64.u16 %d1, %h1;",
     0x7ffe, 0, 0},
    {H100,
     "mov.f32 %r2, 0f7FC00000; mov.f32 %r3, 0fFF800000; cvt.rn.satfinite.e2m1x2.f32 %h1, %r2, "
     "%r3; cvt.u64.u16 %d1, %h1;",
     0x7f, 0, 0},
    {H100, "mov.u16 %h1, 0x7f80; cvt.rn.bf16x2.ue8m0x2 %r1, %h1; cvt.u64.u32 %d1, %r1;", 0x3f804000,
     0, 0},
    /* functions that are near enough */
    {H90, "mov.f32 %r2, 4.0; rsqrt.approx.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0x3f000000, 0, 0},
    {H90, "mov.f64 %d2, 4.0; rsqrt.approx.f64 %d1, %d2;", 0x3fe0000000000000, 0, 0},
    {H90, "mov.f32 %r2, 3.0; ex2.approx.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0x41000000, 0, 0},
    {H90, "mov.f32 %r2, 8.0; lg2.approx.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0x40400000, 0, 0},
    {H90, "mov.f32 %r2, -0.0; sin.approx.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0x80000000, 0, 0},
    {H90, "mov.f32 %r2, 0.0; cos.approx.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0x3f800000, 0, 0},
    {H90, "mov.f32 %r2, 20.0; tanh.approx.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0x3f800000, 0, 0},
    {H90, "mov.b16 %h2, 0x4000; ex2.approx.ftz.bf16 %h1, %h2; cvt.u64.u16 %d1, %h1;", 0x4080, 0, 0},
    {H90, "mov.f32 %r2, -130.0; ex2.approx.ftz.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0, 0, 0},
    {H90, "mov.f32 %r2, -130.0; ex2.approx.f32 %r1, %r2; cvt.u64.u32 %d1, %r1;", 0x80000, 0, 0},
    {H90, "mov.b16 %h2, 0xc302; ex2.approx.ftz.bf16 %h1, %h2; cvt.u64.u16 %d1, %h1;", 0, 0, 0},
    {H90, "mov.b16 %h2, 0x4c00; tanh.approx.f16 %h1, %h2; cvt.u64.u16 %d1, %h1;", 0x3c00, 0, 0},
    /* halves, the least and the greatest */
    {H90,
     "st.global.u64 [%d0+8], 0xbc007e0040003c00; mov.b64 {%h1, %h2, %h3, %h4}, 0x7e00bc003c004000; "
     "red.global.min.noftz.v4.f16 [%d0+8], {%h1, %h2, %h3, %h4}; ld.global.u64 %d1, [%d0+8];",
     0xbc00bc003c003c00, 0, 0},
    {H90,
     "st.global.u64 [%d0+8], 0xbf807fc040003f80; mov.b64 {%r1, %r2}, 0x7fc0bf803f804000; "
     "red.global.max.noftz.v2.bf16x2 [%d0+8], {%r1, %r2}; ld.global.u64 %d1, [%d0+8];",
     0xbf80bf8040004000, 0, 0},
    /* lanes: the first is no number */
    {H100,
     "mov.u32 %r2, %tid.x; add.u32 %r2, %r2, 0x40000000; mov.u32 %r3, %tid.x; setp.eq.u32 %p1, "
     "%r3, 0; selp.b32 %r2, 0x7fc00000, %r2, %p1; redux.sync.min.f32 %r1, %r2, -1; cvt.u64.u32 "
     "%d1, %r1;",
     0x40000001, 32, 0},
    /* nothing to see */
    {H90, "setmaxnreg.inc.sync.aligned.u32 40; mov.u64 %d1, 1;", 1, 128, 0},
    {H90, "nanosleep.u32 20; mov.u64 %d1, 2;", 2, 0, 0},
    {H90, "mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 0; @%p1 exit; mov.u64 %d1, 3;", 3, 32, 0},
};

static void means(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        const struct meaning *m = &meanings[i];
        char text[2000];
        uint64_t data[8] = {0x5a5a};
        struct ptx_run run;
        snprintf(text, sizeof text,
                 ".version 9.0\n.target %s\n.address_size 64\n.shared .align 8 .b8 s[64];\n"
                 ".visible .entry k(.param .u64 p) {\n.reg .pred %%p<4>; .reg .b16 %%h<8>; "
                 ".reg .b32 %%r<8>; .reg .b64 %%d<8>; .reg .b128 %%q<2>; .reg .b32 %%a, %%b;\n"
                 "ld.param.u64 %%d0, [p];\n%s\nmov.u32 %%a, %%tid.x; mov.u32 %%b, "
                 "%%cluster_ctarank; or.b32 %%a, %%a, %%b; setp.ne.u32 %%p3, %%a, 0; @%%p3 exit;\n"
                 "st.global.u64 [%%d0], %%d1;\nret;\n}\n",
                 m->target, m->body);
        if (!ptx_run(text, data, sizeof data, m->threads ? m->threads : 1, m->ctas ? m->ctas : 1, 0,
                     TMAP_EMULATE_EARLIEST, &run) ||
            data[0] != m->value)
            wrong++, fprintf(stderr, "# %s gives 0x%llx, not 0x%llx\n", m->body,
                             (unsigned long long)data[0], (unsigned long long)m->value);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refuses), cmocka_unit_test(means)};
    return cmocka_run_group_tests_name("seldom used forms of the emulator", tests, NULL, NULL);
}
