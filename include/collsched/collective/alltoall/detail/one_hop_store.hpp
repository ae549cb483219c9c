#pragma once

#include "collsched/core/block_matrix.hpp"
#include "collsched/schedule/detail/block_store.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall::detail {

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

}}}  // namespace collsched::COLLSCHED_ABI::alltoall::detail
