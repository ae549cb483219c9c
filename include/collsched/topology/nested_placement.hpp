#pragma once

#include <span>

#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

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
