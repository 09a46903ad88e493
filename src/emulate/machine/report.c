// Findings: what was seen, where, once for each pair of instructions.
#include "emulate/emulate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tmap_emulate_kind_name(enum tmap_emulate_kind kind)
{
    static const char *const names[] = {"race",      "proxy",  "hang",    "access",
                                        "barrier",   "trap",   "illegal", "leak",
                                        "converged", "budget", "wrong"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

static const char *file_of(const struct emu_machine *m, const struct emu_insn *in)
{
    const struct ptx_module *p = &m->module->ptx;
    return in->file < p->files && in->source_line ? p->file[in->file] : NULL;
}

const char *emu_place(const struct emu_machine *m, const struct emu_insn *in, char *text,
                      size_t cap)
{
    const char *file = file_of(m, in), *slash = file ? strrchr(file, '/') : NULL;
    if (file)
        snprintf(text, cap, "%s at line %u (%s:%u)", in->name, in->line, slash ? slash + 1 : file,
                 in->source_line);
    else
        snprintf(text, cap, "%s at line %u", in->name, in->line);
    return text;
}

static void add(struct emu_machine *m, enum tmap_emulate_kind kind, const struct emu_warp *w,
                const struct emu_insn *in, uint32_t lane, uint64_t address, const char *format,
                va_list args)
{
    struct tmap_emulate_finding f;
    memset(&f, 0, sizeof f);
    f.kind = kind;
    f.address = address;
    f.lane = lane;
    if (in) {
        f.line = in->line;
        f.file = file_of(m, in);
        f.source_line = f.file ? in->source_line : 0;
    }
    if (w) {
        f.cta = w->cta->number;
        f.warp = w->index;
    }
    vsnprintf(f.text, sizeof f.text, format, args);
    if (m->findings < m->finding_room) m->finding[m->findings] = f;
    m->findings++;
}

void emu_find_report(struct emu_machine *m, enum tmap_emulate_kind kind, const struct emu_warp *w,
                     const struct emu_insn *in, uint32_t lane, uint64_t address, const char *format,
                     ...)
{
    va_list args;
    va_start(args, format);
    add(m, kind, w, in, lane, address, format, args);
    va_end(args);
}

enum emu_step emu_fault(enum tmap_emulate_kind kind, struct emu_warp *w, const struct emu_insn *in,
                        uint32_t lane, uint64_t address, const char *format, ...)
{
    va_list args;
    if (!w->m->stop) {
        va_start(args, format);
        add(w->m, kind, w, in, lane, address, format, args);
        va_end(args);
    }
    w->m->stop = true;
    return EMU_STOP;
}

enum { MAX_SEEN = 512 };
struct emu_seen {
    enum tmap_emulate_kind kind;
    const struct emu_insn *a, *b;
};

bool emu_first_time(struct emu_machine *m, enum tmap_emulate_kind kind, const struct emu_insn *a,
                    const struct emu_insn *b)
{
    if (!m->seen) m->seen = calloc(MAX_SEEN, sizeof *m->seen);
    if (!m->seen) return m->status = TMAP_E_MEMORY, m->stop = true, false;
    for (uint32_t i = 0; i < m->seens; i++)
        if (m->seen[i].kind == kind && m->seen[i].a == a && m->seen[i].b == b) return false;
    if (m->seens == MAX_SEEN) return false;
    m->seen[m->seens++] = (struct emu_seen){kind, a, b};
    return true;
}
