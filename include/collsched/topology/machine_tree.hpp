#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/shared.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched::inline v0_1::topology {

/// A tree of equipment (sites, networks, switches) with computers as its leaves. Equipment is numbered from the root, which is
/// 0 and stands on level 0, so that everything has a greater number than what it hangs on; computers are numbered apart.
///
/// Memory 8 bytes a computer, 24 a piece of equipment, held in common by all copies. Everything is O(1), meeting O(levels).
/// A wrong tree is told by check(); nothing else may be asked of it.
class machine_tree {
  public:
    /// A root without computers.
    constexpr machine_tree() : machine_tree(std::span<const rank_t>{}, std::span<const rank_t>{}) {}

    /// parents[e - 1] is what equipment e hangs on, 0 <= parents[e - 1] < e; homes[c] is what computer c hangs on.
    constexpr machine_tree(std::span<const rank_t> parents, std::span<const rank_t> homes)
        : held_(tables(parents, homes)) {}

    /// Stands for a tree that is wrong.
    constexpr explicit machine_tree(const error& wrong) : held_(tables(wrong)) {}

    /// All computers on one switch.
    static constexpr machine_tree flat(rank_t computers) {
        const owned_array<rank_t> homes(computers);
        return machine_tree({}, homes);
    }

    constexpr rank_t computers() const { return held_->home.size(); }
    constexpr rank_t equipment() const { return held_->parent.size(); }
    /// One more than the level of the deepest equipment.
    constexpr rank_t levels() const { return held_->levels; }

    /// -1 for the root.
    constexpr rank_t parent(rank_t e) const { return held_->parent[e]; }
    constexpr rank_t level(rank_t e) const { return held_->level[e]; }
    /// The equipment that computer c hangs on.
    constexpr rank_t home(rank_t c) const { return held_->home[c]; }
    /// How many computers stand under equipment e, directly or not.
    constexpr rank_t population(rank_t e) const { return held_->population[e]; }

    /// The lowest equipment that both computers stand under.
    constexpr rank_t meeting(rank_t a, rank_t b) const { return meeting_of(home(a), home(b)); }
    /// The lowest equipment that is or holds both.
    constexpr rank_t meeting_of(rank_t a, rank_t b) const {
        while (a != b) (level(a) < level(b) ? b : a) = parent(level(a) < level(b) ? b : a);
        return a;
    }
    /// How many links a message passes from a to b; 0 for a = b.
    constexpr rank_t distance(rank_t a, rank_t b) const {
        return a == b ? 0 : 2 + level(home(a)) + level(home(b)) - 2 * level(meeting(a, b));
    }

    /// The tree with ranks as its leaves: a computer with one rank is that rank, one with several becomes equipment under which
    /// they stand, one without any goes.
    /// The placement is one on as many computers; else the tree is a wrong one.
    constexpr machine_tree placed(const placement& where) const {
        if (where.check() || where.computers() != computers() || check())
            return machine_tree(error{"computers", where.computers(), "a placement on the computers of the tree"});
        const owned_array<rank_t> residents = where.residents();
        rank_t several = 0;
        for (const rank_t n : residents) several += n > 1;
        owned_array<rank_t> parents(equipment() - 1 + several), inner(computers()), homes(where.ranks());
        for (rank_t e = 1; e < equipment(); ++e) parents[e - 1] = parent(e);
        rank_t next = equipment();
        for (rank_t c = 0; c < computers(); ++c) {
            inner[c] = residents[c] > 1 ? next : home(c);
            if (residents[c] > 1) parents[next++ - 1] = home(c);
        }
        for (rank_t r = 0; r < where.ranks(); ++r) homes[r] = inner[where.computer(r)];
        return {parents, homes};
    }

    /// The first thing wrong.
    constexpr error check() const { return held_->wrong; }
    bool operator==(const machine_tree&) const = default;

  private:
    struct tables {
        owned_array<rank_t> parent, level, population, home;
        rank_t levels = 1;
        error wrong;

        constexpr explicit tables(const error& told) : parent(1), level(1), population(1), wrong(told) {}
        constexpr tables(std::span<const rank_t> parents, std::span<const rank_t> homes)
            : parent(static_cast<std::int64_t>(parents.size()) + 1),
              level(parent.size()),
              population(parent.size()),
              home(homes) {
            parent[0] = -1;
            for (rank_t e = 1; e < parent.size(); ++e) {
                parent[e] = parents[static_cast<std::size_t>(e - 1)];
                if (parent[e] < 0 || parent[e] >= e) {
                    wrong = {"parents", parent[e], "equipment with a smaller number, 0 or more", e - 1};
                    return;
                }
                level[e] = level[parent[e]] + 1;
                if (level[e] >= levels) levels = level[e] + 1;
            }
            for (rank_t c = 0; c < home.size(); ++c) {
                if (home[c] < 0 || home[c] >= parent.size()) {
                    wrong = {"homes", home[c], "a piece of equipment", c};
                    return;
                }
                ++population[home[c]];
            }
            for (rank_t e = parent.size() - 1; e > 0; --e) population[parent[e]] += population[e];
        }
        constexpr bool operator==(const tables& other) const {
            return parent == other.parent && home == other.home && wrong == other.wrong;
        }
    };

    shared<tables> held_;
};

}  // namespace collsched::inline v0_1::topology
