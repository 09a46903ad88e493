/* fuzz_expr.c : any bytes as an expression and as an assumption: read, or refused with words; what
 * was read has a value, or one beyond 128 bits, at every point. */
#include "fuzz/fuzz.h"
#include "symbolic/poly/parse.h"

#include <stdlib.h>
#include <string.h>

static void at_points(const struct sym_work *w, const struct sym_poly *p, const struct sym_form *f)
{
    static const int64_t points[] = {0, 1, -1, 4096, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        sym_int at[SYM_MAX_PARAMS], value;
        for (int k = 0; k < SYM_MAX_PARAMS; k++) at[k] = points[(i + (size_t)k) % 6];
        if (p) (void)!sym_eval(w, p, at, &value);
        if (f) FUZZ_CHECK(sym_holds(w, f, at) >= -1 && sym_holds(w, f, at) <= 1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sym_work w;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (int as = 0; as < 2 && sym_open(&w, NULL); as++) {
        const struct sym_poly *p = as ? NULL : sym_parse(&w, text);
        const struct sym_form *f = as ? sym_parse_assumption(&w, text) : NULL;
        FUZZ_CHECK(p || f || (w.status != TMAP_OK && w.why[0]));
        FUZZ_CHECK(memchr(w.why, 0, sizeof w.why));
        if (w.status == TMAP_OK) at_points(&w, p, f);
        sym_close(&w);
    }
    free(text);
    return 0;
}
