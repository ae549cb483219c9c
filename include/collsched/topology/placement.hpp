#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// Node of each rank. Several ranks may share a node. Memory: 8 bytes per rank, shared by all copies. check() reports
/// wrong arguments; then no other method may be called.
class placement {
  public:
    class nested;  ///< placements of the same ranks on several levels, see below

    /// Placement of no ranks on no nodes.
    constexpr placement() = default;
    /// Placement of no ranks whose check() returns `error`.
    /// @param error  an error
    constexpr explicit placement(const argument_error& error) : error_(error) {}

    /// Returns the block placement of p ranks on n nodes: consecutive ranks share a node, and the first p mod n nodes
    /// host one rank more than the others.
    /// @param ranks  number of ranks, 1 or more
    /// @param nodes  number of nodes, 1 or more
    static constexpr placement block(rank_t ranks, rank_t nodes) {
        if (nodes < 1) return {owned_array<rank_t>(ranks), nodes};
        const rank_t share = ranks / nodes, more = ranks % nodes;
        owned_array<rank_t> node_of(ranks);
        for (rank_t r = 0; r < ranks; ++r)
            node_of[r] = r < more * (share + 1) ? r / (share + 1) : more + (r - more * (share + 1)) / share;
        return {static_cast<owned_array<rank_t>&&>(node_of), nodes};
    }
    /// Returns the cyclic placement: rank r runs on node r mod n.
    /// @param ranks  number of ranks, 1 or more
    /// @param nodes  number of nodes, 1 or more
    static constexpr placement cyclic(rank_t ranks, rank_t nodes) {
        owned_array<rank_t> node_of(ranks);
        for (rank_t r = 0; r < ranks && nodes > 0; ++r) node_of[r] = r % nodes;
        return {static_cast<owned_array<rank_t>&&>(node_of), nodes};
    }
    /// Returns the placement of rank r on node where[r].
    /// @param where  nodes 0 .. nodes-1, one per rank
    /// @param nodes  number of nodes
    static constexpr placement list(std::span<const rank_t> where, rank_t nodes) {
        return {owned_array<rank_t>(where), nodes};
    }

    /// Returns the placement in which rank r runs on the node of rank above.node(r) of this placement. check() of the
    /// result reports ranks outside.
    /// @param above  placement on the ranks of this one
    constexpr placement under(const placement& above) const {
        if (above.ranks() == 0) return above;
        owned_array<rank_t> node_of(above.ranks());
        for (rank_t r = 0; r < node_of.size(); ++r) node_of[r] = above.node(r) < ranks() ? node(above.node(r)) : -1;
        return {static_cast<owned_array<rank_t>&&>(node_of), nodes_};
    }

    /// Returns the number of ranks.
    constexpr rank_t ranks() const { return node_ ? node_->size() : 0; }
    /// Returns the number of nodes.
    constexpr rank_t nodes() const { return nodes_; }
    /// Returns the node of rank r. O(1).
    /// @param r  rank, 0 .. ranks()-1
    constexpr rank_t node(rank_t r) const { return (*node_)[r]; }
    /// Returns the number of ranks on each node. O(ranks + nodes).
    constexpr owned_array<rank_t> residents() const {
        owned_array<rank_t> counts(nodes_);
        for (rank_t r = 0; r < ranks(); ++r) ++counts[node(r)];
        return counts;
    }

    /// Returns the local rank of each rank: the number of smaller ranks on its node. O(ranks + nodes).
    constexpr owned_array<rank_t> local_ranks() const {
        owned_array<rank_t> counts(nodes_), locals(ranks());
        for (rank_t r = 0; r < ranks(); ++r) locals[r] = counts[node(r)]++;
        return locals;
    }

    /// Returns the largest number of ranks on one node; 1 without ranks. O(ranks + nodes).
    constexpr rank_t ranks_per_node() const {
        rank_t most = 1;
        const owned_array<rank_t> counts = residents();
        for (rank_t c = 0; c < nodes_; ++c) most = counts[c] > most ? counts[c] : most;
        return most;
    }
    /// Returns the first error in the arguments of construction, or no error. O(1).
    constexpr argument_error check() const { return error_; }
    /// Calls f(number) for the numbers that determine this placement. Used for fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        f(ranks());
        for (rank_t r = 0; r < ranks(); ++r) f(node(r));
    }
    bool operator==(const placement&) const = default;

  private:
    constexpr placement(owned_array<rank_t> node_of, rank_t nodes) : nodes_(nodes) {
        if (node_of.empty()) error_ = {"ranks", 0, "1 or more"};
        else if (nodes < 1) error_ = {"nodes", nodes, "1 or more"};
        for (rank_t r = 0; r < node_of.size() && !error_; ++r)
            if (node_of[r] < 0 || node_of[r] >= nodes) error_ = {"placement", node_of[r], "a node, 0 to nodes-1", r};
        if (!error_)
            node_ = collsched::detail::shared<owned_array<rank_t>>(static_cast<owned_array<rank_t>&&>(node_of));
    }

    rank_t nodes_ = 0;
    collsched::detail::shared<owned_array<rank_t>> node_;
    argument_error error_;
};

/// Returns an error unless ranks that share a node of `inner` share one of `outer`, as ranks of a node share its rack. An
/// empty placement has all ranks on one node. O(ranks + nodes).
/// @param inner  placement without error, or empty
/// @param outer  placement without error, of as many ranks, or empty
constexpr argument_error check_nested(const placement& inner, const placement& outer) {
    if (inner.check()) return inner.check();
    if (outer.check()) return outer.check();
    if (outer.ranks() == 0) return {};
    if (inner.ranks() != 0 && inner.ranks() != outer.ranks())
        return {"placement", outer.ranks(), "as many entries in every placement"};
    owned_array<rank_t> outer_node(inner.ranks() == 0 ? 1 : inner.nodes());
    for (rank_t& node : outer_node) node = -1;
    for (rank_t r = 0; r < outer.ranks(); ++r) {
        rank_t& node = outer_node[inner.ranks() == 0 ? 0 : inner.node(r)];
        if (node < 0) node = outer.node(r);
        if (node != outer.node(r))
            return {"placement", outer.node(r), "one outer node for all ranks of an inner node", r};
    }
    return {};
}

/// Placements of the same ranks, from the innermost level to the outermost, such as on sockets, nodes and racks. check()
/// reports wrong placements, and those that are not nested. Memory: 40 bytes per level, and that of the placements.
class placement::nested {
  public:
    /// No levels.
    constexpr nested() = default;
    /// Placements from the innermost level to the outermost.
    /// @param levels  placements of the same ranks. Ranks that share a node of one level share one of the next.
    constexpr nested(std::span<const placement> levels) : levels_(levels) {}

    /// Returns the number of levels.
    constexpr rank_t levels() const { return levels_.size(); }
    /// Returns the placement of a level.
    /// @param i  level, 0 .. levels()-1, the innermost first
    constexpr const placement& level(rank_t i) const { return levels_[i]; }
    /// Returns the first error of a placement, the first rank whose placements are not nested, or no error.
    /// O(levels (ranks + nodes)).
    constexpr argument_error check() const {
        for (rank_t i = 0; i < levels(); ++i)
            if (argument_error error = check_nested(i == 0 ? level(0) : level(i - 1), level(i))) return error;
        return {};
    }
    bool operator==(const nested&) const = default;

  private:
    owned_array<placement> levels_;
};

}}}  // namespace collsched::COLLSCHED_ABI::topology
