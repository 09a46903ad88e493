/* What a search of repairs keeps, and its views. */
#ifndef TMAP_SOLVE_REPAIR_VIEWS_H
#define TMAP_SOLVE_REPAIR_VIEWS_H

#include "solve/decide.h"
#include "solve/search.h"

struct search {
    struct objective objective;
    const struct decision *decision;
    struct limit_sets *sets;
    const struct tmap_cost *limit; /* or NULL */
    struct view *views;
    uint32_t *table;
    size_t slots, capacity;
    uint32_t count;
    bool full;     /* there were more views than there is room for, or more work than is done */
    bool pieces;   /* rows to be stored are not whole units */
    bool too_long; /* the last plan had more steps than there is room for */
    struct tmap_plan *plans;
    size_t cap, found;
    uint32_t dropped; /* plans that the self-check refused */
    struct tmap_search_log *log;
};

/* Room for views in the caller's memory; false: there is none for one. */
bool search_take_workspace(struct search *s, void *workspace, size_t bytes);

/* Of the view's type and interleave, asked once. */
struct limits *search_limits(struct search *s, const struct view *v);

/* A view that is not there yet; s->full where there is no room. */
void search_add(struct search *s, const struct view *v);
/* All that follow from it by one rewrite. */
void search_add_successors(struct search *s, const struct view *v);

/* For the log, if there is one. */
void search_note_cost(struct search *s, enum tmap_search_kind kind, uint32_t state,
                      const struct tmap_cost *c);
void search_note_objective(struct search *s);
void search_note_im2col(struct search *s, const struct tmap_desc *d);

#endif
