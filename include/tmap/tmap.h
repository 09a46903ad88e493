/* tmap.h : descriptors of NVIDIA's tensor memory accelerator (CUtensorMap), decided and explained.
 *
 * Units are those of the driver's own calls: dimensions and boxes in elements, strides in bytes,
 * innermost dimension first; stride_bytes[i] belongs to dimension i + 1. Enum values are CUDA's.
 * Nothing here needs cuda.h, a driver or a GPU; nothing allocates, prints, or keeps a pointer;
 * every function is safe from any thread and defined for every input. Illegal is an answer, not an
 * error: a tmap_status other than TMAP_OK means misuse or a lack of room, and then outputs are
 * untouched.
 */
#ifndef TMAP_TMAP_H
#define TMAP_TMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TMAP_API __attribute__((visibility("default")))
#else
#define TMAP_API
#endif

#define TMAP_MAX_RANK 5
#define TMAP_MAX_SPATIAL 3

/* Values are pinned; groups of ten. */
enum tmap_status {
    TMAP_OK = 0,
    TMAP_E_ARGUMENT = 10, /* a pointer or a value that the function's comment excludes */
    TMAP_E_TARGET = 11,   /* a target that no source covers */
    TMAP_E_ILLEGAL = 12,  /* a legal descriptor is needed; tmap_check() says why it is not */
    TMAP_E_NO_PLAN = 13,  /* no answer exists; the report says why */
    /* No rule is violated, but one that decides could not be evaluated: not legal either. */
    TMAP_E_UNDECIDED = 14,
    TMAP_E_ROOM = 20,      /* an output array is too small */
    TMAP_E_MEMORY = 21,    /* malloc failed */
    TMAP_E_BUDGET = 22,    /* the operation budget ran out: undecided */
    TMAP_E_NOT_BUILT = 30, /* built without isl, Z3 or CUDA */
    TMAP_E_NO_DRIVER = 31, /* libcuda cannot be loaded, or is too old */
    TMAP_E_NO_DEVICE = 32, /* no GPU, or no usable one */
    TMAP_E_DRIVER = 33,    /* a driver call failed */
    TMAP_E_INTERNAL = 50   /* a self-check failed: a defect of tmap */
};

enum tmap_verdict { TMAP_LEGAL = 0, TMAP_ILLEGAL = 1, TMAP_UNKNOWN = 2 };

/* Which rows count. SAFE is the union of the other three. */
enum tmap_contract {
    TMAP_CONTRACT_SAFE = 0,
    TMAP_CONTRACT_DOCUMENTED = 1, /* what NVIDIA's documents demand */
    TMAP_CONTRACT_DRIVER = 2,     /* what the encode call answers */
    TMAP_CONTRACT_HARDWARE = 3    /* what executes as meant */
};

/* What the words of a kernel's configuration mean (solve.h).
 * RING: one buffer of A and one of B per stage, two mbarriers a stage, nothing else is assumed.
 * TRITON: Triton 3.6 with host tensor descriptors, calibrated on an H200 against 202 random
 * configurations: shared = max(stages * (A + B + 8), staging of C); a thread of a warpgroup holds
 * its accumulator, at most one 64 x 256 instruction's at a time, and 26 registers more. Where there
 * is tensor memory the accumulator lies there.
 * TCGEN05: the ring, and tcgen05.mma into tensor memory by one CTA or by a pair. */
enum tmap_model {
    TMAP_MODEL_RING = 0,
    TMAP_MODEL_TRITON = 1,
    TMAP_MODEL_TCGEN05 = 2,
    TMAP_MODEL_COUNT
};

/* tcgen05.mma's .kind; NONE: nothing multiplies. */
enum tmap_mma_kind {
    TMAP_MMA_NONE = 0,
    TMAP_MMA_F16,
    TMAP_MMA_TF32,
    TMAP_MMA_F8F6F4,
    TMAP_MMA_I8,
    TMAP_MMA_MXF8F6F4,
    TMAP_MMA_MXF4,
    TMAP_MMA_MXF4NVF4
};

/* OBSERVED: the rows were recorded on this target. INFERRED: from documents or other targets. */
enum tmap_basis { TMAP_OBSERVED = 0, TMAP_INFERRED = 1 };

enum tmap_kind { TMAP_TILED = 0, TMAP_IM2COL = 1, TMAP_IM2COL_WIDE = 2 };

/* CUDA's values, without the prefix; asserted equal to cuda.h's where that is present. */
enum tmap_dtype {
    TMAP_UINT8 = 0,
    TMAP_UINT16 = 1,
    TMAP_UINT32 = 2,
    TMAP_INT32 = 3,
    TMAP_UINT64 = 4,
    TMAP_INT64 = 5,
    TMAP_FLOAT16 = 6,
    TMAP_FLOAT32 = 7,
    TMAP_FLOAT64 = 8,
    TMAP_BFLOAT16 = 9,
    TMAP_FLOAT32_FTZ = 10,
    TMAP_TFLOAT32 = 11,
    TMAP_TFLOAT32_FTZ = 12,
    TMAP_16U4_ALIGN8B = 13,
    TMAP_16U4_ALIGN16B = 14,
    TMAP_16U6_ALIGN16B = 15
};
enum tmap_interleave { TMAP_INTERLEAVE_NONE = 0, TMAP_INTERLEAVE_16B = 1, TMAP_INTERLEAVE_32B = 2 };
enum tmap_swizzle {
    TMAP_SWIZZLE_NONE = 0,
    TMAP_SWIZZLE_32B = 1,
    TMAP_SWIZZLE_64B = 2,
    TMAP_SWIZZLE_128B = 3,
    TMAP_SWIZZLE_128B_ATOM_32B = 4,
    TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
    TMAP_SWIZZLE_128B_ATOM_64B = 6
};
enum tmap_l2_promotion { TMAP_L2_NONE = 0, TMAP_L2_64B = 1, TMAP_L2_128B = 2, TMAP_L2_256B = 3 };
enum tmap_oob_fill { TMAP_OOB_NONE = 0, TMAP_OOB_NAN = 1 };
enum tmap_wide_mode { TMAP_WIDE_W = 0, TMAP_WIDE_W128 = 1 };

/* Bits of tmap_desc.flags. A NULL bit says that the caller's pointer to that array is NULL. */
enum tmap_desc_flag {
    TMAP_NULL_MAP = 1u << 0,
    TMAP_NULL_DIM = 1u << 1,
    TMAP_NULL_STRIDE = 1u << 2,
    TMAP_NULL_BOX = 1u << 3,
    TMAP_NULL_ELEM_STRIDE = 1u << 4,
    TMAP_NULL_LOWER = 1u << 5,
    TMAP_NULL_UPPER = 1u << 6,
    TMAP_HAS_MAP_ADDRESS = 1u << 8, /* map_address is meant */
    TMAP_HAS_ALLOCATION = 1u << 9   /* allocation_base and allocation_bytes are meant */
};

/* The arguments of one encode call, and what is known around it. Unused entries are ignored.
 * kind tiled uses box[]; im2col uses lower[], upper[] (W, H, D order, rank - 2 of them), channels
 * and pixels; im2col_wide uses lower[0], upper[0] (the width's), channels, pixels and mode. */
struct tmap_desc {
    int32_t kind;  /* enum tmap_kind */
    int32_t dtype; /* enum tmap_dtype, or any raw integer */
    uint32_t rank;
    uint32_t flags;              /* enum tmap_desc_flag */
    uint64_t address;            /* globalAddress */
    uint64_t dim[TMAP_MAX_RANK]; /* elements */
    uint64_t stride_bytes[TMAP_MAX_RANK - 1];
    uint32_t box[TMAP_MAX_RANK]; /* elements; tiled */
    uint32_t elem_stride[TMAP_MAX_RANK];
    int32_t interleave, swizzle, l2_promotion, oob_fill;
    int32_t lower[TMAP_MAX_SPATIAL], upper[TMAP_MAX_SPATIAL];
    uint32_t channels, pixels; /* channelsPerPixel, pixelsPerColumn */
    int32_t mode;              /* enum tmap_wide_mode */
    uint64_t map_address;      /* where the 128 bytes live */
    uint64_t allocation_base, allocation_bytes;
};

/* An architecture name ptxas knows: the sm number times 4 plus the suffix (0 plain, 1 'a', 2 'f'),
 * so sm_90a is TMAP_ARCH(90, 1). sm_101* is the old name of sm_110*. */
typedef uint32_t tmap_arch;
#define TMAP_ARCH(sm, suffix) ((tmap_arch)((sm)*4u + (suffix)))

struct tmap_target {
    uint32_t cuda;   /* toolkit: 1304 is 13.4 */
    uint32_t ptx;    /* PTX ISA version: 94 is 9.4 */
    uint32_t driver; /* driver branch: 580 */
    tmap_arch arch;
};

/* tmap_default_target() : the newest observed target: CUDA 13.0, PTX 9.0, driver 580, sm_90a. */
TMAP_API struct tmap_target tmap_default_target(void);

/* tmap_target_from() : a target from text: cuda "12.4", ptx "8.4", driver "550", arch "sm_90a".
 *  Any may be NULL: cuda and arch then are the default's, ptx and driver follow from cuda.
 *  Errors: TMAP_E_ARGUMENT for text of another form; TMAP_E_TARGET for an architecture that no row
 *  of src/rules/targets.def has (an unknown version is kept: its verdicts are unknown). */
TMAP_API enum tmap_status tmap_target_from(const char *cuda, const char *ptx, const char *driver,
                                           const char *arch, struct tmap_target *out);

/* tmap_arch_name() : "sm_90a", a static string; NULL when unknown.  tmap_arch_at() : the i-th known
 * one, 0 at the end.  tmap_arch_find() : by name, 0 when unknown; sm_101a answers sm_110a. */
TMAP_API const char *tmap_arch_name(tmap_arch arch);
TMAP_API tmap_arch tmap_arch_at(size_t i);
TMAP_API tmap_arch tmap_arch_find(const char *name);

/* tmap_capacity() : shared memory that a block may opt in to (bytes), and TMEM columns. Either
 * output may be NULL. Source: src/rules/targets.def. Errors: TMAP_E_TARGET. */
TMAP_API enum tmap_status tmap_capacity(tmap_arch arch, uint32_t *smem_bytes,
                                        uint32_t *tmem_columns);

/* --- rows ---------------------------------------------------------------------------------------
 * The rules are the rows of src/rules/ (docs/RULES.md). */

/* A row's number in the tables, from 0. The id ("TMA014") is its stable public name. */
typedef uint16_t tmap_row;
#define TMAP_NO_ROW ((tmap_row)0xffff)

/* The strings are static. A row that is advisory never makes a verdict. */
TMAP_API size_t tmap_row_count(void);
TMAP_API const char *tmap_row_id(tmap_row row);          /* "TMA014"; NULL when out of range */
TMAP_API const char *tmap_row_name(tmap_row row);        /* "stride_multiple_16"; NULL likewise */
TMAP_API tmap_row tmap_row_find(const char *id_or_name); /* TMAP_NO_ROW when there is none */
TMAP_API bool tmap_row_is_advisory(tmap_row row);

/* One violated row at one place. index: the dimension, the stride's index or the corner's index;
 * -1 for a row that is evaluated once. */
struct tmap_violation {
    tmap_row row;
    int16_t index;
};

#define TMAP_ROW_WORDS 3

/* A target and a contract made ready: plain data, copy it freely, nothing to free. The masks have
 * bit row % 64 of word row / 64 for each row. */
struct tmap_checker {
    struct tmap_target target;
    enum tmap_contract contract;
    enum tmap_basis basis;
    enum tmap_status covered;        /* TMAP_OK; TMAP_E_TARGET: every verdict is unknown */
    uint64_t active[TMAP_ROW_WORDS]; /* rows that decide */
    uint64_t gate[TMAP_ROW_WORDS]; /* those and what they need: legal is what all of these allow */
    uint64_t advisory[TMAP_ROW_WORDS]; /* rows that only advise */
    /* active and gate of contract driver: what tmap_encode() asks */
    uint64_t encode_active[TMAP_ROW_WORDS], encode_gate[TMAP_ROW_WORDS];
};

/* tmap_checker_prepare() : about a microsecond. A target that no source covers is not an error
 * here: its verdicts are TMAP_UNKNOWN. Errors: TMAP_E_ARGUMENT (NULL, unknown contract). */
TMAP_API enum tmap_status tmap_checker_prepare(const struct tmap_target *target,
                                               enum tmap_contract contract,
                                               struct tmap_checker *out);

/* tmap_verdict_of() : the bare answer for one descriptor, in some 20 ns. Both pointers must be
 *  valid. UNKNOWN: no source covers the target, or a row that decides cannot be evaluated. */
TMAP_API enum tmap_verdict tmap_verdict_of(const struct tmap_checker *checker,
                                           const struct tmap_desc *desc);

/* tmap_check_with() : every violated row. Writes at most cap entries, in row order, and how many
 *  there are to *found (as snprintf). violations may be NULL when cap is 0. verdict may be NULL, so
 *  that the status must say what it would: an unknown verdict is then TMAP_E_TARGET (no source
 *  covers the target) or TMAP_E_UNDECIDED, with *found 0, and TMAP_OK with *found 0 is legal.
 *  Errors: TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_check_with(const struct tmap_checker *checker,
                                          const struct tmap_desc *desc,
                                          struct tmap_violation *violations, size_t cap,
                                          size_t *found, enum tmap_verdict *verdict);

/* tmap_check() : the same without a verdict, preparing the checker itself: legal is TMAP_OK with
 *  *found 0, illegal is TMAP_OK with *found above 0, unknown is TMAP_E_TARGET or TMAP_E_UNDECIDED.
 */
TMAP_API enum tmap_status tmap_check(const struct tmap_desc *desc, const struct tmap_target *target,
                                     enum tmap_contract contract, struct tmap_violation *violations,
                                     size_t cap, size_t *found);

/* tmap_check_many() : verdicts[i] of descs[i] for all i < n, as tmap_verdict_of() gives them.
 * Errors: TMAP_E_ARGUMENT (NULL with n above 0). */
TMAP_API enum tmap_status tmap_check_many(const struct tmap_checker *checker,
                                          const struct tmap_desc *descs, size_t n,
                                          enum tmap_verdict *verdicts);

/* Descriptors by columns, all of one kind and rank: column[i] is descriptor i's; NULL: all have
 * common's. Kind, rank, flags, map address and allocation are common's. Read during the call only.
 */
struct tmap_columns {
    struct tmap_desc common;
    const uint64_t *address, *dim[TMAP_MAX_RANK], *stride_bytes[TMAP_MAX_RANK - 1];
    const uint32_t *box[TMAP_MAX_RANK], *elem_stride[TMAP_MAX_RANK], *channels, *pixels;
    const int32_t *dtype, *interleave, *swizzle, *l2_promotion, *oob_fill, *mode;
    const int32_t *lower[TMAP_MAX_SPATIAL], *upper[TMAP_MAX_SPATIAL];
};

/* tmap_check_columns() : verdicts[i] of descriptor i for all i < n, as tmap_verdict_of() gives
 * them, computed with vectors: worth it from hundreds on. *one_by_one (may be NULL): how many were
 * judged by tmap_verdict_of() instead: all with an unknown kind or rank or with an allocation, and
 * those for which a row fails that only others need. Threads may share all but verdicts. Errors:
 * TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_check_columns(const struct tmap_checker *checker,
                                             const struct tmap_columns *columns, size_t n,
                                             enum tmap_verdict *verdicts, size_t *one_by_one);

/* tmap_advise() : rows of effect advisory that apply, known driver errata among them. Output rules
 *  and errors as tmap_check_with(). */
TMAP_API enum tmap_status tmap_advise(const struct tmap_checker *checker,
                                      const struct tmap_desc *desc, struct tmap_violation *out,
                                      size_t cap, size_t *found);

/* tmap_not_evaluated() : the active rows that mean nothing for desc because a row they need is
 *  violated. Output rules and errors as tmap_check_with(); index is -1. */
TMAP_API enum tmap_status tmap_not_evaluated(const struct tmap_checker *checker,
                                             const struct tmap_desc *desc,
                                             struct tmap_violation *out, size_t cap, size_t *found);

/* --- uses: what an instruction or a call does with a map ----------------------------------- */

enum tmap_use_op {
    TMAP_OP_LOAD = 0,
    TMAP_OP_STORE = 1,
    TMAP_OP_PREFETCH = 2,
    TMAP_OP_GATHER4 = 3,
    TMAP_OP_SCATTER4 = 4,
    TMAP_OP_REDUCE_ADD = 5,
    TMAP_OP_REDUCE_MIN = 6,
    TMAP_OP_REDUCE_MAX = 7,
    TMAP_OP_REDUCE_INC = 8,
    TMAP_OP_REDUCE_DEC = 9,
    TMAP_OP_REDUCE_AND = 10,
    TMAP_OP_REDUCE_OR = 11,
    TMAP_OP_REDUCE_XOR = 12,
    TMAP_OP_REPLACE = 13,        /* tensormap.replace of one field */
    TMAP_OP_REPLACE_ADDRESS = 14 /* cuTensorMapReplaceAddress */
};

/* The fields that tensormap.replace patches. */
enum tmap_replace_field {
    TMAP_REPLACE_GLOBAL_ADDRESS = 0,
    TMAP_REPLACE_RANK = 1,
    TMAP_REPLACE_BOX_DIM = 2,
    TMAP_REPLACE_GLOBAL_DIM = 3,
    TMAP_REPLACE_GLOBAL_STRIDE = 4,
    TMAP_REPLACE_ELEMENT_STRIDE = 5,
    TMAP_REPLACE_ELEMTYPE = 6,
    TMAP_REPLACE_INTERLEAVE_LAYOUT = 7,
    TMAP_REPLACE_SWIZZLE_MODE = 8,
    TMAP_REPLACE_SWIZZLE_ATOMICITY = 9,
    TMAP_REPLACE_FILL_MODE = 10
};

/* What reads a loaded box from shared memory, and whether its inner dimension is K (the reduction)
 * or M or N. */
enum tmap_consumer {
    TMAP_CONSUMER_NONE = 0,
    TMAP_CONSUMER_LDMATRIX = 1, /* ldmatrix and mma.sync */
    TMAP_CONSUMER_WGMMA = 2,    /* sm_90a */
    TMAP_CONSUMER_TCGEN05 = 3   /* sm_100, sm_103, sm_110, a and f */
};
enum tmap_major { TMAP_K_MAJOR = 0, TMAP_MN_MAJOR = 1 };

/* Which optional members of tmap_use are meant. */
enum tmap_use_flag {
    TMAP_USE_COORD = 1u << 0,
    TMAP_USE_SMEM = 1u << 1,
    TMAP_USE_EXPECT_TX = 1u << 2,
    TMAP_USE_MBARRIER = 1u << 3,
    TMAP_USE_OFFSET = 1u << 4,
    TMAP_USE_CTA_DST = 1u << 5 /* the destination is written .shared::cta, not .shared::cluster */
};

struct tmap_use {
    uint32_t op;                  /* enum tmap_use_op */
    uint32_t flags;               /* enum tmap_use_flag */
    int32_t coord[TMAP_MAX_RANK]; /* elements, innermost first; gather4: {column, row0..row3} */
    uint32_t coord_count;
    uint32_t multicast;                /* destination CTAs; 0 and 1: none */
    uint32_t cta_group;                /* 0 none, 1, 2 */
    uint64_t smem;                     /* shared-memory address of the box, bytes */
    uint64_t expect_tx;                /* bytes the barrier expects for this copy */
    uint64_t mbarrier;                 /* shared-memory address of the barrier */
    uint32_t offset[TMAP_MAX_SPATIAL]; /* im2col offsets, W H D; wide: {wHalo, wOffset} */
    uint32_t consumer, major;          /* enum tmap_consumer, tmap_major: who reads the box */
    uint32_t field, ordinal;           /* replace: enum tmap_replace_field, dimension */
    uint64_t value;                    /* replace: the value, in PTX's units; replace_address */
};

/* tmap_check_use() : every violated row about this use of this descriptor; the descriptor's own
 * rows are tmap_check_with()'s. Output rules and errors as there. */
TMAP_API enum tmap_status tmap_check_use(const struct tmap_checker *checker,
                                         const struct tmap_desc *desc, const struct tmap_use *use,
                                         struct tmap_violation *violations, size_t cap,
                                         size_t *found, enum tmap_verdict *verdict);

/* tmap_advise_use() : rows of effect advisory about this use. Output rules and errors as
 *  tmap_check_with(). */
TMAP_API enum tmap_status tmap_advise_use(const struct tmap_checker *checker,
                                          const struct tmap_desc *desc, const struct tmap_use *use,
                                          struct tmap_violation *out, size_t cap, size_t *found);

/* --- explanation --------------------------------------------------------------------------- */

/* A number of any size that a rule can speak of. */
struct tmap_number {
    bool known;
    bool negative;
    uint64_t magnitude;
};

/* What a violation says, derived from the row: the field it blames, that field's value, and the
 * nearest values of that field, everything else unchanged, that satisfy the row and every other
 * row that blames the field; where no value does, the nearest that satisfy the row alone. */
struct tmap_detail {
    const char *field; /* JSON's name: "stride" */
    int index;         /* -1 for a scalar */
    int slot;          /* the field and the index in one number, from 0, for tables */
    struct tmap_number value;
    struct tmap_number below, above; /* known = false: there is none on that side */
    char needs[192];   /* the requirement in the user's numbers: "stride[0] % 16 = 0" */
    char message[256]; /* one sentence */
};

/* tmap_detail_of() : explains one violation of desc (and use, or NULL). Errors: TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_detail_of(const struct tmap_target *target,
                                         const struct tmap_desc *desc, const struct tmap_use *use,
                                         const struct tmap_violation *violation,
                                         struct tmap_detail *out);

/* --- bytes --------------------------------------------------------------------------------- */

/* The 128 bytes, as sixteen little-endian words. In use they live at a 128-byte aligned address. */
struct tmap_map {
    uint64_t word[16];
};

/* tmap_encode() : the bytes that the driver writes for desc. Source: recorded on driver 580
 *  (docs/EVIDENCE.md), and replayed by the tests. Errors: TMAP_E_ARGUMENT; TMAP_E_ILLEGAL when the
 * contract `driver` refuses it on checker's target; TMAP_E_TARGET or TMAP_E_UNDECIDED when that is
 * not known. */
TMAP_API enum tmap_status tmap_encode(const struct tmap_checker *checker,
                                      const struct tmap_desc *desc, struct tmap_map *out);

/* tmap_encode_unchecked() : the same without asking the rows; the bytes of an illegal descriptor
 *  mean nothing. False, and out untouched, when the bytes are not known. */
TMAP_API bool tmap_encode_unchecked(const struct tmap_desc *desc, struct tmap_map *out);

/* What decoding adds to the fields. AMBIGUOUS: other arguments give the same bytes. IMPOSSIBLE: no
 * encode call was seen writing this. DERIVED: the driver's own figure, not the hardware's. */
enum tmap_note_kind { TMAP_NOTE_AMBIGUOUS = 0, TMAP_NOTE_IMPOSSIBLE = 1, TMAP_NOTE_DERIVED = 2 };

struct tmap_note {
    enum tmap_note_kind kind;
    const char *field; /* JSON's name; "reserved" for bits that no field has */
    int index;         /* -1 for a scalar */
    uint32_t word, low, width;
    uint64_t found, expected; /* the stored bits, unshifted; expected is 0 where there is none */
    const char *text;         /* one sentence */
};

/* tmap_decode() : the fields that the bytes hold, for any 128 bytes whatever, and what they leave
 *  open. A map of im2col or im2col_wide decodes as im2col. dtype is -1 for a code that no type has.
 *  Output rules for notes as tmap_check_with(). Errors: TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_decode(const struct tmap_map *map, struct tmap_desc *out,
                                      struct tmap_note *notes, size_t cap, size_t *found);

/* One field of a map, or of two that are compared. Values are in the descriptor's units (a signed
 * one as two's complement in 64 bits); a field that the map's kind and rank lack is absent. */
struct tmap_map_field {
    const char *field; /* as in struct tmap_note */
    int index;
    uint32_t word, low, width;
    bool is_signed, in_a, in_b;
    uint64_t a, b;
};

/* tmap_map_fields() : every field of a map, in the order of its bytes (in_a, a).
 * tmap_map_diff() : the fields in which two maps differ, reserved bits among them; none when the
 *  bytes are equal. Output rules as tmap_check_with(). Errors: TMAP_E_ARGUMENT. */
TMAP_API enum tmap_status tmap_map_fields(const struct tmap_map *map, struct tmap_map_field *out,
                                          size_t cap, size_t *found);
TMAP_API enum tmap_status tmap_map_diff(const struct tmap_map *a, const struct tmap_map *b,
                                        struct tmap_map_field *out, size_t cap, size_t *found);

/* tmap_replace_address() : cuTensorMapReplaceAddress without a driver: only word 0 changes.
 *  Errors: TMAP_E_ILLEGAL when the contract `driver` refuses the address; TMAP_E_TARGET when that
 *  is not known; then map is untouched. */
TMAP_API enum tmap_status tmap_replace_address(const struct tmap_checker *checker,
                                               struct tmap_map *map, uint64_t address);

/* One tensormap.replace: the field, its ordinal (0 for a scalar), the operand in PTX's units. */
struct tmap_patch {
    enum tmap_replace_field field;
    uint32_t ordinal;
    uint64_t value;
};
#define TMAP_MAX_PATCHES 32

/* tmap_patch_apply() : what the instruction does to the bytes, as ptxas of toolkit `cuda` (1300)
 *  assembles it: strides are in bytes from 12.5 on and in 16 bytes before. Errors: TMAP_E_ARGUMENT
 *  for a field, ordinal or value that has no encoding; map is then untouched. */
TMAP_API enum tmap_status tmap_patch_apply(struct tmap_map *map, const struct tmap_patch *patch,
                                           uint32_t cuda);

/* tmap_patch_plan() : the fewest tensormap.replace that make the live words 0 to 7 of `from` equal
 *  those of `to`; words 8 and 9, which no instruction writes, keep the driver's figures of `from`.
 *  TMAP_E_NO_PLAN when a field differs that cannot be patched; why then says which (cap_why bytes,
 *  may be NULL). Output rules for out as tmap_check_with(). */
TMAP_API enum tmap_status tmap_patch_plan(const struct tmap_map *from, const struct tmap_map *to,
                                          uint32_t cuda, struct tmap_patch *out, size_t cap,
                                          size_t *found, char *why, size_t cap_why);
TMAP_API const char *tmap_replace_field_name(enum tmap_replace_field field); /* "box_dim" */

/* --- layout -------------------------------------------------------------------------------- */

/* What one copy of a legal descriptor moves, and where it lands in shared memory. */
struct tmap_layout {
    uint64_t tx_bytes;        /* completed on the barrier by one load, whatever the coordinates */
    uint64_t footprint_bytes; /* shared memory from first to last byte: can exceed tx_bytes */
    uint32_t row_bytes;       /* bytes written of each innermost row */
    uint32_t pitch_bytes;     /* distance of consecutive rows in shared memory */
    uint64_t rows;            /* number of innermost rows */
    uint32_t align_bytes;     /* required alignment of the shared address */
    uint32_t pattern_bytes;   /* alignment at which the swizzle pattern starts at phase 0 */
    uint32_t extent[TMAP_MAX_RANK]; /* elements (slices under interleave) moved per dimension */
};

/* tmap_layout() : what one copy of desc moves. Source: PTX ISA, and docs/SIMULATOR.md for what was
 *  seen. Errors: TMAP_E_ARGUMENT; TMAP_E_ILLEGAL for a descriptor that checker refuses;
 *  TMAP_E_TARGET or TMAP_E_UNDECIDED for one that it cannot judge. */
TMAP_API enum tmap_status tmap_layout(const struct tmap_checker *checker,
                                      const struct tmap_desc *desc, struct tmap_layout *out);

/* tmap_swizzle_address() : the shared-memory address, in bytes, of the byte that would lie at
 *  `address` without a swizzle; `address` itself for TMAP_SWIZZLE_NONE and unknown values. */
TMAP_API uint64_t tmap_swizzle_address(int32_t swizzle, uint64_t address);

/* --- simulation ---------------------------------------------------------------------------- */

/* The memory a copy sees. Global memory is reached through the two calls, which move `bytes` bytes
 * at `address` and answer false where nothing is mapped; user is handed to them. Shared memory is
 * an array: smem[0] is the byte at shared address smem_base. */
struct tmap_memory {
    bool (*read)(void *user, uint64_t address, void *to, size_t bytes);
    bool (*write)(void *user, uint64_t address, const void *from, size_t bytes);
    void *user;
    uint8_t *smem;
    uint64_t smem_base, smem_bytes;
};

/* How the GPU ends a copy that it does not carry out: the sticky errors of CUDA. */
enum tmap_fault {
    TMAP_FAULT_NONE = 0,
    TMAP_FAULT_ILLEGAL_ADDRESS = 700,
    TMAP_FAULT_ILLEGAL_INSTRUCTION = 715,
    TMAP_FAULT_MISALIGNED = 716
};

struct tmap_outcome {
    uint64_t tx_bytes;     /* completed on the barrier (loads) */
    uint64_t global_bytes; /* read or written in global memory */
    enum tmap_fault fault; /* not NONE: the rest means nothing, memory is unchanged */
    enum tmap_basis basis; /* TMAP_INFERRED: from the documents; not seen on a GPU */
};

/* tmap_simulate() : what one tensor copy does to every byte. desc must be legal for checker; use
 *  says which operation (load, store, prefetch, gather4, scatter4, a reduction), the coordinates
 *  (rank of them; gather4 and scatter4 five), the im2col offsets and the shared address. Unused
 *  use->flags bits mean zero. Where two elements of one copy land on the same global byte (an
 *  overlapping tensor) the order is not defined by any source; here the later row wins.
 *  docs/SIMULATOR.md says what was seen and what is inferred.
 *  Errors: TMAP_E_ILLEGAL (desc, or this use of it), TMAP_E_ARGUMENT (NULL; an operation that is no
 *  copy), TMAP_E_ROOM (the box leaves the shared memory given), TMAP_E_TARGET (no source covers it:
 *  an unknown target, padded types under interleave). */
TMAP_API enum tmap_status tmap_simulate(const struct tmap_checker *checker,
                                        const struct tmap_desc *desc, const struct tmap_use *use,
                                        const struct tmap_memory *memory, struct tmap_outcome *out);

/* The fields of a wgmma or tcgen05 matrix descriptor that reads a loaded box where it lies. */
struct tmap_mma {
    uint32_t layout_code;      /* the swizzle's code: bits 63:62 (wgmma) or 63:61 (tcgen05) */
    uint32_t lbo_bytes;        /* leading-dimension byte offset */
    uint32_t sbo_bytes;        /* stride-dimension byte offset */
    uint32_t k_elements;       /* elements of K that one instruction takes */
    uint32_t k_step_bytes;     /* what to add to the start address for the next instruction */
    uint32_t k_steps;          /* instructions in one box; 0: the box holds less than one takes */
    uint32_t base_align_bytes; /* alignment of the start address at which the base offset is 0 */
    uint64_t word;             /* the 64-bit descriptor for start address 0 */
};

/* tmap_mma_of() : the matrix-descriptor fields with which consumer reads what desc loads. Errors:
 *  TMAP_E_ILLEGAL when a row about the consumer is violated, *why (may be NULL) then names the
 * first; TMAP_E_ARGUMENT for a consumer without matrix descriptors. Source: PTX ISA,
 * matrix-descriptor formats and canonical layouts of wgmma and tcgen05. */
TMAP_API enum tmap_status tmap_mma_of(const struct tmap_checker *checker,
                                      const struct tmap_desc *desc, enum tmap_consumer consumer,
                                      enum tmap_major major, struct tmap_mma *out,
                                      struct tmap_violation *why);

/* Ways a warp reads a loaded box. */
enum tmap_access {
    TMAP_ACCESS_ROW = 0,    /* 32 lanes, 4 bytes each, along rows */
    TMAP_ACCESS_COLUMN = 1, /* 32 lanes, 4 bytes each, one word of 32 consecutive rows */
    TMAP_ACCESS_MATRIX =
        2, /* 8 rows of 16 bytes: one matrix of ldmatrix, one core matrix of an MMA */
    TMAP_ACCESS_VECTOR =
        3 /* 8 lanes, 16 bytes each, along rows: a quarter of a 512-byte warp read */
};

/* tmap_bank_conflicts() : how many times as long as a conflict-free one that access takes, at its
 * worst place in the box: 1 is conflict-free, 8 means that eight words of one bank are asked for.
 * Shared memory has 32 banks of 4 bytes; the box starts where its swizzle pattern does. Errors as
 *  tmap_layout(). */
TMAP_API enum tmap_status tmap_bank_conflicts(const struct tmap_checker *checker,
                                              const struct tmap_desc *desc, enum tmap_access access,
                                              uint32_t *ways);

/* tmap_version() : "0.1.0"; a static string. */
TMAP_API const char *tmap_version(void);

#ifdef __cplusplus
}
#endif
#endif
