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
/* io_mma_from() : the object "mma" of a pipeline's record. */
bool io_mma_from(struct io_record *record, json_t *mma, struct tmap_pipeline *out);
bool io_pipeline_from(struct io_record *record, struct io_pipeline *out);
void io_pipeline_free(struct io_pipeline *pipeline);

/* The problem and the configurations of a prune record: a list, or the ranges of a space. */
struct io_prune {
    struct tmap_problem problem;
    const char *op;
    struct tmap_config *configs; /* NULL where there is a space */
    size_t count;
    struct tmap_space space;
    uint32_t *lists[5];
};
bool io_prune_from(struct io_record *record, struct io_prune *out);
void io_prune_free(struct io_prune *prune);

/* io_request_from() : a record of solve. False with the error set. */
bool io_request_from(struct io_record *record, struct tmap_tile_request *out);

/* io_enum_from() : a name, an alias or an integer at key of the record's own object; `otherwise`
 *  when absent. False with the error set. */
bool io_enum_key(struct io_record *record, const char *key, int which, int32_t otherwise,
                 int32_t *out);

#endif
