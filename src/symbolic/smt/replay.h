/* replay.h : a question to Z3 as a file that another solver reads. */
#ifndef TMAP_SYMBOLIC_REPLAY_H
#define TMAP_SYMBOLIC_REPLAY_H

#include "symbolic/smt/z3.h"

/* sym_is_linear_text() : whether SMT-LIB text multiplies and divides by numerals alone, as the
 *  logics of linear arithmetic demand. A product with a constant that the text defines is none:
 *  what a logic allows is a matter of the text. */
bool sym_is_linear_text(const char *text);

/* sym_put_replay() : the whole file: logic, what is asked, what is expected. */
void sym_put_replay(struct sym_text *t, struct tmap_symbolic *s, const struct sym_query *query,
                    enum sym_answer answer);

/* sym_ask() : sym_z3_ask(), and the question goes to whom the context records for. */
enum tmap_status sym_ask(struct tmap_symbolic *s, const struct sym_query *query,
                         enum sym_answer *answer);

#endif
