/* The products of a chip after Hopper against plain sums on that chip: later [quick]. Prints TAP;
 * skips on Hopper and where there is no GPU. */
#include "support/gemm_later.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct later_size full = {200, 40, 200, 1100, 8192, UINT32_MAX},
                                   quick = {20, 4, 20, 700, 2048, UINT32_MAX};
    const bool few = argc > 1 && !strcmp(argv[1], "quick");
    struct tmap_gemm *suite = NULL;
    char why[160] = "";
    if (tmap_gemm_open(&(struct tmap_open){.watchdog_ms = 2000}, &suite, why, sizeof why) !=
        TMAP_OK) {
        printf("ok 1 # SKIP gemm later: %s\n1..1\n", why);
        return 0;
    }
    const int failed = later_verify(suite, few ? &quick : &full);
    tmap_gemm_close(suite);
    return failed != 0;
}
