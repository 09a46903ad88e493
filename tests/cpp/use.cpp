// use.cpp : tmap.hpp at work; prints TAP. Built by test_cpp.sh in each standard and by each
// compiler.
#include <cstdio>
#include <cstring>
#include <string>
#include <tmap/tmap.hpp>
#include <type_traits>

static int count;
static void ok(bool good, const char *what)
{
    std::printf("%sok %d - %s: %s\n", good ? "" : "not ", ++count, LABEL, what);
}

// Units do not mix.
template <class... A>
constexpr bool makes = std::is_invocable_v<decltype(tmap::descriptor::tiled), A...>;
static_assert(makes<tmap::dtype, tmap::address, tmap::dims, tmap::strides, tmap::box>);
static_assert(!makes<tmap::dtype, tmap::address, tmap::strides, tmap::dims, tmap::box>);
static_assert(!makes<int, tmap::address, tmap::dims, tmap::strides, tmap::box>);
static_assert(!makes<tmap::dtype, std::uint64_t, tmap::dims, tmap::strides, tmap::box>);
static_assert(!std::is_copy_constructible_v<tmap::condition> &&
              !std::is_copy_constructible_v<tmap::symbolic>);
static_assert(std::is_nothrow_move_constructible_v<tmap::condition>);

static tmap::descriptor operand(std::uint32_t rows)
{
    return tmap::descriptor::tiled(tmap::dtype::bfloat16, tmap::address{0x7f0000000000},
                                   {4096, 8192}, {8192}, {64, rows})
        .with(tmap::swizzle::b128);
}

static void checks(const tmap::checker &checker)
{
    const auto good = checker.check(operand(128)), bad = checker.check(operand(384));
    ok(good && good.violations.empty() && checker.verdict(operand(128)) == tmap::verdict::legal,
       "a legal descriptor");
    ok(!bad && bad.violations.size() == 1 && bad.violations[0].rule() == "TMA025" &&
           bad.violations[0].index() == 1,
       "an illegal one");
    const auto why = checker.explain(operand(384), bad.violations[0]);
    ok(why.value.magnitude == 384 && why.below.magnitude == 256 && !why.above.known,
       "its nearest legal value");
    tmap::use use{};
    use.op = TMAP_OP_LOAD;
    use.flags = TMAP_USE_COORD;
    use.coord_count = 2;
    use.coord[0] = 3;
    ok(checker.check(operand(128), use).verdict == tmap::verdict::illegal, "a use");
    const ::tmap_desc two[] = {operand(128).c(), operand(384).c()};
    ::tmap_verdict verdicts[2];
    checker.check_many({two, 2}, {verdicts, 2});
    ok(verdicts[0] == TMAP_LEGAL && verdicts[1] == TMAP_ILLEGAL, "many");
    ::tmap_desc wrong = operand(128).c();
    wrong.rank = 9;
    ok(!checker.check(tmap::descriptor(wrong)), "a wrong rank");
    const auto conv =
        tmap::descriptor::im2col(tmap::dtype::float16, tmap::address{0x7f0000000000},
                                 {64, 56, 56, 8}, {128, 7168, 401408}, {-1, -1}, {-1, -1}, 64, 128);
    ok(checker.verdict(conv) == tmap::verdict::legal, "an im2col descriptor");
}

static void bytes(const tmap::checker &checker)
{
    const auto map = checker.encode(operand(128));
    const auto back = tmap::decode(map.value());
    ok(back.desc.c().box[1] == 128 && back.desc.c().swizzle == TMAP_SWIZZLE_128B, "there and back");
    const auto refused = checker.encode(operand(384));
    ok(!refused && refused.error().status == tmap::status::illegal, "an illegal one has no bytes");
    const auto layout = checker.layout(operand(128));
    ok(layout && layout->tx_bytes == 16384, "a layout");
    const auto mma = checker.matrix(operand(128), tmap::consumer::wgmma, tmap::major::k);
    ok(mma && mma->k_steps == 4, "matrix descriptors");
#if defined(__cpp_exceptions)
    bool thrown = false;
    try {
        (void)checker.encode(operand(384)).value();
    } catch (const std::exception &) {
        thrown = true;
    }
    ok(thrown, "value() of a refusal throws");
#endif
}

static void plans(const tmap::checker &checker)
{
    const auto repairs = checker.repair(operand(512));
    ok(repairs && repairs->minimal && !repairs->plans.empty() &&
           checker.verdict(tmap::descriptor(repairs->plans[0].desc)) == tmap::verdict::legal,
       "a repair");
    ::tmap_tile_request request{};
    request.tensor = operand(1).c();
    request.tile[0] = 64;
    request.tile[1] = 128;
    request.consumer = TMAP_CONSUMER_WGMMA;
    const auto tiles = checker.solve(request);
    ok(tiles && tiles->size() == 1 && (*tiles)[0].conflicts == 0, "a tile");
    request.consumer = TMAP_CONSUMER_TCGEN05; // not on sm_90a
    const auto none = checker.solve(request);
    ok(!none && none.error().status == tmap::status::no_plan && !none.error().reason.empty(),
       "and why there is none");
    const tmap::config configs[] = {{128, 128, 64, 3, 8, 0}, {128, 128, 64, 9, 8, 0}};
    const tmap::gemm_problem problem = {4096,          4096,          4096,
                                        TMAP_BFLOAT16, TMAP_BFLOAT16, TMAP_MODEL_RING, 0};
    const auto pruned = checker.prune(problem, {configs, 2});
    ok(pruned && (*pruned)[0].verdict == TMAP_LEGAL && (*pruned)[1].verdict == TMAP_ILLEGAL,
       "configurations");
}

#ifdef WITH_ISL
static void conditions(const tmap::checker &checker)
{
    tmap::symbolic context;
    ::tmap_symbolic_desc d{};
    d.desc = operand(64).c();
    d.dim[0] = "K";
    d.stride[0] = "2*K";
    const char *const assume[] = {"1 <= K <= 65536"};
    auto made = tmap::condition::of(context, checker, {&d, 1}, {assume, 1});
    const std::int64_t yes[] = {64}, no[] = {65};
    ok(made && made->formula().value() == "K % 8 = 0", "a condition");
    ok(made->holds({yes, 1}) && !made->holds({no, 1}) && !made->holds({}), "it answers");
    ok(made->guard("fits").value().find("int fits(") != std::string::npos, "and is code");
    const tmap::condition moved = std::move(*made);
    ok(moved.parameters() == 1 && moved.parameter(0) == "K", "a moved one");
    d.dim[0] = "K +";
    const auto unread = tmap::condition::of(context, checker, {&d, 1});
    ok(!unread && !unread.error().reason.empty(), "an unreadable one");
}
#endif

int main()
{
    const tmap::checker checker;
    checks(checker);
    bytes(checker);
    plans(checker);
    const auto blackwell = tmap::target("12.8", "sm_100a");
    ok(blackwell && tmap::checker(*blackwell).basis() == tmap::basis::inferred, "another target");
    ok(!tmap::target("12.8", "sm_77"), "no such target");
#ifdef WITH_ISL
    conditions(checker);
#endif
    std::printf("1..%d\n", count);
    return 0;
}
