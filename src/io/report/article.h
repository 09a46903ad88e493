/* article.h : how an article of the page begins. */
#ifndef TMAP_IO_ARTICLE_H
#define TMAP_IO_ARTICLE_H

#include "io/json/record.h"

#include <stdio.h>

/* io_article_head() : begins <article>: the name or number of the record, verdict and place. */
void io_article_head(FILE *out, const struct io_record *record, const char *verdict);

#endif
