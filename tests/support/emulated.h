/* A driver that launches on the emulator: what the suites' hosts call, without a GPU. Device
 * addresses are host pointers. One at a time, one thread. */
#ifndef TMAP_TESTS_EMULATED_H
#define TMAP_TESTS_EMULATED_H

#include "driver/libcuda.h"
#include "kernels/runtime/streams.h"
#include "tmap/emulate.h"

enum { EMULATED_FINDINGS = 64, EMULATED_MODULES = 32 };

struct emulated {
    struct tmap_emulate_module *module[EMULATED_MODULES];
    size_t modules;
    struct tmap_emulate_launch how;        /* schedule, seed and the like of every launch */
    struct tmap_emulate_expected expected; /* of the next launches; no bytes: anything */
    struct tmap_emulate_record *record;    /* of the next launch, or NULL */
    const char *recorded;                  /* the kernel whose launch it is, or NULL: any */
    /* of the next launches, as in tmap_emulate_watch */
    void *self;
    void (*prefetch)(void *self, const struct tmap_desc *map, const struct tmap_use *box);
    /* of the last launch */
    enum tmap_status status;
    struct tmap_emulate_finding finding[EMULATED_FINDINGS];
    size_t findings;
    struct tmap_emulate_result result;
};

/* The one driver, with no modules loaded. */
struct emulated *emulated_open(struct tmap_libcuda *api);
struct emulated *emulated_state(void);
/* Adds a PTX file's kernels; false with a message on stderr. */
bool emulated_load(const char *path);
bool emulated_load_text(const char *text, size_t bytes, const char *name);
void emulated_unload(void); /* all kernels; memory stays */
void emulated_close(void);
/* What launches leave zero for the next of their stream: one that went wrong may not have. */
void emulated_zero(struct stream_memory *m);
/* Of the allocation at an address, for which a host pointer stands; 0: there is none. */
size_t emulated_bytes(uint64_t address);
/* A kernel by its name, as module_get_function answers; NULL when no module has it. */
tmap_cu_function emulated_function(const char *name);
/* From the environment, if it says: TMAP_EMULATE_SEEDS, and TMAP_EMULATE_SHARD=I/N as first and
 * step. */
void emulated_seeds(uint64_t *seeds, uint64_t *first, uint64_t *step);
/* Prints the last launch's findings as TAP comments. */
void emulated_print(void);
/* After a run that was recorded, what it gave: nothing more is recorded, and a run that failed is
 * printed. */
enum tmap_status emulated_recorded(enum tmap_status ran);

/* What launches of one kernel came to: findings and the words of the first, wrong results, and
 * launches that failed. */
struct emulated_outcome {
    size_t findings;
    bool wrong, failed;
    char text[440];
};
/* Adds the last launch. */
void emulated_add(struct emulated_outcome *o, bool failed, bool wrong);
bool emulated_is_right(const struct emulated_outcome *o);

#endif
