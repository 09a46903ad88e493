// What a finished run left against what was expected: wrong bytes, and who wrote them.
#include "emulate/async/order.h"

#include <string.h>

static struct emu_region *region_at(struct emu_machine *m, uint64_t address)
{
    for (uint32_t i = 0; i < m->regions; i++)
        if (address - m->region[i].address < m->region[i].bytes) return &m->region[i];
    return NULL;
}

static void report(struct emu_machine *m, const struct emu_region *region, uint64_t offset,
                   uint8_t expected)
{
    struct emu_writer who = {0};
    char place[160];
    const bool wrote = emu_writer_of(m, region, offset, &who);
    const uint64_t address = region->address + offset;
    const char *name = region->name ? region->name : "global";
    if (!emu_first_time(m, TMAP_EMULATE_WRONG, who.in, NULL)) return;
    if (wrote)
        emu_find_report(m, TMAP_EMULATE_WRONG, NULL, who.in, who.lane, address,
                        "byte 0x%llx of %s is 0x%02x, not 0x%02x: last written by %s (CTA %u, warp "
                        "%u)",
                        (unsigned long long)offset, name, region->data[offset], expected,
                        emu_place(m, who.in, place, sizeof place), who.cta, who.warp);
    else
        emu_find_report(m, TMAP_EMULATE_WRONG, NULL, NULL, 0, address,
                        "byte 0x%llx of %s is 0x%02x, not 0x%02x%s", (unsigned long long)offset,
                        name, region->data[offset], expected, m->order ? ": nothing wrote it" : "");
}

static void compare(struct emu_machine *m, const struct tmap_emulate_expected *e)
{
    const uint8_t *want = e->data;
    for (uint64_t i = 0; i < e->bytes; i++) {
        const struct emu_region *r = region_at(m, e->address + i);
        const uint64_t offset = r ? e->address + i - r->address : 0;
        if (r && r->data[offset] != want[i]) report(m, r, offset, want[i]);
    }
}

void emu_compare(struct emu_machine *m)
{
    for (size_t i = 0; i < m->watch.expected_count; i++) compare(m, &m->watch.expected[i]);
}
