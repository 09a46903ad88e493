/* oracle_report.c : what the oracle's run and a corpus's replay found, as text and as JSON. */
#include "cli/oracle_report.h"

#include <stdio.h>

#include "io/report/report.h"

#define JSON_ROOM 2048

/* The rows that tmap says a descriptor violates, as ids. */
static void print_rows(const struct tmap_driver *driver, const struct tmap_desc *desc)
{
    struct tmap_driver_info info;
    struct tmap_checker checker;
    struct tmap_violation v[32];
    size_t found = 0;
    tmap_driver_describe(driver, &info);
    tmap_checker_prepare(&info.target, TMAP_CONTRACT_DRIVER, &checker);
    tmap_check_with(&checker, desc, v, 32, &found, NULL);
    printf("[");
    for (size_t i = 0; i < found && i < 32; i++)
        printf("%s\"%s\"", i ? "," : "", tmap_row_id(v[i].row));
    printf("]");
}

static void print_words(const char *key, const struct tmap_map *map)
{
    printf(", \"%s\":[", key);
    for (int w = 0; w < 16; w++) printf("%s\"0x%llx\"", w ? "," : "", llu(map->word[w]));
    printf("]");
}

static void print_disagreement(const struct tmap_driver *driver, const struct tmap_disagreement *d)
{
    char shrunk[JSON_ROOM], found[JSON_ROOM];
    io_desc_text(&d->shrunk, shrunk, sizeof shrunk);
    io_desc_text(&d->desc, found, sizeof found);
    printf("{\"what\":\"%s\", \"number\":%llu, \"driver\":%d, \"tmap\":\"%s\", \"rows\":",
           d->bytes ? "bytes" : "verdict", llu(d->number), d->result,
           d->verdict == TMAP_LEGAL ? "legal" : "illegal");
    print_rows(driver, &d->shrunk);
    if (d->bytes) print_words("driver_words", &d->driver_map);
    if (d->bytes) print_words("tmap_words", &d->tmap_map);
    printf(", \"descriptor\":%s, \"found_as\":%s}", shrunk, found);
}

static uint64_t least_side(const struct tmap_oracle_result *r, size_t *rows)
{
    uint64_t least = UINT64_MAX;
    *rows = 0;
    for (size_t i = 0; i < tmap_row_count() && i < TMAP_ORACLE_ROWS; i++) {
        if (r->row_side[i][0] == 0 && r->row_side[i][1] == 0) continue;
        ++*rows;
        for (int side = 0; side < 2; side++)
            if (r->row_side[i][side] < least) least = r->row_side[i][side];
    }
    return *rows ? least : 0;
}

void oracle_print_text(const struct tmap_driver *driver, const struct tmap_oracle_result *r)
{
    static const char *const kinds[] = {"tiled", "im2col", "im2col_wide"};
    size_t rows;
    const uint64_t least = least_side(r, &rows);
    printf("%-34s %12s %12s\n", "row", "inside", "outside");
    for (size_t i = 0; i < tmap_row_count() && i < TMAP_ORACLE_ROWS; i++)
        if (r->row_side[i][0] || r->row_side[i][1])
            printf("%s %-27s %12llu %12llu\n", tmap_row_id((tmap_row)i), tmap_row_name((tmap_row)i),
                   llu(r->row_side[i][0]), llu(r->row_side[i][1]));
    printf("\n%-12s %14s %14s\n", "kind", "accepted", "refused");
    for (int k = 0; k < 3; k++)
        printf("%-12s %14llu %14llu\n", kinds[k], llu(r->by_kind[k][0]), llu(r->by_kind[k][1]));
    printf("\ndescriptors            %llu, distinct at least %llu\n", llu(r->count),
           llu(r->distinct_at_least));
    printf("at a bound             %llu, distinct at least %llu; %zu rows, least side %llu\n",
           llu(r->bound_count), llu(r->bound_distinct_at_least), rows, llu(least));
    printf("from                   bounds %llu, random %llu, real %llu, enums %llu, unusual %llu\n",
           llu(r->by_source[0]), llu(r->by_source[1]), llu(r->by_source[2]), llu(r->by_source[3]),
           llu(r->by_source[4]));
    printf(
        "refused but written    %llu\nother error codes      %llu\ndeadly, so not asked   %llu\n",
        llu(r->refused_but_written), llu(r->other_codes), llu(r->not_asked));
    printf("time                   %.1f s on %u threads, %.1f s to learn the bounds\n", r->seconds,
           r->threads, r->learn_seconds);
    printf("verdict disagreements  %llu\nbyte differences       %llu\n",
           llu(r->verdict_disagreements), llu(r->byte_disagreements));
    for (size_t i = 0; i < r->kept_count; i++) {
        print_disagreement(driver, &r->kept[i]);
        printf("\n");
    }
}

void oracle_print_json(const struct tmap_driver *driver, const struct tmap_oracle_result *r,
                       uint64_t seed)
{
    struct tmap_driver_info info;
    const char *comma = "";
    tmap_driver_describe(driver, &info);
    printf("{\"gpu\":\"%s\", \"driver\":\"%s\", \"seed\":%llu, \"count\":%llu, "
           "\"distinct_at_least\":%llu, \"bound\":%llu, \"bound_distinct_at_least\":%llu,\n",
           info.gpu, info.version, llu(seed), llu(r->count), llu(r->distinct_at_least),
           llu(r->bound_count), llu(r->bound_distinct_at_least));
    printf(
        " \"verdict_disagreements\":%llu, \"byte_differences\":%llu, "
        "\"refused_but_written\":%llu, \"other_codes\":%llu, \"seconds\":%.2f, \"threads\":%u,\n",
        llu(r->verdict_disagreements), llu(r->byte_disagreements), llu(r->refused_but_written),
        llu(r->other_codes), r->seconds, r->threads);
    printf(" \"kinds\":{");
    for (int k = 0; k < 3; k++)
        printf("%s\"%s\":{\"accepted\":%llu,\"refused\":%llu}", k ? "," : "",
               k == 0   ? "tiled"
               : k == 1 ? "im2col"
                        : "im2col_wide",
               llu(r->by_kind[k][0]), llu(r->by_kind[k][1]));
    printf("},\n \"rows\":{");
    for (size_t i = 0; i < tmap_row_count() && i < TMAP_ORACLE_ROWS; i++) {
        if (r->row_side[i][0] == 0 && r->row_side[i][1] == 0) continue;
        printf("%s\"%s\":[%llu,%llu]", comma, tmap_row_id((tmap_row)i), llu(r->row_side[i][0]),
               llu(r->row_side[i][1]));
        comma = ",";
    }
    printf("},\n \"disagreements\":[");
    for (size_t i = 0; i < r->kept_count; i++) {
        if (i) printf(",\n  ");
        print_disagreement(driver, &r->kept[i]);
    }
    printf("]}\n");
}

void oracle_print_block(void *user, uint64_t number, const struct tmap_oracle_result *r)
{
    uint64_t accepted = 0, refused = 0;
    for (int k = 0; k < 3; k++) {
        accepted += r->by_kind[k][0];
        refused += r->by_kind[k][1];
    }
    printf("{\"block\":%llu,\"count\":%llu,\"accepted\":%llu,\"refused\":%llu,"
           "\"verdict_disagreements\":%llu,\"byte_differences\":%llu,\"disagreements\":[",
           llu(number), llu(r->count), llu(accepted), llu(refused), llu(r->verdict_disagreements),
           llu(r->byte_disagreements));
    for (size_t i = 0; i < r->kept_count; i++) {
        if (i) printf(",");
        print_disagreement(user, &r->kept[i]);
    }
    printf("]}\n");
    fflush(stdout);
}

void oracle_print_case(const struct tmap_corpus_case *c)
{
    char desc[JSON_ROOM];
    io_desc_text(&c->desc, desc, sizeof desc);
    if (c->op == TMAP_CORPUS_REPLACE_ADDRESS)
        printf("case %llu: replace address 0x%llx: the driver answered %d\n", llu(c->number),
               llu(c->address), c->result);
    else
        printf("case %llu: the driver answered %d: %s\n", llu(c->number), c->result, desc);
}

void oracle_print_replay(const char *path, uint64_t bytes, uint64_t hash,
                         const struct tmap_corpus_result *r)
{
    printf("%s: %llu bytes, fnv1a64 0x%016llx\n%llu cases, %llu accepted, %llu verdicts differ, "
           "%llu maps differ\n",
           path, llu(bytes), llu(hash), llu(r->cases), llu(r->accepted),
           llu(r->verdict_differences), llu(r->byte_differences));
    for (size_t i = 0; i < tmap_row_count() && i < TMAP_ORACLE_ROWS; i++)
        if (r->alone[i] || r->accepted_though[i])
            printf("%s %-32s alone %6llu, accepted though violated %6llu\n",
                   tmap_row_id((tmap_row)i), tmap_row_name((tmap_row)i), llu(r->alone[i]),
                   llu(r->accepted_though[i]));
    for (size_t i = 0; i < r->kept_count; i++) oracle_print_case(&r->kept[i]);
}

void oracle_print_replay_json(const struct cli *cli, const char *path, uint64_t bytes,
                              uint64_t hash, const struct tmap_corpus_result *r)
{
    json_t *rows = json_object();
    char text[20];
    for (size_t i = 0; i < tmap_row_count() && i < TMAP_ORACLE_ROWS; i++)
        if (r->alone[i] || r->accepted_though[i])
            json_object_set_new(
                rows, tmap_row_id((tmap_row)i),
                json_pack("[I,I]", (json_int_t)r->alone[i], (json_int_t)r->accepted_though[i]));
    snprintf(text, sizeof text, "0x%016llx", llu(hash));
    io_print_json(stdout,
                  json_pack("{s:o, s:I, s:s, s:I, s:I, s:I, s:I, s:o}", "file",
                            io_string_json(path), "bytes", (json_int_t)bytes, "fnv1a64", text,
                            "cases", (json_int_t)r->cases, "accepted", (json_int_t)r->accepted,
                            "verdict_differences", (json_int_t)r->verdict_differences,
                            "byte_differences", (json_int_t)r->byte_differences, "rows", rows),
                  cli_indent(cli));
}
