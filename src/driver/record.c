/* record.c : asking a driver about each row, and keeping what it said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/call.h"
#include "driver/corpus.h"
#include "driver/driver.h"
#include "driver/generate.h"

#define LEARN_EFFORT 400000
#define RECORD_STREAM UINT64_C(0x7265636f7264)
#define ATTEMPTS_A_CASE 200 /* tries for each case wanted, then "all there are" */
#define VARIANTS_A_PAIR 12  /* values tried beyond the bound of one pair */
#define INSIDES 100         /* pairs of a row whose legal side is kept too */
#define SEEN_BITS 26        /* of the table that drops repeats */
#define REPLACE_MAPS 40     /* maps of each kind whose address is replaced */
#define VIOLATIONS 64

/* The rows of the descriptor are the first ones. */
enum {
#define ROW(id, ...) DESC_##id,
#include "rules/desc.def"
#undef ROW
    DESC_ROWS
};

struct recorder {
    struct tmap_driver *driver;
    const struct tmap_record_options *options;
    struct generator generator;
    struct rng rng;
    struct corpus_writer writer;
    uint8_t *seen;
    uint64_t accepted, replaced;
    uint32_t alone[TMAP_ORACLE_ROWS], accepted_though[TMAP_ORACLE_ROWS];
    uint64_t first[TMAP_ORACLE_ROWS]; /* number of the row's first such case */
};

/* Asks and writes; false for a repeat. Entries that the call does not read are zeros. */
static bool record(struct recorder *r, const struct tmap_desc *desc, int *result)
{
    struct tmap_desc d = *desc;
    struct call_result answer;
    const uint64_t hash = desc_hash(&d) & ((UINT64_C(1) << SEEN_BITS) - 1);
    if (r->seen[hash / 8] >> (hash % 8) & 1) return false;
    r->seen[hash / 8] |= (uint8_t)(1u << (hash % 8));
    call_encode(&r->driver->gpu.api, &d, 0xa5, &answer);
    if (answer.code == CALL_NOT_ASKED) return false;
    corpus_write_encode(&r->writer, &d, answer.code, &answer.map);
    r->accepted += answer.code == TMAP_CU_SUCCESS;
    *result = answer.code;
    return true;
}

/* All violations are of this row, on this checker. */
static bool only(const struct tmap_checker *checker, const struct tmap_desc *d, tmap_row row)
{
    struct tmap_violation v[VIOLATIONS];
    size_t found = 0;
    tmap_check_with(checker, d, v, VIOLATIONS, &found, NULL);
    for (size_t i = 0; i < found && i < VIOLATIONS; i++)
        if (v[i].row != row) return false;
    return found > 0;
}

static bool breaks(const struct tmap_checker *checker, const struct tmap_desc *d, tmap_row row)
{
    struct tmap_violation v[VIOLATIONS];
    size_t found = 0;
    tmap_check_with(checker, d, v, VIOLATIONS, &found, NULL);
    for (size_t i = 0; i < found && i < VIOLATIONS; i++)
        if (v[i].row == row) return true;
    return false;
}

static bool enforced(const struct recorder *r, tmap_row row)
{
    return r->generator.driver.active[row / 64] >> (row % 64) & 1;
}

/* A descriptor that shows what the driver does about the row: it alone is violated, or, where the
 * driver is thought not to enforce it, the driver should accept it all the same. */
static bool shows(const struct recorder *r, const struct tmap_desc *d, tmap_row row)
{
    if (enforced(r, row)) return only(&r->generator.driver, d, row);
    return breaks(&r->generator.safe, d, row) &&
           tmap_verdict_of(&r->generator.driver, d) == TMAP_LEGAL;
}

static void record_outside(struct recorder *r, const struct tmap_desc *d, tmap_row row)
{
    int result = 0;
    const uint64_t number = r->writer.count;
    if (!shows(r, d, row) || !record(r, d, &result)) return;
    if (r->alone[row] + r->accepted_though[row] == 0) r->first[row] = number;
    if (result)
        r->alone[row]++;
    else
        r->accepted_though[row]++;
}

static uint32_t have(const struct recorder *r, tmap_row row)
{
    return enforced(r, row) ? r->alone[row] : r->accepted_though[row];
}

static void record_pair(struct recorder *r, tmap_row row)
{
    const struct bound_pair pair = generator_pair(&r->generator, &r->rng, row);
    int result;
    if (!shows(r, &pair.outside, row)) return;
    if (have(r, row) < INSIDES) record(r, &pair.inside, &result);
    record_outside(r, &pair.outside, row);
    for (int i = 0; i < VARIANTS_A_PAIR && have(r, row) < r->options->cases_a_row; i++) {
        struct tmap_desc d = pair.outside;
        slot_set(&d, pair.slot, generate_value(&r->rng, &d, pair.slot));
        record_outside(r, &d, row);
    }
}

static void record_row(struct recorder *r, tmap_row row)
{
    const uint32_t wanted = r->options->cases_a_row;
    for (uint32_t i = 0; i < wanted * ATTEMPTS_A_CASE / VARIANTS_A_PAIR; i++) {
        if (have(r, row) >= wanted) return;
        record_pair(r, row);
    }
}

/* The last map written gets other addresses, good and bad. */
static void record_replacements(struct recorder *r, const struct tmap_map *map)
{
    const uint64_t old = map->word[0];
    const uint64_t addresses[] = {old + 16,
                                  old + 32,
                                  old + 8,
                                  old + 1,
                                  0,
                                  16,
                                  32,
                                  (UINT64_C(1) << 57) - 16,
                                  UINT64_C(1) << 57,
                                  UINT64_C(1) << 63,
                                  ~UINT64_C(15)};
    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        _Alignas(128) struct tmap_map copy = r->writer.map;
        const int result =
            r->driver->gpu.api.tensor_map_replace_address(&copy, (void *)(uintptr_t)addresses[i]);
        corpus_write_replace(&r->writer, addresses[i], result, &copy);
        r->replaced++;
    }
}

static void record_legal(struct recorder *r, int32_t kind)
{
    for (uint32_t i = 0; i < r->options->legal_maps; i++) {
        const struct tmap_desc d = generator_base(&r->generator, &r->rng, kind);
        int result = -1;
        if (record(r, &d, &result) && result == 0 && i < REPLACE_MAPS)
            record_replacements(r, &r->writer.map);
    }
}

static void record_real(struct recorder *r)
{
    int result;
    for (size_t i = 0; i < r->options->real_count; i++)
        if (r->options->real[i].kind >= 0 && r->options->real[i].kind <= TMAP_IM2COL_WIDE)
            record(r, &r->options->real[i], &result);
}

/* --- the manifest ----------------------------------------------------------------------------*/

static const char *reason(const struct recorder *r, tmap_row row)
{
    if (r->alone[row] || r->accepted_though[row]) return "";
    if (tmap_row_is_advisory(row)) return "advisory: the driver has no say";
    if (row >= DESC_ROWS) return "about changing or using a map: no encode call sees it";
    if (!(r->generator.safe.active[row / 64] >> (row % 64) & 1)) return "not about this target";
    return "no call that may be made breaks this row alone (tmap oracle probe asks the others)";
}

static void write_rows(const struct recorder *r, FILE *out)
{
    const size_t rows = tmap_row_count();
    for (size_t i = 0; i < rows && i < TMAP_ORACLE_ROWS; i++) {
        const tmap_row row = (tmap_row)i;
        const char *why = reason(r, row);
        fprintf(out, "    {\"id\":\"%s\", \"name\":\"%s\", \"enforced\":%s, \"alone\":%u, ",
                tmap_row_id(row), tmap_row_name(row), enforced(r, row) ? "true" : "false",
                r->alone[i]);
        fprintf(out, "\"accepted_though\":%u", r->accepted_though[i]);
        if (*why)
            fprintf(out, ", \"reason\":\"%s\"}", why);
        else
            fprintf(out, ", \"first\":%llu}", (unsigned long long)r->first[i]);
        fprintf(out, "%s\n", i + 1 < rows ? "," : "");
    }
}

static bool write_manifest(const struct recorder *r)
{
    char path[4096];
    const struct tmap_record_options *o = r->options;
    const struct tmap_target *t = &r->driver->target;
    const char *base = strrchr(o->path, '/');
    if ((size_t)snprintf(path, sizeof path, "%s.json", o->path) >= sizeof path) return false;
    struct whole_file whole;
    if (!whole_open(&whole, path)) return false;
    FILE *const out = whole.file;
    fprintf(out, "{\n  \"file\":\"%s\", \"bytes\":%llu, \"fnv1a64\":\"0x%016llx\",\n",
            base ? base + 1 : o->path, (unsigned long long)r->writer.bytes,
            (unsigned long long)r->writer.hash);
    fprintf(out, "  \"cases\":%llu, \"accepted\":%llu, \"replace_address\":%llu,\n",
            (unsigned long long)r->writer.count, (unsigned long long)r->accepted,
            (unsigned long long)r->replaced);
    fprintf(out, "  \"gpu\":\"%s\", \"driver\":\"%s\", \"cuda_version\":%d,\n", r->driver->gpu.name,
            r->driver->version, r->driver->gpu.cuda_version);
    fprintf(out, "  \"target\":{\"cuda\":%u, \"ptx\":%u, \"driver\":%u, \"arch\":\"%s\"},\n",
            t->cuda, t->ptx, t->driver, tmap_arch_name(t->arch));
    fprintf(out,
            "  \"generator\":\"tmap oracle record, tmap %s\", \"seed\":%llu, \"date\":\"%s\",\n",
            tmap_version(), (unsigned long long)o->seed, o->date ? o->date : "");
    fprintf(out, "  \"cases_a_row\":%u,\n  \"rows\":[\n", o->cases_a_row);
    write_rows(r, out);
    fprintf(out, "  ]\n}\n");
    return whole_close(&whole, true);
}

static enum tmap_status record_all(struct recorder *r)
{
    for (int32_t kind = TMAP_TILED; kind <= TMAP_IM2COL_WIDE; kind++) record_legal(r, kind);
    record_real(r);
    for (size_t i = 0; i < r->generator.known_count; i++) record_row(r, r->generator.known[i]);
    const bool written = corpus_writer_close(&r->writer);
    return written && write_manifest(r) ? TMAP_OK : TMAP_E_ARGUMENT;
}

enum tmap_status tmap_corpus_record(struct tmap_driver *driver,
                                    const struct tmap_record_options *options)
{
    if (!driver || !options || !options->path) return TMAP_E_ARGUMENT;
    struct recorder *r = calloc(1, sizeof *r);
    if (!r) return TMAP_E_MEMORY;
    r->driver = driver;
    r->options = options;
    r->rng = rng_of(options->seed, RECORD_STREAM);
    r->seen = calloc(1, (size_t)1 << (SEEN_BITS - 3));
    enum tmap_status status = r->seen ? TMAP_OK : TMAP_E_MEMORY;
    if (status == TMAP_OK)
        status = generator_open(&r->generator, &driver->target, options->seed, LEARN_EFFORT,
                                options->real, options->real_count);
    if (status == TMAP_OK && !corpus_writer_open(&r->writer, options->path))
        status = TMAP_E_ARGUMENT;
    if (status == TMAP_OK) status = record_all(r);
    generator_close(&r->generator);
    free(r->seen);
    free(r);
    return status;
}
