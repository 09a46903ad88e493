/* judge_ptx.c : one instruction of a PTX text as a result, so that every format shows it.
 *
 * Availability is two rows of the table, about the form and about its PTX version; which form and
 * which version is data (src/rules/forms.def), so the sentence comes from there. */
#include "io/report/judge.h"
#include "io/ptx/ptx.h"

#include "expr/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void describe(const struct io_stream *stream, const struct io_ptx_instruction *instruction,
                     struct io_record *record)
{
    memset(record, 0, sizeof *record);
    record->file = stream->file;
    record->line = instruction->line;
    record->offset = (size_t)(instruction->text - stream->text);
    record->length = instruction->length;
    record->text = instruction->text;
    record->column = 1;
    while (record->column <= record->offset &&
           stream->text[record->offset - record->column] != '\n')
        record->column++;
}

static void blame(const struct tmap_target *target, const struct io_ptx_instruction *instruction,
                  const struct io_ptx_answer *answer, struct tmap_detail *out)
{
    const int length = instruction->length < 100 ? (int)instruction->length : 100;
    const uint32_t need = answer->min_ptx;

    *out = (struct tmap_detail){.field = "instruction", .index = -1};
    snprintf(out->message, sizeof out->message, "`%.*s`: %s", length, instruction->text,
             answer->is_call ? "the assembler takes it, but calls a system routine: the hardware "
                               "has no such instruction"
                             : io_ptx_reason_text(answer->reason));
    if (need)
        snprintf(out->needs, sizeof out->needs, "PTX %u.%u or later on %s; this is PTX %u.%u",
                 need / 10, need % 10, tmap_arch_name(target->arch), target->ptx / 10,
                 target->ptx % 10);
    else
        snprintf(out->needs, sizeof out->needs, "a target with %s", tmap_form_name(answer->form));
}

static tmap_row row_of(const struct io_ptx_answer *answer)
{
    return answer->reason == IO_PTX_NEEDS_VERSION ? ROW_TMA151 : ROW_TMA150;
}

static enum tmap_status add(const struct tmap_checker *checker,
                            const struct io_ptx_instruction *instruction,
                            const struct io_ptx_answer *answer, struct io_result *out)
{
    const bool advisory = answer->verdict == TMAP_LEGAL;

    out->finding = calloc(1, sizeof *out->finding);
    out->rules = calloc(1, sizeof *out->rules);
    if (!out->finding || !out->rules) return TMAP_E_MEMORY;
    out->finding_count = 1;
    out->finding[0] = (struct io_finding){.row = row_of(answer),
                                          .use = -1,
                                          .index = -1,
                                          .advisory = advisory,
                                          .offset = out->record->offset,
                                          .length = instruction->length,
                                          .line = out->record->line,
                                          .column = out->record->column};
    blame(&checker->target, instruction, answer, &out->finding[0].detail);
    out->rules[0] = row_of(answer);
    out->rule_count = !advisory;
    return TMAP_OK;
}

enum tmap_status io_judge_ptx(const struct tmap_checker *checker, const struct io_stream *stream,
                              const struct io_ptx_instruction *instruction, unsigned flags,
                              struct io_record *record, struct io_result *out)
{
    const struct io_ptx_answer answer = io_ptx_check(instruction, &checker->target);
    struct io_result result = {
        .record = record, .stream = stream, .verdict = answer.verdict, .basis = checker->basis};
    enum tmap_status status = TMAP_OK;

    describe(stream, instruction, record);
    if (answer.verdict == TMAP_UNKNOWN)
        snprintf(result.unknown, sizeof result.unknown, "%s", io_ptx_reason_text(answer.reason));
    if (answer.verdict == TMAP_ILLEGAL || (answer.is_call && flags & IO_ADVISE))
        status = add(checker, instruction, &answer, &result);
    if (status == TMAP_OK)
        *out = result;
    else
        io_result_free(&result);
    return status;
}
