/* calls_core.c : tmap.h. Where the header gives an answer two ways, both are asked. */
#include "fuzz/api/calls.h"

#include <string.h>

static bool ends(const char *text, size_t cap)
{
    return memchr(text, 0, cap) != NULL;
}

void try_prepare(struct world *w)
{
    struct tmap_target target;
    struct tmap_checker out;
    draw_target(w, &target);
    const enum tmap_contract contract = (enum tmap_contract)draw_below(w, 6);
    const struct tmap_target *t = maybe(w, &target);
    spoil(&out, sizeof out);
    const enum tmap_status s = noted(w, tmap_checker_prepare(t, contract, &out));
    HOLDS((s == TMAP_OK) == (t != NULL && contract <= TMAP_CONTRACT_HARDWARE));
    if (s == TMAP_OK)
        w->checker[draw_below(w, SLOTS)] = out;
    else
        HOLDS(spoiled(&out, sizeof out));
}

void try_names(struct world *w)
{
    struct tmap_target out;
    const uint32_t n = (uint32_t)draw_edge(w);
    const tmap_row row = (tmap_row)n;
    uint32_t smem, tmem;
    const char *const id = tmap_row_id(row);
    HOLDS((id != NULL) == (row < tmap_row_count()) && (tmap_row_name(row) != NULL) == (id != NULL));
    HOLDS(id == NULL || (tmap_row_find(id) == row && tmap_row_find(tmap_row_name(row)) == row));
    tmap_row_is_advisory(row);
    tmap_row_find(maybe(w, (void *)(uintptr_t)draw_text(w)));
    tmap_arch_name(n);
    tmap_arch_find(maybe(w, (void *)(uintptr_t)draw_text(w)));
    tmap_replace_field_name((enum tmap_replace_field)n);
    HOLDS((tmap_model_name(n) != NULL) == (n < TMAP_MODEL_COUNT));
    tmap_model_about(n);
    tmap_plan_kind_name(n);
    tmap_rewrite_name(n);
    tmap_hazard_name((enum tmap_hazard)n);
    tmap_design_name((enum tmap_design)n);
    tmap_defect_name((enum tmap_defect)n);
    tmap_consumer_name(n, (uint32_t)draw_edge(w));
    tmap_code_name(n);
    tmap_gemm_barrier_name(n);
    tmap_emulate_kind_name((enum tmap_emulate_kind)n);
    noted(w, tmap_capacity(draw_one_in(w, 2) ? n : tmap_arch_at(draw_below(w, 20)), maybe(w, &smem),
                           maybe(w, &tmem)));
    spoil(&out, sizeof out);
    const enum tmap_status s =
        noted(w, tmap_target_from(draw_one_in(w, 2) ? draw_text(w) : NULL,
                                  draw_one_in(w, 2) ? draw_text(w) : NULL,
                                  draw_one_in(w, 2) ? draw_text(w) : NULL,
                                  draw_one_in(w, 2) ? draw_text(w) : NULL, &out));
    HOLDS(s == TMAP_OK || spoiled(&out, sizeof out));
}

/* The same question with room for n of what there is: the first n of the same answer. */
static void ask_less(struct world *w, const struct tmap_checker *c, const struct tmap_desc *d,
                     const struct tmap_violation *all, size_t found, enum tmap_verdict verdict)
{
    struct tmap_violation few[VIOLATIONS];
    const size_t cap = draw_below(w, VIOLATIONS);
    enum tmap_verdict again;
    size_t count;
    HOLDS(tmap_check_with(c, d, cap ? few : NULL, cap, &count, &again) == TMAP_OK);
    HOLDS(count == found && again == verdict);
    for (size_t i = 0; i < cap && i < found; i++)
        HOLDS(few[i].row == all[i].row && few[i].index == all[i].index);
}

static void explain(struct world *w, const struct tmap_checker *c, const struct tmap_desc *d,
                    const struct tmap_use *u, const struct tmap_violation *v, size_t n)
{
    struct tmap_detail detail;
    const size_t most = n < VIOLATIONS ? n : VIOLATIONS;
    if (most == 0) return;
    const struct tmap_violation *one = &v[draw_below(w, (uint32_t)most)];
    HOLDS(noted(w, tmap_detail_of(&c->target, d, u, one, &detail)) == TMAP_OK);
    HOLDS(detail.field && detail.message[0] && ends(detail.message, sizeof detail.message) &&
          ends(detail.needs, sizeof detail.needs));
}

void try_check(struct world *w)
{
    const struct tmap_checker *c = a_checker(w);
    const struct tmap_desc *d = a_desc(w);
    struct tmap_violation v[VIOLATIONS];
    enum tmap_verdict verdict, many[2];
    size_t found, plain;
    HOLDS(noted(w, tmap_check_with(c, d, v, VIOLATIONS, &found, &verdict)) == TMAP_OK);
    HOLDS((verdict == TMAP_ILLEGAL) == (found > 0));
    HOLDS(c->covered == TMAP_OK || verdict == TMAP_UNKNOWN);
    HOLDS(tmap_verdict_of(c, d) == verdict);
    for (size_t i = 1; i < found && i < VIOLATIONS; i++)
        HOLDS(v[i - 1].row < v[i].row || (v[i - 1].row == v[i].row && v[i - 1].index < v[i].index));
    const struct tmap_desc pair[2] = {*d, w->desc[0]};
    HOLDS(noted(w, tmap_check_many(c, pair, 2, many)) == TMAP_OK && many[0] == verdict);
    HOLDS(many[1] == tmap_verdict_of(c, &w->desc[0]));
    const enum tmap_status s = noted(w, tmap_check(d, &c->target, c->contract, NULL, 0, &plain));
    HOLDS((s == TMAP_OK) == (verdict != TMAP_UNKNOWN) && plain == found);
    ask_less(w, c, d, v, found, verdict);
    explain(w, c, d, NULL, v, found);
}

void try_check_null(struct world *w)
{
    struct tmap_violation v[2];
    size_t found = 77;
    enum tmap_verdict verdict;
    const struct tmap_checker *c = maybe(w, a_checker(w));
    const struct tmap_desc *d = maybe(w, a_desc(w));
    size_t *f = maybe(w, &found);
    struct tmap_violation *out = maybe(w, v);
    const enum tmap_status s = noted(w, tmap_check_with(c, d, out, 2, f, &verdict));
    HOLDS((s == TMAP_E_ARGUMENT) == (!c || !d || !f || !out));
    HOLDS(s == TMAP_OK || found == 77);
    noted(w, tmap_advise(c, d, v, 2, f));
    noted(w, tmap_not_evaluated(c, d, v, 2, f));
    noted(w, tmap_check_many(c, d, d ? 1 : 0, maybe(w, &verdict)));
    noted(w, tmap_check(d, c ? &c->target : NULL, (enum tmap_contract)draw_below(w, 5), v, 2, f));
}

void try_advise(struct world *w)
{
    const struct tmap_checker *c = a_checker(w);
    const struct tmap_desc *d = a_desc(w);
    struct tmap_violation broken[VIOLATIONS], v[VIOLATIONS];
    enum tmap_verdict verdict;
    const size_t cap = draw_cap(w, VIOLATIONS);
    size_t n, found;
    if (noted(w, tmap_advise(c, d, v, cap, &found)) == TMAP_OK && found && cap)
        HOLDS(v[0].row != TMAP_NO_ROW);
    const enum tmap_status s = noted(w, tmap_not_evaluated(c, d, v, VIOLATIONS, &n));
    HOLDS(tmap_check_with(c, d, broken, VIOLATIONS, &found, &verdict) == TMAP_OK);
    for (size_t i = 0; s == TMAP_OK && i < n && i < VIOLATIONS; i++)
        for (size_t k = 0; k < found && k < VIOLATIONS; k++) HOLDS(v[i].row != broken[k].row);
}

void try_check_use(struct world *w)
{
    const struct tmap_checker *c = a_checker(w);
    const struct tmap_desc *d = a_desc(w);
    struct tmap_use *u = &w->use[draw_below(w, SLOTS)];
    struct tmap_violation v[VIOLATIONS];
    enum tmap_verdict verdict;
    size_t found, again;
    if (draw_below(w, 2)) draw_use(w, u);
    const enum tmap_status s = noted(w, tmap_check_use(c, d, u, v, VIOLATIONS, &found, &verdict));
    if (s != TMAP_OK) return;
    HOLDS((verdict == TMAP_ILLEGAL) == (found > 0));
    HOLDS(tmap_check_use(c, d, u, NULL, 0, &again, NULL) != TMAP_E_ARGUMENT && again == found);
    explain(w, c, d, u, v, found);
    noted(w, tmap_advise_use(c, d, u, v, draw_cap(w, VIOLATIONS), &found));
}

void try_detail(struct world *w)
{
    struct tmap_detail out;
    const struct tmap_violation v = {(tmap_row)draw_below(w, (uint32_t)tmap_row_count() + 2),
                                     (int16_t)(draw_below(w, 9) - 2)};
    const struct tmap_use *u = &w->use[draw_below(w, SLOTS)];
    spoil(&out, sizeof out);
    const enum tmap_status s = noted(
        w, tmap_detail_of(maybe(w, &a_checker(w)->target), maybe(w, a_desc(w)),
                          draw_one_in(w, 2) ? u : NULL, maybe(w, (void *)(uintptr_t)&v), &out));
    HOLDS(s == TMAP_OK ? ends(out.message, sizeof out.message) : spoiled(&out, sizeof out));
}

/* --- bytes -------------------------------------------------------------------------------------
 */

/* What was encoded decodes to fields that encode to the same bytes. */
static void there_and_back(const struct tmap_map *map)
{
    struct tmap_desc back;
    struct tmap_map again;
    struct tmap_map_field diff[4];
    size_t found;
    HOLDS(tmap_decode(map, &back, NULL, 0, &found) == TMAP_OK);
    spoil(&again, sizeof again);
    HOLDS(tmap_encode_unchecked(&back, &again));
    HOLDS(memcmp(map, &again, sizeof again) == 0);
    HOLDS(tmap_map_diff(map, &again, diff, 4, &found) == TMAP_OK && found == 0);
}

void try_encode(struct world *w)
{
    const struct tmap_checker *c = a_checker(w);
    const struct tmap_desc *d = a_desc(w);
    struct tmap_checker driver;
    struct tmap_map map;
    HOLDS(tmap_checker_prepare(&c->target, TMAP_CONTRACT_DRIVER, &driver) == TMAP_OK);
    const enum tmap_verdict verdict = tmap_verdict_of(&driver, d);
    spoil(&map, sizeof map);
    const enum tmap_status s = noted(w, tmap_encode(c, d, &map));
    HOLDS((s == TMAP_E_ILLEGAL) == (verdict == TMAP_ILLEGAL));
    HOLDS(s != TMAP_OK || verdict == TMAP_LEGAL);
    if (s != TMAP_OK) {
        HOLDS(spoiled(&map, sizeof map));
        HOLDS(tmap_encode_unchecked(d, &map) || spoiled(&map, sizeof map));
        return;
    }
    there_and_back(&map);
    w->map[draw_below(w, SLOTS)] = map;
    HOLDS(tmap_encode(maybe(w, NULL), NULL, NULL) == TMAP_E_ARGUMENT);
}

void try_decode(struct world *w)
{
    struct tmap_map *map = &w->map[draw_below(w, SLOTS)];
    struct tmap_desc out;
    struct tmap_note notes[VIOLATIONS];
    struct tmap_map_field fields[VIOLATIONS];
    size_t found;
    for (uint32_t n = draw_below(w, 4); n > 0; n--) {
        if (draw_below(w, 2))
            map->word[draw_below(w, 16)] ^= UINT64_C(1) << draw_below(w, 64);
        else
            map->word[draw_below(w, 16)] = draw(w);
    }
    HOLDS(noted(w, tmap_decode(map, &out, notes, draw_cap(w, VIOLATIONS), &found)) == TMAP_OK);
    HOLDS(out.kind == TMAP_TILED || out.kind == TMAP_IM2COL);
    HOLDS(noted(w, tmap_map_fields(map, fields, VIOLATIONS, &found)) == TMAP_OK && found > 0);
    noted(w, tmap_map_diff(map, maybe(w, &w->map[0]), fields, draw_cap(w, VIOLATIONS), &found));
    w->desc[draw_below(w, SLOTS)] = out;
}

void try_replace_address(struct world *w)
{
    struct tmap_map *map = &w->map[draw_below(w, SLOTS)], before = *map;
    const uint64_t address = draw_edge(w);
    const enum tmap_status s = noted(w, tmap_replace_address(a_checker(w), map, address));
    HOLDS(s != TMAP_OK || (map->word[0] << 7 >> 7 == address && address >> 57 == 0));
    if (s == TMAP_OK) before.word[0] = map->word[0];
    HOLDS(memcmp(&before, map, sizeof before) == 0);
}

void try_patch_apply(struct world *w)
{
    struct tmap_map *map = &w->map[draw_below(w, SLOTS)], before = *map;
    struct tmap_patch p = {(enum tmap_replace_field)draw_below(w, 13), draw_below(w, 7),
                           draw_below(w, 2) ? draw_below(w, 20) * UINT64_C(16) : draw_edge(w)};
    if (draw_below(w, 2)) p.ordinal = 0;
    const enum tmap_status s =
        noted(w, tmap_patch_apply(map, &p, draw_below(w, 2) ? 1300 : (uint32_t)draw_edge(w)));
    HOLDS(s == TMAP_OK || memcmp(&before, map, sizeof before) == 0);
    for (int i = 8; i < 16; i++) HOLDS(map->word[i] == before.word[i]);
}

void try_patch_plan(struct world *w)
{
    const struct tmap_map *to = &w->map[draw_below(w, SLOTS)];
    struct tmap_map now = w->map[draw_below(w, SLOTS)];
    const uint32_t cuda = draw_below(w, 2) ? 1300 : 1204;
    struct tmap_patch plan[TMAP_MAX_PATCHES];
    char why[64];
    size_t found;
    const enum tmap_status s =
        noted(w, tmap_patch_plan(&now, to, cuda, plan, TMAP_MAX_PATCHES, &found, why, sizeof why));
    if (s != TMAP_OK) {
        HOLDS(s == TMAP_E_NO_PLAN && ends(why, sizeof why));
        return;
    }
    HOLDS(found <= TMAP_MAX_PATCHES);
    for (size_t i = 0; i < found; i++) HOLDS(tmap_patch_apply(&now, &plan[i], cuda) == TMAP_OK);
    HOLDS(memcmp(now.word, to->word, 8 * sizeof now.word[0]) == 0);
}

/* --- layout ------------------------------------------------------------------------------------
 */

void try_layout(struct world *w)
{
    const struct tmap_checker *c = a_checker(w);
    const struct tmap_desc *d = a_desc(w);
    const enum tmap_verdict verdict = tmap_verdict_of(c, d);
    struct tmap_layout out;
    struct tmap_mma mma;
    struct tmap_violation why;
    uint32_t ways = 0;
    spoil(&out, sizeof out);
    const enum tmap_status s = noted(w, tmap_layout(c, d, &out));
    HOLDS((s == TMAP_E_ILLEGAL) == (verdict == TMAP_ILLEGAL));
    if (s == TMAP_OK) {
        HOLDS(out.pitch_bytes >= out.row_bytes && out.align_bytes > 0);
        if (c->contract == TMAP_CONTRACT_SAFE)
            HOLDS(out.tx_bytes > 0 && out.footprint_bytes >= out.tx_bytes && out.rows > 0);
    } else {
        HOLDS(spoiled(&out, sizeof out));
    }
    const enum tmap_status b =
        noted(w, tmap_bank_conflicts(c, d, (enum tmap_access)draw_below(w, 5), maybe(w, &ways)));
    HOLDS(b != TMAP_OK || (ways >= 1 && ways <= 32));
    noted(w, tmap_mma_of(c, d, (enum tmap_consumer)draw_below(w, 5),
                         (enum tmap_major)draw_below(w, 3), &mma, maybe(w, &why)));
    const uint64_t at = draw_edge(w);
    const int32_t swizzle = (int32_t)draw_below(w, 9) - 1;
    HOLDS(tmap_swizzle_address(swizzle, at) >> 10 == at >> 10);
}

static bool read_bytes(void *user, uint64_t address, void *to, size_t bytes)
{
    (void)user;
    memset(to, (int)address, bytes);
    return address >> 63 == 0;
}

static bool write_bytes(void *user, uint64_t address, const void *from, size_t bytes)
{
    (void)user;
    (void)from;
    (void)bytes;
    return address >> 63 == 0;
}

void try_simulate(struct world *w)
{
    static _Thread_local uint8_t shared[1 << 16];
    struct tmap_use u;
    struct tmap_outcome out;
    const struct tmap_memory memory = {
        .read = read_bytes,
        .write = write_bytes,
        .smem = shared,
        .smem_base = draw_one_in(w, 4) ? draw_edge(w) : 0,
        .smem_bytes = draw_one_in(w, 4) ? draw_below(w, sizeof shared) : sizeof shared};
    draw_use(w, &u);
    spoil(&out, sizeof out);
    const enum tmap_status s = noted(
        w, tmap_simulate(a_checker(w), a_desc(w), &u, maybe(w, (void *)(uintptr_t)&memory), &out));
    HOLDS(s == TMAP_OK || spoiled(&out, sizeof out));
}
