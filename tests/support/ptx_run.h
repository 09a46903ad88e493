/* One launch of PTX text on the emulator, with one buffer, for tests of single instructions. */
#ifndef TMAP_TESTS_PTX_RUN_H
#define TMAP_TESTS_PTX_RUN_H

#include "tmap/emulate.h"

enum { PTX_RUN_FINDINGS = 16 };

struct ptx_run {
    enum tmap_status load, run;
    struct tmap_emulate_error error;
    struct tmap_emulate_result result;
    struct tmap_emulate_finding finding[PTX_RUN_FINDINGS];
    size_t findings;
};

/* Runs kernel k, whose one parameter is the buffer's address: one cluster of `ctas`. True
 * when it finished with no finding; prints why not. TMAP_PTX_DUMP=FOLDER keeps each text there. */
bool ptx_run(const char *text, void *data, size_t bytes, uint32_t threads, uint32_t ctas,
             uint32_t smem_bytes, enum tmap_emulate_schedule schedule, struct ptx_run *out);

/* The same, latest, and says nothing. */
bool ptx_run_on(const char *text, void *data, size_t bytes, uint32_t threads, uint32_t ctas,
                struct ptx_run *out);
/* The same, launched like `like`: where that says nothing its kernel is k, its parameters are the
 * buffer's address, its buffer the data, its budget what others have. watch may be NULL. */
bool ptx_run_as(const char *text, void *data, size_t bytes, const struct tmap_emulate_launch *like,
                const struct tmap_emulate_watch *watch, struct ptx_run *out);
/* The same, recorded: at the earliest, races not looked for, *record of that cluster, which the
 * caller frees. */
bool ptx_run_recorded(const char *text, void *data, size_t bytes,
                      const struct tmap_emulate_launch *like, uint32_t cluster,
                      struct tmap_emulate_record **record, struct ptx_run *out);
/* Some finding is of that kind and says so. */
bool ptx_run_tells(const struct ptx_run *r, enum tmap_emulate_kind kind, const char *says);
/* Loads it, and runs it on 64 bytes by one thread; says nothing. */
bool ptx_run_quietly(const char *text, struct ptx_run *out);

#endif
