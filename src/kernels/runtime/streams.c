/* Memory by stream. An entry is found by its key, or made. */
#include "kernels/runtime/streams.h"

#include <string.h>

enum { CAPTURE_ACTIVE = 1, CAPTURE_RELAXED = 2 };
/* CU_STREAM_PER_THREAD: one handle, a stream in every thread. */
enum { PER_THREAD = 2 };

bool stream_memory_init(struct stream_memory *m, size_t bytes, size_t zeroed)
{
    memset(m, 0, sizeof *m);
    m->bytes = bytes;
    m->zeroed = zeroed;
    return pthread_mutex_init(&m->lock, NULL) == 0;
}

void stream_memory_free(struct stream_memory *m, const struct tmap_libcuda *api)
{
    for (size_t i = 0; i < m->count; i++) api->mem_free(m->of[i].at);
    if (m->bytes) pthread_mutex_destroy(&m->lock);
    memset(m, 0, sizeof *m);
}

static enum tmap_status key_of(const struct tmap_libcuda *api, tmap_cu_stream stream,
                               struct stream_key *key)
{
    uint64_t id = 0;
    int status = 0;
    memset(key, 0, sizeof *key);
    key->stream = (uint64_t)(uintptr_t)stream;
    if (key->stream == PER_THREAD) key->thread = (uint64_t)pthread_self();
    if (api->stream_get_capture_info(stream, &status, &id, NULL, NULL, NULL)) return TMAP_E_DRIVER;
    if (status == CAPTURE_ACTIVE) key->capture = id + 1;
    return TMAP_OK;
}

/* On a stream of its own, which no capture has anything to do with. */
static enum tmap_status clear(const struct tmap_libcuda *api, tmap_cu_deviceptr at, size_t bytes)
{
    tmap_cu_stream own = NULL;
    if (api->stream_create(&own, TMAP_CU_STREAM_NON_BLOCKING)) return TMAP_E_DRIVER;
    const bool good = !api->memset_d8_async(at, 0, bytes, own) && !api->stream_synchronize(own);
    api->stream_destroy(own);
    return good ? TMAP_OK : TMAP_E_DRIVER;
}

static enum tmap_status make(struct stream_memory *m, const struct tmap_libcuda *api,
                             const struct stream_key *key)
{
    tmap_cu_deviceptr at = 0;
    if (m->count == STREAMS_MOST) return TMAP_E_MEMORY;
    int mode = CAPTURE_RELAXED; /* else a capture anywhere in the process forbids an allocation */
    if (api->thread_exchange_capture_mode(&mode)) return TMAP_E_DRIVER;
    enum tmap_status status = api->mem_alloc(&at, m->bytes) ? TMAP_E_MEMORY : TMAP_OK;
    if (status == TMAP_OK) status = clear(api, at, m->zeroed);
    if (status != TMAP_OK && at) api->mem_free(at);
    api->thread_exchange_capture_mode(&mode);
    if (status != TMAP_OK) return status;
    m->of[m->count].key = *key;
    m->of[m->count++].at = at;
    return TMAP_OK;
}

enum tmap_status stream_memory_get(struct stream_memory *m, const struct tmap_libcuda *api,
                                   tmap_cu_stream stream, tmap_cu_deviceptr *at)
{
    struct stream_key key;
    enum tmap_status status = key_of(api, stream, &key);
    if (status != TMAP_OK) return status;
    pthread_mutex_lock(&m->lock);
    size_t i = 0;
    while (i < m->count && memcmp(&m->of[i].key, &key, sizeof key) != 0) i++;
    if (i == m->count) status = make(m, api, &key);
    if (status == TMAP_OK) *at = m->of[i].at;
    pthread_mutex_unlock(&m->lock);
    return status;
}
