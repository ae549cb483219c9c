#pragma once

#include "collsched/collective/broadcast/detail/circulant_pipeline.hpp"
#include "collsched/collective/broadcast/detail/whole_store.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

/// Broadcast in pieces of at most `segment` bytes (0: in one piece) over a circulant graph: in each step a rank sends
/// one piece to one rank and receives another piece from another rank, at the distances s_k = ceil(p / 2^(q-k)), with k
/// = 0 .. q-1 in turn.
///
/// Rounds S-1+q for S = ceil(bytes / segment) pieces, q = ceil(log2 p), for every p: the minimum for S pieces if a rank
/// sends one piece per round. Every rank but the root receives all bytes once. A rank sends at most one piece per
/// round. No scratch. With a window w a rank begins step k when its messages of steps <= k-w are complete, so that pieces
/// do not share its link all at once. If a message of n bytes takes alpha + beta n, the best S is about sqrt((q-1) bytes beta / alpha).
///
/// O(log p) per step, without stored tables.
/// Source: Traeff 2024, "Optimal broadcast schedules in logarithmic time".
struct circulant {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    step_t window = 0;

    static constexpr algorithm_info info{.collective = collective::broadcast,
                                         .name = "circulant",
                                         .rounds = "S-1+ceil(log2 p)",
                                         .source = "Traeff 2024"};

    constexpr rank_t pieces() const { return collsched::detail::piece_count(bytes, segment); }
    constexpr detail::whole_store store() const {
        return {block_layout::partition(bytes, pieces(), element), pieces(), ranks, root};
    }
    constexpr argument_error check() const {
        if (argument_error error = run().check()) return {"segment", segment, error.expected};
        return {};
    }

    constexpr step_t steps() const { return run().steps(); }
    constexpr step_range active(rank_t r) const { return run().active(relative(r)); }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        const rank_t target = wrap(relative(r) + run().distance(k), ranks);
        if (run().arriving(target, k) >= 0) f(absolute(target));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (run().arriving(relative(r), k) >= 0) f(wrap(r - run().distance(k), ranks));
    }
    constexpr void message(rank_t, rank_t dst, step_t k, auto f) const {
        f(block_interval{run().arriving(relative(dst), k), 1});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
        f("window", self.window);
    }
    bool operator==(const circulant&) const = default;

  private:
    constexpr detail::circulant_pipeline run() const { return {ranks, pieces()}; }
    constexpr rank_t relative(rank_t r) const { return wrap(r - root, ranks); }
    constexpr rank_t absolute(rank_t v) const { return wrap(v + root, ranks); }
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
