// The device program: what tests/device/run runs on a GPU.
//   explore verify COUNT SEED ARENA_GIB THREADS [CLASS...]   random copies against the simulator
//   explore misuse COUNT SEED ARENA_GIB THREADS              each breaks a rule that does not fault
//   explore plans COUNT SEED ARENA_GIB THREADS [FILE]        plans of repair and solve; FILE keeps
//                                                            what was seen
//   explore faults DIR WORKERS                               what may fault, a process each
//   explore controls SEED DRAWS WORKERS [PART]               planted faults and their references
//   explore repeat RUNS MIB                                  the copy suite, bitwise equal
//   explore golden DIR COUNT                                 records COUNT small copies of each
//   class
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/controls.h"
#include "device/golden.h"
#include "device/plans.h"
#include "device/probes.h"
#include "device/repeat.h"
#include "device/verify.h"
#include "device/executor_host.h"

#define GOLDEN_ARENA_BYTES (8ull << 30)
#define GOLDEN_WINDOW_BYTES 2048u
#define GOLDEN_BOX_BYTES 400u
#define GOLDEN_BATCH 256u

struct recorder {
    struct executor ex;
    struct executor_slot slot;
    tmap_cu_deviceptr windows;
    struct device_case cases[GOLDEN_BATCH];
    FILE *f;
};

static bool recorder_open(struct recorder *r, const char *path)
{
    char why[200];
    return executor_open(&r->ex, GOLDEN_ARENA_BYTES, 42, why, sizeof why) == TMAP_OK &&
           executor_slot_open(&r->ex, GOLDEN_BATCH, GOLDEN_BATCH * 16384ull, &r->slot) == TMAP_OK &&
           r->ex.gpu.api.mem_alloc(&r->windows, GOLDEN_BATCH * GOLDEN_WINDOW_BYTES) == 0 &&
           (r->f = fopen(path, "wb")) != NULL;
}

static void draw_batch(struct recorder *r, enum case_class cls, uint32_t from, uint32_t to)
{
    r->slot.count = 0;
    r->slot.image_bytes = 0;
    for (uint32_t i = from; i < to; i++) {
        struct device_case *c = &r->cases[r->slot.count];
        uint64_t map[16] __attribute__((aligned(64)));
        const struct case_room room = {r->ex.arena, r->ex.arena_bytes,
                                       r->windows + r->slot.count * GOLDEN_WINDOW_BYTES,
                                       GOLDEN_WINDOW_BYTES, GOLDEN_BOX_BYTES};
        case_draw(cls, 2026, i, &room, c);
        if (probe_encode(&r->ex.gpu.api, &c->desc, map)) continue;
        struct executor_job *job =
            executor_place(&r->slot, c->window_bytes ? c->window_bytes : c->image_bytes);
        if (job == NULL) return;
        case_job(c, map, job);
        job->linger_ns = 1000;
    }
}

static void keep_batch(struct recorder *r)
{
    for (uint32_t i = 0; i < r->slot.count; i++) {
        struct golden g;
        memset(&g, 0, sizeof g);
        g.c = r->cases[i];
        memcpy(g.map, r->slot.jobs[i].map, sizeof g.map);
        g.arena = r->ex.arena, g.arena_bytes = r->ex.arena_bytes, g.arena_seed = 42;
        g.instruction_rank = g.c.desc.rank;
        g.done = r->slot.results[i].done, g.exact = (uint32_t)r->slot.results[i].exact;
        g.has_image = g.c.window_bytes || g.c.image_bytes;
        g.image = (uint8_t *)(uintptr_t)executor_image(&r->slot, i);
        golden_write(r->f, &g);
    }
}

static int record_class(enum case_class cls, const char *dir, uint32_t count)
{
    static struct recorder r;
    char path[400];
    snprintf(path, sizeof path, "%s/%02d.sim", dir, (int)cls);
    if (!recorder_open(&r, path)) return 1;
    for (uint32_t at = 0; at < count; at += GOLDEN_BATCH) {
        draw_batch(&r, cls, at, at + GOLDEN_BATCH < count ? at + GOLDEN_BATCH : count);
        if (executor_launch(&r.ex, &r.slot) || executor_finish(&r.ex, &r.slot)) return 1;
        keep_batch(&r);
    }
    fclose(r.f);
    return 0;
}

static int record_all(const char *dir, uint32_t count)
{
    int bad = 0;
    for (int k = 0; k < CASE_SINGLE_COUNT; k++)
        if (fork() == 0) _exit(record_class((enum case_class)k, dir, count));
    for (int status; wait(&status) > 0;) bad |= status;
    printf("recorded %u of each class: %s\n", count, bad ? "failed" : "done");
    return bad != 0;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 5 && (!strcmp(what, "verify") || !strcmp(what, "misuse")))
        return verify_main(number(argv[2]), number(argv[3]), number(argv[4]) << 30, atoi(argv[5]),
                           !strcmp(what, "misuse"), argc > 6 ? argv + 6 : NULL);
    if (argc > 5 && !strcmp(what, "plans"))
        return plans_main(number(argv[2]), number(argv[3]), number(argv[4]) << 30, atoi(argv[5]),
                          argc > 6 ? argv[6] : NULL);
    if (argc > 3 && !strcmp(what, "faults")) return probe_all(argv[2], atoi(argv[3]));
    if (argc > 4 && !strcmp(what, "controls"))
        return controls_main(number(argv[2]), (uint32_t)number(argv[3]), atoi(argv[4]),
                             argc > 5 ? argv[5] : NULL);
    if (argc > 3 && !strcmp(what, "repeat"))
        return repeat_main((uint32_t)number(argv[2]), number(argv[3]) << 20);
    if (argc > 3 && !strcmp(what, "golden")) return record_all(argv[2], (uint32_t)number(argv[3]));
    fprintf(stderr, "explore verify|misuse|plans|faults|controls|repeat|golden ...: see the top of "
                    "its source\n");
    return 3;
}
