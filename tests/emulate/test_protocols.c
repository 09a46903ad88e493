/* The protocols of the products' kernels, folded from what the shipped PTX does on the emulator and
 * proved by the pipeline's automaton for any number of tiles and k blocks: who loads, multiplies,
 * stores and schedules, of one CTA, of pairs and of clusters, on Hopper too. Faults planted in such
 * kernels are refuted, and the same kernels without them proved.
 *
 * TMAP_PROTOCOL_MB: memory for the automaton (192); make prove-protocols has more, and then tries
 * every ring of every design, too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/emulated_suites.h"
#include "support/proved.h"
#include "support/spoiled_ptx.h"

enum { RUNS = PROVED_RUNS, MEGABYTES = 192 };

static struct tmap_gemm *suite;
static struct emulated *emulator;
static const char *faults_ptx;
static struct prover prover;
static const char *only;   /* lists with this in their names */
static const char *design; /* of these, the one of that name */

struct design {
    const char *name, *source, *faulty; /* faulty: the kernel in the plan's place */
    struct tmap_gemm_config request;
    struct tmap_gemm_problem shape;
    uint32_t proves;         /* bits below; make prove-protocols tries the others too */
    uint32_t fault, cluster; /* cluster: the one that is recorded */
    enum tmap_hazard hazard; /* as which it is refuted */
    int32_t second_k;        /* of the second run; 0: half as much again */
    const char *kernel;      /* whose text is spoiled */
    struct spoiled text;
};
#define WHOLE 1u   /* all barriers as one protocol */
#define STAGING 2u /* what the warps stage and store */
#define RING(n) (4u << (n))

/* Of one configuration: another number of tiles, and of k blocks. */
static struct tmap_gemm_problem shape_of(const struct design *d, int run)
{
    struct tmap_gemm_problem p = d->shape;
    p.alpha = 1;
    p.batch = 1;
    p.n += run == 2 ? 2 * d->request.tile_n : 0;
    if (run == 1) p.k = d->second_k ? d->second_k : p.k + p.k / 2;
    return p;
}

static void plant(const struct design *d, struct tmap_gemm_plan *plan)
{
    struct gemm_params params;
    if (!d->faulty) return;
    memcpy(&params, plan->params, sizeof params);
    params.fault = d->fault;
    memcpy(plan->params, &params, sizeof params);
    plan->function = emulated_function(d->faulty);
    assert_non_null(plan->function);
}

static void record(const struct design *d, int run, struct tmap_emulate_record **out)
{
    const struct tmap_gemm_problem shape = shape_of(d, run);
    struct emulated_product product;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    assert_int_equal(tmap_emulate_record_open(d->cluster, out), TMAP_OK);
    assert_true(emulated_product_make(suite, &shape, 1, &product));
    if (tmap_gemm_make_plan(suite, &product.problem, &d->request, &plan, &why) != TMAP_OK)
        fail_msg("%s: %s", d->name, why.text);
    assert_true(d->request.store_warp != 1 || plan.config.store_warp == 1);
    plant(d, &plan);
    emulator->how = (struct tmap_emulate_launch){
        .schedule = TMAP_EMULATE_EARLIEST, .no_races = true, .seed = (uint64_t)run};
    emulator->how.residents = d->request.dynamic == 1 ? plan.cluster : 0;
    emulator->record = *out;
    assert_int_equal(emulated_recorded(tmap_gemm_run(&plan, NULL)), TMAP_OK);
    emulated_product_free(suite, &product);
}

static void take_records(const struct design *d, struct tmap_emulate_record *records[RUNS])
{
    memset(suite->functions, 0, sizeof suite->functions);
    for (int i = 0; i < RUNS; i++) record(d, i, &records[i]);
}

static void free_records(struct tmap_emulate_record *records[RUNS])
{
    for (int i = 0; i < RUNS; i++) tmap_emulate_record_free(records[i]);
}

/* One part; false: there are fewer. */
static bool prove_part(const struct design *d, struct tmap_emulate_record *records[RUNS],
                       enum tmap_emulate_part part, unsigned n, bool must)
{
    struct proved p;
    prove(&prover, records, part, n, &p);
    if (p.status == TMAP_E_NO_PLAN) return false;
    if (p.status != TMAP_OK) fail_msg("%s: line %u: %s", d->name, p.error.line, p.error.text);
    print_message("# %s, %s %u: %s%s%s, %u states\n", d->name, proved_part(part), n,
                  proved_words(&p), p.result.fault ? ": " : "", p.error.text, p.result.states);
    assert_int_not_equal(p.result.verdict, TMAP_ILLEGAL);
    if (must) assert_int_equal(p.result.verdict, TMAP_LEGAL);
    return true;
}

static void one(const struct design *d, struct tmap_emulate_record *records[RUNS])
{
    const bool all = prover.deep;
    for (unsigned n = 0; n < TMAP_PROTOCOL_BARRIERS; n++) {
        const bool must = (d->proves & RING(n)) != 0;
        if ((must || all) && !prove_part(d, records, TMAP_EMULATE_RING, n, must)) {
            assert_false(must);
            break;
        }
    }
    for (unsigned n = 0; d->proves & STAGING; n++)
        if (!prove_part(d, records, TMAP_EMULATE_STAGING, n, n == 0)) {
            assert_true(n > 0);
            break;
        }
    if ((d->proves & WHOLE) || all)
        prove_part(d, records, TMAP_EMULATE_BARRIERS, 0, (d->proves & WHOLE) != 0);
}

/* In the part that the design says. */
static void refute(const struct design *d, struct tmap_emulate_record *records[RUNS])
{
    const enum tmap_emulate_part part = d->proves & WHOLE     ? TMAP_EMULATE_BARRIERS
                                        : d->proves & STAGING ? TMAP_EMULATE_STAGING
                                                              : TMAP_EMULATE_RING;
    struct proved p;
    prove(&prover, records, part, d->proves & RING(1) ? 1 : 0, &p);
    print_message("# %u %s: %s: %s\n", d->fault, d->name,
                  p.result.fault ? tmap_hazard_name(p.result.fault) : proved_words(&p),
                  p.error.text);
    assert_int_equal(p.status, TMAP_OK);
    assert_int_equal(p.result.fault, d->hazard);
    assert_int_equal(p.result.verdict, d->hazard ? TMAP_ILLEGAL : TMAP_LEGAL);
}

#define TENSOR "src/kernels/gemm/sm100/"
#define WARPS "src/kernels/gemm/sm120/"
#define TWO .cluster_m = 2, .clusters = 1, .stream_k = -1
#define BF16(m_, n_, k_) OF(TMAP_GEMM_BF16, 0, m_, n_, k_)

#define DESIGN(name_, source_, request_, shape_, proves_)                                          \
    {                                                                                              \
        .name = name_, .source = source_, .request = request_, .shape = shape_, .proves = proves_  \
    }
#define RINGS (RING(0) | RING(1))

static const struct design tensor[] = {
    DESIGN("one CTA", TENSOR "f16", REQUEST(128, 128, 3, 2, ALONE), BF16(250, 200, 270),
           RINGS | WHOLE | STAGING),
    DESIGN("one CTA, tf32", TENSOR "tf32", REQUEST(128, 128, 3, 2, ALONE),
           OF(TMAP_GEMM_TF32, TMAP_GEMM_OUT_F32, 250, 200, 130), WHOLE | STAGING),
    DESIGN("one CTA, int8", TENSOR "i8", REQUEST(128, 128, 3, 2, ALONE),
           OF(TMAP_GEMM_S8, TMAP_GEMM_OUT_S32, 250, 200, 530), WHOLE | STAGING),
    DESIGN("one CTA, mxfp8", TENSOR "mxf8f6f4", REQUEST(128, 128, 3, 2, ALONE),
           OF(TMAP_GEMM_MXF8, TMAP_GEMM_OUT_F32, 250, 200, 530), WHOLE | STAGING),
    DESIGN(
        "one CTA, parts of K", TENSOR "f16",
        REQUEST(128, 128, 3, 1, .cluster_m = 1, .clusters = 4, .stream_k = TMAP_GEMM_STREAM_K_ANY),
        BF16(250, 376, 270), WHOLE | STAGING),
    DESIGN("pair", TENSOR "f16", REQUEST(256, 128, 3, 2, ALONE), BF16(250, 376, 270),
           RINGS | WHOLE | STAGING),
    DESIGN("pair, e4m3", TENSOR "f8f6f4", REQUEST(256, 128, 3, 2, ALONE),
           OF(TMAP_GEMM_E4M3, TMAP_GEMM_OUT_BF16, 250, 376, 530), WHOLE | STAGING),
    DESIGN("pair, mxfp8", TENSOR "mxf8f6f4", REQUEST(256, 256, 3, 2, ALONE),
           OF(TMAP_GEMM_MXF8, TMAP_GEMM_OUT_F32, 250, 376, 530), WHOLE | STAGING),
    DESIGN("two CTAs that share B", TENSOR "f16", REQUEST(128, 128, 2, 2, TWO), BF16(250, 376, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("two pairs that share B", TENSOR "f16", REQUEST(256, 128, 2, 2, TWO),
           BF16(500, 376, 270), RINGS | WHOLE | STAGING),
    DESIGN("pair, tiles taken over", TENSOR "dynamic",
           REQUEST(256, 256, 2, 2, .cluster_m = 1, .dynamic = 1), BF16(250, 1000, 270),
           RING(0) | RING(1) | RING(2) | WHOLE | STAGING),
};

static const struct design warps[] = {
    DESIGN("mma.sync", WARPS "bf16", REQUEST(128, 64, 3, 1, ALONE), BF16(250, 200, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("mma.sync, two panels at once", WARPS "bf16", REQUEST(128, 128, 2, 2, ALONE),
           BF16(250, 200, 270), WHOLE | STAGING),
    DESIGN("mma.sync, mxfp8", WARPS "mxf8", REQUEST(128, 128, 2, 2, ALONE),
           OF(TMAP_GEMM_MXF8, TMAP_GEMM_OUT_F32, 250, 200, 530), RING(0) | WHOLE | STAGING),
    DESIGN(
        "mma.sync, parts of K", WARPS "bf16",
        REQUEST(128, 64, 3, 1, .cluster_m = 1, .clusters = 4, .stream_k = TMAP_GEMM_STREAM_K_ANY),
        BF16(250, 376, 270), WHOLE | STAGING),
};

#define HOPPER "src/kernels/gemm/sm90/"
#define WHOLE_TILES .split_k = 1, .direct = -1, .pingpong = -1
static const struct design hopper[] = {
    DESIGN("wgmma, one warpgroup", HOPPER "bf16",
           REQUEST(64, 64, 3, 1, ALONE, WHOLE_TILES, .store_warp = -1), BF16(250, 200, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, two warpgroups", HOPPER "bf16",
           REQUEST(128, 128, 3, 1, ALONE, WHOLE_TILES, .store_warp = -1), BF16(250, 200, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, two slots, the next of which is still held", HOPPER "bf16",
           REQUEST(128, 64, 2, 1, ALONE, WHOLE_TILES, .store_warp = -1), BF16(250, 200, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, four slots", HOPPER "bf16",
           REQUEST(64, 64, 4, 1, ALONE, WHOLE_TILES, .store_warp = -1), BF16(250, 200, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, an even number of k blocks in some tiles", HOPPER "bf16",
           REQUEST(64, 128, 5, 1, ALONE, WHOLE_TILES, .store_warp = -1), BF16(250, 200, 400),
           RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, four CTAs that share B", HOPPER "bf16",
           REQUEST(64, 64, 3, 1, .cluster_m = 4, .clusters = 1, .stream_k = -1, WHOLE_TILES,
                   .store_warp = -1),
           BF16(250, 200, 270), WHOLE | STAGING),
    DESIGN("wgmma, two CTAs that share B", HOPPER "bf16",
           REQUEST(128, 128, 3, 1, TWO, WHOLE_TILES, .store_warp = -1), BF16(500, 200, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, storing warps", HOPPER "bf16",
           REQUEST(128, 128, 3, 2, ALONE, WHOLE_TILES, .store_warp = 1), BF16(250, 200, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, pingpong", HOPPER "bf16", REQUEST(64, 128, 2, 1, ALONE, .pingpong = 1),
           BF16(250, 200, 270), RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, pingpong, two slabs", HOPPER "bf16",
           REQUEST(128, 128, 2, 1, ALONE, .pingpong = 1), BF16(500, 200, 270),
           RING(0) | WHOLE | STAGING),
    DESIGN("wgmma, pingpong, two CTAs that share B", HOPPER "bf16",
           REQUEST(64, 128, 2, 1, TWO, .pingpong = 1), BF16(250, 200, 270), WHOLE | STAGING),
    DESIGN("wgmma, panels in the ring", HOPPER "bf16",
           REQUEST(128, 128, 3, 0, .cluster_m = 1, WHOLE_TILES, .store_warp = -1),
           BF16(128, 128, 270), WHOLE),
    DESIGN("wgmma, storing warps, one panel", HOPPER "bf16",
           REQUEST(128, 128, 3, 1, ALONE, WHOLE_TILES, .store_warp = 1), BF16(250, 200, 270),
           WHOLE | STAGING),
};

#define FAULT(id_, name_, proves_, hazard_, source_, faulty_, request_)                            \
    {                                                                                              \
        .fault = id_, .name = name_, .proves = proves_, .hazard = hazard_, .source = source_,      \
        .faulty = faulty_, .request = request_, .shape = BF16(250, 200, 270)                       \
    }
#define SINGLE_FAULT(id, name, proves, hazard)                                                     \
    FAULT(id, name, proves, hazard, TENSOR "f16", "tensor_faulty_1x128",                           \
          REQUEST(128, 128, 3, 2, ALONE))
#define PAIR_FAULT(id, name, proves, hazard)                                                       \
    FAULT(id, name, proves, hazard, TENSOR "f16", "tensor_faulty_2x128",                           \
          REQUEST(256, 128, 3, 2, ALONE))

#define SHARED_FAULT(id_, name_, hazard_)                                                          \
    {                                                                                              \
        .fault = id_, .name = name_, .proves = WHOLE, .hazard = hazard_, .source = TENSOR "f16",   \
        .faulty = "tensor_faulty_2x128", .request = REQUEST(256, 128, 2, 2, TWO),                  \
        .shape = BF16(500, 376, 270)                                                               \
    }
#define DYNAMIC_FAULT(id_, name_, hazard_)                                                         \
    {                                                                                              \
        .fault = id_, .name = name_, .proves = WHOLE, .hazard = hazard_,                           \
        .source = TENSOR "dynamic", .faulty = "tensor_dynamic_faulty_2x256",                       \
        .request = REQUEST(256, 256, 2, 2, .cluster_m = 1, .dynamic = 1),                          \
        .shape = BF16(250, 1000, 270)                                                              \
    }
#define SCALED_FAULT(id_, name_, hazard_)                                                          \
    {                                                                                              \
        .fault = id_, .name = name_, .proves = WHOLE, .hazard = hazard_,                           \
        .source = TENSOR "mxf8f6f4", .faulty = "tensor_scaled_faulty_2x256",                       \
        .request = REQUEST(256, 256, 3, 2, ALONE),                                                 \
        .shape = OF(TMAP_GEMM_MXF8, TMAP_GEMM_OUT_F32, 250, 376, 530)                              \
    }

static const struct design tensor_faults[] = {
    SINGLE_FAULT(0, "control", WHOLE, TMAP_HAZARD_NONE),
    SINGLE_FAULT(0, "control, staging", STAGING, TMAP_HAZARD_NONE),
    SINGLE_FAULT(1, "no proxy fence before the store", STAGING, TMAP_HAZARD_UNFENCED),
    SINGLE_FAULT(2, "no fence after mbarrier.init", WHOLE, TMAP_HAZARD_UNINITIALIZED),
    SINGLE_FAULT(8, "panel reused before the store has read it", STAGING,
                 TMAP_HAZARD_UNWAITED_STORE),
    SINGLE_FAULT(16, "multiplies do not wait for the slot", WHOLE, TMAP_HAZARD_EARLY),
    SINGLE_FAULT(35, "sums read before their commit", WHOLE, TMAP_HAZARD_EARLY),
    SINGLE_FAULT(39, "block leaves before its last store has read", STAGING,
                 TMAP_HAZARD_UNWAITED_STORE),
    SINGLE_FAULT(43, "accumulator given on before it is read", WHOLE, TMAP_HAZARD_OVERWRITE),
    PAIR_FAULT(0, "pair: control", RING(0), TMAP_HAZARD_NONE),
    PAIR_FAULT(9, "pair: blocks do not meet after mbarrier.init", WHOLE, TMAP_HAZARD_UNINITIALIZED),
    SINGLE_FAULT(113, "panel stored before all warps have written it", STAGING, TMAP_HAZARD_EARLY),
    SINGLE_FAULT(114, "panel written before all warps know that it may be", STAGING,
                 TMAP_HAZARD_UNWAITED_STORE),
    SHARED_FAULT(0, "two pairs: control", TMAP_HAZARD_NONE),
    SHARED_FAULT(35, "two pairs: sums read before their commit", TMAP_HAZARD_EARLY),
    SHARED_FAULT(2, "two pairs: no fence after mbarrier.init", TMAP_HAZARD_UNINITIALIZED),
    DYNAMIC_FAULT(0, "tiles taken over: control", TMAP_HAZARD_NONE),
    DYNAMIC_FAULT(66, "answer given back before it is read", TMAP_HAZARD_OVERWRITE),
    DYNAMIC_FAULT(71, "answer read before it is there", TMAP_HAZARD_EARLY),
    SCALED_FAULT(0, "pair, scale factors: control", TMAP_HAZARD_NONE),
    SCALED_FAULT(94, "pair: the even block does not wait for the odd one's factors",
                 TMAP_HAZARD_EARLY),
};

#define HOPPER_FAULT(id, name, clusters_, proves, hazard)                                          \
    FAULT(id, name, proves, hazard, HOPPER "bf16", "gemm_faulty_2x128",                            \
          REQUEST(128, 128, 3, 1, clusters_, WHOLE_TILES, .store_warp = -1))
/* Two tiles of few k blocks fit into the ring, so that runs end whoever begins. */
#define TURNS_FAULT(id_, name_, proves_, hazard_)                                                  \
    {                                                                                              \
        .fault = id_, .name = name_, .proves = proves_, .hazard = hazard_,                         \
        .source = HOPPER "bf16", .faulty = "gemm_faulty_pingpong_1x128",                           \
        .request = REQUEST(64, 128, 4, 1, ALONE, .pingpong = 1), .shape = BF16(250, 200, 128),     \
        .second_k = 64                                                                             \
    }
#define HANDED_FAULT(id, name, hazard)                                                             \
    FAULT(id, name, STAGING, hazard, HOPPER "bf16", "gemm_faulty_2x128",                           \
          REQUEST(128, 128, 3, 2, ALONE, WHOLE_TILES, .store_warp = 1))
/* In every place of a narrow tile's loop that reads so. */
#define NARROW_FAULT(name_, hazard_, from_, to_, places_)                                          \
    {                                                                                              \
        .name = name_, .proves = WHOLE, .hazard = hazard_, .source = HOPPER "bf16",                \
        .kernel = "gemm_bf16_1x64_000", .text = {from_, to_, 0, places_},                          \
        .request = REQUEST(64, 64, 3, 1, ALONE, WHOLE_TILES, .store_warp = -1),                    \
        .shape = BF16(250, 200, 270)                                                               \
    }
static const struct design hopper_faults[] = {
    HOPPER_FAULT(0, "wgmma: control", ALONE, WHOLE, TMAP_HAZARD_NONE),
    HOPPER_FAULT(2, "wgmma: no fence after mbarrier.init", ALONE, WHOLE, TMAP_HAZARD_UNINITIALIZED),
    HOPPER_FAULT(13, "wgmma: slot given back before it is read", ALONE, WHOLE,
                 TMAP_HAZARD_OVERWRITE),
    HOPPER_FAULT(16, "wgmma: multiplies before the bytes are there", ALONE, WHOLE,
                 TMAP_HAZARD_EARLY),
    HOPPER_FAULT(134, "wgmma: B is loaded before its slot is free", ALONE, WHOLE,
                 TMAP_HAZARD_ALIAS),
    HOPPER_FAULT(0, "wgmma: control, staging", ALONE, STAGING, TMAP_HAZARD_NONE),
    HOPPER_FAULT(1, "wgmma: no proxy fence before the store", ALONE, STAGING, TMAP_HAZARD_UNFENCED),
    HOPPER_FAULT(8, "wgmma: panel reused before the store has read it", ALONE, STAGING,
                 TMAP_HAZARD_UNWAITED_STORE),
    HANDED_FAULT(0, "wgmma, storing warps: control", TMAP_HAZARD_NONE),
    HANDED_FAULT(1, "wgmma, storing warps: no proxy fence before the panels are handed over",
                 TMAP_HAZARD_UNFENCED),
    HANDED_FAULT(22, "wgmma, storing warps: panels given back before they are read",
                 TMAP_HAZARD_OVERWRITE),
    {.name = "wgmma, panels in the ring: a warpgroup does not meet the other before it writes",
     .proves = WHOLE,
     .hazard = TMAP_HAZARD_OVERWRITE,
     .source = HOPPER "bf16",
     .kernel = "gemm_bf16_2x128_000",
     .text = {", 256;\n\t// begin inline asm\n\tbar.sync", "", 0, 2},
     .request = REQUEST(128, 128, 3, 0, .cluster_m = 1, WHOLE_TILES, .store_warp = -1),
     .shape = BF16(128, 128, 270)},
    NARROW_FAULT("wgmma: every look finds its slot", TMAP_HAZARD_EARLY,
                 "mbarrier.test_wait.parity.shared::cta.b64 p,", "setp.eq.u32 p, 0, 0;", 4),
    TURNS_FAULT(0, "wgmma, pingpong: control", WHOLE, TMAP_HAZARD_NONE),
    TURNS_FAULT(0, "wgmma, pingpong: control, staging", STAGING, TMAP_HAZARD_NONE),
    TURNS_FAULT(2, "wgmma, pingpong: no fence after mbarrier.init", WHOLE,
                TMAP_HAZARD_UNINITIALIZED),
    TURNS_FAULT(8, "wgmma, pingpong: panel reused before the store has read it", STAGING,
                TMAP_HAZARD_UNWAITED_STORE),
    TURNS_FAULT(40, "wgmma, pingpong: the first turn is the second warpgroup's", WHOLE,
                TMAP_HAZARD_ALIAS),
    TURNS_FAULT(44, "wgmma, pingpong: both warpgroups store from the same panels", STAGING,
                TMAP_HAZARD_EARLY),
    HOPPER_FAULT(0, "wgmma, two CTAs: control", TWO, WHOLE, TMAP_HAZARD_NONE),
    HOPPER_FAULT(12, "wgmma, two CTAs: leaves while signals are on their way", TWO, WHOLE,
                 TMAP_HAZARD_EXIT),
};

#define WARPS_FAULT(id, name, proves, hazard)                                                      \
    FAULT(id, name, proves, hazard, WARPS "bf16", "warps_faulty_2x64",                             \
          REQUEST(128, 64, 3, 1, ALONE))
static const struct design warps_faults[] = {
    WARPS_FAULT(0, "mma.sync: control", WHOLE, TMAP_HAZARD_NONE),
    WARPS_FAULT(0, "mma.sync: control, staging", STAGING, TMAP_HAZARD_NONE),
    WARPS_FAULT(1, "mma.sync: no proxy fence before the store", STAGING, TMAP_HAZARD_UNFENCED),
    WARPS_FAULT(8, "mma.sync: panel reused before the store has read it", STAGING,
                TMAP_HAZARD_UNWAITED_STORE),
    WARPS_FAULT(2, "mma.sync: no fence after mbarrier.init", WHOLE, TMAP_HAZARD_UNINITIALIZED),
    WARPS_FAULT(13, "mma.sync: slot given back before it is read", WHOLE, TMAP_HAZARD_OVERWRITE),
    WARPS_FAULT(16, "mma.sync: fragments read before they are there", WHOLE, TMAP_HAZARD_EARLY),
};

static void designs(void **state)
{
    const struct design *d = *state;
    struct tmap_emulate_record *records[RUNS];
    assert_true(emulated_spoiled_ptx(d->source, d->kernel, &d->text));
    if (d->faulty) assert_true(emulated_ptx(faults_ptx));
    take_records(d, records);
    if (d->faulty || d->text.text)
        refute(d, records);
    else
        one(d, records);
    free_records(records);
    emulated_unload();
}

/* Without the PTX a list is skipped, and says so. */
static bool has_ptx(const char *name, const char *source)
{
    const bool has = emulated_ptx(source);
    emulated_unload();
    if (!has) printf("ok 1 # SKIP %s: no PTX of the kernels (nvcc)\n", name);
    return has;
}

static int run(const char *name, int cc_major, const char *faults, const struct design *list,
               size_t count)
{
    struct CMUnitTest tests[32];
    size_t chosen = 0;
    suite = emulated_gemm_suite_for(cc_major, 0);
    if (!suite) return 1;
    emulator = emulated_state();
    faults_ptx = faults;
    if (only && !strstr(name, only)) return 0;
    if (!has_ptx(name, faults ? faults : list[0].source)) return 0;
    for (size_t i = 0; i < count; i++) {
        if (design && strcmp(design, list[i].name) != 0) continue;
        tests[chosen++] =
            (struct CMUnitTest){list[i].name, designs, NULL, NULL, (void *)(uintptr_t)&list[i]};
    }
    const int failed = chosen ? _cmocka_run_group_tests(name, tests, chosen, NULL, NULL) : 0;
    emulated_close();
    return failed;
}

#define COUNT(of) (sizeof(of) / sizeof *(of))

int main(int argc, char **argv)
{
    only = argc > 1 ? argv[1] : NULL;
    design = argc > 2 ? argv[2] : NULL;
    if (!prover_open(&prover, MEGABYTES)) return 1;
    const int failed =
        run("protocols of wgmma", 9, NULL, hopper, COUNT(hopper)) +
        run("faults of wgmma", 9, "tests/device/gemm/faults", hopper_faults, COUNT(hopper_faults)) +
        run("protocols of tensor memory", 10, NULL, tensor, COUNT(tensor)) +
        run("faults of tensor memory", 10, "tests/device/gemm/faults_sm100", tensor_faults,
            COUNT(tensor_faults)) +
        run("protocols of mma.sync", 12, NULL, warps, COUNT(warps)) +
        run("faults of mma.sync", 12, "tests/device/gemm/faults_sm120", warps_faults,
            COUNT(warps_faults));
    prover_close(&prover);
    return failed;
}
