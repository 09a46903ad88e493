/* calls_more.c : symbolic.h, emulate.h, code.h, and what a machine without a GPU says. */
#include "fuzz/api/calls.h"

#include <string.h>

/* --- conditions --------------------------------------------------------------------------------
 */

void try_symbolic(struct world *w)
{
    const struct tmap_symbolic_options o = {
        .isl_operations = draw_below(w, 2) ? 200000 : draw_below(w, 5000), .z3_rlimit = 1};
    if (w->symbolic && draw_below(w, 2)) {
        tmap_symbolic_budget(w->symbolic, draw_below(w, 2) ? 100000 : 0, 0);
        HOLDS(tmap_symbolic_why(w->symbolic) != NULL);
        return;
    }
    tmap_condition_free(w->condition);
    tmap_symbolic_close(w->symbolic);
    w->condition = NULL;
    w->symbolic = NULL;
    const enum tmap_status s = noted(w, tmap_symbolic_open(&o, &w->symbolic));
    HOLDS((s == TMAP_OK) == (w->symbolic != NULL));
}

static void draw_symbolic(struct world *w, struct tmap_symbolic_desc *d,
                          struct tmap_symbolic_use *use)
{
    memset(d, 0, sizeof *d);
    memset(use, 0, sizeof *use);
    draw_desc(w, &d->desc);
    if (draw_one_in(w, 3)) d->address = draw_text(w);
    for (int i = 0; i < TMAP_MAX_RANK; i++) {
        if (draw_one_in(w, 3)) d->dim[i] = draw_text(w);
        if (draw_one_in(w, 3) && i < 4) d->stride[i] = draw_text(w);
        if (draw_one_in(w, 8)) d->box[i] = draw_text(w);
    }
    if (draw_one_in(w, 4)) {
        draw_use(w, &use->use);
        if (draw_one_in(w, 2)) use->coord[0] = draw_text(w);
        d->uses = use;
        d->use_count = 1;
    }
}

void try_condition(struct world *w)
{
    struct tmap_symbolic_desc d[2];
    struct tmap_symbolic_use use[2];
    const char *assume[3];
    struct tmap_condition *out = NULL;
    const size_t n = 1 + draw_below(w, 2), assumed = draw_below(w, 4);
    if (!w->isl) return;
    if (!w->symbolic) try_symbolic(w);
    for (size_t i = 0; i < n; i++) draw_symbolic(w, &d[i], &use[i]);
    for (size_t i = 0; i < assumed; i++) assume[i] = draw_text(w);
    const enum tmap_status s = noted(
        w, tmap_condition_of(w->symbolic, maybe(w, a_checker(w)), d, n, assume, assumed, &out));
    HOLDS((s == TMAP_OK) == (out != NULL));
    HOLDS(s == TMAP_OK || tmap_symbolic_why(w->symbolic)[0]);
    if (s != TMAP_OK) return;
    tmap_condition_free(w->condition);
    w->condition = out;
    w->descs = n;
}

/* The formula and the check, at the same values. */
static void at_values(struct world *w, const struct tmap_condition *c)
{
    int64_t values[40] = {0};
    struct tmap_desc d;
    const size_t n = tmap_condition_param_count(c);
    HOLDS(n <= 32 && tmap_condition_param(c, n) == NULL);
    for (size_t i = 0; i < n; i++)
        values[i] = draw_below(w, 2) ? (int64_t)draw_below(w, 4096) : (int64_t)draw_edge(w);
    const int holds = tmap_condition_holds(c, values), assumed = tmap_condition_assumed(c, values);
    HOLDS(holds >= -1 && holds <= 1 && assumed >= -1 && assumed <= 1);
    bool fits = true;
    for (size_t i = 0; i < w->descs; i++) fits = tmap_condition_at(c, i, values, &d) && fits;
    HOLDS(!tmap_condition_at(c, w->descs, values, &d));
    if (holds == 1 && assumed == 1) HOLDS(fits && !tmap_condition_is_never(c));
    if (tmap_condition_counterexample(c, values))
        HOLDS(tmap_condition_holds(c, values) != 1 && tmap_condition_assumed(c, values) == 1);
    tmap_condition_undecided(c, values);
}

void try_ask_condition(struct world *w)
{
    const struct tmap_condition *c = w->condition;
    struct tmap_violation rows[VIOLATIONS];
    size_t length = 0, found;
    HOLDS(tmap_condition_holds(NULL, NULL) == -1);
    if (!c) return;
    HOLDS((tmap_condition_verdict(c) == TMAP_UNKNOWN) == (tmap_condition_reason(c)[0] != 0));
    at_values(w, c);
    noted(w, tmap_condition_rows(c, rows, draw_cap(w, VIOLATIONS), &found));
    const size_t cap = draw_one_in(w, 4) ? draw_below(w, 64) : TEXTS;
    const enum tmap_status s =
        noted(w, tmap_condition_text(w->symbolic, c, (enum tmap_formula_form)draw_below(w, 6),
                                     w->text, cap, &length));
    if (s == TMAP_OK && cap > 0) HOLDS(strlen(w->text) == (length < cap ? length : cap - 1));
    noted(w, tmap_guard_c(w->symbolic, c, (enum tmap_guard_language)draw_below(w, 4),
                          draw_below(w, 2) ? "is_legal" : draw_text(w), w->text, cap, &length));
    if (draw_one_in(w, 4))
        noted(w, tmap_condition_padding(w->symbolic, c, TMAP_FORM_TEXT, w->text, cap, &length));
}

/* --- the emulator ------------------------------------------------------------------------------
 */

static const char kernel[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;\n"
    ".visible .entry k(.param .u64 p) {\n"
    ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<6>;\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar;\n"
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra ready;\n"
    "mbarrier.init.shared::cta.b64 [%r3], 1; fence.mbarrier_init.release.cluster;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 256;\n"
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 256, [%r3];\n"
    "ready: bar.sync 0;\n"
    "wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0; @!%p2 bra wait;\n"
    "shl.b32 %r4, %r1, 2; add.u32 %r5, %r2, %r4; ld.shared.u32 %r6, [%r5]; bar.sync 0;\n"
    "add.u32 %r6, %r6, 1; cvt.u64.u32 %rd2, %r4; add.s64 %rd3, %rd1, %rd2;\n"
    "st.global.u32 [%rd3], %r6; ret; }\n";

static size_t draw_ptx(struct world *w, char *out, size_t cap)
{
    static const char *const words[] = {"%r1",
                                        "%rd1",
                                        "[%r3]",
                                        ";",
                                        "{",
                                        "}",
                                        ".u64",
                                        "256",
                                        "bra x;",
                                        "ret;",
                                        "0xffffffffffffffff",
                                        ".param",
                                        ",",
                                        "-1"};
    size_t n = sizeof kernel - 1;
    memcpy(out, kernel, n);
    for (uint32_t k = draw_below(w, 4); k > 0; k--) {
        const char *word = words[draw_below(w, 14)];
        const size_t length = strlen(word), at = draw_below(w, (uint32_t)n);
        if (n + length > cap) break;
        if (draw_below(w, 2)) { /* put in, or written over */
            memmove(out + at + length, out + at, n - at);
            n += length;
        } else if (at + length > n) {
            continue;
        }
        memcpy(out + at, word, length);
    }
    return n;
}

void try_emulate_load(struct world *w)
{
    struct tmap_emulate_module *out = NULL;
    struct tmap_emulate_error error;
    uint32_t offset, bytes, align;
    const size_t n = draw_ptx(w, w->text, TEXTS);
    const enum tmap_status s =
        noted(w, tmap_emulate_load(maybe(w, w->text), n, &out, maybe(w, &error)));
    HOLDS((s == TMAP_OK) == (out != NULL));
    if (s != TMAP_OK) return;
    tmap_emulate_free(w->module);
    w->module = out;
    const char *name = tmap_emulate_kernel(out, 0);
    for (size_t i = 0; name && tmap_emulate_param(out, name, i, &offset, &bytes, &align); i++)
        HOLDS(align > 0 && offset % align == 0);
    HOLDS(tmap_emulate_kernel(out, SIZE_MAX) == NULL);
}

void try_emulate_run(struct world *w)
{
    static _Thread_local uint8_t data[4096];
    if (!w->module) try_emulate_load(w);
    const uint64_t at = draw_one_in(w, 6) ? draw_edge(w) : 0x10000;
    const struct tmap_emulate_buffer buffer = {0x10000, sizeof data, data, "data"};
    const struct tmap_emulate_launch launch = {
        .kernel = draw_one_in(w, 8) ? "none" : "k",
        .grid = {1 + draw_below(w, 2), 1, draw_one_in(w, 16) ? (uint32_t)draw_edge(w) % 3 : 1},
        .block = {draw_one_in(w, 8) ? draw_below(w, 1100) : 64, 1, 1},
        .smem_bytes = draw_one_in(w, 8) ? (uint32_t)draw_edge(w) : 0,
        .params = &at,
        .param_bytes = draw_one_in(w, 16) ? 7 : 8,
        .buffers = &buffer,
        .buffer_count = draw_one_in(w, 16) ? 0 : 1,
        .schedule = (enum tmap_emulate_schedule)draw_below(w, 3),
        .seed = draw(w),
        .budget = 20000,
        .residents = draw_below(w, 3),
        .no_races = draw_one_in(w, 2),
        .overlap = draw_one_in(w, 2)};
    struct tmap_emulate_finding findings[4];
    struct tmap_emulate_result result;
    size_t found = 0;
    const enum tmap_status s =
        noted(w, tmap_emulate_run(w->module, &launch, findings, draw_cap(w, 4), &found, &result));
    if (s == TMAP_OK) HOLDS(result.finished || found > 0);
}

/* --- machine code, and doors that are closed here ------------------------------------------------
 */

void try_code(struct world *w)
{
    unsigned char bytes[300];
    struct tmap_code_kernel kernels[2];
    struct tmap_code_finding findings[4];
    size_t found = 0;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)draw(w);
    if (draw_below(w, 2)) memcpy(bytes, "\177ELF\2\1\1", 7);
    const enum tmap_status s =
        noted(w, tmap_code_scan(maybe(w, bytes), draw_below(w, 300), kernels, 2, &found, NULL));
    if (s == TMAP_OK && found) tmap_code_judge(&kernels[0], findings, draw_below(w, 5));
    for (size_t i = 0; i < TMAP_CODE_OPCODES && s != TMAP_OK; i++) kernels[0].count[i] = 1;
    tmap_code_count(&kernels[0], draw_text(w));
}

void try_open(struct world *w)
{
    char why[TMAP_DRIVER_TEXT];
    struct tmap_driver *driver = NULL;
    struct tmap_gemm *gemm = NULL;
    struct tmap_copy *copy = NULL;
    struct tmap_corpus *corpus = NULL;
    const size_t cap = draw_cap(w, 200);
    switch (draw_below(w, 4)) {
    case 0:
        HOLDS(noted(w, tmap_driver_open("/none/libcuda.so", 0, &driver, why)) != TMAP_OK);
        HOLDS(driver == NULL && memchr(why, 0, sizeof why));
        break;
    case 1:
        if (noted(w, tmap_gemm_open(NULL, &gemm, why, cap)) == TMAP_OK) tmap_gemm_close(gemm);
        break;
    case 2:
        if (noted(w, tmap_copy_open(NULL, &copy, why, cap)) == TMAP_OK) tmap_copy_close(copy);
        break;
    default:
        HOLDS(noted(w, tmap_corpus_open("/none", &corpus)) == TMAP_E_ARGUMENT && corpus == NULL);
        tmap_corpus_close(corpus);
    }
}
