/* tensor_kernel.h : how the tests' kernels of one CTA with tensor memory begin, for printf: the
 * target, then where the image lies in shared memory and its bytes. The image is copied from the
 * parameter p by all threads; warp 0 allocates, thread 0 makes the mbarrier at smem. */
#ifndef TMAP_TESTS_TENSOR_KERNEL_H
#define TMAP_TESTS_TENSOR_KERNEL_H

#define TENSOR_KERNEL_HEAD                                                                         \
    ".version 9.0\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"        \
    ".visible .entry k(.param .u64 p) {\n"                                                         \
    ".reg .pred %%p<4>; .reg .b32 %%r<24>; .reg .b64 %%rd<12>; .reg .b32 %%base, %%tm, %%id;\n"    \
    ".reg .b32 %%v<8>;\n"                                                                          \
    "ld.param.u64 %%rd9, [p]; cvta.to.global.u64 %%rd9, %%rd9;\n"                                  \
    "mov.u32 %%base, smem; mov.u32 %%id, %%tid.x; shl.b32 %%r2, %%id, 4;\n"                        \
    "setp.ge.u32 %%p1, %%id, 32; @%%p1 bra copy;\n"                                                \
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [smem + 16], 512;\n"                  \
    "setp.ne.u32 %%p1, %%id, 0; @%%p1 bra copy;\n"                                                 \
    "mbarrier.init.shared::cta.b64 [smem], 1;\n"                                                   \
    "copy: cvt.u64.u32 %%rd2, %%r2; add.u64 %%rd3, %%rd9, %%rd2; add.u32 %%r3, %%base, %%r2;\n"    \
    "ld.global.v4.u32 {%%v0, %%v1, %%v2, %%v3}, [%%rd3];\n"                                        \
    "st.shared.v4.u32 [%%r3 + %u], {%%v0, %%v1, %%v2, %%v3};\n"                                    \
    "add.u32 %%r2, %%r2, 2048; setp.lt.u32 %%p2, %%r2, %u; @%%p2 bra copy;\n"

#endif
