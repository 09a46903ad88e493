/* shown.c : see shown.h. Sources: torch/_inductor/config.py (triton.use_tensor_descriptor), and
 * triton/experimental/gluon/language/nvidia/hopper/tma.py. */
#define _GNU_SOURCE /* memmem */
#include "io/paste/shown.h"

#include "core/layout.h"
#include "io/paste/dump_fields.h"
#include "io/paste/param.h"
#include "io/paste/source_args.h"
#include "io/paste/tensor.h"
#include "io/paste/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 2000 };

/* The text as Python's without its comments; NULL without memory. */
static char *without_comments(struct io_stream *s)
{
    char *text = malloc(s->size + 1);

    if (!text) return s->no_memory = true, NULL;
    memcpy(text, s->text, s->size);
    text[s->size] = 0;
    for (size_t i = 0; i < s->size; i++)
        if (text[i] == '#')
            while (i < s->size && text[i] != '\n') text[i++] = ' ';
    return text;
}

static bool has(const struct io_source *s, const char *word)
{
    return io_dump_word(s->text, s->end, word);
}

/* "x[1:]" of a function's parameter: how far it begins behind a multiple of 16 bytes; 0 where that
 * is not known. */
static int64_t odd_bytes(struct io_source *s, const char *at, const char *end)
{
    const char *p = at, *call = NULL, *from, *to;
    char name[IO_SOURCE_NAME] = "";
    struct io_tensor t;

    s->use = at;
    io_source_word(&p, end, name); /* odd_slice() has seen one */
    if (!io_param_given(s, name, &call, &from, &to)) return 0;
    if (!io_tensor_of(s, at, end, &t) || t.dtype < 0) return 0;
    return t.offset * (int64_t)(layout_gmem_bits(t.dtype) / 8) % 16;
}

/* A slice in a text that wants descriptors made of what is compiled, and no alignment checked. */
static const char *odd_slice(struct io_source *s, char *told, size_t size)
{
    if (!has(s, "use_tensor_descriptor") || !has(s, "assume_aligned_inputs")) return NULL;
    for (const char *p = s->text; (p = memchr(p, '[', (size_t)(s->end - p))); p++) {
        const char *name = p, *behind = io_source_behind(p, s->end);
        while (name > s->text && io_dump_is_word(name[-1])) name--;
        if (name == p || isdigit((unsigned char)*name) || !behind) continue;
        const int64_t bytes = odd_bytes(s, name, behind);
        if (bytes == 0) continue;
        snprintf(told, size,
                 "TMA018: the address is not a multiple of 16: %.*s begins %d bytes behind one, "
                 "and use_tensor_descriptor makes a map of it (tmap explain TMA018)",
                 (int)(behind - name), name, (int)bytes);
        return name;
    }
    return NULL;
}

/* Whether the name is set to a buffer of a barrier's layout, and to nothing else. */
static bool is_barrier(struct io_source *s, const char *name)
{
    const char *at = s->text, *from, *to;
    int found = 0;

    for (;; found++) {
        if (s->looks-- <= 0) return false;
        if (!io_source_setting(s, name, -1, &at, &from, &to)) return found > 0;
        if (!memmem(from, (size_t)(to - from), "allocate_shared_memory", 22) ||
            !memmem(from, (size_t)(to - from), "MBarrierLayout", 14))
            return false;
    }
}

/* The buffer of Gluon's copies is their last argument by place. */
static const char *barrier_as_buffer(struct io_source *s, char *told, size_t size)
{
    static const struct {
        const char *name;
        int place;
    } copies[] = {{"async_copy_global_to_shared", 3}, {"async_copy_shared_to_global", 2}};

    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        for (const char *p = s->text; (p = io_dump_word(p, s->end, copies[i].name)); p++) {
            const char *open = p + strlen(copies[i].name), *behind;
            char name[IO_SOURCE_NAME];
            struct io_source_args args;
            if (*open != '(' || !io_source_args(s, open + 1, s->end, NULL, &args, &behind) ||
                args.count <= copies[i].place)
                continue;
            const char *at = args.at[copies[i].place];
            s->use = p;
            if (!io_source_word(&at, s->end, name) || !is_barrier(s, name)) continue;
            snprintf(told, size,
                     "no rule of the descriptor: %s, which the copy uses, is allocated with "
                     "MBarrierLayout: it must have the NVMMASharedLayout of the descriptor",
                     name);
            return p;
        }
    return NULL;
}

bool io_shown(struct io_stream *stream, char told[IO_ERROR_SIZE], size_t *line)
{
    if (stream->size > IO_PASTE) return false;
    char *text = without_comments(stream);
    if (!text) return false;
    struct io_source source = {.text = text,
                               .end = text + stream->size,
                               .python = true,
                               .use = text,
                               .looks = LOOKS,
                               .attribute = io_tensor_attribute};
    const char *at = odd_slice(&source, told, IO_ERROR_SIZE);

    if (!at) at = barrier_as_buffer(&source, told, IO_ERROR_SIZE);
    *line = 1;
    for (const char *p = text; at && p < at; p++) *line += *p == '\n';
    free(text);
    return at;
}
