/* kernels_gemm.c : each kind of product on a few shapes, against plain sums on the same device. */
#include "cli/kernels_gemm.h"

#include "io/report/report.h"
#include "tmap/kernels.h"

static const struct {
    const char *name;
    int32_t kind, out;
    const char *bench; /* bench/gemm's word for it */
    bool later;        /* of two types or with scale factors: after Hopper */
} cases[] = {
#define KIND(word, NAME, element_bits, a, b, dtype, result, ...)                                   \
    {"gemm " #word, TMAP_GEMM_##NAME, TMAP_GEMM_OUT_##result, #word,                               \
     (int)TMAP_GEMM_##NAME > (int)TMAP_GEMM_S8},
#include "kernels/gemm/kinds.def"
};

/* Square, ragged, and few rows over a long K. */
static const int32_t shapes[][3] = {{1024, 1024, 1024}, {200, 1000, 528}, {16, 2048, 4096}};

const char *cli_gemm_case(size_t i)
{
    return i < sizeof cases / sizeof cases[0] ? cases[i].name : NULL;
}

static enum tmap_status verify(struct tmap_gemm *suite, size_t i, size_t shape, int32_t fill,
                               struct tmap_gemm_outcome *o)
{
    const int32_t *mnk = shapes[shape];
    struct tmap_gemm_case what = {.problem = {.kind = cases[i].kind,
                                              .out = cases[i].out,
                                              .m = mnk[0],
                                              .n = mnk[1],
                                              .k = mnk[2],
                                              .batch = 1,
                                              .alpha = 1,
                                              .precise = true},
                                  .fill_a = fill,
                                  .fill_b = fill,
                                  .seed = shape + 1};
    const enum tmap_status status = tmap_gemm_verify(suite, &what, o);
    if (status != TMAP_E_NO_PLAN) return status;
    what.problem.precise = false; /* only Hopper promotes sums */
    return tmap_gemm_verify(suite, &what, o);
}

/* A case's answer, or why it has none on this device. */
static void print(const struct cli *cli, size_t i, const char *answer, const char *none)
{
    if (cli->format == IO_TEXT && none)
        printf("%-22s %-17s none here: %s\n", cases[i].name, "tensor cores", none);
    else if (cli->format == IO_TEXT)
        printf("%-22s %-17s %s\n", cases[i].name, "tensor cores", answer);
    else if (none)
        io_print_json(stdout, json_pack("{s:s, s:s}", "case", cases[i].name, "none", none),
                      cli_indent(cli));
    else
        io_print_json(stdout,
                      json_pack("{s:s, s:s, s:b}", "case", cases[i].name, "kernel", "tensor cores",
                                "right", answer[0] == 'r'),
                      cli_indent(cli));
}

static enum cli_exit verify_all(struct cli *cli, struct tmap_gemm *suite, size_t i)
{
    static const int32_t fills[] = {TMAP_GEMM_FILL_SIGNS, TMAP_GEMM_FILL_NORMAL};
    uint64_t checked = 0, wrong = 0;
    for (size_t k = 0; k < 2 * sizeof shapes / sizeof shapes[0]; k++) {
        struct tmap_gemm_outcome o;
        const enum tmap_status s = verify(suite, i, k / 2, fills[k % 2], &o);
        if (s == TMAP_E_NO_PLAN && cases[i].later) {
            print(cli, i, NULL, o.refusal.text);
            return CLI_OK;
        }
        if (s != TMAP_OK) return cli_status(cli, s, cases[i].name);
        checked += o.checked;
        wrong += o.wrong + o.guard_wrong + o.rerun_wrong;
    }
    print(cli, i, wrong ? "WRONG" : "right", NULL);
    if (wrong)
        cli_message(cli, "%s: %llu of %llu elements are wrong", cases[i].name,
                    (unsigned long long)wrong, (unsigned long long)checked);
    return wrong ? CLI_ILLEGAL : CLI_OK;
}

enum cli_exit cli_gemm_verify(struct cli *cli, int device, size_t i)
{
    struct tmap_gemm *suite = NULL;
    char why[256] = "";
    const struct tmap_open how = {.ordinal = device, .watchdog_ms = CLI_WATCHDOG_MS};
    const enum tmap_status s = tmap_gemm_open(&how, &suite, why, sizeof why);
    if (s != TMAP_OK) {
        if (why[0]) cli_message(cli, "%s", why);
        return cli_status(cli, s, "kernels");
    }
    const enum cli_exit answer = verify_all(cli, suite, i);
    tmap_gemm_close(suite);
    return answer;
}

void cli_gemm_bench(const struct cli *cli, size_t i)
{
    if (cli->format != IO_TEXT) return;
    printf("%-22s timed beside cublasLt by build/bench/gemm/gemm compare core %s OUT\n",
           cases[i].name, cases[i].bench);
}
