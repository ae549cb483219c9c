#pragma once

#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/shared.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Disjoint groups of ranks, numbered in the order of their first members, members in ascending order. Ranks may have no
/// group. Memory: 24 bytes per rank, shared by all copies. Methods are O(1).
class rank_groups {
  public:
    /// Label of a rank without a group, as MPI_UNDEFINED is a color.
    static constexpr rank_t undefined = -1;

    /// No groups of no ranks.
    constexpr rank_groups() = default;
    /// Returns the groups of ranks with equal labels. O(ranks + labels).
    /// @param ranks   number of ranks
    /// @param labels  number of labels
    /// @param label   label(r), 0 .. labels-1, or `undefined` for a rank without a group
    /// Failure: another label throws bad_argument, or gives groups of no ranks whose check() reports it.
    template <class LabelOf>
    static constexpr rank_groups by_label(rank_t ranks, rank_t labels, const LabelOf& label) {
        owned_array<rank_t> group_of_label(labels), group(ranks);
        for (rank_t& g : group_of_label) g = -1;
        rank_t groups = 0;
        for (rank_t r = 0; r < ranks; ++r) {
            const rank_t rank_label = label(r);
            if (rank_label < undefined || rank_label >= labels) return rank_groups(wrong_label(rank_label, r));
            group[r] = undefined;
            if (rank_label == undefined) continue;
            rank_t& g = group_of_label[rank_label];
            if (g < 0) g = groups++;
            group[r] = g;
        }
        return rank_groups(group, groups);
    }
    /// Returns the groups of consecutive ranks with equal labels. O(ranks).
    /// @param ranks  number of ranks
    /// @param label  label(r), of any type that can be compared for equality
    template <class LabelOf>
    static constexpr rank_groups by_runs(rank_t ranks, const LabelOf& label) {
        owned_array<rank_t> group(ranks);
        for (rank_t r = 1; r < ranks; ++r) group[r] = group[r - 1] + (label(r) == label(r - 1) ? 0 : 1);
        return rank_groups(group, ranks == 0 ? 0 : group[ranks - 1] + 1);
    }

    /// Returns the label that by_label() has rejected.
    /// @return the error, or no error
    constexpr argument_error check() const { return held_->error; }
    /// Returns the number of ranks.
    constexpr rank_t ranks() const { return held_->group.size(); }
    /// Returns the number of groups.
    constexpr rank_t groups() const { return held_->first.size() - 1; }
    /// Returns the group of rank r.
    /// @param r  rank, 0 .. ranks()-1
    /// @return group, 0 .. groups()-1, or `undefined`
    constexpr rank_t group(rank_t r) const { return held_->group[r]; }
    /// Returns the number of members of group g.
    /// @param g  group, 0 .. groups()-1
    constexpr rank_t size(rank_t g) const { return first(g + 1) - first(g); }
    /// Returns the number of ranks in the groups before g.
    /// @param g  group, 0 .. groups(): for the last, the number of ranks that have a group
    constexpr rank_t first(rank_t g) const { return held_->first[g]; }
    /// Returns the rank of member i of group g.
    /// @param g  group, 0 .. groups()-1
    /// @param i  position, 0 .. size(g)-1
    constexpr rank_t member(rank_t g, rank_t i) const { return held_->member[first(g) + i]; }
    /// Returns the position of rank r in its group.
    /// @param r  rank, 0 .. ranks()-1
    /// @return position, 0 .. size(group(r))-1, or -1 for a rank without a group
    constexpr rank_t index(rank_t r) const {
        const rank_t g = group(r);
        return g < 0 ? -1 : held_->position[r] - first(g);
    }

    /// Returns the rank at position v of the order of all ranks group by group. Ranks without a group follow last.
    /// @param v  position, 0 .. ranks()-1
    constexpr rank_t rank(rank_t v) const { return held_->member[v]; }
    /// Returns the position of rank r in that order.
    /// @param r  rank, 0 .. ranks()-1
    constexpr rank_t virtual_rank(rank_t r) const { return held_->position[r]; }
    /// Returns whether every group consists of consecutive ranks.
    constexpr bool consecutive() const { return held_->consecutive; }

    /// Calls f(group) for groups that represent all sizes and schedules: all groups.
    /// @param f  callable, f(rank_t)
    constexpr void kinds(auto f) const {
        for (rank_t g = 0; g < groups(); ++g) f(g);
    }
    /// Calls f(number) for the numbers that determine these groups. Used for fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        f(ranks());
        for (rank_t r = 0; r < ranks(); ++r) f(group(r));
    }
    bool operator==(const rank_groups&) const = default;

  private:
    struct tables {
        owned_array<rank_t> group, first, member, position;
        argument_error error;
        bool consecutive = true;

        constexpr explicit tables(const argument_error& found = {}) : first(1), error(found) {}
        constexpr tables(const owned_array<rank_t>& of_rank, rank_t groups)
            : group(of_rank), first(groups + 1), member(of_rank.size()), position(of_rank.size()) {
            for (rank_t r = 0; r < group.size(); ++r)
                if (group[r] != undefined) ++first[group[r] + 1];
            for (rank_t g = 0; g < groups; ++g) first[g + 1] += first[g];
            owned_array<rank_t> next(first);
            for (rank_t r = 0; r < group.size(); ++r) {
                const rank_t g = group[r] == undefined ? groups : group[r];  // next[groups]: behind all groups
                position[r] = next[g]++;
                member[position[r]] = r;
                if (g < groups && position[r] > first[g]) consecutive = consecutive && member[position[r] - 1] == r - 1;
            }
        }
        constexpr bool operator==(const tables& other) const { return group == other.group && error == other.error; }
    };

    constexpr rank_groups(const owned_array<rank_t>& of_rank, rank_t groups) : held_(tables(of_rank, groups)) {}
    constexpr explicit rank_groups(const argument_error& error) : held_(tables(error)) {}

    static constexpr argument_error wrong_label(rank_t rank_label, rank_t r) {
        return refuse_if({"label", rank_label, "a label, 0 .. labels-1, or -1 for a rank without a group", r});
    }

    detail::shared<tables> held_{tables()};
};

namespace detail {

/// The group of one leader per group: the first or the last member, or `chosen` for its own group.
template <class Groups>
struct leader_group {
    Groups all;
    rank_t chosen = -1;
    bool last = false;

    constexpr rank_t ranks() const { return all.ranks(); }
    constexpr rank_t groups() const { return 1; }
    constexpr rank_t size(rank_t) const { return all.groups(); }
    constexpr rank_t leader(rank_t g) const { return member(0, g); }
    constexpr rank_t member(rank_t, rank_t g) const {
        if (chosen >= 0 && all.group(chosen) == g) return chosen;
        return all.member(g, last ? all.size(g) - 1 : 0);
    }
    constexpr rank_t group(rank_t r) const {
        const rank_t g = all.group(r);
        return g >= 0 && leader(g) == r ? 0 : -1;
    }
    constexpr rank_t index(rank_t r) const { return all.group(r); }
    constexpr void kinds(auto f) const { f(rank_t{0}); }
    constexpr void describe(auto f) const {
        all.describe(f);
        f(chosen);
        f(last);
    }
    bool operator==(const leader_group&) const = default;
};

}  // namespace detail

/// Returns the group that consists of one leader per group of `groups`: its first member, or its last one.
///
/// @param groups  groups of ranks, as rank_groups
/// @param chosen  a rank that leads its own group in place of that member; -1: none
/// @param last    the last members lead instead of the first ones
/// @return a grouping_of_ranks of one group; its method leader(g) returns the rank that leads group g
template <class Groups>
constexpr detail::leader_group<Groups> leaders_of(const Groups& groups, rank_t chosen = -1, bool last = false) {
    return {groups, chosen, last};
}

}}  // namespace collsched::COLLSCHED_ABI
