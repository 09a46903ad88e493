/* What tmap emulate watches a run for: progress, a timeline, and every order of a small
 * grid's warps and copies. */
#ifndef TMAP_CLI_EMULATE_WATCH_H
#define TMAP_CLI_EMULATE_WATCH_H

#include "cli/cli.h"
#include "cli/emulate_timeline.h"
#include "cli/progress.h"

struct emulate_watch {
    struct tmap_emulate_watch watch;
    struct timeline timeline; /* of one CTA */
    struct cli_progress *life;
};

/* Ready for a run; draws: its timeline is kept; life: of a single run, or NULL. */
void emulate_watch_begin(struct emulate_watch *w, bool draws, uint32_t cta,
                         struct cli_progress *life);
/* Writes the timeline as SVG; false with a message. */
bool emulate_watch_draw(struct cli *cli, const struct emulate_watch *w, const char *path,
                        const char *kernel);

/* Runs the launch in every order of its warps and operations that has at most `most` choices other
 * than the first, most = 0, 1, 2, …, until all are done or `runs` of them; `each` looks at a run,
 * and ends the exploration when it answers false. */
struct emulate_orders {
    uint64_t runs, done;
    uint32_t complete; /* every order with so many other choices has been run */
    bool all;          /* … and there are no more */
};
enum tmap_status
emulate_explore(const struct tmap_emulate_module *module, const struct tmap_emulate_launch *launch,
                struct emulate_orders *orders,
                bool (*each)(void *self, const struct tmap_emulate_finding *found, size_t findings,
                             const struct tmap_emulate_result *result),
                void (*before)(void *self), void *self);

#endif
