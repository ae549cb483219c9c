#pragma once

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/neighbor_table.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Who sends to whom in a neighborhood collective: for every rank the ordered lists of its targets and of its sources.
/// A place in a list is a slot; what leaves by an out-slot comes in by one in-slot of the target. Two ranks may be
/// joined several times, and a rank with itself. A slot may be empty, as MPI_PROC_NULL makes it: nothing is moved, but
/// it has its place in the buffers.
///
/// O(ranks + slots) memory, held in common by all copies; every answer O(1). Default-made, nobody has neighbors,
/// however many ranks there are. Wrong lists are told by check(); nothing else may be asked of them.
class neighborhood {
  public:
    /// The rank at the other end of an empty slot.
    static constexpr rank_t none = -1;

    constexpr neighborhood() = default;

    /// Rank r has the next out_degrees[r] of `targets`; its sources are in ascending order, and several of one rank in
    /// the order of that rank's slots.
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets))) {}

    /// Sources in an order of their own. The n-th slot of s for d fills the n-th slot of d for s, and there must be as
    /// many: a distributed graph of MPI.
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets, const Degrees& in_degrees,
                           const Ranks& sources)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets),
                                       detail::as_numbers(in_degrees), detail::as_numbers(sources))) {}

    /// The out-slot of targets[n] fills slot slots[n] of that target, -1 where it is empty.
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets, const Degrees& in_degrees,
                           const Ranks& sources, const Ranks& slots)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets),
                                       detail::as_numbers(in_degrees), detail::as_numbers(sources),
                                       detail::as_numbers(slots))) {}

    /// The neighbors in a grid of these sizes, the last dimension running fastest: slot 2d leads one step down in
    /// dimension d, slot 2d+1 one step up; both are empty at the ends of a dimension that is not periodic. What goes
    /// down comes in from above, so that a periodic dimension of size 1 or 2, where both slots lead to one rank, does
    /// not swap the two.
    template <detail::integers Dims, detail::integers Flags>
    static constexpr neighborhood cartesian(const Dims& dims, const Flags& periodic) {
        neighborhood grid;
        grid.held_ = detail::shared(detail::grid_table(detail::as_numbers(dims), detail::as_numbers(periodic)));
        return grid;
    }

    /// How many ranks have lists; 0 if default-made.
    constexpr rank_t ranks() const { return held_ ? held_->ranks() : 0; }
    /// Slots of a rank, empty ones included.
    constexpr rank_t out_degree(rank_t r) const { return held_ ? held_->out_first[r + 1] - held_->out_first[r] : 0; }
    constexpr rank_t in_degree(rank_t r) const { return held_ ? held_->in_first[r + 1] - held_->in_first[r] : 0; }
    constexpr rank_t largest_degree() const { return held_ ? held_->largest : 0; }

    /// Where out-slot i of rank r leads, and who comes in by in-slot j; or none.
    constexpr rank_t target(rank_t r, rank_t i) const { return held_->targets[out_slot(r, i)]; }
    constexpr rank_t source(rank_t r, rank_t j) const { return held_->sources[in_slot(r, j)]; }
    /// The in-slot of the target that out-slot i of rank r fills, or -1.
    constexpr rank_t arrival(rank_t r, rank_t i) const {
        const std::int64_t slot = held_->arrivals[out_slot(r, i)];
        return slot < 0 ? -1 : slot - held_->in_first[target(r, i)];
    }
    /// The out-slot of the source that fills in-slot j of rank r, or -1.
    constexpr rank_t departure(rank_t r, rank_t j) const {
        const std::int64_t slot = held_->departures[in_slot(r, j)];
        return slot < 0 ? -1 : slot - held_->out_first[source(r, j)];
    }

    /// Slots of all ranks, numbered rank by rank.
    constexpr std::int64_t out_slots() const { return held_ ? held_->targets.size() : 0; }
    constexpr std::int64_t in_slots() const { return held_ ? held_->sources.size() : 0; }
    constexpr std::int64_t out_slot(rank_t r, rank_t i) const { return held_ ? held_->out_first[r] + i : i; }
    constexpr std::int64_t in_slot(rank_t r, rank_t j) const { return held_ ? held_->in_first[r] + j : j; }

    /// The first thing wrong, for use with this many ranks. O(1).
    constexpr argument_error check(rank_t ranks) const {
        if (!held_) return {};
        if (held_->error) return held_->error;
        if (held_->ranks() != ranks) return {"neighbors", held_->ranks(), "lists for as many ranks as there are"};
        return {};
    }

    /// f(number) for the numbers that tell this neighborhood from others.
    constexpr void describe(auto f) const {
        f(ranks());
        for (rank_t r = 0; r < ranks(); ++r) {
            f(out_degree(r)), f(in_degree(r));
            for (rank_t i = 0; i < out_degree(r); ++i) f(target(r, i)), f(arrival(r, i));
        }
    }
    bool operator==(const neighborhood&) const = default;

  private:
    detail::shared<detail::neighbor_table> held_;
};

}}  // namespace collsched::COLLSCHED_ABI
