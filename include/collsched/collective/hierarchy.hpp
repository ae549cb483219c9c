#pragma once

#include "collsched/combine/rank_groups.hpp"
#include "collsched/combine/region.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the first error of a placement for `ranks` ranks, or no error. An empty placement is valid.
///
/// @param placement  node of every rank, or empty
/// @param ranks      number of ranks, 1 or more; at most 2^24 are supported
constexpr argument_error check_placement(const topology::placement& placement, rank_t ranks) {
    if (placement.check()) return placement.check();
    if (placement.ranks() != 0 && placement.ranks() != ranks)
        return {"placement", placement.ranks(), "as many entries as ranks"};
    constexpr rank_t limit = rank_t{1} << 24;
    if (ranks > limit) return {"ranks", ranks, "2^24 or less, as groups are stored"};
    if (placement.nodes() > limit) return {"nodes", placement.nodes(), "2^24 or less"};
    return {};
}

namespace detail {

/// Returns one group of all ranks if no placement is given, or one group of one rank if check_placement() fails.
template <class Make>
constexpr rank_groups grouped_by(const topology::placement& placement, rank_t ranks, const Make& make) {
    const bool sound = !check_ranks(ranks) && !check_placement(placement, ranks);
    if (sound && placement.ranks() > 0) return make();
    return rank_groups::by_runs(sound ? ranks : 1, [](rank_t) { return 0; });
}

/// Returns the layout or matrix of an algorithm, or an empty one if its parameters have an error. (g++ 12 destroys
/// objects with constant-expression memory twice when `?:` chooses them; the code here and below avoids that.)
template <class Blocks>
constexpr Blocks sound(const argument_error& error, const Blocks& blocks) {
    if (error) return {};
    return blocks;
}

}  // namespace detail

/// Returns one group of ranks per node, or one group of all ranks for an empty placement. O(ranks) memory.
///
/// @param placement  node of every rank, or empty
/// @param ranks      number of ranks; with wrong arguments the result is one group of one rank
constexpr rank_groups groups_of(const topology::placement& placement, rank_t ranks) {
    return detail::grouped_by(placement, ranks, [&] {
        return rank_groups::by_label(ranks, placement.nodes(), [&](rank_t r) { return placement.node(r); });
    });
}

/// Returns one group per maximal run of consecutive ranks on one node, or one group of all ranks for an empty
/// placement.
///
/// @param placement  node of every rank, or empty
/// @param ranks      number of ranks; with wrong arguments the result is one group of one rank
constexpr rank_groups runs_of(const topology::placement& placement, rank_t ranks) {
    return detail::grouped_by(placement, ranks,
                              [&] { return rank_groups::by_runs(ranks, [&](rank_t r) { return placement.node(r); }); });
}

namespace detail {

/// Maps the blocks of a collective, group by group, to byte ranges: blocks of a group are one range in a buffer of the
/// group, and several ranges in a buffer of all blocks. O(ranks) memory, shared by all copies.
class blocks_in_groups {
  public:
    constexpr blocks_in_groups(const block_layout& blocks, const rank_groups& groups)
        : groups_(groups), all_(blocks), inside_(layouts(blocks, groups)) {
        if (!groups.consecutive()) all_ = permuted(blocks, groups.ranks(), groups);
        owned_array<bytes_t> sums(groups.groups());
        for (rank_t g = 0; g < sums.size(); ++g) sums[g] = bytes(g);
        group_layout_ = block_layout(std::span<const bytes_t>(sums));
    }

    /// Returns the bytes of the blocks of all members of group g.
    constexpr bytes_t bytes(rank_t g) const {
        return all_.prefix(groups_.first(g) + groups_.size(g)) - all_.prefix(groups_.first(g));
    }
    /// Returns the layout with one block per group.
    constexpr const block_layout& group_layout() const { return group_layout_; }
    /// Returns the layout with one block per member of group g.
    constexpr const block_layout& inside(rank_t g) const { return (*inside_)[g]; }

    /// Returns the region of all blocks, in order of groups, within buffer b of the collective.
    constexpr region in(buffer b) const { return {{b, 0}, all_, groups_.ranks()}; }
    /// Returns the same region from the first member of group g on.
    constexpr region of_group(rank_t g, buffer b) const { return {{b, 0}, all_, groups_.ranks(), groups_.first(g)}; }

  private:
    static constexpr shared<owned_array<block_layout>> layouts(const block_layout& blocks, const rank_groups& groups) {
        owned_array<block_layout> result(groups.groups());
        for (rank_t g = 0; g < result.size(); ++g) {
            owned_array<bytes_t> counts(groups.size(g));
            for (rank_t i = 0; i < counts.size(); ++i) counts[i] = blocks.count(groups.member(g, i));
            // A layout of equal parts depends on the number of ranks, so it cannot be reused.
            if (blocks.uniform()) result[g] = block_layout(blocks.count(0));
            else result[g] = block_layout(std::span<const bytes_t>(counts));
        }
        return shared(static_cast<owned_array<block_layout>&&>(result));
    }

    rank_groups groups_;
    block_layout all_, group_layout_;
    shared<owned_array<block_layout>> inside_;
};

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
