// The descriptors that CUTLASS makes for tmap's products of tensor memory: descriptors FILE. A line
// a product: the operands' type, CTAs, N, orders, tcgen05.mma's kind, its instruction descriptor,
// and the matrix descriptors of A's and B's first step along K at address 0.
//
// An operand lies in spans of 128 bytes of its stored rows, as tmap's copies leave it: tiles of the
// swizzle's atom one after the other along K, and then along M or N.
#include <cstdio>

#include "cute/arch/mma_sm100_desc.hpp"
#include "cute/atom/mma_traits_sm100.hpp"
#include "cute/tensor.hpp"
#include "cutlass/version.h"

using namespace cute;

template <class T, UMMA::Major MAJOR, int ROWS> uint64_t matrix()
{
    constexpr int bits = sizeof_bits_v<T>, span = 1024 / bits, step = 256 / bits;
    using Atom = conditional_t<MAJOR == UMMA::Major::K, UMMA::Layout_K_SW128_Atom<T>,
                               UMMA::Layout_MN_SW128_Atom<T>>;
    const auto layout = tile_to_shape(Atom{}, Shape<Int<ROWS>, Int<span>>{}, Step<_2, _1>{});
    const auto tensor = make_tensor(make_smem_ptr<T>(static_cast<void *>(nullptr)), layout);
    return UMMA::make_umma_desc<MAJOR>(
        local_tile(tensor, Shape<Int<ROWS>, Int<step>>{}, make_coord(0, 0)));
}

struct described {
    FILE *to;
    const char *word, *mma;

    template <class A, class B, int CTAS, int N, UMMA::Major A_MAJOR, UMMA::Major B_MAJOR>
    void line(uint32_t instruction) const
    {
        fprintf(to, "%s %d %d %d%d %s 0x%x 0x%llx 0x%llx\n", word, CTAS, N, int(A_MAJOR),
                int(B_MAJOR), mma, instruction, (unsigned long long)matrix<A, A_MAJOR, 128>(),
                (unsigned long long)matrix<B, B_MAJOR, N / CTAS>());
    }
    template <class A, class B, class D, int CTAS, int N, UMMA::Major A_MAJOR, UMMA::Major B_MAJOR>
    void one() const
    {
        line<A, B, CTAS, N, A_MAJOR, B_MAJOR>(
            uint32_t(UMMA::make_instr_desc<A, B, D, 128 * CTAS, N, A_MAJOR, B_MAJOR>()));
    }
    template <class A, class B, class D, int CTAS, int N> void orders() const
    {
        one<A, B, D, CTAS, N, UMMA::Major::K, UMMA::Major::K>();
        one<A, B, D, CTAS, N, UMMA::Major::K, UMMA::Major::MN>();
        one<A, B, D, CTAS, N, UMMA::Major::MN, UMMA::Major::K>();
        one<A, B, D, CTAS, N, UMMA::Major::MN, UMMA::Major::MN>();
    }
    template <class A, class B, class D> void tiles() const
    {
        orders<A, B, D, 1, 128>();
        orders<A, B, D, 1, 256>();
        one<A, B, D, 2, 128, UMMA::Major::K, UMMA::Major::K>();
        orders<A, B, D, 2, 256>();
    }
    template <class A, class B, class D> void k_major() const
    {
        one<A, B, D, 1, 128, UMMA::Major::K, UMMA::Major::K>();
        one<A, B, D, 1, 256, UMMA::Major::K, UMMA::Major::K>();
        one<A, B, D, 2, 128, UMMA::Major::K, UMMA::Major::K>();
        one<A, B, D, 2, 256, UMMA::Major::K, UMMA::Major::K>();
    }
    template <class A, class B, class F, int CTAS, int N> void scaled() const
    {
        line<A, B, CTAS, N, UMMA::Major::K, UMMA::Major::K>(
            UMMA::make_instr_desc_block_scaled<A, B, float, F, 128 * CTAS, N, UMMA::Major::K,
                                               UMMA::Major::K>());
    }
    template <class A, class B, class F> void scaled_tiles() const
    {
        scaled<A, B, F, 1, 128>();
        scaled<A, B, F, 1, 256>();
        scaled<A, B, F, 2, 128>();
        scaled<A, B, F, 2, 256>();
    }
};

int main(int argc, char **argv)
{
    FILE *to = argc == 2 ? fopen(argv[1], "w") : nullptr;
    if (!to) return 3;
    fprintf(to, "# CUTLASS %d.%d.%d: kind ctas n orders mma instruction a b\n", CUTLASS_MAJOR,
            CUTLASS_MINOR, CUTLASS_PATCH);
    described{to, "bf16", "f16"}.tiles<bfloat16_t, bfloat16_t, float>();
    described{to, "f16", "f16"}.tiles<half_t, half_t, float>();
    described{to, "tf32", "tf32"}.k_major<tfloat32_t, tfloat32_t, float>();
    described{to, "e4m3", "f8f6f4"}.tiles<float_e4m3_t, float_e4m3_t, float>();
    described{to, "e5m2", "f8f6f4"}.tiles<float_e5m2_t, float_e5m2_t, float>();
    described{to, "e4m3e5m2", "f8f6f4"}.tiles<float_e4m3_t, float_e5m2_t, float>();
    described{to, "e5m2e4m3", "f8f6f4"}.tiles<float_e5m2_t, float_e4m3_t, float>();
    described{to, "s8", "i8"}.tiles<int8_t, int8_t, int32_t>();
    described{to, "mxf8", "mxf8f6f4"}.scaled_tiles<float_e4m3_t, float_e4m3_t, float_ue8m0_t>();
    described{to, "mxf4", "mxf4"}.scaled_tiles<float_e2m1_t, float_e2m1_t, float_ue8m0_t>();
    described{to, "nvf4", "mxf4nvf4"}.scaled_tiles<float_e2m1_t, float_e2m1_t, float_ue4m3_t>();
    return fclose(to) != 0;
}
