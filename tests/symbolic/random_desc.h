/* random_desc.h : random symbolic descriptors. */
#ifndef TESTS_SYMBOLIC_RANDOM_DESC_H
#define TESTS_SYMBOLIC_RANDOM_DESC_H

#include "symbolic/cases.h"

enum { RANDOM_TEXTS = 24, RANDOM_TEXT_SIZE = 40 };

struct random_symbolic {
    struct tmap_symbolic_desc d;
    struct tmap_symbolic_use use[2];
    char text[RANDOM_TEXTS][RANDOM_TEXT_SIZE];
    size_t n_text;
    int params;
};

static inline uint64_t below(uint64_t *random, uint64_t n)
{
    return (next_random(random) >> 20) % n;
}

/* An expression over at most m.params parameters P0, P1, … */
static inline const char *random_expression(struct random_symbolic *m, uint64_t *random)
{
    char *text = m->text[m->n_text++];
    int p = (int)below(random, (uint64_t)m->params), q = (int)below(random, (uint64_t)m->params);
    int c = 1 << below(random, 6), k = (int)below(random, 40) - 8;
    switch (below(random, 9)) {
    case 0:
    case 1:
        snprintf(text, RANDOM_TEXT_SIZE, "P%d", p);
        break;
    case 2:
        snprintf(text, RANDOM_TEXT_SIZE, "%d*P%d", c, p);
        break;
    case 3:
        snprintf(text, RANDOM_TEXT_SIZE, "%d*P%d + %d", c, p, k);
        break;
    case 4:
        snprintf(text, RANDOM_TEXT_SIZE, "P%d + P%d", p, q);
        break;
    case 5:
        snprintf(text, RANDOM_TEXT_SIZE, "%d*P%d*P%d", c, p, q);
        break;
    case 6:
        snprintf(text, RANDOM_TEXT_SIZE, "%d*min(P%d, %d)", c, p, 64 + k);
        break;
    case 7:
        snprintf(text, RANDOM_TEXT_SIZE, "max(P%d/%d, P%d)", p, c, q);
        break;
    default:
        snprintf(text, RANDOM_TEXT_SIZE, "%d*(P%d - %d*P%d)", c, p, 1 + k % 3, q);
        break;
    }
    return text;
}

static inline void random_text(struct random_symbolic *m, uint64_t *random, const char **slot,
                               unsigned chance)
{
    if (m->n_text < RANDOM_TEXTS && below(random, 100) < chance)
        *slot = random_expression(m, random);
}

static inline void random_tiled(struct random_symbolic *m, uint64_t *random)
{
    struct tmap_desc *d = &m->d.desc;
    for (uint32_t i = 0; i < d->rank; i++) {
        d->box[i] = i ? 1u + (uint32_t)below(random, 16) : 16u << below(random, 3);
        random_text(m, random, &m->d.box[i], 12);
    }
}

static inline void random_im2col(struct random_symbolic *m, uint64_t *random)
{
    struct tmap_desc *d = &m->d.desc;
    d->channels = 16u << below(random, 3);
    d->pixels = 1u + (uint32_t)below(random, 200);
    random_text(m, random, &m->d.channels, 15);
    random_text(m, random, &m->d.pixels, 15);
    for (int i = 0; i < 3; i++) {
        d->lower[i] = -(int32_t)below(random, 4);
        d->upper[i] = -(int32_t)below(random, 4);
        random_text(m, random, &m->d.lower[i], 15);
        random_text(m, random, &m->d.upper[i], 15);
    }
}

static inline void random_desc(struct random_symbolic *m, uint64_t *random)
{
    static const int32_t swizzles[] = {0, 0, 1, 2, 3, 3};
    struct tmap_desc *d = &m->d.desc;
    memset(m, 0, sizeof *m);
    m->params = 1 + (int)below(random, 4);
    d->kind = (int32_t)(below(random, 4) == 0);
    d->rank = d->kind ? 3u + (uint32_t)below(random, 3) : 1u + (uint32_t)below(random, 5);
    d->dtype = (int32_t)below(random, 13);
    d->swizzle = swizzles[below(random, 6)];
    d->address = below(random, 1000) * 32;
    if (d->rank > 2 && below(random, 8) == 0) d->interleave = 1 + (int32_t)below(random, 2);
    for (uint32_t i = 0; i < d->rank; i++) {
        d->dim[i] = 1 + below(random, 5000);
        d->elem_stride[i] = below(random, 6) ? 1 : 1u + (uint32_t)below(random, 4);
        random_text(m, random, &m->d.dim[i], 50);
        random_text(m, random, &m->d.elem_stride[i], 4);
        if (i + 1 < d->rank) d->stride_bytes[i] = (1 + below(random, 5000)) * 32;
        if (i + 1 < d->rank) random_text(m, random, &m->d.stride[i], 50);
    }
    random_text(m, random, &m->d.address, 5);
    if (d->kind) {
        random_im2col(m, random);
    } else {
        random_tiled(m, random);
    }
}

/* The memory that there is: about as much as the tensor takes, or anything. */
static inline void random_memory(struct random_symbolic *m, uint64_t *random)
{
    struct tmap_desc *d = &m->d.desc;
    const uint64_t rows = d->rank > 1 ? d->stride_bytes[d->rank - 2] : 2;
    d->flags |= TMAP_HAS_ALLOCATION;
    d->allocation_base = below(random, 4) ? d->address : d->address - below(random, 2000) * 8;
    d->allocation_bytes = rows * (1 + below(random, 2 * d->dim[d->rank - 1])) + below(random, 64);
    if (below(random, 8) == 0) d->allocation_bytes = UINT64_MAX - below(random, 3);
    random_text(m, random, &m->d.allocation_bytes, 40);
    random_text(m, random, &m->d.allocation_base, 10);
}

/* Values that enumerations do not have, kinds and types that few targets know, sizes of nothing:
 * where rules that others need do not hold. */
static inline void random_spoil(struct random_symbolic *m, uint64_t *random)
{
    struct tmap_desc *d = &m->d.desc;
    switch (below(random, 12)) {
    case 0:
        d->dtype = (int32_t)below(random, 20) - 2;
        break;
    case 1:
        d->kind = (int32_t)below(random, 5) - 1;
        break;
    case 2:
        d->swizzle = (int32_t)below(random, 10) - 1;
        break;
    case 3:
        d->interleave = (int32_t)below(random, 5) - 1;
        break;
    case 4:
        d->rank = (uint32_t)below(random, 8);
        break;
    case 5:
        d->dim[below(random, 5)] = below(random, 2) << 40;
        break;
    case 6:
        d->elem_stride[below(random, 5)] = (uint32_t)below(random, 10);
        break;
    case 7:
        d->oob_fill = (int32_t)below(random, 3);
        d->l2_promotion = (int32_t)below(random, 6) - 1;
        break;
    case 8:
        d->mode = (int32_t)below(random, 3);
        d->kind = TMAP_IM2COL_WIDE;
        break;
    default:
        break;
    }
}

/* One use or two, of any instruction: some operands are expressions. */
static inline void random_uses(struct random_symbolic *m, uint64_t *random)
{
    if (below(random, 2)) memset(m->d.box, 0, sizeof m->d.box);
    memset(m->d.elem_stride, 0, sizeof m->d.elem_stride);
    m->d.channels = m->d.pixels = NULL;
    m->d.uses = m->use;
    m->d.use_count = 1 + below(random, 2);
    for (size_t k = 0; k < m->d.use_count; k++) {
        struct tmap_symbolic_use *s = &m->use[k];
        struct tmap_use *u = &s->use;
        memset(s, 0, sizeof *s);
        u->op = (uint32_t)(below(random, 2) ? below(random, 2) : below(random, 14));
        u->flags = (uint32_t)(next_random(random) >> 40) & 0x3f;
        u->coord_count = below(random, 8) ? m->d.desc.rank : (uint32_t)below(random, 6);
        u->smem = below(random, 2000) * 128;
        u->expect_tx = below(random, 2000) * 128;
        u->mbarrier = below(random, 2000) * 8;
        u->multicast = (uint32_t)(below(random, 4) ? 0 : below(random, 40));
        u->cta_group = (uint32_t)(below(random, 8) ? 0 : below(random, 4));
        u->consumer = (uint32_t)(below(random, 2) ? 0 : below(random, 5));
        u->major = (uint32_t)below(random, 2);
        u->field = (uint32_t)below(random, 12);
        u->ordinal = (uint32_t)below(random, 5);
        u->value = below(random, 3) ? below(random, 20) : below(random, 300) * 16;
        if (below(random, 6) == 0) u->op = TMAP_OP_REPLACE;
        for (int i = 0; i < TMAP_MAX_RANK; i++) {
            u->coord[i] = (int32_t)below(random, 200) - 20;
            random_text(m, random, &s->coord[i], 30);
        }
        for (int i = 0; i < TMAP_MAX_SPATIAL; i++) {
            u->offset[i] = (uint32_t)below(random, 300);
            random_text(m, random, &s->offset[i], 15);
        }
        random_text(m, random, &s->smem, 20);
        random_text(m, random, &s->expect_tx, 10);
        random_text(m, random, &s->mbarrier, 10);
        random_text(m, random, &s->multicast, 5);
    }
}

/* Mostly a target that a source covers, of all that do; some that none does. */
static inline void random_target(uint64_t *random, struct tmap_target *out)
{
    static const char *const cuda[] = {"12.0", "12.4", "12.6", "12.8", "13.0", "13.4", "17.0"};
    struct tmap_checker checker;
    size_t n = 0;
    while (tmap_arch_at(n)) n++;
    for (int tries = 0; tries < 12; tries++) {
        tmap_target_from(cuda[below(random, 7)], NULL, NULL,
                         tmap_arch_name(tmap_arch_at(below(random, n))), out);
        if (below(random, 12) == 0) out->driver = (uint32_t)below(random, 1000);
        tmap_checker_prepare(out, TMAP_CONTRACT_SAFE, &checker);
        if (checker.covered == TMAP_OK) return;
    }
}

#endif
