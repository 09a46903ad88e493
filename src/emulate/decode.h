// What a decoder has in hand: an instruction's qualifiers and operands, each to be taken once.
#ifndef TMAP_EMULATE_DECODE_H
#define TMAP_EMULATE_DECODE_H

#include "emulate/emulate.h"

#define DEC_WIDE_ADDRESS (1u << 31) // of emu_insn.flags: lanes of the address have 8 bytes

enum { MAX_QUALIFIERS = 24, CONST_BUCKETS = 4096, MAX_READS = 160 };

struct dec_const {
    uint64_t value;
    uint32_t bytes, at;
    struct dec_const *next;
};

struct decoder {
    struct tmap_emulate_module *module;
    const struct ptx_function *f;
    uint32_t function;
    const struct ptx_inst *inst;
    struct emu_insn *out;
    const char *word[MAX_QUALIFIERS]; // after the instruction's own name
    uint32_t length[MAX_QUALIFIERS], words, taken;
    uint32_t next; // operand
    emu_at *reg;   // of each register of f, where it lies; -1 not yet
    uint32_t reg_bytes;
    bool notes_reads; // of a target whose loads fill registers later
    emu_at read[MAX_READS];
    uint32_t reads;
    struct dec_const *bucket[CONST_BUCKETS];
    uint32_t const_room;
    struct tmap_emulate_error *error;
    enum tmap_status status;
};

typedef bool dec_instruction(struct decoder *d);

void dec_error(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define dec_fail(...) (dec_error(__VA_ARGS__), false)

// Qualifiers. dec_has takes one when it is there; dec_begins one that starts so, and gives the
// rest; dec_type the first type that is left; dec_one_of the index of the first of a list
// ("lo|hi|wide") that is there, or -1.
bool dec_has(struct decoder *d, const char *qualifier);
const char *dec_begins(struct decoder *d, const char *start, uint32_t *length);
enum ptx_type dec_type(struct decoder *d);
enum ptx_type dec_peek_type(const struct decoder *d); // the first of all, and leaves it
int dec_one_of(struct decoder *d, const char *list);

// Operands, in their order. Each answers false with an error when the next one is not of the kind.
const struct ptx_operand *dec_operand(struct decoder *d); // the next one, whatever it is
// The next one, or the first of a pair a|p; p, a predicate, becomes out->e and out->lists 1.
const struct ptx_operand *dec_first_of_pair(struct decoder *d);
bool dec_more(const struct decoder *d);
bool dec_source(struct decoder *d, enum ptx_type type, emu_at *out);
bool dec_dest(struct decoder *d, uint32_t bits, emu_at *out);
bool dec_predicate(struct decoder *d, emu_at *out, bool *negated); // source
bool dec_address(struct decoder *d, enum ptx_space space);         // [a + imm] into out->a, ->imm
// The same of an operand in hand. bits of a register: 1, then 16, 32, 64, 128.
bool dec_source_of(struct decoder *d, const struct ptx_operand *o, enum ptx_type type, emu_at *out);
bool dec_dest_of(struct decoder *d, const struct ptx_operand *o, uint32_t bits, emu_at *out);
bool dec_address_of(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
                    emu_at *base, int64_t *offset);
// One of several addresses of an instruction, with its own width; emu_place_at() reads it.
bool dec_place(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
               struct emu_place *out);
emu_at dec_register(struct decoder *d, int32_t reg);
uint32_t dec_bits(const struct decoder *d, const struct ptx_operand *o); // 0: no register
bool dec_list(struct decoder *d, const struct ptx_operand *o, enum ptx_type type, bool dest);
emu_at dec_const(struct decoder *d, uint64_t value, uint32_t bytes);
bool dec_immediate(struct decoder *d, int64_t *out);
bool dec_aligned(struct decoder *d); // .sync.aligned; false with an error without them
bool dec_groups(struct decoder *d);  // how many may be under way: a constant, to out->imm
void *dec_alloc(struct decoder *d, size_t bytes);
enum ptx_space dec_space(struct decoder *d); // .global, .shared::cta, … or generic

// The table's decoders.
#define INSTRUCTION(name, decoder, targets) dec_instruction decode_##decoder;
#include "emulate/instructions.def"

#endif
