// Qualifiers and operands, as the families' decoders take them.
#include "emulate/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dec_error(struct decoder *d, const char *format, ...)
{
    if (d->status != TMAP_OK) return;
    d->status = TMAP_E_ARGUMENT;
    if (!d->error) return;
    va_list args;
    va_start(args, format);
    vsnprintf(d->error->text, sizeof d->error->text, format, args);
    va_end(args);
    d->error->line = d->inst->line;
}

void *dec_alloc(struct decoder *d, size_t bytes)
{
    void *p = emu_alloc(&d->module->arena, bytes);
    if (!p) d->status = TMAP_E_MEMORY;
    return p;
}

// --- qualifiers

static bool is(const struct decoder *d, uint32_t i, const char *text, size_t length)
{
    return !(d->taken >> i & 1) && d->length[i] == length && memcmp(d->word[i], text, length) == 0;
}

static bool take(struct decoder *d, const char *text, size_t length)
{
    for (uint32_t i = 0; i < d->words; i++)
        if (is(d, i, text, length)) {
            d->taken |= 1u << i;
            return true;
        }
    return false;
}

bool dec_has(struct decoder *d, const char *qualifier)
{
    return take(d, qualifier, strlen(qualifier));
}

const char *dec_begins(struct decoder *d, const char *start, uint32_t *length)
{
    const size_t n = strlen(start);
    for (uint32_t i = 0; i < d->words; i++)
        if (!(d->taken >> i & 1) && d->length[i] >= n && memcmp(d->word[i], start, n) == 0) {
            d->taken |= 1u << i;
            *length = d->length[i] - (uint32_t)n;
            return d->word[i] + n;
        }
    return NULL;
}

enum ptx_type dec_type(struct decoder *d)
{
    for (uint32_t i = 0; i < d->words; i++) {
        const enum ptx_type t =
            d->taken >> i & 1 ? PTX_NONE : ptx_type_named(d->word[i], d->length[i]);
        if (t != PTX_NONE) {
            d->taken |= 1u << i;
            return t;
        }
    }
    return PTX_NONE;
}

int dec_one_of(struct decoder *d, const char *list)
{
    for (int n = 0; *list; n++) {
        const size_t length = strcspn(list, "|");
        if (take(d, list, length)) return n;
        list += length + (list[length] == '|');
    }
    return -1;
}

enum ptx_space dec_space(struct decoder *d)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {
        {"global", PTX_GLOBAL},          {"shared", PTX_SHARED}, {"shared::cta", PTX_SHARED},
        {"shared::cluster", PTX_SHARED}, {"param", PTX_PARAM},   {"param::entry", PTX_PARAM},
        {"param::func", PTX_PARAM},      {"local", PTX_LOCAL},   {"const", PTX_CONST}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (dec_has(d, spaces[i].name)) return spaces[i].space;
    return PTX_GENERIC;
}

// --- constants and registers

static uint32_t const_bucket(uint64_t value, uint32_t bytes)
{
    return (uint32_t)((value * 0x9e3779b97f4a7c15ull >> 40) + bytes) % CONST_BUCKETS;
}

static bool const_room(struct decoder *d, uint32_t bytes)
{
    struct tmap_emulate_module *m = d->module;
    if (m->const_bytes + bytes <= d->const_room) return true;
    const uint32_t room = 2 * d->const_room + bytes + SLOT_BYTES;
    uint8_t *larger = dec_alloc(d, room);
    if (!larger) return false;
    if (m->const_bytes) memcpy(larger, m->consts, m->const_bytes);
    m->consts = larger;
    d->const_room = room;
    return true;
}

emu_at dec_const(struct decoder *d, uint64_t value, uint32_t bytes)
{
    struct tmap_emulate_module *m = d->module;
    struct dec_const **head = &d->bucket[const_bucket(value, bytes)];
    for (const struct dec_const *c = *head; c; c = c->next)
        if (c->value == value) return ~(emu_at)c->at; // of these bytes: others have another chain
    struct dec_const *c = dec_alloc(d, sizeof *c);
    if (!c || !const_room(d, LANES * bytes)) return 0;
    *c = (struct dec_const){value, bytes, m->const_bytes, *head};
    *head = c;
    memset(m->consts + c->at, 0, (size_t)LANES * bytes);
    for (uint32_t l = 0; l < LANES; l++)
        memcpy(m->consts + c->at + (size_t)l * bytes, &value, bytes < 8 ? bytes : 8);
    m->const_bytes += LANES * bytes;
    return ~(emu_at)c->at;
}

static uint32_t lane_bytes(uint32_t bits)
{
    return bits <= 32 ? 4 : bits / 8;
}

// The next bytes of the warps' registers; an error where there are no more, which decode_one()
// sees.
static emu_at take_registers(struct decoder *d, uint32_t bytes)
{
    const emu_at at = (emu_at)d->reg_bytes;
    if (d->reg_bytes > INT32_MAX - bytes)
        dec_error(d, "too many registers");
    else
        d->reg_bytes += bytes;
    return at;
}

emu_at dec_register(struct decoder *d, int32_t reg)
{
    const uint32_t bits = ptx_type_bits(d->f->reg_type[reg]);
    const uint32_t bytes = bits == 1 ? SLOT_BYTES / 2 : LANES * lane_bytes(bits);
    if (d->reg[reg] < 0) d->reg[reg] = take_registers(d, bytes);
    return d->reg[reg];
}

static bool source_register(struct decoder *d, int32_t reg, emu_at *out)
{
    *out = dec_register(d, reg);
    if (d->notes_reads && d->reads < MAX_READS) d->read[d->reads++] = *out;
    return true;
}

uint32_t dec_bits(const struct decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OP_REG ? ptx_type_bits(d->f->reg_type[o->reg]) : 0;
}

// --- operands

bool dec_more(const struct decoder *d)
{
    return d->next < d->inst->operands;
}

const struct ptx_operand *dec_operand(struct decoder *d)
{
    if (!dec_more(d)) {
        dec_error(d, "'%s' has too few operands", d->inst->op);
        return NULL;
    }
    return &d->inst->operand[d->next++];
}

static bool special(struct decoder *d, const char *name, emu_at *out)
{
    static const char *const names[SPECIALS] = {
#define SPECIAL(id, text) text,
#include "emulate/specials.def"
    };
    for (int i = 0; i < SPECIALS; i++)
        if (strcmp(names[i], name) == 0) {
            *out = i * SLOT_BYTES;
            return true;
        }
    return dec_fail(d, "'%s' is not declared", name);
}

// A variable's address as lanes of `bytes`. That of a shared one carries the CTA's rank, so it is
// no constant: every warp of the function has it in registers from its start.
static bool var_lanes(struct decoder *d, const struct ptx_var *v, uint64_t plus, uint32_t bytes,
                      emu_at *out)
{
    struct tmap_emulate_module *m = d->module;
    if (v->space != PTX_SHARED) {
        *out = dec_const(d, v->address + plus, bytes);
        return d->status == TMAP_OK;
    }
    for (uint32_t i = m->shared_names; i-- > 0 && m->shared_name[i].function == d->function;)
        if (m->shared_name[i].var == v && m->shared_name[i].plus == plus &&
            m->shared_name[i].bytes == bytes) {
            *out = m->shared_name[i].at;
            return true;
        }
    const emu_at at = take_registers(d, LANES * bytes);
    const struct emu_shared_name name = {d->function, bytes, v, plus, at};
    if (!emu_grow(&m->arena, &m->shared_name, m->shared_names, sizeof name))
        return d->status = TMAP_E_MEMORY, false;
    m->shared_name[m->shared_names++] = name;
    *out = at;
    return true;
}

static uint64_t number_as(const struct ptx_operand *o, enum ptx_type type)
{
    if (o->kind == PTX_OP_F64 && type == PTX_F32) {
        double v;
        memcpy(&v, &o->value, 8);
        const float f = (float)v;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        return bits;
    }
    if (o->kind == PTX_OP_INT && (type == PTX_F32 || type == PTX_F64)) {
        const double v = (double)(int64_t)o->value;
        const float f = (float)v;
        uint64_t bits = 0;
        memcpy(&bits, type == PTX_F32 ? (const void *)&f : (const void *)&v,
               type == PTX_F32 ? 4 : 8);
        return bits;
    }
    const uint32_t bits = ptx_type_bits(type);
    return bits >= 64 || bits == 0 ? o->value : o->value & ((1ull << bits) - 1);
}

static bool wrong_kind(struct decoder *d)
{
    return dec_fail(d, "an operand of '%s' is of a kind that it does not take", d->inst->op);
}

bool dec_source_of(struct decoder *d, const struct ptx_operand *o, enum ptx_type type, emu_at *out)
{
    const uint32_t bits = ptx_type_bits(type);
    switch (o->kind) {
    case PTX_OP_REG:
        if (o->negated) return dec_fail(d, "'!' before an operand of '%s'", d->inst->op);
        if (lane_bytes(dec_bits(d, o)) != lane_bytes(bits) || (dec_bits(d, o) == 1) != (bits == 1))
            return dec_fail(d, "a register of %u bits where '%s' takes %u", dec_bits(d, o),
                            d->inst->op, bits);
        return source_register(d, o->reg, out);
    case PTX_OP_INT:
    case PTX_OP_F32:
    case PTX_OP_F64:
        if (bits == 1) {
            *out = dec_const(d, o->value ? UINT32_MAX : 0, 4);
            return d->status == TMAP_OK;
        }
        *out = dec_const(d, number_as(o, type), lane_bytes(bits));
        return d->status == TMAP_OK;
    case PTX_OP_VAR:
        if (bits == 1) return wrong_kind(d);
        return var_lanes(d, o->var, o->value, lane_bytes(bits), out);
    case PTX_OP_SYMBOL:
        if (bits == 1) return wrong_kind(d);
        if (bits > 32) return dec_fail(d, "'%s' is not declared", o->name);
        return special(d, o->name, out);
    default:
        return wrong_kind(d);
    }
}

bool dec_source(struct decoder *d, enum ptx_type type, emu_at *out)
{
    const struct ptx_operand *o = dec_operand(d);
    return o && dec_source_of(d, o, type, out);
}

bool dec_dest_of(struct decoder *d, const struct ptx_operand *o, uint32_t bits, emu_at *out)
{
    if (o->kind == PTX_OP_SINK) {
        *out = take_registers(d, LANES * (bits > 64 ? 16 : 8));
        return true;
    }
    if (o->kind != PTX_OP_REG || o->negated)
        return dec_fail(d, "'%s' writes to something that is no register", d->inst->op);
    if (lane_bytes(dec_bits(d, o)) != lane_bytes(bits) || (dec_bits(d, o) == 1) != (bits == 1))
        return dec_fail(d, "'%s' writes %u bits to a register of %u", d->inst->op, bits,
                        dec_bits(d, o));
    *out = dec_register(d, o->reg);
    return true;
}

bool dec_dest(struct decoder *d, uint32_t bits, emu_at *out)
{
    const struct ptx_operand *o = dec_operand(d);
    return o && dec_dest_of(d, o, bits, out);
}

bool dec_predicate(struct decoder *d, emu_at *out, bool *negated)
{
    const struct ptx_operand *o = dec_operand(d);
    if (!o) return false;
    *negated = o->negated;
    struct ptx_operand plain = *o;
    plain.negated = false;
    return dec_source_of(d, &plain, PTX_PRED, out);
}

bool dec_address_of(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
                    emu_at *base, int64_t *offset)
{
    if (o->kind != PTX_OP_MEM || o->parts < 1)
        return dec_fail(d, "'%s' takes an address in brackets here", d->inst->op);
    const struct ptx_operand *p = &o->part[0];
    *offset = (int64_t)o->value;
    if (p->kind == PTX_OP_REG) {
        const uint32_t bits = dec_bits(d, p);
        if (bits != 32 && bits != 64) return dec_fail(d, "an address of %u bits", bits);
        d->out->flags |= bits == 64 ? DEC_WIDE_ADDRESS : 0; // of the last address that was taken
        if (bits == 32) *offset += (int64_t)emu_window(space);
        return source_register(d, p->reg, base);
    }
    if (p->kind == PTX_OP_VAR && space == PTX_GENERIC && p->var->space == PTX_SHARED)
        *offset += (int64_t)EMU_SHARED_WINDOW;
    d->out->flags |= DEC_WIDE_ADDRESS;
    if (p->kind == PTX_OP_VAR) return var_lanes(d, p->var, p->value, 8, base);
    if (p->kind != PTX_OP_INT)
        return dec_fail(d, "an address that '%s' does not take", d->inst->op);
    *offset += (int64_t)p->value;
    *base = dec_const(d, 0, 8);
    return d->status == TMAP_OK;
}

bool dec_address(struct decoder *d, enum ptx_space space)
{
    const struct ptx_operand *o = dec_operand(d);
    return o && dec_address_of(d, o, space, &d->out->a, &d->out->imm);
}

bool dec_place(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
               struct emu_place *out)
{
    const uint32_t flags = d->out->flags;
    d->out->flags = flags & ~DEC_WIDE_ADDRESS;
    if (!o || !dec_address_of(d, o, space, &out->base, &out->plus)) return false;
    out->wide = (d->out->flags & DEC_WIDE_ADDRESS) != 0;
    out->space = (uint8_t)space;
    d->out->flags = flags;
    return true;
}

bool dec_list(struct decoder *d, const struct ptx_operand *o, enum ptx_type type, bool dest)
{
    const bool vector = o->kind == PTX_OP_VECTOR;
    const uint32_t n = vector ? o->parts : 1, bits = ptx_type_bits(type);
    emu_at *list = dec_alloc(d, n * sizeof *list);
    uint8_t *wide = dec_alloc(d, n);
    if (!list || !wide) return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct ptx_operand *part = vector ? &o->part[i] : o;
        const uint32_t have = dec_bits(d, part);
        if (have == 1) return dec_fail(d, "a predicate in a vector of '%s'", d->inst->op);
        if (have > 64 && bits <= 64)
            return dec_fail(d, "a register of %u bits where '%s' takes %u", have, d->inst->op,
                            bits);
        // Loads and stores take registers that are wider than their type.
        const uint32_t use = have > bits ? have : bits;
        static const enum ptx_type raw[] = {PTX_B32, PTX_B64, PTX_B128};
        const enum ptx_type as = use <= 32 ? (have ? raw[0] : type) : raw[use > 64 ? 2 : 1];
        if (!(dest ? dec_dest_of(d, part, use, &list[i]) : dec_source_of(d, part, as, &list[i])))
            return false;
        wide[i] = use > 32;
    }
    d->out->list = list;
    d->out->wide = wide;
    d->out->lists = n;
    return true;
}

bool dec_immediate(struct decoder *d, int64_t *out)
{
    const struct ptx_operand *o = dec_operand(d);
    if (!o) return false;
    if (o->kind != PTX_OP_INT) return dec_fail(d, "'%s' takes a constant here", d->inst->op);
    *out = (int64_t)o->value;
    return true;
}

bool dec_aligned(struct decoder *d)
{
    if (dec_has(d, "sync") && dec_has(d, "aligned")) return true;
    return dec_fail(d, "'%s' without .sync.aligned", d->inst->op);
}

bool dec_groups(struct decoder *d)
{
    if (!dec_immediate(d, &d->out->imm)) return false;
    if (d->out->imm >= 0) return true;
    return dec_fail(d, "'%s' of %lld groups", d->inst->op, (long long)d->out->imm);
}

enum ptx_type dec_peek_type(const struct decoder *d)
{
    enum ptx_type t = PTX_NONE;
    for (uint32_t i = 0; t == PTX_NONE && i < d->words; i++)
        t = ptx_type_named(d->word[i], d->length[i]);
    return t;
}

const struct ptx_operand *dec_first_of_pair(struct decoder *d)
{
    const struct ptx_operand *o = dec_operand(d);
    if (!o || o->kind != PTX_OP_PAIR) return o;
    d->out->lists = 1;
    return dec_dest_of(d, &o->part[1], 1, &d->out->e) ? &o->part[0] : NULL;
}
