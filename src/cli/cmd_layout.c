/* cmd_layout.c : what a copy moves and where it lies in shared memory, and who can read it there.
 */
#include "cli/each.h"
#include "cli/shard.h"
#include "expr/values.h"
#include "io/picture/picture.h"
#include "io/report/outside.h"
#include "io/report/report.h"

#include <errno.h>
#include <string.h>

struct layout {
    struct cli *cli;
    struct tmap_checker checker;
    enum tmap_consumer consumer;
    enum tmap_major major;
    const char *svg; /* file that gets the picture of the first legal record */
    bool only_svg;   /* it is standard output, where nothing else goes then */
};

static const char *const accesses[] = {"row", "column", "matrix", "vector"};

static void mma_json(const struct layout *l, const struct tmap_desc *desc, json_t *out)
{
    struct tmap_mma m;
    struct tmap_violation why;
    char word[20];
    if (l->consumer < TMAP_CONSUMER_WGMMA) return;
    json_t *j = json_object();
    if (tmap_mma_of(&l->checker, desc, l->consumer, l->major, &m, &why) == TMAP_OK) {
        snprintf(word, sizeof word, "0x%016llx", (unsigned long long)m.word);
        json_object_set_new(j, "layout_code", json_integer(m.layout_code));
        json_object_set_new(j, "lbo_bytes", json_integer(m.lbo_bytes));
        json_object_set_new(j, "sbo_bytes", json_integer(m.sbo_bytes));
        json_object_set_new(j, "k_elements", json_integer(m.k_elements));
        json_object_set_new(j, "k_step_bytes", json_integer(m.k_step_bytes));
        json_object_set_new(j, "k_steps", json_integer(m.k_steps));
        json_object_set_new(j, "base_align_bytes", json_integer(m.base_align_bytes));
        json_object_set_new(j, "descriptor", json_string(word));
    } else {
        json_object_set_new(j, "refused_by", json_string(tmap_row_id(why.row)));
    }
    json_object_set_new(out, "mma", j);
}

static void print_json(const struct layout *l, const struct picture *p)
{
    json_t *out = json_object(), *ways = json_object(), *extent = json_array();
    char map[80];
    picture_swizzle(p, map, sizeof map);
    if (p->name) json_object_set_new(out, "name", json_string(p->name));
    json_object_set_new(out, "tx_bytes", json_integer((json_int_t)p->layout.tx_bytes));
    json_object_set_new(out, "footprint_bytes",
                        json_integer((json_int_t)p->layout.footprint_bytes));
    json_object_set_new(out, "rows", json_integer((json_int_t)p->layout.rows));
    json_object_set_new(out, "row_bytes", json_integer(p->layout.row_bytes));
    json_object_set_new(out, "pitch_bytes", json_integer(p->layout.pitch_bytes));
    json_object_set_new(out, "align_bytes", json_integer(p->layout.align_bytes));
    json_object_set_new(out, "pattern_bytes", json_integer(p->layout.pattern_bytes));
    for (uint32_t i = 0; i < p->desc.rank && i < TMAP_MAX_RANK; i++)
        json_array_append_new(extent, json_integer(p->layout.extent[i]));
    json_object_set_new(out, "extent", extent);
    json_object_set_new(out, "swizzle", json_string(map));
    for (int a = 0; a < 4; a++) json_object_set_new(ways, accesses[a], json_integer(p->ways[a]));
    json_object_set_new(out, "bank_conflict_ways", ways);
    mma_json(l, &p->desc, out);
    io_print_json(stdout, out, cli_indent(l->cli));
}

static void print_mma(const struct layout *l, const struct tmap_desc *desc)
{
    struct tmap_mma m;
    struct tmap_violation why;
    struct tmap_detail detail;
    const struct tmap_use use = {
        .op = TMAP_OP_LOAD, .consumer = (uint32_t)l->consumer, .major = (uint32_t)l->major};
    const char *who = l->consumer == TMAP_CONSUMER_WGMMA ? "wgmma" : "tcgen05";
    const char *how = l->major == TMAP_K_MAJOR ? "K-major" : "MN-major";
    if (l->consumer < TMAP_CONSUMER_WGMMA) return;
    if (tmap_mma_of(&l->checker, desc, l->consumer, l->major, &m, &why) == TMAP_OK) {
        printf(
            "  %s %s     layout code %u, LBO %u, SBO %u bytes; %u elements of K each, start + %u "
            "bytes for the next, %u in a box\n"
            "                    descriptor 0x%016llx | start >> 4\n",
            who, how, m.layout_code, m.lbo_bytes, m.sbo_bytes, m.k_elements, m.k_step_bytes,
            m.k_steps, (unsigned long long)m.word);
        return;
    }
    tmap_detail_of(&l->checker.target, desc, &use, &why, &detail);
    printf("  %s %s     cannot read it in place: %s (%s)\n", who, how, detail.message,
           tmap_row_id(why.row));
}

static void print_text(const struct layout *l, const struct picture *p)
{
    const struct tmap_layout *y = &p->layout;
    char map[80];
    putchar('`');
    io_put(stdout, p->name ? p->name : "record");
    puts("`");
    printf("  tx bytes          %llu: what the barrier must expect, wherever the box lies\n",
           (unsigned long long)y->tx_bytes);
    printf("  shared footprint  %llu bytes: %llu rows of %u bytes, %u apart\n",
           (unsigned long long)y->footprint_bytes, (unsigned long long)y->rows, y->row_bytes,
           y->pitch_bytes);
    printf("  alignment         %u bytes; %u where the swizzle's pattern is to start at phase 0\n",
           y->align_bytes, y->pattern_bytes);
    picture_swizzle(p, map, sizeof map);
    printf("  swizzle           offset -> %s\n", map);
    printf("  bank conflicts    row %u, column %u, 8 rows x 16 bytes %u, 16-byte vectors %u ways "
           "(1 is "
           "none)\n",
           p->ways[TMAP_ACCESS_ROW], p->ways[TMAP_ACCESS_COLUMN], p->ways[TMAP_ACCESS_MATRIX],
           p->ways[TMAP_ACCESS_VECTOR]);
    print_mma(l, &p->desc);
    putchar('\n');
    picture_text(stdout, p, l->cli->color);
    putchar('\n');
}

static enum cli_exit draw(struct layout *l, const struct picture *p)
{
    const bool standard = strcmp(l->svg, "-") == 0;
    FILE *out = standard ? stdout : fopen(l->svg, "w");
    bool good = out != NULL;
    if (good) picture_svg(out, p);
    if (good && !standard) good = !ferror(out); /* of standard output main() says it */
    if (out && !standard && fclose(out) != 0) good = false;
    if (!good) cli_message(l->cli, "%s: %s", l->svg, strerror(errno));
    l->svg = NULL;
    return good ? CLI_OK : CLI_INPUT;
}

/* What has no layout answers in its place all the same: check's line. */
static void print_verdict(const struct layout *l, const struct io_record *record)
{
    struct io_result result;
    if (io_judge(&l->checker, record, NULL, IO_BRIEF, &result) != TMAP_OK) return;
    io_print_json(stdout, io_line_json(&result), cli_indent(l->cli));
    io_result_free(&result);
}

static enum cli_exit layout_record(void *user, const struct io_stream *stream,
                                   struct io_record *record)
{
    struct layout *l = user;
    (void)stream;
    struct picture p;
    char text[512];
    if (record->error[0]) {
        io_error_text(record, text, sizeof text);
        if (l->cli->format != IO_TEXT)
            io_print_json(stdout, io_error_json(record), cli_indent(l->cli));
        cli_message(l->cli, "%s", text);
        return CLI_INPUT;
    }
    const enum tmap_status status = picture_make(&l->checker, &record->desc, record->name, &p);
    if (status != TMAP_OK) {
        if (l->cli->format != IO_TEXT) print_verdict(l, record);
        cli_message(l->cli, "%s:%zu: %s: %s", record->file, record->line,
                    record->name ? record->name : "record",
                    status == TMAP_E_ILLEGAL ? "illegal: tmap check says why" : "undecided");
        return status == TMAP_E_ILLEGAL ? CLI_ILLEGAL : CLI_UNDECIDED;
    }
    if (l->only_svg) return l->svg ? draw(l, &p) : CLI_OK;
    if (l->cli->format == IO_TEXT)
        print_text(l, &p);
    else
        print_json(l, &p);
    return l->svg ? draw(l, &p) : CLI_OK;
}

/* An option's value, or 0 without the option; false when it is no name of the enumeration. */
static bool choose(const struct cli *cli, const char *option, enum values which, int32_t *out)
{
    const char *text = cli_get(cli, option);
    *out = 0;
    return !text || value_find(which, text, out);
}

static enum cli_exit run(struct cli *cli)
{
    struct layout l = {.cli = cli, .svg = cli_get(cli, "svg")};
    l.only_svg = l.svg && strcmp(l.svg, "-") == 0;
    int32_t consumer, major;
    if (!choose(cli, "consumer", VALUES_CONSUMER, &consumer))
        return cli_no_value(cli, "--consumer", "none, ldmatrix, wgmma or tcgen05",
                            cli_get(cli, "consumer"));
    if (!choose(cli, "major", VALUES_MAJOR, &major))
        return cli_no_value(cli, "--major", "k or mn", cli_get(cli, "major"));
    l.consumer = (enum tmap_consumer)consumer;
    l.major = (enum tmap_major)major;
    tmap_checker_prepare(&cli->target, cli->contract, &l.checker);
    cli_each(cli, CLI_EACH_DESCRIPTOR | CLI_EACH_ERRORS | CLI_EACH_SHARD, layout_record, &l);
    return CLI_OK;
}

static const struct cli_option options[] = {
    CLI_SHARD_OPTION,
    {"consumer", 0, "NAME", "who reads the box: none, ldmatrix, wgmma or tcgen05 (none)"},
    {"major", 0, "NAME", "what its rows run along: k, or mn for M or N (k)"},
    {"svg", 0, "FILE", "a picture of the first record; -: nothing else, on standard output"},
    {NULL, 0, NULL, NULL}};

const struct cli_command cli_layout = {
    .name = "layout",
    .summary = "what a copy moves, where it lies in shared memory, which banks collide",
    .operands = "[OPTION...] [FILE...]",
    .examples =
        "  tmap layout gemm.json                      tx bytes, footprint, conflicts, a picture\n"
        "  tmap layout --consumer wgmma gemm.json     the matrix-descriptor fields as well\n"
        "  tmap layout --svg a.svg gemm.json          the picture as SVG\n",
    .about = "The second panel of the picture marks the pieces that share banks when eight rows "
             "are read.\n"
             "An illegal descriptor has no layout: exit code 1.\n",
    .groups = CLI_TARGET | CLI_CONTRACT | CLI_FORMAT | CLI_DESC,
    .formats = IO_BIT(IO_TEXT) | IO_BIT(IO_JSON) | IO_BIT(IO_JSONL),
    .options = options,
    .run = run};
