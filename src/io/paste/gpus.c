/* gpus.c : the GPU that a text is about, by its name or by what it alone has (hint.h). */
#define _GNU_SOURCE /* memmem */
#include "io/paste/hint.h"

#include "expr/row.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const struct io_stream *s, const char *word)
{
    const char *end = s->text + s->size, *at = s->text;
    const size_t n = strlen(word);

    while ((at = memmem(at, (size_t)(end - at), word, n))) {
        const bool begins = at == s->text || !is_word(at[-1]);
        if (begins && (at + n == end || !is_word(at[n]))) return true;
        at += n;
    }
    return false;
}

/* Whether the default target refuses the descriptor for its type alone, and that one does not. */
static bool has_type(const struct tmap_desc *desc, tmap_arch arch)
{
    struct tmap_target target = tmap_default_target();
    struct tmap_desc type = {.dtype = desc->dtype, .rank = 1};
    struct tmap_violation found[64];
    bool refused[2] = {false, false};
    size_t count;

    for (int i = 0; i < 2; i++) {
        if (tmap_check(&type, &target, TMAP_CONTRACT_SAFE, found, 64, &count) != TMAP_OK)
            return false;
        for (size_t k = 0; k < count && k < 64; k++) refused[i] |= found[k].row == ROW_TMA013;
        target.arch = arch;
    }
    return refused[0] && !refused[1];
}

static const struct {
    const char *name, *arch;
} gpus[] = {
#define GPU(name, arch) {name, arch},
#include "io/paste/gpus.def"
#undef GPU
};

const char *io_hint_gpu(const char *name)
{
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
        if (strcasecmp(gpus[i].name, name) == 0) return gpus[i].arch;
    return NULL;
}

tmap_arch io_hint_arch(const struct io_stream *stream, const struct tmap_desc *desc, char *why,
                       size_t size)
{
    const tmap_arch usual = tmap_default_target().arch;

    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        const tmap_arch arch = tmap_arch_find(gpus[i].arch);
        if (!has_word(stream, gpus[i].name)) continue;
        snprintf(why, size, "the text speaks of %s", gpus[i].name);
        return arch == usual ? 0 : arch;
    }
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        const tmap_arch arch = tmap_arch_find(gpus[i].arch);
        if (!has_type(desc, arch)) continue;
        snprintf(why, size, "%s has no such type", tmap_arch_name(usual));
        return arch;
    }
    return 0;
}
