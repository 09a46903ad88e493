/* tensor.c : see tensor.h. The makers and their default types: torch's, numpy's (float64) and
 * JAX's (float32) documentation. */
#include "io/paste/tensor.h"

#include "core/layout.h"
#include "io/paste/dump_fields.h"
#include "io/paste/param.h"
#include "io/paste/source_args.h"

#include <ctype.h>
#include <string.h>

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

static void make_dense(struct io_tensor *t)
{
    int64_t stride = 1;
    bool unknown = false;

    t->stride_unknown = 0;
    for (int i = t->rank - 1; i >= 0; i--) {
        t->stride[i] = stride;
        if (unknown) t->stride_unknown |= 1u << i;
        unknown |= t->unknown >> i & 1 || __builtin_mul_overflow(stride, t->dim[i], &stride);
    }
}

/* Whether its elements are known to lie one behind the other. */
static bool is_dense(const struct io_tensor *t)
{
    struct io_tensor dense = *t;

    make_dense(&dense);
    return (t->stride_unknown | dense.stride_unknown) == 0 &&
           memcmp(t->stride, dense.stride, sizeof t->stride) == 0;
}

/* What copies a tensor that is not dense: what comes out has an allocation of its own. */
static void make_contiguous(struct io_tensor *t)
{
    if (!is_dense(t)) t->offset = 0;
    make_dense(t);
}

/* The dimension order[i] becomes the i-th. */
static void reorder(struct io_tensor *t, const int order[TMAP_MAX_RANK])
{
    const struct io_tensor from = *t;

    t->unknown = t->stride_unknown = 0;
    for (int i = 0; i < t->rank; i++) {
        t->dim[i] = from.dim[order[i]];
        t->stride[i] = from.stride[order[i]];
        t->unknown |= (from.unknown >> order[i] & 1) << i;
        t->stride_unknown |= (from.stride_unknown >> order[i] & 1) << i;
    }
}

/* clone() keeps the dimensions' order in memory, and leaves out what lay between their elements. */
static void make_clone(struct io_tensor *t)
{
    int order[TMAP_MAX_RANK] = {0, 1, 2, 3, 4}, place[TMAP_MAX_RANK] = {0};
    struct io_tensor dense = *t;
    bool same = true;

    t->offset = dense.offset = 0;
    if (t->unknown | t->stride_unknown) {
        make_dense(&dense);
        same = dense.stride_unknown == t->stride_unknown &&
               memcmp(dense.stride, t->stride, sizeof t->stride) == 0;
        if (!same) t->stride_unknown = (1u << t->rank) - 1;
        return;
    }
    for (int i = 1; i < t->rank; i++)
        for (int k = i; k > 0 && t->stride[order[k]] > t->stride[order[k - 1]]; k--) {
            const int was = order[k];
            order[k] = order[k - 1], order[k - 1] = was;
        }
    for (int i = 0; i < t->rank; i++) place[order[i]] = i;
    reorder(&dense, order);
    make_dense(&dense);
    reorder(&dense, place);
    for (int i = 0; i < t->rank; i++) same &= t->dim[i] == 1 || t->stride[i] == dense.stride[i];
    if (!same) *t = dense;
}

/* "memory_format=torch.channels_last", "order='F'": another order in memory than the usual one,
 * whose strides are not known. */
static void take_order(const struct io_source_args *a, struct io_tensor *t)
{
    static const char *const names[] = {"memory_format", "order"};
    static const char *const usual[] = {"contiguous_format", "preserve_format", "C"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const int arg = io_source_arg(a, names[i], -1);
        bool other = arg >= 0;
        for (size_t k = 0; other && k < sizeof usual / sizeof usual[0]; k++)
            other = !io_dump_word(a->at[arg], a->end[arg], usual[k]);
        if (other) t->stride_unknown = (1u << t->rank) - 1;
    }
}

/* "float16" may be a string. */
static void take_dtype(struct io_source *s, const char *at, const char *end, struct io_tensor *t)
{
    int64_t value;

    if (at < end && (*at == '"' || *at == '\'')) at++, end -= end[-1] == '"' || end[-1] == '\'';
    t->dtype = io_source_value(s, at, end, VALUES_DTYPE, &value) ? (int32_t)value : -1;
}

/* "(M, K)" or "M, K" from the argument `first` on. */
static bool take_shape(struct io_source *s, const struct io_source_args *a, int first,
                       struct io_tensor *t)
{
    if (first < 0 || first >= a->count) return false;
    if (io_source_list(s, a->at[first], a->end[first], t->dim, TMAP_MAX_RANK, &t->rank,
                       &t->unknown))
        return t->rank >= 1 && t->rank <= TMAP_MAX_RANK;
    for (t->rank = 0, t->unknown = 0; first < a->count && !a->name[first][0]; first++, t->rank++) {
        if (t->rank == TMAP_MAX_RANK) return false;
        t->dim[t->rank] = 0;
        if (!io_source_value(s, a->at[first], a->end[first], VALUES_NUMBER, &t->dim[t->rank]))
            t->unknown |= 1u << t->rank;
    }
    return t->rank > 0;
}

/* The argument that is the shape: "size" or "shape" by name, or the first. */
static int shape_arg(const struct io_source_args *a)
{
    const int size = io_source_arg(a, "size", -1), shape = io_source_arg(a, "shape", -1);
    return size >= 0 ? size : shape >= 0 ? shape : io_source_arg(a, "", 0);
}

/* Strides in elements, one a dimension. */
static bool take_stride(struct io_source *s, const struct io_source_args *a, int arg,
                        struct io_tensor *t)
{
    int count;
    return arg < a->count &&
           io_source_list(s, a->at[arg], a->end[arg], t->stride, TMAP_MAX_RANK, &count,
                          &t->stride_unknown) &&
           count == t->rank;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0) return true;
    return false;
}

/* arange(n), arange(from, to): integers unless a type is said. */
static bool take_range(struct io_source *s, const struct io_source_args *a, struct io_tensor *t)
{
    int64_t from = 0, to;
    const bool two = a->count > 1 && !a->name[1][0];

    if (a->count == 0 || !io_source_value(s, a->at[0], a->end[0], VALUES_NUMBER, two ? &from : &to))
        return false;
    if (two && !io_source_value(s, a->at[1], a->end[1], VALUES_NUMBER, &to)) return false;
    *t = (struct io_tensor){.rank = 1, .dim = {to - from}, .stride = {1}, .dtype = TMAP_INT64};
    return to >= from && !(a->count > 2 && !a->name[2][0]);
}

/* What the function makes; head: the module that it is of. */
static bool make(struct io_source *s, const char *head, const char *maker,
                 const struct io_source_args *a, struct io_tensor *t)
{
    static const char *const plain[] = {"zeros", "ones", "empty", "rand", "randn", "random", NULL};
    static const char *const pass[] = {"from_any_interface",
                                       "from_dlpack",
                                       "from_numpy",
                                       "StridedMemoryView",
                                       "asarray",
                                       "array",
                                       NULL};
    static const char *const doubles[] = {"np", "numpy", "cp", "cupy", NULL};
    const size_t length = strlen(maker);
    const bool like = length > 5 && strcmp(maker + length - 5, "_like") == 0;
    const int dtype = io_source_arg(a, "dtype", -1);

    *t = (struct io_tensor){.dtype = is_one_of(head, doubles) ? TMAP_FLOAT64 : TMAP_FLOAT32};
    if (strcmp(maker, "allocate") == 0)
        return t->dtype = -1,
               a->count > 0 && io_source_value(s, a->at[0], a->end[0], VALUES_NUMBER, &t->bytes);
    if (strcmp(maker, "tensor") == 0 || strcmp(maker, "Tensor") == 0) {
        t->dtype = -1; /* its values say its shape, if they are all there */
    } else if (is_one_of(maker, pass) || like) {
        if (a->count == 0 || !io_tensor_of(s, a->at[0], a->end[0], t)) return false;
        if (like) make_clone(t);
    } else if (is_one_of(maker, plain) || strcmp(maker, "empty_strided") == 0 ||
               strcmp(maker, "full") == 0) {
        if (!take_shape(s, a, shape_arg(a), t)) return false;
        if (strcmp(maker, "full") == 0 && dtype < 0) t->dtype = -1;
        make_dense(t);
    } else if (strcmp(maker, "make_fake_tensor") == 0) { /* CUTLASS's (type, shape, stride) */
        if (a->count < 3 || !take_shape(s, a, 1, t) || !take_stride(s, a, 2, t)) return false;
        take_dtype(s, a->at[0], a->end[0], t);
    } else if (strcmp(maker, "arange") == 0) {
        if (!take_range(s, a, t)) return false;
    } else if (strcmp(maker, "randint") == 0) {
        int list = io_source_arg(a, "size", 0);
        while (list < a->count && *a->at[list] != '(' && *a->at[list] != '[') list++;
        if (!take_shape(s, a, list, t)) return false;
        t->dtype = TMAP_INT64;
        make_dense(t);
    } else {
        return false;
    }
    if (strcmp(maker, "empty_strided") == 0 && !take_stride(s, a, 1, t)) return false;
    if (dtype >= 0) take_dtype(s, a->at[dtype], a->end[dtype], t);
    take_order(a, t);
    return true;
}

static void swap(struct io_tensor *t, int i, int j)
{
    int order[TMAP_MAX_RANK] = {0, 1, 2, 3, 4};
    order[i] = j, order[j] = i;
    reorder(t, order);
}

/* "T" reverses all dimensions, "mT" the last two, "t()" is of a matrix. */
static bool turn(const char *method, struct io_tensor *t)
{
    if (t->rank < 2 || (t->rank > 2 && strcmp(method, "t") == 0)) return false;
    if (strcmp(method, "T") != 0) return swap(t, t->rank - 2, t->rank - 1), true;
    for (int i = 0; 2 * i + 1 < t->rank; i++) swap(t, i, t->rank - 1 - i);
    return true;
}

static bool number(struct io_source *s, const char *at, const char *end, int64_t *out)
{
    return io_source_value(s, at, end, VALUES_NUMBER, out);
}

static void remove_dimension(struct io_tensor *t, int d)
{
    const unsigned low = (1u << d) - 1;

    for (int i = d; i + 1 < t->rank; i++) {
        t->dim[i] = t->dim[i + 1];
        t->stride[i] = t->stride[i + 1];
    }
    t->rank--;
    t->dim[t->rank] = t->stride[t->rank] = 0;
    t->unknown = (t->unknown & low) | (t->unknown >> 1 & ~low);
    t->stride_unknown = (t->stride_unknown & low) | (t->stride_unknown >> 1 & ~low);
}

/* "from:to" of dimension d, either left out or negative; without a step. */
static bool cut(struct io_source *s, const char *at, const char *colon, const char *end,
                struct io_tensor *t, int d)
{
    const unsigned bit = 1u << d;
    const int64_t all = t->dim[d];
    int64_t from = 0, to = all;
    const char *first = skip_space(at, colon), *last = skip_space(colon + 1, end);

    if (memchr(last, ':', (size_t)(end - last))) return false;
    const bool known_from = first == colon || number(s, first, colon, &from);
    const bool known_to = last == end ? !(t->unknown & bit) : number(s, last, end, &to);
    if (t->unknown & bit && (from < 0 || to < 0)) return false;
    if (from < 0) from = from + all < 0 ? 0 : from + all;
    if (to < 0) to = to + all < 0 ? 0 : to + all;
    if (!(t->unknown & bit) && to > all) to = all;
    if (known_from && !(t->stride_unknown & bit)) t->offset += from * t->stride[d];
    t->unknown = known_from && known_to ? t->unknown & ~bit : t->unknown | bit;
    t->dim[d] = t->unknown & bit || to < from ? 0 : to - from;
    return true;
}

/* "[:, 8:64]", "[0]", "[..., :n]" behind a tensor, from its bracket on. */
static bool slice(struct io_source *s, const char **at, const char *end, struct io_tensor *t)
{
    const char *p = *at + 1;

    for (int d = 0;; p++) {
        const char *stop = io_source_piece(p, end);
        int64_t index;
        p = skip_space(p, stop);
        const char *colon = p < stop ? memchr(p, ':', (size_t)(stop - p)) : NULL;
        if (stop == end) return false;
        if (stop - p >= 3 && memcmp(p, "...", 3) == 0) {
            int left = 0;
            for (const char *q = stop; q < end && *q == ','; q = io_source_piece(q + 1, end))
                left++;
            d = t->rank - left;
        } else if (d < 0 || d >= t->rank) {
            return false;
        } else if (colon) {
            if (!cut(s, p, colon, stop, t, d++)) return false;
        } else if (p < stop) {
            const bool known = number(s, p, stop, &index) && index >= 0;
            if (known && !(t->stride_unknown & 1u << d)) t->offset += index * t->stride[d];
            remove_dimension(t, d);
        }
        p = stop;
        if (*stop == ']') return *at = stop + 1, t->rank > 0;
        if (*stop != ',') return false;
    }
}

/* transpose(i, j): negative ones count from the end. */
static bool transpose(struct io_source *s, const struct io_source_args *a, struct io_tensor *t)
{
    int64_t i, j;
    if (a->count != 2 || !number(s, a->at[0], a->end[0], &i) || !number(s, a->at[1], a->end[1], &j))
        return false;
    i += i < 0 ? t->rank : 0, j += j < 0 ? t->rank : 0;
    if (i < 0 || j < 0 || i >= t->rank || j >= t->rank) return false;
    return swap(t, (int)i, (int)j), true;
}

/* permute(2, 0, 1) or of a list */
static bool permute(struct io_source *s, const struct io_source_args *a, struct io_tensor *t)
{
    struct io_tensor said = {.rank = 0};
    int order[TMAP_MAX_RANK];
    unsigned seen = 0;

    if (!take_shape(s, a, 0, &said) || said.rank != t->rank || said.unknown) return false;
    for (int i = 0; i < t->rank; i++) {
        const int64_t d = said.dim[i] + (said.dim[i] < 0 ? t->rank : 0);
        if (d < 0 || d >= t->rank || seen >> d & 1) return false;
        seen |= 1u << d;
        order[i] = (int)d;
    }
    return reorder(t, order), true;
}

/* The product of the sizes that are not -1; -1 where one has no value, or it is too large. */
static int64_t elements(const struct io_tensor *t)
{
    int64_t n = 1;
    for (int i = 0; i < t->rank; i++)
        if (t->unknown >> i & 1 || (t->dim[i] != -1 && __builtin_mul_overflow(n, t->dim[i], &n)))
            return -1;
    return n;
}

/* The strides of a view of other sizes, as many elements: PyTorch's rule, by which sizes that lie
 * one behind the other are divided anew together. False where no strides do it. */
static bool stride_view(const struct io_tensor *from, struct io_tensor *to)
{
    int next = to->rank - 1;
    int64_t count = 1, placed = 1, step = from->stride[from->rank - 1], after;

    for (int i = from->rank - 1; i >= 0; i--) {
        count *= from->dim[i];
        if (i > 0 && (from->dim[i - 1] == 1 || (!__builtin_mul_overflow(count, step, &after) &&
                                                from->stride[i - 1] == after)))
            continue;
        for (; next >= 0 && (placed < count || to->dim[next] == 1); next--) {
            to->stride[next] = placed * step;
            placed *= to->dim[next];
        }
        if (placed != count) return false;
        if (i > 0) step = from->stride[i - 1], count = placed = 1;
    }
    return next < 0;
}

/* view(-1, 64): one size may be -1, what the others leave. reshape() copies where there is no view.
 */
static bool reshape(struct io_source *s, const struct io_source_args *a, bool copies,
                    struct io_tensor *t)
{
    const int64_t all = elements(t);
    struct io_tensor to = *t;
    int open = -1;

    if (!take_shape(s, a, shape_arg(a), &to)) return false;
    const int64_t rest = elements(&to);
    for (int i = 0; i < to.rank; i++) {
        if (to.unknown >> i & 1 || to.dim[i] >= 0) continue;
        if (to.dim[i] != -1 || open >= 0) return false;
        open = i;
    }
    if (open >= 0 && (all < 0 || rest < 0))
        to.unknown |= 1u << open, to.dim[open] = 0;
    else if (open >= 0 && (rest == 0 || all % rest != 0))
        return false;
    else if (open >= 0)
        to.dim[open] = all / rest;
    if ((t->unknown | t->stride_unknown | to.unknown) == 0 && all > 0) {
        if (elements(&to) != all) return false;
        to.stride_unknown = 0;
        if (stride_view(t, &to)) return *t = to, true;
        if (!copies) return false;
    }
    if (!is_dense(t)) to.offset = 0;
    *t = to;
    return make_dense(t), true;
}

/* A conversion: a copy, but where the type is what it was. */
static void convert(struct io_tensor *t, int32_t dtype)
{
    const bool copies = t->dtype != -1 && dtype != -1 && t->dtype != dtype;

    t->dtype = dtype;
    if (copies) make_clone(t);
}

/* One method or attribute of a tensor: true where it is one that is known. */
static bool apply(struct io_source *s, const char *method, const struct io_source_args *a,
                  struct io_tensor *t)
{
    static const char *const nothing[] = {"cuda",           "detach",  "cpu",      "data",
                                          "requires_grad_", "normal_", "uniform_", NULL};
    static const char *const turns[] = {"T", "t", "mT", NULL};
    static const struct {
        const char *name;
        enum tmap_dtype dtype;
    } types[] = {{"half", TMAP_FLOAT16}, {"float", TMAP_FLOAT32}, {"bfloat16", TMAP_BFLOAT16}};

    if (is_one_of(method, nothing)) return true;
    if (strcmp(method, "contiguous") == 0) return make_contiguous(t), take_order(a, t), true;
    if (strcmp(method, "clone") == 0) return make_clone(t), take_order(a, t), true;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(method, types[i].name) == 0) return convert(t, (int32_t)types[i].dtype), true;
    if (strcmp(method, "to") == 0 || strcmp(method, "astype") == 0) {
        struct io_tensor to = *t;
        for (int i = 0; i < a->count; i++)
            if (strstr(a->name[i], "dtype") ||
                (!a->name[i][0] && *a->at[i] != '"' && *a->at[i] != '\'' &&
                 !io_dump_word(a->at[i], a->end[i], "device")))
                take_dtype(s, a->at[i], a->end[i], &to);
        return convert(t, to.dtype), take_order(a, t), true;
    }
    if (strncmp(method, "new_", 4) == 0) { /* of its type */
        const int dtype = io_source_arg(a, "dtype", -1);
        if (!take_shape(s, a, shape_arg(a), t)) return false;
        if (dtype >= 0) take_dtype(s, a->at[dtype], a->end[dtype], t);
        t->offset = 0;
        return make_dense(t), true;
    }
    if (strcmp(method, "view") == 0 || strcmp(method, "reshape") == 0)
        return reshape(s, a, strcmp(method, "reshape") == 0, t);
    if (strcmp(method, "transpose") == 0 || strcmp(method, "swapaxes") == 0)
        return transpose(s, a, t);
    if (strcmp(method, "permute") == 0) return permute(s, a, t);
    return is_one_of(method, turns) && turn(method, t);
}

/* A parameter: all that calls give for it must be one and the same tensor. */
static bool parameter(struct io_source *s, const char *name, struct io_tensor *out)
{
    const char *use = s->use, *at = NULL, *from, *to;
    struct io_tensor t;
    bool found = false, one = true;

    while (one && io_param_given(s, name, &at, &from, &to)) {
        s->use = from;
        one = io_tensor_of(s, from, to, &t) && (!found || memcmp(&t, out, sizeof t) == 0);
        s->use = use;
        if (one) *out = t;
        found = true;
    }
    return found && one;
}

/* A variable: all that it is set to must be one and the same tensor. */
static bool variable(struct io_source *s, const char *name, struct io_tensor *out)
{
    const char *at = s->text, *from, *to;
    struct io_tensor t;
    bool found = false;

    if (io_source_changes(s, name, false)) return io_source_miss(s, name), false;
    while (s->looks-- > 0 && io_source_setting(s, name, -1, &at, &from, &to)) {
        from = skip_space(from, to);
        if (!io_tensor_of(s, from, to, &t) || (found && memcmp(&t, out, sizeof t) != 0))
            return false;
        *out = t;
        found = true;
    }
    return found || parameter(s, name, out);
}

/* What is computed of a tensor is a new one; of integers perhaps of another type. */
static void compute(struct io_tensor *t)
{
    make_clone(t);
    if (t->dtype >= TMAP_UINT8 && t->dtype <= TMAP_INT64) t->dtype = -1;
}

/* Nothing, or "* 3.0": a number, which leaves a tensor's shape. */
static bool ends_plainly(const char *at, const char *end)
{
    if (at == end) return true;
    if (++at == end) return false; /* behind the operator */
    at = skip_space(at, end);
    if (at == end || !isdigit((unsigned char)*at)) return false;
    while (at < end && (isdigit((unsigned char)*at) || strchr(".e-", *at))) at++;
    return skip_space(at, end) == end;
}

bool io_tensor_of(struct io_source *s, const char *at, const char *end, struct io_tensor *out)
{
    char head[IO_SOURCE_NAME] = "", name[IO_SOURCE_NAME];
    struct io_source_args args = {.count = 0};
    const int looks = s->looks;
    bool made = false;

    at = skip_space(at, end);
    memset(out, 0, sizeof *out);
    while (at < end) {
        const char *word = at;
        if (!io_source_word(&at, end, name)) return false;
        const bool calls = at < end && *at == '(';
        if (calls && !io_source_args(s, at + 1, end, NULL, &args, &at)) return false;
        if (!made && calls)
            made = make(s, head, name, &args, out);
        else if (made && !apply(s, name, &args, out))
            return false;
        else if (!made && word > s->text && !head[0] && s->looks-- > 0 && variable(s, name, out))
            made = true;
        strcpy(head, name);
        args.count = 0;
        while (made && at < end && *at == '[' && out->rank > 0)
            if (!slice(s, &at, end, out)) return false;
        at = skip_space(at, end);
        if (at == end || (*at != '.' && (!made || strchr("*/+-", *at)))) break;
        if (*at++ != '.' || at == end) return false;
    }
    at = skip_space(at, end);
    if (made && at < end) compute(out);
    return made && ends_plainly(at, end) && !io_source_is_spent(s, looks);
}

bool io_tensor_attribute(struct io_source *s, const char *name, const char *attribute, int index,
                         int64_t *out)
{
    const bool stride = strncmp(attribute, "stride", 6) == 0;
    struct io_tensor t;

    if (!variable(s, name, &t)) return false;
    if (strcmp(attribute, "itemsize") == 0)
        return t.dtype >= 0 && (*out = (int64_t)layout_gmem_bits(t.dtype) / 8) > 0;
    if (!stride && strcmp(attribute, "shape") != 0 && strcmp(attribute, "size") != 0) return false;
    if (index < 0) index += t.rank;
    if (index < 0 || index >= t.rank) return false;
    if ((stride ? t.stride_unknown : t.unknown) & 1u << index) return false;
    *out = stride ? t.stride[index] : t.dim[index];
    return true;
}
