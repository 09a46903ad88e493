/* ptx.h : the TMA instructions of a PTX text, and whether a target has them (`check --ptx`).
 *
 * The reader is tolerant: it splits statements, skips comments, strings, labels, predicates and
 * directives, and looks only at the operation and its qualifiers (src/rules/forms.def). It is no
 * assembler: operands are not checked, save the immediates of tensormap.replace, which tell forms
 * apart. Every byte string is defined input. Safe from any thread; nothing is allocated or kept. */
#ifndef TMAP_IO_PTX_H
#define TMAP_IO_PTX_H

#include "core/forms.h"

#define IO_PTX_MAX_FORMS 8

/* What the .version and .target directives say; the first of each counts. */
struct io_ptx_module {
    uint32_t version;      /* 86 for 8.6; 0 when there is none */
    tmap_arch arch;        /* under the name written; 0 when there is none, or it is not known */
    char target[24];       /* that name, cut; "" when there is none */
    uint32_t version_line; /* from 1; 0 when there is none */
    uint32_t target_line;
};

/* One TMA instruction. text points into the caller's buffer: the operation with its qualifiers. */
struct io_ptx_instruction {
    const char *text;
    size_t length;
    uint32_t line;                         /* from 1, of the operation */
    uint32_t dim;                          /* 1 to 5; 0 where the text has none */
    bool has_value;                        /* tensormap.replace: a number follows the address */
    int64_t value;                         /* that number */
    uint32_t forms;                        /* 0: no form has these qualifiers */
    enum tmap_form form[IO_PTX_MAX_FORMS]; /* its own form, then those of its modifiers */
};

/* io_ptx_read() : all TMA instructions of text, in order. Writes at most cap of them, and how many
 *  there are to *found (as snprintf). out may be NULL when cap is 0. Errors: TMAP_E_ARGUMENT. */
enum tmap_status io_ptx_read(const char *text, size_t size, struct io_ptx_module *module,
                             struct io_ptx_instruction *out, size_t cap, size_t *found);

enum io_ptx_reason {
    IO_PTX_AVAILABLE,
    IO_PTX_NO_FORM,         /* qualifiers that no recorded form has together: unknown */
    IO_PTX_NO_SUCH_DIM,     /* the form exists, but not with this dimension */
    IO_PTX_NO_SUCH_VALUE,   /* tensormap.replace: no assembler takes this immediate */
    IO_PTX_NOT_ON_TARGET,   /* no PTX version has it there */
    IO_PTX_NEEDS_VERSION,   /* from min_ptx on */
    IO_PTX_TARGET_UNCOVERED /* no source covers the architecture or the version: unknown */
};

struct io_ptx_answer {
    enum tmap_verdict verdict;
    enum io_ptx_reason reason;
    enum tmap_form form; /* the one that decides; TMAP_FORM_COUNT when there is none */
    uint32_t min_ptx;    /* least version that has the whole instruction; 0 when there is none */
    bool is_call;        /* available, but the hardware lacks it: a system routine is called */
};

/* io_ptx_check() : whether target (its ptx and arch) has the instruction. */
struct io_ptx_answer io_ptx_check(const struct io_ptx_instruction *instruction,
                                  const struct tmap_target *target);

/* io_ptx_check_module() : whether the file's .version takes its .target: legal; illegal, with the
 *  version it needs in *min_ptx; unknown for a directive that is missing or not covered. */
enum tmap_verdict io_ptx_check_module(const struct io_ptx_module *module, uint32_t *min_ptx);

/* io_ptx_reason_text() : a short phrase, such as "no PTX version has it on this target". */
const char *io_ptx_reason_text(enum io_ptx_reason reason);

/* io_ptx_classify() : fills dim, forms and form[] from text and value. False: no TMA instruction.
 *  For the reader. */
bool io_ptx_classify(struct io_ptx_instruction *instruction);

#endif
