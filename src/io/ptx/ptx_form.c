/* Which forms an instruction has, by the spellings of forms.def, and whether a target has them. */
#include "io/ptx/ptx.h"

#include <string.h>

#define MAX_QUALIFIERS 32

struct word {
    const char *text;
    size_t length;
};

struct qualifiers {
    struct word word[MAX_QUALIFIERS];
    bool claimed[MAX_QUALIFIERS]; /* some spelling names it */
    size_t count;
};

static bool same(struct word w, const char *text, size_t length)
{
    if (length && text[length - 1] == '*')
        return w.length >= length - 1 && memcmp(w.text, text, length - 1) == 0;
    return w.length == length && memcmp(w.text, text, length) == 0;
}

static bool has_prefix(struct word w, const char *prefix)
{
    size_t n = strlen(prefix);
    return w.length >= n && memcmp(w.text, prefix, n) == 0;
}

/* Whether text is the operation, alone or before a qualifier. */
static bool has_operation(struct word text, const char *operation)
{
    size_t n = strlen(operation);
    return has_prefix(text, operation) && (text.length == n || text.text[n] == '.');
}

static const char *operation_of(struct word text)
{
    const char *longest = NULL;
    const struct form_spelling *s;
    for (size_t i = 0; (s = tmap_form_spelling(i)) != NULL; i++)
        if (has_operation(text, s->operation) &&
            (!longest || strlen(s->operation) > strlen(longest)))
            longest = s->operation;
    return longest;
}

static void add(struct qualifiers *q, const char *text, size_t length)
{
    if (length && q->count < MAX_QUALIFIERS) q->word[q->count++] = (struct word){text, length};
}

/* The words after the operation. Where a tensor copy names no mode, the PTX ISA means tile. */
static void split(struct word rest, bool tensor, struct qualifiers *q)
{
    bool mode = false;
    *q = (struct qualifiers){.count = 0};
    for (size_t i = 0, from = 0; i <= rest.length; i++) {
        if (i < rest.length && rest.text[i] != '.') continue;
        struct word w = {rest.text + from, i - from};
        add(q, w.text, w.length);
        mode = mode || has_prefix(w, "tile") || has_prefix(w, "im2col");
        from = i + 1;
    }
    if (tensor && !mode) add(q, "tile", 4);
}

static size_t find(const struct qualifiers *q, const char *text, size_t length)
{
    size_t i = 0;
    while (i < q->count && !same(q->word[i], text, length)) i++;
    return i;
}

/* How many words the spelling names, or -1 when one is missing. claim marks them. */
static int match(struct qualifiers *q, const char *names, bool claim)
{
    int count = 0;
    for (const char *p = names; *p; count++) {
        size_t n = strcspn(p, " "), at = find(q, p, n);
        if (at == q->count) return -1;
        if (claim) q->claimed[at] = true;
        p += n + (p[n] == ' ');
    }
    return count;
}

static bool better(const struct io_ptx_instruction *in, const struct form_spelling *s, int words,
                   const struct form_spelling *best, int best_words)
{
    if (!best || words != best_words) return !best || words > best_words;
    return in->has_value && tmap_form_takes_value(s->form, in->value) &&
           !tmap_form_takes_value(best->form, in->value);
}

/* The instruction's own form: the spelling that names most of its words. */
static const struct form_spelling *own_form(const struct io_ptx_instruction *in,
                                            const char *operation, struct qualifiers *q)
{
    const struct form_spelling *s, *best = NULL;
    int best_words = 0;
    for (size_t i = 0; (s = tmap_form_spelling(i)) != NULL; i++) {
        if (tmap_form_is_modifier(s->form) || strcmp(s->operation, operation) != 0) continue;
        int words = match(q, s->qualifiers, false);
        if (words >= 0 && better(in, s, words, best, best_words)) {
            best = s;
            best_words = words;
        }
    }
    return best;
}

static void add_modifiers(struct io_ptx_instruction *in, const char *operation,
                          struct qualifiers *q)
{
    const struct form_spelling *s;
    for (size_t i = 0; (s = tmap_form_spelling(i)) != NULL; i++) {
        if (!tmap_form_is_modifier(s->form) || strcmp(s->operation, operation) != 0) continue;
        if (match(q, s->qualifiers, false) < 0 || in->forms == IO_PTX_MAX_FORMS) continue;
        match(q, s->qualifiers, true);
        in->form[in->forms++] = s->form;
    }
}

/* The .1d to .5d, which is no qualifier of a form. */
static uint32_t take_dim(struct qualifiers *q)
{
    for (size_t i = 0; i < q->count; i++) {
        const char *w = q->word[i].text;
        if (q->word[i].length != 2 || w[0] < '1' || w[0] > '5' || w[1] != 'd') continue;
        q->claimed[i] = true;
        return (uint32_t)(w[0] - '0');
    }
    return 0;
}

static bool all_claimed(const struct qualifiers *q)
{
    for (size_t i = 0; i < q->count; i++)
        if (!q->claimed[i]) return false;
    return true;
}

bool io_ptx_classify(struct io_ptx_instruction *in)
{
    struct word text = {in->text, in->length};
    const char *operation = operation_of(text);
    bool only_tma = has_prefix(text, "cp.async.bulk") || has_prefix(text, "cp.reduce.async.bulk") ||
                    has_prefix(text, "tensormap.");
    in->forms = 0;
    if (!operation) return only_tma;
    size_t n = strlen(operation);
    bool tensor = n > 7 && strcmp(operation + n - 7, ".tensor") == 0;
    struct qualifiers q;
    split((struct word){in->text + n, in->length - n}, tensor, &q);
    in->dim = take_dim(&q);
    const struct form_spelling *own = own_form(in, operation, &q);
    if (!own) return only_tma;
    match(&q, own->qualifiers, true);
    in->form[in->forms++] = own->form;
    add_modifiers(in, operation, &q);
    /* A tensor copy has no qualifier that some form does not name; one that remains is unknown. */
    if (tensor && !all_claimed(&q)) in->forms = 0;
    return true;
}

static struct io_ptx_answer answer(enum tmap_verdict verdict, enum io_ptx_reason reason,
                                   enum tmap_form form, uint32_t min_ptx)
{
    return (struct io_ptx_answer){verdict, reason, form, min_ptx, false};
}

static struct io_ptx_answer check_form(const struct io_ptx_instruction *in, enum tmap_form form,
                                       const struct tmap_target *target)
{
    uint32_t min_ptx;
    enum tmap_verdict verdict = tmap_form_available(form, target, &min_ptx);
    if (verdict == TMAP_UNKNOWN) return answer(verdict, IO_PTX_TARGET_UNCOVERED, form, 0);
    if (!tmap_form_takes_dim(form, in->dim))
        return answer(TMAP_ILLEGAL, IO_PTX_NO_SUCH_DIM, form, 0);
    if (tmap_form_has_value(form) && in->has_value && !tmap_form_takes_value(form, in->value))
        return answer(TMAP_ILLEGAL, IO_PTX_NO_SUCH_VALUE, form, 0);
    if (!min_ptx) return answer(TMAP_ILLEGAL, IO_PTX_NOT_ON_TARGET, form, 0);
    if (verdict == TMAP_ILLEGAL) return answer(verdict, IO_PTX_NEEDS_VERSION, form, min_ptx);
    return answer(TMAP_LEGAL, IO_PTX_AVAILABLE, form, min_ptx);
}

/* Which of two answers about parts stands for the whole: the later reason of enum io_ptx_reason has
 * less weight, except that an uncovered target outweighs all. */
static bool outweighs(const struct io_ptx_answer *a, const struct io_ptx_answer *b)
{
    static const int weight[] = {0, 6, 5, 4, 3, 2, 7};
    if (a->reason == b->reason) return a->min_ptx > b->min_ptx;
    return weight[a->reason] > weight[b->reason];
}

struct io_ptx_answer io_ptx_check(const struct io_ptx_instruction *in,
                                  const struct tmap_target *target)
{
    if (!in->forms) return answer(TMAP_UNKNOWN, IO_PTX_NO_FORM, TMAP_FORM_COUNT, 0);
    struct io_ptx_answer whole = check_form(in, in->form[0], target);
    bool is_call = tmap_form_is_call(in->form[0], target->arch);
    for (uint32_t i = 1; i < in->forms; i++) {
        struct io_ptx_answer part = check_form(in, in->form[i], target);
        if (outweighs(&part, &whole)) whole = part;
        is_call = is_call || tmap_form_is_call(in->form[i], target->arch);
    }
    whole.is_call = is_call && whole.verdict == TMAP_LEGAL;
    return whole;
}

enum tmap_verdict io_ptx_check_module(const struct io_ptx_module *module, uint32_t *min_ptx)
{
    struct tmap_target target = {.ptx = module->version, .arch = module->arch};
    *min_ptx = tmap_arch_first_ptx(module->arch);
    if (!module->version || !*min_ptx) return TMAP_UNKNOWN;
    if (tmap_form_available((enum tmap_form)0, &target, NULL) == TMAP_UNKNOWN) return TMAP_UNKNOWN;
    return module->version >= *min_ptx ? TMAP_LEGAL : TMAP_ILLEGAL;
}

const char *io_ptx_reason_text(enum io_ptx_reason reason)
{
    static const char *const text[] = {
        [IO_PTX_AVAILABLE] = "available",
        [IO_PTX_NO_FORM] = "no recorded form has these qualifiers together",
        [IO_PTX_NO_SUCH_DIM] = "the form does not exist with this dimension",
        [IO_PTX_NO_SUCH_VALUE] = "no assembler takes this immediate",
        [IO_PTX_NOT_ON_TARGET] = "no PTX version has it on this target",
        [IO_PTX_NEEDS_VERSION] = "this target has it from a later PTX version on",
        [IO_PTX_TARGET_UNCOVERED] = "no source covers this architecture or PTX version"};
    return (size_t)reason < sizeof text / sizeof text[0] ? text[reason] : "";
}
