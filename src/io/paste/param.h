/* param.h : what a function's parameter is where the pasted text also has the function's call. */
#ifndef TMAP_IO_PARAM_H
#define TMAP_IO_PARAM_H

#include "io/paste/source_text.h"

/* io_param_given() : `name` is a parameter of the function that s->use stands in, in C++ perhaps
 *  one of its template: what another call of that function, or "compile(f, ...)" of it, from *at
 *  on, gives for it, from *from to *to; it is to be read with s->use there. *at NULL: from the
 * text's beginning. False where there is no such parameter, or no further call that gives it. */
bool io_param_given(struct io_source *s, const char *name, const char **at, const char **from,
                    const char **to);

/* io_param_hides() : whether `name` is a parameter, without a default, of the function that s->use
 *  stands in, and `at` stands before that function: what it is set to there is another's. */
bool io_param_hides(const struct io_source *s, const char *name, const char *at);

/* io_param_is_local() : of Python: `at` stands in a function that s->use does not stand in. */
bool io_param_is_local(const struct io_source *s, const char *at);

#endif
