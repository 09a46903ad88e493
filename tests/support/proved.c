#include "support/proved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool prover_open(struct prover *p, size_t megabytes)
{
    const char *more = getenv("TMAP_PROTOCOL_MB");
    p->deep = more != NULL;
    p->bytes = (more ? strtoull(more, NULL, 10) : megabytes) << 20;
    p->memory = malloc(p->bytes);
    return p->memory != NULL;
}

void prover_close(struct prover *p)
{
    free(p->memory);
}

void prove(const struct prover *p, struct tmap_emulate_record *records[PROVED_RUNS],
           enum tmap_emulate_part part, unsigned number, struct proved *out)
{
    prove_runs(p, records, PROVED_RUNS, part, number, out);
}

void prove_runs(const struct prover *p, struct tmap_emulate_record **records, size_t runs,
                enum tmap_emulate_part part, unsigned number, struct proved *out)
{
    static char trace[1 << 16];
    struct tmap_protocol protocol;
    memset(out, 0, sizeof *out);
    out->status = tmap_emulate_protocol(records, runs, part, number, &protocol, &out->error);
    if (out->status != TMAP_OK) return;
    out->status =
        tmap_protocol_explore(&protocol, p->memory, p->bytes, &out->result, trace, sizeof trace);
    if (out->result.fault)
        snprintf(out->error.text, sizeof out->error.text, "%.190s", out->result.detail);
}

const char *proved_part(enum tmap_emulate_part part)
{
    static const char *const names[] = {"all barriers", "ring", "staging"};
    return names[part];
}

const char *proved_words(const struct proved *p)
{
    return p->status != TMAP_OK                ? "not read"
           : p->result.verdict == TMAP_LEGAL   ? "proved"
           : p->result.verdict == TMAP_UNKNOWN ? "too many states"
                                               : "refuted";
}
