/* report.h : what a check found, as events for the output formats.
 *
 * io_judge() turns a record into an io_result; a writer turns results into one format. Every
 * format sees the same events in the same order: begin, then per record a result or an unreadable
 * record, then end. Output goes to run->out; write errors stay in its error flag. */
#ifndef TMAP_IO_REPORT_H
#define TMAP_IO_REPORT_H

#include "io/report/format.h"
#include "io/json/record.h"

#include <stdio.h>

/* One violated row at one place, or an advisory. */
struct io_finding {
    tmap_row row;
    int use;   /* index into the record's uses; -1: the descriptor itself */
    int index; /* as tmap_violation's */
    bool advisory;
    const char *allowed; /* the record's reason; NULL when it is not allowed */
    struct tmap_detail detail;
    char path[64];          /* JSON path of the blamed value; "" when it has none */
    size_t offset, length;  /* of that value in the file; length 0: not in the text */
    size_t line, column;    /* of the value, or of the record */
    bool fix_checked;       /* fix makes the whole record legal, all else unchanged */
    struct tmap_number fix; /* the nearest legal value that was tried; known = false: none */
    size_t rest;            /* rows still violated with it */
};

/* The answer for one architecture of --arch all. */
struct io_arch_answer {
    tmap_arch arch;
    enum tmap_verdict verdict;
    enum tmap_basis basis;
    bool covered; /* false: no source covers it with this toolkit, and the verdict is unknown */
    tmap_row *rules;
    size_t rule_count;
};

/* With arch, verdict, basis and rules are over every covered architecture (over all where none
 * is); findings are the checker's own architecture's. */
struct io_result {
    const struct io_record *record;
    const struct io_stream *stream; /* holds the text; NULL: there is none to show */
    enum tmap_verdict verdict;
    enum tmap_basis basis;
    struct io_finding *finding; /* violations in row order, then advisories */
    size_t finding_count;
    tmap_row *rules; /* ids of all violated rows, each once, in table order */
    size_t rule_count;
    tmap_row *not_evaluated;
    size_t not_evaluated_count;
    struct io_arch_answer *arch; /* --arch all; else NULL */
    size_t arch_count;
    bool accepted;         /* verdict illegal, but every violated row is allowed */
    bool unmet;            /* an expectation is not met */
    tmap_arch judged_for;  /* a text's own target, in the place of the run's; else 0 */
    const char *judged_as; /* then: why */
    char unknown[100];     /* why, when the verdict is unknown */
    char expectation[200]; /* what was expected and what came, when unmet */
};

/* One run of a command: what the formats need to know, and what they count. */
struct io_run {
    FILE *out;
    const char *command, *things; /* "check"; what it counts: "descriptor" */
    struct tmap_target target;
    enum tmap_contract contract;
    enum tmap_basis basis;
    bool color, quiet, all_arches;
    size_t records, legal, illegal, unknown, unreadable, unmet, accepted;
    size_t illegal_pairs; /* --arch all: of a record and an architecture */
    bool lost;            /* what a writer kept for later is not whole: no more is the output */
    void *state;          /* the writer's own */
};

struct io_writer {
    bool (*begin)(struct io_run *run); /* false: out of memory, and nothing more may be called */
    void (*result)(struct io_run *run, const struct io_result *result);
    void (*unreadable)(struct io_run *run, const struct io_record *record);
    void (*end)(struct io_run *run);
};
#define FORMAT(word, name) extern const struct io_writer io_write_##name;
#include "io/report/formats.def"
const struct io_writer *io_writer_of(enum io_format format);

enum io_judge_flag {
    IO_ADVISE = 1u << 0,     /* every advisory, not only the known errata */
    IO_FIX = 1u << 1,        /* try the nearest legal values */
    IO_ALL_ARCHES = 1u << 2, /* fill arch[] for every known architecture */
    IO_BRIEF = 1u << 3       /* which rows, without details and places: a few times faster */
};

/* io_judge() : checks a readable record and its uses. Free the result with io_result_free(); on an
 *  error there is nothing to free. stream may be NULL. Errors: TMAP_E_MEMORY, TMAP_E_ARGUMENT. */
enum tmap_status io_judge(const struct tmap_checker *checker, const struct io_record *record,
                          const struct io_stream *stream, unsigned flags, struct io_result *out);

/* io_judge_ptx() : one TMA instruction of a PTX text, as a result like any other; record is filled
 *  for it and lives as long as stream. Free the result alone. Errors: TMAP_E_MEMORY. */
struct io_ptx_instruction;
enum tmap_status io_judge_ptx(const struct tmap_checker *checker, const struct io_stream *stream,
                              const struct io_ptx_instruction *instruction, unsigned flags,
                              struct io_record *record, struct io_result *out);
void io_result_free(struct io_result *result);

/* io_count() : adds a result to the run's totals. */
void io_count(struct io_run *run, const struct io_result *result);

const char *io_verdict_name(enum tmap_verdict verdict);    /* "legal" */
const char *io_basis_name(enum tmap_basis basis);          /* "observed" */
const char *io_contract_name(enum tmap_contract contract); /* "safe" */

/* io_target_text() : "CUDA 13.0, PTX 9.0, driver 580, sm_90a". */
char *io_target_text(const struct tmap_target *target, char *text, size_t size);

/* JSON of the pieces, for every command's own output; the caller owns them. */
json_t *io_target_json(const struct tmap_target *target);
json_t *io_number_json(struct tmap_number number); /* an integer, or a string above 2^63 - 1 */
json_t *io_u64_json(uint64_t number);
json_t *io_address_json(uint64_t address); /* "0x7f0000000000" */

/* io_desc_json() : a descriptor in the input's own form, every key said; name may be NULL. Reading
 *  it back gives the same descriptor. io_use_json() : the same for one use. */
json_t *io_desc_json(const struct tmap_desc *desc, const char *name);
json_t *io_use_json(const struct tmap_use *use);
/* io_desc_text() : the same as one line of text, "" where it does not fit. */
void io_desc_text(const struct tmap_desc *desc, char *text, size_t size);
json_t *io_rules_json(const tmap_row *rules, size_t count);
json_t *io_finding_json(const struct io_finding *finding);
/* io_is_as_expected() : the record has an expectation, and it is met: what it violates is no news.
 */
bool io_is_as_expected(const struct io_result *result);
json_t *io_arches_json(const struct io_result *result);
json_t *io_line_json(const struct io_result *result);   /* the fixed form of check's JSON lines */
json_t *io_result_json(const struct io_result *result); /* that, with findings */

/* io_put_tail() : what follows a finding's message: the value that helps, and why it is allowed,
 * each through the format's own printer. */
void io_put_tail(FILE *out, const struct io_finding *finding,
                 void (*put)(FILE *out, const char *text));

/* io_allow_is_used() : whether the record's i-th allow covers a finding. */
bool io_allow_is_used(const struct io_result *result, size_t i);

/* io_value_text() : a field's number as people say it: an enum's name, an address in hexadecimal.
 * io_input_text() : the same as JSON input takes it. */
char *io_value_text(int slot, struct tmap_number number, char text[40]);
char *io_input_text(int slot, struct tmap_number number, char text[40]);

/* io_put_json() : value with jansson's flags, and no line end; like io_put(), what is in its
 * strings is harmless. io_print_json() : value on one line (indent 0) or indented, and frees it. */
void io_put_json(FILE *out, const json_t *value, size_t flags);
void io_print_json(FILE *out, json_t *value, int indent);

#endif
