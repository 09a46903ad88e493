/* An independent reader of repair's account of its search. */
#ifndef TESTS_SUPPORT_LOG_CHECK_H
#define TESTS_SUPPORT_LOG_CHECK_H

#include "tmap/solve.h"

/* The account as text, an event a line; false where it was cut off or does not fit. */
bool log_text(const struct tmap_search_log *log, char *out, size_t size);

/* NULL when the log shows that nothing cheaper than its best plan was left out: states are numbered
 * without a gap, each was expanded or pruned by a bound not below that plan, and every state that
 * dropping or merging dimensions of an expanded one gives is there. Otherwise what is wrong. */
const char *log_is_wrong(const char *log);

#endif
