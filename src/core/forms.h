// Which TMA instruction exists on which target, from src/rules/forms.def: what the assembler of
// each toolkit took. Static data; safe from any thread.
#ifndef TMAP_CORE_FORMS_H
#define TMAP_CORE_FORMS_H

#include "tmap/tmap.h"

enum tmap_form {
#define FORM(id, first_dim, last_dim, first_value, last_value, availability) TMAP_FORM_##id,
#include "rules/forms.def"
    TMAP_FORM_COUNT
};

// tmap_form_available() : whether target's architecture has the form at target's PTX version.
// *min_ptx (may be NULL) gets the least version that has it there, 86 for 8.6, or 0 for none. An
// architecture under two names (sm_101, sm_110) has what either has. TMAP_UNKNOWN, with *min_ptx 0:
// no source covers the architecture, or the version is newer than every assembler read.
enum tmap_verdict tmap_form_available(enum tmap_form form, const struct tmap_target *target,
                                      uint32_t *min_ptx);

// The assembler takes the form for arch, but emits a call of a system routine: arch has no such
// instruction. False also where that is not known.
bool tmap_form_is_call(enum tmap_form form, tmap_arch arch);

const char *tmap_form_name(enum tmap_form form); // "TILE_LOAD_CTA"; NULL when out of range

// One spelling of a form: the words an instruction starts with, and the qualifiers it must have,
// with a space between; one that ends in '*' stands for all that begin so. NULL at the end.
struct form_spelling {
    enum tmap_form form;
    const char *operation, *qualifiers;
};
const struct form_spelling *tmap_form_spelling(size_t i);

bool tmap_form_is_modifier(enum tmap_form form);
bool tmap_form_takes_dim(enum tmap_form form, uint32_t dim); // true where it has none
bool tmap_form_has_value(enum tmap_form form);               // an immediate is part of the form
bool tmap_form_takes_value(enum tmap_form form, int64_t value);

// The least PTX version with which arch may stand in .target; 0 when no row has arch.
uint32_t tmap_arch_first_ptx(tmap_arch arch);

// By its own name: sm_101a is TMAP_ARCH(101, 1) here. 0 when no row has it.
tmap_arch tmap_arch_spelled(const char *name, size_t length);

#endif
