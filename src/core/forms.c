// The tables of forms.def and targets.def, and the questions asked of them.
#include "core/forms.h"

#include <string.h>

enum {
#define ARCH(sm, suffix, ...) ARCH_ROW_##sm##_##suffix,
#include "rules/targets.def"
    ARCH_ROWS
};

struct arch_row {
    tmap_arch arch, present; // present: under today's name
    const char *text;
    uint32_t first_ptx;
};

static const struct arch_row archs[ARCH_ROWS] = {
#define ARCH(sm, suffix, text, optin_bytes, tmem, first_ptx, alias_of)                             \
    {TMAP_ARCH(sm, suffix), TMAP_ARCH(alias_of, suffix), text, first_ptx},
#include "rules/targets.def"
};

static const uint32_t toolkit_ptx[] = {
#define CUDA(id, text, ptx, driver) ptx,
#include "rules/targets.def"
};

enum {
#define AVAILABILITY(id, ...) AVAILABILITY_##id,
#include "rules/forms.def"
    AVAILABILITIES
};

static const uint8_t least[AVAILABILITIES][ARCH_ROWS] = {
#define AVAILABILITY(id, ...) {__VA_ARGS__},
#include "rules/forms.def"
};

struct form_row {
    const char *name;
    int first_dim, last_dim, first_value, last_value, availability;
};

static const struct form_row forms[TMAP_FORM_COUNT] = {
#define FORM(id, first_dim, last_dim, first_value, last_value, availability)                       \
    {#id, first_dim, last_dim, first_value, last_value, AVAILABILITY_##availability},
#include "rules/forms.def"
};

static const struct form_spelling spellings[] = {
#define SPELLING(id, operation, qualifiers) {TMAP_FORM_##id, operation, qualifiers},
#include "rules/forms.def"
};

static const struct {
    enum tmap_form form;
    tmap_arch arch;
} calls[] = {
#define FORM_CALL(id, sm, suffix) {TMAP_FORM_##id, TMAP_ARCH(sm, suffix)},
#include "rules/forms.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t newest_ptx(void)
{
    uint32_t newest = 0;
    for (size_t i = 0; i < COUNT(toolkit_ptx); i++)
        if (toolkit_ptx[i] > newest) newest = toolkit_ptx[i];
    return newest;
}

enum tmap_verdict tmap_form_available(enum tmap_form form, const struct tmap_target *target,
                                      uint32_t *min_ptx)
{
    uint32_t first = 0;
    bool covered = false;
    for (size_t i = 0; i < ARCH_ROWS; i++) {
        if (archs[i].arch != target->arch && archs[i].present != target->arch) continue;
        uint32_t v = least[forms[form].availability][i];
        covered = true;
        if (v && (!first || v < first)) first = v;
    }
    if (target->ptx > newest_ptx()) covered = false;
    if (min_ptx) *min_ptx = covered ? first : 0;
    if (!covered) return TMAP_UNKNOWN;
    return first && target->ptx >= first ? TMAP_LEGAL : TMAP_ILLEGAL;
}

bool tmap_form_is_call(enum tmap_form form, tmap_arch arch)
{
    for (size_t i = 0; i < COUNT(calls); i++)
        if (calls[i].form == form && calls[i].arch == arch) return true;
    return false;
}

const char *tmap_form_name(enum tmap_form form)
{
    return (size_t)form < TMAP_FORM_COUNT ? forms[form].name : NULL;
}

const struct form_spelling *tmap_form_spelling(size_t i)
{
    return i < COUNT(spellings) ? &spellings[i] : NULL;
}

bool tmap_form_is_modifier(enum tmap_form form)
{
    return strncmp(forms[form].name, "MOD_", 4) == 0;
}

bool tmap_form_takes_dim(enum tmap_form form, uint32_t dim)
{
    const struct form_row *f = &forms[form];
    return !f->last_dim || (dim >= (uint32_t)f->first_dim && dim <= (uint32_t)f->last_dim);
}

bool tmap_form_has_value(enum tmap_form form)
{
    return forms[form].last_value >= forms[form].first_value;
}

bool tmap_form_takes_value(enum tmap_form form, int64_t value)
{
    return value >= forms[form].first_value && value <= forms[form].last_value;
}

uint32_t tmap_arch_first_ptx(tmap_arch arch)
{
    for (size_t i = 0; i < ARCH_ROWS; i++)
        if (archs[i].arch == arch) return archs[i].first_ptx;
    return 0;
}

tmap_arch tmap_arch_spelled(const char *name, size_t length)
{
    for (size_t i = 0; i < ARCH_ROWS; i++)
        if (strlen(archs[i].text) == length && memcmp(archs[i].text, name, length) == 0)
            return archs[i].arch;
    return 0;
}
