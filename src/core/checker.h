/* Row sets of a checker, and turning raw row bits into an answer. */
#ifndef TMAP_CORE_CHECKER_H
#define TMAP_CORE_CHECKER_H

#include "expr/row.h"

/* Row bits; bit row % 64 of word row / 64. */
struct row_set {
    uint64_t w[TMAP_ROW_WORDS];
};

static inline bool row_set_has(const uint64_t *words, tmap_row row)
{
    return (words[row / 64] >> (row % 64)) & 1;
}

/* A row means something when no row it needs is violated. */
static inline bool row_needs_hold(tmap_row row, const struct row_set *raw)
{
    for (const tmap_row *need = row_table[row].needs; *need != ROW_END; need++)
        if (row_set_has(raw->w, *need)) return false;
    return true;
}

/* The row is about this kind, but means nothing because a row it needs is violated. Of a kind that
 * no call has only the row that says so means anything. */
static inline bool row_waits(tmap_row row, int32_t kind, const struct row_set *raw)
{
    if ((unsigned)kind > TMAP_IM2COL_WIDE) return row != ROW_TMA001;
    return (row_table[row].kinds >> kind & 1) && !row_needs_hold(row, raw);
}

/* What a check answers: the verdict where the caller asked for it, else a status that keeps an
 * unknown one from being taken for legal. */
enum tmap_status checker_answer(const struct tmap_checker *checker, enum tmap_verdict verdict,
                                enum tmap_verdict *out);

/* TMAP_OK where only a legal descriptor will do and this is one; else the status that says why not.
 */
enum tmap_status checker_permits(const struct tmap_checker *checker, enum tmap_verdict verdict);

/* Whether contract asks for the row on target; what only advises decides under none. */
bool row_counts(const struct row *r, const struct tmap_target *target, enum tmap_contract contract);

/* tmap_verdict_of() under contract driver, whatever the checker's own is. */
enum tmap_verdict checker_encode_verdict(const struct tmap_checker *checker,
                                         const struct tmap_desc *desc);

/* Where results go: the caller's array, as snprintf writes. */
struct finding {
    struct tmap_violation *out;
    size_t cap, found;
};

/* Appends the rows of `wanted` that are raw, and whose needs hold, each at every place. */
void finding_collect(struct finding *f, const struct row_set *raw, const uint64_t *wanted,
                     const struct subject *s);

#endif
