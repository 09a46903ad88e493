/* 09_driver : the driver's own encode call, with a reason when it refuses.
 * libs: tmap-cuda
 * link: -ldl -lpthread */
#include <stdio.h>
#include <tmap/driver.h>

int main(void)
{
    static const uint64_t dim[] = {1733, 128}, stride_bytes[] = {6932}; /* tilelang#460 */
    static const uint32_t box[] = {32, 32}, ones[] = {1, 1};
    struct tmap_driver *driver = NULL;
    struct tmap_driver_report report;
    struct tmap_map map;
    char why[TMAP_DRIVER_TEXT];

    switch (tmap_driver_open(NULL, 0, &driver, why)) {
    case TMAP_OK:
        break;
    case TMAP_E_NO_DRIVER:
        printf("there is no driver here\n");
        return 0;
    default:
        printf("%s\n", why);
        return 1;
    }
    int result = tmap_driver_encode_tiled(driver, &report, &map, TMAP_FLOAT32, 2,
                                          (void *)(uintptr_t)0x7f0000000000, dim, stride_bytes, box,
                                          ones, TMAP_INTERLEAVE_NONE, TMAP_SWIZZLE_128B,
                                          TMAP_L2_NONE, TMAP_OOB_NONE);
    printf("the driver answers %d: %s\n", result, report.text);
    tmap_driver_close(driver);
    return 0;
}
