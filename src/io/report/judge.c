/* judge.c : a record checked: the descriptor, its uses, its advisories, its expectations. */
#include "core/fix.h"
#include "io/report/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- growing lists -----------------------------------------------------------------------------*/

static bool add_finding(struct io_result *out, const struct io_finding *finding)
{
    size_t n = out->finding_count;
    if ((n & (n - 1)) == 0) {
        struct io_finding *more = realloc(out->finding, (n ? 2 * n : 1) * sizeof *more);
        if (!more) return false;
        out->finding = more;
    }
    out->finding[out->finding_count++] = *finding;
    return true;
}

/* Each row once, in table order. */
static bool add_row(tmap_row **rows, size_t *count, tmap_row row)
{
    size_t at = *count;
    tmap_row *more;

    while (at > 0 && (*rows)[at - 1] > row) at--;
    if (at > 0 && (*rows)[at - 1] == row) return true;
    more = realloc(*rows, (*count + 1) * sizeof *more);
    if (!more) return false;
    memmove(more + at + 1, more + at, (*count - at) * sizeof *more);
    more[at] = row;
    *rows = more;
    ++*count;
    return true;
}

/* --- asking the core ---------------------------------------------------------------------------*/

static enum tmap_verdict worse(enum tmap_verdict a, enum tmap_verdict b)
{
    if (a == TMAP_ILLEGAL || b == TMAP_ILLEGAL) return TMAP_ILLEGAL;
    return a == TMAP_UNKNOWN || b == TMAP_UNKNOWN ? TMAP_UNKNOWN : TMAP_LEGAL;
}

static const char *reason_of(const struct io_record *record, tmap_row row)
{
    for (size_t i = 0; i < record->allow_count; i++)
        if (record->allows[i].row == row) return record->allows[i].reason;
    return NULL;
}

/* The state of one judgement. */
struct judge {
    const struct tmap_checker *checker;
    const struct io_record *record;
    const struct io_stream *stream;
    unsigned flags;
    struct io_result *out;
    struct io_places places;
};

static enum tmap_status keep(struct judge *j, const struct io_finding *f)
{
    if (!add_finding(j->out, f)) return TMAP_E_MEMORY;
    if (f->advisory) return TMAP_OK;
    return add_row(&j->out->rules, &j->out->rule_count, f->row) ? TMAP_OK : TMAP_E_MEMORY;
}

static enum tmap_status note(struct judge *j, const struct tmap_violation *v, int use,
                             bool advisory)
{
    const struct io_record *record = j->record;
    struct io_finding f = {.row = v->row, .use = use, .index = v->index, .advisory = advisory};
    enum tmap_status status;

    f.allowed = reason_of(record, v->row);
    if (j->flags & IO_BRIEF) return keep(j, &f);
    status = tmap_detail_of(&j->checker->target, &record->desc, use < 0 ? NULL : &record->uses[use],
                            v, &f.detail);
    if (status != TMAP_OK) return status;
    io_place(&j->places, j->stream, &f);
    return keep(j, &f);
}

static enum tmap_status judge_one(struct judge *j, int use)
{
    struct io_violations found;
    const struct io_record *record = j->record;
    enum tmap_status status =
        io_violations(j->checker, &record->desc, use < 0 ? NULL : &record->uses[use], &found);

    if (status != TMAP_OK) return status;
    j->out->verdict = worse(j->out->verdict, found.verdict);
    for (size_t i = 0; i < found.listed && status == TMAP_OK; i++)
        status = note(j, &found.entry[i], use, false);
    return status;
}

/* The nearest legal values, tried once all that is violated is known. */
static enum tmap_status try_fixes(struct judge *j)
{
    struct fix_record all;
    const enum tmap_status status =
        fix_begin(&all, j->checker, &j->record->desc, j->record->uses, j->record->use_count);

    for (size_t i = 0; i < j->out->finding_count && status == TMAP_OK; i++) {
        struct io_finding *f = &j->out->finding[i];
        const struct fix fix = fix_nearest(&all, f->use, &f->detail);
        f->fix = fix.value;
        f->rest = fix.rest;
        f->fix_checked = fix.value.known && fix.rest == 0;
    }
    return status;
}

static enum tmap_status advise(struct judge *j, int use)
{
    struct tmap_violation list[IO_MAX_VIOLATIONS];
    const struct tmap_desc *desc = &j->record->desc;
    size_t found = 0;
    enum tmap_status status;

    if (use < 0)
        status = tmap_advise(j->checker, desc, list, IO_MAX_VIOLATIONS, &found);
    else
        status = tmap_advise_use(j->checker, desc, &j->record->uses[use], list, IO_MAX_VIOLATIONS,
                                 &found);
    for (size_t i = 0; i < found && i < IO_MAX_VIOLATIONS && status == TMAP_OK; i++)
        if (j->flags & IO_ADVISE || io_is_erratum(list[i].row))
            status = note(j, &list[i], use, true);
    return status;
}

static enum tmap_status not_evaluated(struct judge *j)
{
    struct tmap_violation list[IO_MAX_VIOLATIONS];
    size_t found = 0;
    enum tmap_status status =
        tmap_not_evaluated(j->checker, &j->record->desc, list, IO_MAX_VIOLATIONS, &found);

    for (size_t i = 0; i < found && i < IO_MAX_VIOLATIONS && status == TMAP_OK; i++)
        if (!add_row(&j->out->not_evaluated, &j->out->not_evaluated_count, list[i].row))
            return TMAP_E_MEMORY;
    return status;
}

/* --- every architecture ------------------------------------------------------------------------*/

static enum tmap_status answer_for(const struct judge *j, tmap_arch arch,
                                   struct io_arch_answer *out)
{
    struct tmap_target target = j->checker->target;
    struct tmap_checker checker;
    struct io_violations found;
    enum tmap_status status;

    target.arch = arch;
    status = tmap_checker_prepare(&target, j->checker->contract, &checker);
    *out = (struct io_arch_answer){
        .arch = arch, .basis = checker.basis, .covered = checker.covered == TMAP_OK};
    for (int use = -1; use < (int)j->record->use_count && status == TMAP_OK; use++) {
        status = io_violations(&checker, &j->record->desc, use < 0 ? NULL : &j->record->uses[use],
                               &found);
        out->verdict = worse(out->verdict, found.verdict);
        for (size_t i = 0; i < found.listed && status == TMAP_OK; i++)
            if (!add_row(&out->rules, &out->rule_count, found.entry[i].row)) status = TMAP_E_MEMORY;
    }
    return status;
}

static enum tmap_status all_arches(struct judge *j)
{
    enum tmap_status status = TMAP_OK;
    size_t n = 0;

    while (tmap_arch_at(n)) n++;
    j->out->arch = calloc(n + 1, sizeof *j->out->arch);
    if (!j->out->arch) return TMAP_E_MEMORY;
    for (size_t i = 0; i < n && status == TMAP_OK; i++) {
        j->out->arch_count++;
        status = answer_for(j, tmap_arch_at(i), &j->out->arch[i]);
    }
    return status;
}

/* What holds on every architecture that counts: those that no source covers with this toolkit are
 * no targets of it, so they count only where there are no others. */
static enum tmap_status over_arches(struct io_result *out)
{
    bool any = false;

    for (size_t i = 0; i < out->arch_count; i++) any = any || out->arch[i].covered;
    out->verdict = TMAP_LEGAL;
    out->basis = TMAP_OBSERVED;
    for (size_t i = 0; i < out->arch_count; i++) {
        const struct io_arch_answer *a = &out->arch[i];
        if (any && !a->covered) continue;
        out->verdict = worse(out->verdict, a->verdict);
        if (a->basis == TMAP_INFERRED) out->basis = TMAP_INFERRED;
        for (size_t k = 0; k < a->rule_count; k++)
            if (!add_row(&out->rules, &out->rule_count, a->rules[k])) return TMAP_E_MEMORY;
    }
    return TMAP_OK;
}

/* --- expectations ------------------------------------------------------------------------------*/

static void rules_text(const tmap_row *rules, size_t count, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", count ? "" : "none");
    for (size_t i = 0; i < count && used + 1 < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", tmap_row_id(rules[i]));
}

static bool same_rules(const struct io_record *record, const struct io_result *result)
{
    size_t distinct = 0;

    for (size_t i = 0; i < record->expect_rule_count; i++) {
        bool found = false, before = false;
        for (size_t k = 0; k < result->rule_count; k++)
            found = found || result->rules[k] == record->expect_rules[i];
        for (size_t k = 0; k < i; k++)
            before = before || record->expect_rules[k] == record->expect_rules[i];
        if (!found) return false;
        distinct += !before;
    }
    return distinct == result->rule_count;
}

static void compare(const struct io_record *record, struct io_result *out)
{
    char wanted[80], seen[80];

    if (record->flags & IO_HAS_EXPECT && record->expect != out->verdict) {
        out->unmet = true;
        snprintf(out->expectation, sizeof out->expectation, "expected %s, and it is %s",
                 io_verdict_name(record->expect), io_verdict_name(out->verdict));
    } else if (record->flags & IO_HAS_EXPECT_RULES && !same_rules(record, out)) {
        out->unmet = true;
        rules_text(record->expect_rules, record->expect_rule_count, wanted, sizeof wanted);
        rules_text(out->rules, out->rule_count, seen, sizeof seen);
        snprintf(out->expectation, sizeof out->expectation, "expected rules %s, violated are %s",
                 wanted, seen);
    }
}

static bool all_allowed(const struct io_result *out)
{
    for (size_t i = 0; i < out->rule_count; i++)
        if (!reason_of(out->record, out->rules[i])) return false;
    return out->verdict == TMAP_ILLEGAL;
}

/* The record, what can be done and what is slow, and every architecture, each where it is asked. */
static enum tmap_status judge_all(struct judge *j)
{
    const int uses = (int)j->record->use_count;
    enum tmap_status status = TMAP_OK;

    for (int use = -1; use < uses && status == TMAP_OK; use++) status = judge_one(j, use);
    if (status == TMAP_OK && j->out->finding_count && j->flags & IO_FIX && !(j->flags & IO_BRIEF))
        status = try_fixes(j);
    for (int use = -1; use < uses && status == TMAP_OK; use++) status = advise(j, use);
    if (status == TMAP_OK) status = not_evaluated(j);
    if (status != TMAP_OK || !(j->flags & IO_ALL_ARCHES)) return status;
    status = all_arches(j);
    return status == TMAP_OK ? over_arches(j->out) : status;
}

enum tmap_status io_judge(const struct tmap_checker *checker, const struct io_record *record,
                          const struct io_stream *stream, unsigned flags, struct io_result *out)
{
    struct io_result result = {
        .record = record, .stream = stream, .verdict = TMAP_LEGAL, .basis = checker->basis};
    struct judge j = {checker, record, stream, flags, &result, {.record = record}};
    const enum tmap_status status = judge_all(&j);

    if (status != TMAP_OK) {
        io_result_free(&result);
        return status;
    }
    if (result.verdict == TMAP_UNKNOWN)
        snprintf(result.unknown, sizeof result.unknown, "%s",
                 checker->covered == TMAP_OK ? "a rule that it needs does not hold"
                                             : "no source covers this target");
    result.accepted = all_allowed(&result);
    if (!(flags & IO_ALL_ARCHES)) compare(record, &result);
    *out = result;
    return TMAP_OK;
}
