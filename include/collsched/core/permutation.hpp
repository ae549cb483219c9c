#pragma once

#include <span>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// An order of ranks, stored: 16 bytes a rank, held in common by all copies. Default-made, every rank stays where it is, however many
/// there are. What is no permutation is told by check(); nothing else may be asked of it.
class permutation {
  public:
    constexpr permutation() = default;
    /// Virtual rank v is rank to[v].
    constexpr explicit permutation(std::span<const rank_t> to) : held_(tables(to)) {}

    /// Of another integer.
    template <detail::integer_array Array>
    constexpr explicit permutation(const Array& to) : permutation(std::span<const rank_t>(detail::widened(to))) {}

    constexpr rank_t rank(rank_t v) const { return held_ ? held_->to[v] : v; }
    constexpr rank_t virtual_rank(rank_t r) const { return held_ ? held_->from[r] : r; }
    constexpr permutation inverse() const {
        if (!held_) return {};
        return permutation(held_->from);
    }
    /// For use with this many ranks.
    constexpr argument_error check(rank_t ranks) const {
        if (!held_) return {};
        if (held_->to.size() != ranks) return {"order", held_->to.size(), "as many entries as ranks"};
        return held_->error;
    }

    /// f(number) for the numbers that tell this order from others.
    constexpr void describe(auto f) const {
        const rank_t ranks = held_ ? held_->to.size() : 0;
        f(ranks);
        for (rank_t v = 0; v < ranks; ++v) f(held_->to[v]);
    }
    bool operator==(const permutation&) const = default;

  private:
    struct tables {
        owned_array<rank_t> to, from;
        argument_error error;

        constexpr explicit tables(std::span<const rank_t> ranks) : to(ranks), from(to.size()) {
            for (rank_t& r : from) r = -1;
            for (rank_t v = 0; v < to.size() && !error; ++v) {
                if (to[v] < 0 || to[v] >= to.size()) error = {"order", to[v], "0 to ranks-1", v};
                else if (from[to[v]] >= 0) error = {"order", to[v], "every rank once", v};
                else from[to[v]] = v;
            }
        }
        constexpr bool operator==(const tables& other) const { return to == other.to; }
    };
    detail::shared<tables> held_;
};

}}  // namespace collsched::COLLSCHED_ABI
