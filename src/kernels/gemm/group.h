/* Inside groups: what those whose members the host writes (group.c) share with those whose members
 * the device cuts out of a product (route.c). */
#ifndef TMAP_KERNELS_GEMM_GROUP_H
#define TMAP_KERNELS_GEMM_GROUP_H

#include "kernels/gemm/routing.h"
#include "kernels/gemm/suite.h"

/* A member as a problem, with what all share, and back; as the kernels read it. */
struct tmap_gemm_problem gemm_member_problem(const struct tmap_gemm_problem *like,
                                             const struct tmap_gemm_member *x);
struct tmap_gemm_member gemm_problem_member(const struct tmap_gemm_problem *p);
struct gemm_member gemm_member_record(const struct gemm_view *view,
                                      const struct tmap_gemm_problem *problem);

/* The cheapest of the group's kernels for these members; false where none fits. */
bool gemm_choose_group(const struct tmap_gemm *suite, const struct tmap_gemm_problem *like,
                       const struct tmap_gemm_member *members, size_t count,
                       const struct tmap_gemm_config *request, struct gemm_choice *best);

/* Whether a member's maps, their use and their edits on the device keep the rows. */
enum tmap_status gemm_check_member(const struct tmap_gemm *suite, const struct gemm_view *view,
                                   const struct gemm_choice *choice,
                                   struct tmap_gemm_refusal *refusal);
/* Names the member in a refusal that a map brought; returns the status. */
enum tmap_status gemm_blame_member(struct tmap_gemm_refusal *refusal, enum tmap_status status,
                                   size_t i);

/* Fills in what is launched: the kernels, the maker by its name, and their parameters, whose maps
 * are those of a member that stands for all. */
enum tmap_status gemm_ready_group(struct tmap_gemm *suite, const struct tmap_gemm_member *stands,
                                  const struct gemm_choice *choice, const char *maker,
                                  struct tmap_gemm_group *group, struct tmap_gemm_refusal *refusal);

/* A kernel of an image of groups, by name. */
enum tmap_status gemm_group_function(struct tmap_gemm *suite, enum gemm_image part,
                                     const char *name, tmap_cu_function *out);

#endif
