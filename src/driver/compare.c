#include "driver/compare.h"

#include <string.h>

#include "driver/slot.h"

enum agreement compare(const struct tmap_libcuda *api, const struct tmap_checker *checker,
                       const struct tmap_desc *desc, uint8_t dirt, struct comparison *out)
{
    call_encode(api, desc, dirt, &out->driver);
    out->verdict = tmap_verdict_of(checker, desc);
    if (out->driver.code == CALL_NOT_ASKED) return AGREE;
    const bool accepted = out->driver.code == TMAP_CU_SUCCESS;
    if (accepted != (out->verdict == TMAP_LEGAL)) return DIFFERENT_VERDICT;
    if (!accepted) return AGREE;
    if (!tmap_encode_unchecked(desc, &out->map)) return DIFFERENT_BYTES;
    return memcmp(&out->map, &out->driver.map, sizeof out->map) ? DIFFERENT_BYTES : AGREE;
}

/* The values a slot is brought down to: the plainest first. */
static const int64_t plain[] = {0, 1, 16, 32, 64, 128};
#define PLAIN (int)(sizeof plain / sizeof plain[0])

static int64_t magnitude(int64_t v)
{
    return v < 0 ? (v == INT64_MIN ? INT64_MAX : -v) : v;
}

static bool still(const struct tmap_libcuda *api, const struct tmap_checker *checker,
                  const struct tmap_desc *desc, enum agreement how)
{
    struct comparison c;
    return compare(api, checker, desc, 0, &c) == how;
}

/* One slot made as plain as it can be: true when it changed. */
static bool shrink_slot(const struct tmap_libcuda *api, const struct tmap_checker *checker,
                        struct tmap_desc *d, int slot, enum agreement how)
{
    const int64_t now = slot_get(d, slot);
    struct tmap_desc next = *d;
    for (int i = 0; i < PLAIN; i++) {
        if (magnitude(now) <= plain[i] || slot_class(slot) == SLOT_KIND) break;
        slot_set(&next, slot, plain[i]);
        if (!still(api, checker, &next, how)) continue;
        *d = next;
        return true;
    }
    for (int64_t cut = magnitude(now) / 2; cut > 0; cut /= 2) {
        slot_set(&next, slot, now < 0 ? now + cut : now - cut);
        if (slot_class(slot) == SLOT_KIND || !still(api, checker, &next, how)) continue;
        *d = next;
        return true;
    }
    return false;
}

struct tmap_desc shrink(const struct tmap_libcuda *api, const struct tmap_checker *checker,
                        const struct tmap_desc *desc, enum agreement how)
{
    struct tmap_desc d = *desc;
    bool changed = true;
    for (int i = 0; i < SLOT_COUNT; i++)
        if (!slot_used(&d, i)) slot_set(&d, i, 0);
    for (int round = 0; changed && round < 64; round++) {
        changed = false;
        for (int i = 1; i < SLOT_COUNT; i++)
            if (slot_used(&d, i)) changed = shrink_slot(api, checker, &d, i, how) || changed;
    }
    return d;
}
