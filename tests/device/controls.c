// Planted faults, one a process (a trapped kernel costs the context), each beside its control: the
// same image, case, ring and delay without the fault. A race need not show on a given run: such
// rows may end in "not observed", which is said; tests/kernels/test_order.sh then checks the order
// instead.
#define _GNU_SOURCE
#include "device/controls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/copy/fixture.h"
#include "device/executor.h"

#define RUNS 12
#define LIMIT_MS 400u
#define DELAY_NS 20000u
#define HOT_PAGES 16
#define HOT_SLOT_BYTES 65536u // a page
#define FEW_BLOCKS 3u
#define MAX_JOBS 800
#define CHILD_S 25

extern const uint8_t image_tests_device_copy_faults[];

// Faults of the plan rather than of the kernel.
enum host_fault {
    HOST_BOX = 100,
    HOST_BOX_OUT,
    HOST_SWIZZLE,
    HOST_PITCH,
    HOST_TX,
    HOST_STAGES,
    HOST_ALIGN,
    HOST_STEP
};

enum flags {
    MAYBE = 1,     // a race that need not show
    ONE_STAGE = 2, // a ring of one slot
    CROWD = 4,     // more blocks than fit, one tile each
    HOT = 8,       // a source that stays in L2, and large slots
    DELAY = 16,    // blocks of odd rank dawdle
    FEW = 32       // few blocks, so that each has several matrices of a list
};

#define RING "dense, bulk|dense, rank 2|dense, rank 5|strided|padded|swizzle 128B|im2col|pages, a"
#define TURNS "transpose, 4|transpose, 2"
#define TILES "dense, rank 2|dense, rank 5|strided|padded|swizzle 128B"

static const struct fault {
    uint32_t id;
    int flags;
    const char *name, *cases; // parts of case names, one of which is drawn
} faults[] = {
    {COPY_FAULT_TX_LESS, 0, "expects 16 bytes too few", RING "|" TURNS},
    {COPY_FAULT_TX_MORE, 0, "expects 16 bytes too many", RING "|" TURNS},
    {COPY_FAULT_PHASE, 0, "parity not flipped at the ring's wrap", RING},
    {COPY_FAULT_NO_WAIT, 0, "stores without waiting for the load", RING "|" TURNS},
    {COPY_FAULT_SLOT, 0, "stores from the neighbouring slot", RING},
    {COPY_FAULT_ROW, 0, "stores one row further down",
     "dense, rank 2|dense, rank 5|strided|padded"},
    {COPY_FAULT_LAST_TILE, 0, "leaves out the last tile", RING "|" TURNS},
    {COPY_FAULT_TICKET, 0, "leaves its tile counter as it is", RING "|pages, by"},
    {COPY_FAULT_SWIZZLE, 0, "reads the tile with the wrong XOR", TURNS},
    {COPY_FAULT_EARLY, MAYBE | ONE_STAGE | HOT, "slot refilled before its store has read it",
     "pages, by|pages, a"},
    {COPY_FAULT_EARLY, MAYBE, "output rewritten before its store has read it", TURNS},
    {COPY_FAULT_NO_FENCE, MAYBE, "no proxy fence before the store", TURNS},
    {COPY_FAULT_NO_INIT, MAYBE, "no fence after mbarrier.init", RING},
    {COPY_FAULT_NO_DRAIN, MAYBE | ONE_STAGE | CROWD, "block leaves without draining", RING},
    {COPY_FAULT_NO_ACQUIRE, MAYBE | FEW, "patched descriptor used without the acquire", "patched"},
    {COPY_FAULT_NO_RELEASE, MAYBE | FEW, "patched descriptor written with plain stores", "patched"},
    {COPY_FAULT_MASK, 0, "multicast mask lacks a block", "broadcast"},
    {COPY_FAULT_NO_EMPTY, DELAY, "multicast into a slot not yet emptied", "broadcast"},
    {COPY_FAULT_LEAVES, MAYBE | DELAY, "block leaves its cluster early", "broadcast"},
    {HOST_BOX, 0, "box of the source one row short", TILES "|im2col"},
    {HOST_BOX_OUT, 0, "box of the destination one row short", TILES},
    {HOST_SWIZZLE, 0, "destination swizzled by 64 bytes, source by 128", "swizzle 128B"},
    {HOST_PITCH, 0, "pitch of the destination 16 bytes long", "dense, rank 2|padded"},
    {HOST_TX, 0, "plan for 16 bytes less a stage", TILES "|im2col|" TURNS},
    {HOST_STAGES, 0, "one stage more than there is room for", RING "|broadcast|" TURNS},
    {HOST_ALIGN, 0, "slots off the swizzle's alignment", TILES},
    {HOST_STEP, 0, "tiles one row too close together", "dense, rank 2|padded"},
};

struct job {
    const struct fault *fault;
    bool planted; // else its control
    size_t cse;
    uint64_t bytes;
    struct tmap_copy_config request;
    // What came of it.
    int stage; // 2: to the end
    int runs;
    enum tmap_status status;
    int error; // the context's, once it has failed
    uint64_t wrong;
    struct tmap_copy_report report;
};

struct rig {
    struct tmap_copy *suite;
    struct fixture fixture;
    struct tmap_copy_plan plan;
};

static bool open_rig(struct rig *r, struct job *j)
{
    char why[200];
    tmap_cu_module module;
    tmap_cu_function f;
    int fixed = 0;
    char name[64];
    if (tmap_copy_open(&(struct tmap_open){.watchdog_ms = 2000}, &r->suite, why, sizeof why) !=
        TMAP_OK)
        return false;
    const struct tmap_libcuda *cu = &r->suite->gpu.api;
    r->suite->limit_ms = LIMIT_MS;
    if (fixture_open(&r->fixture, r->suite, j->cse, j->bytes, &j->request) != TMAP_OK ||
        tmap_copy_make_plan(r->suite, &r->fixture.problem, &j->request, &r->plan, NULL) !=
            TMAP_OK ||
        snprintf(name, sizeof name, "faulty_%s", r->plan.kernel) < 0 ||
        cu->module_load_data(&module, image_tests_device_copy_faults) ||
        cu->module_get_function(&f, module, name) ||
        cu->func_get_attribute(&fixed, TMAP_CU_FUNC_STATIC_SMEM, f) ||
        cu->func_set_attribute(f, TMAP_CU_FUNC_MAX_DYNAMIC_SMEM, (int)r->suite->smem_bytes - fixed))
        return false;
    r->plan.function = f;
    return true;
}

// What control and fault share.
static void arrange(struct rig *r, const struct job *j, struct copy_params *k)
{
    const int flags = j->fault->flags;
    if (flags & DELAY) k->delay_ns = DELAY_NS;
    if (flags & CROWD) r->plan.grid = r->plan.tiles;
    if (flags & FEW) r->plan.grid = FEW_BLOCKS;
    if (flags & HOT) {
        int32_t *table = calloc(r->fixture.problem.page_count, sizeof *table);
        for (uint64_t i = 0; table && i < r->fixture.problem.page_count; i++)
            table[i] = i % HOT_PAGES;
        r->suite->gpu.api.memcpy_htod(r->fixture.index, table, r->fixture.problem.page_count * 4);
        free(table);
    }
}

static void map_again(const struct rig *r, const struct tmap_desc *d, struct copy_map *to)
{
    struct tmap_map map;
    if (tmap_encode(&r->suite->checker, d, &map) == TMAP_OK) memcpy(to->word, map.word, 128);
}

static void plant(struct rig *r, uint32_t id, struct copy_params *k)
{
    struct tmap_desc s = r->plan.desc[0], d = r->plan.desc[1];
    if (id < HOST_BOX) k->fault = id;
    if (id == HOST_BOX) s.pixels--, s.box[1]--;
    if (id == HOST_BOX_OUT) d.box[1]--;
    if (id == HOST_SWIZZLE) d.swizzle = TMAP_SWIZZLE_64B, d.box[0] /= 2, s.box[0] /= 2;
    if (id == HOST_PITCH) d.stride_bytes[0] += 16;
    if (id == HOST_TX) k->tx_bytes -= 16;
    if (id == HOST_STAGES) k->stages++;
    if (id == HOST_ALIGN) k->stage_bytes += 64, k->stages--; // there is room
    if (id == HOST_STEP) k->step[1]--;
    if (id == HOST_SWIZZLE) k->tx_bytes /= 2;
    if (id == HOST_BOX || id == HOST_SWIZZLE) map_again(r, &s, &k->src);
    if (id == HOST_BOX_OUT || id == HOST_SWIZZLE || id == HOST_PITCH) map_again(r, &d, &k->dst);
}

static void child(struct job *j)
{
    struct rig r;
    struct copy_params k __attribute__((aligned(128)));
    memset(&r, 0, sizeof r);
    if (!open_rig(&r, j)) return;
    j->stage = 1;
    memcpy(&k, r.plan.params, sizeof k);
    arrange(&r, j, &k);
    if (j->planted) plant(&r, j->fault->id, &k);
    memcpy(r.plan.params, &k, sizeof k);
    for (; j->runs < RUNS && j->status == TMAP_OK && !j->wrong; j->runs++) {
        j->status = fixture_verify(&r.fixture, &r.plan, &j->wrong);
    }
    j->error = j->status == TMAP_OK ? 0 : r.suite->gpu.api.ctx_synchronize();
    j->report = tmap_copy_last_report(r.suite);
    j->stage = 2;
}

// One of the cases whose names begin with a part of `list`.
static size_t draw_case(const char *list, uint64_t r)
{
    size_t fits[32], n = 0;
    for (size_t i = 0; tmap_copy_case(i); i++)
        for (const char *p = list; p && n < 32; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL) {
            const size_t len = strcspn(p, "|");
            if (memmem(tmap_copy_case(i), strlen(tmap_copy_case(i)), p, len)) {
                fits[n++] = i;
                break;
            }
        }
    return fits[r % n];
}

static void draw(struct job *j, const struct fault *f, uint64_t seed, uint32_t nth, bool planted)
{
    static const uint32_t slots[] = {8192, 16384, 32768};
    const uint64_t at = (uint64_t)(f - faults) * 64 + nth;
    const uint64_t r = executor_hash(seed, 4 * at), q = executor_hash(seed, 4 * at + 1);
    memset(j, 0, sizeof *j);
    j->fault = f, j->planted = planted;
    j->cse = draw_case(f->cases, r >> 32);
    j->bytes = (32 + q % 64) << 20;
    j->request.slot_bytes = slots[q >> 32 & 1];
    j->request.stages = f->flags & ONE_STAGE ? 1 : 2 + (q >> 40) % 3;
    j->request.blocks_per_sm = 1;
    if (f->flags & HOT) j->request.slot_bytes = HOT_SLOT_BYTES;
}

static void say_how(const struct job *j, char *to, size_t cap)
{
    static const char *const barrier[] = {"?", "full", "empty"};
    static const char *const misfit[] = {"?", "bytes of a stage", "room for the ring", "alignment",
                                         "count"};
    const struct tmap_copy_report *w = &j->report;
    if (j->stage != 2)
        snprintf(to, cap, "did not end (stage %d)", j->stage);
    else if (w->what == 1)
        snprintf(to, cap, "watchdog: barrier %s, slot %u, parity %u", barrier[w->id % 3], w->slot,
                 w->parity);
    else if (w->what == 2)
        snprintf(to, cap, "refused by the kernel: %s (%u, %u)", misfit[w->id % 5], w->slot,
                 w->parity);
    else if (j->status != TMAP_OK)
        snprintf(to, cap, "the driver's error %d (status %d)", j->error, j->status);
    else if (j->wrong)
        snprintf(to, cap, "%llu wrong words in run %d", (unsigned long long)j->wrong, j->runs);
    else
        snprintf(to, cap, "%s", j->planted ? "not observed" : "right");
}

static int tell(const struct job *jobs, uint32_t n)
{
    int bad = 0;
    uint32_t caught = 0, unseen = 0;
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        const struct job *f = &jobs[i], *t = &jobs[i + 1];
        const bool shown = f->stage == 2 && (f->status != TMAP_OK || f->wrong);
        const bool control = t->stage == 2 && t->status == TMAP_OK && t->wrong == 0;
        const bool good = control && f->stage == 2 && (shown || f->fault->flags & MAYBE);
        char how[120], other[120];
        say_how(f, how, sizeof how);
        say_how(t, other, sizeof other);
        printf("%s %u - %s (%s, %u x %u): %s; control: %s\n", good ? "ok" : "not ok", i / 2 + 1,
               f->fault->name, tmap_copy_case(f->cse), f->request.stages, f->request.slot_bytes,
               how, other);
        bad += !good;
        caught += shown;
        unseen += !shown;
    }
    printf("1..%u\n# %u faults caught, %u not observed, %d wrong rows\n", n / 2, caught, unseen,
           bad);
    return bad != 0;
}

// Forks before any driver is loaded: a forked context is no context.
static bool have_gpu(void)
{
    int status = 0;
    fflush(stdout);
    if (fork() == 0) {
        struct tmap_copy *suite = NULL;
        char why[200] = "";
        const bool open = tmap_copy_open(&(struct tmap_open){.watchdog_ms = 2000}, &suite, why,
                                         sizeof why) == TMAP_OK;
        if (!open) printf("ok 1 # SKIP planted faults: %s\n1..1\n", why);
        fflush(stdout);
        _exit(open ? 0 : 1);
    }
    return wait(&status) > 0 && status == 0;
}

// The controls, several at a time; the faults, one after the other: when contexts of several
// processes fail at once, the driver may take longer to bury them than anyone waits.
static void run_jobs(struct job *jobs, uint32_t n, bool planted, int workers)
{
    int live = 0;
    for (uint32_t i = planted ? 0 : 1; i < n; i += 2) {
        if (live == workers && wait(NULL) > 0) live--;
        fflush(stdout);
        if (fork() == 0) {
            alarm(CHILD_S);
            child(&jobs[i]);
            _exit(0);
        }
        live++;
    }
    while (wait(NULL) > 0) {
    }
}

int controls_main(uint64_t seed, uint32_t draws, int workers, const char *part)
{
    struct job *jobs = mmap(NULL, MAX_JOBS * sizeof *jobs, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint32_t n = 0;
    if (jobs == MAP_FAILED) return 2;
    if (!have_gpu()) return 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (uint32_t k = 0; k < draws && n + 2 <= MAX_JOBS; k++) {
            if (part && !strstr(faults[i].name, part)) break;
            draw(&jobs[n++], &faults[i], seed, k, true);
            draw(&jobs[n++], &faults[i], seed, k, false);
        }
    run_jobs(jobs, n, false, workers);
    run_jobs(jobs, n, true, 1);
    return tell(jobs, n);
}
