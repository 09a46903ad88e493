/* article.c : see article.h. */
#include "io/report/article.h"
#include "io/report/outside.h"

void io_article_head(FILE *out, const struct io_record *record, const char *verdict)
{
    fprintf(out, "<article class=\"%s\"><h3>", verdict);
    if (record->name)
        io_put_markup_text(out, record->name);
    else
        fprintf(out, "record %zu", record->record);
    fprintf(out, " <span class=\"verdict\">%s</span></h3><p class=\"place\">", verdict);
    io_put_markup_text(out, record->file);
    fprintf(out, ":%zu</p>\n", record->line);
}
