#pragma once

#include "collsched/core/digits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

/// In round i rank r signals r + d k^i for every digit d = 1 .. k-1 of base k = radix for which that is below r + p. It
/// then depends on the k^(i+1) ranks up to itself, or on all ranks.
///
/// Rounds ceil(log_k p) for every p; in round i every rank sends and receives min(k-1, floor((p-1) / k^i)) signals.
/// Source: Hensgen, Finkel, Manber 1988; several signals per round: Hoefler, Mehlan, Mietke, Rehm 2006.
struct dissemination {
    rank_t ranks = 1;
    std::int64_t radix = 2;

    static constexpr algorithm_info info{.collective = collective::barrier,
                                         .name = "dissemination",
                                         .rounds = "ceil(log_k p)",
                                         .source = "Hensgen, Finkel, Manber 1988"};

    constexpr argument_error check() const {
        return radix < 2 ? argument_error{"radix", radix, "2 or more"} : argument_error{};
    }
    constexpr step_t steps() const { return ceil_log(radix, ranks); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        digit_distances(radix, k, ranks, [&](rank_t distance) { f(wrap(r + distance, ranks)); });
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        digit_distances(radix, k, ranks, [&](rank_t distance) { f(wrap(r - distance, ranks)); });
    }
    constexpr void transfers(rank_t, rank_t, step_t, auto f) const { f(edge{}); }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("radix", self.radix);
    }
    bool operator==(const dissemination&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::barrier
