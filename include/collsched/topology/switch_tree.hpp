#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// Tree whose leaves are nodes and whose inner vertices are switches (sites, networks, network switches). Switch 0 is
/// the root, on level 0, and every switch has a greater number than its parent. Nodes have numbers of their own.
///
/// Memory: 8 bytes per node, 24 per switch, shared by all copies. Methods are O(1) except common_switch(),
/// common_ancestor() and distance(): O(levels). check() reports a wrong tree; then no other method may be called.
class switch_tree {
  public:
    /// A root without nodes.
    constexpr switch_tree() : switch_tree(std::span<const rank_t>{}, std::span<const rank_t>{}) {}

    /// Tree with the given parents and homes.
    ///
    /// @param parents  parents[e - 1] is the parent of switch e, 0 .. e-1
    /// @param homes    homes[c] is the switch of node c
    constexpr switch_tree(std::span<const rank_t> parents, std::span<const rank_t> homes)
        : held_(tables(parents, homes)) {}

    /// Tree whose check() returns `error`.
    /// @param error  an error
    constexpr explicit switch_tree(const argument_error& error) : held_(tables(error)) {}

    /// Returns the tree of one switch with `nodes` nodes.
    /// @param nodes  number of nodes, 0 or more
    static constexpr switch_tree flat(rank_t nodes) {
        const owned_array<rank_t> homes(nodes);
        return switch_tree({}, homes);
    }

    /// Returns the number of nodes.
    constexpr rank_t nodes() const { return held_->home.size(); }
    /// Returns the number of switches, root included.
    constexpr rank_t switches() const { return held_->parent.size(); }
    /// Returns the number of levels of switches.
    constexpr rank_t levels() const { return held_->levels; }

    /// Returns the parent of switch e; -1 for the root.
    /// @param e  switch, 0 .. switches()-1
    constexpr rank_t parent(rank_t e) const { return held_->parent[e]; }
    /// Returns the distance of switch e from the root.
    /// @param e  switch, 0 .. switches()-1
    constexpr rank_t level(rank_t e) const { return held_->level[e]; }
    /// Returns the switch of node c.
    /// @param c  node, 0 .. nodes()-1
    constexpr rank_t home(rank_t c) const { return held_->home[c]; }
    /// Returns the number of nodes below switch e.
    /// @param e  switch, 0 .. switches()-1
    constexpr rank_t population(rank_t e) const { return held_->population[e]; }

    /// Returns the lowest switch above nodes a and b.
    /// @param a  node, 0 .. nodes()-1
    /// @param b  node, 0 .. nodes()-1
    constexpr rank_t common_switch(rank_t a, rank_t b) const { return common_ancestor(home(a), home(b)); }
    /// Returns the lowest common ancestor of switches a and b, possibly one of them.
    /// @param a  switch, 0 .. switches()-1
    /// @param b  switch, 0 .. switches()-1
    constexpr rank_t common_ancestor(rank_t a, rank_t b) const {
        while (a != b) (level(a) < level(b) ? b : a) = parent(level(a) < level(b) ? b : a);
        return a;
    }
    /// Returns the number of links between nodes a and b; 0 for a = b.
    /// @param a  node, 0 .. nodes()-1
    /// @param b  node, 0 .. nodes()-1
    constexpr rank_t distance(rank_t a, rank_t b) const {
        return a == b ? 0 : 2 + level(home(a)) + level(home(b)) - 2 * level(common_switch(a, b));
    }

    /// Returns the tree with ranks as leaves: a node with one rank becomes that rank, a node with several becomes a
    /// switch above them, a node without ranks is removed. O(ranks + nodes + switches).
    /// @pre `where` has as many nodes as the tree; else check() of the result reports an error
    /// @param where  node of each rank
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

    /// Returns the placement of the nodes on their switches, which are numbered in the order of their first node.
    /// O(nodes + switches).
    constexpr placement by_switch() const {
        owned_array<rank_t> number(switches()), switch_of(nodes());  // numbers from 1 on; 0: none yet
        rank_t count = 0;
        for (rank_t c = 0; c < nodes(); ++c) {
            rank_t& n = number[home(c)];
            if (n == 0) n = ++count;
            switch_of[c] = n - 1;
        }
        return placement::list(switch_of, count);
    }

    /// Returns the first error in the arguments of construction, or no error. O(1).
    constexpr argument_error check() const { return held_->error; }
    bool operator==(const switch_tree&) const = default;

  private:
    struct tables {
        owned_array<rank_t> parent, level, population, home;
        rank_t levels = 1;
        argument_error error;

        constexpr explicit tables(const argument_error& cause) : parent(1), error(cause) {}
        constexpr tables(std::span<const rank_t> parents, std::span<const rank_t> homes)
            : parent(static_cast<std::int64_t>(parents.size()) + 1), home(homes) {
            level = population = owned_array<rank_t>(parent.size());
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

    collsched::detail::shared<tables> held_;
};

}}}  // namespace collsched::COLLSCHED_ABI::topology
