#pragma once

#include "collsched/schedule/detail/block_store.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast::detail {

/// Every rank but the root receives into `output`; the root sends from `input`, and copies it in step 0.
struct whole_store {
    block_layout pieces;
    rank_t count;
    rank_t ranks, root;

    constexpr rank_t block_count() const { return count; }
    constexpr step_t steps(step_t message_steps) const { return ranks == 1 ? 1 : message_steps; }
    constexpr step_range copy_steps(rank_t r, step_t) const { return r == root ? step_range{0, 0} : step_range{}; }
    static constexpr bool scratchless = true;
    constexpr bytes_t scratch(rank_t) const { return 0; }

    [[gnu::always_inline]] constexpr collsched::detail::run_cursor read(rank_t r, step_t, block_interval blocks) const {
        return {r == root ? buffer::input : buffer::output, pieces, count, blocks};
    }
    [[gnu::always_inline]] constexpr collsched::detail::run_cursor write(rank_t, block_interval arriving) const {
        return {buffer::output, pieces, count, arriving};
    }
    constexpr void copies(rank_t r, step_t k, step_t, auto f) const {
        if (r == root && k == 0) f(read(r, k, {0, count}), write(r, {0, count}));
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast::detail
