/* write_html.h : `tmap report`: one page with everything in it: verdicts by file and architecture,
 * each finding with its source line, and where each layout lies in shared memory. */
#ifndef TMAP_IO_WRITE_HTML_H
#define TMAP_IO_WRITE_HTML_H

#include "io/report/report.h"

struct io_page;

/* io_page_open() : NULL without memory. Nothing is written before io_page_close(). */
struct io_page *io_page_open(void);

/* io_page_add() : one record. result as io_judge() gives it; arches as with IO_ALL_ARCHES, or NULL.
 * Nothing is kept of either. */
bool io_page_add(struct io_page *page, const struct tmap_checker *checker,
                 const struct io_result *result, const struct io_result *arches);
/* io_page_plan() : the record of a ring or of a product (io_is_plan()). False with its error set.
 */
bool io_page_plan(struct io_page *page, const struct tmap_checker *checker,
                  struct io_record *record, enum tmap_verdict *verdict);
bool io_page_unreadable(struct io_page *page, const struct io_record *record);

/* io_page_numbers() : what the page's table says, to run->out, a line a file as text; json and
 * jsonl: docs/schema/report.json and its "files". */
void io_page_numbers(const struct io_page *page, const struct io_run *run, enum io_format format);

/* io_page_close() : writes the page to run->out (run NULL: nowhere), and frees it. False when what
 *  was kept until then is not whole. */
bool io_page_close(struct io_page *page, const struct io_run *run);

#endif
