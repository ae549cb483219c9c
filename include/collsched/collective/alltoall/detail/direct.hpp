#pragma once

#include "collsched/collective/alltoall/detail/one_hop_store.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall::detail {

/// Complete exchange in p-1 steps, in each of which a rank sends to one other rank and receives from one. `Order`
/// defines name, origin, window, and for the n-th step, n = 1 .. p-1, target(p, r, n) and source(p, r, n).
///
/// Rounds p-1; every rank sends and receives all bytes but its own, in p-1 messages (fewer with empty blocks). Only the
/// own block is copied, in step 0. With a window w a rank begins step k when all its messages of steps <= k-w are
/// complete. Window 0 sends all messages at once.
template <class Order>
struct direct {
    rank_t ranks = 1;
    block_matrix block = 0;
    step_t window = Order::window;

    static constexpr algorithm_info info{.collective = collective::alltoall,
                                         .name = Order::name,
                                         .rounds = "p-1",
                                         .source = Order::origin,
                                         .window = Order::window};

    constexpr one_hop_store store() const { return {block, ranks}; }
    constexpr step_t steps() const { return ranks - 1; }

    constexpr void targets(rank_t r, step_t k, auto f) const { f(Order::target(ranks, r, k + 1)); }
    constexpr void sources(rank_t r, step_t k, auto f) const { f(Order::source(ranks, r, k + 1)); }
    constexpr void message(rank_t, rank_t dst, step_t, auto f) const { f(block_interval{dst, 1}); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("window", self.window);
    }
    bool operator==(const direct&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::alltoall::detail
