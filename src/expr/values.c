/* The names of the enumerations; the driver's own come from the table of the rules. */
#include "expr/values.h"
#include "tmap/tmap.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

struct name {
    const char *text;
    int32_t value;
};

static const struct name kinds[] = {
    {"tiled", TMAP_TILED}, {"im2col", TMAP_IM2COL}, {"im2col_wide", TMAP_IM2COL_WIDE}, {NULL, 0}};

#define DTYPE(id, json, value, since, smem, gmem, flt, ptx, elem, code, tf32) {json, value},
static const struct name dtypes[] = {
#include "rules/enums.def"
    {NULL, 0}};

/* The values again by the table's own ids, for the aliases. */
#define DTYPE(id, json, value, since, smem, gmem, flt, ptx, elem, code, tf32) VALUE_##id = value,
enum dtype_value {
#include "rules/enums.def"
};
#define ALIAS_DTYPE(text, id) {text, VALUE_##id},
static const struct name dtype_aliases[] = {
#include "rules/enums.def"
    {NULL, 0}};

#define INTERLEAVE(id, json, value, since, slice_bytes) {json, value},
static const struct name interleaves[] = {
#include "rules/enums.def"
    {NULL, 0}};

#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) {json, value},
static const struct name swizzles[] = {
#include "rules/enums.def"
    {NULL, 0}};

static const struct name promotions[] = {{"NONE", TMAP_L2_NONE},
                                         {"64B", TMAP_L2_64B},
                                         {"128B", TMAP_L2_128B},
                                         {"256B", TMAP_L2_256B},
                                         {NULL, 0}};
#define L2_PROMOTION(id, json, value, since, bytes) {json, value},
static const struct name promotion_aliases[] = {
#include "rules/enums.def"
    {NULL, 0}};

#define OOB_FILL(id, json, value, since) {json, value},
static const struct name fills[] = {
#include "rules/enums.def"
    {NULL, 0}};
static const struct name fill_aliases[] = {
    {"zero", TMAP_OOB_NONE}, {"NAN_REQUEST_ZERO_FMA", TMAP_OOB_NAN}, {NULL, 0}};

#define WIDE_MODE(id, json, value, since) {json, value},
static const struct name modes[] = {
#include "rules/enums.def"
    {NULL, 0}};

static const struct name ops[] = {{"load", TMAP_OP_LOAD},
                                  {"store", TMAP_OP_STORE},
                                  {"prefetch", TMAP_OP_PREFETCH},
                                  {"gather4", TMAP_OP_GATHER4},
                                  {"scatter4", TMAP_OP_SCATTER4},
                                  {"reduce_add", TMAP_OP_REDUCE_ADD},
                                  {"reduce_min", TMAP_OP_REDUCE_MIN},
                                  {"reduce_max", TMAP_OP_REDUCE_MAX},
                                  {"reduce_inc", TMAP_OP_REDUCE_INC},
                                  {"reduce_dec", TMAP_OP_REDUCE_DEC},
                                  {"reduce_and", TMAP_OP_REDUCE_AND},
                                  {"reduce_or", TMAP_OP_REDUCE_OR},
                                  {"reduce_xor", TMAP_OP_REDUCE_XOR},
                                  {"replace", TMAP_OP_REPLACE},
                                  {"replace_address", TMAP_OP_REPLACE_ADDRESS},
                                  {NULL, 0}};

static const struct name replace_fields[] = {{"global_address", TMAP_REPLACE_GLOBAL_ADDRESS},
                                             {"rank", TMAP_REPLACE_RANK},
                                             {"box_dim", TMAP_REPLACE_BOX_DIM},
                                             {"global_dim", TMAP_REPLACE_GLOBAL_DIM},
                                             {"global_stride", TMAP_REPLACE_GLOBAL_STRIDE},
                                             {"element_stride", TMAP_REPLACE_ELEMENT_STRIDE},
                                             {"elemtype", TMAP_REPLACE_ELEMTYPE},
                                             {"interleave_layout", TMAP_REPLACE_INTERLEAVE_LAYOUT},
                                             {"swizzle_mode", TMAP_REPLACE_SWIZZLE_MODE},
                                             {"swizzle_atomicity", TMAP_REPLACE_SWIZZLE_ATOMICITY},
                                             {"fill_mode", TMAP_REPLACE_FILL_MODE},
                                             {NULL, 0}};

static const struct name consumers[] = {{"none", TMAP_CONSUMER_NONE},
                                        {"ldmatrix", TMAP_CONSUMER_LDMATRIX},
                                        {"wgmma", TMAP_CONSUMER_WGMMA},
                                        {"tcgen05", TMAP_CONSUMER_TCGEN05},
                                        {NULL, 0}};
static const struct name majors[] = {{"k", TMAP_K_MAJOR}, {"mn", TMAP_MN_MAJOR}, {NULL, 0}};

/* prefix: of the same names in cuda.h. */
static const struct {
    const struct name *names, *aliases;
    const char *prefix;
} tables[VALUES_END] = {
    [VALUES_KIND] = {kinds, NULL, NULL},
    [VALUES_DTYPE] = {dtypes, dtype_aliases, "CU_TENSOR_MAP_DATA_TYPE_"},
    [VALUES_INTERLEAVE] = {interleaves, NULL, "CU_TENSOR_MAP_INTERLEAVE_"},
    [VALUES_SWIZZLE] = {swizzles, NULL, "CU_TENSOR_MAP_SWIZZLE_"},
    [VALUES_L2] = {promotions, promotion_aliases, "CU_TENSOR_MAP_L2_PROMOTION_"},
    [VALUES_OOB] = {fills, fill_aliases, "CU_TENSOR_MAP_FLOAT_OOB_FILL_"},
    [VALUES_MODE] = {modes, NULL, "CU_TENSOR_MAP_IM2COL_WIDE_MODE_"},
    [VALUES_OP] = {ops, NULL, NULL},
    [VALUES_FIELD] = {replace_fields, NULL, NULL},
    [VALUES_CONSUMER] = {consumers, NULL, NULL},
    [VALUES_MAJOR] = {majors, NULL, NULL}};

static bool find(const struct name *names, const char *text, int32_t *out)
{
    for (; names && names->text; names++)
        if (strcasecmp(names->text, text) == 0) {
            *out = names->value;
            return true;
        }
    return false;
}

/* The name without what other programs put before it: cuda.h's prefix, and a module's of a type, as
 * in torch.bfloat16. */
static const char *bare(enum values which, const char *name)
{
    const char *prefix = tables[which].prefix, *dot = strrchr(name, '.');

    if (prefix && strncasecmp(name, prefix, strlen(prefix)) == 0) return name + strlen(prefix);
    return which == VALUES_DTYPE && dot ? dot + 1 : name;
}

/* "128" for "128B": a width without its unit. CUDA's own values of these names are 0 to 6. */
static bool find_width(enum values which, const char *name, int32_t *out)
{
    const size_t n = strlen(name);
    char unit[8];

    if (n + 2 > sizeof unit || strspn(name, "0123456789") < n) return false;
    memcpy(unit, name, n);
    memcpy(unit + n, "B", 2);
    return find(tables[which].names, unit, out);
}

bool value_find(enum values which, const char *name, int32_t *out)
{
    name = bare(which, name);
    return find(tables[which].names, name, out) || find(tables[which].aliases, name, out) ||
           find_width(which, name, out);
}

const char *value_spelling(enum values which, size_t i)
{
    size_t n = 0;
    for (const struct name *x = tables[which].names; x && x->text; x++)
        if (n++ == i) return x->text;
    for (const struct name *x = tables[which].aliases; x && x->text; x++)
        if (n++ == i) return x->text;
    return NULL;
}

const char *value_name(enum values which, int64_t value)
{
    for (const struct name *n = tables[which].names; n && n->text; n++)
        if (n->value == value) return n->text;
    return NULL;
}

int value_count(enum values which)
{
    int n = 0;
    while (tables[which].names && tables[which].names[n].text) n++;
    return n;
}
