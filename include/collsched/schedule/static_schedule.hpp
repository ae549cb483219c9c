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
    static constexpr auto edges = detail::edge_table<Make>();
    static constexpr rank_t ranks = lower(Make()).ranks;

    static constexpr step_t steps() {
        return with([](const auto& s) { return s.steps(); });
    }
    static constexpr step_t next(rank_t r, step_t k) {
        for (; k < steps(); ++k)
            for (const edge& e : edges)
                if (e.step == k && (e.src == r || e.dst == r)) return k;
        return steps();
    }
    static constexpr void sends(rank_t r, step_t k, auto f) {
        for (const edge& e : edges)
            if (e.step == k && e.src == r) f(e);
    }
    static constexpr void receives(rank_t r, step_t k, auto f) {
        for (const edge& e : edges)
            if (e.step == k && e.dst == r && e.src != r) f(e);
    }
    static constexpr bytes_t scratch(rank_t r) {
        return with([r](const auto& s) { return s.scratch(r); });
    }
    static constexpr bytes_t staging(rank_t r) {
        return with([r](const auto& s) { return s.staging(r); });
    }
    static constexpr collsched::pacing pacing() {
        return with([](const auto& s) { return s.pacing(); });
    }
    static constexpr collsched::contract contract() {
        return with([](const auto& s) { return s.contract(); });
    }
    static constexpr argument_error check() {
        return with([](const auto& s) { return s.check(); });
    }
    static constexpr std::uint64_t fingerprint() {
        return with([](const auto& s) { return s.fingerprint(); });
    }

  private:
    static constexpr auto with(auto f) {
        const auto algorithm = Make();
        return f(lower(algorithm));
    }
};

}}  // namespace collsched::COLLSCHED_ABI
