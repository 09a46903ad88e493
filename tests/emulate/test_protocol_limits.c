/* Protocols with more slots, barriers, buffers, arrivals, warps or instructions than can be read:
 * each is refused, and the refusal says of what there are too many. */
#include "support/protocol_ring.h"
#include "support/protocol_texts.h"

#include <stdio.h>

enum { THREADS = 64 };

/* One slot more than a ring has, at most; as many barriers as are said. */
static const struct edit nine_slots[] = {
    {"s[1024]; .shared .align 8 .b64 bar[4];", "s[4096]; .shared .align 8 .b64 bar[72];"},
    {"mbarrier.init.shared::cta.b64 [%bar], 1; mbarrier.init.shared::cta.b64 [%bar+8], 1;\n"
     "mbarrier.init.shared::cta.b64 [%bar+16], 1; mbarrier.init.shared::cta.b64 [%bar+24], 1;\n",
     "mov.u32 %r3, %bar; add.u32 %r4, %bar, 144;\n"
     "more: mbarrier.init.shared::cta.b64 [%r3], 1; add.u32 %r3, %r3, 8;\n"
     "setp.lt.u32 %p6, %r3, %r4; @%p6 bra more;\n"},
    {"and.b32 %slot, %i, 1; shr.u32 %par, %i, 1;", "rem.u32 %slot, %i, 9; div.u32 %par, %i, 9;"},
    {"and.b32 %slot, %i, 1; shr.u32 %par, %i, 1;", "rem.u32 %slot, %i, 9; div.u32 %par, %i, 9;"},
    {"add.u32 %empty, %full, 16;", "add.u32 %empty, %full, 72;"},
    {"add.u32 %empty, %full, 16;", "add.u32 %empty, %full, 72;"},
};

static const struct change of_nine[] = {
    {"nine slots", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "a ring of more than 8 barriers"},
    {"65 barriers", "add.u32 %r4, %bar, 144;", "add.u32 %r4, %bar, 520;", 0, PART, TMAP_E_ARGUMENT,
     0, "more than 64 mbarriers"},
};

/* Barriers beside the ring, at which the first thread arrives at once. */
#define INIT(at, count) "@!%p1 mbarrier.init.shared::cta.b64 [%bar+" #at "], " #count ";\n"
#define AT(at) "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%bar+" #at "];\n"
#define SEVEN INIT(32, 1) INIT(40, 1) INIT(48, 1) INIT(56, 1) INIT(64, 1) INIT(72, 1) INIT(80, 1)
#define SIX_ARRIVE AT(32) AT(40) AT(48) AT(56) AT(64) AT(72)
#define ONE_COPY(at, to)                                                                           \
    "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar+" #at "], 16;\n"                     \
    "@!%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%s+" #to                 \
    "], [%d0], 16, [%bar+" #at "];\n"
#define SIX_COPIES                                                                                 \
    ONE_COPY(32, 512)                                                                              \
    ONE_COPY(40, 528) ONE_COPY(48, 544) ONE_COPY(56, 560) ONE_COPY(64, 576) ONE_COPY(72, 592)
static const struct edit more_barriers[] = {{"bar[4];", "bar[16];"}};
static const struct change of_many[] = {
    {"seven more barriers, nobody uses the last", MADE, "made: " SEVEN "bar.sync 0;\n" SIX_ARRIVE,
     0, PART, TMAP_E_ARGUMENT, 0, "more than 4 rings"},
    {"seven more barriers", MADE, "made: " SEVEN "bar.sync 0;\n" SIX_ARRIVE AT(80), 0, PART,
     TMAP_E_ARGUMENT, 0, "more than 8 rings of barriers"},
    {"six more buffers", MADE, "made: " SEVEN "bar.sync 0;\n" SIX_COPIES, 0, PART, TMAP_E_ARGUMENT,
     0, "more than 6 buffers"},
};

static const struct edit more_arrivals[] = {{"[%bar], 1;", "[%bar], 200;"},
                                            {"[%bar+8], 1;", "[%bar+8], 200;"}};
static const struct change of_arrivals[] = {
    {"200 arrivals", EXPECT(256), EXPECT(256) "mbarrier.arrive.shared::cta.b64 _, [%full], 199;\n",
     0, PART, TMAP_E_ARGUMENT, 0, "too many steps"},
};

/* All warps but two only meet the others. */
static const struct edit idle_warps[] = {
    {"setp.ge.u32 %p2, %id, 32;",
     "setp.ge.u32 %p2, %id, 64; @%p2 bra out; setp.ge.u32 %p2, %id, 32;"},
};
static const struct change of_idle[] = {
    {"32 warps, 30 of which only meet the others", NULL, NULL, 0, PART, TMAP_OK, TMAP_HAZARD_NONE,
     ""},
};
static const struct change of_128_warps[] = {
    {"128 warps", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "more than 64 warps"},
};

/* Each slot by 129 copies that leave room between them. */
static const struct edit many_pieces[] = {
    {"s[1024];", "s[16384];"},
    {"shl.b32 %r1, %slot, 8;", "shl.b32 %r1, %slot, 13;"},
    {"shl.b32 %r1, %slot, 8;", "shl.b32 %r1, %slot, 13;"},
    {EXPECT(256), EXPECT(2064)},
    {COPY(256),
     "mov.u32 %r3, 0;\n"
     "piece: cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%buf], [%d0], "
     "16, [%full];\n"
     "add.u32 %buf, %buf, 32; add.u32 %r3, %r3, 1; setp.lt.u32 %p7, %r3, 129;\n"
     "@%p7 bra piece;\n"},
};
static const struct change of_pieces[] = {
    {"129 pieces", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "more than 128 buffers"},
};

/* Three rings of eight slots, of which one warp reads all at the end. */
static const char slots24[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar[24];\n"
    ".visible .entry k(.param .u64 p) {\n.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<2>;\n"
    "ld.param.u64 %d0, [p]; mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra out;\n"
    "mov.u32 %r1, bar; mov.u32 %r2, s; mov.u32 %r3, 0;\n"
    "make: mbarrier.init.shared::cta.b64 [%r1], 1; add.u32 %r1, %r1, 8; add.u32 %r3, %r3, 1;\n"
    "setp.lt.u32 %p2, %r3, 24; @%p2 bra make; fence.mbarrier_init.release.cluster;\n"
    "mov.u32 %r1, bar; mov.u32 %r3, 0;\n"
#define FILL(ring, bars, bytes)                                                                    \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1+" bars "], 16;\n"                           \
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2+" bytes                    \
    "], [%d0], 16, [%r1+" bars "];\nthere" ring                                                    \
    ": mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1+" bars "], 0; @!%p2 bra there" ring      \
    ";\n"
    "fill: " FILL("0", "0", "0") FILL("1", "64", "128")
        FILL("2", "128",
             "256") "add.u32 %r1, %r1, 8; add.u32 %r2, %r2, 16; add.u32 %r3, %r3, 1;\n"
                    "setp.lt.u32 %p2, %r3, 8; @%p2 bra fill; mov.u32 %r2, s; mov.u32 %r3, 0;\n"
                    "read: ld.shared.u32 %r4, [%r2]; add.u32 %r2, %r2, 16; add.u32 %r3, %r3, 1;\n"
                    "setp.lt.u32 %p2, %r3, 24; @%p2 bra read;\nout: ret;\n}\n";
static const struct change of_slots[] = {
    {"24 slots are read", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "reads too many slots at once"},
};

/* 20 warps of which 18 arrive once, each as often as no other. */
static const struct edit many_warps[] = {
    {"bar[4];", "bar[16];"},
    {"setp.ge.u32 %p2, %id, 32;",
     "shr.u32 %r3, %id, 5; and.b32 %r4, %id, 31; setp.ne.u32 %p6, %r4, 0;\n"
     "setp.ge.u32 %p7, %id, 64; @%p7 bra odd; bra even;\n"
     "odd: @%p6 bra out; mbarrier.arrive.shared::cta.b64 _, [%bar+32], %r3; bra out;\n"
     "even: setp.ge.u32 %p2, %id, 32;"},
    {"mbarrier.init.shared::cta.b64 [%bar], 1;",
     "mbarrier.init.shared::cta.b64 [%bar], 1; mbarrier.init.shared::cta.b64 [%bar+32], 1000;"},
};
static const struct change of_warps[] = {
    {"20 warps", NULL, NULL, 0, PART, TMAP_E_ARGUMENT, 0, "more than 16 agents"},
};

/* 513 instructions arrive at a barrier beside the ring. */
static void many_lines(void **state)
{
    static const struct text_list one = {.threads = THREADS, .ctas = 1};
    struct tmap_emulate_record *record = NULL;
    struct tmap_emulate_error error;
    struct tmap_protocol protocol;
    static char text[1 << 17], lines[1 << 16];
    (void)state;
    int n = snprintf(lines, sizeof lines,
                     "@!%%p1 mbarrier.init.shared::cta.b64 [%%s+1016], 1;\n" MADE "\n");
    for (int i = 0; i < 513; i++)
        n += snprintf(lines + n, sizeof lines - (size_t)n,
                      "@!%%p1 mbarrier.arrive.shared::cta.b64 _, [%%s+1016];\n");
    snprintf(text, sizeof text, "%s", ring_text);
    edit_text(text, sizeof text, &(struct edit){MADE, lines});
    assert_true(record_text(&one, text, 6, &record));
    assert_int_equal(tmap_emulate_protocol(&record, 1, TMAP_EMULATE_BARRIERS, 0, &protocol, &error),
                     TMAP_E_ARGUMENT);
    assert_string_equal(error.text, "more than 512 instructions name mbarriers");
    tmap_emulate_record_free(record);
}

int main(void)
{
#define LIST(threads, edits, changes) LIST_OF(ring_text, threads, 1, edits, changes)
    static struct text_list nine = LIST(THREADS, nine_slots, of_nine),
                            many = LIST(THREADS, more_barriers, of_many),
                            arrivals = LIST(THREADS, more_arrivals, of_arrivals),
                            warps = LIST(640, many_warps, of_warps),
                            pieces = LIST(THREADS, many_pieces, of_pieces),
                            idle = LIST(1024, idle_warps, of_idle),
                            many_idle = LIST_OF(ring_text, 1024, 4, idle_warps, of_128_warps),
                            all_slots = {slots24, 32, 1, NULL, 0, of_slots, COUNT(of_slots)};
    const struct CMUnitTest tests[] = {
        TEXTS_OF(nine),  TEXTS_OF(many),      TEXTS_OF(arrivals),
        TEXTS_OF(warps), TEXTS_OF(pieces),    TEXTS_OF(all_slots),
        TEXTS_OF(idle),  TEXTS_OF(many_idle), cmocka_unit_test(many_lines)};
    return run_text_lists("limits of a protocol", tests, COUNT(tests));
}
