/* 22_paged : one decoding step of two sequences whose K and V lie in pages of 16 tokens, as a page
 * table says: the first sequence's values are ones, the second has no tokens yet.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <dlfcn.h>
#include <stdio.h>
#include <tmap/paged.h>

enum { REQUESTS = 2, HEADS = 8, KV_HEADS = 2, DIM = 64, PAGE = 16, PAGES = 5, TABLE = 3 };

static uint16_t query[REQUESTS * HEADS * DIM], out[REQUESTS * HEADS * DIM];
static uint16_t caches[2][PAGES * PAGE * KV_HEADS * DIM];

int main(void)
{
    static const int32_t lengths[REQUESTS] = {40, 0};
    static const int32_t table[REQUESTS][TABLE] = {{4, 0, 2}, {1, 3, 3}};
    struct tmap_paged *suite = NULL;
    struct tmap_paged_plan plan;
    struct tmap_paged_refusal why;
    struct tmap_paged_problem p = {.kind = TMAP_PAGED_BF16,
                                   .requests = REQUESTS,
                                   .heads = HEADS,
                                   .kv_heads = KV_HEADS,
                                   .dim = DIM,
                                   .pages = PAGES,
                                   .page_size = PAGE,
                                   .table_pages = TABLE};
    char missing[200] = "";
    int wrong = 0;
    if (tmap_paged_open(NULL, &suite, missing, sizeof missing) != TMAP_OK) {
        printf("there is no GPU for it here\n");
        return 0;
    }
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int (*allocate)(uint64_t *, size_t), (*copy)(uint64_t, uint64_t, size_t);
    *(void **)&allocate = dlsym(cuda, "cuMemAlloc_v2");
    *(void **)&copy = dlsym(cuda, "cuMemcpy"); /* host or device, as the addresses say */
    for (int i = 0; i < REQUESTS * HEADS * DIM; i++)
        query[i] = 0x3f80, out[i] = 0xffff; /* 1, NaN */
    for (int i = 0; i < PAGES * PAGE * KV_HEADS * DIM; i++) caches[0][i] = caches[1][i] = 0x3f80;
    allocate(&p.query, sizeof query), copy(p.query, (uintptr_t)query, sizeof query);
    allocate(&p.output, sizeof out), copy(p.output, (uintptr_t)out, sizeof out);
    allocate(&p.k.address, sizeof caches), copy(p.k.address, (uintptr_t)caches, sizeof caches);
    allocate(&p.lengths, sizeof lengths), copy(p.lengths, (uintptr_t)lengths, sizeof lengths);
    allocate(&p.table, sizeof table), copy(p.table, (uintptr_t)table, sizeof table);
    if (tmap_paged_lay_out(&p, TMAP_PAGED_STACKED_NHD) != TMAP_OK) return 1;
    p.k.token_stride += 1; /* as no map can have it */
    if (tmap_paged_make_plan(suite, &p, NULL, &plan, &why) == TMAP_OK) return 1;
    printf("%s\n", why.text);
    p.k.token_stride -= 1;
    if (tmap_paged_make_plan(suite, &p, NULL, &plan, &why) != TMAP_OK) return 1;
    if (tmap_paged_run(&plan, NULL) != TMAP_OK) return 1;
    copy((uintptr_t)out, p.output, sizeof out); /* waits */
    for (int i = 0; i < REQUESTS * HEADS * DIM; i++)
        wrong += out[i] != (i / (HEADS * DIM) == 0 ? 0x3f80 : 0);
    printf("boxes of %u tokens: %d wrong\n", plan.box_tokens, wrong);
    tmap_paged_close(suite);
    return wrong != 0;
}
