#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/block_matrix.hpp"
#include "collsched/schedule/detail/block_store.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

namespace detail {

/// Every block is sent in one hop from its place in `input` to its place in `output`, without scratch. Blocks are
/// numbered by destination rank.
struct one_hop_store {
    block_matrix blocks;
    rank_t ranks;
    bool copy_first =
        true;  ///< whether step 0 copies the own block; otherwise it is copied when the algorithm sends to its own rank

    constexpr rank_t block_count() const { return ranks; }
    constexpr step_t steps(step_t message_steps) const { return ranks == 1 ? 1 : message_steps; }
    constexpr step_range copy_steps(rank_t, step_t) const { return copy_first ? step_range{0, 0} : step_range{}; }
    static constexpr bool scratchless = true;
    constexpr bytes_t scratch(rank_t) const { return 0; }

    constexpr void transfers(edge frame, block_interval, auto&& f) const {
        collsched::detail::join_runs(frame, sent(frame.src, frame.dst), received(frame.src, frame.dst), f);
    }
    constexpr void copies(rank_t r, step_t k, step_t, auto f) const {
        if (copy_first && k == 0) f(sent(r, r), received(r, r));
    }

  private:
    constexpr collsched::detail::run_cursor sent(rank_t i, rank_t j) const {
        return {buffer::input, {blocks.send_displ(i, j), blocks.count(i, j)}};
    }
    constexpr collsched::detail::run_cursor received(rank_t i, rank_t j) const {
        return {buffer::output, {blocks.recv_displ(i, j), blocks.count(i, j)}};
    }
};

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

/// The order of alltoall::linear.
struct linear_order {
    static constexpr const char* name = "linear";
    static constexpr const char* origin = "folklore";
    static constexpr step_t window = 0;
    static constexpr rank_t target(rank_t p, rank_t r, step_t n) { return wrap(r + n, p); }
    static constexpr rank_t source(rank_t p, rank_t r, step_t n) { return wrap(r - n, p); }
};

/// The order of alltoall::pairwise.
struct pairwise_order {
    static constexpr const char* name = "pairwise";
    static constexpr const char* origin = "Thakur, Rabenseifner, Gropp 2005";
    static constexpr step_t window = 1;
    static constexpr rank_t target(rank_t p, rank_t r, step_t n) {
        return is_power_of_two(p) ? r ^ n : linear_order::target(p, r, n);
    }
    static constexpr rank_t source(rank_t p, rank_t r, step_t n) {
        return is_power_of_two(p) ? r ^ n : linear_order::source(p, r, n);
    }
};

/// The order of alltoall::ring.
struct ring_order : linear_order {
    static constexpr const char* name = "ring";
    static constexpr step_t window = 1;
};

}  // namespace detail

/// Rank r sends to r+1, r+2, ... and receives from r-1, r-2, ..., without waiting unless a window is given.
///
/// Rounds p-1; every rank sends and receives all bytes but its own, in p-1 messages (fewer with empty blocks). Only the
/// own block is copied, in step 0. No scratch.
/// Source: folklore.
using linear = detail::direct<detail::linear_order>;

/// In step k rank r exchanges with r xor (k+1) if p is a power of two. Otherwise it sends to r+k+1 and receives from
/// r-k-1. Steps do not overlap.
///
/// Rounds p-1; every rank sends and receives all bytes but its own, in p-1 messages (fewer with empty blocks). Only the
/// own block is copied, in step 0. No scratch.
/// Source: Thakur, Rabenseifner, Gropp 2005.
using pairwise = detail::direct<detail::pairwise_order>;

/// In step k rank r sends to r+k+1 and receives from r-k-1. Steps do not overlap.
///
/// Rounds p-1; every rank sends and receives all bytes but its own, in p-1 messages (fewer with empty blocks). Only the
/// own block is copied, in step 0. No scratch.
/// Source: folklore.
using ring = detail::direct<detail::ring_order>;

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
