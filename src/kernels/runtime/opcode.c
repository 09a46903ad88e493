/* Counting the instructions of a cubin's kernels. */
#include "kernels/runtime/cubin.h"
#include "tmap/code.h"

#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 16
#define TEXT ".text."
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* Of opcode.def's numbers, those that the walk itself needs. */
enum {
    OP_LD = 0x180,
    OP_LDG = 0x181,
    OP_ST = 0x185,
    OP_STG = 0x186,
    OP_STS = 0x188,
    OP_STSM = 0x044,
    OP_MEMBAR = 0x192,
    OP_FENCE = 0x1c6,
    OP_UTMASTG = 0x1b5,
    OP_UTMAREDG = 0x1b6,
    OP_BPT = 0x15c,
    OP_BSSY = 0x145,
    OP_BRA = 0x147,
    OP_EXIT = 0x14d,
    OP_YIELD = 0x146,
    OP_WARPSYNC = 0x148,
    OP_FLOW_FIRST = 0x141, /* branches, calls, exits, and what else may go elsewhere */
    OP_FLOW_LAST = 0x15f
};

/* Attributes of .nv.info whose payload is a symbol and a number. */
enum { INFO_WITH_SIZE = 4, INFO_REGISTERS = 0x2f, INFO_FRAME = 0x11, INFO_STACK = 0x12 };

static const struct {
    uint32_t number;
    const char *name;
} opcodes[] = {
#define OPCODE(number, name, arches, ptx) {number, name},
#include "kernels/runtime/opcode.def"
};
#define OPCODES (sizeof opcodes / sizeof opcodes[0])

const char *tmap_code_name(uint32_t opcode)
{
    for (size_t i = 0; i < OPCODES; i++)
        if (opcodes[i].number == opcode) return opcodes[i].name;
    return NULL;
}

uint32_t tmap_code_count(const struct tmap_code_kernel *kernel, const char *name)
{
    uint32_t n = 0;
    for (size_t i = 0; i < OPCODES; i++)
        if (strcmp(opcodes[i].name, name) == 0) n += kernel->count[opcodes[i].number];
    return n;
}

static uint64_t fnv1a(uint64_t hash, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) hash = (hash ^ data[i]) * FNV_PRIME;
    return hash;
}

static uint32_t opcode_at(const uint8_t *word)
{
    return cubin_u16(word) & (TMAP_CODE_OPCODES - 1);
}

/* Bytes that one thread moves; bits 73 to 75 of the word, seen beside every suffix that nvdisasm
 * prints: U8 S8 U16 S16 (none) 64 128. */
static uint32_t width_at(const uint8_t *word)
{
    static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    return bytes[word[9] >> 1 & 7];
}

static bool leaves(uint32_t opcode)
{
    return opcode >= OP_FLOW_FIRST && opcode <= OP_FLOW_LAST && opcode != OP_BSSY &&
           opcode != OP_YIELD && opcode != OP_WARPSYNC;
}

/* A jump or an exit of every thread that comes here: what follows is reached from elsewhere alone.
 * Bits 12 to 15 are the guard's predicate, bits 87 to 90 a branch's own; 7 is true. */
static bool always_leaves(const uint8_t *word)
{
    const uint32_t opcode = opcode_at(word), own = word[10] >> 7 | (word[11] & 7) << 1;
    if (word[1] >> 4 != 7) return false;
    return opcode == OP_EXIT || (opcode == OP_BRA && own == 7);
}

/* Whether nothing but straight code lies between the word and a trap: then a store is a report. */
static bool trap_follows(const uint8_t *word, const uint8_t *end)
{
    for (; word < end; word += WORD_BYTES) {
        if (opcode_at(word) == OP_BPT) return true;
        if (leaves(opcode_at(word))) return false;
    }
    return false;
}

static void more(uint32_t *widest, uint32_t bytes)
{
    if (bytes > *widest) *widest = bytes;
}

/* Where the code stands after a thread's write to shared memory. PTX's proxy fence is a MEMBAR and
 * a FENCE; a FENCE alone is what the assembler puts before mbarrier.init. Of a piece of code that
 * is reached by jumps alone nothing is known: the storing warp's, which the assembler puts at a
 * kernel's end, follows other threads' writes only as the file has it. */
enum { FENCED = 0, ORDERED = 1, WRITTEN = 2 };

static int fence_state(int state, uint32_t opcode)
{
    if (opcode == OP_STS || opcode == OP_STSM) return WRITTEN;
    if (opcode == OP_MEMBAR && state == WRITTEN) return ORDERED;
    if (opcode == OP_FENCE && state == ORDERED) return FENCED;
    return state;
}

static void count_words(const uint8_t *code, size_t size, struct tmap_code_kernel *kernel)
{
    const uint8_t *end = code + size / WORD_BYTES * WORD_BYTES;
    int fence = FENCED;
    for (const uint8_t *word = code; word < end; word += WORD_BYTES) {
        const uint32_t opcode = opcode_at(word);
        kernel->count[opcode]++;
        fence = fence_state(fence, opcode);
        if (opcode == OP_UTMASTG || opcode == OP_UTMAREDG) kernel->unfenced += fence != FENCED;
        if (always_leaves(word)) fence = FENCED;
        if (opcode == OP_LD || opcode == OP_LDG) more(&kernel->widest_load, width_at(word));
        if ((opcode == OP_ST || opcode == OP_STG) && !trap_follows(word, end)) {
            kernel->stores++;
            more(&kernel->widest_store, width_at(word));
        }
    }
    kernel->instructions = (uint32_t)(size / WORD_BYTES);
    kernel->fnv1a64 = fnv1a(FNV_START, code, size);
}

/* .nv.info: a list of (format, attribute, size); the ones we ask for hold (symbol, number). */
static void read_info(const struct cubin *cubin, const struct cubin_section *info, uint32_t text,
                      struct tmap_code_kernel *kernel)
{
    size_t at = 0;
    while (info->size - at >= 4) {
        const uint8_t *item = info->data + at;
        const size_t bytes = item[0] == INFO_WITH_SIZE ? cubin_u16(item + 2) : 0;
        struct cubin_symbol symbol;
        at += 4;
        if (bytes > info->size - at) return;
        at += bytes;
        if (bytes < 8 || !cubin_symbol_at(cubin, cubin_u32(item + 4), &symbol)) continue;
        if (symbol.section != text) continue;
        if (item[1] == INFO_REGISTERS) more(&kernel->registers, cubin_u32(item + 8));
        if (item[1] == INFO_FRAME || item[1] == INFO_STACK)
            more(&kernel->stack_bytes, cubin_u32(item + 8));
    }
}

/* .nv.callgraph: pairs of symbols, caller and callee; a callee that is in no section is outside. */
static uint32_t count_outside(const struct cubin *cubin, const struct cubin_section *graph,
                              uint32_t text)
{
    uint32_t n = 0;
    for (size_t at = 0; graph->size - at >= 8; at += 8) {
        const uint32_t from = cubin_u32(graph->data + at), to = cubin_u32(graph->data + at + 4);
        struct cubin_symbol caller, callee;
        if (!cubin_symbol_at(cubin, from, &caller) || !cubin_symbol_at(cubin, to, &callee))
            continue;
        n += caller.section == text && callee.section == 0;
    }
    return n;
}

static void read_kernel(const struct cubin *cubin, uint32_t text, const struct cubin_section *code,
                        struct tmap_code_kernel *kernel)
{
    const char *name = code->name + strlen(TEXT);
    struct cubin_section s;
    memset(kernel, 0, sizeof *kernel);
    for (size_t i = 0; name[i] && i + 1 < sizeof kernel->name; i++) kernel->name[i] = name[i];
    kernel->arch = cubin->arch;
    count_words(code->data, code->size, kernel);
    for (uint32_t i = 0; i < cubin->sections; i++) {
        if (!cubin_section_at(cubin, i, &s)) continue;
        if (strcmp(s.name, ".nv.info") == 0) read_info(cubin, &s, text, kernel);
        if (strcmp(s.name, ".nv.callgraph") == 0) kernel->outside += count_outside(cubin, &s, text);
    }
}

static bool kernel_section(const struct cubin *cubin, uint32_t i, struct cubin_section *section)
{
    return cubin_section_at(cubin, i, section) && section->size > 0 &&
           strncmp(section->name, TEXT, strlen(TEXT)) == 0;
}

/* Counts the kernels of all cubins; with `out`, reads them too. */
static bool walk(const uint8_t *image, size_t size, struct tmap_code_kernel *out, size_t *found)
{
    struct cubin cubin;
    struct cubin_section section;
    size_t at = 0;
    bool bad;
    *found = 0;
    while (cubin_next(image, size, &at, &cubin, &bad))
        for (uint32_t i = 0; i < cubin.sections; i++)
            if (kernel_section(&cubin, i, &section)) {
                if (out) read_kernel(&cubin, i, &section, &out[*found]);
                ++*found;
            }
    return !bad;
}

static int by_arch_and_name(const void *a, const void *b)
{
    const struct tmap_code_kernel *x = a, *y = b;
    if (x->arch != y->arch) return x->arch < y->arch ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* "Build cuda_13.0.r13.0/compiler.36424714_0" stands among the texts of the assembler's note. */
static void read_compiler(const uint8_t *image, size_t size, char *text)
{
    struct cubin cubin;
    struct cubin_section note;
    size_t at = 0;
    bool bad;
    text[0] = 0;
    if (!cubin_next(image, size, &at, &cubin, &bad) ||
        !cubin_find(&cubin, ".note.nv.tkinfo", &note))
        return;
    for (size_t i = 0; i + 6 < note.size; i++) {
        if (memcmp(note.data + i, "Build ", 6) != 0) continue;
        size_t n = 0;
        while (i + n < note.size && note.data[i + n] && n + 1 < TMAP_CODE_COMPILER) n++;
        memcpy(text, note.data + i, n);
        text[n] = 0;
        return;
    }
}

static void describe(const uint8_t *bytes, size_t size, const struct tmap_code_kernel *kernels,
                     size_t n, struct tmap_code_image *image)
{
    image->fnv1a64 = FNV_START;
    for (size_t i = 0; i < n; i++) {
        uint8_t hash[8];
        for (int j = 0; j < 8; j++) hash[j] = (uint8_t)(kernels[i].fnv1a64 >> (8 * j));
        image->fnv1a64 = fnv1a(image->fnv1a64, hash, sizeof hash);
    }
    read_compiler(bytes, size, image->compiler);
}

static enum tmap_status scan(const uint8_t *bytes, size_t size, struct tmap_code_kernel *kernels,
                             size_t cap, size_t *found, struct tmap_code_image *image)
{
    size_t n;
    if (!walk(bytes, size, NULL, &n)) return TMAP_E_ARGUMENT;
    if (cap || image) {
        struct tmap_code_kernel *all = malloc((n ? n : 1) * sizeof *all);
        if (!all) return TMAP_E_MEMORY;
        walk(bytes, size, all, &n);
        qsort(all, n, sizeof *all, by_arch_and_name);
        if (cap) memcpy(kernels, all, (n < cap ? n : cap) * sizeof *all);
        if (image) describe(bytes, size, all, n, image);
        free(all);
    }
    *found = n;
    return TMAP_OK;
}

enum tmap_status tmap_code_scan(const void *bytes, size_t size, struct tmap_code_kernel *kernels,
                                size_t cap, size_t *found, struct tmap_code_image *image)
{
    uint8_t *plain = NULL;
    size_t plain_size = size;
    if (!bytes || !found || (!kernels && cap)) return TMAP_E_ARGUMENT;
    enum tmap_status s = cubin_unpack(bytes, size, &plain, &plain_size);
    if (s == TMAP_OK) s = scan(plain ? plain : bytes, plain_size, kernels, cap, found, image);
    free(plain);
    return s;
}
