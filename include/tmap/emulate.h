/* emulate.h : kernels on a CPU, from their PTX, with the copy engine, barriers and tensor cores.
 *
 * A module is PTX text, parsed and decoded. A launch is that of a GPU, plus the schedule that the
 * asynchronous engines follow. An asynchronous operation happens at any moment that the PTX memory
 * model allows; a program that relies on one such moment is reported even if its bytes are right.
 * Source of the semantics: PTX ISA 9.0 and what docs/SIMULATOR.md records of an H200; numbers of
 * tensor cores as src/emulate/tensor/numerics.c says. Nothing here needs a driver or a GPU.
 *
 * Thread rule: a module may be run by several threads at once; a run is one thread's.
 */
#ifndef TMAP_EMULATE_H
#define TMAP_EMULATE_H

#include "tmap/tmap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why PTX text cannot be run: the line of the text, and a sentence. */
struct tmap_emulate_error {
    uint32_t line; /* 0: no line is to blame */
    char text[200];
};

struct tmap_emulate_module;

/* tmap_emulate_load() : reads PTX text (bytes of it; a final 0 is not needed). Every instruction of
 *  every function is decoded, so that an unknown one is an error here, with its line. *out is the
 *  caller's to free. error may be NULL.
 *  Errors: TMAP_E_ARGUMENT (NULL; text that cannot be read or has an unknown instruction: error
 *  says which), TMAP_E_TARGET (an instruction that .target does not have), TMAP_E_MEMORY,
 *  TMAP_E_NOT_BUILT (the host is big-endian; a GPU is not). */
TMAP_API enum tmap_status tmap_emulate_load(const char *text, size_t bytes,
                                            struct tmap_emulate_module **out,
                                            struct tmap_emulate_error *error);
/* tmap_emulate_free() : module may be NULL; no run of it may be under way. */
TMAP_API void tmap_emulate_free(struct tmap_emulate_module *module);

/* tmap_emulate_kernel() : the name of kernel i in the order of the text; NULL at the end. */
TMAP_API const char *tmap_emulate_kernel(const struct tmap_emulate_module *module, size_t i);

/* tmap_emulate_param() : offset, size and alignment in bytes of parameter i of a kernel. False at
 *  the end, and for an unknown kernel. */
TMAP_API bool tmap_emulate_param(const struct tmap_emulate_module *module, const char *kernel,
                                 size_t i, uint32_t *offset, uint32_t *bytes, uint32_t *align);

/* When an asynchronous operation happens. RANDOM also draws the warps' turns from the seed; CHOSEN
 * takes both from tmap_emulate_watch.choice. */
enum tmap_emulate_schedule {
    TMAP_EMULATE_EARLIEST = 0, /* at its issue */
    TMAP_EMULATE_LATEST = 1,   /* when nothing else can run */
    TMAP_EMULATE_RANDOM = 2,
    TMAP_EMULATE_CHOSEN = 3
};

/* Device memory: `bytes` at `data` are the device's bytes from `address` on. */
struct tmap_emulate_buffer {
    uint64_t address, bytes;
    void *data;
    const char *name; /* for reports; may be NULL */
};

struct tmap_emulate_launch {
    const char *kernel;
    uint32_t grid[3], block[3], cluster[3]; /* cluster of zeros: the kernel's own, or 1 */
    uint32_t smem_bytes;                    /* dynamic shared memory */
    const void *params;                     /* as tmap_emulate_param() lays them out */
    size_t param_bytes;
    const struct tmap_emulate_buffer *buffers;
    size_t buffer_count;
    enum tmap_emulate_schedule schedule;
    uint64_t seed;
    uint64_t budget;    /* warp instructions; 0: 10^9 */
    uint32_t residents; /* CTAs at one time at most; 0: 132 */
    bool no_races;      /* leave the search for races out: faster */
    bool tensor_fences; /* tcgen05 of several threads is ordered by its own fences alone, as the ISA
                           says; compilers leave them out */
    bool overlap;       /* an earlier grid's writes are unordered before griddepcontrol.wait */
    uint64_t ready, ready_bytes; /* with overlap: no earlier grid writes these bytes, so they may be
                                    read before the wait */
};

/* What a finding is about. */
enum tmap_emulate_kind {
    TMAP_EMULATE_RACE = 0,      /* two accesses that nothing orders */
    TMAP_EMULATE_PROXY = 1,     /* ordered, but no proxy fence makes the first visible */
    TMAP_EMULATE_HANG = 2,      /* no warp can continue */
    TMAP_EMULATE_ACCESS = 3,    /* outside every buffer, or misaligned */
    TMAP_EMULATE_BARRIER = 4,   /* misuse of a barrier */
    TMAP_EMULATE_TRAP = 5,      /* the program trapped */
    TMAP_EMULATE_ILLEGAL = 6,   /* an illegal tensor map, matrix descriptor or operand */
    TMAP_EMULATE_LEAK = 7,      /* tensor memory or a copy left behind at the end */
    TMAP_EMULATE_CONVERGED = 8, /* an .aligned instruction in a diverged warp */
    TMAP_EMULATE_BUDGET = 9,    /* the instruction budget ran out */
    TMAP_EMULATE_WRONG = 10     /* bytes that are not what was expected, and who wrote them */
};
TMAP_API const char *tmap_emulate_kind_name(enum tmap_emulate_kind kind); /* "race" */

/* One finding. Lines are those of the PTX text; file and source_line what .loc says, or NULL, 0. */
struct tmap_emulate_finding {
    enum tmap_emulate_kind kind;
    uint32_t line, source_line;
    const char *file; /* the module's */
    uint32_t cta, warp, lane;
    uint64_t address;
    char text[400];
};

/* What ran. Counts are exact and depend on the schedule. */
struct tmap_emulate_counts {
    uint64_t warp_instructions, thread_instructions; /* done; a wait counts once */
    uint64_t copies, copy_bytes;                     /* by the copy engine */
    uint64_t multiplies, multiply_adds; /* tensor core instructions and their products */
    uint64_t barrier_phases;
    uint64_t dependents; /* griddepcontrol.launch_dependents by warps: what follows may begin */
};

struct tmap_emulate_result {
    struct tmap_emulate_counts counts;
    bool finished;         /* every thread left; false after a fault, hang or spent budget */
    enum tmap_basis basis; /* TMAP_INFERRED: something ran that was not compared with a GPU */
};

/* tmap_emulate_run() : runs a launch to its end. Writes at most cap findings, in the order seen and
 *  each once for the same pair of instructions, and their number to *found (as snprintf). The
 *  buffers hold what the kernel left.
 *  Errors: TMAP_E_ARGUMENT (no such kernel, an empty or too large shape, params of another size,
 *  buffers that overlap), TMAP_E_ROOM (more shared memory than the target has), TMAP_E_MEMORY. */
TMAP_API enum tmap_status tmap_emulate_run(const struct tmap_emulate_module *module,
                                           const struct tmap_emulate_launch *launch,
                                           struct tmap_emulate_finding *findings, size_t cap,
                                           size_t *found, struct tmap_emulate_result *result);

/* Bytes that the kernel has to leave in the device's memory from `address` on. */
struct tmap_emulate_expected {
    uint64_t address, bytes;
    const void *data;
};

/* What happened when, in warp instructions since the run's start. */
enum tmap_emulate_event_kind {
    TMAP_EMULATE_TURN = 0,     /* a warp ran until it had to wait or others got a turn */
    TMAP_EMULATE_COPY = 1,     /* from the issue to the end of an asynchronous copy */
    TMAP_EMULATE_MULTIPLY = 2, /* likewise of a tensor core's instruction */
    TMAP_EMULATE_PHASE = 3     /* a phase of an mbarrier ended */
};
struct tmap_emulate_event {
    enum tmap_emulate_event_kind kind;
    uint32_t cta, warp, line; /* line of the PTX: of the instruction, of a turn its last */
    uint64_t begin, end;
    uint64_t address; /* of a phase's mbarrier, in shared memory */
    const char *what; /* the instruction; NULL of a phase. The module's */
    bool waits;       /* a turn that ended because its warp waits */
};

/* What a turn read and wrote of the state that warps and operations share. Two turns whose bits do
 * not overlap (a write of one with anything of the other) may change places without an effect.
 * `nothing`: it only kept waiting. */
enum { TMAP_EMULATE_TOUCHED = 8 };
struct tmap_emulate_touched {
    uint64_t read[TMAP_EMULATE_TOUCHED], written[TMAP_EMULATE_TOUCHED];
    bool nothing;
};

/* What the warps of one cluster of a run did to barriers, and to the memory that barriers guard.
 * The caller's to free; one run's. While it is made, mbarrier.test_wait answers no and yes in turn,
 * so that it shows what the kernel does after both: no as if the phase ended just after, yes as if
 * the warp were late, if the phase ends. In runs with an even seed the first answer is no. */
struct tmap_emulate_record;
TMAP_API enum tmap_status tmap_emulate_record_open(uint32_t cluster,
                                                   struct tmap_emulate_record **out);
TMAP_API void tmap_emulate_record_free(struct tmap_emulate_record *record); /* may be NULL */

/* What to watch in a run, in addition to its findings. Every member but size may be 0. The
 * functions are called by the run's thread and get `self`. */
struct tmap_emulate_watch {
    size_t size; /* sizeof(struct tmap_emulate_watch): members are added at its end */
    const struct tmap_emulate_expected *expected;
    size_t expected_count;
    void *self;
    void (*event)(void *self, const struct tmap_emulate_event *event);
    /* Every 2^20 warp instructions: what was done, and how many clusters of all have left. */
    void (*progress)(void *self, const struct tmap_emulate_counts *so_far, uint32_t left,
                     uint32_t clusters);
    /* CHOSEN: at decision i, option choice[i] (0 beyond `choices`). The options are the warps that
     * can run, starting with the one after the last, each up to where it waits, then the operations
     * under way. options[i] becomes their number (up to option_room), *decided the number of
     * decisions. */
    const uint32_t *choice;
    size_t choices;
    uint32_t *options;
    size_t option_room;
    size_t *decided; /* may be NULL */
    /* CHOSEN, instead of choice: which of n options runs next; n or more ends the run. An option
     * keeps its name until it has run. `last` is what the turn before touched, NULL at the first.
     * Called for a single option, too. NULL: choice decides. */
    uint32_t (*choose)(void *self, const uint64_t *name, uint32_t n,
                       const struct tmap_emulate_touched *last);
    struct tmap_emulate_record *record; /* EARLIEST only; may be NULL */
    /* The program asked that a tensor map's box be brought to the L2 cache. */
    void (*prefetch)(void *self, const struct tmap_desc *map, const struct tmap_use *box);
};

/* tmap_emulate_run_watched() : tmap_emulate_run(), watched. If a run that finished left other bytes
 *  than expected, a finding of TMAP_EMULATE_WRONG names the instruction that wrote there last, once
 *  for each, or says that none did. With no_races no instruction is named. watch may be NULL.
 *  Errors: as tmap_emulate_run(); TMAP_E_ARGUMENT for a watch of an unknown size. */
TMAP_API enum tmap_status tmap_emulate_run_watched(const struct tmap_emulate_module *module,
                                                   const struct tmap_emulate_launch *launch,
                                                   const struct tmap_emulate_watch *watch,
                                                   struct tmap_emulate_finding *findings,
                                                   size_t cap, size_t *found,
                                                   struct tmap_emulate_result *result);

/* tmap_emulate_protocol() : the protocol of a kernel's barriers, as protocol.h explores it, folded
 *  from the records of its runs (at most 8, of one configuration, with different numbers of tiles
 *  and of k blocks): which barriers are rings, which bytes their slots, what each warp does at the
 *  start, with every tile, every k block, and at the end. One program must describe all that every
 *  run did; that the kernel does the same in launches that were not run is assumed. A slot that is
 *  looked at first (mbarrier.test_wait) and waited for unless it was there counts as waited for, if
 *  the runs show both answers; a try_wait counts as a wait.
 *  part, number: which part of it, and which one if there are several. Warps of a CTA with one
 *  program are one agent. Names in *out belong to the first record, until the next call with it.
 *  error may be NULL.
 *  Errors: TMAP_E_ARGUMENT if no such program describes the runs (error says why, and at which line
 *  of the PTX), TMAP_E_NO_PLAN if there is no such part, TMAP_E_MEMORY. */
struct tmap_protocol;
enum tmap_emulate_part {
    TMAP_EMULATE_BARRIERS = 0, /* all mbarriers, with the meetings of whole CTAs and clusters */
    TMAP_EMULATE_RING = 1,     /* those that guard one buffer's slots. Every agent runs free of its
                                  other waits, so no fault of the slots is missed; a circle of
                                  waits through several rings would be */
    TMAP_EMULATE_STAGING = 2   /* an area that warps write and one of them stores, with the barriers
                                  of some warps of a CTA, which the others leave out */
};
TMAP_API enum tmap_status tmap_emulate_protocol(struct tmap_emulate_record *const *records,
                                                size_t count, enum tmap_emulate_part part,
                                                unsigned number, struct tmap_protocol *out,
                                                struct tmap_emulate_error *error);

#ifdef __cplusplus
}
#endif
#endif
