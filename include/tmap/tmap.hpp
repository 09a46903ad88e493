/* tmap.hpp : tmap.h, solve.h and symbolic.h for C++17 and later. Header only; link what the C
 * header of a function asks for (libtmap; libtmap-symbolic for tmap::condition).
 *
 * What differs from C:
 *   - units are types: tmap::dims, tmap::strides, tmap::box and tmap::elem_strides do not mix, an
 *     address is a tmap::address, enumerations are enum classes with CUDA's values;
 *   - a function that can fail returns tmap::result<T>: std::expected<T, tmap::error> where the
 *     standard library has it, else a small class with the same has_value(), value(), error(), *,
 * ->;
 *   - arrays are spans: std::span from C++20 on, else a pointer and a size;
 *   - value() of a failed result throws tmap::exception, or ends the program (std::abort) where
 *     exceptions are off; nothing else throws but an allocation that std::vector or std::string
 * does;
 *   - what C leaves to a free function is freed by a destructor.
 * No name needs `struct`. Everything is as thread-safe as the C function it calls.
 */
#ifndef TMAP_TMAP_HPP
#define TMAP_TMAP_HPP

/* In C a function and a struct may share a name; tmap_layout does. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#include "tmap/solve.h"
#include "tmap/symbolic.h"
#include "tmap/tmap.h"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif
#if defined(__cpp_lib_expected)
#include <expected>
#endif

namespace tmap
{

/* --- spans and results ------------------------------------------------------------------------ */

#if defined(__cpp_lib_span)
template <class T> using span = std::span<T>;
#else
/* The part of std::span that this header uses. */
template <class T> class span
{
  public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <class C, class = decltype(std::declval<C &>().data() + std::declval<C &>().size())>
    constexpr span(C &&c) noexcept : data_(c.data()), size_(c.size())
    {
    }
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

enum class status : int {
    ok = TMAP_OK,
    argument = TMAP_E_ARGUMENT,
    target = TMAP_E_TARGET,
    illegal = TMAP_E_ILLEGAL,
    no_plan = TMAP_E_NO_PLAN,
    room = TMAP_E_ROOM,
    memory = TMAP_E_MEMORY,
    budget = TMAP_E_BUDGET,
    not_built = TMAP_E_NOT_BUILT,
    no_driver = TMAP_E_NO_DRIVER,
    no_device = TMAP_E_NO_DEVICE,
    driver = TMAP_E_DRIVER,
    internal = TMAP_E_INTERNAL
};

/* Why there is no answer: the C function's status, and its reason in words where it gives one. */
struct error {
    tmap::status status;
    std::string reason;
};

class exception : public std::exception
{
  public:
    explicit exception(error why) : why_(std::move(why)) {}
    const char *what() const noexcept override
    {
        return why_.reason.empty() ? "tmap: a call was refused" : why_.reason.c_str();
    }
    const error &why() const noexcept { return why_; }

  private:
    error why_;
};

[[noreturn]] inline void fail(error why)
{
#if defined(__cpp_exceptions)
    throw exception(std::move(why));
#else
    (void)why;
    std::abort();
#endif
}

#if defined(__cpp_lib_expected)
template <class T> using result = std::expected<T, error>;
template <class T> result<T> refuse(status s, std::string reason = {})
{
    return std::unexpected(error{s, std::move(reason)});
}
#else
/* The part of std::expected<T, error> that an answer needs. */
template <class T> class result
{
  public:
    result(T value) : value_(std::make_unique<T>(std::move(value))) {}
    explicit result(::tmap::error why) : error_(std::move(why)) {}
    bool has_value() const noexcept { return value_ != nullptr; }
    explicit operator bool() const noexcept { return has_value(); }
    T &value() &
    {
        if (!value_) fail(error_);
        return *value_;
    }
    T &&value() && { return std::move(value()); }
    const T &value() const & { return const_cast<result *>(this)->value(); }
    T &operator*() noexcept { return *value_; }
    const T &operator*() const noexcept { return *value_; }
    T *operator->() noexcept { return value_.get(); }
    const T *operator->() const noexcept { return value_.get(); }
    const ::tmap::error &error() const noexcept { return error_; }

  private:
    std::unique_ptr<T> value_;
    ::tmap::error error_{status::ok, {}};
};
template <class T> result<T> refuse(status s, std::string reason = {})
{
    return result<T>(error{s, std::move(reason)});
}
#endif

/* --- enumerations ----------------------------------------------------------------------------- */

enum class verdict { legal = TMAP_LEGAL, illegal = TMAP_ILLEGAL, unknown = TMAP_UNKNOWN };
enum class basis { observed = TMAP_OBSERVED, inferred = TMAP_INFERRED };
enum class contract {
    safe = TMAP_CONTRACT_SAFE,
    documented = TMAP_CONTRACT_DOCUMENTED,
    driver = TMAP_CONTRACT_DRIVER,
    hardware = TMAP_CONTRACT_HARDWARE
};
enum class dtype : std::int32_t {
    uint8 = TMAP_UINT8,
    uint16 = TMAP_UINT16,
    uint32 = TMAP_UINT32,
    int32 = TMAP_INT32,
    uint64 = TMAP_UINT64,
    int64 = TMAP_INT64,
    float16 = TMAP_FLOAT16,
    float32 = TMAP_FLOAT32,
    float64 = TMAP_FLOAT64,
    bfloat16 = TMAP_BFLOAT16,
    float32_ftz = TMAP_FLOAT32_FTZ,
    tfloat32 = TMAP_TFLOAT32,
    tfloat32_ftz = TMAP_TFLOAT32_FTZ,
    u4_align8b = TMAP_16U4_ALIGN8B,
    u4_align16b = TMAP_16U4_ALIGN16B,
    u6_align16b = TMAP_16U6_ALIGN16B
};
enum class interleave : std::int32_t {
    none = TMAP_INTERLEAVE_NONE,
    b16 = TMAP_INTERLEAVE_16B,
    b32 = TMAP_INTERLEAVE_32B
};
enum class swizzle : std::int32_t {
    none = TMAP_SWIZZLE_NONE,
    b32 = TMAP_SWIZZLE_32B,
    b64 = TMAP_SWIZZLE_64B,
    b128 = TMAP_SWIZZLE_128B,
    b128_atom_32b = TMAP_SWIZZLE_128B_ATOM_32B,
    b128_atom_32b_flip_8b = TMAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    b128_atom_64b = TMAP_SWIZZLE_128B_ATOM_64B
};
enum class l2_promotion : std::int32_t {
    none = TMAP_L2_NONE,
    b64 = TMAP_L2_64B,
    b128 = TMAP_L2_128B,
    b256 = TMAP_L2_256B
};
enum class oob_fill : std::int32_t { none = TMAP_OOB_NONE, nan = TMAP_OOB_NAN };
enum class wide_mode : std::int32_t { w = TMAP_WIDE_W, w128 = TMAP_WIDE_W128 };
enum class consumer : std::uint32_t {
    none = TMAP_CONSUMER_NONE,
    ldmatrix = TMAP_CONSUMER_LDMATRIX,
    wgmma = TMAP_CONSUMER_WGMMA,
    tcgen05 = TMAP_CONSUMER_TCGEN05
};
enum class major : std::uint32_t { k = TMAP_K_MAJOR, mn = TMAP_MN_MAJOR };

/* --- numbers with a meaning ------------------------------------------------------------------- */

/* At most five numbers, innermost dimension first; Tag keeps dims from strides and boxes. */
template <class Number, class Tag> class numbers
{
  public:
    constexpr numbers(std::initializer_list<Number> list) noexcept
    {
        for (Number n : list)
            if (size_ < at_.size()) at_[size_++] = n;
        given_ = list.size();
    }
    constexpr explicit numbers(span<const Number> list) noexcept
    {
        for (Number n : list)
            if (size_ < at_.size()) at_[size_++] = n;
        given_ = list.size();
    }
    constexpr std::size_t size() const noexcept { return given_; } /* may exceed what is kept */
    constexpr std::size_t kept() const noexcept { return size_; }
    constexpr Number operator[](std::size_t i) const noexcept { return at_[i]; }

  private:
    std::array<Number, TMAP_MAX_RANK> at_{};
    std::size_t size_ = 0, given_ = 0;
};
using dims = numbers<std::uint64_t, struct dims_tag>;       /* elements */
using strides = numbers<std::uint64_t, struct strides_tag>; /* bytes; [i] is dimension i + 1's */
using box = numbers<std::uint32_t, struct box_tag>;         /* elements */
using elem_strides = numbers<std::uint32_t, struct elem_strides_tag>;
using corner = numbers<std::int32_t, struct corner_tag>; /* W, H, D */

struct address {
    std::uint64_t value = 0;
    constexpr explicit address(std::uint64_t v) noexcept : value(v) {}
    explicit address(const void *p) noexcept : value(reinterpret_cast<std::uintptr_t>(p)) {}
};

/* --- the descriptor --------------------------------------------------------------------------- */

/* The arguments of one encode call: tmap_desc, built by name. */
class descriptor
{
  public:
    descriptor() noexcept { one(); }
    explicit descriptor(const ::tmap_desc &c) noexcept : c_(c) {}

    static descriptor tiled(dtype type, address at, dims d, strides s, tmap::box b) noexcept
    {
        descriptor out(TMAP_TILED, type, at, d, s);
        for (std::size_t i = 0; i < b.kept(); i++) out.c_.box[i] = b[i];
        return out;
    }
    static descriptor im2col(dtype type, address at, dims d, strides s, corner lower, corner upper,
                             std::uint32_t channels, std::uint32_t pixels) noexcept
    {
        descriptor out(TMAP_IM2COL, type, at, d, s);
        out.corners(lower, upper, channels, pixels);
        return out;
    }
    static descriptor im2col_wide(dtype type, address at, dims d, strides s, std::int32_t lower,
                                  std::int32_t upper, std::uint32_t channels, std::uint32_t pixels,
                                  wide_mode mode) noexcept
    {
        descriptor out(TMAP_IM2COL_WIDE, type, at, d, s);
        out.corners({lower}, {upper}, channels, pixels);
        out.c_.mode = static_cast<std::int32_t>(mode);
        return out;
    }

    descriptor &with(tmap::swizzle x) noexcept { return set(c_.swizzle, x); }
    descriptor &with(tmap::interleave x) noexcept { return set(c_.interleave, x); }
    descriptor &with(tmap::l2_promotion x) noexcept { return set(c_.l2_promotion, x); }
    descriptor &with(tmap::oob_fill x) noexcept { return set(c_.oob_fill, x); }
    descriptor &with(elem_strides e) noexcept
    {
        for (std::size_t i = 0; i < e.kept(); i++) c_.elem_stride[i] = e[i];
        return *this;
    }
    descriptor &allocated(address base, std::uint64_t bytes) noexcept
    {
        c_.flags |= TMAP_HAS_ALLOCATION;
        c_.allocation_base = base.value;
        c_.allocation_bytes = bytes;
        return *this;
    }
    descriptor &stored_at(address map) noexcept
    {
        c_.flags |= TMAP_HAS_MAP_ADDRESS;
        c_.map_address = map.value;
        return *this;
    }

    const ::tmap_desc &c() const noexcept { return c_; }
    ::tmap_desc &c() noexcept { return c_; }

  private:
    ::tmap_desc c_{};

    descriptor(int kind, dtype type, address at, dims d, strides s) noexcept
    {
        one();
        c_.kind = kind;
        c_.dtype = static_cast<std::int32_t>(type);
        c_.rank = static_cast<std::uint32_t>(d.size());
        c_.address = at.value;
        for (std::size_t i = 0; i < d.kept(); i++) c_.dim[i] = d[i];
        for (std::size_t i = 0; i < s.kept() && i < TMAP_MAX_RANK - 1; i++)
            c_.stride_bytes[i] = s[i];
    }
    void one() noexcept
    {
        for (auto &e : c_.elem_stride) e = 1;
    }
    void corners(corner lower, corner upper, std::uint32_t channels, std::uint32_t pixels) noexcept
    {
        for (std::size_t i = 0; i < TMAP_MAX_SPATIAL; i++) {
            if (i < lower.kept()) c_.lower[i] = lower[i];
            if (i < upper.kept()) c_.upper[i] = upper[i];
        }
        c_.channels = channels;
        c_.pixels = pixels;
    }
    template <class E> descriptor &set(std::int32_t &member, E x) noexcept
    {
        member = static_cast<std::int32_t>(x);
        return *this;
    }
};

/* --- answers ---------------------------------------------------------------------------------- */

inline std::string_view text(const char *s) noexcept
{
    return s ? std::string_view(s) : std::string_view();
}

using target_spec = ::tmap_target;
using number = ::tmap_number;
using detail = ::tmap_detail;
using use = ::tmap_use;
using map = ::tmap_map; /* the 128 bytes */
using map_layout = struct ::tmap_layout;
using mma = ::tmap_mma;
using note = ::tmap_note;
using config = ::tmap_config;
using config_answer = ::tmap_config_answer;
using gemm_problem = ::tmap_problem;

class violation
{
  public:
    explicit violation(::tmap_violation c) noexcept : c_(c) {}
    std::string_view rule() const noexcept { return text(::tmap_row_id(c_.row)); }
    std::string_view name() const noexcept { return text(::tmap_row_name(c_.row)); }
    int index() const noexcept { return c_.index; } /* -1: not about one dimension */
    const ::tmap_violation &c() const noexcept { return c_; }

  private:
    ::tmap_violation c_;
};

/* True when legal. */
struct answer {
    tmap::verdict verdict;
    tmap::basis basis;
    std::vector<violation> violations;
    explicit operator bool() const noexcept { return verdict == tmap::verdict::legal; }
};

/* tmap_target_from(); an empty text is the default's. */
inline result<target_spec> target(const std::string &cuda = {}, const std::string &arch = {},
                                  const std::string &driver = {}, const std::string &ptx = {})
{
    auto or_null = [](const std::string &s) { return s.empty() ? nullptr : s.c_str(); };
    target_spec out{};
    const auto s =
        ::tmap_target_from(or_null(cuda), or_null(ptx), or_null(driver), or_null(arch), &out);
    if (s != TMAP_OK) return refuse<target_spec>(static_cast<status>(s));
    return out;
}

/* A decoded map: its fields, and what the bytes leave open. */
struct decoded {
    descriptor desc;
    std::vector<note> notes;
};

inline decoded decode(const map &bytes)
{
    std::size_t found = 0;
    ::tmap_desc desc{};
    ::tmap_decode(&bytes, &desc, nullptr, 0, &found);
    std::vector<note> notes(found);
    ::tmap_decode(&bytes, &desc, notes.data(), notes.size(), &found);
    return {descriptor(desc), std::move(notes)};
}

/* Plans of a repair: best first. */
struct repairs {
    std::vector<::tmap_plan> plans;
    bool minimal = false; /* nothing cheaper exists */
};

/* --- the checker ------------------------------------------------------------------------------ */

/* A target and a contract made ready: a value, shared by any threads. */
class checker
{
  public:
    explicit checker(const target_spec &on = ::tmap_default_target(),
                     contract which = contract::safe) noexcept
    {
        ::tmap_checker_prepare(&on, static_cast<::tmap_contract>(which), &c_);
    }
    const ::tmap_checker &c() const noexcept { return c_; }
    tmap::basis basis() const noexcept { return static_cast<tmap::basis>(c_.basis); }

    tmap::verdict verdict(const descriptor &d) const noexcept
    {
        return static_cast<tmap::verdict>(::tmap_verdict_of(&c_, &d.c()));
    }
    answer check(const descriptor &d) const
    {
        return collect(
            [&](::tmap_violation *out, std::size_t cap, std::size_t *n, ::tmap_verdict *v) {
                return ::tmap_check_with(&c_, &d.c(), out, cap, n, v);
            });
    }
    answer check(const descriptor &d, const use &u) const
    {
        return collect(
            [&](::tmap_violation *out, std::size_t cap, std::size_t *n, ::tmap_verdict *v) {
                return ::tmap_check_use(&c_, &d.c(), &u, out, cap, n, v);
            });
    }
    /* verdicts.size() of descs' at most; how many were written. */
    std::size_t check_many(span<const ::tmap_desc> descs,
                           span<::tmap_verdict> verdicts) const noexcept
    {
        const std::size_t n = descs.size() < verdicts.size() ? descs.size() : verdicts.size();
        ::tmap_check_many(&c_, descs.data(), n, verdicts.data());
        return n;
    }
    detail explain(const descriptor &d, const violation &v, const use *u = nullptr) const noexcept
    {
        detail out{};
        ::tmap_detail_of(&c_.target, &d.c(), u, &v.c(), &out);
        return out;
    }

    result<map> encode(const descriptor &d) const
    {
        return made<map>([&](map *out) { return ::tmap_encode(&c_, &d.c(), out); });
    }
    result<map_layout> layout(const descriptor &d) const
    {
        return made<map_layout>([&](map_layout *out) { return ::tmap_layout(&c_, &d.c(), out); });
    }
    result<mma> matrix(const descriptor &d, consumer who, major how) const
    {
        return made<mma>([&](mma *out) {
            return ::tmap_mma_of(&c_, &d.c(), static_cast<::tmap_consumer>(who),
                                 static_cast<::tmap_major>(how), out, nullptr);
        });
    }

    /* tmap_repair(): at most `most` plans. */
    result<repairs> repair(const descriptor &d, std::size_t most = 3,
                           const ::tmap_request *request = nullptr) const
    {
        repairs out;
        ::tmap_repair_report report{};
        auto memory = std::make_unique<std::uint64_t[]>(workspace_words);
        out.plans.resize(most);
        const auto s = ::tmap_repair(&c_, &d.c(), request, memory.get(), TMAP_REPAIR_WORKSPACE,
                                     out.plans.data(), most, &report, nullptr);
        if (s != TMAP_OK) return refuse<repairs>(static_cast<status>(s), report.reason);
        out.plans.resize(report.found);
        out.minimal = report.closed;
        return out;
    }
    /* tmap_solve() */
    result<std::vector<::tmap_tile_plan>> solve(const ::tmap_tile_request &request,
                                                std::size_t most = 1) const
    {
        using plans_type = std::vector<::tmap_tile_plan>;
        std::array<char, 160> reason{};
        auto memory = std::make_unique<std::uint64_t[]>(workspace_words);
        plans_type plans(most);
        std::size_t found = 0;
        const auto s = ::tmap_solve(&c_, &request, memory.get(), TMAP_REPAIR_WORKSPACE,
                                    plans.data(), most, &found, reason.data(), reason.size());
        if (s != TMAP_OK) return refuse<plans_type>(static_cast<status>(s), reason.data());
        plans.resize(found);
        return plans;
    }
    /* tmap_prune() */
    result<std::vector<config_answer>> prune(const gemm_problem &problem,
                                             span<const config> configs) const
    {
        std::vector<config_answer> out(configs.size());
        const auto s = ::tmap_prune(&c_, &problem, configs.data(), configs.size(), out.data());
        if (s != TMAP_OK) return refuse<std::vector<config_answer>>(static_cast<status>(s));
        return out;
    }

  private:
    static constexpr std::size_t workspace_words = TMAP_REPAIR_WORKSPACE / sizeof(std::uint64_t);
    ::tmap_checker c_{};

    template <class F> answer collect(F ask) const
    {
        std::size_t found = 0;
        ::tmap_verdict v = TMAP_UNKNOWN;
        std::array<::tmap_violation, 64> few;
        ask(few.data(), few.size(), &found, &v);
        std::vector<violation> all;
        if (found <= few.size()) {
            for (std::size_t i = 0; i < found; i++) all.emplace_back(few[i]);
        } else {
            std::vector<::tmap_violation> many(found);
            ask(many.data(), many.size(), &found, &v);
            for (const auto &one : many) all.emplace_back(one);
        }
        return {static_cast<tmap::verdict>(v), basis(), std::move(all)};
    }
    template <class T, class F> static result<T> made(F make)
    {
        T out{};
        const auto s = make(&out);
        if (s != TMAP_OK) return refuse<T>(static_cast<status>(s));
        return out;
    }
};

/* --- conditions: link libtmap-symbolic -------------------------------------------------------- */

/* A context of isl's and Z3's: one thread at a time. */
class symbolic
{
  public:
    symbolic() { ::tmap_symbolic_open(nullptr, &c_); }
    ~symbolic() { ::tmap_symbolic_close(c_); }
    symbolic(const symbolic &) = delete;
    symbolic &operator=(const symbolic &) = delete;
    ::tmap_symbolic *c() const noexcept { return c_; }

  private:
    ::tmap_symbolic *c_ = nullptr;
};

/* tmap_condition_of(): when these descriptors are legal at once. */
class condition
{
  public:
    static result<condition> of(symbolic &in, const checker &checker,
                                span<const ::tmap_symbolic_desc> descs,
                                span<const char *const> assume = {})
    {
        condition out;
        const auto s = ::tmap_condition_of(in.c(), &checker.c(), descs.data(), descs.size(),
                                           assume.data(), assume.size(), &out.c_);
        if (s != TMAP_OK)
            return refuse<condition>(static_cast<status>(s), ::tmap_symbolic_why(in.c()));
        out.in_ = &in;
        return result<condition>(std::move(out));
    }
    condition(condition &&o) noexcept
        : c_(std::exchange(o.c_, nullptr)), in_(std::exchange(o.in_, nullptr))
    {
    }
    condition &operator=(condition &&o) noexcept
    {
        std::swap(c_, o.c_);
        std::swap(in_, o.in_);
        return *this;
    }
    ~condition() { ::tmap_condition_free(c_); }

    tmap::verdict verdict() const noexcept
    {
        return static_cast<tmap::verdict>(::tmap_condition_verdict(c_));
    }
    std::size_t parameters() const noexcept { return ::tmap_condition_param_count(c_); }
    std::string_view parameter(std::size_t i) const noexcept
    {
        return text(::tmap_condition_param(c_, i));
    }
    /* One value for each parameter; false also for a number beyond 128 bits, or too few values. */
    bool holds(span<const std::int64_t> values) const noexcept
    {
        return values.size() >= parameters() && ::tmap_condition_holds(c_, values.data()) == 1;
    }
    result<std::string> formula(::tmap_formula_form form = TMAP_FORM_TEXT) const
    {
        return written([&](char *at, std::size_t cap, std::size_t *n) {
            return ::tmap_condition_text(in_->c(), c_, form, at, cap, n);
        });
    }
    result<std::string> guard(const std::string &name,
                              ::tmap_guard_language in = TMAP_GUARD_C) const
    {
        return written([&](char *at, std::size_t cap, std::size_t *n) {
            return ::tmap_guard_c(in_->c(), c_, in, name.c_str(), at, cap, n);
        });
    }
    const ::tmap_condition *c() const noexcept { return c_; }

  private:
    condition() = default;
    ::tmap_condition *c_ = nullptr;
    symbolic *in_ = nullptr;

    template <class F> result<std::string> written(F write) const
    {
        std::size_t length = 0;
        auto s = write(nullptr, 0, &length);
        std::string out(length, '\0');
        if (s == TMAP_OK || s == TMAP_E_ROOM) s = write(&out[0], length + 1, &length);
        if (s != TMAP_OK)
            return refuse<std::string>(static_cast<status>(s), ::tmap_symbolic_why(in_->c()));
        return out;
    }
};

} // namespace tmap
#endif
