/* diff.c : what becomes legal or illegal between two targets or contracts.
 *
 * A descriptor changes its verdict only through a row that the two sides do not state alike.
 * Witnesses are found by the native check over the rows' own witnesses and all modes; Z3 says that
 * rows without a witness never decide, so that there is nothing else.
 */
#include "symbolic/smt/script.h"

#include <string.h>

enum { TEXT_BYTES = 1 << 19, ROW_BYTES = 1 << 15, KINDS = 4, MAX_VIOLATED = 64 };

/* The best witness so far of one row, kind and direction. */
struct found {
    bool any;
    size_t violated; /* rows that its illegal side violates */
    struct tmap_desc witness;
};

struct differ {
    struct tmap_symbolic *s;
    const struct tmap_checker *side[2];
    struct sym_work w;
    struct sym_script script;
    char *text[2];                                  /* of one row on each side */
    bool differs[SUBJECT_DESC_END];                 /* the sides do not state the row alike */
    struct found found[2][KINDS][SUBJECT_DESC_END]; /* [0] becomes legal, [1] illegal */
};

/* --- which rows differ ----------------------------------------------------------------------- */

/* The instance's text on one side, decide it there or not. */
static bool put_text(struct differ *d, int side, tmap_row row, int index)
{
    struct sym_text t = {d->text[side], ROW_BYTES, 0};
    d->script.target = &d->side[side]->target;
    tnode f = sym_script_tree(&d->script, d->side[side], row, index, 0);
    if (f == TREE_BAD) return false;
    sym_smt_tree(&t, &d->script.tree, f, 0);
    if (t.length < ROW_BYTES) return true;
    return sym_fail(&d->w, TMAP_E_BUDGET, "row %s is too long", row_table[row].id), false;
}

/* "" where the row does not decide there. */
static bool row_text(struct differ *d, int side, tmap_row row, int index)
{
    d->text[side][0] = 0;
    return !sym_is_active(d->side[side], row) || put_text(d, side, row, index);
}

static bool compare_rows(struct differ *d)
{
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        int first, n = row_instances((enum row_span)row_table[row].span, TMAP_MAX_RANK, &first);
        for (int i = first; i < first + n; i++) {
            if (!row_text(d, 0, row, i) || !row_text(d, 1, row, i)) return false;
            d->differs[row] |= strcmp(d->text[0], d->text[1]) != 0;
        }
    }
    return true;
}

/* --- witnesses -------------------------------------------------------------------------------- */

static void keep(struct differ *d, const struct tmap_desc *desc, int illegal_side)
{
    struct tmap_violation bad[MAX_VIOLATED];
    size_t n = 0;
    tmap_check_with(d->side[illegal_side], desc, bad, MAX_VIOLATED, &n, NULL);
    /* a kind that is none of the three counts as a fourth */
    const int kind = desc->kind >= 0 && desc->kind < KINDS - 1 ? desc->kind : KINDS - 1;
    for (size_t i = 0; i < n && i < MAX_VIOLATED; i++) {
        struct found *f = &d->found[illegal_side][kind][bad[i].row];
        if (f->any && f->violated <= n) continue;
        *f = (struct found){true, n, *desc};
    }
}

static void try_desc(struct differ *d, const struct tmap_desc *desc)
{
    enum tmap_verdict from = tmap_verdict_of(d->side[0], desc);
    enum tmap_verdict to = tmap_verdict_of(d->side[1], desc);
    if (from == TMAP_ILLEGAL && to == TMAP_LEGAL) keep(d, desc, 0);
    if (from == TMAP_LEGAL && to == TMAP_ILLEGAL) keep(d, desc, 1);
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
    }
    for (tmap_row base = SUBJECT_DESC_FIRST; base < SUBJECT_DESC_END; base++) {
        row_witness_make(base, true, &desc, &use, &pipeline);
        for (int extra = 0; extra < 2; extra++) {
            desc.kind = extra && desc.kind == TMAP_IM2COL ? TMAP_IM2COL_WIDE : desc.kind;
            struct tmap_desc spoilt = desc;
            spoil(row, &spoilt);
            try_sizes(d, &spoilt);
        }
    }
}

static void search(struct differ *d)
{
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        if (d->differs[row]) search_row(d, row);
    }
}

/* --- nothing else ----------------------------------------------------------------------------- */

/* Products that both sides state alike hold on the legal side, and that is all that is used. */
static bool is_product(const char *text)
{
    return strstr(text, "(* (* ") != NULL;
}

/* Legal is what no deciding row, nor one that it needs, forbids: where only a need fails, the
 * verdict is unknown. */
static bool gates(const struct tmap_checker *c, tmap_row row)
{
    return (c->gate[row / 64] >> (row % 64)) & 1;
}

/* Of a kind that is none of the three no other row is evaluated. */
static bool is_about(tmap_row row, int kind)
{
    return kind < KINDS - 1 || row == ROW_TMA001;
}

static void put_legal_side(struct differ *d, int side, int kind)
{
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        int first, n = row_instances((enum row_span)row_table[row].span, TMAP_MAX_RANK, &first);
        if (!gates(d->side[side], row) || !is_about(row, kind)) continue;
        for (int i = first; i < first + n; i++) {
            if (!put_text(d, side, row, i)) return;
            if (is_product(d->text[side]) && !d->differs[row]) continue;
            sym_put(&d->script.text, "(assert %s)\n", d->text[side]);
        }
    }
}

/* Some row that differs, and for which no witness was found, is violated on the illegal side. */
static int put_illegal_side(struct differ *d, int side, int kind)
{
    int rows = 0;
    sym_put(&d->script.text, "(assert (or false");
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
        int first, n = row_instances((enum row_span)row_table[row].span, TMAP_MAX_RANK, &first);
        if (!d->differs[row] || d->found[side][kind][row].any || !is_about(row, kind)) continue;
        for (int i = first; sym_is_active(d->side[side], row) && i < first + n; i++) {
            if (!row_text(d, side, row, i)) return -1;
            sym_put(&d->script.text, " (not %s)", d->text[side]);
            rows++;
        }
    }
    sym_put(&d->script.text, "))\n");
    return rows;
}

static enum tmap_status ask(struct differ *d, int side, int kind, enum sym_answer *answer)
{
    struct sym_query query = {d->script.text.at, NULL, NULL, 0, NULL};
    d->script.text.length = 0;
    d->script.target = NULL;
    for (int slot = F_KIND; slot <= F_ALLOC_BYTES; slot++) sym_script_unknown(&d->script, slot);
    sym_script_unknown(&d->script, F_EXTENT);
    if (kind < KINDS - 1)
        sym_put(&d->script.text, "(assert (= kind %d))\n", kind);
    else
        sym_put(&d->script.text, "(assert (not (<= 0 kind %d)))\n", KINDS - 2);
    put_legal_side(d, !side, kind);
    int rows = put_illegal_side(d, side, kind);
    if (d->w.status != TMAP_OK) return sym_report(d->s, d->w.status, d->w.why);
    if (d->script.text.length >= TEXT_BYTES) {
        return sym_report(d->s, TMAP_E_BUDGET, "the rows exceed the query's size");
    }
    *answer = SYM_UNSAT;
    return rows ? sym_z3_ask(d->s, &query, answer) : TMAP_OK;
}

static enum tmap_status prove(struct differ *d, struct tmap_diff_proof *proof)
{
    proof->nothing_else = TMAP_PROVED;
    proof->rows_compared = SUBJECT_DESC_END - SUBJECT_DESC_FIRST;
    for (int side = 0; side < 2; side++) {
        for (int kind = 0; kind < KINDS; kind++) {
            enum sym_answer answer;
            enum tmap_status st = ask(d, side, kind, &answer);
            if (st != TMAP_OK) return st;
            if (answer == SYM_SAT) proof->nothing_else = TMAP_REFUTED;
            if (answer == SYM_UNKNOWN && proof->nothing_else == TMAP_PROVED) {
                proof->nothing_else = TMAP_UNDECIDED;
            }
        }
    }
    return TMAP_OK;
}

/* --- the answer ------------------------------------------------------------------------------- */

/* What the row excludes on the side where it decides, in words. */
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

static size_t put_regions(struct differ *d, struct tmap_difference *out, size_t cap)
{
    size_t n = 0;
    for (int side = 0; side < 2; side++) {
        for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) {
            for (int kind = 0; kind < KINDS; kind++) {
                const struct found *f = &d->found[side][kind][row];
                if (!f->any) continue;
                if (n < cap) {
                    out[n] = (struct tmap_difference){row, kind, side == 0, f->witness, ""};
                    put_set(d, row, side, out[n].set, sizeof out[n].set);
                }
                n++;
            }
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
    if (open(d, from, to) && compare_rows(d)) {
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
