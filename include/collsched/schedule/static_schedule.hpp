#pragma once

#include <array>
#include <cstddef>

#include "collsched/schedule/stored_schedule.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

template <auto Make>
constexpr std::size_t edge_count() {
    std::size_t n = 0;
    for_each_send(lower(Make()), [&](const edge&) { ++n; });
    return n;
}

template <auto Make>
constexpr auto edge_table() {
    const stored_schedule stored = materialize(Make());
    std::array<edge, edge_count<Make>()> table{};
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = stored.edges()[i];
    return table;
}

}  // namespace detail

/// Schedule computed during compilation: its edges are a constant std::array in canonical order. Itself a schedule.
///
/// @tparam Make  callable without captures that returns a schedule or an algorithm, as in
///               `static_schedule<[] { return allgather::ring{.ranks = 8, .block = 4}; }>`
template <auto Make>
struct static_schedule {
    static constexpr auto edges = detail::edge_table<Make>();  ///< all edges of all ranks
    static constexpr rank_t ranks = lower(Make()).ranks;       ///< number of ranks p

    /// Returns the number of steps, numbered 0 .. steps()-1.
    static constexpr step_t steps() {
        return apply([](const auto& s) { return s.steps(); });
    }
    /// Returns the first step >= k in which rank r has edges, or steps(). O(edges * steps).
    /// @param r  rank, 0 .. ranks-1
    /// @param k  step, 0 or more
    static constexpr step_t next(rank_t r, step_t k) {
        for (; k < steps(); ++k)
            for (const edge& e : edges)
                if (e.step == k && (e.src == r || e.dst == r)) return k;
        return steps();
    }
    /// Calls f for every edge from rank r in step k, local ones included. O(edges).
    /// @param r  rank, 0 .. ranks-1
    /// @param k  step, 0 .. steps()-1
    /// @param f  callable, f(edge)
    static constexpr void sends(rank_t r, step_t k, auto f) {
        for (const edge& e : edges)
            if (e.step == k && e.src == r) f(e);
    }
    /// Calls f for every edge to rank r in step k from another rank. O(edges).
    /// @param r  rank, 0 .. ranks-1
    /// @param k  step, 0 .. steps()-1
    /// @param f  callable, f(edge)
    static constexpr void receives(rank_t r, step_t k, auto f) {
        for (const edge& e : edges)
            if (e.step == k && e.dst == r && e.src != r) f(e);
    }
    /// Returns the bytes of scratch of a rank.
    /// @param r  rank, 0 .. ranks-1
    static constexpr bytes_t scratch(rank_t r) {
        return apply([r](const auto& s) { return s.scratch(r); });
    }
    /// Returns the most bytes that a rank receives to combine in one step.
    /// @param r  rank, 0 .. ranks-1
    static constexpr bytes_t staging(rank_t r) {
        return apply([r](const auto& s) { return s.staging(r); });
    }
    /// Returns the limit on overlapping steps.
    static constexpr collsched::pacing pacing() {
        return apply([](const auto& s) { return s.pacing(); });
    }
    /// Returns the contract that the schedule fulfills.
    static constexpr collsched::contract contract() {
        return apply([](const auto& s) { return s.contract(); });
    }
    /// Returns the first error in the parameters, or no error.
    static constexpr argument_error check() {
        return apply([](const auto& s) { return s.check(); });
    }
    /// Returns the hash of the description of the schedule.
    static constexpr std::uint64_t fingerprint() {
        return apply([](const auto& s) { return s.fingerprint(); });
    }

  private:
    static constexpr auto apply(auto f) {
        const auto algorithm = Make();
        return f(lower(algorithm));
    }
};

}}  // namespace collsched::COLLSCHED_ABI
