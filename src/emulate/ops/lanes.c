// What the lanes of a warp do together: shuffles, votes, matches, reductions, elections.
#include "emulate/async/async.h"
#include "emulate/ops/ops.h"

// The lanes that the mask operand names and that are still there have to be here.
static bool members(struct emu_warp *w, const struct emu_insn *in, emu_at at, uint32_t mask,
                    enum emu_step *step)
{
    const uint32_t named = emu_u32(w, at)[emu_lane(mask)];
    return emu_together(w, in, named, step);
}

EXEC(shuffle)
{
    enum emu_step step;
    uint32_t r[LANES], inside = 0;
    if (!members(w, in, in->e, mask, &step)) return step;
    const uint32_t *a = emu_u32(w, in->a), *b = emu_u32(w, in->b), *c = emu_u32(w, in->c);
    EACH_LANE(l, mask)
    {
        const uint32_t segment = c[l] >> 8 & 31, limit = c[l] & 31, n = b[l] & 31;
        const int32_t last = (int32_t)((l & segment) | (limit & ~segment));
        const int32_t first = (int32_t)(l & segment);
        int32_t from;
        bool in_range;
        switch (in->count) {
        case 0:
            from = (int32_t)l - (int32_t)n, in_range = from >= last;
            break;
        case 1:
            from = (int32_t)(l + n), in_range = from <= last;
            break;
        case 2:
            from = (int32_t)(l ^ n), in_range = from <= last;
            break;
        default:
            from = first | (int32_t)(n & ~segment & 31), in_range = from <= last;
        }
        if (!in_range) from = (int32_t)l;
        r[l] = a[from & 31];
        inside |= (uint32_t)in_range << l;
    }
    EACH_LANE(l, mask) emu_u32(w, in->d)[l] = r[l];
    if (in->lists) emu_set_pred(w, (emu_at)in->flags, mask, inside);
    return EMU_NEXT;
}

bool decode_shfl(struct decoder *d)
{
    struct emu_insn *out = d->out;
    if (!dec_has(d, "sync")) return dec_fail(d, "shfl without .sync");
    const int mode = dec_one_of(d, "up|down|bfly|idx");
    if (mode < 0 || !dec_has(d, "b32")) return false;
    out->exec = shuffle;
    out->count = (uint8_t)mode;
    const struct ptx_operand *o = dec_operand(d);
    if (!o) return false;
    if (o->kind == PTX_OP_PAIR) {
        emu_at p;
        if (!dec_dest_of(d, &o->part[1], 1, &p)) return false;
        out->flags = (uint32_t)p;
        out->lists = 1;
        o = &o->part[0];
    }
    return dec_dest_of(d, o, 32, &out->d) && dec_source(d, PTX_B32, &out->a) &&
           dec_source(d, PTX_B32, &out->b) && dec_source(d, PTX_B32, &out->c) &&
           dec_source(d, PTX_B32, &out->e);
}

EXEC(vote)
{
    enum emu_step step;
    if (!members(w, in, in->c, mask, &step)) return step;
    const uint32_t p = (emu_pred(w, in->a) ^ (in->not_c ? UINT32_MAX : 0)) & mask;
    if (in->count == 3) {
        EACH_LANE(l, mask) emu_u32(w, in->d)[l] = p;
        return EMU_NEXT;
    }
    const bool r = in->count == 0 ? p == mask : in->count == 1 ? p != 0 : p == 0 || p == mask;
    emu_set_pred(w, in->d, mask, r ? UINT32_MAX : 0);
    return EMU_NEXT;
}

bool decode_vote(struct decoder *d)
{
    if (!dec_has(d, "sync")) return dec_fail(d, "vote without .sync");
    const int mode = dec_one_of(d, "all|any|uni|ballot");
    if (mode < 0 || !(mode == 3 ? dec_has(d, "b32") : dec_has(d, "pred"))) return false;
    d->out->exec = vote;
    d->out->count = (uint8_t)mode;
    return dec_dest(d, mode == 3 ? 32 : 1, &d->out->d) &&
           dec_predicate(d, &d->out->a, &d->out->not_c) && dec_source(d, PTX_B32, &d->out->c);
}

EXEC(match)
{
    enum emu_step step;
    uint32_t r[LANES], all = 0;
    if (!members(w, in, in->c, mask, &step)) return step;
    EACH_LANE(l, mask)
    {
        r[l] = 0;
        EACH_LANE(k, mask)
        {
            const bool same = in->bytes == 8 ? emu_u64(w, in->a)[l] == emu_u64(w, in->a)[k]
                                             : emu_u32(w, in->a)[l] == emu_u32(w, in->a)[k];
            r[l] |= (uint32_t)same << k;
        }
        if (r[l] == mask) all |= 1u << l;
    }
    EACH_LANE(l, mask) emu_u32(w, in->d)[l] = in->count == 0 ? r[l] : all ? mask : 0;
    if (in->lists) emu_set_pred(w, in->e, mask, all ? UINT32_MAX : 0);
    return EMU_NEXT;
}

bool decode_match(struct decoder *d)
{
    if (!dec_has(d, "sync")) return false;
    const int mode = dec_one_of(d, "any|all");
    const enum ptx_type t = dec_type(d);
    if (mode < 0 || (t != PTX_B32 && t != PTX_B64)) return false;
    d->out->exec = match;
    d->out->count = (uint8_t)mode;
    d->out->bytes = (uint8_t)(ptx_type_bits(t) / 8);
    const struct ptx_operand *o = dec_first_of_pair(d);
    return o && dec_dest_of(d, o, 32, &d->out->d) && dec_source(d, t, &d->out->a) &&
           dec_source(d, PTX_B32, &d->out->c);
}

static uint32_t reduce(const struct emu_insn *in, uint32_t a, uint32_t b)
{
    switch (in->count) {
    case 0:
        return a + b;
    case 1:
        return in->type == PTX_S32 ? ((int32_t)a < (int32_t)b ? a : b) : a < b ? a : b;
    case 2:
        return in->type == PTX_S32 ? ((int32_t)a > (int32_t)b ? a : b) : a > b ? a : b;
    case 3:
        return a & b;
    case 4:
        return a | b;
    default:
        return a ^ b;
    }
}

static uint32_t reduce_float(const struct emu_insn *in, uint32_t a, uint32_t b)
{
    float x = emu_float(a), y = emu_float(b);
    if (in->flags & 1) x = emu_float(a & 0x7fffffff), y = emu_float(b & 0x7fffffff);
    if ((x != x && y != y) || ((in->flags & 2) && (x != x || y != y))) return 0x7fffffff;
    if (x == y) return in->count == 2 ? emu_bits(x) & emu_bits(y) : emu_bits(x) | emu_bits(y);
    const float r = x != x ? y : y != y ? x : (x < y) == (in->count == 2) ? y : x;
    return emu_bits(r);
}

EXEC(redux)
{
    enum emu_step step;
    if (!members(w, in, in->c, mask, &step)) return step;
    const uint32_t *a = emu_u32(w, in->a);
    uint32_t r = 0;
    bool first = true;
    EACH_LANE(l, mask)
    {
        const uint32_t v = a[l];
        if (in->type == PTX_F32)
            r = first ? reduce_float(in, v, v) : reduce_float(in, r, v);
        else
            r = first ? v : reduce(in, r, v);
        first = false;
    }
    EACH_LANE(l, mask) emu_u32(w, in->d)[l] = r;
    return EMU_NEXT;
}

bool decode_redux(struct decoder *d)
{
    if (!dec_has(d, "sync")) return false;
    const int op = dec_one_of(d, "add|min|max|and|or|xor");
    if (dec_has(d, "abs")) d->out->flags |= 1;
    if (dec_has(d, "NaN")) d->out->flags |= 2;
    const enum ptx_type t = dec_type(d);
    if (op < 0 || ptx_type_bits(t) != 32) return false;
    d->out->exec = redux;
    d->out->count = (uint8_t)op;
    d->out->type = (uint8_t)t;
    return dec_dest(d, 32, &d->out->d) && dec_source(d, PTX_B32, &d->out->a) &&
           dec_source(d, PTX_B32, &d->out->c);
}

EXEC(elect)
{
    enum emu_step step;
    if (!members(w, in, in->a, mask, &step)) return step;
    const uint32_t leader = (uint32_t)emu_lane(mask);
    EACH_LANE(l, mask) emu_u32(w, in->d)[l] = leader;
    emu_set_pred(w, in->e, mask, 1u << leader);
    return EMU_NEXT;
}

bool decode_elect(struct decoder *d)
{
    const struct ptx_operand *o;
    if (!dec_has(d, "sync") || !(o = dec_operand(d))) return false;
    if (o->kind != PTX_OP_PAIR) return dec_fail(d, "elect.sync writes d|p");
    d->out->exec = elect;
    return dec_dest_of(d, &o->part[0], 32, &d->out->d) &&
           dec_dest_of(d, &o->part[1], 1, &d->out->e) && dec_source(d, PTX_B32, &d->out->a);
}

EXEC(activemask)
{
    EACH_LANE(l, mask) emu_u32(w, in->d)[l] = mask;
    return EMU_NEXT;
}

bool decode_activemask(struct decoder *d)
{
    d->out->exec = activemask;
    return dec_has(d, "b32") && dec_dest(d, 32, &d->out->d);
}
