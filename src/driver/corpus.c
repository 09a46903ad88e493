/* corpus.c : reading and writing the packed form (corpus.h). */
#include "driver/corpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "TMAPREC1"
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)
#define OP_END 2
#define MAX_FILE (64L << 20)

static uint64_t zigzag(uint64_t v)
{
    return v << 1 ^ (v >> 63 ? ~UINT64_C(0) : 0);
}
static uint64_t unzigzag(uint64_t v)
{
    return v >> 1 ^ (v & 1 ? ~UINT64_C(0) : 0);
}

/* --- writing ---------------------------------------------------------------------------------*/

static void put_byte(struct corpus_writer *w, uint8_t byte)
{
    if (putc(byte, w->out.file) == EOF) w->failed = true;
    w->hash = (w->hash ^ byte) * FNV_PRIME;
    w->bytes++;
}

static void put_varint(struct corpus_writer *w, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) put_byte(w, (uint8_t)(v | 0x80));
    put_byte(w, (uint8_t)v);
}

bool corpus_writer_open(struct corpus_writer *w, const char *path)
{
    memset(w, 0, sizeof *w);
    w->hash = FNV_START;
    if (!whole_open(&w->out, path)) return false;
    for (const char *c = MAGIC; *c; c++) put_byte(w, (uint8_t)*c);
    return true;
}

static void put_answer(struct corpus_writer *w, int result, const struct tmap_map *map)
{
    put_varint(w, zigzag((uint64_t)(int64_t)result));
    w->count++;
    if (result != 0) return;
    uint64_t changed = 0;
    for (unsigned i = 0; i < 16; i++) changed |= (uint64_t)(map->word[i] != w->map.word[i]) << i;
    put_varint(w, changed);
    for (unsigned i = 0; i < 16; i++)
        if (changed >> i & 1) put_varint(w, map->word[i] ^ w->map.word[i]);
    w->map = *map;
}

void corpus_write_encode(struct corpus_writer *w, const struct tmap_desc *desc, int result,
                         const struct tmap_map *map)
{
    struct tmap_desc d = *desc;
    uint64_t changed = 0;
    for (int i = 0; i < SLOT_COUNT; i++) {
        if (!slot_used(&d, i)) slot_set(&d, i, 0);
        changed |= (uint64_t)(slot_get(&d, i) != slot_get(&w->desc, i)) << i;
    }
    put_byte(w, TMAP_CORPUS_ENCODE);
    put_varint(w, changed);
    for (int i = 0; i < SLOT_COUNT; i++)
        if (changed >> i & 1)
            put_varint(w, zigzag((uint64_t)slot_get(&d, i) - (uint64_t)slot_get(&w->desc, i)));
    w->desc = d;
    put_answer(w, result, map);
}

void corpus_write_replace(struct corpus_writer *w, uint64_t address, int result,
                          const struct tmap_map *map)
{
    put_byte(w, TMAP_CORPUS_REPLACE_ADDRESS);
    put_varint(w, zigzag(address));
    put_answer(w, result, map);
}

bool corpus_writer_close(struct corpus_writer *w)
{
    put_byte(w, OP_END);
    put_varint(w, w->count);
    return whole_close(&w->out, !w->failed);
}

/* --- reading ---------------------------------------------------------------------------------*/

struct tmap_corpus {
    uint8_t *data;
    size_t size, at;
    struct tmap_desc desc;
    struct tmap_map map;
    uint64_t count;
    bool broken;
};

static uint8_t take_byte(struct tmap_corpus *c)
{
    if (c->at < c->size) return c->data[c->at++];
    c->broken = true;
    return 0;
}

static uint64_t take_varint(struct tmap_corpus *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = take_byte(c);
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return v;
    }
    c->broken = true;
    return v;
}

static enum tmap_status read_whole(FILE *file, struct tmap_corpus *c)
{
    if (fseek(file, 0, SEEK_END) != 0) return TMAP_E_ARGUMENT;
    const long size = ftell(file);
    if (size < 0 || size > MAX_FILE || fseek(file, 0, SEEK_SET) != 0) return TMAP_E_ARGUMENT;
    c->size = (size_t)size;
    c->data = malloc(c->size + 1);
    if (!c->data) return TMAP_E_MEMORY;
    errno = 0; /* stdio allocates too, at the first read */
    if (fread(c->data, 1, c->size, file) == c->size) return TMAP_OK;
    return errno == ENOMEM ? TMAP_E_MEMORY : TMAP_E_ARGUMENT;
}

enum tmap_status tmap_corpus_open(const char *path, struct tmap_corpus **out)
{
    if (!path || !out) return TMAP_E_ARGUMENT;
    *out = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) return errno == ENOMEM ? TMAP_E_MEMORY : TMAP_E_ARGUMENT;
    struct tmap_corpus *c = calloc(1, sizeof *c);
    enum tmap_status status = c ? TMAP_OK : TMAP_E_MEMORY;
    if (c) status = read_whole(file, c);
    fclose(file);
    if (status == TMAP_OK &&
        (c->size < sizeof MAGIC - 1 || memcmp(c->data, MAGIC, sizeof MAGIC - 1) != 0))
        status = TMAP_E_ARGUMENT;
    if (status != TMAP_OK) {
        tmap_corpus_close(c);
        return status;
    }
    tmap_corpus_rewind(c);
    *out = c;
    return TMAP_OK;
}

void tmap_corpus_close(struct tmap_corpus *corpus)
{
    if (!corpus) return;
    free(corpus->data);
    free(corpus);
}

uint64_t tmap_corpus_hash(const struct tmap_corpus *corpus, uint64_t *bytes)
{
    uint64_t hash = FNV_START;
    for (size_t i = 0; i < corpus->size; i++) hash = (hash ^ corpus->data[i]) * FNV_PRIME;
    if (bytes) *bytes = corpus->size;
    return hash;
}

void tmap_corpus_rewind(struct tmap_corpus *corpus)
{
    corpus->at = sizeof MAGIC - 1;
    corpus->count = 0;
    corpus->broken = false;
    memset(&corpus->desc, 0, sizeof corpus->desc);
    memset(&corpus->map, 0, sizeof corpus->map);
}

static void take_desc(struct tmap_corpus *c)
{
    const uint64_t changed = take_varint(c);
    if (changed >> SLOT_COUNT) c->broken = true;
    for (int i = 0; i < SLOT_COUNT; i++)
        if (changed >> i & 1)
            slot_set(&c->desc, i,
                     (int64_t)((uint64_t)slot_get(&c->desc, i) + unzigzag(take_varint(c))));
}

static void take_map(struct tmap_corpus *c)
{
    const uint64_t changed = take_varint(c);
    if (changed >> 16) c->broken = true;
    for (unsigned i = 0; i < 16; i++)
        if (changed >> i & 1) c->map.word[i] ^= take_varint(c);
}

static enum tmap_status at_end(struct tmap_corpus *c)
{
    const bool whole = take_varint(c) == c->count && c->at == c->size && !c->broken;
    c->at = c->size; /* asking again is an error */
    return whole ? TMAP_E_NO_PLAN : TMAP_E_ARGUMENT;
}

enum tmap_status tmap_corpus_next(struct tmap_corpus *c, struct tmap_corpus_case *out)
{
    if (!c || !out) return TMAP_E_ARGUMENT;
    const uint8_t op = take_byte(c);
    if (op == OP_END) return at_end(c);
    if (op > OP_END || c->broken) return TMAP_E_ARGUMENT;
    struct tmap_corpus_case k = {.op = (enum tmap_corpus_op)op, .number = c->count++};
    if (op == TMAP_CORPUS_ENCODE)
        take_desc(c);
    else
        k.address = unzigzag(take_varint(c));
    k.before = c->map;
    k.desc = c->desc;
    k.result = (int)(int64_t)unzigzag(take_varint(c));
    if (k.result == 0) take_map(c);
    k.map = c->map;
    if (c->broken) return TMAP_E_ARGUMENT;
    *out = k;
    return TMAP_OK;
}
