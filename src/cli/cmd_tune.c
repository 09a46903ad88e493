/* cmd_tune.c : the best configuration of matrix products, by trial or by the cost model. */
#include "cli/each.h"
#include "cli/shard.h"
#include "io/report/outside.h"
#include "io/report/report.h"
#include "io/report/suggest.h"
#include "kernels/gemm/trial.h"

#include <string.h>

enum { MOST_TRIED = 64 };

struct tune {
    struct cli *cli;
    struct tmap_gemm *suite; /* NULL: by the model */
    gemm_tuner *tuner;
    uint64_t most;
};

static const struct {
    const char *word;
    int32_t out;
} kinds[] = {
#define KIND(word, NAME, element_bits, a, b, dtype, result, ...) {#word, TMAP_GEMM_OUT_##result},
#include "kernels/gemm/kinds.def"
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static const char *const kind_words[] = {
#define KIND(word, NAME, element_bits, a, b, dtype, result, ...) #word,
#include "kernels/gemm/kinds.def"
};
static const char *const outs[] = {"bf16", "f16", "f32", "s32"};

/* An error of a key whose value is none of the words: they are named, and which is near. */
static bool none_of(struct io_record *record, const char *key, const char *const *words, size_t n)
{
    const json_t *value = json_object_get(record->json, key);
    struct io_suggestion near = {.wanted = json_string_value(value)};
    char path[16], all[IO_ERROR_SIZE / 2] = "", meant[64];
    size_t used = 0;

    snprintf(path, sizeof path, "$.%s", key);
    for (size_t i = 0; i < n; i++) {
        used = io_list(all, sizeof all, used, i, n, words[i]);
        if (near.wanted) io_suggest(&near, words[i]);
    }
    if (!value) return io_fail(record, path, "missing: %s", all);
    if (!near.wanted) return io_fail(record, path, "expected a name: %s", all);
    return io_fail(record, path, "expected %s, not '%.24s'%s", all, near.wanted,
                   io_meant(&near, meant, sizeof meant));
}

static bool kind_of(struct io_record *record, int32_t *out)
{
    const char *text = json_string_value(json_object_get(record->json, "kind"));

    for (*out = 0; text && *out < KINDS; ++*out)
        if (strcmp(text, kinds[*out].word) == 0) return true;
    return none_of(record, "kind", kind_words, KINDS);
}

static bool out_of(struct io_record *record, int32_t kind, int32_t *out)
{
    const json_t *value = json_object_get(record->json, "out");
    const char *text = json_string_value(value);

    *out = kinds[kind].out;
    if (!value) return true;
    for (*out = 0; text && *out < 4; ++*out)
        if (strcmp(text, outs[*out]) == 0) return true;
    return none_of(record, "out", outs, 4);
}

static bool flag(struct io_record *record, const char *key, const char *path, bool *out)
{
    const json_t *value = json_object_get(record->json, key);

    if (value && !json_is_boolean(value)) return io_fail(record, path, "expected true or false");
    *out = json_is_true(value);
    return true;
}

/* {"kind":"bf16", "m":4096, "n":4096, "k":4096, "batch":1, "out":"bf16", ...} */
static bool read_product(struct io_record *record, struct tmap_gemm_problem *p)
{
    static const char *const keys[] = {"name",       "kind",       "m",       "n",
                                       "k",          "batch",      "out",     "a_mn_major",
                                       "b_mn_major", "d_mn_major", "precise", NULL};
    const struct io_at at = {.record = record, .path = "$"};
    struct {
        const char *key;
        int32_t *to;
    } const sizes[] = {{"m", &p->m}, {"n", &p->n}, {"k", &p->k}, {"batch", &p->batch}};

    *p = (struct tmap_gemm_problem){.batch = 1, .alpha = 1};
    const json_t *name = json_object_get(record->json, "name");
    if (name && !json_is_string(name)) return io_fail(record, "$.name", "expected a string");
    if (!io_check_keys(&at, record->json, keys) || !kind_of(record, &p->kind) ||
        !out_of(record, p->kind, &p->out))
        return false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        json_t *value = json_object_get(record->json, sizes[i].key);
        if (!value && i == 3) continue;
        if (!value) return io_fail(record, "$", "missing \"%s\"", sizes[i].key);
        if (!io_get_i32(&at, sizes[i].key, -1, value, sizes[i].to)) return false;
    }
    return flag(record, "a_mn_major", "$.a_mn_major", &p->a.mn_major) &&
           flag(record, "b_mn_major", "$.b_mn_major", &p->b.mn_major) &&
           flag(record, "d_mn_major", "$.d_mn_major", &p->d.mn_major) &&
           flag(record, "precise", "$.precise", &p->precise);
}

static json_t *config_json(const struct tmap_gemm_config *c)
{
    json_t *out = json_object();
#define CONFIG(member, low, high)                                                                  \
    if (c->member) json_object_set_new(out, #member, json_integer(c->member));
#include "kernels/gemm/bounds.def"
    return out;
}

/* docs/schema/tune-line.json */
static json_t *product_json(const struct tune *t, const struct io_record *record,
                            const struct tmap_gemm_problem *p)
{
    const json_t *name = json_object_get(record->json, "name");
    return json_pack("{s:s?, s:s, s:i, s:i, s:i, s:i, s:s, s:s}", "name", json_string_value(name),
                     "kind", kinds[p->kind].word, "m", p->m, "n", p->n, "k", p->k, "batch",
                     p->batch, "out", outs[p->out], "by", t->suite ? "trial" : "model");
}

static void print_text(json_t *answer)
{
    const char *name = json_string_value(json_object_get(answer, "name")), *key;
    const json_t *config = json_object_get(answer, "config");
    json_t *value;
    const char *lead = ": ";

    if (name) io_put(stdout, name), fputs(": ", stdout);
    printf("%s %lld x %lld x %lld", json_string_value(json_object_get(answer, "kind")),
           json_integer_value(json_object_get(answer, "m")),
           json_integer_value(json_object_get(answer, "n")),
           json_integer_value(json_object_get(answer, "k")));
    if (!config) {
        printf(": none: %s\n", json_string_value(json_object_get(answer, "none")));
        return;
    }
    json_object_foreach((json_t *)config, key, value)
    {
        printf("%s%s %lld", lead, key, json_integer_value(value));
        lead = ", ";
    }
    printf("; %.1f us by the model\n", json_real_value(json_object_get(answer, "cost_us")));
}

static double hundredths(double x)
{
    return (double)(int64_t)(x * 100 + 0.5) / 100;
}

static enum cli_exit tune_record(void *user, const struct io_stream *stream,
                                 struct io_record *record)
{
    struct tune *t = user;
    struct tmap_gemm_problem problem;
    struct tmap_gemm_config config = {0};
    struct tmap_gemm_refusal refusal = {.text = ""};
    double cost_us = 0;
    (void)stream;

    if (!read_product(record, &problem)) return cli_unreadable(t->cli, record);
    const enum tmap_status status =
        t->suite ? gemm_by_trial(t->suite, t->tuner, &problem, (size_t)t->most,
                                 cli_get(t->cli, "cache"), &config, &cost_us, &refusal)
                 : gemm_by_model(&problem, &config, &cost_us, &refusal);
    const bool none = status == TMAP_E_NO_PLAN || status == TMAP_E_ILLEGAL ||
                      (status == TMAP_E_ARGUMENT && refusal.text[0]);
    if (status != TMAP_OK && !none) return cli_status(t->cli, status, "tune");
    json_t *answer = product_json(t, record, &problem);
    if (none) {
        json_object_set_new(answer, "none", json_string(refusal.text));
    } else {
        json_object_set_new(answer, "config", config_json(&config));
        json_object_set_new(answer, "cost_us", json_real(hundredths(cost_us)));
    }
    if (t->cli->format == IO_TEXT)
        print_text(answer), json_decref(answer);
    else
        io_print_json(stdout, answer, cli_indent(t->cli));
    return none ? CLI_ILLEGAL : CLI_OK;
}

static enum cli_exit run(struct cli *cli)
{
    struct tune t = {
        .cli = cli, .tuner = cli_has(cli, "sustained") ? tmap_gemm_tune_sustained : tmap_gemm_tune};
    char why[256] = "";
    int32_t device;

    if (!cli_number_in(cli, "most", GEMM_TRIALS, 1, MOST_TRIED, &t.most) ||
        !cli_device(cli, &device))
        return CLI_USAGE;
    if (cli_has(cli, "model") && cli_has(cli, "sustained"))
        return cli_usage(cli, "--sustained is by trial, and --model asks no GPU");
    if (!cli_has(cli, "model")) {
        const struct tmap_open how = {.ordinal = device};
        const enum tmap_status status = tmap_gemm_open(&how, &t.suite, why, sizeof why);
        if (why[0]) cli_message(cli, "%s; --model asks no GPU", why);
        if (status != TMAP_OK) return cli_status(cli, status, "tune");
    }
    cli_each(cli, CLI_EACH_SHARD, tune_record, &t);
    tmap_gemm_close(t.suite);
    return CLI_OK;
}

static const struct cli_option options[] = {
    CLI_SHARD_OPTION,
    {"cache", 0, "FILE", "earlier choices: read first, and added to as each is made"},
    {"model", 0, NULL, "what the cost model ranks first on an H200; no GPU is asked"},
    {"sustained", 0, NULL, "for a GPU at its power limit, as in training: 3 to 10 s a product"},
    {"most", 'n', "N", "try the first N by the model (48)"},
    {"device", 0, "NUMBER", "which GPU (0)"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_tune = {
    .name = "tune",
    .summary = "the quickest configuration of matrix products, by trial on a GPU or by the model",
    .operands = "[OPTION...] [FILE...]",
    .examples = "  tmap tune --cache h200.tune shapes.json      time them, remember each choice\n"
                "  tmap tune --sustained shapes.json            for a GPU that is never idle\n"
                "  tmap tune --model shapes.json                without a GPU\n"
                "  tmap tune -f jsonl --shard 3/8 --cache part-3.tune shapes.json\n",
    .about =
        "A product: {\"kind\":\"bf16\", \"m\":4096, \"n\":4096, \"k\":4096}, and if wanted "
        "\"name\", "
        "\"batch\",\n"
        "\"out\", \"precise\", \"a_mn_major\", \"b_mn_major\", \"d_mn_major\". Operands are random "
        "bits. A product\n"
        "that the cache has is not timed again, so that a part that was cut off is done again from "
        "where\n"
        "it was. Exit code 1: some product has no kernel.\n",
    .groups = CLI_FORMAT,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
