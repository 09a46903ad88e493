// PTX text as a tree: directives, variables, functions and their instructions, names resolved.
// Nothing here knows what an instruction does; decode.h does.
#ifndef TMAP_EMULATE_PTX_H
#define TMAP_EMULATE_PTX_H

#include "tmap/emulate.h"

// Memory that lives and dies as one. Zeroed; NULL when memory is gone.
struct emu_arena {
    struct emu_arena_block *block;
    size_t used, size, total;
};
void *emu_alloc(struct emu_arena *arena, size_t bytes);
void emu_arena_free(struct emu_arena *arena);

// Growing arrays in an arena: makes room for one more of `size` bytes each.
bool emu_grow(struct emu_arena *arena, void *array, size_t count, size_t size);

enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_PARAM, PTX_LOCAL, PTX_REG };

// Fundamental types; the order is that of type_table in types.c.
enum ptx_type {
    PTX_NONE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_BF16,
    PTX_F16X2,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_TF32,
    PTX_E4M3,
    PTX_E5M2,
    PTX_E4M3X2,
    PTX_E5M2X2,
    PTX_E2M1X2,
    PTX_E2M3X2,
    PTX_E3M2X2,
    PTX_UE8M0X2,
    PTX_U16X2,
    PTX_S16X2,
    PTX_TYPES
};

// By its name without the dot; PTX_NONE when it is no type. Size in bits; 1 for a predicate.
enum ptx_type ptx_type_named(const char *name, size_t length);
uint32_t ptx_type_bits(enum ptx_type type);
bool ptx_type_signed(enum ptx_type type);
bool ptx_type_float(enum ptx_type type);

struct ptx_var {
    const char *name;
    enum ptx_space space;
    uint32_t align, bytes;
    uint32_t offset;     // shared, local, param: from the start of the function's or module's
    bool is_extern;      // .extern .shared: the dynamic part
    const uint8_t *data; // initial bytes; NULL: zeros
    struct ptx_reloc *relocs;
    uint32_t reloc_count;
    uint64_t address; // global and const: given when it is loaded
    uint32_t function_depth;
};

// Eight bytes at `at` of an initialiser are the address of a variable.
struct ptx_reloc {
    uint32_t at;
    const struct ptx_var *of;
    int64_t plus;
};

enum ptx_operand_kind {
    PTX_OP_REG,    // reg
    PTX_OP_INT,    // value
    PTX_OP_F32,    // value holds the bits
    PTX_OP_F64,    //   likewise
    PTX_OP_VAR,    // var, plus value
    PTX_OP_SYMBOL, // name: a label or a function
    PTX_OP_MEM,    // [part[0] + value, part[1], …]
    PTX_OP_VECTOR, // {part[0], …}
    PTX_OP_LIST,   // (part[0], …)
    PTX_OP_PAIR,   // part[0] | part[1]
    PTX_OP_SINK    // _
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated; // !p
    int32_t reg;
    uint64_t value;
    const struct ptx_var *var;
    const char *name;
    struct ptx_operand *part;
    uint32_t parts;
};

struct ptx_inst {
    const char *op; // "ld.global.u32"
    uint32_t line, file, source_line;
    int32_t guard; // register, -1 without
    bool guard_not;
    uint32_t scope; // for labels
    struct ptx_operand *operand;
    uint32_t operands;
};

struct ptx_label {
    const char *name;
    uint32_t scope, at; // instruction index
};

struct ptx_scope {
    uint32_t parent;
};

struct ptx_table { // of branch targets
    const char *name, **label;
    uint32_t scope, labels;
};

struct ptx_function {
    const char *name;
    bool is_entry, has_body;
    uint32_t line;
    struct ptx_var **params, **returns;
    uint32_t param_count, return_count, param_bytes, return_bytes;
    uint32_t max_threads, required[3], cluster[3];
    uint8_t *reg_type; // enum ptx_type of each register
    const char **reg_name;
    uint32_t regs;
    struct ptx_inst *inst;
    uint32_t insts;
    struct ptx_label *label;
    uint32_t labels;
    struct ptx_scope *scope;
    uint32_t scopes;
    struct ptx_table *table;
    uint32_t tables;
    struct ptx_var **local; // variables of .local, .shared, .param declared inside
    uint32_t locals;
};

struct ptx_module {
    struct emu_arena arena;
    uint32_t version; // 90 for 9.0
    tmap_arch arch;
    struct ptx_function *function;
    uint32_t functions;
    struct ptx_var **var; // module level
    uint32_t vars;
    const char **file; // of .file, by number; NULL where there is none
    uint32_t files;
};

// Reads all of it. On an error, error is filled and the module must still be freed.
enum tmap_status ptx_parse(const char *text, size_t bytes, struct ptx_module *out,
                           struct tmap_emulate_error *error);

const struct ptx_function *ptx_function_named(const struct ptx_module *module, const char *name);

#endif
