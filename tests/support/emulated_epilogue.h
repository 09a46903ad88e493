/* A product with an epilogue on the emulator, and what it has to leave. */
#ifndef TMAP_TESTS_EMULATED_EPILOGUE_H
#define TMAP_TESTS_EMULATED_EPILOGUE_H

#include "support/emulated_suites.h"

struct emulated_epilogue {
    struct emulated_product product; /* its expected values are D's, its sizes what is allowed */
    double *second, *second_allowed; /* of the second output, or NULL */
    double amax, amax_allowed;       /* beside fp32's roundings */
};

struct emulated_epilogue_outcome {
    bool right;
    double d, second, amax; /* the largest error / allowed error; 1 is the limit */
    unsigned steps;         /* a bit each of enum gemm_step */
};

/* Memory is given to every address of the shape's epilogue that is not 0. */
bool emulated_epilogue_make(struct tmap_gemm *suite, const struct tmap_gemm_problem *shape,
                            uint64_t seed, struct emulated_epilogue *out);
struct emulated_epilogue_outcome emulated_epilogue_inspect(const struct emulated_epilogue *x);
void emulated_epilogue_free(struct tmap_gemm *suite, struct emulated_epilogue *x);

#endif
