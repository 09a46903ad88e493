/* replay.c : a recorded corpus against the rows and the encoder. */
#include <string.h>

#include "tmap/driver.h"

#define VIOLATIONS 64

static void keep(struct tmap_corpus_result *r, const struct tmap_corpus_case *c, uint64_t *counter)
{
    (*counter)++;
    if (r->kept_count < TMAP_ORACLE_KEPT) r->kept[r->kept_count++] = *c;
}

/* Which rows a case speaks for. */
static void count_rows(struct tmap_corpus_result *r, const struct tmap_corpus_case *c,
                       const struct tmap_checker *driver, const struct tmap_checker *safe)
{
    struct tmap_violation v[VIOLATIONS];
    const struct tmap_checker *checker = c->result ? driver : safe;
    uint64_t *counts = c->result ? r->alone : r->accepted_though;
    size_t found = 0;
    tmap_check_with(checker, &c->desc, v, VIOLATIONS, &found, NULL);
    for (size_t i = 0; i < found && i < VIOLATIONS; i++) {
        const bool repeated = i > 0 && v[i].row == v[i - 1].row;
        const bool single = v[i].row == v[0].row && v[found - 1].row == v[0].row;
        if (repeated || v[i].row >= TMAP_ORACLE_ROWS || (c->result && !single)) continue;
        counts[v[i].row]++;
    }
}

static void replay_encode(struct tmap_corpus_result *r, const struct tmap_corpus_case *c,
                          const struct tmap_checker *driver, const struct tmap_checker *safe)
{
    struct tmap_map map;
    const enum tmap_verdict verdict = tmap_verdict_of(driver, &c->desc);
    const bool accepted = c->result == 0;
    if (c->desc.kind >= 0 && c->desc.kind < 3) r->by_kind[c->desc.kind][!accepted]++;
    count_rows(r, c, driver, safe);
    if (accepted != (verdict == TMAP_LEGAL)) {
        keep(r, c, &r->verdict_differences);
        return;
    }
    if (!accepted) return;
    if (!tmap_encode_unchecked(&c->desc, &map) || memcmp(&map, &c->map, sizeof map) != 0)
        keep(r, c, &r->byte_differences);
}

static void replay_replace(struct tmap_corpus_result *r, const struct tmap_corpus_case *c,
                           const struct tmap_checker *driver)
{
    struct tmap_map map = c->before;
    const bool accepted = tmap_replace_address(driver, &map, c->address) == TMAP_OK;
    if (accepted != (c->result == 0))
        keep(r, c, &r->verdict_differences);
    else if (accepted && memcmp(&map, &c->map, sizeof map) != 0)
        keep(r, c, &r->byte_differences);
}

enum tmap_status tmap_corpus_replay(struct tmap_corpus *corpus, const struct tmap_target *target,
                                    struct tmap_corpus_result *out)
{
    struct tmap_checker driver, safe;
    struct tmap_corpus_result result = {0};
    struct tmap_corpus_case c;
    if (!corpus || !target || !out) return TMAP_E_ARGUMENT;
    tmap_checker_prepare(target, TMAP_CONTRACT_DRIVER, &driver);
    tmap_checker_prepare(target, TMAP_CONTRACT_SAFE, &safe);
    tmap_corpus_rewind(corpus);
    enum tmap_status status;
    while ((status = tmap_corpus_next(corpus, &c)) == TMAP_OK) {
        result.cases++;
        result.accepted += c.result == 0;
        if (c.op == TMAP_CORPUS_ENCODE)
            replay_encode(&result, &c, &driver, &safe);
        else
            replay_replace(&result, &c, &driver);
    }
    if (status != TMAP_E_NO_PLAN) return TMAP_E_ARGUMENT;
    *out = result;
    return TMAP_OK;
}
