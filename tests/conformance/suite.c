/* suite.c : the conformance suite: what a driver answered, and the rules' witnesses, as JSON lines
 * for other projects to test against.
 *
 *   suite CORPUS DIRECTORY     writes DIRECTORY/FEATURE.jsonl; prints what it wrote
 *
 * Of the recorded cases that break the same rules at most MOST_ALIKE are kept, of the accepted ones
 * of a kind MOST_LEGAL, in the order of the record. docs/CONFORMANCE.md says what a line holds. */
#include "io/report/report.h"
#include "io/report/rule.h"
#include "tmap/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ALIKE 24
#define MOST_LEGAL 2500
#define MOST_FEATURES 64
#define VERSION 1

struct suite {
    const char *directory, *gpu, *driver;
    struct tmap_checker contract[4];
    json_t *seen; /* rules -> how many */
    FILE *file[MOST_FEATURES];
    char feature[MOST_FEATURES][48];
    size_t features, cases, differences;
};

static FILE *file_of(struct suite *s, const char *feature)
{
    char path[512];

    for (size_t i = 0; i < s->features; i++)
        if (strcmp(s->feature[i], feature) == 0) return s->file[i];
    if (s->features == MOST_FEATURES) return NULL;
    snprintf(path, sizeof path, "%s/%s.jsonl", s->directory, feature);
    snprintf(s->feature[s->features], sizeof s->feature[0], "%s", feature);
    s->file[s->features] = fopen(path, "w");
    return s->file[s->features++];
}

static const char *const kinds[] = {"tiled", "im2col", "im2col_wide"};

/* "stride", "im2col.pixels": the field that the first violated row blames. */
static void feature_of(const struct suite *s, const struct tmap_desc *desc,
                       const struct tmap_violation *v, size_t found, char out[48])
{
    const bool known = desc->kind >= 0 && desc->kind < 3;
    struct tmap_detail detail;

    if (found == 0) {
        snprintf(out, 48, "legal.%s%s", known ? kinds[desc->kind] : "kind",
                 desc->dtype >= TMAP_16U4_ALIGN8B ? "-packed" : "");
        return;
    }
    memset(&detail, 0, sizeof detail);
    tmap_detail_of(&s->contract[TMAP_CONTRACT_DRIVER].target, desc, NULL, v, &detail);
    snprintf(out, 48, "%s%s%s", known && desc->kind ? kinds[desc->kind] : "",
             known && desc->kind ? "." : "", detail.field ? detail.field : "other");
    for (char *c = out; *c; c++)
        if (*c == ' ' || *c == '/') *c = '_';
}

static json_t *verdicts(const struct suite *s, const struct tmap_desc *desc)
{
    json_t *o = json_object();

    for (int i = 0; i < 4; i++)
        json_object_set_new(o, io_contract_name((enum tmap_contract)i),
                            json_string(io_verdict_name(tmap_verdict_of(&s->contract[i], desc))));
    return o;
}

static json_t *rules_of(const struct tmap_violation *v, size_t found)
{
    json_t *list = json_array();
    const char *last = "";

    for (size_t i = 0; i < found; i++) {
        const char *id = tmap_row_id(v[i].row);
        if (strcmp(id, last) != 0) json_array_append_new(list, json_string(id));
        last = id;
    }
    return list;
}

static json_t *words_of(const struct tmap_map *map)
{
    json_t *list = json_array();
    char text[20];

    for (int i = 0; i < 16; i++) {
        snprintf(text, sizeof text, "0x%016llx", (unsigned long long)map->word[i]);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

/* One line. words may be NULL; evidence is taken. */
static void write_case(struct suite *s, const char *feature, const char *id,
                       const struct tmap_desc *desc, const json_t *rules,
                       const struct tmap_map *words, json_t *evidence)
{
    FILE *out = file_of(s, feature);
    json_t *o =
        json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:O}", "suite", VERSION, "id", id, "feature",
                  feature, "target", io_target_json(&s->contract[TMAP_CONTRACT_DRIVER].target),
                  "case", io_desc_json(desc, NULL), "verdicts", verdicts(s, desc), "rules", rules);
    if (words) json_object_set_new(o, "words", words_of(words));
    json_object_set_new(o, "evidence", evidence);
    if (out) io_print_json(out, o, 0);
    s->cases += out != NULL;
}

/* Whether as many cases like this one are there already. */
static bool enough(struct suite *s, const json_t *rules, const char *feature)
{
    char *key = json_dumps(rules, JSON_COMPACT), text[512];
    const json_t *count;
    json_int_t n;

    snprintf(text, sizeof text, "%s %s", feature, key ? key : "");
    free(key);
    count = json_object_get(s->seen, text);
    n = count ? json_integer_value(count) : 0;
    json_object_set_new(s->seen, text, json_integer(n + 1));
    return n >= (json_array_size(rules) ? MOST_ALIKE : MOST_LEGAL);
}

static void recorded(struct suite *s, const struct tmap_corpus_case *c)
{
    const struct tmap_checker *driver = &s->contract[TMAP_CONTRACT_DRIVER];
    struct tmap_violation v[64];
    enum tmap_verdict verdict;
    size_t found = 0;
    char feature[48], id[32];
    json_t *rules;

    if (c->op != TMAP_CORPUS_ENCODE) return;
    tmap_check_with(driver, &c->desc, v, 64, &found, &verdict);
    s->differences += (verdict == TMAP_LEGAL) != (c->result == 0);
    if (found > 64) found = 64;
    rules = rules_of(v, found);
    feature_of(s, &c->desc, v, found, feature);
    if (!enough(s, rules, feature)) {
        snprintf(id, sizeof id, "r%llu", (unsigned long long)c->number);
        write_case(s, feature, id, &c->desc, rules, c->result == 0 ? &c->map : NULL,
                   json_pack("{s:s, s:s, s:s, s:i}", "source", "driver", "driver", s->driver, "gpu",
                             s->gpu, "result", c->result));
    }
    json_decref(rules);
}

static void corpus(struct suite *s, const char *path)
{
    struct tmap_corpus *corpus = NULL;
    struct tmap_corpus_case c;

    if (tmap_corpus_open(path, &corpus) != TMAP_OK) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    while (tmap_corpus_next(corpus, &c) == TMAP_OK) recorded(s, &c);
    tmap_corpus_close(corpus);
}

/* Both witnesses of a row about the encode call, on the target that they are meant for. */
static void witnesses(struct suite *s, tmap_row row)
{
    const struct suite before = *s;
    struct tmap_violation v[64];
    enum tmap_verdict verdict;

    for (int i = 0; i < 4; i++)
        tmap_checker_prepare(&row_table[row].witness.target, (enum tmap_contract)i,
                             &s->contract[i]);
    for (int legal = 0; legal < 2; legal++) {
        struct tmap_desc desc;
        struct tmap_use use;
        struct pipeline_facts pipeline;
        size_t found = 0;
        char id[32];
        row_witness_make(row, legal, &desc, &use, &pipeline);
        tmap_check_with(&s->contract[TMAP_CONTRACT_SAFE], &desc, v, 64, &found, &verdict);
        snprintf(id, sizeof id, "w%s-%s", row_table[row].id, legal ? "legal" : "illegal");
        json_t *rules = rules_of(v, found > 64 ? 64 : found);
        write_case(s, "witness", id, &desc, rules, NULL,
                   json_pack("{s:s, s:s, s:o}", "source", "rule", "rule", row_table[row].id,
                             "evidence", io_evidence_json(row)));
        json_decref(rules);
    }
    memcpy(s->contract, before.contract, sizeof s->contract);
}

int main(int argc, char **argv)
{
    struct suite s = {.gpu = "NVIDIA H200", .driver = "580.159.04"};
    const struct tmap_target target = tmap_default_target();

    if (argc != 3) return 3;
    s.directory = argv[2];
    s.seen = json_object();
    for (int i = 0; i < 4; i++)
        tmap_checker_prepare(&target, (enum tmap_contract)i, &s.contract[i]);
    corpus(&s, argv[1]);
    for (tmap_row row = SUBJECT_DESC_FIRST; row < SUBJECT_DESC_END; row++) witnesses(&s, row);
    for (size_t i = 0; i < s.features; i++) fclose(s.file[i]);
    json_decref(s.seen);
    printf("%zu cases, %zu features, %zu differences from the rules\n", s.cases, s.features,
           s.differences);
    return s.differences != 0;
}
