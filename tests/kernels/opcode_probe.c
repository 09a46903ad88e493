/* opcode_probe.c : opcode.def against the assembler.
 *
 *   opcode_probe emit sm_90a           PTX on stdout: one kernel a row that the architecture has
 *   opcode_probe judge sm_90a CUBIN    what the assembler made of it: TAP without a plan
 *   opcode_probe names FILE            "kernel name count" of every named opcode
 *   opcode_probe cubin FATBIN          the first cubin of a fatbin on stdout, for a disassembler
 *
 * A row is right when its own kernel holds its number, and the empty kernel beside them does not. A
 * number of the copy engine or of the tensor core must also be in no kernel of another number. */
#include "kernels/runtime/cubin.h"
#include "tmap/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNELS 128
#define FILE_BYTES (16 << 20)

static uint8_t bytes[FILE_BYTES];
static size_t size;
static struct tmap_code_kernel kernels[KERNELS];

enum { SM90A = 1, SM100A = 2, SM103A = 4, SM120A = 8, SM121A = 16, ANY = 31, NONE = 0 };

static const struct row {
    uint32_t number;
    const char *name;
    unsigned arches;
    const char *ptx;
} rows[] = {
#define OPCODE(number, name, arches, ptx) {number, name, arches, ptx},
#include "kernels/runtime/opcode.def"
};
#define ROWS (sizeof rows / sizeof rows[0])

static unsigned arch_bit(const char *arch)
{
    static const char *const names[] = {"sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_121a"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(arch, names[i]) == 0) return 1u << i;
    return 0;
}

/* Every kernel has the same operands; what it does not use, the assembler drops. */
static void emit_kernel(const char *name, const char *body)
{
    printf(".visible .entry %s(.param .u64 pm, .param .u64 pg, .param .u32 px, .param .u32 py,\n"
           "    .param .u64 pd) .maxntid 128 .minnctapersm 1\n{\n"
           ".shared .align 1024 .b8 buffer[2048];\n.local .align 16 .b8 array[256];\n"
           ".reg .b64 m, g, d0, d1;\n.reg .b32 x, y, s, l;\n.reg .b32 r<8>;\n.reg .f32 f<4>;\n"
           ".reg .b16 h;\n.reg .pred p;\n"
           "ld.param.u64 m, [pm]; ld.param.u64 g, [pg]; ld.param.u64 d0, [pd];\n"
           "ld.param.u32 x, [px]; ld.param.u32 y, [py];\n"
           "mov.u32 s, buffer; mov.u32 l, array; add.u32 l, l, x; add.u64 d1, d0, g;\n"
           "setp.ne.u32 p, y, 0;\n",
           name);
    for (int i = 0; i < 8; i++) printf("add.u32 r%d, x, %d;\n", i, i);
    for (int i = 0; i < 4; i++) printf("mov.b32 f%d, r%d;\n", i, i);
    printf("%s\nret;\n}\n", body);
}

static int emit(const char *arch)
{
    char name[32];
    printf(".version 8.8\n.target %s\n.address_size 64\n", arch);
    emit_kernel("op_none", "");
    for (size_t i = 0; i < ROWS; i++) {
        if (!(rows[i].arches & arch_bit(arch))) continue;
        snprintf(name, sizeof name, "op_%03x", rows[i].number);
        emit_kernel(name, rows[i].ptx);
    }
    return 0;
}

static const struct tmap_code_kernel *named(const struct tmap_code_kernel *k, size_t n,
                                            const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(k[i].name, name) == 0) return &k[i];
    return NULL;
}

/* Numbers that only their own PTX may bring about. */
static bool exclusive(const struct row *row)
{
    static const char *const heads[] = {"UTM",  "UBL",  "UTC",  "HGMMA",  "IGMMA", "QGMMA", "HMMA",
                                        "LDTM", "LDSM", "STSM", "LDGSTS", "STL",   "LDL"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(row->name, heads[i], strlen(heads[i])) == 0) return true;
    return false;
}

/* How many kernels of other rows hold the number, but those of the same PTX. */
static size_t strays(const struct row *row, const struct tmap_code_kernel *k, size_t n)
{
    size_t count = 0;
    char name[32];
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].number == row->number || strcmp(rows[i].ptx, row->ptx) == 0) continue;
        snprintf(name, sizeof name, "op_%03x", rows[i].number);
        const struct tmap_code_kernel *other = named(k, n, name);
        count += other && other->count[row->number] > 0;
    }
    return count;
}

static bool row_holds(const struct row *row, const struct tmap_code_kernel *k, size_t n)
{
    char name[32];
    snprintf(name, sizeof name, "op_%03x", row->number);
    const struct tmap_code_kernel *own = named(k, n, name), *none = named(k, n, "op_none");
    const bool ends = strcmp(row->name, "EXIT") == 0;
    return own && none && own->count[row->number] > 0 && (none->count[row->number] == 0 || ends) &&
           (!exclusive(row) || strays(row, k, n) == 0);
}

static bool read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) return false;
    size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    return true;
}

static bool scan_file(const char *path, size_t *n)
{
    return read_file(path) && tmap_code_scan(bytes, size, kernels, KERNELS, n, NULL) == TMAP_OK &&
           *n <= KERNELS;
}

static int judge(const char *arch, const char *path)
{
    size_t n = 0;
    if (!scan_file(path, &n)) return 2;
    for (size_t i = 0; i < ROWS; i++) {
        if (!(rows[i].arches & arch_bit(arch))) continue;
        printf("%s - %s: 0x%03x is %s\n", row_holds(&rows[i], kernels, n) ? "ok" : "not ok", arch,
               rows[i].number, rows[i].name);
    }
    return 0;
}

static int print_names(const struct tmap_code_kernel *k)
{
    for (size_t i = 0; i < ROWS; i++) {
        bool first = true;
        for (size_t j = 0; first && j < i; j++) first = strcmp(rows[j].name, rows[i].name) != 0;
        const uint32_t count = tmap_code_count(k, rows[i].name);
        if (first && count) printf("%s %s %u\n", k->name, rows[i].name, count);
    }
    return 0;
}

static int names(const char *path)
{
    size_t n = 0;
    if (!scan_file(path, &n)) return 2;
    for (size_t i = 0; i < n; i++) print_names(&kernels[i]);
    return 0;
}

static int extract(const char *path)
{
    struct cubin cubin;
    size_t at = 0;
    bool bad;
    if (!read_file(path) || !cubin_next(bytes, size, &at, &cubin, &bad)) return 2;
    return fwrite(cubin.data, 1, cubin.size, stdout) == cubin.size ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "emit") == 0 && arch_bit(argv[2])) return emit(argv[2]);
    if (argc == 4 && strcmp(argv[1], "judge") == 0 && arch_bit(argv[2]))
        return judge(argv[2], argv[3]);
    if (argc == 3 && strcmp(argv[1], "names") == 0) return names(argv[2]);
    if (argc == 3 && strcmp(argv[1], "cubin") == 0) return extract(argv[2]);
    fprintf(stderr, "opcode_probe emit ARCH | judge ARCH CUBIN | names FILE | cubin FATBIN\n");
    return 3;
}
