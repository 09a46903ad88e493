/* code.h : what machine code holds: the instructions of every kernel of a cubin or a fatbin.
 *
 * No disassembler: an instruction of compute capability 7.0 on is 16 bytes, whose low 9 bits say
 * what it does. Which number is which instruction is src/kernels/runtime/opcode.def, made of
 * one-instruction programs and compared with the assembler and the toolkit's disassembler by the
 * tests. Everything here is defined for every input, keeps no pointer and is safe from any thread.
 */
#ifndef TMAP_CODE_H
#define TMAP_CODE_H

#include "tmap/tmap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMAP_CODE_OPCODES 512 /* 9 bits */
#define TMAP_CODE_NAME 96
#define TMAP_CODE_COMPILER 64

/* One kernel. */
struct tmap_code_kernel {
    char name[TMAP_CODE_NAME]; /* cut when longer */
    uint32_t arch;             /* 90 for sm_90 and sm_90a */
    uint32_t instructions;     /* the padding behind its end counts */
    uint32_t registers;        /* of a thread; 0: the image does not say */
    uint32_t stack_bytes;      /* of a thread, spills included */
    uint32_t outside;          /* functions it calls that the image lacks */
    uint32_t stores;           /* to global memory, but where a trap follows at once */
    uint32_t unfenced; /* of the copy engine's stores: threads wrote shared memory before, and in
                          the order of the code no proxy fence lies between */
    uint32_t widest_load, widest_store; /* bytes of a thread's access to global memory */
    uint32_t count[TMAP_CODE_OPCODES];  /* by the low 9 bits */
    uint64_t fnv1a64;                   /* of its code */
};

struct tmap_code_image {
    uint64_t fnv1a64;                  /* of every kernel's code, in the order of their names */
    char compiler[TMAP_CODE_COMPILER]; /* "Build cuda_13.0.r13.0/...", as the assembler wrote it */
};

/* tmap_code_scan() : the kernels of a cubin, or of every cubin of a fatbin, sorted by
 *  architecture and name. Writes at most cap kernels; *found says how many there are, so that a
 *  first call may ask with cap 0. image may be NULL.
 *  Errors: TMAP_E_ARGUMENT (kernels or found is NULL where it is needed; neither a cubin nor a
 *  fatbin; cut short; compressed by anything but LZ4), TMAP_E_MEMORY. */
TMAP_API enum tmap_status tmap_code_scan(const void *bytes, size_t size,
                                         struct tmap_code_kernel *kernels, size_t cap,
                                         size_t *found, struct tmap_code_image *image);

/* tmap_code_name() : "UTMALDG" for 0x1b4; NULL for a number that the table does not hold. Several
 *  numbers share a name where the disassembler's do. */
TMAP_API const char *tmap_code_name(uint32_t opcode);

/* tmap_code_count() : how many instructions of that name, as the disassembler would say it. 0 for a
 *  name that the table does not hold. */
TMAP_API uint32_t tmap_code_count(const struct tmap_code_kernel *kernel, const char *name);

/* What a kernel of this library must hold, or must not (src/kernels/runtime/expect.def). */
struct tmap_code_finding {
    const char *what; /* an instruction, or a property such as "stack bytes" */
    uint32_t least, most, seen;
    const char *why;
};

/* tmap_code_judge() : the expectations that the kernel, known by its name, does not meet. Writes at
 *  most cap and returns how many there are. The rows for every kernel ("no register is spilled")
 *  hold for a kernel of any name. */
TMAP_API size_t tmap_code_judge(const struct tmap_code_kernel *kernel,
                                struct tmap_code_finding *findings, size_t cap);

/* One image inside this library: "gemm/sm90/bf16". size is 0 in a build without a CUDA compiler. */
struct tmap_code_embedded {
    const char *name;
    const void *data;
    size_t size;
};

/* tmap_code_embedded_at() : false when there are no more than i, and then image->name is NULL. Also
 *  false when a further library of images cannot be opened (for example, no memory), and then
 *  image->name is that library's. */
TMAP_API bool tmap_code_embedded_at(size_t i, struct tmap_code_embedded *image);

#ifdef __cplusplus
}
#endif
#endif
