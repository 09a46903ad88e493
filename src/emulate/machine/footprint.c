#include "emulate/machine/footprint.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 64 * TMAP_EMULATE_TOUCHED };

bool emu_trail_open(struct emu_machine *m)
{
    struct emu_trail *t = calloc(1, sizeof *t);
    if (!t || !(t->known = calloc(m->module->code_count + 1, 1))) return free(t), false;
    m->trail = t;
    return true;
}

void emu_trail_close(struct emu_machine *m)
{
    if (!m->trail) return;
    free(m->trail->known);
    free(m->trail->name);
    free(m->trail);
}

void emu_trail_begin(struct emu_machine *m)
{
    memset(&m->trail->touched, 0, sizeof m->trail->touched);
    m->trail->moved = false;
    if (!m->order) emu_trail_everything(m); // accesses are not told
}

void emu_trail_everything(struct emu_machine *m)
{
    if (m->trail) memset(m->trail->touched.written, 0xff, sizeof m->trail->touched.written);
}

void emu_trail_mark(struct emu_machine *m, enum emu_common what, uint32_t a, uint64_t b,
                    bool writes)
{
    uint64_t h = ((uint64_t)what << 58 ^ (uint64_t)a << 40 ^ b) * 0x9e3779b97f4a7c15ull;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull >> 40;
    uint64_t *bits = writes ? m->trail->touched.written : m->trail->touched.read;
    bits[h % BITS / 64] |= UINT64_C(1) << h % 64;
}

// Instructions of threads, and those whose every access to what is common marks it.
static bool tells(const char *name)
{
    static const char *const told[] = {
        "abs",     "activemask", "add",           "and",        "atom",      "bar",
        "barrier", "bfe",        "bfi",           "bfind",      "bra",       "brev",
        "brx",     "clz",        "cp.async.bulk", "cvt",        "cvta",      "div",
        "elect",   "ex2",        "exit",          "fma",        "ld",        "lg2",
        "lop3",    "mad",        "mapa",          "match",      "max",       "mbarrier",
        "min",     "mov",        "mul",           "neg",        "not",       "or",
        "popc",    "prmt",       "red",           "rem",        "ret",       "selp",
        "setp",    "shf",        "shfl",          "shl",        "shr",       "st",
        "sub",     "vote",       "xor",           "trap",       "nanosleep", "fence",
        "membar",  "ldmatrix",   "isspacep",      "getctarank", "mma"};
    if (!strncmp(name, "fence.proxy.tensormap", 21) || strstr(name, "prefetch")) return false;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const size_t n = strlen(told[i]);
        if (!strncmp(name, told[i], n) && (name[n] == 0 || name[n] == '.')) return true;
    }
    return false;
}

void emu_trail_step(struct emu_machine *m, uint32_t pc, enum emu_step step)
{
    struct emu_trail *t = m->trail;
    if (!t) return;
    if (!t->known[pc]) t->known[pc] = tells(m->module->code[pc].name) ? 1 : 2;
    if (t->known[pc] == 2) emu_trail_everything(m);
    t->moved |= step != EMU_WAIT;
}

uint64_t emu_warp_name(const struct emu_warp *w)
{
    return (uint64_t)w->cta->number << 6 | w->index;
}
