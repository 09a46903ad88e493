/* Every way of seeing a requested tile within a few rewrites, any order of them, every piece; in
 * each every swizzle, copied or not, every number of boxes along every dimension, equal or with a
 * smaller last one. Plain: nothing of src/solve is used. The checker alone says what is legal. */
#ifndef TMAP_TESTS_BRUTE_H
#define TMAP_TESTS_BRUTE_H

#include "tmap/solve.h"

#define BRUTE_COPIES 12

/* One way to see the request. */
struct seen {
    uint32_t rank, depth, bytes;
    int32_t dtype, interleave;
    struct {
        uint64_t size, stride, tile, grain, es, whole; /* whole: no piece of a split */
        uint64_t
            at; /* elements of the request's tile, in their order, from one index to the next */
    } d[6];
    bool jumbled;   /* a merge of dimensions that the tile does not take one after the other */
    bool piece;     /* dimension 0 is one */
    uint32_t pairs; /* elements of the request in one of dimension 0; 0: of another dimension */
};

/* Along one dimension n boxes, of `tail` elements the last one unless 0. */
struct boxes {
    uint64_t n, tail;
};

/* Fields of one view but the boxes. */
struct place {
    const struct seen *v;
    uint64_t tile[6], step; /* coordinate 0 is a multiple of step */
    struct boxes x[6];
    bool moved; /* the tile starts elsewhere in its first box */
    bool copied;
};

/* One candidate: maps, boxes and what their copies move and take. */
struct candidate {
    const struct place *p;
    const struct tmap_desc *desc, *last; /* of all copies, and of the last */
    const struct tmap_layout *layout;    /* of the former */
    uint64_t copies, maps, moved_bytes, shared_bytes;
    uint64_t slot_bytes; /* from one copy to the next */
};

struct brute {
    struct tmap_checker c;
    struct tmap_desc request;
    uint32_t op, depth;
    int32_t swizzles;        /* those below are tried */
    bool every_box;          /* of stores; else those of whole units of shared memory */
    bool every_row;          /* up to eight rows more where they part copies that lie apart */
    uint64_t useful, tensor; /* bytes of the tile, of the tensor */
    struct seen *list;       /* room for BRUTE_VIEWS */
    size_t count;
    /* what to do with a candidate, and whether all with so many copies may be left out */
    void (*consider)(struct brute *, const struct candidate *);
    bool (*skip)(const struct brute *, const struct place *, uint64_t copies);
    void *user;
};

#define BRUTE_VIEWS 40000

void brute_run(struct brute *b);

/* Whether every element of the tile lies where the request's box would put it. */
bool brute_keeps_layout(const struct brute *b, const struct candidate *c);

/* Rewrites of the view alone: what brute force counts by depth. */
unsigned brute_rewrites(const struct tmap_plan *plan);

/* Whether a candidate's maps are legal, and its use with them. use: its op, coordinates and
 * consumer; NULL: none but the op. */
bool brute_legal(const struct brute *b, const struct candidate *c, const struct tmap_use *use);

#endif
