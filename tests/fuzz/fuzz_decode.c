/* fuzz_decode.c : any 128 bytes as a map. They decode; what was decoded is checked, encoded and
 * decoded again, and from there on nothing changes; every bit belongs to one printed field. */
#include "fuzz/fuzz.h"
#include "tmap/tmap.h"

#include <string.h>

#define NOTES 64
#define FIELDS 128

/* A map that our encoder writes decodes to what it was written from, as far as bytes can tell. */
static void round_trip(const struct tmap_desc *desc)
{
    struct tmap_map first, second;
    struct tmap_desc back;
    struct tmap_note notes[NOTES];
    size_t found;
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    if (!tmap_encode_unchecked(desc, &first)) return;
    FUZZ_CHECK(tmap_decode(&first, &back, notes, NOTES, &found) == TMAP_OK);
    if (!tmap_encode_unchecked(&back, &second)) return;
    FUZZ_CHECK(memcmp(&first, &second, sizeof first) == 0);
}

static void ask_everything(const struct tmap_desc *desc)
{
    static const uint32_t arches[] = {TMAP_ARCH(90, 1), TMAP_ARCH(100, 1), TMAP_ARCH(120, 1)};
    for (size_t i = 0; i < sizeof arches / sizeof arches[0]; i++) {
        struct tmap_target target = tmap_default_target();
        struct tmap_checker checker;
        struct tmap_violation v[8];
        struct tmap_layout layout;
        struct tmap_map map;
        enum tmap_verdict verdict;
        size_t found;
        target.arch = arches[i];
        FUZZ_CHECK(tmap_checker_prepare(&target, TMAP_CONTRACT_SAFE, &checker) == TMAP_OK);
        FUZZ_CHECK(tmap_check_with(&checker, desc, v, 8, &found, &verdict) == TMAP_OK);
        FUZZ_CHECK((verdict == TMAP_ILLEGAL) == (found > 0));
        tmap_encode(&checker, desc, &map);
        const enum tmap_status s = tmap_layout(&checker, desc, &layout);
        FUZZ_CHECK(verdict != TMAP_ILLEGAL || s != TMAP_OK);
        if (s != TMAP_OK) continue;
        FUZZ_CHECK(layout.tx_bytes > 0 && layout.row_bytes <= layout.footprint_bytes);
        FUZZ_CHECK(layout.tx_bytes <= layout.rows * layout.row_bytes); /* without the padding */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tmap_map map;
    struct tmap_desc desc;
    struct tmap_note notes[NOTES];
    size_t found;
    memset(&map, 0, sizeof map);
    memcpy(&map, data, size < sizeof map ? size : sizeof map);
    FUZZ_CHECK(tmap_decode(&map, &desc, notes, NOTES, &found) == TMAP_OK);
    for (size_t i = 0; i < found && i < NOTES; i++) FUZZ_CHECK(notes[i].field != NULL);
    ask_everything(&desc);
    round_trip(&desc);
    return 0;
}
