#pragma once

#include "collsched/core/digits.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched::inline v0_1::barrier {

/// In round i rank r signals r + d k^i for every digit d = 1 .. k-1 of base k = radix for which that is below r + p: it
/// has then heard of the k^(i+1) ranks up to itself, or of all.
///
/// Rounds ceil(log_k p) for every p; in round i every rank sends and hears min(k-1, floor((p-1) / k^i)) signals.
/// Source: Hensgen, Finkel, Manber 1988; several signals a round: Hoefler, Mehlan, Mietke, Rehm 2006.
struct dissemination {
    rank_t ranks = 1;
    std::int64_t radix = 2;

    static constexpr algorithm_info info{.what = collective::barrier,
                                         .name = "dissemination",
                                         .rounds = "ceil(log_k p)",
                                         .source = "Hensgen, Finkel, Manber 1988"};

    constexpr error check() const { return radix < 2 ? error{"radix", radix, "2 or more"} : error{}; }
    constexpr step_t steps() const { return ceil_log(radix, ranks); }

    template <class F>
    constexpr void targets(rank_t r, step_t k, F f) const {
        digit_distances(radix, k, ranks, [&](rank_t distance) { f(wrap(r + distance, ranks)); });
    }
    template <class F>
    constexpr void sources(rank_t r, step_t k, F f) const {
        digit_distances(radix, k, ranks, [&](rank_t distance) { f(wrap(r - distance, ranks)); });
    }
    template <class F>
    constexpr void transfers(rank_t, rank_t, step_t, F f) const {
        f(edge{});
    }

    template <class Self, class F>
    static constexpr void parameters(Self& self, F f) {
        f("ranks", self.ranks);
        f("radix", self.radix);
    }
    bool operator==(const dissemination&) const = default;
};

}  // namespace collsched::inline v0_1::barrier
