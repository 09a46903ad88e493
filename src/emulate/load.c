// From a parsed module to code that runs: memory for variables, registers, labels, decoding.
#include "emulate/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Which targets have an instruction.
enum target_class { ALL, SM90, A90, TENSOR, SM100 };

static bool has(enum target_class class, tmap_arch arch)
{
    const uint32_t sm = arch / 4, suffix = arch % 4;
    const bool tensor = sm >= 100 && sm < 120 && suffix != 0;
    switch (class) {
    case SM90:
        return sm >= 90;
    case A90:
        return sm == 90 && suffix == 1;
    case TENSOR: // tcgen05
        return tensor;
    case SM100:
        return sm >= 100;
    default:
        return true;
    }
}

static const struct row {
    const char *name;
    dec_instruction *decode;
    enum target_class class;
} rows[] = {
#define INSTRUCTION(name, decoder, targets) {name, decode_##decoder, targets},
#include "emulate/instructions.def"
};

// The longest name that the opcode is, or begins with before a dot.
static const struct row *row_of(const char *op)
{
    const struct row *best = NULL;
    size_t length = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t n = strlen(rows[i].name);
        if (n > length && strncmp(op, rows[i].name, n) == 0 && (op[n] == 0 || op[n] == '.'))
            best = &rows[i], length = n;
    }
    return best;
}

static bool qualifiers(struct decoder *d, const char *rest)
{
    d->words = d->taken = 0;
    while (*rest == '.') {
        const char *start = ++rest;
        while (*rest && *rest != '.') rest++;
        if (d->words == MAX_QUALIFIERS) return dec_fail(d, "too many qualifiers");
        d->word[d->words] = start;
        d->length[d->words++] = (uint32_t)(rest - start);
    }
    return true;
}

static void keep_reads(struct decoder *d)
{
    const size_t bytes = d->reads * sizeof *d->read;
    emu_at *read = dec_alloc(d, bytes);
    if (!read) return;
    memcpy(read, d->read, bytes);
    d->out->read = read;
    d->out->reads = d->reads;
}

static bool decode_one(struct decoder *d, const struct ptx_inst *inst, struct emu_insn *out)
{
    const struct row *row = row_of(inst->op);
    d->inst = inst;
    d->out = out;
    d->next = 0;
    d->reads = 0;
    *out = (struct emu_insn){.guard = EMU_ALWAYS,
                             .line = inst->line,
                             .file = inst->file,
                             .source_line = inst->source_line,
                             .function = d->function,
                             .name = inst->op};
    if (!row) return dec_fail(d, "unknown instruction '%s'", inst->op);
    if (!has(row->class, d->module->ptx.arch)) {
        dec_error(d, "%s has no '%s'", tmap_arch_name(d->module->ptx.arch), inst->op);
        d->status = TMAP_E_TARGET;
        return false;
    }
    if (!qualifiers(d, inst->op + strlen(row->name))) return false;
    if (inst->guard >= 0) {
        out->guard_not = inst->guard_not;
        out->guard = dec_register(d, inst->guard);
    }
    if (!row->decode(d)) return d->status == TMAP_OK ? dec_fail(d, "'%s'", inst->op) : false;
    for (uint32_t i = 0; i < d->words; i++)
        if (!(d->taken >> i & 1))
            return dec_fail(d, "qualifier '.%.*s' of '%s' is not known", (int)d->length[i],
                            d->word[i], inst->op);
    if (dec_more(d)) return dec_fail(d, "'%s' has too many operands", inst->op);
    keep_reads(d);
    return d->status == TMAP_OK;
}

static uint64_t up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

// Module variables of global and constant memory lie one after another in one window.
static enum tmap_status place_globals(struct tmap_emulate_module *m)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < m->ptx.vars; i++) {
        struct ptx_var *v = m->ptx.var[i];
        if (v->space != PTX_GLOBAL && v->space != PTX_CONST) continue;
        at = up(at, v->align);
        v->address = EMU_MODULE_WINDOW + at;
        at += v->bytes;
    }
    if (at > 1u << 30) return TMAP_E_ARGUMENT;
    m->global_bytes = (uint32_t)at;
    m->global_image = emu_alloc(&m->arena, at + 1);
    if (!m->global_image) return TMAP_E_MEMORY;
    for (uint32_t i = 0; i < m->ptx.vars; i++) {
        const struct ptx_var *v = m->ptx.var[i];
        if (!v->data) continue;
        uint8_t *to = m->global_image + (v->address - EMU_MODULE_WINDOW);
        memcpy(to, v->data, v->bytes);
        for (uint32_t r = 0; r < v->reloc_count; r++) {
            const uint64_t value = v->relocs[r].of->address + (uint64_t)v->relocs[r].plus;
            memcpy(to + v->relocs[r].at, &value, 8);
        }
    }
    return TMAP_OK;
}

static void place_shared(struct ptx_var **var, uint32_t count, uint64_t *at)
{
    for (uint32_t i = 0; i < count; i++) {
        if (var[i]->space != PTX_SHARED || var[i]->is_extern) continue;
        *at = up(*at, var[i]->align);
        var[i]->offset = (uint32_t)(EMU_SMEM_START + *at);
        *at += var[i]->bytes;
    }
}

// Local variables, and the parameters of calls, are a thread's own.
static void place_vars(struct ptx_var **var, uint32_t count, uint64_t *at)
{
    for (uint32_t i = 0; i < count; i++) {
        if (var[i]->space != PTX_LOCAL && var[i]->space != PTX_PARAM) continue;
        *at = up(*at, var[i]->align);
        var[i]->address = EMU_LOCAL_WINDOW + *at;
        *at += var[i]->bytes;
    }
}

static void place_local(const struct ptx_function *f, uint64_t *at)
{
    place_vars(f->local, f->locals, at);
    if (f->is_entry) return;
    place_vars(f->params, f->param_count, at);
    place_vars(f->returns, f->return_count, at);
}

// What functions declare comes first, so that every entry can call them.
static enum tmap_status place_variables(struct tmap_emulate_module *m)
{
    const struct ptx_module *p = &m->ptx;
    uint64_t shared = 0, local = 0;
    place_shared(p->var, p->vars, &shared);
    for (uint32_t i = 0; i < p->functions; i++)
        if (!p->function[i].is_entry) {
            place_shared(p->function[i].local, p->function[i].locals, &shared);
            place_local(&p->function[i], &local);
        }
    for (uint32_t i = 0; i < p->functions; i++) {
        uint64_t s = shared, l = local;
        if (p->function[i].is_entry) {
            place_shared(p->function[i].local, p->function[i].locals, &s);
            place_local(&p->function[i], &l);
        }
        uint32_t align = 16;
        for (uint32_t v = 0; v < p->vars; v++)
            if (p->var[v]->is_extern && p->var[v]->align > align) align = p->var[v]->align;
        const uint64_t dynamic = up(EMU_SMEM_START + s, align);
        if (dynamic > 1u << 24 || l > 1u << 24) return TMAP_E_ARGUMENT;
        m->entry[i].f = &p->function[i];
        m->entry[i].static_smem = (uint32_t)(dynamic - EMU_SMEM_START);
        m->entry[i].dynamic_offset = (uint32_t)dynamic;
        m->entry[i].local_bytes = (uint32_t)l;
    }
    return TMAP_OK;
}

static void place_params(const struct ptx_function *f)
{
    for (uint32_t i = 0; i < f->param_count; i++)
        f->params[i]->address = EMU_PARAM_WINDOW + f->params[i]->offset;
}

static bool decode_function(struct decoder *d, uint32_t *pc)
{
    struct emu_entry *e = &d->module->entry[d->function];
    const struct ptx_function *f = d->f;
    if (f->is_entry) place_params(f);
    e->pc = *pc;
    d->reg = malloc((f->regs + 1) * sizeof *d->reg);
    if (!d->reg) return d->status = TMAP_E_MEMORY, false;
    for (uint32_t i = 0; i < f->regs; i++) d->reg[i] = -1;
    bool good = true;
    for (uint32_t i = 0; good && i < f->insts; i++)
        good = decode_one(d, &f->inst[i], &d->module->code[(*pc)++]);
    static const struct ptx_inst end = {.op = "ret", .guard = -1};
    if (good) good = decode_one(d, &end, &d->module->code[(*pc)++]);
    free(d->reg);
    e->reg_bytes = d->reg_bytes;
    e->code_end = *pc;
    return good;
}

// Functions first: their registers lie below those of every entry.
static enum tmap_status decode_all(struct tmap_emulate_module *m, struct tmap_emulate_error *error)
{
    struct decoder *d = calloc(1, sizeof *d);
    uint32_t pc = 0;
    bool good = d != NULL;
    if (!d) return TMAP_E_MEMORY;
    d->module = m;
    d->error = error;
    d->reg_bytes = SPECIAL_BYTES;
    d->notes_reads = has(TENSOR, m->ptx.arch);
    for (int entries = 0; entries < 2; entries++) {
        const uint32_t below = d->reg_bytes;
        for (uint32_t i = 0; good && i < m->ptx.functions; i++) {
            d->f = &m->ptx.function[i];
            d->function = i;
            if (d->f->is_entry != entries) continue;
            if (entries) d->reg_bytes = below;
            good = decode_function(d, &pc);
        }
    }
    m->code_count = pc;
    const enum tmap_status status = d->status;
    free(d);
    return status;
}

static enum tmap_status load(struct tmap_emulate_module *m, const char *text, size_t bytes,
                             struct tmap_emulate_error *error)
{
    enum tmap_status status = ptx_parse(text, bytes, &m->ptx, error);
    if (status != TMAP_OK) return status;
    size_t insts = 0;
    for (uint32_t i = 0; i < m->ptx.functions; i++) insts += m->ptx.function[i].insts + 1;
    m->entry = emu_alloc(&m->arena, (m->ptx.functions + 1) * sizeof *m->entry);
    m->code = emu_alloc(&m->arena, insts * sizeof *m->code);
    if (!m->entry || !m->code) return TMAP_E_MEMORY;
    status = place_globals(m);
    if (status == TMAP_OK) status = place_variables(m);
    if (status == TMAP_E_ARGUMENT && error)
        snprintf(error->text, sizeof error->text, "too many bytes of variables");
    return status == TMAP_OK ? decode_all(m, error) : status;
}

enum tmap_status tmap_emulate_load(const char *text, size_t bytes, struct tmap_emulate_module **out,
                                   struct tmap_emulate_error *error)
{
    if (!text || !out) return TMAP_E_ARGUMENT;
    if (error) memset(error, 0, sizeof *error);
    /* Memory is read and written as numbers of the host. */
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
        if (error) snprintf(error->text, sizeof error->text, "the host is not little-endian");
        return TMAP_E_NOT_BUILT;
    }
    struct tmap_emulate_module *m = calloc(1, sizeof *m);
    if (!m) return TMAP_E_MEMORY;
    const enum tmap_status status = load(m, text, bytes, error);
    if (status == TMAP_OK)
        *out = m;
    else
        tmap_emulate_free(m);
    return status;
}

void tmap_emulate_free(struct tmap_emulate_module *m)
{
    if (!m) return;
    emu_arena_free(&m->ptx.arena);
    emu_arena_free(&m->arena);
    free(m);
}

const char *tmap_emulate_kernel(const struct tmap_emulate_module *m, size_t i)
{
    for (uint32_t k = 0; m && k < m->ptx.functions; k++)
        if (m->ptx.function[k].is_entry && i-- == 0) return m->ptx.function[k].name;
    return NULL;
}

bool tmap_emulate_param(const struct tmap_emulate_module *m, const char *kernel, size_t i,
                        uint32_t *offset, uint32_t *bytes, uint32_t *align)
{
    const struct ptx_function *f = m && kernel ? ptx_function_named(&m->ptx, kernel) : NULL;
    if (!f || !f->is_entry || i >= f->param_count) return false;
    if (offset) *offset = f->params[i]->offset;
    if (bytes) *bytes = f->params[i]->bytes;
    if (align) *align = f->params[i]->align;
    return true;
}
