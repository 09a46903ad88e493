#include "support/contracts.h"

#include "core/checker.h"

#include <stdio.h>
#include <string.h>

/* Beyond the versions that any row names; 0 stands for "whatever the version". */
#define CUDA_FROM 1150
#define CUDA_TO 1400
#define PTX_FROM 50
#define PTX_TO 120

static const char *const names[] = {[TMAP_CONTRACT_SAFE] = "safe",
                                    [TMAP_CONTRACT_DOCUMENTED] = "documented",
                                    [TMAP_CONTRACT_DRIVER] = "driver",
                                    [TMAP_CONTRACT_HARDWARE] = "hardware"};

static uint32_t step(uint32_t version, uint32_t from)
{
    return version == 0 ? from : version + 1;
}

static uint32_t *cuda_of(struct tmap_target *t)
{
    return &t->cuda;
}

static uint32_t *ptx_of(struct tmap_target *t)
{
    return &t->ptx;
}

/* The first version from which on the row counts. */
static void put_first(const struct row *r, enum tmap_contract c, struct tmap_target t,
                      uint32_t *(*version_of)(struct tmap_target *), uint32_t from, uint32_t to,
                      char out[16])
{
    bool counted = false;
    uint32_t *version = version_of(&t), first = 0;
    for (*version = 0; *version < to; *version = step(*version, from)) {
        const bool counts = row_counts(r, &t, c);
        if (counts && !counted) first = *version;
        counted = counts;
    }
    snprintf(out, 16, counted ? "%u" : "-", first);
}

static size_t put_firsts(const struct row *r, enum tmap_contract c, struct tmap_target t, char *out,
                         size_t size)
{
    char cuda[16], ptx[16];
    put_first(r, c, t, cuda_of, CUDA_FROM, CUDA_TO, cuda);
    put_first(r, c, t, ptx_of, PTX_FROM, PTX_TO, ptx);
    return (size_t)snprintf(out, size, " %s/%s", cuda, ptx);
}

void contract_line(const struct row *r, char out[CONTRACT_LINE])
{
    static const struct tmap_target seen = {0, 0, 580, TMAP_ARCH(90, 1)};
    static const struct tmap_target other = {0, 0, 0, TMAP_ARCH(100, 1)};
    size_t n = (size_t)snprintf(out, CONTRACT_LINE, "%s %s", r->id,
                                r->effect == EFFECT_ADVISORY ? "advisory" : "violation");
    for (int c = 0; c < 4; c++) {
        n += (size_t)snprintf(out + n, CONTRACT_LINE - n, " %s", names[c]);
        n += put_firsts(r, (enum tmap_contract)c, seen, out + n, CONTRACT_LINE - n);
        n += put_firsts(r, (enum tmap_contract)c, other, out + n, CONTRACT_LINE - n);
    }
}
