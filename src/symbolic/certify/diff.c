/* diff.c : what changes its verdict between two targets or contracts.
 *
 * A descriptor changes its verdict only through a row that the two sides do not state alike, or of
 * which only one asks. Witnesses are found by the native check over the rows' own witnesses and all
 * modes; Z3 says that rows without a witness never decide, so that there is nothing else.
 */
#include "symbolic/smt/replay.h"
#include "symbolic/smt/script.h"

#include <string.h>

enum { TEXT_BYTES = 1 << 19, ROW_BYTES = 1 << 15, KINDS = 4, VERDICTS = TMAP_UNKNOWN + 1 };

/* The best witness so far of one row, kind and change. */
struct found {
    bool any;
    size_t violated; /* rows that are broken where the verdict is worse */
    struct tmap_desc witness;
};

struct differ {
    struct tmap_symbolic *s;
    const struct tmap_checker *side[2];
    struct tmap_checker gate[2]; /* of each side: every row that it asks for decides */
    struct sym_work w;
    struct sym_script script;
    char *text[2];                  /* of one row on each side */
    bool differs[SUBJECT_DESC_END]; /* the sides do not ask for the row alike */
    struct found found[VERDICTS][VERDICTS][KINDS][SUBJECT_DESC_END]; /* from, to, kind, row */
};

/* Of a kind that is none of the three no other row is evaluated. */
static bool is_about(tmap_row row, int kind)
{
    return kind < KINDS - 1 ? (row_table[row].kinds >> kind) & 1 : row == ROW_TMA001;
}

/* The row is asked for and does not decide: broken, it makes the verdict unknown. */
static bool waits(const struct tmap_checker *c, tmap_row row)
{
    return sym_is_gate(c, row) && !sym_is_active(c, row);
}

/* --- which rows differ ----------------------------------------------------------------------- */

/* The instance on one side: alone; or, where it decides, or what it needs and what does not decide
 * is broken. */
static void put_text(struct differ *d, int side, tmap_row row, int index, bool alone)
{
    struct sym_text t = {d->text[side], ROW_BYTES, 0};
    d->script.target = &d->side[side]->target;
    d->text[side][0] = 0;
    tnode f = sym_script_tree(&d->script, alone ? NULL : d->side[side], row, index, 0);
    if (f != TREE_BAD) sym_smt_tree(&t, &d->script.tree, f, 0);
    if (t.length < ROW_BYTES) return;
    sym_fail(&d->w, TMAP_E_BUDGET, "row %s is too long", row_table[row].id);
}

/* "" where nothing asks for the row. */
static void row_text(struct differ *d, int side, tmap_row row, int index)
{
    d->text[side][0] = 0;
    if (sym_is_gate(d->side[side], row)) put_text(d, side, row, index, true);
}

static void compare_row(struct differ *d, tmap_row row)
{
    int first, n = row_instances((enum row_span)row_table[row].span, TMAP_MAX_RANK, &first);
    d->differs[row] = sym_is_active(d->side[0], row) != sym_is_active(d->side[1], row);
    for (int i = first; i < first + n; i++) {
        row_text(d, 0, row, i);
        row_text(d, 1, row, i);
        d->differs[row] |= strcmp(d->text[0], d->text[1]) != 0;
    }
}

/* A row that needs one which differs means something else too. Needs are complete, so one pass is
 * enough. */
static void compare_rows(struct differ *d)
{
    bool own[SUBJECT_DESC_END];
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        compare_row(d, row);
    }
    memcpy(own, d->differs, sizeof own);
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        for (const tmap_row *need = row_table[row].needs; *need != ROW_END; need++) {
            d->differs[row] |= own[*need];
        }
    }
}

/* --- witnesses -------------------------------------------------------------------------------- */

/* Where the rows that make the difference are broken: where the verdict is illegal; else where it
 * is unknown, for there what is broken does not decide. */
static int side_of(enum tmap_verdict from, enum tmap_verdict to)
{
    const bool any_illegal = from == TMAP_ILLEGAL || to == TMAP_ILLEGAL;
    return from == (any_illegal ? TMAP_ILLEGAL : TMAP_UNKNOWN) ? 0 : 1;
}

static void keep(struct differ *d, const struct tmap_desc *desc, enum tmap_verdict from,
                 enum tmap_verdict to)
{
    struct tmap_violation bad[SYM_MAX_INSTANCES];
    size_t n = 0;
    enum tmap_verdict verdict;
    const bool any_illegal = from == TMAP_ILLEGAL || to == TMAP_ILLEGAL;
    const int side = side_of(from, to);
    tmap_check_with(any_illegal ? d->side[side] : &d->gate[side], desc, bad, SYM_MAX_INSTANCES, &n,
                    &verdict);
    /* a kind that is none of the three counts as a fourth */
    const int kind = desc->kind >= 0 && desc->kind < KINDS - 1 ? desc->kind : KINDS - 1;
    for (size_t i = 0; i < n; i++) {
        struct found *f = &d->found[from][to][kind][bad[i].row];
        if (f->any && f->violated <= n) continue;
        *f = (struct found){true, n, *desc};
    }
}

static void try_desc(struct differ *d, const struct tmap_desc *desc)
{
    enum tmap_verdict from = tmap_verdict_of(d->side[0], desc);
    enum tmap_verdict to = tmap_verdict_of(d->side[1], desc);
    if (from != to) keep(d, desc, from, to);
}

/* The longest columns of one mode, of few channels and of many: what only the bytes of all bound.
 */
static void try_long_columns(struct differ *d, const struct tmap_desc *mode)
{
    struct tmap_desc desc = *mode;
    if (desc.kind != TMAP_IM2COL_WIDE) return;
    for (desc.mode = TMAP_WIDE_W; desc.mode <= TMAP_WIDE_W128; desc.mode++) {
        desc.channels = mode->channels;
        desc.pixels = UINT16_MAX;
        try_desc(d, &desc);
        desc.channels = 256;
        desc.pixels = 1024;
        try_desc(d, &desc);
    }
}

/* As it is, and with sizes that the unpacking types and the strictest modes take. */
static void try_sizes(struct differ *d, const struct tmap_desc *mode)
{
    struct tmap_desc desc = *mode;
    try_desc(d, &desc);
    desc.dim[0] = 1024;
    desc.box[0] = desc.channels = 128;
    for (int i = 1; i < TMAP_MAX_RANK; i++) {
        if (desc.box[i] > 8) desc.box[i] = 8;
    }
    for (int i = 0; i < TMAP_MAX_RANK - 1; i++) desc.stride_bytes[i] &= ~UINT64_C(127);
    if (desc.pixels > 128) desc.pixels = 128;
    try_desc(d, &desc);
    desc.box[0] = desc.channels = 32;
    try_desc(d, &desc);
    desc.box[0] = desc.channels = 16;
    try_desc(d, &desc);
    try_long_columns(d, &desc);
}

static void try_modes(struct differ *d, const struct tmap_desc *base)
{
    struct tmap_desc desc = *base;
    try_sizes(d, base);
    for (desc.dtype = TMAP_UINT8; desc.dtype <= TMAP_16U6_ALIGN16B; desc.dtype++) {
        for (desc.swizzle = 0; desc.swizzle <= TMAP_SWIZZLE_128B_ATOM_64B; desc.swizzle++) {
            for (desc.interleave = 0; desc.interleave <= TMAP_INTERLEAVE_32B; desc.interleave++) {
                try_sizes(d, &desc);
            }
        }
    }
}

/* What makes another row's witness violate the row: its setup, and the illegal value of its field.
 */
static void spoil(tmap_row row, struct tmap_desc *desc)
{
    const struct row_witness *w = &row_table[row].witness;
    for (size_t i = 0; i < sizeof w->setup / sizeof *w->setup && w->setup[i].slot >= 0; i++) {
        if (w->setup[i].slot) field_write(desc, NULL, w->setup[i].slot, w->setup[i].value);
    }
    if (w->slot != F_KIND) field_write(desc, NULL, w->slot, w->illegal);
}

/* The row broken together with one that only waits somewhere: unknown there, and illegal where the
 * row decides. Of each kind, from a legal witness and from the row's own. */
static void search_waiting(struct differ *d, tmap_row row, const struct tmap_desc *base)
{
    for (tmap_row other = SUBJECT_DESC_FIRST; other < SUBJECT_DESC_END; other++) {
        if (!waits(d->side[0], other) && !waits(d->side[1], other)) continue;
        for (int kind = TMAP_TILED; kind <= TMAP_IM2COL_WIDE; kind++) {
            struct tmap_desc spoilt = *base;
            spoil(row, &spoilt);
            spoilt.kind = kind;
            spoil(other, &spoilt);
            try_sizes(d, &spoilt);
        }
    }
}

/* The row's own witness in every mode; and every legal witness, of whatever kind, spoilt its way.
 */
static void search_row(struct differ *d, tmap_row row)
{
    struct tmap_desc desc;
    struct tmap_use use;
    struct pipeline_facts pipeline;
    for (int legal = 0; legal < 2; legal++) {
        row_witness_make(row, legal, &desc, &use, &pipeline);
        try_modes(d, &desc);
        if (desc.kind != TMAP_IM2COL) continue;
        desc.kind = TMAP_IM2COL_WIDE;
        try_modes(d, &desc);
    }
    search_waiting(d, row, &desc);
    for (tmap_row base = SUBJECT_DESC_FIRST; base < SUBJECT_DESC_END; base++) {
        row_witness_make(base, true, &desc, &use, &pipeline);
        for (int extra = 0; extra < 2; extra++) {
            desc.kind = extra && desc.kind == TMAP_IM2COL ? TMAP_IM2COL_WIDE : desc.kind;
            struct tmap_desc spoilt = desc;
            spoil(row, &spoilt);
            try_sizes(d, &spoilt);
            if (extra) search_waiting(d, row, &desc);
        }
    }
}

static void search(struct differ *d)
{
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        /* what waits on one side alone differs */
        if (d->differs[row] || waits(d->side[0], row)) search_row(d, row);
    }
}

/* --- nothing else ----------------------------------------------------------------------------- */

/* One question: a descriptor of a kind whose verdict is `here` on the side where a row without a
 * witness is broken, and `there` on the other. */
struct change {
    int side;
    enum tmap_verdict here, there;
    int kind;
};

/* Products that both sides state alike hold on the legal side, and that is all that is used. */
static bool is_product(const char *text)
{
    return strstr(text, "(* (* ") != NULL;
}

static bool has_witness(const struct differ *d, const struct change *c, tmap_row row)
{
    const int from = c->side == 0 ? c->here : c->there, to = c->side == 0 ? c->there : c->here;
    return d->found[from][to][c->kind][row].any;
}

/* No row is broken: of all that are asked for, or of the deciding ones, where what they need holds.
 */
static void put_unbroken(struct differ *d, int side, int kind, bool legal)
{
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        int first, n = row_instances((enum row_span)row_table[row].span, TMAP_MAX_RANK, &first);
        if (!is_about(row, kind)) continue;
        if (!(legal ? sym_is_gate : sym_is_active)(d->side[side], row)) continue;
        for (int i = first; i < first + n; i++) {
            put_text(d, side, row, i, legal);
            if (is_product(d->text[side]) && !d->differs[row]) continue;
            sym_put(&d->script.text, "(assert %s)\n", d->text[side]);
        }
    }
}

/* Returns whether the row has an instance. */
static bool put_broken(struct differ *d, int side, tmap_row row, bool alone)
{
    int first, n = row_instances((enum row_span)row_table[row].span, TMAP_MAX_RANK, &first);
    for (int i = first; i < first + n; i++) {
        put_text(d, side, row, i, alone);
        sym_put(&d->script.text, " (not %s)", d->text[side]);
    }
    return n > 0;
}

/* Whether the row, broken, can be what makes the verdict what it is here. */
static bool may_decide(const struct differ *d, const struct change *c, tmap_row row)
{
    const struct tmap_checker *side = d->side[c->side];
    if (!d->differs[row] || !is_about(row, c->kind)) return false;
    return c->here == TMAP_ILLEGAL ? sym_is_active(side, row) : waits(side, row);
}

/* Some row that differs, and for which no witness was found, is broken here. Returns how many. */
static int put_unwitnessed(struct differ *d, const struct change *c)
{
    int rows = 0;
    sym_put(&d->script.text, "(assert (or false");
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        if (may_decide(d, c, row) && !has_witness(d, c, row))
            rows += put_broken(d, c->side, row, c->here == TMAP_UNKNOWN);
    }
    sym_put(&d->script.text, "))\n");
    return rows;
}

/* It is in no region: the rows that have a witness are not broken. */
static void put_outside(struct differ *d, const struct change *c)
{
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        if (!may_decide(d, c, row) || !has_witness(d, c, row)) continue;
        sym_put(&d->script.text, "(assert (not (or false");
        put_broken(d, c->side, row, c->here == TMAP_UNKNOWN);
        sym_put(&d->script.text, ")))\n");
    }
}

/* Some row that is asked for is broken: no deciding one is, so the verdict is unknown. */
static void put_not_legal(struct differ *d, int side, int kind)
{
    sym_put(&d->script.text, "(assert (or false");
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        if (waits(d->side[side], row) && is_about(row, kind)) put_broken(d, side, row, true);
    }
    sym_put(&d->script.text, "))\n");
}

/* Without a row that waits no verdict is unknown. */
static bool all_decide(const struct tmap_checker *c)
{
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        if (waits(c, row)) return false;
    }
    return true;
}

static enum tmap_status ask(struct differ *d, const struct change *c, enum sym_answer *answer)
{
    struct sym_query query = {d->script.text.at, NULL, NULL, 0, NULL};
    d->script.text.length = 0;
    d->script.target = NULL;
    *answer = SYM_UNSAT;
    if (c->here == TMAP_UNKNOWN && all_decide(d->side[c->side])) return TMAP_OK;
    if (c->there == TMAP_UNKNOWN && all_decide(d->side[!c->side])) return TMAP_OK;
    for (int slot = F_KIND; slot <= F_ALLOC_BYTES; slot++) sym_script_unknown(&d->script, slot);
    sym_script_unknown(&d->script, F_EXTENT);
    sym_script_unknown(&d->script, F_LAST);
    if (c->kind < KINDS - 1)
        sym_put(&d->script.text, "(assert (= kind %d))\n", c->kind);
    else
        sym_put(&d->script.text, "(assert (not (<= 0 kind %d)))\n", KINDS - 2);
    put_unbroken(d, !c->side, c->kind, c->there == TMAP_LEGAL);
    if (c->there == TMAP_UNKNOWN) put_not_legal(d, !c->side, c->kind);
    if (c->here == TMAP_UNKNOWN) put_unbroken(d, c->side, c->kind, false);
    put_outside(d, c);
    int rows = put_unwitnessed(d, c);
    if (d->script.text.length >= TEXT_BYTES) {
        sym_fail(&d->w, TMAP_E_BUDGET, "the rows exceed the query's size");
    }
    if (d->w.status != TMAP_OK) return d->w.status;
    return rows ? sym_ask(d->s, &query, answer) : TMAP_OK;
}

static enum tmap_status prove(struct differ *d, struct tmap_diff_proof *proof)
{
    static const struct {
        enum tmap_verdict here, there;
    } pair[] = {
        {TMAP_ILLEGAL, TMAP_LEGAL}, {TMAP_UNKNOWN, TMAP_LEGAL}, {TMAP_ILLEGAL, TMAP_UNKNOWN}};
    proof->nothing_else = TMAP_PROVED;
    proof->rows_compared = SUBJECT_DESC_END - SUBJECT_DESC_FIRST;
    for (int k = 0; k < 2 * 3 * KINDS; k++) {
        const struct change c = {k % 2, pair[k / 2 % 3].here, pair[k / 2 % 3].there, k / 6};
        enum sym_answer answer;
        enum tmap_status st = ask(d, &c, &answer);
        if (st != TMAP_OK) return st;
        if (answer == SYM_SAT) proof->nothing_else = TMAP_REFUTED;
        if (answer == SYM_UNKNOWN && proof->nothing_else == TMAP_PROVED) {
            proof->nothing_else = TMAP_UNDECIDED;
        }
    }
    return TMAP_OK;
}

/* --- the answer ------------------------------------------------------------------------------- */

/* What the row excludes on the side where it is broken, in words. */
static void put_set(struct differ *d, tmap_row row, int side, char *out, size_t size)
{
    struct tree *t = &d->script.tree;
    int first;
    row_instances((enum row_span)row_table[row].span, TMAP_MAX_RANK, &first);
    d->script.target = &d->side[side]->target;
    tnode f = sym_script_tree(&d->script, d->side[side], row, first, TMAP_MAX_RANK);
    out[0] = 0;
    if (f == TREE_BAD) return;
    tnode when = row_when_tree(t, row, first), must = row_must_tree(t, row, first);
    f = tree_and(t, when, tree_not(t, must));
    if (f != TREE_BAD) tree_print(t, f, out, size);
}

static size_t put_row(struct differ *d, tmap_row row, enum tmap_verdict from, enum tmap_verdict to,
                      struct tmap_difference *out, size_t n, size_t cap)
{
    const int side = side_of(from, to);
    for (int kind = 0; kind < KINDS; kind++) {
        const struct found *f = &d->found[from][to][kind][row];
        if (!f->any) continue;
        if (n < cap) {
            out[n] = (struct tmap_difference){row, kind, from, to, f->witness, ""};
            put_set(d, row, side, out[n].set, sizeof out[n].set);
        }
        n++;
    }
    return n;
}

/* What becomes legal first, then illegal, then unknown. */
static size_t put_regions(struct differ *d, struct tmap_difference *out, size_t cap)
{
    static const struct {
        enum tmap_verdict from, to;
    } order[] = {{TMAP_ILLEGAL, TMAP_LEGAL}, {TMAP_UNKNOWN, TMAP_LEGAL},
                 {TMAP_LEGAL, TMAP_ILLEGAL}, {TMAP_UNKNOWN, TMAP_ILLEGAL},
                 {TMAP_LEGAL, TMAP_UNKNOWN}, {TMAP_ILLEGAL, TMAP_UNKNOWN}};
    size_t n = 0;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
            n = put_row(d, row, order[k].from, order[k].to, out, n, cap);
        }
    }
    return n;
}

static enum tmap_status covered(struct tmap_symbolic *s, const struct tmap_checker *from,
                                const struct tmap_checker *to)
{
    if (from->covered != TMAP_OK) return sym_report(s, from->covered, "no source covers `from`");
    if (to->covered != TMAP_OK) return sym_report(s, to->covered, "no source covers `to`");
    return TMAP_OK;
}

static bool open(struct differ *d, const struct tmap_checker *from, const struct tmap_checker *to)
{
    d->side[0] = from;
    d->side[1] = to;
    for (int i = 0; i < 2; i++) {
        d->gate[i] = *d->side[i];
        memcpy(d->gate[i].active, d->gate[i].gate, sizeof d->gate[i].active);
    }
    if (!sym_open(&d->w, &d->s->allocator)) return false;
    d->text[0] = sym_take(&d->w, ROW_BYTES);
    d->text[1] = sym_take(&d->w, ROW_BYTES);
    return d->text[0] && d->text[1] && sym_script_open(&d->script, &d->w, TEXT_BYTES);
}

static enum tmap_status diff(struct tmap_symbolic *context, const struct tmap_checker *from,
                             const struct tmap_checker *to, struct tmap_difference *out, size_t cap,
                             size_t *found, struct tmap_diff_proof *proof)
{
    enum tmap_status st = covered(context, from, to);
    if (st == TMAP_OK) st = sym_z3_start(context);
    struct differ *d = st == TMAP_OK ? sym_allocate(context, sizeof *d) : NULL;
    if (!d) return st != TMAP_OK ? st : sym_report(context, TMAP_E_MEMORY, "out of memory");
    struct tmap_diff_proof answer = {TMAP_UNDECIDED, 0};
    d->s = context;
    if (open(d, from, to)) {
        compare_rows(d);
        search(d);
        st = prove(d, &answer);
    }
    if (d->w.status != TMAP_OK) st = sym_report(context, d->w.status, d->w.why);
    if (st == TMAP_OK) {
        *found = put_regions(d, out, cap);
        *proof = answer;
    }
    sym_close(&d->w);
    sym_release(context, d);
    return st;
}

enum tmap_status tmap_diff(struct tmap_symbolic *context, const struct tmap_checker *from,
                           const struct tmap_checker *to, struct tmap_difference *out, size_t cap,
                           size_t *found, struct tmap_diff_proof *proof)
{
    if (!context || !from || !to || !found || !proof || (cap && !out)) return TMAP_E_ARGUMENT;
    sym_begin(context);
    return sym_end(context, diff(context, from, to, out, cap, found, proof));
}
