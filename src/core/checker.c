/* A contract on a target, as sets of rows: which rows decide, which rows those need, which only
 * advise.
 *
 * A row counts for `documented` when the toolkit's API text or the PTX ISA states it (`+`). For
 * `driver` and `hardware` on an observed target it counts when it was seen enforced there; on any
 * other target the documents' rows count and those seen anywhere, while "seen not enforced" is
 * never carried over. */
#include "core/checker.h"
#include "core/target.h"

#include <string.h>

static bool has(const struct row *r, enum row_source source, enum row_sign sign, uint32_t version)
{
    for (size_t i = 0; i < sizeof r->evidence / sizeof r->evidence[0]; i++) {
        const struct row_evidence *e = &r->evidence[i];
        if (e->source == source && e->sign == sign && e->since <= version) return true;
    }
    return false;
}

/* Of a pipeline's sums no call and no instruction speaks: there a guide's word counts. */
static bool documented(const struct row *r, const struct tmap_target *t)
{
    return has(r, SOURCE_API, SIGN_SEEN, t->cuda) || has(r, SOURCE_PTX, SIGN_SEEN, t->ptx) ||
           (row_subject_of((tmap_row)(r - row_table)) == SUBJECT_PIPELINE &&
            has(r, SOURCE_GUIDE, SIGN_SEEN, t->cuda));
}

/* Hardware's documents are PTX's; the encode call's arguments are the driver's matter. */
bool row_counts(const struct row *r, const struct tmap_target *t, enum tmap_contract contract)
{
    const bool observed = target_observed(t);
    const bool driver = has(r, SOURCE_DRIVER, SIGN_SEEN, UINT32_MAX);
    const bool hardware = has(r, SOURCE_HARDWARE, SIGN_SEEN, UINT32_MAX);
    switch (contract) {
    case TMAP_CONTRACT_DOCUMENTED:
        return documented(r, t);
    case TMAP_CONTRACT_DRIVER:
        return driver || (!observed && has(r, SOURCE_API, SIGN_SEEN, t->cuda));
    case TMAP_CONTRACT_HARDWARE:
        return hardware || (!observed && has(r, SOURCE_PTX, SIGN_SEEN, t->ptx));
    default:
        return documented(r, t) || driver || hardware;
    }
}

static void set_bit(uint64_t *words, tmap_row row)
{
    words[row / 64] |= UINT64_C(1) << (row % 64);
}

/* The rows that decide under a contract, and those with what they need. */
static void choose_rows(const struct tmap_target *target, enum tmap_contract contract,
                        uint64_t *active, uint64_t *gate)
{
    set_bit(gate, ROW_TMA001); /* of a kind that no call has no row means anything */
    for (tmap_row row = 0; row < ROW_COUNT; row++) {
        const struct row *r = &row_table[row];
        if (r->effect == EFFECT_ADVISORY || !row_counts(r, target, contract)) continue;
        set_bit(active, row);
        set_bit(gate, row);
        for (const tmap_row *need = r->needs; *need != ROW_END; need++) set_bit(gate, *need);
    }
}

enum tmap_status tmap_checker_prepare(const struct tmap_target *target, enum tmap_contract contract,
                                      struct tmap_checker *out)
{
    if (target == NULL || out == NULL || (unsigned)contract > TMAP_CONTRACT_HARDWARE)
        return TMAP_E_ARGUMENT;
    struct tmap_checker c;
    memset(&c, 0, sizeof c);
    c.target = *target;
    c.contract = contract;
    c.basis = target_observed(target) ? TMAP_OBSERVED : TMAP_INFERRED;
    c.covered = target_covered(target) ? TMAP_OK : TMAP_E_TARGET;
    for (tmap_row row = 0; row < ROW_COUNT; row++)
        if (row_table[row].effect == EFFECT_ADVISORY) set_bit(c.advisory, row);
    choose_rows(target, contract, c.active, c.gate);
    choose_rows(target, TMAP_CONTRACT_DRIVER, c.encode_active, c.encode_gate);
    *out = c;
    return TMAP_OK;
}

enum tmap_status checker_answer(const struct tmap_checker *checker, enum tmap_verdict verdict,
                                enum tmap_verdict *out)
{
    if (out) *out = verdict;
    return out || verdict == TMAP_ILLEGAL ? TMAP_OK : checker_permits(checker, verdict);
}

enum tmap_status checker_permits(const struct tmap_checker *checker, enum tmap_verdict verdict)
{
    if (verdict == TMAP_LEGAL) return TMAP_OK;
    if (verdict == TMAP_ILLEGAL) return TMAP_E_ILLEGAL;
    return checker->covered != TMAP_OK ? checker->covered : TMAP_E_UNDECIDED;
}

size_t tmap_row_count(void)
{
    return ROW_COUNT;
}
const char *tmap_row_id(tmap_row row)
{
    return row < ROW_COUNT ? row_table[row].id : NULL;
}
const char *tmap_row_name(tmap_row row)
{
    return row < ROW_COUNT ? row_table[row].name : NULL;
}

bool tmap_row_is_advisory(tmap_row row)
{
    return row < ROW_COUNT && row_table[row].effect == EFFECT_ADVISORY;
}

tmap_row tmap_row_find(const char *text)
{
    for (tmap_row row = 0; text && row < ROW_COUNT; row++)
        if (strcmp(row_table[row].id, text) == 0 || strcmp(row_table[row].name, text) == 0)
            return row;
    return TMAP_NO_ROW;
}

const char *tmap_version(void)
{
    return TMAP_VERSION_STRING;
}
