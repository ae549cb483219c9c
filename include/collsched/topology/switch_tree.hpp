#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// A tree of switches (sites, networks, network switches) with nodes as its leaves. Switches are numbered from the root, which is
/// 0 on level 0, so that every switch has a greater number than its parent; nodes are numbered apart.
///
/// Memory 8 bytes a node, 24 a switch, held in common by all copies. Everything is O(1), meeting O(levels).
/// check() reports a wrong tree; no other member may be called then.
class switch_tree {
  public:
    /// A root without nodes.
    constexpr switch_tree() : switch_tree(std::span<const rank_t>{}, std::span<const rank_t>{}) {}

    /// parents[e - 1] is the parent of switch e, 0 <= parents[e - 1] < e; homes[c] is the switch of node c.
    constexpr switch_tree(std::span<const rank_t> parents, std::span<const rank_t> homes)
        : held_(tables(parents, homes)) {}

    /// Stands for a tree that is wrong.
    constexpr explicit switch_tree(const argument_error& error) : held_(tables(error)) {}

    /// All nodes on one switch.
    static constexpr switch_tree flat(rank_t nodes) {
        const owned_array<rank_t> homes(nodes);
        return switch_tree({}, homes);
    }

    constexpr rank_t nodes() const { return held_->home.size(); }
    constexpr rank_t switches() const { return held_->parent.size(); }
    /// One more than the level of the deepest switch.
    constexpr rank_t levels() const { return held_->levels; }

    /// -1 for the root.
    constexpr rank_t parent(rank_t e) const { return held_->parent[e]; }
    constexpr rank_t level(rank_t e) const { return held_->level[e]; }
    /// The switch of node c.
    constexpr rank_t home(rank_t c) const { return held_->home[c]; }
    /// Number of nodes under switch e, directly or not.
    constexpr rank_t population(rank_t e) const { return held_->population[e]; }

    /// The lowest switch above both nodes.
    constexpr rank_t meeting(rank_t a, rank_t b) const { return meeting_of(home(a), home(b)); }
    /// The lowest common ancestor of two switches, which may be one of them.
    constexpr rank_t meeting_of(rank_t a, rank_t b) const {
        while (a != b) (level(a) < level(b) ? b : a) = parent(level(a) < level(b) ? b : a);
        return a;
    }
    /// How many links a message passes from a to b; 0 for a = b.
    constexpr rank_t distance(rank_t a, rank_t b) const {
        return a == b ? 0 : 2 + level(home(a)) + level(home(b)) - 2 * level(meeting(a, b));
    }

    /// The tree with ranks as its leaves: a node with one rank is that rank, one with several becomes a switch under which
    /// they stand, one without any goes.
    /// The placement is one on as many nodes; else the tree is a wrong one.
    constexpr switch_tree placed(const placement& where) const {
        if (where.check() || where.nodes() != nodes() || check())
            return switch_tree(argument_error{"nodes", where.nodes(), "a placement on the nodes of the tree"});
        const owned_array<rank_t> residents = where.residents();
        rank_t shared_nodes = 0;
        for (const rank_t n : residents) shared_nodes += n > 1;
        owned_array<rank_t> parents(switches() - 1 + shared_nodes), inner(nodes()), homes(where.ranks());
        for (rank_t e = 1; e < switches(); ++e) parents[e - 1] = parent(e);
        rank_t next = switches();
        for (rank_t c = 0; c < nodes(); ++c) {
            inner[c] = residents[c] > 1 ? next : home(c);
            if (residents[c] > 1) parents[next++ - 1] = home(c);
        }
        for (rank_t r = 0; r < where.ranks(); ++r) homes[r] = inner[where.node(r)];
        return {parents, homes};
    }

    /// The first thing wrong.
    constexpr argument_error check() const { return held_->error; }
    bool operator==(const switch_tree&) const = default;

  private:
    struct tables {
        owned_array<rank_t> parent, level, population, home;
        rank_t levels = 1;
        argument_error error;

        constexpr explicit tables(const argument_error& cause) : parent(1), level(1), population(1), error(cause) {}
        constexpr tables(std::span<const rank_t> parents, std::span<const rank_t> homes)
            : parent(static_cast<std::int64_t>(parents.size()) + 1),
              level(parent.size()),
              population(parent.size()),
              home(homes) {
            parent[0] = -1;
            for (rank_t e = 1; e < parent.size(); ++e) {
                parent[e] = parents[static_cast<std::size_t>(e - 1)];
                if (parent[e] < 0 || parent[e] >= e) {
                    error = {"parents", parent[e], "a switch with a smaller number, 0 or more", e - 1};
                    return;
                }
                level[e] = level[parent[e]] + 1;
                if (level[e] >= levels) levels = level[e] + 1;
            }
            for (rank_t c = 0; c < home.size(); ++c) {
                if (home[c] < 0 || home[c] >= parent.size()) {
                    error = {"homes", home[c], "a switch", c};
                    return;
                }
                ++population[home[c]];
            }
            for (rank_t e = parent.size() - 1; e > 0; --e) population[parent[e]] += population[e];
        }
        constexpr bool operator==(const tables& other) const {
            return parent == other.parent && home == other.home && error == other.error;
        }
    };

    detail::shared<tables> held_;
};

}}}  // namespace collsched::COLLSCHED_ABI::topology
