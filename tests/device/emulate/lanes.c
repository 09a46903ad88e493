/* What this GPU makes of single instructions, beside the emulator: the texts and operands that
 * tests/emulate kept (TMAP_LANES_KEEP=FILE, support/lane_ops.c).
 *
 *    lanes FILE     a line for each text whose lanes differ, with the first of them; the sum last
 *
 * The driver is loaded at run time; without one, or without a GPU, it says SKIP. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, SOURCES = 4, TEXT = 8192 };
struct lane {
    uint64_t in[SOURCES], out, part, more[2];
};

typedef int call(void *, ...);
static struct {
    call *load, *function, *launch, *unload;
    int (*copy_in)(uint64_t, const void *, size_t), (*copy_out)(void *, uint64_t, size_t);
    int (*wait)(void);
} cuda;
static uint64_t memory;

static bool open_gpu(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW), *context;
    int (*init)(unsigned) = NULL, (*create)(void **, unsigned, int) = NULL;
    int (*alloc)(uint64_t *, size_t) = NULL;
    if (!lib) return false;
    *(void **)&init = dlsym(lib, "cuInit");
    *(void **)&create = dlsym(lib, "cuCtxCreate_v2");
    *(void **)&alloc = dlsym(lib, "cuMemAlloc_v2");
    *(void **)&cuda.load = dlsym(lib, "cuModuleLoadData");
    *(void **)&cuda.unload = dlsym(lib, "cuModuleUnload");
    *(void **)&cuda.function = dlsym(lib, "cuModuleGetFunction");
    *(void **)&cuda.launch = dlsym(lib, "cuLaunchKernel");
    *(void **)&cuda.copy_in = dlsym(lib, "cuMemcpyHtoD_v2");
    *(void **)&cuda.copy_out = dlsym(lib, "cuMemcpyDtoH_v2");
    *(void **)&cuda.wait = dlsym(lib, "cuCtxSynchronize");
    return init(0) == 0 && create(&context, 0, 0) == 0 &&
           alloc(&memory, THREADS * sizeof(struct lane)) == 0;
}

static int run(const char *text, struct lane *lanes)
{
    void *module, *function, *parameter = &memory, **parameters = &parameter;
    int status = cuda.load(&module, text);
    if (status) return status;
    status = cuda.function(&function, module, "k");
    if (!status) status = cuda.copy_in(memory, lanes, THREADS * sizeof *lanes);
    if (!status)
        status = ((int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, void *, void **, void **))cuda.launch)(
            function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL);
    if (!status) status = cuda.wait();
    if (!status) status = cuda.copy_out(lanes, memory, THREADS * sizeof *lanes);
    cuda.unload(module);
    return status;
}

/* name, length and text of a program, then its lanes as the emulator left them. */
static bool next(FILE *f, char *name, char *text, struct lane *lanes)
{
    uint32_t length;
    if (fread(name, 1, 128, f) != 128 || fread(&length, 4, 1, f) != 1 || length >= TEXT)
        return false;
    text[length] = 0;
    if (fread(text, 1, length, f) != length) return false;
    for (int i = 0; i < THREADS; i++)
        if (fread(&lanes[i], 8, 6, f) != 6) return false;
    return true;
}

static int compare(const char *name, const struct lane *mine, const struct lane *gpu)
{
    int differ = 0;
    for (int i = 0; i < THREADS; i++) {
        if (mine[i].out == gpu[i].out && mine[i].part == gpu[i].part) continue;
        if (differ++ < 3)
            printf("differs %s of %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 ": gpu %" PRIx64
                   " %" PRIx64 ", emulator %" PRIx64 " %" PRIx64 "\n",
                   name, mine[i].in[0], mine[i].in[1], mine[i].in[2], mine[i].in[3], gpu[i].out,
                   gpu[i].part, mine[i].out, mine[i].part);
    }
    if (differ) printf("differs %s: %d of %d lanes\n", name, differ, THREADS);
    return differ != 0;
}

int main(int count, char **argument)
{
    static struct lane mine[THREADS], gpu[THREADS];
    static char name[129], text[TEXT];
    unsigned long texts = 0, differ = 0, failed = 0;
    FILE *f = count == 2 ? fopen(argument[1], "rb") : NULL;
    if (!f) return fprintf(stderr, "usage: lanes FILE\n"), 2;
    if (!open_gpu()) return puts("lanes: SKIP, no GPU"), 0;
    while (next(f, name, text, mine)) {
        texts++;
        memcpy(gpu, mine, sizeof gpu);
        for (int i = 0; i < THREADS; i++) gpu[i].out = gpu[i].part = 0xdead;
        const int status = run(text, gpu);
        if (status) failed++, printf("status %d: %s\n", status, name);
        if (!status) differ += (unsigned long)compare(name, mine, gpu);
        if (status && status != 218 && status != 222) break; /* the context is lost */
    }
    printf("lanes: %lu texts of %d threads, %lu differ, %lu not loaded or run\n", texts, THREADS,
           differ, failed);
    return differ || failed;
}
