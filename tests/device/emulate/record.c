/* What this GPU makes of the cases that the emulator replays: every shipped instance of products,
 * groups and copies on small shapes, and single tensor core instructions on numbers of every kind.
 *
 *   record OUT     OUT/record.txt: a line a case, with the hash of the bytes that the kernel left;
 *                  OUT/numerics.bin, OUT/products-1.bin …: the bytes themselves, in the same
 *                  order, of single instructions and of small products of normal numbers
 *
 * Prints TAP; skips where there is no GPU. */
#include <stdio.h>
#include <string.h>

#include "support/recorded.h"

extern const char image_tests_device_emulate_numerics[];

enum { MOST_RAW = 15 << 20, MOST_CASE = 32768 }; /* bytes of a file, and of a case that is kept */

struct output {
    FILE *lines, *raw[4];
    size_t raws, raw_bytes;
    unsigned long cases, failed, wrong;
};

static FILE *open_in(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "wb");
}

static void line(struct output *o, const struct recorded *r, bool good, const char *what,
                 const char *name, unsigned long seed)
{
    o->cases++;
    if (!good) {
        o->failed++;
        printf("# %s %s %lu: %s\n", what, name, seed, r->what);
        return;
    }
    fprintf(o->lines, "%s %s %lu %016llx %zu %s\n", what, name, seed,
            (unsigned long long)recorded_hash(r->left, r->bytes), r->bytes,
            r->config[0] ? r->config : "-");
}

static void keep(struct output *o, FILE *to, const struct recorded *r, bool good)
{
    if (good && to) o->raw_bytes += fwrite(r->left, 1, r->bytes, to);
}

/* Integers are right or wrong; normal numbers near enough, which depends on the sum's width. */
static void judge(struct output *o, const struct recorded *r, const char *name, unsigned long seed)
{
    const bool integers = seed < RECORDED_SHAPES / 2;
    if (integers ? r->wrong == 0 : r->worst < 0.02) return;
    o->wrong++;
    printf("# %s %lu: %llu wrong, worst %g\n", name, seed, (unsigned long long)r->wrong, r->worst);
}

static void products(struct output *o, struct recorded *r)
{
    for (size_t i = 0; i < gemm_instance_count + gemm_group_instance_count; i++) {
        const bool group = i >= gemm_instance_count;
        const size_t at = group ? i - gemm_instance_count : i;
        const struct gemm_instance *g = (group ? gemm_group_instances : gemm_instances) + at;
        if (g->family != GEMM_SM90) continue;
        if (group && g->image != GEMM_COMMON) continue; /* routed groups': of no list of members */
        const char *name = g->name;
        for (unsigned long seed = 0; seed < RECORDED_SHAPES; seed++) {
            const bool good =
                group ? recorded_group(r, at, seed) : recorded_product(r, at, seed, NULL);
            line(o, r, good, group ? "group" : "product", name, seed);
            if (good) judge(o, r, name, seed);
            const size_t file = o->raw_bytes / MOST_RAW;
            if (!group && seed >= RECORDED_SHAPES / 2 && r->bytes <= MOST_CASE && file < 3)
                keep(o, o->raw[1 + file], r, good);
        }
    }
}

static void copies(struct output *o, struct recorded *r)
{
    for (size_t i = 0; recorded_copy_name(i); i++)
        for (unsigned long seed = 0; seed < RECORDED_SHAPES; seed++) {
            const bool good = recorded_copy(r, i, seed);
            line(o, r, good, "copy", recorded_copy_name(i), seed);
            if (good && r->wrong) {
                o->wrong++;
                printf("# copy %s %lu is wrong\n", recorded_copy_name(i), seed);
            }
        }
}

static void numerics(struct output *o, struct recorded *r)
{
    for (size_t i = 0; recorded_numerics_name(i); i++)
        for (uint32_t c = 0; c < NUMERICS_CLASSES; c++) {
            const bool good = recorded_numerics(r, i, c);
            r->config[0] = 0;
            line(o, r, good, "numerics", recorded_numerics_name(i), c);
            keep(o, o->raw[0], r, good);
        }
}

int main(int argc, char **argv)
{
    struct recorded r = {0};
    struct output o = {0};
    tmap_cu_context before;
    char why[160] = "";
    static const char *const raws[] = {"numerics.bin", "products-1.bin", "products-2.bin",
                                       "products-3.bin"};
    const struct tmap_open how = {.watchdog_ms = 2000};
    if (argc != 2) return 3;
    if (tmap_gemm_open(&how, &r.gemm, why, sizeof why) != TMAP_OK ||
        tmap_copy_open(&how, &r.copy, why, sizeof why) != TMAP_OK) {
        printf("1..1\nok 1 # SKIP record: %s\n", why);
        return 0;
    }
    r.host_copy = emulated_copy_suite();
    r.host_gemm = emulated_gemm_suite();
    r.gpu = &r.gemm->gpu.api;
    if (!r.host_copy || !r.host_gemm || tmap_gpu_enter(&r.gemm->gpu, &before) != TMAP_OK ||
        r.gpu->module_load_data(&r.numerics, image_tests_device_emulate_numerics))
        return 1;
    o.lines = open_in(argv[1], "record.txt");
    for (size_t i = 0; i < 4; i++) o.raw[i] = open_in(argv[1], raws[i]);
    numerics(&o, &r);
    o.raw_bytes = 0;
    copies(&o, &r);
    products(&o, &r);
    recorded_end(&r);
    fclose(o.lines);
    for (size_t i = 0; i < 4; i++) fclose(o.raw[i]);
    printf("1..1\n%s 1 - %lu cases, %lu that did not run, %lu wrong\n",
           o.failed || o.wrong ? "not ok" : "ok", o.cases, o.failed, o.wrong);
    return o.failed || o.wrong;
}
