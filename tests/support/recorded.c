/* Cases that run on a GPU and on the emulator alike. */
#include "support/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/splitmix.h"

uint64_t recorded_hash(const uint8_t *bytes, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, 64 bits */
    for (size_t i = 0; i < n; i++) h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

static bool because(struct recorded *r, const char *what, int status)
{
    snprintf(r->what, sizeof r->what, "%.120s: %d", what, status);
    return false;
}

/* --- device memory */

uint64_t recorded_there(struct recorded *r, uint64_t host)
{
    if (!r->gpu || host == 0) return host;
    for (size_t i = 0; i < r->mirrors; i++)
        if (host - r->mirror[i].host < r->mirror[i].bytes)
            return r->mirror[i].device + (host - r->mirror[i].host);
    const size_t n = r->mirrors, bytes = emulated_bytes(host);
    if (n == RECORDED_MIRRORS || bytes == 0) return 0;
    r->mirror[n].host = host;
    r->mirror[n].bytes = bytes;
    if (r->gpu->mem_alloc(&r->mirror[n].device, bytes) ||
        r->gpu->memcpy_htod(r->mirror[n].device, (const void *)(uintptr_t)host, bytes))
        return 0;
    r->mirrors++;
    return r->mirror[n].device;
}

/* What the kernel left in an allocation, which the host's copy gets too. */
bool recorded_take(struct recorded *r, uint64_t host)
{
    const size_t bytes = emulated_bytes(host), at = r->bytes;
    void *to = (void *)(uintptr_t)host;
    if (r->gpu &&
        (r->gpu->ctx_synchronize() || r->gpu->memcpy_dtoh(to, recorded_there(r, host), bytes)))
        return because(r, "reading back", 0);
    uint8_t *larger = realloc(r->left, at + bytes);
    if (!larger) return because(r, "memory", 0);
    memcpy(larger + at, to, bytes);
    r->left = larger;
    r->bytes = at + bytes;
    return true;
}

static void begin(struct recorded *r)
{
    r->bytes = 0;
    r->worst = 0;
    r->wrong = 0;
    r->config[0] = r->what[0] = 0;
}

void recorded_forget(struct recorded *r)
{
    while (r->mirrors) r->gpu->mem_free(r->mirror[--r->mirrors].device);
}

void recorded_end(struct recorded *r)
{
    recorded_forget(r);
    free(r->left);
    r->left = NULL;
}

/* --- products */

static struct tmap_gemm_problem shape_of(const struct gemm_instance *g, uint64_t *s)
{
    struct tmap_gemm_problem p = {.kind = g->kind,
                                  .m = 1 + (int32_t)splitmix_below(s, 2 * 64 * (uint32_t)g->wgs),
                                  .n = 1 + (int32_t)splitmix_below(s, 2 * (uint32_t)g->bn),
                                  .k = 1 + (int32_t)splitmix_below(s, 300),
                                  .batch = 1 + (splitmix_below(s, 5) == 0),
                                  .alpha = splitmix_below(s, 4) ? 1 : 0.5f,
                                  .a = {.mn_major = g->a_mn},
                                  .b = {.mn_major = g->b_mn},
                                  .precise = g->promote};
    const bool wide = splitmix_below(s, 2);
    if (g->kind == GEMM_S8) p.alpha = 1;
    p.out = g->kind == GEMM_S8    ? TMAP_GEMM_OUT_S32
            : wide                ? TMAP_GEMM_OUT_F32
            : g->kind == GEMM_F16 ? TMAP_GEMM_OUT_F16
                                  : TMAP_GEMM_OUT_BF16;
    return p;
}

static bool configure(const struct recorded *r, const struct gemm_instance *g,
                      const struct tmap_gemm_problem *p, uint64_t *s, struct tmap_gemm_config *out)
{
    static struct gemm_choice choices[GEMM_MAX_CHOICES];
    const struct tmap_gemm_config request = {
        .tile_m = 64 * g->wgs,
        .tile_n = g->bn,
        .swapped = -1,
        .pingpong = g->pingpong ? 1 : -1,
        .stream_k = !g->pingpong && splitmix_below(s, 3) == 0 ? TMAP_GEMM_STREAM_K_ANY : 0,
        .store_warp = splitmix_below(s, 3) ? 0 : -1};
    size_t n = gemm_enumerate(r->host_gemm, p, &request, choices, GEMM_MAX_CHOICES), of = 0;
    if (n > GEMM_MAX_CHOICES) n = GEMM_MAX_CHOICES;
    for (size_t i = 0; i < n; i++)
        if (choices[i].instance == g) choices[of++] = choices[i];
    if (of == 0) return false;
    *out = choices[splitmix_below(s, (uint32_t)of)].config;
    return true;
}

/* A problem of the instance that a configuration fits. */
static bool draw_product(struct recorded *r, const struct gemm_instance *g, uint64_t seed,
                         struct emulated_product *product, struct tmap_gemm_config *config)
{
    const enum emulated_fill fill =
        seed < RECORDED_SHAPES / 2 ? EMULATED_INTEGERS : EMULATED_NORMAL;
    uint64_t s = (seed + 1) * 0x9e3779b97f4a7c15u;
    for (const char *c = g->name; *c; c++) s = s * 31 + (unsigned char)*c;
    for (int tries = 0; tries < 40; tries++) {
        const struct tmap_gemm_problem p = shape_of(g, &s);
        if (!emulated_product_fill(r->host_gemm, &p, seed, fill, product))
            return because(r, "memory", 0);
        if (configure(r, g, &product->problem, &s, config)) return true;
        emulated_product_free(r->host_gemm, product);
    }
    return because(r, "no configuration", 0);
}

static bool run_product(struct recorded *r, const struct gemm_instance *g,
                        const struct emulated_product *product,
                        const struct tmap_gemm_config *config)
{
    struct tmap_gemm_problem p = product->problem;
    struct tmap_gemm_plan plan;
    struct tmap_gemm_refusal why = {0};
    const uint64_t d = p.d.address;
    p.a.address = recorded_there(r, p.a.address);
    p.b.address = recorded_there(r, p.b.address);
    p.d.address = recorded_there(r, p.d.address);
    enum tmap_status status = tmap_gemm_make_plan(r->gemm, &p, config, &plan, &why);
    if (status != TMAP_OK) return because(r, why.text, status);
    gemm_print_config(r->config, sizeof r->config, config);
    tmap_cu_function own = NULL;
    if (gemm_function(r->gemm, g, &own) != TMAP_OK || plan.function != own)
        return because(r, "another kernel is planned", 0);
    status = tmap_gemm_run(&plan, NULL);
    return status == TMAP_OK ? recorded_take(r, d) : because(r, "run", status);
}

bool recorded_product(struct recorded *r, size_t instance, uint64_t seed, const char *config)
{
    const struct gemm_instance *g = &gemm_instances[instance];
    struct emulated_product product;
    struct tmap_gemm_config how;
    begin(r);
    if (!draw_product(r, g, seed, &product, &how)) return false;
    if (config && strcmp(config, "-") != 0 && gemm_read_config(config, &how) == 0)
        return because(r, "config", 0);
    const bool good = run_product(r, g, &product, &how);
    if (good) r->wrong = emulated_product_wrong(&product);
    if (good) r->worst = emulated_product_worst(&product);
    emulated_product_free(r->host_gemm, &product);
    recorded_forget(r);
    return good;
}

/* --- groups */

enum { MEMBERS = 4 };

static bool draw_group(struct recorded *r, const struct gemm_instance *g, uint64_t seed,
                       struct emulated_product product[MEMBERS], size_t *count)
{
    const enum emulated_fill fill =
        seed < RECORDED_SHAPES / 2 ? EMULATED_INTEGERS : EMULATED_NORMAL;
    uint64_t s = (seed + 1) * 0x9e3779b97f4a7c15u;
    for (const char *c = g->name; *c; c++) s = s * 31 + (unsigned char)*c;
    const struct tmap_gemm_problem like = shape_of(g, &s);
    const size_t members = 1 + splitmix_below(&s, MEMBERS);
    for (*count = 0; *count < members; ++*count) {
        struct tmap_gemm_problem p = shape_of(g, &s);
        p.batch = 1;
        p.alpha = like.alpha;
        p.out = like.out;
        if (!emulated_product_fill(r->host_gemm, &p, seed + *count, fill, &product[*count]))
            return because(r, "memory", 0);
    }
    return true;
}

static bool run_group(struct recorded *r, const struct gemm_instance *g, uint64_t seed,
                      const struct emulated_product *product, size_t count)
{
    struct tmap_gemm_member member[MEMBERS];
    struct tmap_gemm_group group;
    struct tmap_gemm_refusal why = {0};
    const struct tmap_gemm_config request = {.tile_m = 64 * g->wgs,
                                             .tile_n = g->bn,
                                             .swapped = -1,
                                             .cluster_m = 1 + (int32_t)(seed / 2 % 2),
                                             .clusters = 2};
    uint64_t memory, at;
    for (size_t i = 0; i < count; i++) {
        const struct tmap_gemm_problem *p = &product[i].problem;
        member[i] = (struct tmap_gemm_member){.m = p->m,
                                              .n = p->n,
                                              .k = p->k,
                                              .a = recorded_there(r, p->a.address),
                                              .b = recorded_there(r, p->b.address),
                                              .d = recorded_there(r, p->d.address),
                                              .lda = p->a.ld,
                                              .ldb = p->b.ld,
                                              .ldd = p->d.ld};
    }
    if (r->host_gemm->gpu.api.mem_alloc(&memory, tmap_gemm_group_bytes(count)))
        return because(r, "memory", 0);
    at = recorded_there(r, memory);
    struct tmap_gemm_problem like = product->problem;
    like.a.ld = like.b.ld = like.d.ld = 0;
    enum tmap_status status =
        tmap_gemm_make_group(r->gemm, &like, member, count, at, &request, &group, &why);
    if (status == TMAP_OK) status = tmap_gemm_group_run(&group, NULL);
    bool good = status == TMAP_OK || because(r, why.text, status);
    for (size_t i = 0; good && i < count; i++)
        good = recorded_take(r, product[i].problem.d.address);
    r->host_gemm->gpu.api.mem_free(memory);
    return good;
}

bool recorded_group(struct recorded *r, size_t instance, uint64_t seed)
{
    const struct gemm_instance *g = &gemm_group_instances[instance];
    struct emulated_product product[MEMBERS];
    size_t count;
    begin(r);
    if (!draw_group(r, g, seed, product, &count)) return false;
    const bool good = run_group(r, g, seed, product, count);
    for (size_t i = 0; i < count; i++) {
        const double worst = good ? emulated_product_worst(&product[i]) : 0;
        if (good) r->wrong += emulated_product_wrong(&product[i]);
        if (worst > r->worst) r->worst = worst;
        emulated_product_free(r->host_gemm, &product[i]);
    }
    recorded_forget(r);
    return good;
}

/* --- copies */

static const struct {
    int32_t kind;
    uint32_t rank;
    const char *name;
} copy_kinds[] = {{TMAP_COPY_BULK, 1, "bulk"},         {TMAP_COPY_TILE, 1, "tile_1"},
                  {TMAP_COPY_TILE, 2, "tile_2"},       {TMAP_COPY_TILE, 3, "tile_3"},
                  {TMAP_COPY_TILE, 4, "tile_4"},       {TMAP_COPY_TILE, 5, "tile_5"},
                  {TMAP_COPY_ADD, 1, "add_1"},         {TMAP_COPY_ADD, 2, "add_2"},
                  {TMAP_COPY_ADD, 5, "add_5"},         {TMAP_COPY_TRANSPOSE, 2, "transpose"},
                  {TMAP_COPY_IM2COL, 4, "im2col"},     {TMAP_COPY_PAGES, 2, "pages"},
                  {TMAP_COPY_PAGES_AT, 2, "pages_at"}, {TMAP_COPY_BROADCAST, 3, "broadcast"},
                  {TMAP_COPY_LIST, 2, "list"},         {TMAP_COPY_PATCHED, 2, "patched"}};
enum { COPY_KINDS = sizeof copy_kinds / sizeof *copy_kinds };

const char *recorded_copy_name(size_t i)
{
    return i < COPY_KINDS ? copy_kinds[i].name : NULL;
}

static bool run_copy(struct recorded *r, const struct emulated_copy *c)
{
    struct tmap_copy_problem p = c->problem;
    struct tmap_copy_matrix list[sizeof c->list / sizeof *c->list];
    struct tmap_copy_plan plan;
    const uint64_t dst = p.dst;
    p.src = recorded_there(r, p.src);
    p.dst = recorded_there(r, p.dst);
    p.index = recorded_there(r, p.index);
    for (uint32_t i = 0; i < p.list_count; i++)
        list[i] = (struct tmap_copy_matrix){recorded_there(r, c->list[i].src),
                                            recorded_there(r, c->list[i].dst), c->list[i].rows};
    if (p.list_count) p.list = list;
    enum tmap_status status = tmap_copy_make_plan(r->copy, &p, &c->config, &plan, NULL);
    if (status != TMAP_OK) return because(r, "plan", status);
    snprintf(r->config, sizeof r->config, "%s", plan.kernel);
    status = tmap_copy_run(&plan, NULL);
    const bool good = status == TMAP_OK ? recorded_take(r, dst) : because(r, "run", status);
    tmap_copy_release(&plan);
    return good;
}

bool recorded_copy(struct recorded *r, size_t i, uint64_t seed)
{
    struct emulated_copy c;
    begin(r);
    emulated_copy_draw(r->host_copy, copy_kinds[i].kind, copy_kinds[i].rank, seed, &c);
    const bool good = run_copy(r, &c);
    if (good) r->wrong = emulated_copy_wrong(&c) != c.dst_bytes;
    emulated_copy_free(r->host_copy, &c);
    recorded_forget(r);
    return good;
}
