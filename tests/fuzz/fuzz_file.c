/* fuzz_file.c : any bytes as a file that tmap reads by its name: a recorded corpus (behind an even
 * byte), or the baseline of earlier findings. */
#define _GNU_SOURCE
#include "cli/baseline.h"
#include "fuzz/fuzz.h"
#include "tmap/driver.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void corpus(const char *path)
{
    const struct tmap_target target = tmap_default_target();
    struct tmap_corpus *c = NULL;
    struct tmap_corpus_case one;
    static struct tmap_corpus_result result;
    uint64_t bytes, count = 0;
    const enum tmap_status s = tmap_corpus_open(path, &c);
    FUZZ_CHECK((s == TMAP_OK) == (c != NULL));
    if (!c) return;
    tmap_corpus_hash(c, &bytes);
    while (tmap_corpus_next(c, &one) == TMAP_OK) FUZZ_CHECK(++count <= bytes);
    tmap_corpus_replay(c, &target, &result);
    tmap_corpus_close(c);
}

static void baseline(const char *path)
{
    static const struct cli_command check = {.name = "check"};
    struct cli cli = {.command = &check};
    cli_baseline_free(cli_baseline_read(&cli, path));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    if (size == 0) return 0;
    const int fd = memfd_create("fuzz", 0);
    FUZZ_CHECK(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (data[0] % 2)
        baseline(path);
    else
        corpus(path);
    close(fd);
    return 0;
}
