/* Texts of kernels whose protocol is recorded in three runs, folded and put to the automaton: as
 * they are, and with a statement changed, in rows of what must come of it. */
#ifndef TMAP_TESTS_PROTOCOL_TEXTS_H
#define TMAP_TESTS_PROTOCOL_TEXTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/edit.h"
#include "support/proved.h"

/* Another statement in a statement's place; in `late` runs alone from that one on. */
struct change {
    const char *name, *from, *to;
    int late;
    enum tmap_emulate_part part;
    unsigned number;
    enum tmap_status status;
    enum tmap_hazard hazard;
    const char *says;
};
#define PART TMAP_EMULATE_BARRIERS, 0
#define FIRST TMAP_EMULATE_RING, 0

/* A text of kernel k, whose parameter is the address of a number of blocks (6, 9 and 14), and rows
 * of what is changed in it. */
struct text_list {
    const char *text;
    uint32_t threads, ctas; /* of one cluster */
    const struct edit *edit;
    size_t edits;
    const struct change *change;
    size_t changes;
};

bool record_text(const struct text_list *l, const char *text, uint32_t blocks,
                 struct tmap_emulate_record **out);
/* A test: the list is its state. */
void text_list(void **list);

#define COUNT(of) (sizeof(of) / sizeof *(of))
#define LIST_OF(text, threads, ctas, edits, changes)                                               \
    {                                                                                              \
        text, threads, ctas, edits, COUNT(edits), changes, COUNT(changes)                          \
    }
#define TEXTS_OF(list)                                                                             \
    {                                                                                              \
#list, text_list, NULL, NULL, &list                                                        \
    }
int run_text_lists(const char *name, const struct CMUnitTest *tests, size_t count);

#endif
