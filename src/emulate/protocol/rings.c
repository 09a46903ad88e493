// One ring of a protocol by itself: its barriers, and the buffers that they guard. Who fills or
// empties a slot tells a barrier of it in one step, or in the next.
#include "emulate/protocol/fold.h"

#include <string.h>

static void join(uint8_t of[MOST_OBJECTS], uint32_t a, uint32_t b)
{
    const uint8_t from = of[a], to = of[b];
    for (uint32_t i = 0; i < MOST_OBJECTS; i++)
        if (of[i] == from) of[i] = to;
}

static void join_part(const struct program *p, enum fold_part part, uint8_t of[MOST_OBJECTS])
{
    for (uint32_t i = 0; i < p->length[part]; i++) {
        const struct symbol *s = &p->part[part][i], *before = i ? s - 1 : NULL;
        if (s->op == TMAP_STEP_LOAD || (s->op == TMAP_STEP_COMMIT && s->x != UINT8_MAX))
            join(of, s->y, object_of_buffer(s->x));
        else if (s->op == TMAP_STEP_COMMIT && before && before->op == TMAP_STEP_WRITE)
            join(of, s->y, object_of_buffer(before->x));
        else if (s->op == TMAP_STEP_ARRIVE && before && before->op == TMAP_STEP_DONE)
            join(of, s->x, object_of_buffer(before->x));
    }
}

// Who takes turns needs their order: all that it uses is one ring.
static void join_turns(const struct program *p, uint8_t of[MOST_OBJECTS])
{
    uint8_t object[2], first = UINT8_MAX;
    for (int k = 0; p->every && k < FOLD_PARTS; k++)
        for (uint32_t i = 0; i < p->length[k]; i++) {
            const struct symbol *s = &p->part[k][i];
            if (s->index < 0) continue;
            objects_of(s, object);
            if (first == UINT8_MAX) first = object[0];
            join(of, object[0], first);
        }
}

static bool concerns(const struct symbol *s, const uint8_t of[MOST_OBJECTS], uint8_t ring)
{
    uint8_t object[2];
    if (s->index < 0) return true;
    objects_of(s, object);
    return of[object[0]] == ring;
}

static void keep_part(struct program *p, enum fold_part part, const uint8_t of[MOST_OBJECTS],
                      uint8_t ring)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->length[part]; i++) {
        if (!concerns(&p->part[part][i], of, ring)) continue;
        p->part[part][kept] = p->part[part][i];
        p->going[part][kept] = p->going[part][i];
        if (part == PART_BLOCK) p->skipped[kept] = p->skipped[i];
        kept++;
    }
    p->length[part] = kept;
}

// Who only meets the others has no part in the ring.
static bool takes_part(const struct program *p)
{
    for (int k = 0; k < FOLD_PARTS; k++)
        for (uint32_t i = 0; i < p->length[k]; i++)
            if (!is_meeting(&p->part[k][i])) return true;
    return false;
}

bool keep_ring(struct fold *f, unsigned number)
{
    uint8_t of[MOST_OBJECTS];
    unsigned rings = 0;
    uint32_t b = 0;
    for (uint8_t i = 0; i < MOST_OBJECTS; i++) of[i] = i;
    for (uint32_t i = 0; i < f->programs; i++) {
        join_turns(&f->program[i], of);
        for (int k = 0; k < FOLD_PARTS; k++) join_part(&f->program[i], (enum fold_part)k, of);
    }
    for (; b < f->barriers; b++) {
        bool first = true;
        for (uint32_t a = 0; a < b; a++) first = first && of[a] != of[b];
        if (first && rings++ == number) break;
    }
    if (b == f->barriers) return false;
    for (uint32_t i = 0; i < MOST_OBJECTS; i++) f->left_out[i] = of[i] != of[b];
    for (uint32_t i = 0; i < f->programs;) {
        struct program *p = &f->program[i];
        for (int k = 0; k < FOLD_PARTS; k++) keep_part(p, (enum fold_part)k, of, of[b]);
        if (takes_part(p))
            i++;
        else
            drop_program(f, i);
    }
    return true;
}
