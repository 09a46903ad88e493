/* version.c : `tmap --version`: what this build decides by, and with what. */
#include "cli/version.h"

#include "cli/rules_hash.h"
#include "io/report/report.h"
#include "tmap/symbolic.h"
#include "tmap/tmap.h"

/* What of the driver API the tables know: the first toolkit and the last, as cuda.h names them. */
static void print_cuda(FILE *out)
{
    static const char *const toolkits[] = {
#define CUDA(id, text, ptx, driver) text,
#include "rules/targets.def"
    };
    const size_t n = sizeof toolkits / sizeof toolkits[0];

    fprintf(out, "CUDA: driver API of %s to %s\n", toolkits[0], toolkits[n - 1]);
}

static void print_solvers(FILE *out)
{
    struct tmap_symbolic *context = NULL;
    if (tmap_symbolic_open(NULL, &context) != TMAP_OK) return;
    fprintf(out, "solvers: %s\n", tmap_symbolic_solvers(context));
    tmap_symbolic_close(context);
}

void cli_version(FILE *out)
{
    const struct tmap_target target = tmap_default_target();
    char text[120];

    fprintf(out, "tmap %s\n", TMAP_VERSION_STRING);
    fprintf(out, "rules: %zu, sha256 %s\n", tmap_row_count(), TMAP_RULES_HASH);
    fprintf(out, "default target: %s\n", io_target_text(&target, text, sizeof text));
    print_cuda(out);
    print_solvers(out);
#ifdef TMAP_WITH_CUDA
    fputs("kernels: built in\n", out);
#else
    fputs("kernels: none (built without a CUDA compiler)\n", out);
#endif
}
