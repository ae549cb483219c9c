#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Rings within groups of k = group consecutive ranks, and a ring of the groups. The following is repeated p/k times: a
/// group passes the k blocks that it received last around its own ring in k-1 steps; then every rank sends the block
/// that it received from the previous group to its counterpart in the next group. All ranks of a group share the
/// messages between groups; in a single ring the two ranks at the border send and receive all of them.
///
/// Rounds p-1; every rank sends and receives p-1 blocks. No scratch. k divides p; a group size above p counts as p. A
/// group of 1 or p is the ring.
/// Source: Wilkins et al. 2023, "Generalized collective algorithms for the exascale era".
struct k_ring {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t group = 2;  ///< ranks per group k, 1 or more; a divisor of p, or above p, which counts as p

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "k-ring",
                                         .ranks = "a multiple of group",
                                         .rounds = "p-1",
                                         .source = "Wilkins et al. 2023"};

    constexpr argument_error check() const {
        if (group < 1) return {"group", group, "1 or more"};
        if (ranks % size() != 0) return {"ranks", ranks, "a multiple of group, or less than group"};
        return {};
    }
    constexpr step_t steps() const { return ranks - 1; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        f(crosses(k) ? wrap(r + size(), ranks) : neighbor(r, 1));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        f(crosses(k) ? wrap(r - size(), ranks) : neighbor(r, -1));
    }
    constexpr void message(rank_t src, rank_t, step_t k, auto f) const {
        const rank_t origin = crosses(k) ? src : neighbor(src, -(k % size()));
        f(block_interval{wrap(origin - k / size() * size(), ranks), 1});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("group", self.group);
    }
    bool operator==(const k_ring&) const = default;

  private:
    constexpr rank_t size() const { return group < ranks ? group : ranks; }
    constexpr bool crosses(step_t k) const { return k % size() == size() - 1; }
    /// Returns the rank `places` positions after r in the group of r.
    constexpr rank_t neighbor(rank_t r, rank_t places) const {
        const rank_t place = r % size();
        return r - place + wrap(place + places, size());
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
