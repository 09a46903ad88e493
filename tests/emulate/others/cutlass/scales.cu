// How CUTLASS takes scale factors from shared to tensor memory for tmap's products: scales FILE. A
// line a product: the type, CTAs, N, tcgen05.mma's kind, tcgen05.cp's CTAs and shape, its matrix
// descriptor for A's factors and for B's at address 0, and how many copies a k-block of 128 bytes
// takes for A and for B.
#include <cstdio>

#include "cute/arch/copy_sm100.hpp"
#include "cute/atom/copy_traits_sm100.hpp"
#include "cute/atom/mma_traits_sm100.hpp"
#include "cute/tensor.hpp"
#include "cutlass/detail/sm100_blockscaled_layout.hpp"
#include "cutlass/version.h"

using namespace cute;

struct copies {
    unsigned long long descriptor;
    int count;
};

template <class CP, class FRAGMENT, class F, class LAYOUT> copies of_factors(LAYOUT layout)
{
    const auto compact = filter_zeros(layout);
    const auto shared = make_tensor(make_smem_ptr(static_cast<F *>(nullptr)), compact);
    const auto tensor = make_tensor<FRAGMENT>(shape(layout));
    const auto to = make_tensor(tensor.data(), filter_zeros(tensor.layout()));
    const auto from =
        get_utccp_smem_desc_tensor<CP>(make_utccp_copy(CP{}, to).get_slice(0).partition_S(shared));
    return {(unsigned long long)uint64_t(from.data().desc_), int(size(from) / size<0>(from))};
}

template <class MMA, class F, int BLOCK, int CTAS, int N, int K>
void line(FILE *to, const char *word, const char *kind)
{
    using Tiled = decltype(make_tiled_mma(MMA{}));
    using Config = cutlass::detail::Sm1xxBlockScaledConfig<BLOCK>;
    using Tile = Shape<Int<128 * CTAS>, Int<N>, Int<K>>;
    using Copy =
        conditional_t<CTAS == 2, SM100_UTCCP_4x32dp128bit_2cta, SM100_UTCCP_4x32dp128bit_1cta>;
    const copies a = of_factors<Copy, typename Tiled::FrgTypeSFA, F>(
        Config::deduce_smem_layoutSFA(Tiled{}, Tile{}));
    const copies b = of_factors<Copy, typename Tiled::FrgTypeSFB, F>(
        Config::deduce_smem_layoutSFB(Tiled{}, Tile{}));
    fprintf(to, "%s %d %d %s %d 32x128b.warpx4 0x%llx 0x%llx %d %d\n", word, CTAS, N, kind, CTAS,
            a.descriptor, b.descriptor, a.count, b.count);
}

template <int N> void tiles(FILE *to)
{
    constexpr auto K_ = UMMA::Major::K;
    using e4m3 = float_e4m3_t;
    using e2m1 = float_e2m1_t;
    using ue8m0 = float_ue8m0_t;
    using ue4m3 = float_ue4m3_t;
    line<SM100_MMA_MXF8F6F4_SS<e4m3, e4m3, float, ue8m0, 128, N, K_, K_>, ue8m0, 32, 1, N, 128>(
        to, "mxf8", "mxf8f6f4");
    line<SM100_MMA_MXF8F6F4_2x1SM_SS<e4m3, e4m3, float, ue8m0, 256, N, K_, K_>, ue8m0, 32, 2, N,
         128>(to, "mxf8", "mxf8f6f4");
    line<SM100_MMA_MXF4_SS<e2m1, e2m1, float, ue8m0, 128, N, 32, K_, K_>, ue8m0, 32, 1, N, 256>(
        to, "mxf4", "mxf4");
    line<SM100_MMA_MXF4_2x1SM_SS<e2m1, e2m1, float, ue8m0, 256, N, 32, K_, K_>, ue8m0, 32, 2, N,
         256>(to, "mxf4", "mxf4");
    line<SM100_MMA_MXF4_SS<e2m1, e2m1, float, ue4m3, 128, N, 16, K_, K_>, ue4m3, 16, 1, N, 256>(
        to, "nvf4", "mxf4nvf4");
    line<SM100_MMA_MXF4_2x1SM_SS<e2m1, e2m1, float, ue4m3, 256, N, 16, K_, K_>, ue4m3, 16, 2, N,
         256>(to, "nvf4", "mxf4nvf4");
}

int main(int argc, char **argv)
{
    FILE *to = argc == 2 ? fopen(argv[1], "w") : nullptr;
    if (!to) return 3;
    fprintf(to, "# CUTLASS %d.%d.%d: kind ctas n mma ctas shape a b copies_a copies_b\n",
            CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH);
    tiles<128>(to);
    tiles<256>(to);
    return fclose(to) != 0;
}
