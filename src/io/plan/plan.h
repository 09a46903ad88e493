/* plan.h : plans, budgets and configurations as JSON and text; requests, pipelines and problems
 * read.
 */
#ifndef TMAP_IO_PLAN_H
#define TMAP_IO_PLAN_H

#include "io/json/record.h"
#include "tmap/solve.h"

#include <stdio.h>

json_t *io_plan_json(const struct tmap_plan *plan, const struct tmap_desc *request);
json_t *io_cost_json(const struct tmap_cost *cost);
void io_plan_text(FILE *out, const struct tmap_plan *plan, const struct tmap_desc *request);

/* io_plan_loop() : the loop that issues the copies of a tile at coordinates c0, c1, ..., with k0,
 * k1,
 *  ... counting copies along each dimension of the plan's descriptor; as snprintf. ctas: how many
 *  get the tile. `map` is an array where last boxes are smaller (tmap_plan_desc()). */
size_t io_plan_loop(const struct tmap_plan *plan, const struct tmap_desc *request, bool stores,
                    uint32_t ctas, char *out, size_t size);

/* io_plan_patch() : a JSON patch (RFC 6902) that turns the record's object into the plan's
 *  descriptor. base is the JSON pointer of the record in its file, "" for a lone object. */
json_t *io_plan_patch(const struct tmap_plan *plan, const struct io_record *record,
                      const char *base);

/* A pipeline as read: its descriptors belong to it. io_pipeline_free() frees them, also
 * after a failed reading; so does io_prune_free(). */
struct io_pipeline {
    struct tmap_pipeline pipeline;
    struct tmap_desc *loads, store;
    bool own_protocol; /* protocol is the kernel's own; its names are the record's */
    struct tmap_protocol protocol;
};
/* io_protocol_from() : the object "protocol" of a pipeline's record, whose names it keeps. */
bool io_protocol_from(struct io_record *record, json_t *object, struct tmap_protocol *out);
/* io_protocol_json() : that object, of a protocol whose agents and objects have names; a new
 * reference, NULL without memory. */
json_t *io_protocol_json(const struct tmap_protocol *protocol);
/* io_mma_from() : the object "mma" of a pipeline's record. */
bool io_mma_from(struct io_record *record, json_t *mma, struct tmap_pipeline *out);
bool io_pipeline_from(struct io_record *record, struct io_pipeline *out);
void io_pipeline_free(struct io_pipeline *pipeline);

/* The problem and the configurations of a prune record: a list, or the ranges of a space. */
struct io_prune {
    struct tmap_problem problem;
    struct tmap_config *configs; /* NULL where there is a space */
    size_t count;
    struct tmap_space space;
    uint32_t *lists[5];
};
bool io_prune_from(struct io_record *record, struct io_prune *out);
void io_prune_free(struct io_prune *prune);

/* A tensor that no descriptor holds, in the order of its input. */
struct io_tensor {
    struct tmap_tensor tensor; /* innermost first */
    bool outermost_first;      /* as torch has it: "sizes", "strides" and "offset" in elements */
};
/* io_is_tensor() : whether an object is one. io_tensor_from() : reads it, and its tile from box;
 * False with the error set. io_fold_given() : what its descriptor says beside the tensor, its fold
 * has, too; a reason where it cannot. io_fold_text(), io_fold_json() : how the coordinates of its
 * plans follow from its own, which are called x0, x1, ... in the order of the input. */
bool io_is_tensor(const json_t *object);
bool io_tensor_from(struct io_record *record, json_t *object, const char *path, const json_t *box,
                    const char *box_path, struct io_tensor *out);
void io_fold_given(const struct tmap_desc *given, struct tmap_fold *fold);
void io_fold_text(FILE *out, const struct io_tensor *tensor, const struct tmap_fold *fold);
json_t *io_fold_json(const struct io_tensor *tensor, const struct tmap_fold *fold);

/* A request of solve: folded says that its tensor is one that no descriptor holds, which tensor and
 * fold are, then. */
struct io_request {
    struct tmap_tile_request request;
    bool folded;
    struct io_tensor tensor;
    struct tmap_fold fold; /* reason "": request is of its descriptor */
};
/* io_request_from() : a record of solve. False with the error set. */
bool io_request_from(struct io_record *record, struct io_request *out);

/* io_enum_key() : a name, an alias or an integer at key of the record's own object; `otherwise`
 *  when absent. False with the error set. */
bool io_enum_key(struct io_record *record, const char *key, int which, int32_t otherwise,
                 int32_t *out);

#endif
