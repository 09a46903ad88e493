/* write_html.c : see write_html.h. What comes from outside is escaped by io_put_markup() and
 * io_put_markup_text(), and nowhere else. */
#include "io/report/write_html.h"
#include "io/picture/picture.h"
#include "io/report/article.h"
#include "io/report/kept.h"
#include "io/report/outside.h"
#include "io/report/page_plans.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ARCHES 64
#define MOST_PICTURES 24
#define MOST_LINE 400 /* bytes of a source line to either side */

struct file_row {
    char *name;
    size_t records, unreadable;
    size_t legal[MOST_ARCHES], illegal[MOST_ARCHES];
};

/* A layout that has its picture: others like it have none. */
struct layout_key {
    struct tmap_layout layout;
    int32_t swizzle, interleave;
};

struct io_page {
    struct file_row *file;
    size_t files, findings, pictures, layouts, plans;
    struct layout_key shown[MOST_PICTURES];
    FILE *body, *drawn, *planned;
};

struct io_page *io_page_open(void)
{
    struct io_page *page = calloc(1, sizeof *page);
    if (!page) return NULL;
    page->body = tmpfile();
    page->drawn = tmpfile();
    page->planned = tmpfile();
    if (page->body && page->drawn && page->planned) return page;
    if (page->body) fclose(page->body);
    if (page->drawn) fclose(page->drawn);
    if (page->planned) fclose(page->planned);
    free(page);
    return NULL;
}

static struct file_row *row_of(struct io_page *page, const char *file)
{
    struct file_row *grown;

    if (page->files && strcmp(page->file[page->files - 1].name, file) == 0)
        return &page->file[page->files - 1];
    grown = realloc(page->file, (page->files + 1) * sizeof *grown);
    if (!grown) return NULL;
    page->file = grown;
    memset(&grown[page->files], 0, sizeof *grown);
    grown[page->files].name = strdup(file);
    return grown[page->files].name ? &grown[page->files++] : NULL;
}

/* The line that a finding stands on, the blamed value marked. */
static void source_line(FILE *out, const struct io_result *result, const struct io_finding *f)
{
    size_t length, within, marked;
    const char *line;

    if (!result->stream || f->length == 0) return;
    line = io_stream_line(result->stream, f->offset, MOST_LINE, &length, &within);
    marked = f->length < length - within ? f->length : length - within;
    fprintf(out, "<pre><span class=\"no\">%zu</span> ", f->line);
    io_put_markup(out, line, within);
    fputs("<mark>", out);
    io_put_markup(out, line + within, marked);
    fputs("</mark>", out);
    io_put_markup(out, line + within + marked, length - within - marked);
    fputs("</pre>\n", out);
}

static void finding(FILE *out, const struct io_result *result, const struct io_finding *f)
{
    fprintf(out, "<div class=\"%s\"><p><b>%s</b> ",
            f->advisory  ? "advice"
            : f->allowed ? "allowed"
                         : "broken",
            tmap_row_id(f->row));
    io_put_markup_text(out, f->detail.message);
    fputs("</p>\n", out);
    source_line(out, result, f);
    fputs("<p class=\"more\">needs ", out);
    io_put_markup_text(out, f->detail.needs);
    io_put_tail(out, f, io_put_markup_text);
    fputs("</p></div>\n", out);
}

static bool is_shown(const struct io_page *page, const struct layout_key *key)
{
    for (size_t i = 0; i < page->pictures; i++)
        if (memcmp(&page->shown[i], key, sizeof *key) == 0) return true;
    return false;
}

static void draw(struct io_page *page, const struct tmap_checker *checker,
                 const struct io_record *record)
{
    struct layout_key key;
    struct picture picture;

    memset(&key, 0, sizeof key);
    if (tmap_layout(checker, &record->desc, &key.layout) != TMAP_OK) return;
    memset(key.layout.extent, 0, sizeof key.layout.extent);
    key.swizzle = record->desc.swizzle, key.interleave = record->desc.interleave;
    if (is_shown(page, &key)) return;
    page->layouts++;
    if (page->pictures == MOST_PICTURES) return;
    picture_make(checker, &record->desc, record->name, &picture); /* as its layout, which is */
    fputs("<details><summary>", page->drawn);
    io_put_markup_text(page->drawn, record->name ? record->name : "record");
    fprintf(page->drawn, ": %llu bytes, %llu rows of %u bytes</summary><figure>\n",
            (unsigned long long)picture.layout.tx_bytes, (unsigned long long)picture.layout.rows,
            picture.layout.row_bytes);
    picture_svg(page->drawn, &picture);
    fputs("</figure></details>\n", page->drawn);
    page->shown[page->pictures++] = key;
}

static void count(struct file_row *row, const struct io_result *result,
                  const struct io_result *arches)
{
    row->records++;
    row->legal[0] += result->verdict == TMAP_LEGAL;
    row->illegal[0] += result->verdict == TMAP_ILLEGAL;
    for (size_t i = 0; arches && i < arches->arch_count && i + 1 < MOST_ARCHES; i++) {
        row->legal[i + 1] += arches->arch[i].verdict == TMAP_LEGAL;
        row->illegal[i + 1] += arches->arch[i].verdict == TMAP_ILLEGAL;
    }
}

bool io_page_add(struct io_page *page, const struct tmap_checker *checker,
                 const struct io_result *result, const struct io_result *arches)
{
    struct file_row *row = row_of(page, result->record->file);

    if (!row) return false;
    count(row, result, arches);
    if (result->verdict == TMAP_LEGAL) draw(page, checker, result->record);
    if (result->verdict == TMAP_LEGAL && result->finding_count == 0 && !result->unmet) return true;
    io_article_head(page->body, result->record, io_verdict_name(result->verdict));
    if (result->unmet) {
        fputs("<p class=\"broken\">", page->body);
        io_put_markup_text(page->body, result->expectation);
        fputs("</p>\n", page->body);
    }
    for (size_t i = 0; i < result->finding_count; i++)
        finding(page->body, result, &result->finding[i]);
    if (result->verdict == TMAP_UNKNOWN) fprintf(page->body, "<p>%s</p>\n", result->unknown);
    fputs("</article>\n", page->body);
    page->findings++;
    return true;
}

bool io_page_plan(struct io_page *page, const struct tmap_checker *checker,
                  struct io_record *record, enum tmap_verdict *verdict)
{
    struct file_row *row = row_of(page, record->file);

    if (!row) return io_fail(record, "$", "out of memory");
    if (!io_plan_article(page->planned, checker, record, verdict)) return false;
    page->plans++;
    row->records++;
    row->legal[0] += *verdict == TMAP_LEGAL;
    row->illegal[0] += *verdict == TMAP_ILLEGAL;
    return true;
}

bool io_page_unreadable(struct io_page *page, const struct io_record *record)
{
    struct file_row *row = row_of(page, record->file);

    if (!row) return false;
    row->unreadable++;
    io_article_head(page->body, record, "unreadable");
    fputs("<p class=\"broken\">", page->body);
    io_put_markup_text(page->body, record->path);
    fputs(": ", page->body);
    io_put_markup_text(page->body, record->error);
    fputs("</p></article>\n", page->body);
    page->findings++;
    return true;
}

/* --- its numbers alone -------------------------------------------------------------------------*/

/* {"file":..., "records":2, "unreadable":0, "target":{"legal":1,"illegal":1}, "arches":{...}} */
static json_t *file_json(const struct file_row *row)
{
    json_t *arches = json_object();

    for (size_t a = 0; tmap_arch_at(a) && a + 1 < MOST_ARCHES; a++)
        json_object_set_new(arches, tmap_arch_name(tmap_arch_at(a)),
                            json_pack("{s:I, s:I}", "legal", (json_int_t)row->legal[a + 1],
                                      "illegal", (json_int_t)row->illegal[a + 1]));
    return json_pack("{s:o, s:I, s:I, s:{s:I, s:I}, s:o}", "file", io_string_json(row->name),
                     "records", (json_int_t)row->records, "unreadable", (json_int_t)row->unreadable,
                     "target", "legal", (json_int_t)row->legal[0], "illegal",
                     (json_int_t)row->illegal[0], "arches", arches);
}

static json_t *numbers_json(const struct io_page *page, const struct io_run *run)
{
    json_t *files = json_array();

    for (size_t f = 0; f < page->files; f++)
        json_array_append_new(files, file_json(&page->file[f]));
    return json_pack("{s:o, s:s, s:s, s:{s:I, s:I, s:I, s:I, s:I, s:I}, s:o}", "target",
                     io_target_json(&run->target), "contract", io_contract_name(run->contract),
                     "basis", io_basis_name(run->basis), "summary", "records",
                     (json_int_t)run->records, "legal", (json_int_t)run->legal, "illegal",
                     (json_int_t)run->illegal, "unknown", (json_int_t)run->unknown, "unreadable",
                     (json_int_t)run->unreadable, "unmet", (json_int_t)run->unmet, "files", files);
}

void io_page_numbers(const struct io_page *page, const struct io_run *run, enum io_format format)
{
    if (format == IO_JSON) {
        io_print_json(run->out, numbers_json(page, run), 2);
        return;
    }
    for (size_t f = 0; f < page->files; f++) {
        const struct file_row *row = &page->file[f];
        if (format == IO_JSONL) {
            io_print_json(run->out, file_json(row), 0);
            continue;
        }
        io_put(run->out, row->name);
        fprintf(run->out, ": %zu legal, %zu illegal", row->legal[0], row->illegal[0]);
        if (row->unreadable) fprintf(run->out, ", %zu unreadable", row->unreadable);
        fputc('\n', run->out);
    }
}

/* --- the page ----------------------------------------------------------------------------------*/

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\"><title>tmap report</title>\n<style>\n"
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#6a737d;--line:#d8dee4;"
    "--good:#1a7f37;--bad:#cf222e;--warn:#9a6700;--code:#f6f8fa;--mark:#ffd8d3}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#0f1419;--fg:#e6edf3;--soft:#9198a1;"
    "--line:#30363d;--good:#3fb950;--bad:#ff7b72;--warn:#d29922;--code:#161b22;--mark:#67060c}}\n"
    "body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;"
    "max-width:72rem;margin:2rem auto;padding:0 1rem}\n"
    "h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem;margin:0}"
    "\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}"
    "th,td{border:1px solid var(--line);padding:.2rem .5rem;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}\n"
    ".good{color:var(--good)}.bad{color:var(--bad);font-weight:600}.none{color:var(--soft)}\n"
    "article{border-left:3px solid var(--line);padding:.3rem 0 .3rem .8rem;margin:1rem 0;"
    "break-inside:avoid}article.illegal,article.unreadable{border-color:var(--bad)}"
    "article.unknown{border-color:var(--warn)}article.legal{border-color:var(--good)}\n"
    ".verdict{font-weight:400;color:var(--soft)}.place,.more{color:var(--soft);margin:0;"
    "font-size:.85rem}p{margin:.3rem 0}\n"
    "pre{background:var(--code);padding:.4rem .6rem;overflow-x:auto;margin:.3rem 0}"
    "mark{background:var(--mark);color:inherit;font-weight:600}.no{color:var(--soft)}\n"
    ".broken b{color:var(--bad)}.advice b{color:var(--warn)}.allowed b{color:var(--soft)}\n"
    "figure{background:#fff;margin:.5rem 0;overflow-x:auto;border:1px solid var(--line)}"
    "figure.plain{background:none}figure.plain svg{max-width:60rem;display:block}"
    ".axis{font:11px "
    "system-ui,sans-serif;fill:var(--soft)}.row{text-anchor:end}.tick{text-anchor:middle}"
    ".copy{fill:var(--good);opacity:.3}.use{fill:var(--good)}"
    ".dram,.l2{fill:none;stroke:var(--fg);stroke-width:1.5}.l2{stroke-dasharray:6 4}"
    ".tiles{fill:var(--good);opacity:.6}.product{fill:none;stroke:var(--bad);stroke-width:2.5}\n"
    "summary{cursor:pointer}summary:focus-visible{outline:2px solid var(--good)}\n"
    "@media print{body{max-width:none;margin:0}pre{white-space:pre-wrap}"
    "details>*{display:block}.wide{overflow:visible}table{font-size:.6rem}}\n"
    "</style></head>\n<body>\n";

static void cell(FILE *out, size_t legal, size_t illegal)
{
    if (illegal)
        fprintf(out, "<td class=\"bad\" title=\"%zu legal\">%zu illegal</td>", legal, illegal);
    else if (legal)
        fprintf(out, "<td class=\"good\">%zu</td>", legal);
    else
        fputs("<td class=\"none\">-</td>", out);
}

static void matrix(FILE *out, const struct io_page *page, const struct io_run *run)
{
    size_t arches = 0;

    fputs("<h2>By file and architecture</h2>\n<p>A number alone: so many, all legal. The first "
          "column is the target above.</p>\n<div class=\"wide\"><table><thead><tr><th "
          "scope=\"col\">file</th><th scope=\"col\">records</th><th scope=\"col\">",
          out);
    fprintf(out, "%s</th>", tmap_arch_name(run->target.arch));
    for (; tmap_arch_at(arches) && arches + 1 < MOST_ARCHES; arches++)
        fprintf(out, "<th scope=\"col\">%s</th>", tmap_arch_name(tmap_arch_at(arches)));
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t f = 0; f < page->files; f++) {
        fputs("<tr><td>", out);
        io_put_markup_text(out, page->file[f].name);
        fprintf(out, "</td><td>%zu</td>", page->file[f].records + page->file[f].unreadable);
        for (size_t a = 0; a <= arches; a++)
            cell(out, page->file[f].legal[a], page->file[f].illegal[a]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* False when what was kept is not whole. */
static bool write_page(const struct io_page *page, const struct io_run *run)
{
    char target[120];
    FILE *out = run->out;

    fputs(head, out);
    fprintf(out,
            "<header><h1>tmap report</h1>\n<p>%zu descriptors: <span class=\"good\">%zu "
            "legal</span>, <span class=\"bad\">%zu illegal</span>, %zu unknown, %zu unreadable, "
            "%zu unmet expectations</p>\n",
            run->records, run->legal, run->illegal, run->unknown, run->unreadable, run->unmet);
    fprintf(out, "<p class=\"place\">%s (%s); contract %s; tmap %s</p></header>\n<main>\n",
            io_target_text(&run->target, target, sizeof target), io_basis_name(run->basis),
            io_contract_name(run->contract), tmap_version());
    matrix(out, page, run);
    fprintf(out, "<h2>Findings</h2>\n%s", page->findings ? "" : "<p>None.</p>\n");
    bool whole = io_put_kept(out, page->body);
    if (page->plans) fputs("<h2>Rings and products</h2>\n", out);
    whole = io_put_kept(out, page->planned) && whole;
    fprintf(out,
            "<h2>Where the boxes lie</h2>\n<p>%zu layouts%s. One colour is one row of the "
            "box; a cell is 16 bytes, named row.piece; a frame marks a bank conflict.</p>\n",
            page->layouts, page->layouts > page->pictures ? ", of which the first are drawn" : "");
    whole = io_put_kept(out, page->drawn) && whole;
    fputs("</main>\n</body></html>\n", out);
    return whole;
}

bool io_page_close(struct io_page *page, const struct io_run *run)
{
    const bool whole = !run || write_page(page, run);

    for (size_t f = 0; f < page->files; f++) free(page->file[f].name);
    free(page->file);
    fclose(page->body);
    fclose(page->drawn);
    fclose(page->planned);
    free(page);
    return whole;
}
