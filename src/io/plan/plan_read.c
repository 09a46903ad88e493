/* plan_read.c : pipelines and pruning problems from JSON. */
#include "io/plan/plan.h"
#include "io/json/read.h"

#include <stdlib.h>
#include <string.h>

static bool number_key(struct io_record *r, const char *key, uint64_t otherwise, uint64_t *out)
{
    const struct io_at at = {r, "$", 0};
    json_t *value = json_object_get(r->json, key);
    *out = otherwise;
    return !value || io_get_u64(&at, key, -1, value, out);
}

static bool small_key(struct io_record *r, const char *key, uint32_t *out)
{
    const struct io_at at = {r, "$", 0};
    json_t *value = json_object_get(r->json, key);
    return !value || io_get_u32(&at, key, -1, value, out);
}

/* A word of ours; NULL where there is none. */
static bool word_key(struct io_record *r, const char *path, const char **out)
{
    const json_t *value = json_object_get(r->json, path + strlen("$."));
    *out = json_string_value(value);
    if (!value || *out) return true;
    return io_fail(r, path, "expected a string, not %s", io_type_name(value));
}

bool io_enum_key(struct io_record *r, const char *key, int which, int32_t otherwise, int32_t *out)
{
    const struct io_at at = {r, "$", 0};
    json_t *value = json_object_get(r->json, key);
    *out = otherwise;
    return !value || io_get_enum(&at, key, value, (enum values)which, out);
}

static bool loads_from(struct io_record *r, struct io_pipeline *p)
{
    json_t *loads = json_object_get(r->json, "loads");
    char path[40];
    const size_t n = json_array_size(loads);
    if (n == 0) return io_fail(r, "$.loads", "expected an array of descriptors");
    p->loads = calloc(n, sizeof *p->loads);
    if (!p->loads) return io_fail(r, "$", "out of memory");
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "$.loads[%zu]", i);
        if (!io_desc_from(r, json_array_get(loads, i), path, 0, &p->loads[i])) return false;
    }
    p->pipeline.loads = p->loads;
    p->pipeline.load_count = n;
    return true;
}

/* "cluster": [CTAs along one direction, and along another]. */
static bool cluster_from(struct io_record *r, struct io_pipeline *p)
{
    json_t *cluster = json_object_get(r->json, "cluster");
    const struct io_at at = {r, "$", 0};
    const size_t n = json_array_size(cluster);
    p->pipeline.cluster[0] = p->pipeline.cluster[1] = 1;
    if (!cluster) return true;
    if (n < 1 || n > 2) return io_fail(r, "$.cluster", "expected one or two numbers of CTAs");
    for (size_t i = 0; i < n; i++)
        if (!io_get_u32(&at, "cluster", (int)i, json_array_get(cluster, i),
                        &p->pipeline.cluster[i]))
            return false;
    if (p->pipeline.cluster[0] == 0 || p->pipeline.cluster[0] > TMAP_PROTOCOL_CTAS ||
        p->pipeline.cluster[1] > TMAP_PROTOCOL_CTAS / p->pipeline.cluster[0] ||
        p->pipeline.cluster[1] == 0)
        return io_fail(r, "$.cluster", "1 to %d CTAs together can be explored", TMAP_PROTOCOL_CTAS);
    return true;
}

/* "shared": for each direction, the numbers of the loads. */
static bool shared_from(struct io_record *r, struct io_pipeline *p)
{
    json_t *shared = json_object_get(r->json, "shared");
    const size_t most = p->pipeline.load_count < 64 ? p->pipeline.load_count : 64;
    if (shared && (json_array_size(shared) < 1 || json_array_size(shared) > 2))
        return io_fail(r, "$.shared", "expected a list of loads for each direction of the cluster");
    for (size_t i = 0; i < json_array_size(shared); i++) {
        char path[40];
        snprintf(path, sizeof path, "$.shared[%zu]", i);
        const struct io_at at = {r, path, 0};
        json_t *list = json_array_get(shared, i);
        if (!json_is_array(list))
            return io_fail(r, path, "expected a list of loads for each direction");
        for (size_t k = 0; k < json_array_size(list); k++) {
            uint32_t load;
            if (!io_get_u32(&at, NULL, (int)k, json_array_get(list, k), &load)) return false;
            if (load >= most || (p->pipeline.shared[1 - i] | p->pipeline.shared[i]) >> load & 1)
                return io_fail(r, path, "%u is no load, or named twice", load);
            p->pipeline.shared[i] |= UINT64_C(1) << load;
        }
    }
    for (int i = 0; i < 2; i++)
        if (p->pipeline.cluster[i] > 1 && !p->pipeline.shared[i])
            return io_fail(r, "$.shared", "the CTAs along direction %d share no load", i);
    return true;
}

/* A protocol by itself: what is said of loads that there are not would not be looked at. */
static bool says_no_more(struct io_record *r)
{
    const char *key;
    json_t *value;
    char path[40];
    json_object_foreach(r->json, key, value)
    {
        if (strcmp(key, "name") == 0 || strcmp(key, "protocol") == 0 || key[0] == '$') continue;
        io_path_of("$", key, -1, path, sizeof path);
        return io_fail(r, path, "needs \"loads\"");
    }
    return true;
}

bool io_pipeline_from(struct io_record *r, struct io_pipeline *p)
{
    static const char *const known[] = {
        "name",          "stages",       "loads",     "store",        "consumers",
        "reserve_bytes", "store_stages", "cta_group", "tmem_columns", "expect_tx",
        "cluster",       "shared",       "mma",       "protocol",     NULL};
    const struct io_at at = {r, "$", 0};
    json_t *store = json_object_get(r->json, "store"), *mma = json_object_get(r->json, "mma");
    memset(p, 0, sizeof *p);
    if (!json_is_object(r->json)) return io_fail(r, "$", "expected an object");
    json_t *protocol = json_object_get(r->json, "protocol");
    if (!io_check_keys(&at, r->json, known)) return false;
    p->own_protocol = protocol != NULL;
    if (protocol) {
        if (!io_protocol_from(r, protocol, &p->protocol)) return false;
        if (!json_object_get(r->json, "loads")) return says_no_more(r);
    }
    if (!loads_from(r, p) || !cluster_from(r, p) || !shared_from(r, p)) return false;
    if (store && json_typeof(store) != JSON_NULL) {
        if (!io_desc_from(r, store, "$.store", 0, &p->store)) return false;
        p->pipeline.store = &p->store;
    }
    if (mma && !io_mma_from(r, mma, &p->pipeline)) return false;
    return small_key(r, "stages", &p->pipeline.stages) &&
           small_key(r, "store_stages", &p->pipeline.store_stages) &&
           small_key(r, "consumers", &p->pipeline.consumers) &&
           small_key(r, "cta_group", &p->pipeline.cta_group) &&
           small_key(r, "tmem_columns", &p->pipeline.tmem_columns) &&
           number_key(r, "reserve_bytes", 0, &p->pipeline.reserve_bytes) &&
           number_key(r, "expect_tx", 0, &p->pipeline.expect_tx);
}

void io_pipeline_free(struct io_pipeline *p)
{
    free(p->loads);
    p->loads = NULL;
}

/* Every configuration has all of these; num_ctas is 1 where it is not said. */
static const char *const words[] = {"BLOCK_M",    "BLOCK_N",   "BLOCK_K",
                                    "num_stages", "num_warps", NULL};

static bool config_from(struct io_record *r, json_t *o, size_t i, struct tmap_config *c)
{
    static const char *const known[] = {"BLOCK_M",   "BLOCK_N",  "BLOCK_K", "num_stages",
                                        "num_warps", "num_ctas", NULL};
    uint32_t *const to[5] = {&c->block_m, &c->block_n, &c->block_k, &c->stages, &c->warps};
    char path[48];
    snprintf(path, sizeof path, "$.configs[%zu]", i);
    const struct io_at at = {r, path, 0};
    if (!json_is_object(o)) return io_fail(r, path, "expected an object");
    if (!io_check_keys(&at, o, known)) return false;
    for (int k = 0; k < 5; k++) {
        json_t *value = json_object_get(o, words[k]);
        if (!value) return io_fail(r, path, "%s is missing", words[k]);
        if (!io_get_u32(&at, words[k], -1, value, to[k])) return false;
    }
    json_t *ctas = json_object_get(o, "num_ctas");
    return !ctas || io_get_u32(&at, "num_ctas", -1, ctas, &c->ctas);
}

static bool list_from(struct io_record *r, json_t *space, int k, struct io_prune *p)
{
    const struct io_at at = {r, "$.space", 0};
    json_t *list = json_object_get(space, words[k]);
    const size_t n = json_array_size(list);
    const uint32_t **const to[5] = {&p->space.block_m, &p->space.block_n, &p->space.block_k,
                                    &p->space.stages, &p->space.warps};
    size_t *const counts[5] = {&p->space.block_m_count, &p->space.block_n_count,
                               &p->space.block_k_count, &p->space.stages_count,
                               &p->space.warps_count};
    if (n == 0) return io_fail(r, "$.space", "%s: expected an array of numbers", words[k]);
    p->lists[k] = calloc(n, sizeof **p->lists);
    if (!p->lists[k]) return io_fail(r, "$", "out of memory");
    for (size_t i = 0; i < n; i++)
        if (!io_get_u32(&at, words[k], (int)i, json_array_get(list, i), &p->lists[k][i]))
            return false;
    *to[k] = p->lists[k];
    *counts[k] = n;
    return true;
}

static bool configs_from(struct io_record *r, struct io_prune *p)
{
    json_t *configs = json_object_get(r->json, "configs");
    json_t *space = json_object_get(r->json, "space");
    if (!configs == !space) return io_fail(r, "$", "expected either configs or space");
    if (space) {
        const struct io_at at = {r, "$.space", 0};
        if (!json_is_object(space)) return io_fail(r, "$.space", "expected an object");
        if (!io_check_keys(&at, space, words)) return false;
        for (int k = 0; k < 5; k++)
            if (!list_from(r, space, k, p)) return false;
        return true;
    }
    p->count = json_array_size(configs);
    if (p->count == 0) return io_fail(r, "$.configs", "expected an array of configurations");
    p->configs = calloc(p->count, sizeof *p->configs);
    if (!p->configs) return io_fail(r, "$", "out of memory");
    for (size_t i = 0; i < p->count; i++)
        if (!config_from(r, json_array_get(configs, i), i, &p->configs[i])) return false;
    return true;
}

bool io_prune_from(struct io_record *r, struct io_prune *p)
{
    static const char *const known[] = {"name",  "op",      "dtype", "out_dtype",    "M", "N", "K",
                                        "model", "configs", "space", "accumulators", NULL};
    const struct io_at at = {r, "$", 0};
    memset(p, 0, sizeof *p);
    if (!json_is_object(r->json)) return io_fail(r, "$", "expected an object");
    if (!io_check_keys(&at, r->json, known)) return false;
    const char *op, *model;
    if (!word_key(r, "$.op", &op) || !word_key(r, "$.model", &model)) return false;
    if (op && strcmp(op, "gemm")) return io_fail(r, "$.op", "only gemm is known");
    while (model && tmap_model_name(p->problem.model) &&
           strcmp(model, tmap_model_name(p->problem.model)))
        p->problem.model++;
    if (!tmap_model_name(p->problem.model)) return io_fail(r, "$.model", "ring, triton or tcgen05");
    if (!json_object_get(r->json, "dtype")) return io_fail(r, "$", "dtype is missing");
    return io_enum_key(r, "dtype", VALUES_DTYPE, 0, &p->problem.dtype) &&
           io_enum_key(r, "out_dtype", VALUES_DTYPE, TMAP_BFLOAT16, &p->problem.out_dtype) &&
           number_key(r, "M", 4096, &p->problem.m) && number_key(r, "N", 4096, &p->problem.n) &&
           number_key(r, "K", 4096, &p->problem.k) &&
           small_key(r, "accumulators", &p->problem.accumulators) && configs_from(r, p);
}

void io_prune_free(struct io_prune *p)
{
    for (int k = 0; k < 5; k++) free(p->lists[k]);
    free(p->configs);
}
