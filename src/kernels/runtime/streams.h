/* streams.h : device memory for each stream that launches, so that launches which may run at the
 * same time never share it. */
#ifndef TMAP_KERNELS_STREAMS_H
#define TMAP_KERNELS_STREAMS_H

#include <pthread.h>

#include "driver/libcuda.h"

/* As many streams and captures of streams as a suite serves. */
#define STREAMS_MOST 256

/* Launches of one key follow one another: those of a stream, or of a stream within one capture,
 * whose graph may be launched while the stream goes on. The default stream of each thread is its
 * own. */
struct stream_key {
    uint64_t stream, thread, capture; /* capture 0: none */
};

struct stream_memory {
    pthread_mutex_t lock;
    size_t bytes, zeroed; /* of each; so many are zero at first */
    size_t count;
    struct {
        struct stream_key key;
        tmap_cu_deviceptr at;
    } of[STREAMS_MOST];
};

/* stream_memory_init() : nothing is allocated before it is asked for. False when there is no lock.
 */
bool stream_memory_init(struct stream_memory *m, size_t bytes, size_t zeroed);
void stream_memory_free(struct stream_memory *m, const struct tmap_libcuda *api);

/* stream_memory_get() : the stream's own, made at its first use, while a capture is under way too.
 * It stays until stream_memory_free(). From any thread, with the context current. Errors:
 * TMAP_E_MEMORY (the device's, or more streams than STREAMS_MOST), TMAP_E_DRIVER. */
enum tmap_status stream_memory_get(struct stream_memory *m, const struct tmap_libcuda *api,
                                   tmap_cu_stream stream, tmap_cu_deviceptr *at);

#endif
