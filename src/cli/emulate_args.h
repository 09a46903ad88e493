/* The arguments of tmap emulate: buffers, scalars, tensor maps, and what is expected of them. */
#ifndef TMAP_CLI_EMULATE_ARGS_H
#define TMAP_CLI_EMULATE_ARGS_H

#include "cli/cli.h"
#include "tmap/emulate.h"

enum { EMULATE_MAX_ARGS = CLI_MAX_OPTIONS, EMULATE_MAX_RANK = 4, EMULATE_PARAM_BYTES = 8192 };

enum emulate_dtype {
    EM_BF16,
    EM_F16,
    EM_F32,
    EM_E4M3,
    EM_E5M2,
    EM_S8,
    EM_U8,
    EM_S32,
    EM_U32,
    EM_U64
};

struct emulate_buffer {
    char name[32];
    enum emulate_dtype dtype;
    uint64_t dim[EMULATE_MAX_RANK]; /* outermost first */
    uint32_t rank;
    uint64_t count, address;
    uint8_t *data, *initial; /* initial: as the launch found it */
};

struct emulate_args {
    struct emulate_buffer buffer[EMULATE_MAX_ARGS];
    size_t buffers;
    uint8_t params[EMULATE_PARAM_BYTES];
    size_t param_bytes;
    uint64_t random;
};

/* Reads every --arg for the kernel's parameters, in their order. CLI_OK, or a message and what it
 * is: CLI_USAGE, CLI_INPUT for a file that cannot be read, CLI_INTERNAL without memory. */
enum cli_exit emulate_args_read(struct cli *cli, const struct tmap_emulate_module *module,
                                const char *kernel, struct emulate_args *out);
void emulate_args_free(struct emulate_args *args);
void emulate_args_reset(struct emulate_args *args); /* buffers as before the launch */

/* "D=matmul(A,B)": how many elements differ, the largest difference, and where. False with a
 * message when the text makes no sense. */
struct emulate_verdict {
    uint64_t elements, wrong, first;
    double largest, found, expected;
};
bool emulate_expect(struct cli *cli, const struct emulate_args *args, const char *text,
                    struct emulate_verdict *out);

#endif
