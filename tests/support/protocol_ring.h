/* A text of a kernel that tests of protocols change (protocol_texts.h): a ring of two slots between
 * two warps, and the statements of which it consists. */
#ifndef TMAP_TESTS_PROTOCOL_RING_H
#define TMAP_TESTS_PROTOCOL_RING_H

/* data[0]: k blocks. A slot is 256 bytes; its full barrier is bar[slot], its empty one bar[2 +
 * slot]. */
extern const char ring_text[];

#define MADE "made: bar.sync 0;"
#define WAIT_EMPTY                                                                                 \
    "free: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%empty], %par; @!%p4 bra free;\n"
#define WAIT_FULL                                                                                  \
    "fulled: mbarrier.try_wait.parity.shared::cta.b64 %p6, [%full], %par; @!%p6 bra fulled;\n"
#define WAIT_THERE                                                                                 \
    "there: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%full], %par; @!%p4 bra there;\n"
#define READ "ld.shared.u64 %d5, [%buf]; bar.warp.sync -1;\n"
#define GIVE_BACK "setp.eq.u32 %p5, %lane, 0; @%p5 mbarrier.arrive.shared::cta.b64 _, [%empty];\n"
#define EXPECT(bytes) "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%full], " #bytes ";\n"
#define COPY_TO(to, bytes)                                                                         \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%buf" to "], [%d0], " #bytes   \
    ", [%full];\n"
#define COPY(bytes) COPY_TO("", bytes)
#define FILL_SLOT WAIT_EMPTY EXPECT(256) COPY(256)
#define DRAIN_SLOT WAIT_THERE READ GIVE_BACK

#endif
