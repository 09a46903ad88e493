// Runs random copies of each class on a GPU.
//   explore OUT_DIR COUNT BOX_CAP [class...]            what came back, to OUT_DIR/<class>.rec
//   explore OUT_DIR probes WORKERS [more]               copies that may fault, one process each
//   explore verify COUNT SEED ARENA_GIB THREADS [class...]   compares each with the simulator
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cases.h"
#include "device/probes.h"
#include "device/verify.h"
#include "kernels/copy/executor_host.h"

#define ARENA_BYTES (8ull << 30)
#define IMAGE_BYTES 262144u
#define WINDOW_BYTES 8192u
#define BATCH 256u

static void write_record(const struct executor *ex, const struct executor_slot *slot, uint32_t i,
                         const struct device_case *c, FILE *f)
{
    static uint8_t image[IMAGE_BYTES];
    const uint32_t bytes = c->window_bytes ? c->window_bytes : c->image_bytes;
    struct probe_record rec = {.cse = *c,
                               .result = slot->results[i],
                               .arena = ex->arena,
                               .arena_seed = ex->arena_seed,
                               .image_bytes = bytes};
    memcpy(rec.map, slot->jobs[i].map, sizeof rec.map);
    fwrite(&rec, sizeof rec, 1, f);
    memcpy(image, executor_image(slot, i), bytes);
    probe_hide(c, image, bytes);
    fwrite(image, bytes, 1, f);
}

static int explore_class(enum case_class cls, uint32_t count, uint32_t cap, const char *dir)
{
    struct executor ex;
    struct executor_slot slot;
    char why[200], path[400];
    if (executor_open(&ex, ARENA_BYTES, 42, why, sizeof why) != TMAP_OK) {
        printf("%s: open: %s (%d)\n", case_class_name(cls), why, ex.failed);
        return 1;
    }
    if (executor_slot_open(&ex, BATCH, (uint64_t)BATCH * IMAGE_BYTES, &slot) != TMAP_OK) return 1;
    tmap_cu_deviceptr windows;
    if (ex.gpu.api.mem_alloc(&windows, (size_t)BATCH * WINDOW_BYTES)) return 1;
    snprintf(path, sizeof path, "%s/%s.rec", dir, case_class_name(cls));
    FILE *f = fopen(path, "wb");
    if (!f) return 1;
    struct device_case *cases = calloc(BATCH, sizeof *cases);
    uint32_t refused = 0, done = 0, ran = 0;
    for (uint32_t at = 0; at < count; at += BATCH) {
        slot.count = 0;
        slot.image_bytes = 0;
        for (uint32_t i = 0; i < BATCH && at + i < count; i++) {
            struct device_case *c = &cases[slot.count];
            const struct case_room room = {ex.arena, ex.arena_bytes,
                                           windows + (uint64_t)slot.count * WINDOW_BYTES,
                                           WINDOW_BYTES, cap};
            uint64_t map[16] __attribute__((aligned(64)));
            case_draw(cls, 1, at + i, &room, c);
            if (probe_encode(&ex.gpu.api, &c->desc, map)) {
                refused++;
                continue;
            }
            struct executor_job *job =
                executor_place(&slot, c->window_bytes ? c->window_bytes : c->image_bytes);
            case_job(c, map, job);
            job->linger_ns = 1000;
        }
        if (executor_launch(&ex, &slot) || executor_finish(&ex, &slot)) {
            printf("%s: batch at %u failed: %d\n", case_class_name(cls), at, ex.failed);
            fflush(stdout);
            return 1;
        }
        for (uint32_t i = 0; i < slot.count; i++) {
            write_record(&ex, &slot, i, &cases[i], f);
            ran++;
            done += slot.results[i].done;
        }
        fflush(f);
    }
    fclose(f);
    printf("%s: %u ran, %u done, %u refused\n", case_class_name(cls), ran, done, refused);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 4 && strcmp(argv[1], "verify") == 0)
        return verify_main(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0),
                           strtoull(argv[4], NULL, 0) << 30, atoi(argv[5]),
                           argc > 6 ? argv + 6 : NULL);
    const char *dir = argv[1];
    if (argc > 3 && strcmp(argv[2], "probes") == 0) return probe_all(dir, atoi(argv[3]), argc == 4);
    const uint32_t count = (uint32_t)atoi(argv[2]), cap = (uint32_t)atoi(argv[3]);
    for (int k = 0; k < CASE_CLASS_COUNT; k++) {
        bool wanted = argc == 4;
        for (int a = 4; a < argc; a++) wanted |= strcmp(argv[a], case_class_name(k)) == 0;
        if (!wanted) continue;
        if (fork() == 0) exit(explore_class(k, count, cap, dir));
    }
    while (wait(NULL) > 0) {
    }
    return 0;
}
