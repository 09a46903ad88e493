/* Protocols folded from records of a kernel's runs, and put to the pipeline's automaton. */
#ifndef TMAP_TESTS_PROVED_H
#define TMAP_TESTS_PROVED_H

#include "tmap/emulate.h"
#include "tmap/protocol.h"

enum { PROVED_RUNS = 3 };

/* Memory for the automaton's states; TMAP_PROTOCOL_MB says how much, else megabytes. */
struct prover {
    void *memory;
    size_t bytes;
    bool deep; /* TMAP_PROTOCOL_MB was said: more is tried */
};
bool prover_open(struct prover *p, size_t megabytes);
void prover_close(struct prover *p);

/* status TMAP_E_NO_PLAN: there is no such part; else the words of what was not read, or of the
 * fault. */
struct proved {
    enum tmap_status status;
    struct tmap_protocol_result result;
    struct tmap_emulate_error error;
};
void prove(const struct prover *p, struct tmap_emulate_record *records[PROVED_RUNS],
           enum tmap_emulate_part part, unsigned number, struct proved *out);
void prove_runs(const struct prover *p, struct tmap_emulate_record **records, size_t runs,
                enum tmap_emulate_part part, unsigned number, struct proved *out);

/* "whole", "ring", "staging" and what became of it, for people. */
const char *proved_part(enum tmap_emulate_part part);
const char *proved_words(const struct proved *p);

/* A request and problem: a tile, its ring and panels; clusters of one block; the product. */
#define REQUEST(m_, n_, stages_, panels_, ...)                                                     \
    {                                                                                              \
        .tile_m = m_, .tile_n = n_, .stages = stages_, .panels = panels_, .cluster_n = 1,          \
        .swapped = -1, __VA_ARGS__                                                                 \
    }
#define ALONE .cluster_m = 1, .clusters = 1, .stream_k = -1
#define OF(kind_, out_, m_, n_, k_)                                                                \
    {                                                                                              \
        .kind = kind_, .out = out_, .m = m_, .n = n_, .k = k_, .alpha = 1, .batch = 1              \
    }

#endif
