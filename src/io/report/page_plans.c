/* page_plans.c : see page_plans.h. */
#include "io/report/page_plans.h"
#include "io/plan/plan.h"
#include "io/report/article.h"
#include "io/report/draw.h"
#include "io/report/outside.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CONFIGS = 400, MOST_VIOLATIONS = 16 };

static void violations(FILE *out, const struct tmap_violation *v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<p class=\"broken\"><b>%s</b> ", tmap_row_id(v[i].row));
        io_put_markup_text(out, tmap_row_name(v[i].row));
        fputs("</p>\n", out);
    }
}

/* --- a ring ------------------------------------------------------------------------------------*/

/* Two loads whose rows are of one length are the operands of a product of tiles: [k, m], [k, n]. */
static bool is_product(const struct tmap_pipeline *p, struct tmap_config *config)
{
    if (p->load_count != 2 || p->loads[0].rank < 2 || p->loads[1].rank < 2 ||
        p->loads[0].box[0] != p->loads[1].box[0] || p->loads[0].dtype != p->loads[1].dtype)
        return false;
    *config = (struct tmap_config){.block_m = p->loads[0].box[1],
                                   .block_n = p->loads[1].box[1],
                                   .block_k = p->loads[0].box[0],
                                   .stages = 1,
                                   .warps = 4};
    return true;
}

static struct io_ring ring_of(const struct tmap_checker *checker, const struct tmap_pipeline *p,
                              const struct tmap_budget *b)
{
    struct io_ring ring = {.stages = b->stages, .stage_bytes = (double)b->stage_tx_bytes};
    struct tmap_config config = {
        .block_m = 64, .block_n = 64, .block_k = 64, .stages = 1, .warps = 4};
    const struct tmap_problem problem = {
        .m = 4096, .n = 4096, .k = 4096, .dtype = p->loads[0].dtype, .out_dtype = TMAP_BFLOAT16};
    struct tmap_config_answer answer;

    if (is_product(p, &config))
        ring.stage_flops = 2.0 * config.block_m * config.block_n * config.block_k;
    if (tmap_prune(checker, &problem, &config, 1, &answer) != TMAP_OK) return ring;
    config.stages = (uint32_t)answer.max_stages; /* one block on an SM: so waves count SMs */
    if (tmap_prune(checker, &problem, &config, 1, &answer) == TMAP_OK)
        ring.rates = io_rates_of(&answer, 2.0 * 4096 * 4096 * 4096);
    return ring;
}

static void ring_text(FILE *out, const struct tmap_budget *b, const struct io_ring *ring)
{
    double fill, use, hides;

    fprintf(out,
            "<p>%u stages of %llu bytes: %llu of %llu bytes of shared memory; at most %u "
            "stages; expect_tx %llu a stage.</p>\n",
            b->stages, (unsigned long long)b->stage_bytes, (unsigned long long)b->shared_bytes,
            (unsigned long long)b->capacity_bytes, b->max_stages,
            (unsigned long long)b->stage_tx_bytes);
    if (ring->rates.l2_bytes <= 0) return;
    io_ring_times(ring, &fill, &use, &hides);
    fprintf(out, "<p class=\"more\">By nominal rates an SM's share of L2 fills a stage in %.3f us",
            fill);
    if (ring->stage_flops > 0) fprintf(out, ", and its use takes %.3f us", use);
    fprintf(out,
            "; so the ring hides a copy's latency of up to %.3f us, at which it is drawn.</p>\n",
            hides);
}

static bool ring(FILE *out, const struct tmap_checker *checker, struct io_record *record,
                 enum tmap_verdict *verdict)
{
    struct tmap_violation v[MOST_VIOLATIONS];
    struct io_pipeline in;
    struct tmap_budget budget;
    size_t found = 0;
    bool read = io_pipeline_from(record, &in);

    const enum tmap_status status = read ? tmap_pipeline_budget(checker, &in.pipeline, &budget,
                                                                NULL, 0, v, MOST_VIOLATIONS, &found)
                                         : TMAP_OK;
    if (status != TMAP_OK)
        read = io_fail(record, "$.loads", "a load has no layout: check it alone");
    if (read) {
        const struct io_ring shown = ring_of(checker, &in.pipeline, &budget);
        *verdict = found ? TMAP_ILLEGAL : TMAP_LEGAL;
        io_article_head(out, record, found ? "illegal" : "legal");
        violations(out, v, found < MOST_VIOLATIONS ? found : MOST_VIOLATIONS);
        ring_text(out, &budget, &shown);
        fputs("<figure class=\"plain\">\n", out);
        io_draw_ring(out, &shown);
        fputs("</figure></article>\n", out);
    }
    io_pipeline_free(&in);
    return read;
}

/* --- a product ---------------------------------------------------------------------------------*/

/* What the configurations of a product came to. */
struct seen {
    struct io_roof_point point[MOST_CONFIGS + 1];
    size_t points, possible, judged;
    struct io_rates rates;
    double best, flops, dram_bytes;
    struct tmap_config config; /* the best one */
};

static void see(struct seen *s, const struct tmap_config *c, const struct tmap_config_answer *a,
                double flops)
{
    struct io_roof_point *p = &s->point[s->points];

    s->judged++;
    if (a->verdict != TMAP_LEGAL || !(a->time_us > 0)) return;
    s->possible++;
    s->rates = io_rates_of(a, flops);
    s->flops = flops, s->dram_bytes = (double)a->dram_bytes;
    if (flops / a->time_us > s->best) s->best = flops / a->time_us, s->config = *c;
    *p = (struct io_roof_point){
        .intensity = a->intensity, .flops = flops / a->time_us, .of_tiles = true};
    snprintf(p->label, sizeof p->label, "%u x %u x %u, %u stages", c->block_m, c->block_n,
             c->block_k, c->stages);
    s->points++;
}

static void judge_all(const struct tmap_checker *checker, const struct io_prune *in, struct seen *s)
{
    const uint64_t n = in->configs ? in->count : tmap_space_size(&in->space);
    const double flops =
        2.0 * (double)in->problem.m * (double)in->problem.n * (double)in->problem.k;
    const uint64_t step = n / MOST_CONFIGS + 1; /* of a large space, some from all over it */

    for (uint64_t i = 0; i < n; i += step) {
        struct tmap_config c;
        struct tmap_config_answer a;
        if (in->configs)
            c = in->configs[i];
        else
            tmap_space_at(&in->space, i, &c);
        if (tmap_prune(checker, &in->problem, &c, 1, &a) == TMAP_OK) see(s, &c, &a, flops);
    }
}

/* The product itself: every operand read once, D written once. */
static void add_product(struct seen *s)
{
    struct io_roof_point *q = &s->point[s->points++];

    *q = (struct io_roof_point){.intensity = s->flops / s->dram_bytes};
    q->flops = q->intensity * s->rates.dram_bytes;
    if (q->flops > s->rates.flops) q->flops = s->rates.flops;
    snprintf(q->label, sizeof q->label, "the product, read once");
}

static bool product(FILE *out, const struct tmap_checker *checker, struct io_record *record,
                    enum tmap_verdict *verdict)
{
    struct io_prune in;
    struct seen *s = calloc(1, sizeof *s);
    const bool read = s ? io_prune_from(record, &in) : io_fail(record, "$", "out of memory");

    if (read) {
        judge_all(checker, &in, s);
        *verdict = s->possible ? TMAP_LEGAL : TMAP_ILLEGAL;
        io_article_head(out, record, s->possible ? "legal" : "illegal");
        fprintf(out, "<p>%llu x %llu x %llu: of %zu configurations looked at %zu can exist",
                (unsigned long long)in.problem.m, (unsigned long long)in.problem.n,
                (unsigned long long)in.problem.k, s->judged, s->possible);
        if (s->possible)
            fprintf(out, "; the model's first is %u x %u x %u with %u stages, %.0f TFLOP/s",
                    s->config.block_m, s->config.block_n, s->config.block_k, s->config.stages,
                    s->best / 1e6);
        fputs(".</p>\n", out);
        if (s->possible) {
            add_product(s);
            fputs("<p class=\"more\">Large: the product, every operand read once from memory. "
                  "Small: what its "
                  "tiles read from L2, and the rate the model gives them. Nominal rates, not "
                  "measured.</p>\n"
                  "<figure class=\"plain\">\n",
                  out);
            io_draw_roof(out, &s->rates, s->point, s->points);
            fputs("</figure>\n", out);
        }
        fputs("</article>\n", out);
    }
    if (s) io_prune_free(&in);
    free(s);
    return read;
}

bool io_is_plan(const json_t *object)
{
    return json_object_get(object, "loads") || json_object_get(object, "op") ||
           json_object_get(object, "configs") || json_object_get(object, "space");
}

bool io_plan_article(FILE *out, const struct tmap_checker *checker, struct io_record *record,
                     enum tmap_verdict *verdict)
{
    record->name = json_string_value(json_object_get(record->json, "name"));
    return json_object_get(record->json, "loads") ? ring(out, checker, record, verdict)
                                                  : product(out, checker, record, verdict);
}
