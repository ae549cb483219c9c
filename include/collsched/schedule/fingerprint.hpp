#pragma once

#include <cstdint>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/schedule/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Version of the canonical description and of the written formats.
inline constexpr std::int64_t format_version = 1;

/// FNV-1a hash over 64-bit words, from the lowest byte on; equal on every compiler.
class description_hash {
  public:
    constexpr void operator()(std::int64_t word) {
        auto bits = static_cast<std::uint64_t>(word);
        for (int i = 0; i < 8; ++i, bits >>= 8) put(bits & 0xff);
    }
    constexpr void operator()(const char* text) {
        for (; *text != '\0'; ++text) put(static_cast<unsigned char>(*text));
        put(0);
    }
    constexpr void operator()(bool flag) { (*this)(std::int64_t{flag}); }
    constexpr void operator()(std::uint64_t word) { (*this)(static_cast<std::int64_t>(word)); }
    /// Hashes the numbers that describe() of a layout, matrix or permutation calls back with.
    template <class Described>
        requires requires(const Described& d) { d.describe([](std::int64_t) {}); }
    constexpr void operator()(const Described& described) {
        described.describe([this](std::int64_t word) { (*this)(word); });
    }
    constexpr void operator()(const contract& c) {
        for (const std::int64_t word : {static_cast<std::int64_t>(c.collective), c.ranks, c.root, c.bytes, c.element,
                                        static_cast<std::int64_t>(c.commutative)})
            (*this)(word);
        (*this)(c.layout());
        if (c.collective == collective::alltoall) (*this)(c.matrix());
        if (has_neighbors(c.collective)) (*this)(c.neighbors()), (*this)(c.slots());
    }
    constexpr void operator()(const edge& e) {
        for (const std::int64_t word : {e.step, e.src, e.dst, e.from_offset, e.into_offset, e.size}) (*this)(word);
        put(static_cast<std::uint64_t>(e.from));
        put(static_cast<std::uint64_t>(e.into));
        put(static_cast<std::uint64_t>(e.action));
    }

    constexpr std::uint64_t value() const { return hash_; }

  private:
    constexpr void put(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3U; }
    std::uint64_t hash_ = 0xcbf29ce484222325U;
};

/// Calls f(part) for every algorithm that a composition consists of and that its name and parameters do not determine:
/// its parts(), or those of its member `of`.
template <described A, class F>
constexpr void parts_of(const A& a, F f) {
    if constexpr (requires { A::parts(a, f); }) A::parts(a, f);
    else if constexpr (requires { requires described<decltype(A::of)>; }) parts_of(a.of, f);
}

/// Returns the hash of an algorithm: format version, collective, name, all parameters and parts. It does not depend on
/// the edges. O(parameters).
template <described A>
constexpr std::uint64_t describe(const A& a) {
    description_hash hash;
    hash(format_version);
    hash(static_cast<std::int64_t>(A::info.collective));
    hash(A::info.name);
    if (A::info.variant != 0) hash(A::info.variant);
    A::parameters(a, [&](const char* name, const auto& parameter) {
        hash(name);
        hash(parameter);
    });
    parts_of(a, [&](const auto& part) { hash(describe(part)); });
    return hash.value();
}

/// Whether all parameters of A and its parts can be hashed, as describe() requires. (A cluster model cannot be hashed;
/// its planned tree is hashed instead.)
template <described A>
inline constexpr bool describable = [] {
    bool all = true;
    const A example{};
    A::parameters(example, [&](const char*, const auto& parameter) {
        all = all && requires(description_hash hash) { hash(parameter); };
    });
    parts_of(example, [&]<class Part>(const Part&) { all = all && describable<Part>; });
    return all;
}();

}  // namespace detail

/// Returns the fingerprint of a schedule that is determined by `kind` and `words`. For authors of schedules and
/// combinators.
///
/// @param kind   name of the combinator
/// @param words  numbers, flags, texts, contracts, edges, layouts, and fingerprints of the parts
template <class... Words>
constexpr std::uint64_t fingerprint_of(const char* kind, const Words&... words) {
    detail::description_hash hash;
    hash(detail::format_version);
    hash(kind);
    (hash(words), ...);
    return hash.value();
}

/// Returns the 64-bit hash of the canonical description of a schedule: equal fingerprints mean equal edges, except for
/// hash collisions. Ranks compare it before they run a plan together.
/// @param x  schedule or algorithm whose check() reports no error
template <schedulable X>
constexpr std::uint64_t fingerprint(const X& x) {
    if constexpr (schedule<X>) return x.fingerprint();
    else if constexpr (detail::describable<X>) return detail::describe(x);
    else return x.view().fingerprint();
}

}}  // namespace collsched::COLLSCHED_ABI
