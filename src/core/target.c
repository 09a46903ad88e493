/* Targets by name and number, from src/rules/targets.def. */
#include "tmap/tmap.h"
#include "core/target.h"

#include <stdlib.h>
#include <string.h>

static const struct arch_entry {
    tmap_arch arch, present;
    const char *name;
    uint32_t smem_bytes, tmem_columns, first_ptx;
} archs[] = {
#define ARCH(sm, suffix, text, optin_bytes, tmem, first_ptx, alias_of)                             \
    {TMAP_ARCH(sm, suffix), TMAP_ARCH(alias_of, suffix), text, optin_bytes, tmem, first_ptx},
#include "rules/targets.def"
};

static const struct toolkit {
    uint32_t cuda, ptx, driver;
} toolkits[] = {
#define CUDA(id, text, ptx, driver) {id, ptx, driver},
#include "rules/targets.def"
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

struct tmap_target tmap_default_target(void)
{
    return (struct tmap_target){1300, 90, 580, TMAP_ARCH(90, 1)};
}

static const struct arch_entry *find_arch(tmap_arch arch)
{
    for (size_t i = 0; i < COUNT(archs); i++)
        if (archs[i].arch == arch) return &archs[i];
    return NULL;
}

const char *tmap_arch_name(tmap_arch arch)
{
    const struct arch_entry *e = find_arch(arch);
    return e ? e->name : NULL;
}

tmap_arch tmap_arch_at(size_t i)
{
    for (size_t k = 0; k < COUNT(archs); k++) /* an old name is not a target of its own */
        if (archs[k].arch == archs[k].present && i-- == 0) return archs[k].arch;
    return 0;
}

tmap_arch tmap_arch_find(const char *name)
{
    for (size_t i = 0; name && i < COUNT(archs); i++)
        if (strcmp(archs[i].name, name) == 0) return archs[i].present;
    return 0;
}

enum tmap_status tmap_capacity(tmap_arch arch, uint32_t *smem_bytes, uint32_t *tmem_columns)
{
    const struct arch_entry *e = find_arch(arch);
    if (e == NULL) return TMAP_E_TARGET;
    if (smem_bytes) *smem_bytes = e->smem_bytes;
    if (tmem_columns) *tmem_columns = e->tmem_columns;
    return TMAP_OK;
}

static const struct toolkit *find_toolkit(uint32_t cuda)
{
    for (size_t i = 0; i < COUNT(toolkits); i++)
        if (toolkits[i].cuda == cuda) return &toolkits[i];
    return NULL;
}

/* The newest driver branch that a toolkit names; the newest toolkit may not say its own. */
static uint32_t newest_driver(void)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < COUNT(toolkits); i++)
        if (toolkits[i].driver > newest) newest = toolkits[i].driver;
    return newest;
}

/* The first PTX version that names the architecture, today's name or an older one; 0: none does. */
static uint32_t first_ptx_of(tmap_arch arch)
{
    uint32_t first = 0;
    for (size_t i = 0; i < COUNT(archs); i++)
        if ((archs[i].present == arch || archs[i].arch == arch) &&
            (!first || archs[i].first_ptx < first))
            first = archs[i].first_ptx;
    return first;
}

/* The driver branch of the first toolkit that has the PTX version. */
static uint32_t first_driver_of(uint32_t ptx)
{
    for (size_t i = 0; i < COUNT(toolkits); i++)
        if (toolkits[i].ptx >= ptx && toolkits[i].driver) return toolkits[i].driver;
    return UINT32_MAX;
}

bool target_covered(const struct tmap_target *t)
{
    const struct toolkit *oldest = &toolkits[0], *newest = &toolkits[COUNT(toolkits) - 1];
    const uint32_t first = first_ptx_of(t->arch);
    if (first == 0 || find_toolkit(t->cuda) == NULL) return false;
    return t->ptx >= oldest->ptx && t->ptx >= first && t->ptx <= newest->ptx &&
           t->driver >= first_driver_of(first) && t->driver <= newest_driver();
}

bool target_observed(const struct tmap_target *t)
{
    static const struct {
        uint32_t driver, sm;
    } seen[] = {
#define OBSERVED(driver, sm, gpu, version) {driver, sm},
#include "rules/targets.def"
    };
    for (size_t i = 0; i < COUNT(seen); i++)
        if (t->driver == seen[i].driver && t->arch >> 2 == seen[i].sm) return true;
    return false;
}

/* "12.4" -> major * scale + minor. False for text of another form. */
static bool parse_version(const char *text, uint32_t scale, uint32_t *out)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    const unsigned long major = strtoul(text, &end, 10);
    unsigned long minor = 0;
    if (scale > 1 && *end == '.') {
        const char *from = end + 1;
        if (*from < '0' || *from > '9') return false;
        minor = strtoul(from, &end, 10);
    }
    if (*end != '\0' && !(scale == 1 && *end == '.')) return false; /* a driver may be 580.159.04 */
    if (major > 9999 || minor >= (scale > 1 ? scale : 1)) return false;
    *out = (uint32_t)(major * scale + minor);
    return true;
}

enum tmap_status tmap_target_from(const char *cuda, const char *ptx, const char *driver,
                                  const char *arch, struct tmap_target *out)
{
    struct tmap_target t = tmap_default_target();
    if (out == NULL) return TMAP_E_ARGUMENT;
    if (cuda) {
        if (!parse_version(cuda, 100, &t.cuda)) return TMAP_E_ARGUMENT;
        const struct toolkit *k = find_toolkit(t.cuda);
        t.ptx = k ? k->ptx : 0; /* 0: no source covers it */
        t.driver = k ? (k->driver ? k->driver : newest_driver()) : 0;
    }
    if (ptx && !parse_version(ptx, 10, &t.ptx)) return TMAP_E_ARGUMENT;
    if (driver && !parse_version(driver, 1, &t.driver)) return TMAP_E_ARGUMENT;
    if (arch) {
        t.arch = tmap_arch_find(arch);
        if (t.arch == 0) return strncmp(arch, "sm_", 3) == 0 ? TMAP_E_TARGET : TMAP_E_ARGUMENT;
    }
    *out = t;
    return TMAP_OK;
}
