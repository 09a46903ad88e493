/* What the kernels must hold and must not: expect.def, asked. */
#include "tmap/code.h"

#include <string.h>

#define MANY UINT32_MAX

static const struct {
    const char *kernels, *what;
    uint32_t least, most;
    const char *why;
} rows[] = {
#define EXPECT(kernels, what, least, most, why) {kernels, what, least, most, why},
#include "kernels/runtime/expect.def"
};
#define ROWS (sizeof rows / sizeof rows[0])

/* * is any text, ? any character. */
static bool fits(const char *pattern, const char *name)
{
    if (*pattern == '*') return fits(pattern + 1, name) || (*name && fits(pattern, name + 1));
    if (!*pattern || !*name) return !*pattern && !*name;
    return (*pattern == '?' || *pattern == *name) && fits(pattern + 1, name + 1);
}

static uint32_t value_of(const struct tmap_code_kernel *kernel, const char *what)
{
    const struct {
        const char *what;
        uint32_t value;
    } properties[] = {{"calls outside", kernel->outside},   {"stack bytes", kernel->stack_bytes},
                      {"stores", kernel->stores},           {"unfenced", kernel->unfenced},
                      {"registers", kernel->registers},     {"load bytes", kernel->widest_load},
                      {"store bytes", kernel->widest_store}};
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
        if (strcmp(properties[i].what, what) == 0) return properties[i].value;
    return tmap_code_count(kernel, what);
}

size_t tmap_code_judge(const struct tmap_code_kernel *kernel, struct tmap_code_finding *findings,
                       size_t cap)
{
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (!fits(rows[i].kernels, kernel->name)) continue;
        const uint32_t seen = value_of(kernel, rows[i].what);
        if (seen >= rows[i].least && seen <= rows[i].most) continue;
        if (n < cap)
            findings[n] = (struct tmap_code_finding){rows[i].what, rows[i].least, rows[i].most,
                                                     seen, rows[i].why};
        n++;
    }
    return n;
}
