// Tokens of PTX text, and what the parts of the parser share.
#ifndef TMAP_EMULATE_LEX_H
#define TMAP_EMULATE_LEX_H

#include "emulate/parse/ptx.h"

enum lex_kind { LEX_END, LEX_WORD, LEX_INT, LEX_F32, LEX_F64, LEX_STRING, LEX_MARK };

// A token: a word (an opcode with its qualifiers, a directive with its dot, a name), a number, or
// one mark of punctuation.
struct lex_token {
    enum lex_kind kind;
    const char *at;
    uint32_t length, line;
    uint64_t value; // numbers; the character of a mark
};

// What a name of the text stands for, innermost scope first.
enum symbol_kind { SYMBOL_REG, SYMBOL_RANGE, SYMBOL_VAR };
struct symbol {
    struct symbol *older;  // of the same bucket
    struct symbol *before; // of all
    const char *name;
    uint32_t length, depth;
    enum symbol_kind kind;
    int32_t reg;
    uint32_t count;
    struct ptx_var *var;
};

enum { SYMBOL_BUCKETS = 4096, MAX_NESTING = 64, MAX_VECTOR = 1 << 10 };

struct parser {
    const char *p, *end;
    uint32_t line;
    struct lex_token token; // the one that is looked at
    struct ptx_module *module;
    struct tmap_emulate_error *error;
    enum tmap_status status;
    struct symbol *bucket[SYMBOL_BUCKETS], *newest;
    uint32_t depth; // of braces
    // the function being read
    struct ptx_function *f;
    uint32_t open[MAX_NESTING]; // scopes
    uint32_t file, source_line;
    uint32_t nesting; // of operands
};

void lex_next(struct parser *p);
bool lex_is(const struct parser *p, char mark);
bool lex_word(const struct parser *p, const char *word);
bool lex_take(struct parser *p, char mark); // and goes on, when it is there
bool lex_expect(struct parser *p, char mark);
const char *lex_copy(struct parser *p); // the token's text, in the arena; NULL on failure

// Always false; the first message stays.
bool parse_fail(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct symbol *symbol_find(struct parser *p, const char *name, uint32_t length);
struct symbol *symbol_add(struct parser *p, const char *name);
void symbol_leave(struct parser *p, uint32_t depth); // drops those that are deeper

bool parse_operand(struct parser *p, struct ptx_operand *out);
bool parse_number(struct parser *p, uint64_t most, uint64_t *out);
bool parse_body(struct parser *p);      // from '{' to its '}'
bool parse_registers(struct parser *p); // after .reg
// One variable after its space's directive, into *out; symbols are added.
bool parse_variable(struct parser *p, enum ptx_space space, bool is_extern, struct ptx_var **out);

#endif
