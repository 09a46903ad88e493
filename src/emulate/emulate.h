// The emulator's inside: what decoding makes of an instruction, and the machine that runs it.
//
//   parse/    text to a tree (ptx.h)
//   decode*   one ptx_inst to one emu_insn, by the table instructions.def
//   machine/  memory, warps, the scheduler, a launch
//   ops/      instructions of one thread: a file for each family
//   async/    barriers, copies, groups, and who has seen what (order.h)
//   tensor/   matrix descriptors, products and their numbers
//
// A new instruction: one line in instructions.def (its name, its decoder, the targets that have
// it), and in a file of ops/, async/ or tensor/ the decoder, which takes qualifiers and operands
// with the dec_ functions of decode.h and names the function that executes it. A qualifier that no
// one took is an error, so nothing is passed over. To execute is to act on all lanes of `mask`.
#ifndef TMAP_EMULATE_EMULATE_H
#define TMAP_EMULATE_EMULATE_H

#include "emulate/parse/ptx.h"

// Loops in the widest vectors that the machine has; sanitizers run before the
// choice can be made.
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ &&                                \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define IN_VECTORS __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define IN_VECTORS
#endif

enum { LANES = 32, WARP_MASK_ALL = -1, EMU_SMS = 132 /* where the launch does not say */ };

// Where an operand's 32 lanes lie: bytes from the warp's registers, or, negative, ~bytes from the
// module's constants. 4 bytes a lane up to 32 bits, then 8 or 16; a predicate is one mask of 4.
typedef int32_t emu_at;

struct emu_warp;
struct emu_insn;

enum emu_step {
    EMU_NEXT,  // on to the next instruction
    EMU_JUMP,  // the splits' places are already right
    EMU_YIELD, // next, but others go first: it polls
    EMU_WAIT,  // nothing happened: again when something has
    EMU_LATER, // the same, again once others have gone
    EMU_STOP   // the run is over: a fault is reported
};
typedef enum emu_step emu_exec(struct emu_warp *w, const struct emu_insn *in, uint32_t mask);

struct emu_insn {
    emu_exec *exec;
    emu_at d, a, b, c, e;
    emu_at guard; // predicate; EMU_ALWAYS without
    bool guard_not, not_c, aligned;
    uint8_t type, space, bytes, count; // as the decoder of the family means them
    uint32_t flags;
    int64_t imm;
    const emu_at *list;
    const uint8_t *wide; // of each of list: 1 when its lanes are 8 bytes
    uint32_t lists;
    uint32_t reads;
    const emu_at *read; // registers that it reads, where the target has tcgen05.ld
    uint32_t target;    // a branch's
    const void *more;
    uint32_t line, file, source_line, function;
    const char *name;
};
#define EMU_ALWAYS INT32_MIN

// An address operand: generic, once it is read.
struct emu_place {
    emu_at base;
    int64_t plus;
    bool wide;
    uint8_t space;
};

// Special registers that a warp has as constants, in the first slots of its registers.
enum emu_special {
#define SPECIAL(id, name) SPECIAL_##id,
#include "emulate/specials.def"
    SPECIALS
};
enum { SLOT_BYTES = 4 * LANES, SPECIAL_BYTES = SPECIALS * SLOT_BYTES };

// Windows of the generic address space. A shared address of 32 bits is the CTA's rank in its
// cluster in the upper 8 and the offset in the lower 24 bits, as mapa and CUTLASS have it.
#define EMU_SHARED_WINDOW 0x6d0000000000ull
#define EMU_MODULE_WINDOW 0x6e0000000000ull
#define EMU_PARAM_WINDOW 0x6e8000000000ull
#define EMU_LOCAL_WINDOW 0x6e9000000000ull
#define EMU_WINDOWS_END 0x6ea000000000ull
/* Where 32 bits of an address lie whose symbol has 64; 0 of other spaces. */
static inline uint64_t emu_window(enum ptx_space space)
{
    return space == PTX_PARAM ? EMU_PARAM_WINDOW : space == PTX_LOCAL ? EMU_LOCAL_WINDOW : 0;
}
enum { EMU_RANK_SHIFT = 24, EMU_SMEM_START = 0x400 }; // the first KiB is the system's

struct emu_entry {
    const struct ptx_function *f;
    uint32_t pc, code_end;
    uint32_t reg_bytes, static_smem, local_bytes;
    uint32_t dynamic_offset; // of the extern shared array
};

// The address of a shared variable, as registers of every warp that runs the function.
struct emu_shared_name {
    uint32_t function, bytes;
    const struct ptx_var *var;
    uint64_t plus;
    emu_at at;
};

struct tmap_emulate_module {
    struct ptx_module ptx;
    struct emu_arena arena;
    struct emu_insn *code;
    uint32_t code_count;
    uint8_t *consts;
    uint32_t const_bytes;
    struct emu_entry *entry; // one for each function of ptx
    struct emu_shared_name *shared_name;
    uint32_t shared_names;
    uint8_t *global_image; // initial module variables
    uint32_t global_bytes;
};

// --- the machine ---------------------------------------------------------------------------------

struct emu_order; // who has seen what: order.h
struct emu_op;    // a pending asynchronous operation: async.h

struct emu_region {
    uint64_t address, bytes;
    uint8_t *data;
    const char *name;
    bool read_only;
    struct emu_shadow *shadow; // NULL until touched
};

// Why a split stands still, for the report of a hang.
enum emu_wait {
    WAIT_NONE,
    WAIT_MBARRIER,
    WAIT_NAMED,
    WAIT_CLUSTER,
    WAIT_GROUP, // nobody hangs there: copies go on until they are done
    WAIT_LANES,
    WAIT_POLL,
    WAIT_TENSOR
};

enum { MAX_CALLS = 16 };

// Lanes of a warp that are at one place.
struct emu_split {
    uint32_t pc, mask;
    uint32_t stage;      // of an instruction that takes several steps; 0: not begun
    uint64_t blocked_at; // the cluster's events when it waited; UINT64_MAX: it runs
    enum emu_wait wait;
    uint64_t wait_for; // address, number of the barrier, …
    uint64_t wait_value;
    const uint32_t *watch; // it waits for this to be other than watched; NULL: for any event
    uint32_t watched;
    uint32_t calls;
    uint32_t back[MAX_CALLS];
};

// What it was like when nothing had happened for long: quiet.h.
struct emu_mark_of_warp {
    uint64_t at, writes, ran, state;
    uint32_t pc;
    bool endless; // it has been so again
};

struct emu_warp {
    struct emu_machine *m;
    struct emu_cta *cta;
    uint8_t *regs;
    const uint8_t *consts;
    uint32_t index, agent; // in the CTA; in the order
    uint32_t live;         // lanes that have not left
    struct emu_split split[LANES];
    uint32_t splits, at; // `at`: the one that runs
    uint8_t *local;
    uint32_t bulk_open[LANES], async_open[LANES]; // groups begun by cp.async.bulk and cp.async
    struct emu_clock *clock;                      // NULL without a search for races
    uint32_t *epoch;                              // its own, in its clock
    uint32_t pending_order, fence_now; // seen by relaxed reads; its epoch at the last fence
    uint32_t carry;                    // of add.cc and its kin, a bit for each lane
    uint32_t cluster_arrived, cluster_waited, cluster_generation;
    uint32_t tensor_open; // groups begun by wgmma
    uint32_t issues;      // operations so far
    // While loads of tensor memory have not filled their registers: tells of an instruction that
    // reads one.
    void (*late)(struct emu_warp *w, const struct emu_insn *in);
    uint64_t ran, polled; // instructions; when it last polled, in the machine's
    struct emu_mark_of_warp mark;
    uint32_t steps; // of its operations
};

enum { NAMED_BARRIERS = 16 };
struct emu_named {
    uint32_t arrived, expected, generation;
    uint32_t reduced, any_false, result, all; // bar.red
    uint32_t gather, done; // synchronisation objects: of who arrives now, of the last generation
};

struct emu_cta {
    struct emu_machine *m;
    struct emu_cluster *cluster;
    uint32_t rank, id[3], number; // in the cluster; in the grid; of the launch
    uint8_t *smem;
    uint32_t smem_end; // offsets from EMU_SMEM_START to here are its own
    struct emu_shadow *shadow;
    struct emu_warp *warp;
    uint32_t warps, live_warps;
    struct emu_named named[NAMED_BARRIERS];
    struct emu_mbarrier **mbarrier;
    uint32_t mbarriers;
    uint32_t tensor_steps; // of wgmma: operations, commits, warps that left
    uint32_t registers;    // of setmaxnreg, a warp
    bool tmem_closed;      // no more of it may be asked for
    struct emu_tmem *tmem; // NULL until it is asked for; then the two after it are set
    void (*tmem_left)(struct emu_cta *cta);
    void (*tmem_free)(struct emu_cta *cta);
    bool done;
};

struct emu_cluster {
    struct emu_cta *cta;
    uint32_t ctas, live_ctas, id[3], first_id;
    uint64_t events;
    uint32_t arrived, generation, gather, done; // barrier.cluster, as of a named barrier
};

// What a swizzle changes in addresses, by the line of 128 bytes (tensor/matrix.c).
enum { EMU_SWIZZLE_LINES = 8 };
struct emu_swizzle {
    bool known;
    int32_t mode;
    uint32_t change[EMU_SWIZZLE_LINES];
};

struct emu_machine {
    const struct tmap_emulate_module *module;
    const struct tmap_emulate_launch *launch;
    struct tmap_emulate_watch watch;
    const struct emu_entry *entry;
    struct tmap_checker checker;
    uint32_t grid[3], block[3], cluster_dim[3], threads, warps; // warps of a CTA
    uint32_t dynamic_smem;
    struct emu_region *region;
    uint32_t regions, last_region;
    struct emu_cluster **cluster; // resident
    uint32_t clusters, cluster_count, next_cluster;
    struct emu_op **op; // pending
    uint32_t ops, op_room;
    struct emu_order *order;
    uint64_t random, executed, budget, quiet; // quiet: instructions since anything happened
    uint64_t writes;                          // of memory, by warps
    uint64_t op_serial, told;                 // told: instructions at the last word of progress
    size_t decisions;                         // of a chosen schedule
    struct tmap_emulate_result result;
    struct tmap_emulate_finding *finding;
    size_t finding_room, findings;
    struct emu_seen *seen;
    uint32_t seens;
    bool stop;
    enum tmap_status status;
    struct emu_trail *trail; // of a schedule that choose() decides: footprint.h
    struct emu_map_cache *maps;
    struct emu_map_note *map_note; // who has acquired which tensor map
    uint32_t map_notes;
    struct emu_panels *panels;     // operands of products, decoded
    struct emu_scratch *scratch;   // of wgmma.c
    struct emu_swizzle swizzle[2]; // the last ones asked for
};

// --- lanes ---------------------------------------------------------------------------------------

static inline void *emu_lanes(const struct emu_warp *w, emu_at at)
{
    return at >= 0 ? (void *)(w->regs + at) : (void *)(uintptr_t)(w->consts + ~at);
}
static inline uint32_t *emu_u32(const struct emu_warp *w, emu_at at)
{
    return emu_lanes(w, at);
}
static inline uint64_t *emu_u64(const struct emu_warp *w, emu_at at)
{
    return emu_lanes(w, at);
}
static inline float *emu_f32(const struct emu_warp *w, emu_at at)
{
    return emu_lanes(w, at);
}
static inline uint32_t emu_pred(const struct emu_warp *w, emu_at at)
{
    return *(const uint32_t *)emu_lanes(w, at);
}
static inline void emu_set_pred(const struct emu_warp *w, emu_at at, uint32_t mask, uint32_t value)
{
    uint32_t *p = emu_lanes(w, at);
    *p = (*p & ~mask) | (value & mask);
}
static inline int emu_lane(uint32_t mask)
{
    return __builtin_ctz(mask);
}
#define EACH_LANE(l, mask)                                                                         \
    for (uint32_t m_##l = (mask), l; m_##l && (l = (uint32_t)emu_lane(m_##l), 1);                  \
         m_##l &= m_##l - 1)

static inline uint64_t emu_place_at(const struct emu_warp *w, const struct emu_place *p, uint32_t l)
{
    const uint64_t a = p->wide ? emu_u64(w, p->base)[l] : emu_u32(w, p->base)[l];
    const uint64_t at = a + (uint64_t)p->plus;
    return p->space == PTX_SHARED ? EMU_SHARED_WINDOW + (uint32_t)at : at;
}

static inline struct emu_split *emu_here(struct emu_warp *w)
{
    return &w->split[w->at];
}

// --- machine/ ------------------------------------------------------------------------------------

enum emu_access { EMU_READ = 1, EMU_WRITE = 2, EMU_ATOMIC = 4, EMU_STRONG = 8 };

// The host's bytes behind an address of a space, or NULL with a finding. Checks bounds, alignment
// and, unless it is left out, the order. In shared memory *cta gets whose it is (may be NULL).
uint8_t *emu_memory(struct emu_warp *w, const struct emu_insn *in, uint32_t lane,
                    enum ptx_space space, uint64_t address, uint32_t bytes, unsigned access);
// The same of n lanes' 16 bytes each, from `lane` on, with their addresses in place; false with a
// finding.
enum { EMU_PIECE = 16 };
bool emu_memory_pieces(struct emu_warp *w, const struct emu_insn *in, uint32_t lane, uint32_t n,
                       const struct emu_place *place, unsigned access, uint8_t **at);
// The same as emu_memory() without order: a region of global memory, or shared memory of the
// cluster.
uint8_t *emu_find(struct emu_machine *m, struct emu_cluster *cluster, uint64_t generic,
                  uint64_t bytes, struct emu_cta **cta, struct emu_region **region);
uint64_t emu_generic(enum ptx_space space, uint64_t address);

void emu_something(struct emu_cluster *cluster); // waiting warps try again

void emu_find_report(struct emu_machine *m, enum tmap_emulate_kind kind, const struct emu_warp *w,
                     const struct emu_insn *in, uint32_t lane, uint64_t address, const char *format,
                     ...) __attribute__((format(printf, 7, 8)));
// The same, and the run is over.
enum emu_step emu_fault(enum tmap_emulate_kind kind, struct emu_warp *w, const struct emu_insn *in,
                        uint32_t lane, uint64_t address, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
// A pair of instructions is reported once.
bool emu_first_time(struct emu_machine *m, enum tmap_emulate_kind kind, const struct emu_insn *a,
                    const struct emu_insn *b);
const char *emu_place(const struct emu_machine *m, const struct emu_insn *in, char *text,
                      size_t cap); // "ld.global.u32 at line 12 (a.cu:7)"

// xorshift64*, seeded in launch.c; of a machine whose schedule is random.
static inline uint32_t emu_random(struct emu_machine *m, uint32_t below)
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return (uint32_t)((m->random * 0x2545f4914f6cdd1dull) >> 33) % below;
}

enum emu_step emu_wait_for(struct emu_warp *w, enum emu_wait what, uint64_t which, uint64_t value);
// The same, until *watch, which lives as long as the cluster, is another.
enum emu_step emu_watch_for(struct emu_warp *w, enum emu_wait what, uint64_t which, uint64_t value,
                            const uint32_t *watch);

bool emu_make_cluster(struct emu_machine *m, uint32_t number);
void emu_free_cluster(struct emu_cluster *cluster);
void emu_schedule(struct emu_machine *m);
void emu_run_warp(struct emu_warp *w, uint32_t quantum);
bool emu_warp_ready(const struct emu_warp *w);
bool emu_unwatch(struct emu_warp *w); // who watches something tries again; true: somebody can
void emu_report_hang(struct emu_machine *m);
void emu_compare(struct emu_machine *m); // with what was expected (expect.c)

#endif
