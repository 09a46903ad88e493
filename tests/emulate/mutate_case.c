/* Kernels with mistakes: made from a corpus and a number, and run. */
#include "emulate/mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/splitmix.h"

enum { MOST_KERNEL = 120000, BUFFER_BYTES = 1 << 16, BUFFERS = 3, MOST_PARAMS = 4096 };

/* --- the corpus */

static bool part_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '%' || c == '.' || c == '$' || c == ':';
}

static void add_words(struct mutate_corpus *c, const char *text)
{
    for (const char *p = text; *p && c->words < MUTATE_WORDS;) {
        while (*p && !part_of_word(*p)) p++;
        const char *start = p;
        while (*p && part_of_word(*p)) p++;
        const size_t n = (size_t)(p - start);
        bool known = n == 0 || n > 60;
        for (size_t i = 0; i < c->words && !known; i++)
            known = strlen(c->word[i]) == n && memcmp(c->word[i], start, n) == 0;
        if (known) continue;
        char *word = strndup(start, n);
        if (word) c->word[c->words++] = word;
    }
}

static void add_kernel(struct mutate_corpus *c, const char *head, size_t head_bytes,
                       const char *kernel, size_t bytes)
{
    if (bytes > MOST_KERNEL || c->count == MUTATE_KERNELS) return;
    char *text = malloc(head_bytes + bytes + 1);
    if (!text) return;
    memcpy(text, head, head_bytes);
    memcpy(text + head_bytes, kernel, bytes);
    text[head_bytes + bytes] = 0;
    c->text[c->count++] = text;
    add_words(c, text);
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    const long bytes = ftell(f);
    rewind(f);
    char *text = malloc((size_t)bytes + 1);
    const size_t got = text ? fread(text, 1, (size_t)bytes, f) : 0;
    if (text) text[got] = 0;
    fclose(f);
    return text;
}

void mutate_add(struct mutate_corpus *c, const char *path)
{
    char *text = read_file(path);
    if (!text) {
        fprintf(stderr, "%s cannot be read\n", path);
        return;
    }
    const char *first = strstr(text, "\n.visible .entry"), *at = first;
    while (at) {
        const char *next = strstr(at + 1, "\n.visible .entry");
        add_kernel(c, text, (size_t)(first - text), at, next ? (size_t)(next - at) : strlen(at));
        at = next;
    }
    free(text);
}

/* --- mistakes */

struct text {
    char *at;
    size_t bytes, room;
};

static uint32_t below(uint64_t *r, size_t n)
{
    return n ? (uint32_t)((splitmix(r) >> 20) % n) : 0;
}

/* [from, to) becomes n bytes of `with`. */
static void splice(struct text *t, size_t from, size_t to, const char *with, size_t n)
{
    const size_t bytes = t->bytes - (to - from) + n;
    if (from > to || to > t->bytes || bytes + 1 > t->room) return;
    char *copy = malloc(n + 1); /* `with` may lie in the text itself */
    if (!copy) return;
    memcpy(copy, with, n);
    memmove(t->at + from + n, t->at + to, t->bytes - to);
    memcpy(t->at + from, copy, n);
    t->bytes = bytes;
    t->at[bytes] = 0;
    free(copy);
}

static size_t body(const struct text *t)
{
    const char *at = strstr(t->at, ".entry");
    return at ? (size_t)(at - t->at) : 0;
}

/* A word from a random place on; mostly of the kernel's body. */
static bool word_at(const struct text *t, uint64_t *r, size_t *from, size_t *to)
{
    const size_t start = below(r, 8) ? body(t) : 0;
    size_t i = start + below(r, t->bytes - start);
    while (i < t->bytes && !part_of_word(t->at[i])) i++;
    while (i > 0 && part_of_word(t->at[i - 1])) i--;
    *from = i;
    while (i < t->bytes && part_of_word(t->at[i])) i++;
    *to = i;
    return *to > *from;
}

static void line_at(const struct text *t, uint64_t *r, size_t *from, size_t *to)
{
    const size_t start = below(r, 8) ? body(t) : 0;
    size_t i = start + below(r, t->bytes - start);
    while (i > 0 && t->at[i - 1] != '\n') i--;
    *from = i;
    while (i < t->bytes && t->at[i] != '\n') i++;
    *to = i < t->bytes ? i + 1 : i;
}

static void a_number(struct text *t, uint64_t *r)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "7",
                                          "8",
                                          "15",
                                          "16",
                                          "31",
                                          "32",
                                          "64",
                                          "127",
                                          "128",
                                          "255",
                                          "256",
                                          "1024",
                                          "4095",
                                          "65535",
                                          "65536",
                                          "99999",
                                          "0x7fffffff",
                                          "0x80000000",
                                          "0xffffffff",
                                          "0x100000000",
                                          "0x7fffffffffffffff",
                                          "0xffffffffffffffff",
                                          "0f7F800000",
                                          "0f7FC00000"};
    for (int tries = 0; tries < 30; tries++) {
        size_t from, to;
        if (!word_at(t, r, &from, &to)) continue;
        while (from < to && !isdigit((unsigned char)t->at[from])) from++;
        if (from == to) continue;
        const char *n = numbers[below(r, sizeof numbers / sizeof *numbers)];
        splice(t, from, to, n, strlen(n));
        return;
    }
}

/* One qualifier of an instruction for one of another. */
static void a_qualifier(const struct mutate_corpus *c, struct text *t, uint64_t *r)
{
    const char *word = c->word[below(r, c->words)], *with = strchr(word, '.');
    for (int tries = 0; with && tries < 30; tries++) {
        size_t from, to;
        if (!word_at(t, r, &from, &to)) continue;
        while (from < to && t->at[from] != '.') from++;
        if (from == to) continue;
        size_t end = from + 1;
        while (end < to && t->at[end] != '.') end++;
        const char *stop = strchr(with + 1, '.');
        splice(t, from, end, with, stop ? (size_t)(stop - with) : strlen(with));
        return;
    }
}

static void a_line(const struct mutate_corpus *c, struct text *t, uint64_t *r, uint32_t what)
{
    size_t from, to, other, other_end;
    line_at(t, r, &from, &to);
    line_at(t, r, &other, &other_end);
    if (what == 0) splice(t, from, to, "", 0);
    if (what == 1) splice(t, from, from, t->at + other, other_end - other);
    if (what == 2) {
        const char *text = c->text[below(r, c->count)];
        const struct text foreign = {(char *)(uintptr_t)text, strlen(text), 0};
        line_at(&foreign, r, &other, &other_end);
        splice(t, from, from, text + other, other_end - other);
    }
}

static void mistake(const struct mutate_corpus *c, struct text *t, uint64_t *r)
{
    size_t from, to, other, other_end;
    const uint32_t what = below(r, 12);
    const char *word = c->word[below(r, c->words)];
    if (t->bytes < 2) return;
    if (what < 3) a_line(c, t, r, what);
    if (what == 3 || what == 4) a_number(t, r);
    if (what == 5 || what == 6) a_qualifier(c, t, r);
    if (what == 7 && word_at(t, r, &from, &to)) splice(t, from, to, word, strlen(word));
    if ((what == 8 || what == 9) && word_at(t, r, &from, &to) && word_at(t, r, &other, &other_end))
        splice(t, from, to, t->at + other, other_end - other);
    if (what == 10)
        t->at[below(r, t->bytes)] = (char)(below(r, 8) ? 32 + below(r, 95) : below(r, 256));
    if (what == 11 && below(r, 4) == 0) splice(t, below(r, t->bytes), t->bytes, "", 0);
    t->bytes = strlen(t->at);
}

static uint64_t start_of(uint64_t seed, uint64_t number)
{
    uint64_t r = seed * 0x9e3779b97f4a7c15u + number;
    splitmix(&r);
    return r;
}

char *mutate_text(const struct mutate_corpus *c, uint64_t seed, uint64_t number)
{
    uint64_t r = start_of(seed, number);
    const char *from = c->text[below(&r, c->count)];
    struct text t = {.bytes = strlen(from)};
    t.room = 2 * t.bytes + 4096;
    t.at = malloc(t.room);
    if (!t.at) return NULL;
    memcpy(t.at, from, t.bytes + 1);
    for (uint32_t n = 1 + below(&r, 1 + below(&r, 5)); n > 0; n--) mistake(c, &t, &r);
    return t.at;
}

/* --- running */

#define BUFFER_AT 0x100000000ull

static uint64_t buffer_address(uint64_t *r)
{
    return BUFFER_AT * (1 + below(r, BUFFERS));
}

static struct tmap_map some_map(uint64_t *r)
{
    static const int32_t swizzles[] = {TMAP_SWIZZLE_NONE, TMAP_SWIZZLE_32B, TMAP_SWIZZLE_64B,
                                       TMAP_SWIZZLE_128B};
    const struct tmap_target target = tmap_default_target();
    const struct tmap_desc d = {.dtype = TMAP_BFLOAT16,
                                .rank = 1 + below(r, 5),
                                .address = buffer_address(r),
                                .dim = {64, 4, 2, 2, 2},
                                .stride_bytes = {128, 512, 1024, 2048},
                                .box = {8u << below(r, 4), 1 + below(r, 4), 1, 1, 1},
                                .elem_stride = {1, 1, 1, 1, 1},
                                .swizzle = swizzles[below(r, 4)]};
    struct tmap_checker checker;
    struct tmap_map map;
    memset(&map, (int)below(r, 256), sizeof map);
    if (tmap_checker_prepare(&target, TMAP_CONTRACT_HARDWARE, &checker) == TMAP_OK)
        (void)tmap_encode(&checker, &d, &map);
    return map;
}

static size_t parameters(const struct tmap_emulate_module *m, const char *kernel, uint64_t *r,
                         uint8_t *block)
{
    uint32_t offset, bytes;
    size_t end = 0;
    const bool addresses = below(r, 4) != 0;
    memset(block, 0, MOST_PARAMS);
    for (size_t i = 0; tmap_emulate_param(m, kernel, i, &offset, &bytes, NULL); i++) {
        end = (size_t)offset + bytes;
        if (end > MOST_PARAMS) return end; /* refused by the size, or it is a mistake too */
        for (uint32_t at = 0; at + 8 <= bytes; at += 8) {
            const uint64_t v = addresses || below(r, 2) ? buffer_address(r) : below(r, 200);
            memcpy(block + offset + at, &v, 8);
        }
        const uint32_t small = below(r, 70);
        if (bytes == 4) memcpy(block + offset, &small, 4);
        for (uint32_t at = 0; at + 128 <= bytes; at += 128) {
            const struct tmap_map map = some_map(r);
            if (below(r, 4)) memcpy(block + offset + at, &map, sizeof map);
        }
    }
    return end;
}

static void run(const struct tmap_emulate_module *m, uint64_t *r, struct mutate_outcome *o)
{
    static uint8_t data[BUFFERS][BUFFER_BYTES], block[MOST_PARAMS];
    static const uint32_t threads[] = {128, 32, 160, 256, 384, 33};
    struct tmap_emulate_finding finding[16];
    struct tmap_emulate_result result;
    struct tmap_emulate_buffer buffer[BUFFERS];
    size_t found = 0;
    for (int i = 0; i < BUFFERS; i++)
        buffer[i] = (struct tmap_emulate_buffer){BUFFER_AT * (uint64_t)(1 + i), BUFFER_BYTES,
                                                 data[i], "data"};
    struct tmap_emulate_launch l = {.kernel = tmap_emulate_kernel(m, 0),
                                    .smem_bytes = 1024 * below(r, 200),
                                    .params = block,
                                    .buffers = buffer,
                                    .buffer_count = BUFFERS,
                                    .schedule = (enum tmap_emulate_schedule)below(r, 3),
                                    .seed = splitmix(r),
                                    .budget = 3000,
                                    .overlap = below(r, 2)};
    if (!l.kernel) return;
    l.grid[0] = 1 + below(r, 4);
    l.grid[1] = l.grid[2] = 1;
    if (below(r, 4) == 0) l.cluster[0] = l.grid[0], l.cluster[1] = l.cluster[2] = 1;
    l.param_bytes = parameters(m, l.kernel, r, block);
    if (l.param_bytes > MOST_PARAMS) return;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        l.block[0] = threads[i], l.block[1] = l.block[2] = 1;
        if (tmap_emulate_run(m, &l, finding, 16, &found, &result) != TMAP_OK) continue;
        o->ran = true;
        o->finished = result.finished;
        for (size_t k = 0; k < found && k < 16; k++) o->kinds |= 1u << finding[k].kind;
        return;
    }
}

struct mutate_outcome mutate_case(const struct mutate_corpus *c, uint64_t seed, uint64_t number)
{
    struct mutate_outcome o = {0};
    uint64_t r = start_of(seed, number) ^ 0x5555;
    struct tmap_emulate_module *m = NULL;
    struct tmap_emulate_error error;
    char *text = mutate_text(c, seed, number);
    if (!text) return o;
    o.loaded = tmap_emulate_load(text, strlen(text), &m, &error) == TMAP_OK;
    if (o.loaded) run(m, &r, &o);
    tmap_emulate_free(m);
    free(text);
    return o;
}
