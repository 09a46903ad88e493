/* A program that encodes tensor maps, for the trace to watch. It gets the functions the way real
 * programs do: WAY is dlsym, proc (cuGetProcAddress) or nested (cuGetProcAddress from itself).
 *   encoder LIBCUDA WAY CALLS [fork|exec|close]      prints the time of a call in ns */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int (*encode)(void *, int, uint32_t, void *, const uint64_t *, const uint64_t *,
                      const uint32_t *, const uint32_t *, int, int, int, int);
typedef int (*proc)(const char *, void **, int, uint64_t, int *);

static encode find(void *library, const char *way)
{
    void *at = NULL;
    int status = 0;
    encode function;
    if (strcmp(way, "dlsym") == 0) {
        at = dlsym(library, "cuTensorMapEncodeTiled");
    } else {
        proc get;
        *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
        if (strcmp(way, "nested") == 0) {
            void *again = NULL;
            get("cuGetProcAddress", &again, 12000, 0, &status);
            *(void **)&get = again;
        }
        get("cuTensorMapEncodeTiled", &at, 12000, 0, &status);
    }
    *(void **)&function = at;
    return function;
}

static int call(encode function, uint64_t address, uint32_t box)
{
    _Alignas(128) uint64_t map[16];
    const uint64_t dim[2] = {1000, 777}, stride[1] = {2000};
    const uint32_t boxes[2] = {box, 16}, ones[2] = {1, 1};
    return function(map, 9, 2, (void *)(uintptr_t)address, dim, stride, boxes, ones, 0, 3, 0, 0);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A context, without which the real driver encodes nothing. */
static void get_context(void *library)
{
    int (*init)(unsigned), (*retain)(void **, int), (*set)(void *);
    void *context = NULL;
    *(void **)&init = dlsym(library, "cuInit");
    *(void **)&retain = dlsym(library, "cuDevicePrimaryCtxRetain");
    *(void **)&set = dlsym(library, "cuCtxSetCurrent");
    if (init(0) == 0 && retain(&context, 0) == 0) set(context);
}

static void in_children(char **argv, encode function)
{
    const char *how = argv[4] ? argv[4] : "";
    if (strcmp(how, "fork") == 0 && fork() == 0) {
        call(function, 0x7f0000100000, 64);
        _exit(0);
    }
    if (strcmp(how, "exec") == 0 && fork() == 0) {
        for (int fd = 3; fd < 64; fd++) close(fd); /* as careful programs do */
        execl("/proc/self/exe", argv[0], argv[1], argv[2], "1", (char *)NULL);
        _exit(9);
    }
    while (wait(NULL) > 0) continue;
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    const int calls = atoi(argv[3]);
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) return 3;
    get_context(library);
    const encode function = find(library, argv[2]);
    if (!function) return 4;
    if (argc > 4 && strcmp(argv[4], "close") == 0)
        for (int fd = 3; fd < 64; fd++) close(fd);
    call(function, 0x7f0000000000, 64); /* the first one opens the pipe */
    const double start = now_ns();
    for (int i = 1; i < calls; i++) call(function, 0x7f0000000000 + (uint64_t)(i % 3) * 16, 64);
    printf("%.0f ns a call\n", calls > 1 ? (now_ns() - start) / (calls - 1) : 0);
    printf("illegal: %d\n", call(function, 0x7f0000000000, 63));
    fflush(stdout);
    in_children(argv, function);
    return 7;
}
