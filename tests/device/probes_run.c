// Running the probes, each in a process of its own, and telling what was predicted.
#define _GNU_SOURCE
#include "device/probes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/layout.h"
#include "device/golden.h"
#include "device/executor_host.h"

#define IMAGE_CAP 16384u
#define MAP_AT (2ull << 30)

int probe_encode(const struct tmap_libcuda *cu, const struct tmap_desc *d, uint64_t map[16])
{
    void *at = (void *)(uintptr_t)d->address;
    if (d->kind == TMAP_TILED)
        return cu->tensor_map_encode_tiled(map, d->dtype, d->rank, at, d->dim, d->stride_bytes,
                                           d->box, d->elem_stride, d->interleave, d->swizzle,
                                           d->l2_promotion, d->oob_fill);
    if (d->kind == TMAP_IM2COL)
        return cu->tensor_map_encode_im2col(
            map, d->dtype, d->rank, at, d->dim, d->stride_bytes, d->lower, d->upper, d->channels,
            d->pixels, d->elem_stride, d->interleave, d->swizzle, d->l2_promotion, d->oob_fill);
    return cu->tensor_map_encode_im2col_wide(map, d->dtype, d->rank, at, d->dim, d->stride_bytes,
                                             d->lower[0], d->upper[0], d->channels, d->pixels,
                                             d->elem_stride, d->interleave, d->mode, d->swizzle,
                                             d->l2_promotion, d->oob_fill);
}

void probe_hide(const struct device_case *c, uint8_t *image, uint32_t bytes)
{
    const uint64_t seed = c->window ? c->seed + 1 : c->seed;
    const uint32_t from = c->window ? 0 : c->image_from;
    for (uint32_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t w;
        memcpy(&w, image + i, 8);
        w ^= executor_word(c->flags, seed, (from + i) / 8);
        memcpy(image + i, &w, 8);
    }
}

static void probe_image(struct probe *p, uint64_t arena)
{
    struct tmap_layout l;
    struct device_case *c = &p->c;
    if (!p->absolute) c->desc.address += arena;
    if (c->window) c->window += arena;
    layout_of(&c->desc, &l);
    const int32_t delta = (int32_t)c->expect_tx;
    c->expect_tx = (uint32_t)l.tx_bytes + (uint32_t)delta;
    if (c->window) return;
    c->image_from = c->use.smem > 1024 ? (uint32_t)c->use.smem / 16 * 16 - 1024 : 0;
    c->image_bytes = IMAGE_CAP;
    if (c->image_from + c->image_bytes > EXECUTOR_HASHED_BYTES)
        c->image_from = EXECUTOR_HASHED_BYTES - c->image_bytes;
}

// The map as tensormap.replace leaves it; the bytes to wait for are what the new map says.
static int replace(struct probe *p, struct executor *ex, uint64_t map[16])
{
    struct executor_edit e = {.field = p->replace.field, .value = p->replace.value};
    struct tmap_map out;
    struct tmap_layout l;
    size_t notes;
    memcpy(e.map, map, sizeof e.map);
    if (p->replace.field == EXECUTOR_FIELD(TMAP_REPLACE_GLOBAL_ADDRESS, 0) && !p->replace.absolute)
        e.value += ex->arena;
    if (executor_edit_maps(ex, &e, 1, map) != TMAP_OK) return -6;
    memcpy(out.word, map, sizeof out.word);
    if (tmap_decode(&out, &p->c.desc, NULL, 0, &notes) != TMAP_OK) return 0;
    layout_of(&p->c.desc, &l);
    p->c.expect_tx = (uint32_t)l.tx_bytes;
    return 0;
}

static int run_probe(struct probe *p, struct probe_record *rec, uint8_t *image)
{
    struct executor ex;
    struct executor_slot slot;
    char why[200] = "";
    if (executor_open(&ex, PROBE_ARENA_BYTES, 42, why, sizeof why) != TMAP_OK) return -2;
    if (executor_slot_open(&ex, 1, IMAGE_CAP, &slot) != TMAP_OK) return -3;
    uint64_t map[16] __attribute__((aligned(64))) = {0};
    if (p->far < 0) probe_image(p, ex.arena);
    if (p->far >= 0) {
        const struct case_room room = {ex.arena, ex.arena_bytes, 0, 0, 8192};
        case_draw(CASE_TILED_FAR, 1, (uint64_t)p->far, &room, &p->c);
        p->c.image_bytes = IMAGE_CAP;
        if (p->c.image_from + IMAGE_CAP > EXECUTOR_HASHED_BYTES)
            p->c.image_from = EXECUTOR_HASHED_BYTES - IMAGE_CAP;
    }
    const int refused = probe_encode(&ex.gpu.api, &p->c.desc, map);
    if (refused) return -4;
    for (int i = 0; i < 2; i++)
        if (p->edit[i].word < 16)
            map[p->edit[i].word] = (map[p->edit[i].word] & ~p->edit[i].clear) | p->edit[i].set;
    if (p->edit[0].word >= 100) memset(map, p->edit[0].word == 101 ? 0xff : 0, sizeof map);
    if (p->replaced && replace(p, &ex, map)) return -6;
    struct executor_job *job = executor_place(&slot, IMAGE_CAP);
    case_job(&p->c, map, job);
    if (p->rank) job->rank = p->rank;
    job->bar_shift = p->bar_shift;
    if (p->map_shift) {
        job->map_at = ex.arena + MAP_AT + p->map_shift;
        if (ex.gpu.api.memcpy_htod(job->map_at, map, sizeof map)) return -5;
    }
    job->linger_ns = 5000;
    rec->cse = p->c;
    rec->arena = ex.arena;
    rec->arena_seed = ex.arena_seed;
    rec->image_bytes = IMAGE_CAP;
    memcpy(rec->map, map, sizeof map);
    if (executor_launch(&ex, &slot) || executor_finish(&ex, &slot)) return ex.failed;
    rec->result = slot.results[0];
    memcpy(image, executor_image(&slot, 0), IMAGE_CAP);
    probe_hide(&p->c, image, IMAGE_CAP);
    return 0;
}

static uint32_t op_of(uint32_t exec_op)
{
    switch (exec_op) {
    case EXECUTOR_STORE:
    case EXECUTOR_STORE_IM2COL:
        return TMAP_OP_STORE;
    case EXECUTOR_PREFETCH:
        return TMAP_OP_PREFETCH;
    default:
        return exec_op >= EXECUTOR_REDUCE ? TMAP_OP_REDUCE_ADD + exec_op - EXECUTOR_REDUCE
                                          : TMAP_OP_LOAD;
    }
}

static struct golden as_golden(const struct probe *p, const struct probe_record *rec)
{
    struct golden g;
    memset(&g, 0, sizeof g);
    g.c = rec->cse;
    g.c.use.op = op_of(g.c.exec_op);
    memcpy(g.map, rec->map, sizeof g.map);
    g.arena = rec->arena, g.arena_bytes = PROBE_ARENA_BYTES, g.arena_seed = rec->arena_seed;
    g.instruction_rank = p->rank ? p->rank : g.c.desc.rank;
    g.map_shift = p->map_shift, g.bar_shift = p->bar_shift;
    g.code = rec->code, g.done = rec->result.done, g.exact = (uint32_t)rec->result.exact;
    return g;
}

static void run_all(struct probe_list *l, struct probe_record *recs, uint8_t *images, int workers)
{
    int live = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        if (live == workers && wait(NULL) > 0) live--;
        strcpy(recs[i].name, l->p[i].name);
        recs[i].code = -100;
        fflush(stdout);
        if (fork() == 0) {
            alarm(20);
            recs[i].code = run_probe(&l->p[i], &recs[i], images + (size_t)i * IMAGE_CAP);
            _exit(0);
        }
        live++;
    }
    while (wait(NULL) > 0) {
    }
}

// Predicted against seen: one line each, the surprises marked; the records go to DIR/faults.sim.
static int tell(const struct probe_list *l, const struct probe_record *recs, uint8_t *images,
                const char *dir)
{
    char path[400];
    int faults = 0, surprises = 0, lost = 0, differ = 0;
    snprintf(path, sizeof path, "%s/faults.sim", dir);
    FILE *f = fopen(path, "wb");
    for (uint32_t i = 0; i < l->n; i++) {
        struct golden g = as_golden(&l->p[i], &recs[i]);
        if (recs[i].code < 0) {
            printf("not run: %s (%d)\n", recs[i].name, recs[i].code);
            lost++;
            continue;
        }
        const bool predicted = golden_fault(&g), seen = recs[i].code != 0;
        faults += seen;
        surprises += predicted != seen;
        printf("%s%s: predicted %s, seen %d\n", predicted != seen ? "SURPRISE " : "", recs[i].name,
               predicted ? "fault" : "no fault", recs[i].code);
        if (l->p[i].replaced && !seen) {
            g.has_image = 1, g.image = images + (size_t)i * IMAGE_CAP;
            probe_hide(&g.c, g.image, IMAGE_CAP);
            const long long at = predicted ? -1 : golden_differs(&g);
            if (at >= 0) printf("DIFFERS %s at byte %lld\n", recs[i].name, at);
            g.has_image = at < 0 && !predicted;
            differ += at >= 0;
        }
        if (f) golden_write(f, &g);
    }
    if (f) fclose(f);
    printf("%u probes in processes of their own: %d faulted, %d not run, %d surprises, %d differ\n",
           l->n, faults, lost, surprises, differ);
    return surprises + lost + differ;
}

int probe_all(const char *dir, int workers)
{
    struct probe_list l = probe_draw();
    struct probe_record *recs = mmap(NULL, MAX_PROBES * sizeof *recs, PROT_READ | PROT_WRITE,
                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint8_t *images = mmap(NULL, (size_t)MAX_PROBES * IMAGE_CAP, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        probe_edits(dir);
        _exit(0);
    }
    wait(NULL);
    run_all(&l, recs, images, workers);
    return tell(&l, recs, images, dir) ? 1 : 0;
}
