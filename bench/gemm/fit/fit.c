/* Fits the constants of the cost model (src/kernels/gemm/model_*.h) to timings of drawn shapes.
 *
 *   fit [-k KIND] TSV... [OPTION...]
 *
 * TSV: what `gemm fit KIND` or `gemm likely KIND` printed, of the kind named before it (a number of
 * kernels.h; -p KIND: promoted; -b KIND: with scales of blocks; -e ACTIVATION: with a bias, and
 * that; -4 KIND: D of fp32; -c ORDER: as the bench's). -M BYTES, -R COUNT...: of the device, memory
 * a microsecond, and clusters of 1 to 8 that fit. -n ROUNDS: 16. -a WEIGHT: of a constant's
 * distance from where it began, 0.001. -o NAME: fits that constant alone, or those. -w: also walks
 * by single constants. -W: only walks, and by the picks before all: those that lose more than 6 %
 * count more. -f PARTS: fits to all but a part and tells of that, in turn. -t: only tells. -r: the
 * timings with what learn.py asks of them.
 *
 * build.mk makes the model's constants variables of this program and lists them. What falls is,
 * over the shapes, the mean logarithm of the time of what the model would pick over the best one
 * measured, made smooth by weights that fall with the modelled cost, and the squared errors with
 * which the model ranks (fit it to the picks alone, and what was never measured is picked next). A
 * round is a step of Gauss and Newton on both, in the logarithms of the constants. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm/residual.h"

struct constant {
    const char *name;
    double *at;
};
#define CONSTANT(name) extern double name;
#include "fit_constants.def"
#undef CONSTANT
static const struct constant constants[] = {
#define CONSTANT(name) {#name, &name},
#include "fit_constants.def"
#undef CONSTANT
};
enum { CONSTANTS = sizeof constants / sizeof constants[0], MAX_ROWS = 400000, MAX_SHAPES = 8000 };

struct row {
    struct gemm_choice choice;
    double us, cost_us;
    double behind; /* the logarithm of its time over the best one's */
};

struct shape {
    struct gemm_view view[3]; /* as it is, swapped, and by even and odd rows */
    int m, n, k, first, count;
    double best_us, vendor_us;
};

static struct row rows[MAX_ROWS];
static struct shape shapes[MAX_SHAPES];
static int row_count, shape_count;
static struct tmap_gemm suite;

static int activation = -1; /* of the timings that are read, beside a bias; none */
static bool blocks;         /* with scales of blocks */
static bool floats;         /* D of fp32 */
static const char *order = "kk";

static struct tmap_gemm_problem problem_of(int m, int n, int k, int kind, bool precise)
{
    struct tmap_gemm_problem p = {.kind = kind, .m = m, .n = n, .k = k, .batch = 1, .alpha = 1};
    p.precise = precise;
    p.out = kind == TMAP_GEMM_S8               ? TMAP_GEMM_OUT_S32
            : kind == TMAP_GEMM_TF32 || floats ? TMAP_GEMM_OUT_F32
                                               : TMAP_GEMM_OUT_BF16;
    if (activation >= 0)
        p.epilogue = (struct tmap_gemm_epilogue){
            .activation = activation, .col_bias = 16, .bias_type = p.out};
    if (blocks)
        p.block_scale = (struct tmap_gemm_block_scale){
            .a = 16, .b = 16, .lda = (m + 3) / 4 * 4, .ldb = (k + 127) / 128};
    const int bytes = gemm_element_bits(kind) / 8;
    p.a.mn_major = order[0] == 'm', p.b.mn_major = order[1] == 'n';
    p.a.ld = ((p.a.mn_major ? m : k) * bytes + 15) / 16 * 16 / bytes; /* as the stand has them */
    p.b.ld = ((p.b.mn_major ? n : k) * bytes + 15) / 16 * 16 / bytes;
    const int whole = p.out == TMAP_GEMM_OUT_BF16 ? 8 : 4; /* 16 bytes, as the stand has them */
    p.d.ld = (n + whole - 1) / whole * whole;
    return p;
}

static bool complete(const struct shape *s, const char *text, struct row *row)
{
    struct tmap_gemm_config c = {0};
    struct tmap_gemm_problem p = problem_of(s->m, s->n, s->k, s->view[0].kind, s->view[0].promote);
    struct gemm_choice found;
    if (gemm_read_config(text, &c) == 0) return false;
    if (c.apart == 0) c.apart = -1; /* timed before there was one */
    if (gemm_enumerate(&suite, &p, &c, &found, 1) == 0) return false;
    row->choice = found;
    return true;
}

static struct shape *shape_of(int m, int n, int k, int kind, bool precise)
{
    struct shape *s = shape_count ? &shapes[shape_count - 1] : NULL;
    if (s && s->m == m && s->n == n && s->k == k && s->view[0].kind == kind) return s;
    if (shape_count == MAX_SHAPES) return NULL;
    s = &shapes[shape_count++];
    const struct tmap_gemm_problem p = problem_of(m, n, k, kind, precise);
    *s = (struct shape){.m = m, .n = n, .k = k, .first = row_count, .best_us = 1e12};
    for (int swapped = 0; swapped < 2; swapped++) s->view[swapped] = gemm_view_of(&p, swapped);
    s->view[2] = gemm_view_apart(&s->view[0]);
    return s;
}

static void read_file(const char *path, int kind, bool precise)
{
    char line[512], what, text[256];
    int m, n, k;
    double us, cost;
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%c %d %d %d %lf %lf %255s", &what, &m, &n, &k, &us, &cost, text) != 7)
            continue;
        struct shape *s = shape_of(m, n, k, kind, precise);
        if (!s || us > 1e9) continue;
        if (what == 'V' && (s->vendor_us == 0 || us < s->vendor_us)) s->vendor_us = us;
        if (what != 'C' || row_count == MAX_ROWS || !complete(s, text, &rows[row_count])) continue;
        rows[row_count++].us = us;
        s->count++;
        if (us < s->best_us) s->best_us = us;
    }
    fclose(f);
}

static const struct gemm_view *view_in(const struct shape *s, const struct row *r)
{
    const struct tmap_gemm_config *c = &r->choice.config;
    return &s->view[c->apart > 0 ? 2 : c->swapped > 0];
}

static double cost_of(const struct shape *s, const struct row *r)
{
    return gemm_cost_us(&suite, view_in(s, r), &r->choice);
}

/* For learn.py: a line of names, then for each timing the shape's number, both times and all that
 * is asked of it. */
static void print_features(void)
{
    int32_t x[GEMM_RESIDUAL_FEATURES];
    printf("# shape us cost");
    for (int j = 0; j < GEMM_RESIDUAL_FEATURES; j++) printf(" %s", gemm_residual_names[j]);
    printf("\n");
    for (int i = 0; i < shape_count; i++) {
        const struct shape *s = &shapes[i];
        for (int r = s->first; r < s->first + s->count; r++) {
            rows[r].choice.cost_us = cost_of(s, &rows[r]);
            gemm_residual_features(&suite, view_in(s, &rows[r]), &rows[r].choice, x);
            printf("%d %.3f %.3f", i, rows[r].us, rows[r].choice.cost_us);
            for (int j = 0; j < GEMM_RESIDUAL_FEATURES; j++) printf(" %d", x[j]);
            printf("\n");
        }
    }
}

/* Rows that are far behind seldom matter: a third of them is kept. */
static void thin_out(void)
{
    int kept = 0;
    for (int i = 0; i < shape_count; i++) {
        struct shape *s = &shapes[i];
        const int first = kept;
        for (int j = s->first; j < s->first + s->count; j++) {
            rows[j].behind = log(rows[j].us / s->best_us);
            if (rows[j].behind < 0.35 || j % 3 == 0) rows[kept++] = rows[j];
        }
        s->first = first;
        s->count = kept - first;
    }
    row_count = kept;
}

/* How fast the weight of what the model would pick falls, and from where on being behind counts no
 * more; what a squared error counts beside. */
static const double SHARPNESS = 35, MOST_BEHIND = 0.4, SQUARES = 3;
/* By picks (-W): that falls faster, and a loss beyond LOST counts so many times more. */
static bool by_picks;
static const double SHARPNESS_BY_PICKS = 70, LOST = 0.06, LOST_COUNTS = 2;
/* A row weighs the more the nearer it is to the best one measured, or to what the model takes for
 * the best; an error beyond OUTLIER counts once; LEVEL: of a shape's mean error, which no ranking
 * sees. */
static const double NEAR_BEST = 0.06, NEAR_PICK = 0.04, OUTLIER = 0.25, LEVEL = 0.15;

/* Of each row: the logarithm of its modelled time, its weight, its error, and how the smooth pick's
 * loss moves with its time; how its modelled time moves with each constant. */
static double log_cost[MAX_ROWS], weight[MAX_ROWS], residual[MAX_ROWS], pull[MAX_ROWS];
static float slope[CONSTANTS][MAX_ROWS];

static void cost_rows(double *logs)
{
    for (int i = 0; i < shape_count; i++)
        for (int j = shapes[i].first; j < shapes[i].first + shapes[i].count; j++)
            logs[j] = log(cost_of(&shapes[i], &rows[j]));
}

static double least_of(const struct shape *s)
{
    double least = 1e12;
    for (int j = s->first; j < s->first + s->count; j++)
        if (log_cost[j] < least) least = log_cost[j];
    return least;
}

static void weigh(void)
{
    for (int i = 0; i < shape_count; i++) {
        const struct shape *s = &shapes[i];
        const double least = least_of(s);
        double sum = 0;
        for (int j = s->first; j < s->first + s->count; j++) {
            const double near = exp(-rows[j].behind / NEAR_BEST);
            const double picked = exp(-(log_cost[j] - least) / NEAR_PICK);
            weight[j] = near > picked ? near : picked;
            sum += weight[j];
        }
        for (int j = s->first; j < s->first + s->count; j++) weight[j] /= sum;
    }
}

/* Less the shape's weighted mean, but for LEVEL of it. */
static void center(const struct shape *s, double *x)
{
    double sum = 0;
    for (int j = s->first; j < s->first + s->count; j++) sum += weight[j] * x[j];
    for (int j = s->first; j < s->first + s->count; j++) x[j] -= (1 - LEVEL) * sum;
}

static double squares(void)
{
    double sum = 0;
    for (int i = 0; i < shape_count; i++) {
        const struct shape *s = &shapes[i];
        for (int j = s->first; j < s->first + s->count; j++)
            residual[j] = log(rows[j].us) - log_cost[j];
        center(s, residual);
        for (int j = s->first; j < s->first + s->count; j++) {
            const double a = fabs(residual[j]);
            sum += weight[j] * (a < OUTLIER ? a * a : OUTLIER * (2 * a - OUTLIER));
        }
    }
    return sum / shape_count;
}

static double pick_loss(void)
{
    const double sharpness = by_picks ? SHARPNESS_BY_PICKS : SHARPNESS;
    const double lost_counts = by_picks ? LOST_COUNTS : 0;
    double sum = 0;
    for (int i = 0; i < shape_count; i++) {
        const struct shape *s = &shapes[i];
        const double least = least_of(s);
        double weights = 1e-12, weighted = 0;
        for (int j = s->first; j < s->first + s->count; j++) {
            const double w = exp(-sharpness * (log_cost[j] - least));
            weights += w;
            weighted += w * fmin(rows[j].behind, MOST_BEHIND);
        }
        for (int j = s->first; j < s->first + s->count; j++)
            pull[j] = -sharpness * exp(-sharpness * (log_cost[j] - least)) / weights *
                      (fmin(rows[j].behind, MOST_BEHIND) - weighted / weights);
        sum += weighted / weights + lost_counts * fmax(0, weighted / weights - LOST);
    }
    return sum / shape_count;
}

/* What a constant's distance from where it began counts: what few shapes tell of moves little. */
static double away_counts = 1e-3;
static double began[CONSTANTS];

static double away(int p)
{
    return log(*constants[p].at / began[p]);
}

static double loss(void)
{
    double sum = 0;
    for (int p = 0; p < CONSTANTS; p++) sum += away_counts * away(p) * away(p);
    cost_rows(log_cost);
    return sum + pick_loss() + SQUARES * squares();
}

static const char *only[CONSTANTS]; /* are fitted, where there are any */
static int only_count;

/* Constants of the device, or of types that the timings have none of: not fitted. */
static bool is_given(const char *name)
{
    for (int i = 0; i < only_count; i++)
        if (!strcmp(name, only[i])) return false;
    if (only_count > 0) return true;
    static const char *const given[] = {"CLOCK_SHARE", "MEMORY_SHARE"};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (!strcmp(name, given[i])) return true;
    return false;
}

static void slopes(void)
{
    static double moved[MAX_ROWS];
    const double step = 0.03;
    for (int p = 0; p < CONSTANTS; p++) {
        const double keep = *constants[p].at;
        if (is_given(constants[p].name)) continue;
        *constants[p].at = keep * exp(step);
        cost_rows(moved);
        *constants[p].at = keep;
        memset(slope[p], 0, sizeof slope[p]); /* of what is held out, too */
        for (int i = 0; i < shape_count; i++) {
            const int first = shapes[i].first, end = first + shapes[i].count;
            for (int j = first; j < end; j++) moved[j] = (moved[j] - log_cost[j]) / step;
            center(&shapes[i], moved);
            for (int j = first; j < end; j++) slope[p][j] = (float)moved[j];
        }
    }
}

/* The normal equations, the right side in the last column. */
typedef double equations[CONSTANTS][CONSTANTS + 1];

static void equate(equations a)
{
    memset(a, 0, sizeof(equations));
    for (int j = 0; j < row_count; j++) {
        const double r = fabs(residual[j]), w = weight[j] * (r < OUTLIER ? 1 : OUTLIER / r);
        const double side = w * residual[j] - pull[j] / (2 * SQUARES);
        for (int p = 0; p < CONSTANTS; p++) {
            if (slope[p][j] == 0) continue;
            for (int q = 0; q < CONSTANTS; q++)
                a[p][q] += w * (double)slope[p][j] * (double)slope[q][j];
            a[p][CONSTANTS] += (double)slope[p][j] * side;
        }
    }
}

/* By elimination; the solution is then the last column over the diagonal. */
static void solve(equations a, double damp)
{
    const double pull_back = away_counts * shape_count / SQUARES;
    for (int p = 0; p < CONSTANTS; p++) {
        a[p][p] += pull_back;
        a[p][CONSTANTS] -= pull_back * away(p);
    }
    for (int p = 0; p < CONSTANTS; p++) a[p][p] += damp * (a[p][p] + 1e-3 * shape_count) + 1e-9;
    for (int p = 0; p < CONSTANTS; p++)
        for (int q = 0; q < CONSTANTS; q++) {
            const double f = q == p ? 0 : a[q][p] / a[p][p];
            for (int r = p; r <= CONSTANTS && f != 0; r++) a[q][r] -= f * a[p][r];
        }
}

/* From `keep` on, so much of the step; the loss there. */
static double stepped(equations a, const double *keep, double scale)
{
    static const double MOST = 0.3;
    for (int p = 0; p < CONSTANTS; p++) {
        const double x = scale * a[p][CONSTANTS] / a[p][p];
        if (!is_given(constants[p].name))
            *constants[p].at = keep[p] * exp(fmax(fmin(x, MOST), -MOST));
    }
    return loss();
}

static void descend(int rounds)
{
    enum { TRIES = 6 };
    static const double SHORTER = 0.4;
    static equations a;
    double keep[CONSTANTS], damp = 0.003;
    for (int round = 0; round < rounds; round++) {
        cost_rows(log_cost);
        weigh();
        const double before = loss();
        double scale = 1, after = before;
        slopes();
        equate(a);
        solve(a, damp);
        for (int p = 0; p < CONSTANTS; p++) keep[p] = *constants[p].at;
        for (int i = 0; i < TRIES; i++, scale *= SHORTER)
            if ((after = stepped(a, keep, scale)) < before) break;
        for (int p = 0; p < CONSTANTS && after >= before; p++) *constants[p].at = keep[p];
        fprintf(stderr, "round %d: %.6f to %.6f, %.2g of a step\n", round, before, after, scale);
        damp *= scale < 0.3 ? 3 : scale == 1 ? 0.5 : 1;
    }
}

/* --- by single constants --- */

/* What a squared error counts beside the pick. */
static const double FEW_SQUARES = 1, FEW_SQUARES_BY_PICKS = 0.5;

static double goal(void)
{
    cost_rows(log_cost);
    weigh();
    double sum = pick_loss() + (by_picks ? FEW_SQUARES_BY_PICKS : FEW_SQUARES) * squares();
    for (int p = 0; p < CONSTANTS; p++) sum += away_counts * away(p) * away(p);
    return sum;
}

/* One constant by so much, as often as that gains. */
static bool walk(double *at, double factor, double *best)
{
    enum { STEPS = 4 };
    bool moved = false;
    for (int i = 0; i < STEPS; i++) {
        const double keep = *at;
        *at = keep * factor;
        const double now = goal();
        if (now >= *best - 1e-7) {
            *at = keep;
            break;
        }
        *best = now;
        moved = true;
    }
    return moved;
}

/* Each constant up or down in turn, by less from round to round: what a step of Gauss and Newton
 * does not find, since the pick changes in leaps. */
static void walk_all(int rounds)
{
    double best = goal(), step = 0.25;
    for (int round = 0; round < rounds && step > 0.01; round++) {
        bool moved = false;
        for (int p = 0; p < CONSTANTS; p++)
            if (!is_given(constants[p].name))
                moved |= walk(constants[p].at, exp(-step), &best) ||
                         walk(constants[p].at, exp(step), &best);
        if (!moved || round % 2) step /= 2;
    }
}

static void fit(int rounds, bool walks)
{
    if (!by_picks) descend(rounds);
    if (walks) walk_all(rounds);
}

/* --- what came of it --- */

static double pick_share(const struct shape *s)
{
    const struct row *pick = NULL;
    double least = 1e12;
    for (int j = s->first; j < s->first + s->count; j++) {
        const double cost = cost_of(s, &rows[j]);
        if (cost < least) least = cost, pick = &rows[j];
    }
    return pick ? s->best_us / pick->us : 1;
}

/* Fitted to all shapes but every so many, told of those, in turn. */
static void hold_out(int folds, int rounds, bool walks)
{
    static struct shape all[MAX_SHAPES];
    const int n = shape_count;
    double logs = 0, squared = 0;
    memcpy(all, shapes, sizeof all);
    for (int fold = 0; fold < folds; fold++) {
        shape_count = 0;
        for (int i = 0; i < n; i++)
            if (i % folds != fold) shapes[shape_count++] = all[i];
        for (int p = 0; p < CONSTANTS; p++) *constants[p].at = began[p];
        memset(weight, 0, sizeof weight);
        memset(pull, 0, sizeof pull);
        if (rounds > 0) fit(rounds, walks);
        for (int i = fold; i < n; i += folds) {
            const double x = log(pick_share(&all[i]));
            logs += x;
            squared += x * x;
        }
    }
    printf("# held out, %d shapes in %d parts: pick of best measured %.4f, give or take %.4f\n", n,
           folds, exp(logs / n), sqrt(squared / n - logs / n * logs / n) / sqrt(n));
}

static int by_ratio(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void tell(bool each)
{
    static double shares[MAX_SHAPES];
    double pick_logs = 0, best_logs = 0, vendor_logs = 0;
    int n = 0, with_vendor = 0;
    for (int i = 0; i < shape_count; i++)
        for (int j = shapes[i].first; j < shapes[i].first + shapes[i].count; j++)
            rows[j].cost_us = cost_of(&shapes[i], &rows[j]);
    for (int i = 0; i < shape_count; i++) {
        const struct shape *s = &shapes[i];
        const struct row *pick = NULL, *best = NULL;
        for (int j = s->first; j < s->first + s->count; j++) {
            if (!pick || rows[j].cost_us < pick->cost_us) pick = &rows[j];
            if (!best || rows[j].us < best->us) best = &rows[j];
        }
        if (!pick) continue;
        shares[n++] = best->us / pick->us;
        best_logs += log(best->us / pick->us);
        if (s->vendor_us > 0) {
            with_vendor++;
            pick_logs += log(s->vendor_us / pick->us);
            vendor_logs += log(s->vendor_us / best->us);
        }
        if (!each) continue;
        printf("%d\t%d\t%d\tvendor %.2f\tpick %.2f (model %.2f)\tbest %.2f (model %.2f)\t%.3f %.3f",
               s->m, s->n, s->k, s->vendor_us, pick->us, pick->cost_us, best->us, best->cost_us,
               s->vendor_us / pick->us, s->vendor_us / best->us);
        for (int b = 0; b < 2; b++) {
            const struct tmap_gemm_config *c = b ? &best->choice.config : &pick->choice.config;
            printf("\t%dx%d c%dx%d s%d %s%s st%d cl%d", c->tile_m, c->tile_n, c->cluster_m,
                   c->cluster_n, c->split_k, c->swapped > 0 ? "T" : "N",
                   c->pingpong > 0 ? " pp" : "", c->stream_k, c->clusters);
        }
        printf("\n");
    }
    qsort(shares, (size_t)n, sizeof *shares, by_ratio);
    printf("# %d shapes, %d rows: pick of best measured %.4f, tenth percentile %.4f, "
           "worst %.4f; of the vendor: pick %.4f, best measured %.4f\n",
           n, row_count, exp(best_logs / n), shares[n / 10], shares[0],
           exp(pick_logs / with_vendor), exp(vendor_logs / with_vendor));
}

int main(int argc, char **argv)
{
    int rounds = 16, folds = 0;
    bool only_tell = false, precise = false, walks = false, features = false;
    int kind = TMAP_GEMM_BF16;
    if (gemm_as_h200(&suite) != TMAP_OK) return 1;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n"))
            rounds = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-t"))
            only_tell = true;
        else if (!strcmp(argv[i], "-r"))
            features = true;
        else if (!strcmp(argv[i], "-f"))
            folds = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-w"))
            walks = true;
        else if (!strcmp(argv[i], "-W"))
            walks = by_picks = true;
        else if (!strcmp(argv[i], "-a"))
            away_counts = atof(argv[++i]);
        else if (!strcmp(argv[i], "-M"))
            suite.gpu.memory_bytes_per_us = atof(argv[++i]);
        else if (!strcmp(argv[i], "-o") && only_count < CONSTANTS)
            only[only_count++] = argv[++i];
        else if (!strcmp(argv[i], "-k") || !strcmp(argv[i], "-p") || !strcmp(argv[i], "-b")) {
            precise = argv[i][1] == 'p';
            blocks = argv[i][1] == 'b';
            floats = false;
            kind = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "-4")) {
            floats = true;
            kind = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "-c")) {
            order = argv[++i];
        } else if (!strcmp(argv[i], "-e")) {
            activation = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "-R")) {
            for (int j = 1; j <= 8; j++) suite.resident[j] = atoi(argv[++i]);
        } else
            read_file(argv[i], kind, precise);
    }
    for (int p = 0; p < CONSTANTS; p++) began[p] = *constants[p].at;
    if (features) {
        print_features();
        return 0;
    }
    if (!only_tell) thin_out();
    tell(only_tell);
    if (only_tell) return 0;
    if (folds > 0) {
        hold_out(folds, rounds, walks);
        return 0;
    }
    fit(rounds, walks);
    tell(false);
    for (int i = 0; i < CONSTANTS; i++) printf("%s = %.4g\n", constants[i].name, *constants[i].at);
    return 0;
}
