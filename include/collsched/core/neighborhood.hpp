#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/neighbor_table.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Graph of a neighborhood collective: the ordered lists of targets and sources of each rank.
///
/// A position in a list is a slot. Each out-slot of a rank fills one in-slot of its target. A pair of ranks may have
/// several slots, and a rank may be its own neighbor. A slot may be empty, as for MPI_PROC_NULL: no bytes move, but the
/// slot has its place in the buffers.
///
/// Memory: O(ranks + slots), shared by all copies. Methods are O(1). A default neighborhood has no edges, for any
/// number of ranks. check() reports wrong lists; then no other method may be called.
class neighborhood {
  public:
    /// The rank at the other end of an empty slot.
    static constexpr rank_t none = -1;

    /// Neighborhood without edges, for any number of ranks.
    constexpr neighborhood() = default;

    /// Neighborhood in which rank r has the next out_degrees[r] entries of `targets`. Its sources are in ascending
    /// order, and several slots of one source in the order of that source.
    /// @param out_degrees  number of targets of each rank
    /// @param targets      ranks, or -1 for an empty slot
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets))) {}

    /// Neighborhood with explicit sources, as a distributed graph of MPI. The n-th slot of s to d fills the n-th slot
    /// of d from s; both numbers of slots must be equal.
    /// @param out_degrees  number of targets of each rank
    /// @param targets      ranks, or -1 for an empty slot
    /// @param in_degrees   number of sources of each rank
    /// @param sources      ranks, or -1 for an empty slot
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets, const Degrees& in_degrees,
                           const Ranks& sources)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets),
                                       detail::as_numbers(in_degrees), detail::as_numbers(sources))) {}

    /// Neighborhood with explicit slots: the out-slot of targets[n] fills in-slot slots[n] of that target; -1 for an
    /// empty slot.
    /// @param out_degrees  number of targets of each rank
    /// @param targets      ranks, or -1 for an empty slot
    /// @param in_degrees   number of sources of each rank
    /// @param sources      ranks, or -1 for an empty slot
    /// @param slots        positions in the list of sources of each target, or -1; as many as targets
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets, const Degrees& in_degrees,
                           const Ranks& sources, const Ranks& slots)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets),
                                       detail::as_numbers(in_degrees), detail::as_numbers(sources),
                                       detail::as_numbers(slots))) {}

    /// Returns the neighborhood of a Cartesian grid of sizes `dims`, whose last dimension varies fastest.
    ///
    /// Slot 2d leads one step down in dimension d, slot 2d+1 one step up; both are empty at the ends of a dimension
    /// that is not periodic. A message sent down fills the up-slot of its target. So a periodic dimension of size 1 or
    /// 2, whose slots lead to one rank, does not swap the two.
    /// @param dims      size of each dimension, 1 or more
    /// @param periodic  for each dimension, whether its ends are neighbors
    /// @return a neighborhood of the product of `dims` ranks, with 2 * dimensions slots per rank
    template <detail::integers Dims, detail::integers Flags>
    static constexpr neighborhood cartesian(const Dims& dims, const Flags& periodic) {
        neighborhood grid;
        grid.held_ = detail::shared(detail::grid_table(detail::as_numbers(dims), detail::as_numbers(periodic)));
        return grid;
    }

    /// Returns the number of ranks with lists; 0 for a default neighborhood.
    /// @return 0 or more
    constexpr rank_t ranks() const { return held_ ? held_->ranks() : 0; }
    /// Returns the number of out-slots of rank r, empty ones included.
    /// @param r  rank, 0 .. p-1
    /// @return 0 or more
    constexpr rank_t out_degree(rank_t r) const { return held_ ? held_->out_first[r + 1] - held_->out_first[r] : 0; }
    /// Returns the number of in-slots of rank r, empty ones included.
    /// @param r  rank, 0 .. p-1
    /// @return 0 or more
    constexpr rank_t in_degree(rank_t r) const { return held_ ? held_->in_first[r + 1] - held_->in_first[r] : 0; }
    /// Returns the largest degree of any rank.
    /// @return the largest number of out-slots or in-slots of a rank
    constexpr rank_t largest_degree() const { return held_ ? held_->largest : 0; }

    /// Returns the target of out-slot i of rank r, or none.
    /// @param r  rank, 0 .. p-1
    /// @param i  out-slot, 0 .. out_degree(r) - 1
    /// @return a rank, or -1
    constexpr rank_t target(rank_t r, rank_t i) const { return held_->targets[out_slot(r, i)]; }
    /// Returns the source of in-slot j of rank r, or none.
    /// @param r  rank, 0 .. p-1
    /// @param j  in-slot, 0 .. in_degree(r) - 1
    /// @return a rank, or -1
    constexpr rank_t source(rank_t r, rank_t j) const { return held_->sources[in_slot(r, j)]; }
    /// Returns the in-slot of the target that out-slot i of rank r fills, or -1.
    /// @param r  rank, 0 .. p-1
    /// @param i  out-slot, 0 .. out_degree(r) - 1
    /// @return 0 .. in_degree(target(r, i)) - 1; -1 for an empty slot
    constexpr rank_t arrival(rank_t r, rank_t i) const {
        const std::int64_t slot = held_->arrivals[out_slot(r, i)];
        return slot < 0 ? -1 : slot - held_->in_first[target(r, i)];
    }
    /// Returns the out-slot of the source that fills in-slot j of rank r, or -1.
    /// @param r  rank, 0 .. p-1
    /// @param j  in-slot, 0 .. in_degree(r) - 1
    /// @return 0 .. out_degree(source(r, j)) - 1; -1 for an empty slot
    constexpr rank_t departure(rank_t r, rank_t j) const {
        const std::int64_t slot = held_->departures[in_slot(r, j)];
        return slot < 0 ? -1 : slot - held_->out_first[source(r, j)];
    }

    /// Returns the number of out-slots of all ranks.
    /// @return sum of the out-degrees
    constexpr std::int64_t out_slots() const { return held_ ? held_->targets.size() : 0; }
    /// Returns the number of in-slots of all ranks.
    /// @return sum of the in-degrees
    constexpr std::int64_t in_slots() const { return held_ ? held_->sources.size() : 0; }
    /// Returns the global number of out-slot i of rank r: slots are numbered rank by rank.
    /// @param r  rank, 0 .. p-1
    /// @param i  out-slot, 0 .. out_degree(r) - 1
    /// @return 0 .. out_slots() - 1
    constexpr std::int64_t out_slot(rank_t r, rank_t i) const { return held_ ? held_->out_first[r] + i : i; }
    /// Returns the global number of in-slot j of rank r.
    /// @param r  rank, 0 .. p-1
    /// @param j  in-slot, 0 .. in_degree(r) - 1
    /// @return 0 .. in_slots() - 1
    constexpr std::int64_t in_slot(rank_t r, rank_t j) const { return held_ ? held_->in_first[r] + j : j; }

    /// Returns the first error for use with `ranks` ranks, or no error. O(1).
    /// @param ranks  number of ranks, 1 or more
    /// @return the first wrong list, or another number of ranks than that of the lists
    constexpr argument_error check(rank_t ranks) const {
        if (!held_) return {};
        if (held_->error) return held_->error;
        if (held_->ranks() != ranks) return {"neighbors", held_->ranks(), "lists for as many ranks as there are"};
        return {};
    }

    /// Calls f(number) for the numbers that determine this neighborhood. Used for fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        f(ranks());
        for (rank_t r = 0; r < ranks(); ++r) {
            f(out_degree(r)), f(in_degree(r));
            for (rank_t i = 0; i < out_degree(r); ++i) f(target(r, i)), f(arrival(r, i));
        }
    }
    /// Returns an address that copies of this neighborhood share: equal ones have equal lists while one of them lives.
    /// @return null for a neighborhood without edges
    constexpr const void* identity() const { return held_.identity(); }
    /// Compares the lists. O(1) for copies of one neighborhood, else O(ranks + slots).
    /// @return whether all lists and pairs of slots are equal
    bool operator==(const neighborhood&) const = default;

  private:
    detail::shared<detail::neighbor_table> held_;
};

}}  // namespace collsched::COLLSCHED_ABI
