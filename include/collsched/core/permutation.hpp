#pragma once

#include <span>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Stored order of ranks: maps virtual ranks to ranks. A default permutation is the identity for any number of ranks.
///
/// Memory: 16 bytes per rank, shared by all copies. check() reports arrays that are not permutations; then no other
/// method may be called.
class permutation {
  public:
    /// Identity, for any number of ranks.
    constexpr permutation() = default;
    /// Maps virtual rank v to rank to[v]. O(ranks).
    /// @param to  every rank 0 .. p-1 once
    constexpr explicit permutation(std::span<const rank_t> to) : held_(tables(to)) {}

    /// As above, for an array of another integer type.
    /// @param to  every rank 0 .. p-1 once
    template <detail::integer_array Array>
    constexpr explicit permutation(const Array& to) : permutation(std::span<const rank_t>(detail::widened(to))) {}

    /// Returns the rank of virtual rank v. O(1).
    /// @param v  virtual rank, 0 .. p-1
    /// @return rank, 0 .. p-1
    constexpr rank_t rank(rank_t v) const { return held_ ? held_->to[v] : v; }
    /// Returns the virtual rank of rank r. O(1).
    /// @param r  rank, 0 .. p-1
    /// @return virtual rank, 0 .. p-1
    constexpr rank_t virtual_rank(rank_t r) const { return held_ ? held_->from[r] : r; }
    /// Returns the permutation whose rank(r) is virtual_rank(r) of this one. O(ranks).
    /// @return the identity for the identity
    constexpr permutation inverse() const {
        if (!held_) return {};
        return permutation(held_->from);
    }
    /// Returns the first error for use with `ranks` ranks, or no error. O(1).
    /// @param ranks  number of ranks, 1 or more
    /// @return the first entry that is out of range or not the first of its rank, or another number of entries than
    ///         ranks
    constexpr argument_error check(rank_t ranks) const {
        if (!held_) return {};
        if (held_->to.size() != ranks) return {"order", held_->to.size(), "as many entries as ranks"};
        return held_->error;
    }

    /// Calls f(number) for the numbers that determine this permutation. Used for fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        const rank_t ranks = held_ ? held_->to.size() : 0;
        f(ranks);
        for (rank_t v = 0; v < ranks; ++v) f(held_->to[v]);
    }
    /// Compares the entries. A default permutation differs from a stored identity. O(ranks).
    /// @return whether both store the same entries, or none
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

/// Returns the layout whose block v is block order.rank(v) of `layout`, with its displacement. O(ranks).
/// @param layout  layout of `ranks` blocks
/// @param ranks   number of ranks
/// @param order   permutation of the ranks
template <class Permutation>
constexpr block_layout permuted(const block_layout& layout, rank_t ranks, const Permutation& order) {
    owned_array<bytes_t> counts(ranks), displs(ranks);
    for (rank_t v = 0; v < ranks; ++v) {
        counts[v] = layout.count(order.rank(v));
        displs[v] = layout.displ(order.rank(v));
    }
    return {counts, displs};
}

}}  // namespace collsched::COLLSCHED_ABI
