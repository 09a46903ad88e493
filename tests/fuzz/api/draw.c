/* draw.c : arguments. */
#include "fuzz/api/api.h"

#include "driver/rng.h"
#include "support/vectors.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 * TMAP_ROW_WORDS, SPOIL = 0x5a };

static struct vector_plan vectors[ROWS];

void draw_prepare(void)
{
    for (size_t i = 0; i < tmap_row_count() && i < ROWS; i++)
        vectors[i] = vector_plan_of((tmap_row)i);
}

uint64_t draw(struct world *w)
{
    if (w->drawn == w->draws) return 0;
    w->drawn++;
    return rng_step(&w->random);
}

uint32_t draw_below(struct world *w, uint32_t n)
{
    return (uint32_t)(draw(w) % n);
}

bool draw_one_in(struct world *w, uint32_t n)
{
    return draw_below(w, n) == n - 1;
}

uint64_t draw_edge(struct world *w)
{
    const uint64_t power = UINT64_C(1) << draw_below(w, 64);
    switch (draw_below(w, 8)) {
    case 0:
        return draw_below(w, 20);
    case 1:
        return power - 1;
    case 2:
        return power;
    case 3:
        return power + 1;
    case 4:
        return ~power;
    case 5:
        return 0 - power;
    case 6:
        return power * 3;
    default:
        return draw(w);
    }
}

size_t draw_cap(struct world *w, size_t most)
{
    return draw_one_in(w, 4) ? draw_below(w, (uint32_t)most + 1) : most;
}

void draw_target(struct world *w, struct tmap_target *out)
{
    static const uint32_t toolkits[] = {1300, 1208, 1200, 1202, 1205, 1206, 1302, 1304},
                          ptx[] = {90, 80, 83, 86, 87, 88, 92, 94},
                          drivers[] = {580, 525, 550, 570};
    *out = tmap_default_target();
    if (!draw_one_in(w, 3)) return;
    size_t n = 0;
    while (tmap_arch_at(n)) n++;
    out->cuda = toolkits[draw_below(w, 8)];
    out->ptx = ptx[draw_below(w, 8)];
    out->driver = drivers[draw_below(w, 4)];
    if (draw_one_in(w, 2)) out->arch = tmap_arch_at(draw_below(w, (uint32_t)n));
    if (draw_one_in(w, 8)) out->arch = (uint32_t)draw_edge(w);
    if (draw_one_in(w, 8)) out->cuda = (uint32_t)draw_edge(w);
    if (draw_one_in(w, 8)) out->ptx = (uint32_t)draw_edge(w);
    if (draw_one_in(w, 8)) out->driver = (uint32_t)draw_edge(w);
}

static const struct tmap_desc plain = {.dtype = TMAP_BFLOAT16,
                                       .rank = 2,
                                       .address = 0x7f0000000000,
                                       .dim = {64, 64},
                                       .stride_bytes = {128},
                                       .box = {64, 64},
                                       .elem_stride = {1, 1, 1, 1, 1}};

/* Beside a bound of a row: the row's witnesses and what vectors.c makes of them. */
static void draw_vector(struct world *w, struct vector *v)
{
    const struct vector_plan *p = &vectors[draw_below(w, (uint32_t)tmap_row_count())];
    vector_make(p, draw_one_in(w, 4) ? draw_below(w, 2) : draw_below(w, VECTORS_PER_ROW), v);
}

/* A tensor in row order, whatever it is otherwise. */
static void draw_packed(struct world *w, struct tmap_desc *d)
{
    static const uint32_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 1, 1, 1};
    uint64_t stride;
    *d = plain;
    d->dtype = (int32_t)draw_below(w, 16);
    d->rank = 1 + draw_below(w, 5);
    d->swizzle = (int32_t)draw_below(w, 4);
    stride = bytes[d->dtype];
    for (uint32_t i = 0; i < d->rank; i++) {
        d->dim[i] = 1 + (draw_one_in(w, 4) ? draw_below(w, 5000) : draw_below(w, 64) * 8);
        d->box[i] = 1 + draw_below(w, draw_one_in(w, 4) ? 256 : 16) * (i == 0 ? 8 : 1);
        if (draw_one_in(w, 8)) d->elem_stride[i] = 1 + draw_below(w, 8);
        stride *= d->dim[i];
        if (i < 4) d->stride_bytes[i] = draw_one_in(w, 4) ? stride : (stride + 15) / 16 * 16;
    }
}

void draw_word(struct world *w, void *of, size_t bytes)
{
    const uint32_t value = (uint32_t)draw_edge(w);
    memcpy((char *)of + 4 * draw_below(w, (uint32_t)(bytes / 4)), &value, sizeof value);
}

/* One of the members that the fields table does not number; any value is one that a caller can
 * give. */
static void change_one(struct world *w, struct tmap_desc *d)
{
    uint64_t *const longs[] = {&d->address,     &d->dim[0],          &d->dim[1],
                               &d->dim[4],      &d->stride_bytes[0], &d->stride_bytes[3],
                               &d->map_address, &d->allocation_base, &d->allocation_bytes};
    if (draw_one_in(w, 2))
        *longs[draw_below(w, 9)] = draw_edge(w);
    else
        draw_word(w, d, sizeof *d);
}

void draw_desc(struct world *w, struct tmap_desc *out)
{
    struct vector v;
    switch (draw_below(w, 6)) {
    case 0:
        *out = plain;
        break;
    case 1:
    case 2:
        draw_vector(w, &v);
        *out = v.desc;
        break;
    case 3:
        *out = w->desc[draw_below(w, SLOTS)];
        break;
    default:
        draw_packed(w, out);
    }
    while (draw_one_in(w, 3)) change_one(w, out);
}

void draw_use(struct world *w, struct tmap_use *out)
{
    struct vector v;
    memset(out, 0, sizeof *out);
    if (draw_one_in(w, 2)) {
        draw_vector(w, &v);
        *out = v.use;
    } else {
        out->op = draw_below(w, 16);
        out->flags = draw_below(w, 64);
        out->coord_count = draw_below(w, 6);
        for (int i = 0; i < TMAP_MAX_RANK; i++)
            out->coord[i] = (int32_t)draw_below(w, 256) * 16 - 64;
        out->smem = draw_below(w, 64) * UINT64_C(128);
    }
    while (draw_one_in(w, 4)) draw_word(w, out, sizeof *out);
}

void draw_request(struct world *w, struct tmap_request *out)
{
    memset(out, 0, sizeof *out);
    out->op = draw_one_in(w, 8) ? (uint32_t)draw_edge(w) : draw_below(w, 2);
    for (int i = 0; i < TMAP_MAX_RANK; i++)
        if (draw_one_in(w, 3)) out->grain[i] = draw_edge(w);
    out->keep_swizzle = draw_one_in(w, 4);
    out->no_copy = draw_one_in(w, 4);
    out->no_im2col = draw_one_in(w, 4);
    out->any_layout = draw_one_in(w, 4);
    out->consumer = draw_one_in(w, 8) ? (uint32_t)draw_edge(w) : draw_below(w, 4);
    out->major = draw_below(w, 2);
}

const char *draw_text(struct world *w)
{
    static const char *const texts[] = {"K",
                                        "2*K",
                                        "K + 8",
                                        "H*D",
                                        "ceildiv(K, 8)",
                                        "K/2",
                                        "0",
                                        "-1",
                                        "0x80000000",
                                        "9223372036854775807",
                                        "18446744073709551616",
                                        "K*K*K",
                                        "(",
                                        "K K",
                                        "",
                                        "sm_90a",
                                        "sm_100a",
                                        "12.4",
                                        "8.4",
                                        "550",
                                        "TMA014",
                                        "stride_multiple_16",
                                        "13.0",
                                        "N",
                                        "K % 8 == 0",
                                        "1 <= N",
                                        "K <= 4096 and N >= 1",
                                        "K == 2*N",
                                        "0 <= K <= 65536",
                                        "(K % 16 == 0 or N == 1) and K > 0",
                                        "K < 0 and K > 0",
                                        "\xff\xfe",
                                        "a\nb",
                                        "999999999999999999999999999999",
                                        "ceildiv(K, 0)",
                                        "K//-2",
                                        "K*9223372036854775807"};
    return texts[draw_below(w, sizeof texts / sizeof *texts)];
}

struct tmap_desc *a_desc(struct world *w)
{
    struct tmap_desc *d = &w->desc[draw_below(w, SLOTS)];
    if (draw_below(w, 2)) draw_desc(w, d);
    return d;
}

struct tmap_checker *a_checker(struct world *w)
{
    return &w->checker[draw_below(w, SLOTS)];
}

void *maybe(struct world *w, void *p)
{
    return draw_one_in(w, 40) ? NULL : p;
}

void spoil(void *p, size_t bytes)
{
    memset(p, SPOIL, bytes);
}

bool spoiled(const void *p, size_t bytes)
{
    const unsigned char *at = p;
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != SPOIL) return false;
    return true;
}

/* --- the world ---------------------------------------------------------------------------------
 */

void world_open(struct world *w)
{
    memset(w, 0, sizeof *w);
    w->workspace = malloc(TMAP_REPAIR_WORKSPACE);
    w->text = malloc(TEXTS);
    if (!w->workspace || !w->text) abort();
}

void world_reset(struct world *w)
{
    const struct tmap_target target = tmap_default_target();
    tmap_condition_free(w->condition);
    tmap_symbolic_close(w->symbolic);
    tmap_emulate_free(w->module);
    w->condition = NULL;
    w->symbolic = NULL;
    w->module = NULL;
    memset(w->map, 0, sizeof w->map);
    memset(w->plan, 0, sizeof w->plan);
    memset(w->use, 0, sizeof w->use);
    memset(&w->request, 0, sizeof w->request);
    for (int i = 0; i < SLOTS; i++) {
        w->desc[i] = plain;
        tmap_checker_prepare(&target, (enum tmap_contract)(i % 4), &w->checker[i]);
    }
}

void world_close(struct world *w)
{
    world_reset(w);
    free(w->workspace);
    free(w->text);
}
