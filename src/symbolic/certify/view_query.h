/* view_query.h : the fields of one view as a question to Z3: can any cost less than a plan does? */
#ifndef TMAP_SYMBOLIC_VIEW_QUERY_H
#define TMAP_SYMBOLIC_VIEW_QUERY_H

#include "symbolic/smt/script.h"
#include "tmap/solve.h"

/* What the search measured against ("objective" in its account). */
struct sym_objective {
    unsigned long long useful_bytes, tensor_bytes;
    int swizzle, stores, keep_swizzle, no_copy, decided;
};

/* A view as the account states it; desc has the request's other fields, with what the plan decided.
 */
struct sym_view {
    struct tmap_desc desc;
    unsigned long long tile[TMAP_MAX_RANK], grain[TMAP_MAX_RANK];
    unsigned layout_changes;
    int is_piece;             /* dimension 0 is what a split left of one */
    int tile_rows;            /* its rows are rows of the tile, or pieces of them */
    int whole[TMAP_MAX_RANK]; /* bit 0: the dimension is as requested, no piece and no pair */
};

struct sym_fields {
    const struct tmap_checker *checker;
    const struct sym_objective *objective;
    const struct sym_view *view;
    const struct tmap_plan *plan;
    const struct tmap_use *use; /* who uses the map: the rows about that hold too; NULL: nobody */
    bool copied;                /* the tensor may be copied; else it may not */
    bool linear;                /* without what needs products of boxes: more is possible then */
    uint32_t capacity;          /* of shared memory, bytes */
    uint32_t coord_unit;        /* legal coordinates of dimension 0 are multiples of it */
    uint32_t shared_align;      /* of each copy's bytes */
    uint32_t longest;           /* no legal box is longer, elements */
    uint64_t rows;              /* of an im2col copy: its pixels */
    const struct tmap_tile_plan *best; /* solve's, to be beaten in its order; NULL: plan alone */
    uint32_t tile_rank;                /* of the request */
    bool many_conflicts; /* where they are not known they are too many; else there are none */
};

/* sym_longest_box() : what no legal box is longer than, by the rows. */
uint32_t sym_longest_box(const struct tmap_checker *checker, const struct tmap_desc *legal);

/* sym_coord_unit() : the least unit of coordinate 0 that the rows about uses allow a legal
 * descriptor with its type and interleave changed. */
uint32_t sym_coord_unit(const struct tmap_checker *checker, const struct tmap_desc *legal,
                        int32_t dtype, int32_t interleave);

/* sym_row_unit() : elements that a row of a box is whole in: 16 bytes, or a group of a padded type.
 */
uint64_t sym_row_unit(int32_t dtype);

/* sym_rounding() : elements before the tile's first that copies bring, where that one is no legal
 * coordinate of dimension 0. */
uint64_t sym_rounding(const struct sym_fields *f);

/* sym_row_elements() : elements that a row of memory has, as the map is told: of a copied tensor
 * with zeros up to a whole group of a padded type, or a whole byte. */
uint64_t sym_row_elements(const struct sym_fields *f);

/* Parts of the question: the view's fields, those marked unknown as constants to be found (what is
 * copied lies in an allocation of its own); the rows of a range; and of a copy of so many rows,
 * bytes and e_0 elements a row, how far it reaches in shared memory, `footprint`, and how far apart
 * copies lie, `slot`. */
void sym_fields_desc(struct sym_script *q, const struct sym_fields *f, const bool *unknown);
void sym_fields_rows(struct sym_script *q, const struct sym_fields *f, tmap_row from, tmap_row to);
void sym_fields_shared(struct sym_script *q, const struct sym_fields *f);

/* sym_im2col_question() : all of the question about an im2col map. */
void sym_im2col_question(struct sym_script *q, const struct sym_fields *f);

/* sym_fields_costs() : constants and definitions: fields that are free, the rows, and copies that
 * cover the tile. N is their number, layouts the changes of the shared layout; bytes, footprint and
 * slot are of one copy. most: no more copies than that. */
void sym_fields_costs(struct sym_script *q, const struct sym_fields *f, uint64_t most);
/* sym_fields_below() : that the costs are below the plan's, steps aside. */
void sym_fields_below(struct sym_script *q, const struct sym_fields *f);
/* sym_fields_maps() : of stores, fewer than n copies, or as many with fewer smaller last boxes
 * (each doubles the maps); what comes after is compared where the boxes are all equal. */
void sym_fields_maps(struct sym_script *q, const struct sym_fields *f, unsigned long long n);
/* sym_fields_better() : that solve would rank the plan higher, up to whole sectors of memory. */
void sym_fields_better(struct sym_script *q, const struct sym_fields *f);

/* A search's account, and what is asked about each view that it names. */
struct sym_account {
    struct tmap_symbolic *s;
    const struct tmap_checker *checker;
    const struct tmap_plan *plan;      /* to be beaten */
    const struct tmap_use *use;        /* NULL: costs as repair ranks them; else as solve does */
    const struct tmap_tile_plan *best; /* with use */
    uint32_t tile_rank;
    struct tmap_desc base; /* the request's fields that no view changes */
    struct sym_objective objective;
    bool has_aim;
};
/* sym_read_account() : asks Z3 about each view. sym_each_view() : calls each with every view
 * instead. */
enum tmap_status sym_each_view(struct sym_account *a, const struct tmap_search_log *log,
                               enum tmap_status (*each)(struct sym_account *a,
                                                        const struct sym_view *v, void *user),
                               void *user);
enum tmap_status sym_read_account(struct sym_account *a, const struct tmap_search_log *log,
                                  struct tmap_minimal *out);

#endif
