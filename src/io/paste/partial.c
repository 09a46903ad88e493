/* partial.c : see partial.h. */
#include "io/paste/partial.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 32 };      /* violated rules of one descriptor */
enum { RULE_WORDS = 4 }; /* a bit a rule */

/* A type of each width, and how many of its elements make a row that suits every swizzle: 32 bytes,
 * or the row of a packed type, which only newer GPUs have. */
static const struct {
    enum tmap_dtype dtype;
    unsigned row;
    const char *arch; /* NULL: the default one */
} types[] = {
    {TMAP_UINT8, 32, NULL},
    {TMAP_BFLOAT16, 16, NULL},
    {TMAP_FLOAT32, 8, NULL},
    {TMAP_FLOAT64, 4, NULL},
    {TMAP_16U4_ALIGN8B, 64, "sm_100a"},
    {TMAP_16U4_ALIGN16B, 128, "sm_100a"},
    {TMAP_16U6_ALIGN16B, 128, "sm_100a"},
};
static const int32_t swizzles[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B,
                                   TMAP_SWIZZLE_128B};
enum { TYPES = sizeof types / sizeof types[0], SWIZZLES = sizeof swizzles / sizeof swizzles[0] };

static void add(char *out, size_t size, const char *name, int index)
{
    const size_t used = strlen(out);
    snprintf(out + used, size - used, index < 0 ? "%s%s" : "%s%s[%d]", used ? ", " : "", name,
             index);
}

/* A list of which nothing is said by its name alone, else each entry. */
static void add_list(char *out, size_t size, const char *name, unsigned unsaid, int count)
{
    const unsigned all = count > 0 ? (1u << count) - 1 : 0;

    if (count > 0 && (unsaid & all) == all)
        add(out, size, name, -1);
    else
        for (int i = 0; i < count; i++)
            if (unsaid & 1u << i) add(out, size, name, i);
}

void io_unsaid_names(const struct io_unsaid *u, uint32_t rank, char *out, size_t size)
{
    const int n = rank < TMAP_MAX_RANK ? (int)rank : TMAP_MAX_RANK;

    out[0] = 0;
    if (u->dtype) add(out, size, "dtype", -1);
    add_list(out, size, "dim", u->dim, n);
    add_list(out, size, "stride", u->stride, n - 1);
    add_list(out, size, "box", u->box, n);
    add_list(out, size, "elem_stride", u->elem_stride, n);
    if (u->swizzle) add(out, size, "swizzle", -1);
}

/* Values that break no rule by themselves. */
static void fill(struct tmap_desc *d, const struct io_unsaid *u, int type, int swizzle)
{
    const int n = d->rank < TMAP_MAX_RANK ? (int)d->rank : TMAP_MAX_RANK;

    if (u->dtype) d->dtype = types[type].dtype;
    if (u->swizzle) d->swizzle = swizzles[swizzle];
    for (int i = 0; i < n; i++) {
        const unsigned bit = 1u << i;
        if (u->dim & bit) d->dim[i] = 1 << 16;
        if (i + 1 < n && u->stride & bit) d->stride_bytes[i] = (uint64_t)1 << (20 + i);
        if (u->box & bit) d->box[i] = i > 0 ? 8 : types[u->dtype ? type : 0].row;
        if (u->elem_stride & bit) d->elem_stride[i] = 1;
    }
}

/* The default target, or of a type that it lacks one that has it. */
static struct tmap_target target_of(enum tmap_dtype dtype)
{
    struct tmap_target target = tmap_default_target();

    for (int i = 0; i < TYPES; i++)
        if (types[i].dtype == dtype && types[i].arch) target.arch = tmap_arch_find(types[i].arch);
    return target;
}

/* A row of a known type: of 32 bytes, or of a packed type. */
static void fill_row(struct tmap_desc *d, const struct io_unsaid *u)
{
    struct tmap_desc trial = *d;
    struct tmap_violation found[1];
    const struct tmap_target target = target_of(d->dtype);
    size_t count;

    if (u->dtype || !(u->box & 1)) return;
    for (unsigned wide = 128; wide >= 2; wide /= 2) {
        trial.box[0] = d->box[0] = wide;
        if (tmap_check(&trial, &target, TMAP_CONTRACT_SAFE, found, 1, &count) == TMAP_OK &&
            count == 0)
            return;
    }
}

struct search {
    struct tmap_desc best;
    size_t least;                /* violations of the best */
    uint64_t always[RULE_WORDS]; /* the rules that every choice so far violates, a bit each */
};

static void try_one(struct search *s, const struct tmap_desc *desc)
{
    const struct tmap_target target = target_of(desc->dtype);
    struct tmap_violation found[MOST];
    uint64_t rules[RULE_WORDS] = {0};
    size_t count = 0;

    if (tmap_check(desc, &target, TMAP_CONTRACT_SAFE, found, MOST, &count) != TMAP_OK) count = 0;
    for (size_t i = 0; i < count && i < MOST; i++)
        if (found[i].row < 64 * RULE_WORDS)
            rules[found[i].row / 64] |= (uint64_t)1 << found[i].row % 64;
    for (int i = 0; i < RULE_WORDS; i++) s->always[i] &= rules[i];
    if (count >= s->least) return;
    s->least = count;
    s->best = *desc;
}

static bool is_illegal_anyhow(struct tmap_desc *desc, const struct io_unsaid *u)
{
    struct search s = {.least = SIZE_MAX, .always = {~0ull, ~0ull, ~0ull, ~0ull}};

    for (int type = 0; type < (u->dtype ? TYPES : 1); type++)
        for (int swizzle = 0; swizzle < (u->swizzle ? SWIZZLES : 1); swizzle++) {
            struct tmap_desc trial = *desc;
            fill(&trial, u, type, swizzle);
            fill_row(&trial, u);
            try_one(&s, &trial);
        }
    if (!(s.always[0] | s.always[1] | s.always[2] | s.always[3])) return false;
    *desc = s.best;
    return true;
}

void io_partial_settle(struct io_record *record, const struct io_unsaid *u, const char *why)
{
    char *names = record->absent;

    if (!(u->dtype || u->swizzle || u->dim || u->stride || u->box || u->elem_stride)) return;
    io_unsaid_names(u, record->desc.rank, names, sizeof record->absent);
    if (!names[0]) return;
    if (is_illegal_anyhow(&record->desc, u)) {
        record->flags |= IO_PARTIAL;
        return;
    }
    if (why)
        io_fail(record, "", "%s", why);
    else
        io_fail(record, "",
                "not in this text: %s; tmap trace -- PROGRAM sees all, or say them: tmap check "
                "--dtype ... --dim ... --box ...",
                names);
}
