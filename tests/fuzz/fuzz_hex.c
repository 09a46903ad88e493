/* fuzz_hex.c : any bytes as what prints maps (gdb, xxd, hexdump, od, C, JSON, hexadecimal): refused
 * with words, and the list as it was, or whole maps. */
#include "fuzz/fuzz.h"
#include "io/map/maps.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct io_maps maps = {0};
    char error[160] = "";
    const bool read = io_maps_read(&maps, (const char *)data, size, error, sizeof error);
    FUZZ_CHECK(read == (maps.count > 0) && memchr(error, 0, sizeof error));
    FUZZ_CHECK(read || error[0]);
    for (size_t i = 0; i < maps.count; i++) {
        struct tmap_desc desc;
        size_t found;
        FUZZ_CHECK(tmap_decode(&maps.list[i], &desc, NULL, 0, &found) == TMAP_OK);
    }
    io_maps_free(&maps);
    return 0;
}
