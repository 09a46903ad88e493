/* prove.c : proofs of verdicts, with the certificate kept on request. */
#include "cli/prove.h"
#include "cli/symbolic_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CORE = 64, TEXT_BYTES = 1 << 18 };

static void keep(struct cli *cli, const char *text, const char *name)
{
    const char *dir = cli_get(cli, "keep");
    char path[512];
    if (!dir) return;
    int n = snprintf(path, sizeof path, "%s/%s.smt2", dir, name);
    for (char *p = path + strlen(dir) + 1; *p; p++) {
        if (*p == '/') *p = '_';
    }
    FILE *out = n > 0 && (size_t)n < sizeof path ? fopen(path, "w") : NULL;
    if (!out || fputs(text, out) < 0) {
        cli_message(cli, "cannot write %s: %s", path, strerror(errno));
        cli_note(cli, CLI_INPUT);
    }
    if (out) fclose(out);
}

static void say(struct cli *cli, enum tmap_proof proof, bool legal, const char *name,
                const struct tmap_violation *core, size_t found, const char *solvers)
{
    char rows[256] = "";
    for (size_t i = 0; i < found && i < MAX_CORE; i++) {
        size_t used = strlen(rows);
        snprintf(rows + used, sizeof rows - used, "%s%s", i ? ", " : ": ",
                 tmap_row_id(core[i].row));
    }
    if (proof == TMAP_PROVED) {
        cli_message(cli, "%s: proved %s%s (%s)", name, legal ? "legal" : "illegal", rows, solvers);
    } else if (proof == TMAP_REFUTED) {
        cli_message(cli, "%s: the solver refutes the verdict: a defect of tmap", name);
        cli_note(cli, CLI_INTERNAL);
    } else {
        cli_message(cli, "%s: not proved: the budget ran out", name);
        cli_note(cli, CLI_UNDECIDED);
    }
}

void cli_prove_verdict(struct cli *cli, struct tmap_symbolic **context,
                       const struct tmap_checker *checker, const struct tmap_desc *desc,
                       const char *name)
{
    enum tmap_verdict verdict = tmap_verdict_of(checker, desc);
    struct tmap_claim claim = {desc, NULL, 0, 0, verdict == TMAP_LEGAL};
    struct tmap_violation core[MAX_CORE];
    enum tmap_proof proof;
    size_t found = 0, length;
    if (verdict == TMAP_UNKNOWN) return;
    if (!*context) *context = cli_symbolic_context(cli);
    char *text = *context ? malloc(TEXT_BYTES) : NULL;
    if (!text) return;
    enum tmap_status status = tmap_certify(*context, checker, &claim, &proof, core, MAX_CORE,
                                           &found, text, TEXT_BYTES, &length);
    if (status == TMAP_OK) {
        say(cli, proof, claim.is_legal, name, core, found, tmap_symbolic_solvers(*context));
        keep(cli, text, name);
    } else {
        cli_symbolic_trouble(cli, *context, status, name);
    }
    free(text);
}
