/* cupti.c : the calls as CUPTI reports them. The driver loads this library at cuInit because
 * CUDA_INJECTION64_PATH names it, and calls InitializeInjection. */
#include "driver/inject/inject.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* cupti_callbacks.h and cupti_driver_cbid.h, as far as needed; tests/driver/test_abi.c compares. */
enum { DRIVER_API = 1, API_EXIT = 1 };
enum { CBID_TILED = 697, CBID_IM2COL = 698, CBID_REPLACE = 699, CBID_WIDE = 781 };
struct callback_data {
    int site;
    const char *function_name;
    const void *params;
    void *return_value;
    const char *symbol_name;
};
typedef void (*callback)(void *user, int domain, uint32_t id, const void *data);
typedef int (*subscribe_function)(void **subscriber, callback function, void *user);
typedef int (*enable_function)(uint32_t enable, void *subscriber, int domain, uint32_t id);

enum { NO_LIBRARY = -1, NO_SYMBOLS = -2 };

static void on_call(void *user, int domain, uint32_t id, const void *data)
{
    const struct callback_data *d = data;
    (void)user;
    if (domain != DRIVER_API || d->site != API_EXIT || !d->return_value) return;
    const int result = *(const int *)d->return_value;
    const struct replace_params *replace = d->params;
    switch (id) {
    case CBID_TILED:
        capture_tiled(TRACE_BY_CUPTI, d->params, result);
        break;
    case CBID_IM2COL:
        capture_im2col(TRACE_BY_CUPTI, d->params, result);
        break;
    case CBID_WIDE:
        capture_wide(TRACE_BY_CUPTI, d->params, result);
        break;
    case CBID_REPLACE:
        capture_replace(TRACE_BY_CUPTI, replace->map, replace->address, result);
        break;
    default:
        break;
    }
}

/* A loaded one first: the program may have brought its own. */
static void *open_cupti(void)
{
    static const char *const names[] = {"libcupti.so.13",
                                        "libcupti.so.12",
                                        "libcupti.so",
                                        "/usr/local/cuda/lib64/libcupti.so.13",
                                        "/usr/local/cuda/lib64/libcupti.so",
                                        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};
    const char *chosen = getenv("TMAP_CUPTI");
    void *library = chosen ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
    const size_t n = sizeof names / sizeof names[0];
    for (size_t i = 0; i < n && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    for (size_t i = 0; i < n && !library; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static int subscribe(void)
{
    static const uint32_t ids[] = {CBID_TILED, CBID_IM2COL, CBID_REPLACE, CBID_WIDE};
    subscribe_function subscribe_to;
    enable_function enable;
    void *subscriber = NULL, *library = open_cupti();
    if (!library) return NO_LIBRARY;
    void *found[] = {dlsym(library, "cuptiSubscribe"), dlsym(library, "cuptiEnableCallback")};
    if (!found[0] || !found[1]) return NO_SYMBOLS;
    memcpy(&subscribe_to, &found[0], sizeof subscribe_to);
    memcpy(&enable, &found[1], sizeof enable);
    int result = subscribe_to(&subscriber, on_call, NULL);
    if (result != 0) return result; /* another profiler has the one place there is */
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        const int answer = enable(1, subscriber, DRIVER_API, ids[i]);
        if (ids[i] == CBID_TILED) result = answer; /* an old CUPTI knows no wide call */
    }
    cupti_now_on(result == 0);
    return result;
}

/* Called by the driver. 1: injected. Whatever happens here, the program goes on. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    if (!getenv(TRACE_PIPE)) return 1;
    if (mode_wanted() == TRACE_BY_INTERPOSING) {
        sink_hello(TRACE_BY_INTERPOSING, 0);
        return 1;
    }
    const int result = subscribe();
    sink_hello(cupti_is_on() ? TRACE_BY_CUPTI : TRACE_BY_INTERPOSING, result);
    return 1;
}
