// Meetings of a staging area's warps that order nothing in it: until the next nobody writes or
// stores. Parts of a sum that go to another CTA, or come from one, are waited for between such.
// They are left out of what every warp said: whatever is proved with fewer meetings holds with
// more.
#include "emulate/protocol/fold.h"

#include <string.h>

enum { MOST_MEETINGS = 4096 };

struct meetings {
    uint32_t count;
    bool matters[MOST_MEETINGS]; // something is written or stored before the next
};

// All at one barrier where all wait, and every warp at all of them: else none is left out.
static bool count_meetings(const struct said *said, uint8_t *barrier, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < said->count; i++) {
        const struct symbol *s = &said->symbol[i];
        if (!is_meeting(s)) continue;
        if (s->op == TMAP_STEP_PASS) return false;
        if (*barrier == UINT8_MAX) *barrier = s->x;
        if (*barrier != s->x) return false;
        ++*count;
    }
    return *count <= MOST_MEETINGS;
}

static bool meet_alike(const struct fold *f, size_t run, uint32_t *count)
{
    uint8_t barrier = UINT8_MAX;
    uint32_t now;
    for (uint32_t i = 0; i < f->programs; i++) {
        if (!count_meetings(&f->program[i].said[run], &barrier, &now)) return false;
        if (i == 0) *count = now;
        if (now != *count) return false;
    }
    return *count > 0;
}

static void note_uses(struct meetings *m, const struct said *said)
{
    uint32_t met = 0;
    for (uint32_t i = 0; i < said->count; i++) {
        const uint8_t op = said->symbol[i].op;
        if (op == TMAP_STEP_SYNC) met++;
        if ((op == TMAP_STEP_WRITE || op == TMAP_STEP_STORE) && met) m->matters[met - 1] = true;
    }
}

static void leave_out(const struct meetings *m, struct said *said)
{
    uint32_t kept = 0, met = 0;
    for (uint32_t i = 0; i < said->count; i++) {
        const struct symbol s = said->symbol[i];
        const bool meeting = s.op == TMAP_STEP_SYNC;
        if (!meeting || m->matters[met]) said->symbol[kept++] = s;
        met += meeting;
    }
    said->count = kept;
}

void drop_meetings(struct fold *f)
{
    for (size_t r = 0; f->group && r < f->runs; r++) {
        struct meetings m;
        memset(&m, 0, sizeof m);
        if (!meet_alike(f, r, &m.count)) continue;
        for (uint32_t i = 0; i < f->programs; i++) note_uses(&m, &f->program[i].said[r]);
        for (uint32_t i = 0; i < f->programs; i++) leave_out(&m, &f->program[i].said[r]);
    }
}
