#include "cli/emulate_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DECISIONS = 4096, MOST_FINDINGS = 16, MOST_OTHERS = 64 };

/* Of one run, its clusters are what is counted. */
static void progress(void *self, const struct tmap_emulate_counts *so_far, uint32_t left,
                     uint32_t clusters)
{
    const struct emulate_watch *w = self;
    (void)so_far;
    w->life->of = clusters;
    w->life->done = left;
}

static void event(void *self, const struct tmap_emulate_event *e)
{
    timeline_add(&((struct emulate_watch *)self)->timeline, e);
}

void emulate_watch_begin(struct emulate_watch *w, bool draws, uint32_t cta,
                         struct cli_progress *life)
{
    timeline_free(&w->timeline);
    w->timeline.cta = cta;
    w->life = life;
    w->watch = (struct tmap_emulate_watch){
        .size = sizeof w->watch, .self = w, .progress = progress, .event = draws ? event : NULL};
}

bool emulate_watch_draw(struct cli *cli, const struct emulate_watch *w, const char *path,
                        const char *kernel)
{
    FILE *f = fopen(path, "w");
    bool good = f && timeline_svg(f, &w->timeline, kernel) && !ferror(f);
    if (f && fclose(f) != 0) good = false;
    if (!good) cli_message(cli, "%s: %s", path, strerror(errno));
    return good;
}

/* --- every order */

struct search {
    uint32_t choice[MOST_DECISIONS], options[MOST_DECISIONS];
    size_t decided;
};

static uint32_t others(const struct search *s, size_t n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++) count += s->choice[i] != 0;
    return count;
}

/* The next sequence with at most `most` other choices: its length; 0 at the end. */
static size_t next(struct search *s, size_t prefix, uint32_t most)
{
    size_t n = s->decided < MOST_DECISIONS ? s->decided : MOST_DECISIONS;
    for (size_t i = prefix; i < n; i++) s->choice[i] = 0;
    for (; n > 0; n--) {
        const bool fresh = s->choice[n - 1] == 0;
        if (s->choice[n - 1] + 1 < s->options[n - 1] && others(s, n) + fresh <= most) break;
        s->choice[n - 1] = 0;
    }
    if (n) s->choice[n - 1]++;
    return n;
}

enum tmap_status emulate_explore(const struct tmap_emulate_module *module,
                                 const struct tmap_emulate_launch *launch, struct emulate_orders *o,
                                 bool (*each)(void *self, const struct tmap_emulate_finding *found,
                                              size_t findings,
                                              const struct tmap_emulate_result *result),
                                 void (*before)(void *self), void *self)
{
    struct tmap_emulate_launch how = *launch;
    struct tmap_emulate_finding finding[MOST_FINDINGS];
    struct tmap_emulate_result result;
    struct search *s = calloc(1, sizeof *s);
    enum tmap_status status = s ? TMAP_OK : TMAP_E_MEMORY;
    uint64_t before_these = 0;
    how.schedule = TMAP_EMULATE_CHOSEN;
    for (uint32_t most = 0; status == TMAP_OK && most <= MOST_OTHERS && !o->all; most++) {
        size_t found, n = 0;
        uint64_t these = 0;
        do {
            if (o->done == o->runs) goto end;
            const struct tmap_emulate_watch watch = {.size = sizeof watch,
                                                     .choice = s->choice,
                                                     .choices = n,
                                                     .options = s->options,
                                                     .option_room = MOST_DECISIONS,
                                                     .decided = &s->decided};
            s->decided = 0;
            before(self);
            status = tmap_emulate_run_watched(module, &how, &watch, finding, MOST_FINDINGS, &found,
                                              &result);
            if (status != TMAP_OK) break;
            o->done++, these++;
            if (!each(self, finding, found < MOST_FINDINGS ? found : MOST_FINDINGS, &result))
                goto end;
            n = next(s, n, most);
        } while (n);
        if (status == TMAP_OK) o->complete = most;
        o->all = most && these == before_these;
        before_these = these;
        memset(s, 0, sizeof *s);
    }
end:
    free(s);
    return status;
}
