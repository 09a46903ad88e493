/* names.h : the enumerations' names, for Python, from the table of the rules (src/rules/enums.def).
 * An alias has the bits of no type: they are looked up by its value. */
struct libtmap_name {
    const char *text;
    int value;
    int smem_bits, gmem_bits; /* of one element; 0 where it has none */
};

#define DTYPE(id, json, value, since, smem, gmem, flt, ptx, elem, code, tf32) VALUE_##id = value,
enum dtype_value {
#include "rules/enums.def"
};

#define DTYPE(id, json, value, since, smem, gmem, flt, ptx, elem, code, tf32)                      \
    {json, value, smem, gmem},
#define ALIAS_DTYPE(text, id) {text, VALUE_##id, 0, 0},
static const struct libtmap_name libtmap_dtypes[] = {
#include "rules/enums.def"
    {NULL, 0, 0, 0}};

#define INTERLEAVE(id, json, value, since, slice_bytes) {json, value, 0, 0},
static const struct libtmap_name libtmap_interleaves[] = {
#include "rules/enums.def"
    {NULL, 0, 0, 0}};

#define SWIZZLE(id, json, value, since, span_bytes, atom_bytes) {json, value, 0, 0},
static const struct libtmap_name libtmap_swizzles[] = {
#include "rules/enums.def"
    {NULL, 0, 0, 0}};

#define L2_PROMOTION(id, json, value, since, bytes) {json, value, 0, 0},
static const struct libtmap_name libtmap_promotions[] = {
#include "rules/enums.def"
    {NULL, 0, 0, 0}};

#define OOB_FILL(id, json, value, since) {json, value, 0, 0},
static const struct libtmap_name libtmap_fills[] = {
#include "rules/enums.def"
    {NULL, 0, 0, 0}};

#define WIDE_MODE(id, json, value, since) {json, value, 0, 0},
static const struct libtmap_name libtmap_modes[] = {
#include "rules/enums.def"
    {NULL, 0, 0, 0}};
