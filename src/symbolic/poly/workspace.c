/* workspace.c : the arena, the tables of variables and monomials, text, and a little arithmetic. */
#include "symbolic/poly/workspace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 * 1024 };

struct sym_block {
    struct sym_block *next;
    size_t used, cap;
    _Alignas(16) unsigned char bytes[];
};

static void *give(const struct tmap_allocator *a, size_t bytes)
{
    return a && a->allocate ? a->allocate(a->user, bytes) : malloc(bytes);
}

static void take_back(const struct tmap_allocator *a, void *p)
{
    if (a && a->release) {
        a->release(a->user, p);
    } else {
        free(p);
    }
}

bool sym_open(struct sym_work *w, const struct tmap_allocator *allocator)
{
    memset(w, 0, sizeof *w);
    w->allocator = allocator;
    w->mono = sym_take(w, SYM_MAX_MONOS * sizeof *w->mono);
    w->n_monos = 1;
    w->n_vars = SYM_MAX_PARAMS;
    return w->mono != NULL;
}

bool sym_fork(struct sym_work *w, const struct sym_work *of, const struct tmap_allocator *allocator)
{
    *w = *of;
    w->allocator = allocator;
    w->blocks = NULL;
    w->status = TMAP_OK;
    w->mono = sym_take(w, SYM_MAX_MONOS * sizeof *w->mono);
    if (w->mono) memcpy(w->mono, of->mono, of->n_monos * sizeof *w->mono);
    return w->mono != NULL;
}

void sym_close(struct sym_work *w)
{
    for (struct sym_block *b = w->blocks; b;) {
        struct sym_block *next = b->next;
        take_back(w->allocator, b);
        b = next;
    }
    w->blocks = NULL;
}

void *sym_take(struct sym_work *w, size_t bytes)
{
    size_t need = (bytes + 15) & ~(size_t)15;
    struct sym_block *b = w->blocks;
    if (!b || b->cap - b->used < need) {
        size_t cap = need > BLOCK_BYTES ? need : BLOCK_BYTES;
        b = give(w->allocator, sizeof *b + cap);
        if (!b) return sym_fail(w, TMAP_E_MEMORY, "out of memory");
        b->next = w->blocks;
        b->used = 0;
        b->cap = cap;
        w->blocks = b;
    }
    void *p = b->bytes + b->used;
    b->used += need;
    return memset(p, 0, need);
}

const char *sym_copy(struct sym_work *w, const char *text, size_t length)
{
    char *p = sym_take(w, length + 1);
    return p ? memcpy(p, text, length) : NULL;
}

void *sym_fail(struct sym_work *w, enum tmap_status status, const char *format, ...)
{
    if (w->status != TMAP_OK) return NULL;
    va_list args;
    va_start(args, format);
    w->status = status;
    vsnprintf(w->why, sizeof w->why, format, args);
    va_end(args);
    return NULL;
}

int sym_param(struct sym_work *w, const char *name, size_t length)
{
    for (size_t i = 0; i < w->n_params; i++) {
        if (strlen(w->var[i].name) == length && !memcmp(w->var[i].name, name, length)) {
            return (int)i;
        }
    }
    if (w->n_params == SYM_MAX_PARAMS) {
        sym_fail(w, TMAP_E_ARGUMENT, "more than %d parameters", SYM_MAX_PARAMS);
        return -1;
    }
    const char *copy = sym_copy(w, name, length);
    if (!copy) return -1;
    w->var[w->n_params] = (struct sym_var){.name = copy};
    return (int)w->n_params++;
}

static int intern(struct sym_work *w, const struct sym_mono *m)
{
    for (size_t i = 0; i < w->n_monos; i++) {
        if (!memcmp(&w->mono[i], m, sizeof *m)) return (int)i;
    }
    if (w->n_monos == SYM_MAX_MONOS) {
        sym_fail(w, TMAP_E_BUDGET, "more than %d products of parameters", SYM_MAX_MONOS);
        return -1;
    }
    w->mono[w->n_monos] = *m;
    return (int)w->n_monos++;
}

int sym_mono_var(struct sym_work *w, int var)
{
    struct sym_mono m = {.degree = 1};
    m.var[0] = (uint8_t)var;
    return intern(w, &m);
}

int sym_mono_of(struct sym_work *w, int a, int b)
{
    const struct sym_mono *x = &w->mono[a], *y = &w->mono[b];
    struct sym_mono m = {0};
    if (x->degree + y->degree > SYM_MAX_DEGREE) {
        sym_fail(w, TMAP_E_BUDGET, "a product of more than %d factors", SYM_MAX_DEGREE);
        return -1;
    }
    for (int i = 0, j = 0; i < x->degree || j < y->degree;) {
        bool left = j == y->degree || (i < x->degree && x->var[i] <= y->var[j]);
        m.var[m.degree++] = left ? x->var[i++] : y->var[j++];
    }
    return intern(w, &m);
}

void sym_put(struct sym_text *t, const char *format, ...)
{
    size_t room = t->length < t->cap ? t->cap - t->length : 0;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(room ? t->at + t->length : NULL, room, format, args);
    va_end(args);
    t->length += n > 0 ? (size_t)n : 0;
}

const char *sym_digits(sym_int value, char *buffer)
{
    char *p = buffer + 43;
    __extension__ typedef unsigned __int128 wide;
    wide u = value < 0 ? -(wide)value : (wide)value;
    *p = 0;
    do {
        *--p = (char)('0' + (int)(u % 10));
        u /= 10;
    } while (u);
    if (value < 0) *--p = '-';
    return p;
}

void sym_put_int(struct sym_text *t, sym_int value)
{
    char buffer[44];
    sym_put(t, "%s", sym_digits(value, buffer));
}

sym_int sym_gcd(sym_int a, sym_int b)
{
    while (b) {
        sym_int r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

sym_int sym_floordiv(sym_int a, sym_int b)
{
    sym_int q = a / b;
    return a % b < 0 ? q - 1 : q;
}

sym_int sym_floormod(sym_int a, sym_int b)
{
    sym_int r = a % b;
    return r < 0 ? r + b : r;
}
