/* atom and red in every type and operation, on one, two and four numbers: what is left in memory
 * and what each thread gets, with one thread after the other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/ptx_run.h"
#include "support/rounding.h"
#include "support/splitmix.h"

enum kind { UNSIGNED, SIGNED, BITS, FLOATING };
static const struct type {
    const char *name;
    enum kind kind;
    int bits, numbers; /* of each place; in it */
    const struct float_format *format;
} types[] = {{"u32", UNSIGNED, 32, 1, NULL},
             {"s32", SIGNED, 32, 1, NULL},
             {"u64", UNSIGNED, 64, 1, NULL},
             {"s64", SIGNED, 64, 1, NULL},
             {"b16", BITS, 16, 1, NULL},
             {"b32", BITS, 32, 1, NULL},
             {"b64", BITS, 64, 1, NULL},
             {"f32", FLOATING, 32, 1, &format_f32},
             {"f64", FLOATING, 64, 1, &format_f64},
             {"f16", FLOATING, 16, 1, &format_f16},
             {"bf16", FLOATING, 16, 1, &format_bf16},
             {"f16x2", FLOATING, 16, 2, &format_f16},
             {"bf16x2", FLOATING, 16, 2, &format_bf16}};
enum { TYPES = sizeof types / sizeof *types };

enum operation { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, CAS, OPERATIONS };
static const char *const names[] = {"add", "min", "max", "inc",  "dec",
                                    "and", "or",  "xor", "exch", "cas"};

static bool exists(enum operation o, const struct type *t)
{
    switch (t->kind) {
    case FLOATING:
        return o == ADD;
    case SIGNED:
        return o <= MAX;
    case UNSIGNED:
        return o <= MAX || ((o == INC || o == DEC) && t->bits == 32);
    default:
        return o >= (t->bits == 16 ? EXCH : AND);
    }
}

static uint64_t cut(uint64_t v, int bits)
{
    return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static uint64_t sum(const struct type *t, uint64_t a, uint64_t b)
{
    uint64_t r = 0;
    for (int at = 0; at < t->bits * t->numbers; at += t->bits)
        r |= float_round(t->format,
                         exact_sum(float_value(t->format, cut(a >> at, t->bits)),
                                   float_value(t->format, cut(b >> at, t->bits))),
                         ROUND_NEAREST, false)
             << at;
    return r;
}

static uint64_t after(enum operation o, const struct type *t, uint64_t old, uint64_t v,
                      uint64_t other)
{
    const uint64_t top = t->kind == SIGNED ? (uint64_t)1 << (t->bits - 1) : 0;
    switch (o) {
    case ADD:
        return t->kind == FLOATING ? sum(t, old, v) : cut(old + v, t->bits);
    case MIN:
        return (old ^ top) < (v ^ top) ? old : v;
    case MAX:
        return (old ^ top) > (v ^ top) ? old : v;
    case INC:
        return old >= v ? 0 : old + 1;
    case DEC:
        return old == 0 || old > v ? v : old - 1;
    case AND:
        return old & v;
    case OR:
        return old | v;
    case XOR:
        return old ^ v;
    case EXCH:
        return v;
    default:
        return old == v ? other : old;
    }
}

/* --- a run: the place in global or shared memory, then for each thread v, other, and what it got
 */

enum { THREADS = 64, MOST = 4 };
struct data {
    uint64_t place[MOST];
    struct {
        uint64_t v[MOST], other, got[MOST], pad[7];
    } thread[THREADS];
};

struct asked {
    enum operation operation;
    const struct type *type;
    int lanes; /* 1, or a vector */
    bool returns, shared;
    const char *order;
};

static const char *letter(const struct type *t)
{
    const int bits = t->bits * t->numbers;
    return bits == 64 ? "d" : bits == 32 ? "r" : "h";
}

static void registers(char *text, size_t cap, const struct asked *q, int from)
{
    size_t n = 0;
    if (q->lanes == 1) {
        snprintf(text, cap, "%%%s%d", letter(q->type), from);
        return;
    }
    for (int i = 0; i < q->lanes; i++)
        n += (size_t)snprintf(text + n, cap - n, "%s%%%s%d", i ? ", " : "{", letter(q->type),
                              from + i);
    snprintf(text + n, cap - n, "}");
}

static void instruction(char *text, size_t cap, const struct asked *q)
{
    char v[64], got[64];
    registers(v, sizeof v, q, 10);
    registers(got, sizeof got, q, 14);
    snprintf(text, cap, "%s%s.%s.%s%s%s.%s %s%s[%%d7], %s%s%s;", q->returns ? "atom" : "red",
             q->order, q->shared ? "shared" : "global", names[q->operation],
             q->type->kind == FLOATING && q->type->bits == 16 ? ".noftz" : "",
             q->lanes == 4   ? ".v4"
             : q->lanes == 2 ? ".v2"
                             : "",
             q->type->name, q->returns ? got : "", q->returns ? ", " : "", v,
             q->operation == CAS ? ", %" : "",
             q->operation != CAS   ? ""
             : q->type->bits == 64 ? "d18"
             : q->type->bits == 32 ? "r18"
                                   : "h18");
}

/* Values are read and written as wide as their registers. */
static void program(char *text, size_t cap, const struct asked *q)
{
    char one[240], move[1600] = "", back[1200] = "";
    const int bytes = q->type->bits * q->type->numbers / 8;
    size_t n = 0, m = 0;
    instruction(one, sizeof one, q);
    for (int i = 0; i < q->lanes; i++) {
        n += (size_t)snprintf(move + n, sizeof move - n, "ld.global.b%d %%%s%d, [%%d1+%d];\n",
                              8 * bytes, letter(q->type), 10 + i, 8 * i);
        m += (size_t)snprintf(back + m, sizeof back - m, "st.global.b%d [%%d1+%d], %%%s%d;\n",
                              8 * bytes, 40 + 8 * i, letter(q->type), 14 + i);
    }
    snprintf(
        text, cap,
        ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 32 .b8 s[32];\n"
        ".visible .entry k(.param .u64 p) {\n.reg .pred %%p<4>; .reg .b16 %%h<20>;\n"
        ".reg .b32 %%r<20>; .reg .b64 %%d<20>;\n"
        "ld.param.u64 %%d0, [p]; mov.u32 %%r0, %%tid.x; mul.wide.u32 %%d1, %%r0, 128;\n"
        "add.s64 %%d1, %%d1, %%d0; add.s64 %%d1, %%d1, 32;\n"
        "setp.ne.u32 %%p1, %%r0, 0; mov.u64 %%d7, %s;\n"
        "@%%p1 bra all;\n%s"
        "all: bar.sync 0;\n%sld.global.b%d %%%s18, [%%d1+32];\n%s\n%s"
        "bar.sync 0;\n@%%p1 bra out;\n%s"
        "out: ret;\n}\n",
        q->shared ? "s" : "%d0",
        q->shared
            ? "ld.global.v4.u64 {%d2, %d3, %d4, %d5}, [%d0]; st.shared.v2.u64 [s], {%d2, %d3};\n"
              "st.shared.v2.u64 [s+16], {%d4, %d5};\n"
            : "",
        move, 8 * bytes, letter(q->type), one, q->returns ? back : "",
        q->shared ? "ld.shared.v2.u64 {%d2, %d3}, [s]; ld.shared.v2.u64 {%d4, %d5}, [s+16];\n"
                    "st.global.v4.u64 [%d0], {%d2, %d3, %d4, %d5};\n"
                  : "");
}

static uint64_t drawn(const struct type *t, uint64_t *seed)
{
    const uint64_t r = splitmix(seed);
    uint64_t v = 0;
    if (t->kind != FLOATING) return cut(r & 64 ? r >> 7 : r & 3 ? r & 7 : 0 - (r & 7), t->bits);
    for (int i = 0; i < t->numbers; i++)
        v |= float_round(
                 t->format,
                 exact_of(ldexpl((long double)(int64_t)(r >> (8 + 16 * i) & 0xffff) - 0x7000, -5)),
                 ROUND_NEAREST, false)
             << i * t->bits;
    return v;
}

static size_t wrong, tried;

static void compare(const struct asked *q, const struct data *d, const struct data *before,
                    const char *text)
{
    const int bytes = q->type->bits * q->type->numbers / 8;
    uint64_t place[MOST] = {0};
    const uint8_t *at = (const uint8_t *)before->place;
    for (int i = 0; i < q->lanes; i++) memcpy(&place[i], at + (size_t)i * bytes, (size_t)bytes);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < q->lanes; i++) {
            const uint64_t old = place[i];
            if (q->returns && d->thread[t].got[i] != old && wrong++ < 8)
                fprintf(stderr, "# %s thread %d, %d: got 0x%llx, not 0x%llx\n", text, t, i,
                        (unsigned long long)d->thread[t].got[i], (unsigned long long)old);
            place[i] =
                after(q->operation, q->type, old, before->thread[t].v[i], before->thread[t].other);
        }
    for (int i = 0; i < q->lanes; i++)
        if (memcmp((const uint8_t *)d->place + (size_t)i * bytes, &place[i], (size_t)bytes) &&
            wrong++ < 8)
            fprintf(stderr, "# %s leaves another number %d than 0x%llx\n", text, i,
                    (unsigned long long)place[i]);
}

static void check(const struct asked *q)
{
    struct data d, before;
    struct ptx_run run;
    char text[4000], one[240];
    uint64_t seed = (uint64_t)q->operation * 100 + 7;
    memset(&d, 0, sizeof d);
    for (int i = 0; i < MOST; i++) d.place[i] = splitmix(&seed);
    if (q->type->kind == FLOATING)
        for (int i = 0; i < q->lanes; i++) {
            const uint64_t v = drawn(q->type, &seed);
            const size_t bytes = (size_t)(q->type->bits * q->type->numbers / 8);
            memcpy((uint8_t *)d.place + (size_t)i * bytes, &v, bytes);
        }
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < MOST; i++) d.thread[t].v[i] = drawn(q->type, &seed);
        d.thread[t].other = drawn(q->type, &seed);
        if (q->operation == CAS &&
            t % 2 == 0) /* what the thread before may have left, or the place */
            d.thread[t].v[0] = t ? d.thread[t - 2].other : cut(d.place[0], q->type->bits);
    }
    before = d;
    program(text, sizeof text, q);
    instruction(one, sizeof one, q);
    tried++;
    if (!ptx_run(text, &d, sizeof d, THREADS, 1, 0, TMAP_EMULATE_EARLIEST, &run)) {
        fprintf(stderr, "# %s does not run\n", one);
        wrong++;
        return;
    }
    compare(q, &d, &before, one);
}

static void every_atomic(void **state)
{
    static const char *const orders[] = {
        "", ".relaxed.gpu", ".acquire.cta", ".release.gpu", ".acq_rel.sys", ".relaxed.cluster"};
    (void)state;
    for (int t = 0; t < TYPES; t++)
        for (enum operation o = ADD; o < OPERATIONS; o++)
            for (int how = 0; how < 4; how++) {
                const bool returns = how & 1 || o >= EXCH;
                if (exists(o, &types[t]))
                    check(&(struct asked){o, &types[t], 1, returns, how & 2,
                                          orders[((int)o + t + how) % (returns ? 6 : 2)]});
            }
    for (int how = 0; how < 2; how++) { /* vectors */
        check(&(struct asked){ADD, &types[7], 2, how, false, ""});
        check(&(struct asked){ADD, &types[7], 4, how, false, ""});
        check(&(struct asked){ADD, &types[9], 4, how, false, ""});
        check(&(struct asked){ADD, &types[11], 2, how, false, ""});
        check(&(struct asked){ADD, &types[12], 4, how, false, ""});
    }
    print_message("# %zu atomic operations, %d threads each\n", tried, THREADS);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_atomic)};
    return cmocka_run_group_tests_name("atomic operations of the emulator", tests, NULL, NULL);
}
