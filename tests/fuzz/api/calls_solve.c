/* calls_solve.c : solve.h and protocol.h. */
#include "fuzz/api/calls.h"

#include <stdlib.h>
#include <string.h>

enum { PLANS = 3, REASON = 160, EVENTS = 64 };

static size_t draw_workspace(struct world *w)
{
    return draw_one_in(w, 6) ? draw_below(w, 1 << 16) / 8 * 8 : TMAP_REPAIR_WORKSPACE;
}

/* A plan that is handed out is legal, does what is asked, and says so in whole sentences. */
static void plan_holds(const struct tmap_checker *c, const struct tmap_desc *d,
                       const struct tmap_request *r, const struct tmap_plan *p)
{
    char text[200];
    HOLDS(p->step_count <= TMAP_PLAN_STEPS && p->cost.kind <= TMAP_PLAN_DECISION);
    for (uint32_t i = 0; i < p->step_count; i++)
        HOLDS(tmap_plan_step_text(&p->step[i], text, sizeof text) > 0 && memchr(text, 0, 200));
    if (p->skip) return;
    struct tmap_desc of;
    HOLDS(tmap_verdict_of(c, &p->desc) == TMAP_LEGAL && p->copies > 0);
    tmap_plan_desc(p, p->copies - 1, &of);
    HOLDS(tmap_verdict_of(c, &of) == TMAP_LEGAL);
    HOLDS(tmap_plan_check(d, r, p) == NULL);
}

void try_repair(struct world *w)
{
    const struct tmap_checker *c = a_checker(w);
    const struct tmap_desc *d = a_desc(w);
    struct tmap_plan plans[PLANS];
    struct tmap_repair_report report;
    static _Thread_local struct tmap_search_event events[EVENTS];
    char text[200];
    struct tmap_search_log log = {events, draw_below(w, EVENTS), 0};
    draw_request(w, &w->request);
    const struct tmap_request *r = draw_one_in(w, 2) ? &w->request : NULL;
    const size_t cap = draw_cap(w, PLANS), room = draw_workspace(w);
    const enum tmap_status s =
        noted(w, tmap_repair(c, d, r, maybe(w, w->workspace), room, cap ? plans : NULL, cap,
                             &report, draw_one_in(w, 4) ? &log : NULL));
    for (size_t i = 0; i < log.count && i < log.capacity; i++)
        HOLDS(tmap_search_text(&events[i], text, draw_cap(w, sizeof text)) > 0);
    if (s == TMAP_E_NO_PLAN || s == TMAP_E_BUDGET)
        HOLDS(report.reason[0] && memchr(report.reason, 0, REASON));
    if (s != TMAP_OK) return;
    HOLDS(report.found > 0 && report.dropped == 0);
    for (size_t i = 0; i < report.found && i < cap; i++) {
        plan_holds(c, d, r, &plans[i]);
        if (i) HOLDS(tmap_cost_compare(&plans[i - 1].cost, &plans[i].cost) <= 0);
        w->plan[draw_below(w, SLOTS)] = plans[i];
    }
}

/* Plans that nobody made, too: whatever the numbers, no fault. */
void try_plan(struct world *w)
{
    struct tmap_plan p = w->plan[draw_below(w, SLOTS)];
    const struct tmap_desc *d = a_desc(w);
    struct tmap_desc of;
    int64_t coord[TMAP_MAX_RANK], out[TMAP_MAX_RANK];
    uint32_t tile[TMAP_MAX_RANK], copy;
    uint64_t offset;
    char text[40];
    for (uint32_t n = draw_below(w, 4); n > 0; n--)
        draw_word(w, &p, offsetof(struct tmap_plan, skip));
    if (draw_one_in(w, 4)) p.copies = (uint32_t)draw_edge(w);
    if (draw_one_in(w, 4)) p.desc.rank = (uint32_t)draw_edge(w);
    if (draw_one_in(w, 4)) p.dim[draw_below(w, 5)].round = (uint32_t)draw_edge(w);
    for (int i = 0; i < TMAP_MAX_RANK; i++) {
        coord[i] = (int64_t)draw_edge(w);
        tile[i] = (uint32_t)draw_edge(w);
    }
    const uint32_t n = (uint32_t)draw_edge(w), part = draw_below(w, 4);
    tmap_plan_coords(&p, coord, n, out);
    tmap_plan_desc(&p, n, &of);
    tmap_plan_place(&p, maybe(w, (void *)(uintptr_t)d), coord, tile, &copy, &offset);
    tmap_plan_place_in_slice(&p, d, coord, tile, part, &copy, &offset);
    tmap_plan_place_bits(&p, d, coord, maybe(w, tile), part, &copy, &offset);
    tmap_plan_check(d, draw_one_in(w, 2) ? &w->request : NULL, &p);
    const size_t room = draw_below(w, sizeof text);
    for (uint32_t i = 0; i < p.step_count && i < TMAP_PLAN_STEPS; i++)
        tmap_plan_step_text(&p.step[i], text, room);
    HOLDS(tmap_cost_compare(&p.cost, &p.cost) == 0);
    HOLDS(tmap_cost_compare(&p.cost, &w->plan[0].cost) ==
          -tmap_cost_compare(&w->plan[0].cost, &p.cost));
}

void try_solve(struct world *w)
{
    const struct tmap_checker *c = a_checker(w);
    struct tmap_tile_request r;
    struct tmap_tile_plan plans[PLANS];
    char reason[REASON];
    size_t found = 0;
    memset(&r, 0, sizeof r);
    draw_desc(w, &r.tensor);
    r.op = draw_one_in(w, 8) ? (uint32_t)draw_edge(w) : draw_below(w, 2);
    for (int i = 0; i < TMAP_MAX_RANK; i++)
        r.tile[i] =
            draw_one_in(w, 8) ? (uint32_t)draw_edge(w) : draw_below(w, 20) * (i < 2 ? 16 : 1);
    r.consumer = draw_below(w, 5);
    r.major = draw_below(w, 3);
    r.multicast = draw_below(w, 5);
    const size_t cap = draw_cap(w, PLANS), room = draw_workspace(w);
    const enum tmap_status s = noted(
        w, tmap_solve(c, &r, maybe(w, w->workspace), room, plans, cap, &found, reason, REASON));
    if (s == TMAP_E_NO_PLAN || s == TMAP_E_BUDGET) HOLDS(reason[0] && memchr(reason, 0, REASON));
    if (s != TMAP_OK) return;
    for (size_t i = 0; i < found && i < cap && !plans[i].plan.skip; i++) {
        HOLDS(tmap_verdict_of(c, &plans[i].plan.desc) == TMAP_LEGAL);
        w->plan[draw_below(w, SLOTS)] = plans[i].plan;
    }
}

static void draw_pipeline(struct world *w, struct tmap_pipeline *p)
{
    memset(p, 0, sizeof *p);
    p->loads = w->desc;
    p->load_count = draw_below(w, SLOTS + 1);
    if (draw_one_in(w, 3)) p->store = a_desc(w);
    p->stages = draw_one_in(w, 8) ? (uint32_t)draw_edge(w) : draw_below(w, 9);
    p->consumers = draw_below(w, 5);
    p->cta_group = draw_below(w, 4);
    p->mma.kind = draw_one_in(w, 3) ? draw_below(w, 9) : 0;
    p->mma.m = 64 << draw_below(w, 3);
    p->mma.n = 8 * draw_below(w, 33);
    while (draw_one_in(w, 3)) /* behind the pointers every bit is a number */
        draw_word(w, &p->stages, sizeof *p - offsetof(struct tmap_pipeline, stages));
}

void try_pipeline(struct world *w)
{
    const struct tmap_checker *c = a_checker(w);
    struct tmap_pipeline p;
    struct tmap_budget budget;
    struct tmap_region regions[8];
    struct tmap_violation v[VIOLATIONS];
    struct tmap_pipeline_design designs[TMAP_PIPELINE_DESIGNS];
    struct tmap_pipeline_box box;
    struct tmap_protocol protocol;
    size_t found, count;
    draw_pipeline(w, &p);
    const enum tmap_status s =
        noted(w, tmap_pipeline_budget(c, &p, &budget, regions, draw_cap(w, 8), v, VIOLATIONS,
                                      maybe(w, &found)));
    if (s == TMAP_OK && budget.verdict == TMAP_LEGAL && c->contract <= TMAP_CONTRACT_DOCUMENTED)
        HOLDS(budget.shared_bytes <= budget.capacity_bytes);
    if (noted(w, tmap_pipeline_designs(c, &p, 1 + draw_below(w, 4), designs, &count)) == TMAP_OK)
        for (size_t i = 0; i < count; i++)
            HOLDS(designs[i].reason[0] ||
                  tmap_protocol_design(&designs[i].options, &protocol) == TMAP_OK);
    if (p.load_count <= 1) noted(w, tmap_pipeline_nearest(c, &p, &box));
}

void try_protocol(struct world *w)
{
    struct tmap_protocol p;
    struct tmap_protocol_result result;
    char trace[400];
    struct tmap_design_options o = {.design = (enum tmap_design)draw_below(w, 8),
                                    .defect = (enum tmap_defect)draw_below(w, 16),
                                    .stages = draw_below(w, 5),
                                    .consumers = draw_below(w, 4),
                                    .ctas = draw_below(w, 5),
                                    .a_ctas = draw_below(w, 3)};
    while (draw_one_in(w, 4))
        draw_word(w, &o.stages, sizeof o - offsetof(struct tmap_design_options, stages));
    spoil(&p, sizeof p);
    if (noted(w, tmap_protocol_design(maybe(w, &o), &p)) != TMAP_OK) {
        HOLDS(spoiled(&p, sizeof p));
        return;
    }
    const size_t room = draw_below(w, 1 << 17) / 8 * 8;
    const enum tmap_status s = noted(w, tmap_protocol_explore(&p, w->workspace, room, &result,
                                                              trace, draw_cap(w, sizeof trace)));
    if (s != TMAP_OK) {
        HOLDS(s == TMAP_E_ROOM || o.expect_bytes || o.stage_tx_bytes || o.a_tx_bytes ||
              o.b_tx_bytes);
        return;
    }
    HOLDS(result.verdict != TMAP_LEGAL || o.defect == TMAP_DEFECT_NONE || o.stages > 8 ||
          result.fault == TMAP_HAZARD_NONE);
}

static void draw_problem(struct world *w, struct tmap_problem *p)
{
    memset(p, 0, sizeof *p);
    p->m = draw_one_in(w, 6) ? draw_edge(w) : 1 + draw_below(w, 8192);
    p->n = draw_one_in(w, 6) ? draw_edge(w) : 8 * (1 + draw_below(w, 1024));
    p->k = draw_one_in(w, 6) ? draw_edge(w) : 8 * (1 + draw_below(w, 1024));
    p->dtype = draw_one_in(w, 6) ? (int32_t)draw_edge(w) : TMAP_BFLOAT16;
    p->out_dtype = draw_one_in(w, 6) ? (int32_t)draw_edge(w) : TMAP_BFLOAT16;
    p->model = draw_below(w, TMAP_MODEL_COUNT + 1);
    p->accumulators = draw_below(w, 3);
}

void try_prune(struct world *w)
{
    struct tmap_problem p;
    struct tmap_config c = {16u << draw_below(w, 5), 16u << draw_below(w, 5),
                            16u << draw_below(w, 4), 1 + draw_below(w, 8),
                            1u << draw_below(w, 5),  draw_below(w, 3)};
    struct tmap_config_answer answer;
    struct tmap_config_copy copies[8];
    size_t count = 0;
    draw_problem(w, &p);
    if (draw_one_in(w, 3)) draw_word(w, &c, sizeof c);
    const enum tmap_status s = noted(w, tmap_prune(maybe(w, a_checker(w)), &p, &c, 1, &answer));
    if (s == TMAP_OK) {
        HOLDS(answer.verdict != TMAP_LEGAL || answer.row_count == 0);
        HOLDS(answer.row_count <= TMAP_CONFIG_ROWS);
    }
    noted(w, tmap_config_copies(&p, &c, draw_below(w, 4), copies, draw_cap(w, 8), &count));
}

void try_space(struct world *w)
{
    static const uint32_t blocks[] = {16, 64, 100, 128, 256, 4096}, few[] = {1, 2, 4, 8, 3, 100};
    const struct tmap_space space = {blocks,
                                     blocks,
                                     blocks,
                                     few,
                                     few,
                                     1 + draw_below(w, 6),
                                     1 + draw_below(w, 6),
                                     1 + draw_below(w, 6),
                                     draw_below(w, 7),
                                     1 + draw_below(w, 6)};
    const uint64_t size = tmap_space_size(&space), first = size ? draw(w) % size : 0,
                   n = draw_below(w, 40);
    const struct tmap_checker *c = a_checker(w);
    struct tmap_problem p;
    uint8_t verdicts[40];
    uint64_t counts[3];
    draw_problem(w, &p);
    const enum tmap_status s =
        noted(w, tmap_prune_space(c, &p, &space, first, n, verdicts, counts, w->workspace,
                                  draw_one_in(w, 6) ? draw_below(w, 4096) : TMAP_REPAIR_WORKSPACE));
    if (n > size - first) HOLDS(s != TMAP_OK);
    for (uint64_t i = 0; s == TMAP_OK && i < n; i++) {
        struct tmap_config config;
        struct tmap_config_answer answer;
        tmap_space_at(&space, first + i, &config);
        HOLDS(tmap_prune(c, &p, &config, 1, &answer) == TMAP_OK && answer.verdict == verdicts[i]);
    }
}
