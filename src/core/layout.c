/* The layout of a copy, for whoever asks about a descriptor that nobody has judged yet. */
#include "core/layout.h"
#include "core/checker.h"

enum tmap_status tmap_layout(const struct tmap_checker *checker, const struct tmap_desc *desc,
                             struct tmap_layout *out)
{
    if (checker == NULL || desc == NULL || out == NULL) return TMAP_E_ARGUMENT;
    const enum tmap_status status = checker_permits(checker, tmap_verdict_of(checker, desc));
    if (status == TMAP_OK) layout_of(desc, out);
    return status;
}
