/* Tensors of any rank as maps can say them: every index names the same byte, is in bounds with the
 * request's, and the tile keeps the order of its elements. */
#include "support/splitmix.h"

#include "tmap/solve.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#define BITS 16 /* bf16 */

static uint64_t below(uint64_t *s, uint64_t n)
{
    return splitmix(s) % n;
}

/* A dense tensor, now and then with a gap or a long stride, its dimensions in any order. */
static struct tmap_tensor draw(uint64_t *s)
{
    static const uint64_t sizes[] = {1, 1, 2, 3, 4, 8};
    struct tmap_tensor t = {.dtype = TMAP_BFLOAT16, .address = UINT64_C(1) << 40};
    uint64_t at = BITS;
    t.rank = 1 + (uint32_t)below(s, 9);
    for (uint32_t i = 0; i < t.rank; i++) {
        t.dim[i] = i ? sizes[below(s, 6)] : 64;
        t.box[i] = below(s, 2) ? 1 : (uint32_t)t.dim[i];
        if (i && below(s, 24) == 0) t.box[i] = (uint32_t)t.dim[i] + 1;
        t.stride_bits[i] = at;
        at *= t.dim[i];
        if (i && below(s, 4) == 0) at += 8 * BITS;
        if (i && below(s, 12) == 0) at = UINT64_C(1) << 44;
    }
    if (below(s, 3) == 0 && t.rank > 1) {
        const uint32_t a = (uint32_t)below(s, t.rank), b = (uint32_t)below(s, t.rank);
        const struct tmap_tensor was = t;
        t.dim[a] = was.dim[b], t.box[a] = was.box[b], t.stride_bits[a] = was.stride_bits[b];
        t.dim[b] = was.dim[a], t.box[b] = was.box[a], t.stride_bits[b] = was.stride_bits[a];
    }
    return t;
}

/* Element x of the tile at c: its byte, and its number in the tile, by the request. */
static uint64_t byte_of(const struct tmap_tensor *t, const uint64_t *c, const uint64_t *x, bool *in,
                        uint64_t *number)
{
    uint64_t bits = t->address * 8;
    *in = true;
    *number = 0;
    for (uint32_t i = t->rank; i-- > 0;) {
        bits += (c[i] + x[i]) * t->stride_bits[i];
        *in = *in && c[i] + x[i] < t->dim[i];
        *number = *number * t->box[i] + x[i];
    }
    return bits / 8;
}

/* The same by the map: index k of it is the sum of coef[k] times the request's. */
static uint64_t byte_by_map(const struct tmap_fold *f, const struct tmap_tensor *t,
                            const uint64_t *c, const uint64_t *x, bool *in, uint64_t *number)
{
    uint64_t address = f->desc.address;
    *in = true;
    *number = 0;
    for (uint32_t i = 0; i < t->rank; i++) address += f->map_coef[i] * (c[i] + x[i]);
    for (uint32_t k = f->desc.rank; k-- > 0;) {
        uint64_t first = 0, index = 0;
        for (uint32_t i = 0; i < t->rank; i++) {
            first += f->coef[k][i] * c[i];
            index += f->coef[k][i] * (c[i] + x[i]);
        }
        address += index * (k ? f->desc.stride_bytes[k - 1] : BITS / 8);
        *in = *in && index < f->desc.dim[k];
        assert_true(index - first < f->desc.box[k]);
        *number = *number * f->desc.box[k] + (index - first);
    }
    return address;
}

static bool next(const struct tmap_tensor *t, uint64_t *x)
{
    for (uint32_t i = 0; i < t->rank; i++) {
        if (++x[i] < t->box[i]) return true;
        x[i] = 0;
    }
    return false;
}

static void check(const struct tmap_tensor *t, const struct tmap_fold *f, uint64_t *s)
{
    uint64_t c[TMAP_TENSOR_RANK] = {0}, x[TMAP_TENSOR_RANK] = {0}, a, b, elements = 0;
    bool in, too;
    assert_true(f->desc.rank >= 1 && f->desc.rank <= TMAP_MAX_RANK);
    for (uint32_t k = 0; k + 1 < f->desc.rank; k++)
        assert_true(f->desc.dim[k + 1] == 1 || f->desc.stride_bytes[k] < UINT64_C(1) << 40);
    for (uint32_t i = 0; i < t->rank; i++)
        c[i] = below(s, (t->dim[i] + t->box[i] - 1) / t->box[i]) * t->box[i];
    do {
        const uint64_t byte = byte_of(t, c, x, &in, &a), mapped = byte_by_map(f, t, c, x, &too, &b);
        assert_int_equal(byte, mapped);
        assert_int_equal(in, too);
        if (!f->moved) assert_int_equal(a, b);
    } while (next(t, x) && ++elements < 3000);
}

static void test_any_rank(void **state)
{
    uint64_t s = 5;
    long folded = 0, maps = 0, none = 0, moved = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        const struct tmap_tensor t = draw(&s);
        struct tmap_fold f;
        const enum tmap_status status = tmap_fold_tensor(&t, &f);
        if (status == TMAP_E_NO_PLAN) {
            assert_true(f.reason[0]);
            none++;
            continue;
        }
        assert_int_equal(status, TMAP_OK);
        check(&t, &f, &s);
        folded += t.rank > TMAP_MAX_RANK;
        maps += f.maps > 1;
        moved += f.moved;
    }
    print_message("# %ld of more dimensions, %ld by several maps, %ld transposed, %ld refused\n",
                  folded, maps, moved, none);
    assert_true(folded > 1000 && maps > 500 && moved > 500 && none > 100);
}

/* No map takes every other element: who asks is told so. */
static void test_inner_stride(void **state)
{
    struct tmap_tensor t = {.dtype = TMAP_BFLOAT16,
                            .rank = 2,
                            .dim = {64, 64},
                            .box = {64, 64},
                            .stride_bits = {2 * BITS, 128 * BITS}};
    struct tmap_fold f;
    (void)state;
    assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_E_NO_PLAN);
    assert_non_null(strstr(f.reason, "side by side"));
    t.stride_bits[0] = 64 * BITS; /* a transposed one has neighbours along the other */
    t.stride_bits[1] = BITS;
    assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_OK);
    assert_true(f.moved);
    assert_int_equal(f.desc.stride_bytes[0], 128);
    assert_int_equal(f.coef[0][1], 1);
}

/* 4 TiB from one index to the next: four maps, each from a base of its own. */
static void test_long_stride(void **state)
{
    const struct tmap_tensor t = {.dtype = TMAP_BFLOAT16,
                                  .rank = 3,
                                  .dim = {4096, 4096, 4},
                                  .box = {64, 64, 1},
                                  .stride_bits = {BITS, 65536, UINT64_C(1) << 45}};
    struct tmap_fold f;
    (void)state;
    assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_OK);
    assert_int_equal(f.desc.rank, 2);
    assert_int_equal(f.maps, 4);
    assert_int_equal(f.map_coef[2], UINT64_C(1) << 42);
}

/* A tensor without elements, of any rank and strides, is an empty map: never the maps of its other
 * dimensions, nor a reason that is of those. */
static void test_empty(void **state)
{
    uint64_t s = 7;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        struct tmap_tensor t = draw(&s);
        const uint32_t empty = (uint32_t)below(&s, t.rank), other = (uint32_t)below(&s, t.rank);
        struct tmap_fold f;
        t.dim[empty] = t.stride_bits[other] = 0;
        assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_OK);
        assert_int_equal(f.desc.rank, 1);
        assert_int_equal(f.desc.dim[0], 0);
        assert_int_equal(f.coef[0][empty], 1);
        assert_int_equal(f.maps, 1);
        assert_string_equal(f.reason, "");
    }
}

/* Broadcast dimensions are merged as far as tiles and sizes can be said: here the tile's product
 * has 94 bits, and the last of them stays by itself. */
static void test_broadcast(void **state)
{
    const uint32_t many = UINT32_C(1) << 31;
    const struct tmap_tensor t = {.dtype = TMAP_BFLOAT16,
                                  .rank = 7,
                                  .dim = {64, many, many, 2, 2, 2, 2},
                                  .box = {64, many, many, UINT32_MAX, 2, 1, 2},
                                  .stride_bits = {BITS, 0, 0, 0, 2048, 8192, 32768}};
    struct tmap_fold f;
    (void)state;
    assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_OK);
    assert_int_equal(f.desc.rank, 5);
    assert_int_equal(f.maps, 2);
    assert_int_equal(f.map_coef[5], 1024);
    assert_int_equal(f.desc.dim[1], UINT64_C(1) << 62);
    assert_int_equal(f.coef[1][2], many);
    assert_int_equal(f.desc.dim[2], 2);
    assert_int_equal(f.coef[2][3], 1);
}

/* What is no tensor is refused, and nothing is written. */
static void test_misuse(void **state)
{
    const struct tmap_tensor good = {
        .dtype = TMAP_UINT8, .rank = 1, .dim = {64}, .box = {64}, .stride_bits = {8}};
    struct tmap_fold f = {.maps = 77};
    struct tmap_tensor t = good;
    (void)state;
    assert_int_equal(tmap_fold_tensor(NULL, &f), TMAP_E_ARGUMENT);
    assert_int_equal(tmap_fold_tensor(&good, NULL), TMAP_E_ARGUMENT);
    t.rank = 0;
    assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_E_ARGUMENT);
    t.rank = TMAP_TENSOR_RANK + 1;
    assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_E_ARGUMENT);
    t = good, t.dtype = 99;
    assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_E_ARGUMENT);
    t = good, t.box[0] = 0;
    assert_int_equal(tmap_fold_tensor(&t, &f), TMAP_E_ARGUMENT);
    assert_int_equal(f.maps, 77);
    assert_int_equal(tmap_fold_tensor(&good, &f), TMAP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_rank),    cmocka_unit_test(test_inner_stride),
        cmocka_unit_test(test_long_stride), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_broadcast),   cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
