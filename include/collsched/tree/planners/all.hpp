#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/tree/planners/coarse.hpp"
#include "collsched/tree/planners/detail/timed_tree.hpp"
#include "collsched/tree/planners/greedy.hpp"
#include "collsched/tree/planners/mgo.hpp"
#include "collsched/tree/planners/optimal.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

/// Name and functions of a planner, for lists that are searched at run time.
struct planner_entry {
    const char* name = "";                                        ///< as "mgo"
    tree_plan (*plan)(const tree_plan::request&) = nullptr;       ///< one-to-many
    tree_plan (*plan_back)(const tree_plan::request&) = nullptr;  ///< many-to-one
};

namespace detail {

/// Returns the entry of a planner.
template <planner Planner>
constexpr planner_entry planner_entry_of() {
    return {Planner::name, [](const tree_plan::request& request) { return Planner{}(request); },
            [](const tree_plan::request& request) { return many_to_one(Planner{}, request); }};
}

/// List of planners, as types and as entries.
template <planner... Planners>
struct planner_list {
    /// Calls f.template operator()<P>() for every planner P.
    static constexpr void for_each(auto f) { (f.template operator()<Planners>(), ...); }

    static constexpr std::array<planner_entry, sizeof...(Planners)> entries{planner_entry_of<Planners>()...};

    /// Returns the planner of this name, or null.
    static constexpr const planner_entry* find(const char* name) {
        for (const planner_entry& entry : entries)
            if (collsched::detail::same_text(entry.name, name)) return &entry;
        return nullptr;
    }

    /// The list followed by more planners.
    template <planner... More>
    using append = planner_list<Planners..., More...>;
};

/// Planners that construct a tree.
using builders = planner_list<flat_tree, binomial, fnf, fef, fef_cost, fcef, la, la_mean, fef_blind, fcef_blind,
                              la_blind, mgo, magpie, mpich_g, eco>;

/// Improves a tree until no change improves it or the work is used up.
class improvement {
  public:
    constexpr improvement(timed_tree& tree, std::int64_t work) : tree_(tree), work_(work), best_(tree.measure()) {}
    constexpr void run() {
        while (any_better(suspects()) || any_better(everywhere())) {}
    }

  private:
    /// Applies the first improving change at one of these places, and returns whether there was one.
    constexpr bool any_better(const owned_array<rank_t>& places) {
        for (const rank_t v : places)
            if (work_ > 0 && (move(v) || trade(v))) return true;
        return false;
    }
    /// Returns the places on which the completion time depends. One-to-many: the children of the last ready place, and
    /// its ancestors with their earlier siblings. Many-to-one: the chain of places that the root waits for, and the
    /// places received after them.
    constexpr owned_array<rank_t> suspects() {
        tree_.measure();
        if (tree_.many_to_one()) return waited_for();
        return waiting();
    }
    constexpr owned_array<rank_t> waited_for() const {
        owned_array<rank_t> found(tree_.places());
        rank_t count = 0;
        for (rank_t v = tree_.decisive(0); v >= 0; v = tree_.decisive(v))
            for (rank_t u = v; u >= 0; u = tree_.sibling_before(u)) found[count++] = u;
        return owned_array<rank_t>(found.slice(0, count));
    }
    constexpr owned_array<rank_t> waiting() const {
        rank_t last = 0;
        for (rank_t n = 0; n < tree_.reached(); ++n)
            if (tree_.clock(tree_.nth(n)) > tree_.clock(last)) last = tree_.nth(n);
        owned_array<rank_t> found(tree_.places());
        rank_t count = 0;
        for (rank_t c = tree_.first_child(last); c >= 0; c = tree_.next_sibling(c)) found[count++] = c;
        for (rank_t v = last; v != 0; v = tree_.parent(v))
            for (rank_t u = v; u >= 0; u = tree_.sibling_before(u)) found[count++] = u;
        return owned_array<rank_t>(found.slice(0, count));
    }
    constexpr owned_array<rank_t> everywhere() const {
        owned_array<rank_t> places(tree_.places() - 1);
        for (rank_t n = 1; n < tree_.places(); ++n) places[n - 1] = n;
        return places;
    }
    /// Returns whether the current tree is the best one, and records it.
    constexpr bool better() {
        const timed_tree::value value = tree_.measure(best_.completion);
        work_ -= tree_.reached();
        if (!(value < best_)) return false;
        best_ = value;
        return true;
    }

    /// Moves the subtree of v to the best parent and position if that improves the tree.
    constexpr bool move(rank_t v) {
        rank_t before = tree_.sibling_before(v), parent = tree_.parent(v);
        tree_.cut(v, before);
        tree_.measure();
        owned_array<rank_t> parents(tree_.reached());
        for (rank_t n = 0; n < parents.size(); ++n) parents[n] = tree_.nth(n);
        bool moved = false;
        for (const rank_t u : parents)
            for (rank_t after = -1, at = 0; at >= 0 && work_ > 0; after = at) {
                tree_.join(v, u, after);
                if (better()) moved = true, parent = u, before = after;
                tree_.cut(v, after);
                at = after < 0 ? tree_.first_child(u) : tree_.next_sibling(after);
            }
        tree_.join(v, parent, before);
        return moved;
    }
    /// Exchanges the rank at v with the best other one if that improves the tree.
    constexpr bool trade(rank_t v) {
        rank_t partner = v;
        for (rank_t u = 1; u < tree_.places() && work_ > 0; ++u) {
            tree_.swap_ranks(u, v);
            if (better()) partner = u;
            tree_.swap_ranks(u, v);
        }
        tree_.swap_ranks(partner, v);
        return partner != v;
    }

    timed_tree& tree_;
    std::int64_t work_;
    timed_tree::value best_;
};

}  // namespace detail

/// Planner by local search: improves the best plan of all other planners except optimal. It moves subtrees and
/// exchanges ranks while the completion time falls, or stays equal and the sum of ready times falls. Never worse than
/// any of these planners, one-to-many and many-to-one.
///
/// `work` limits the number of edges that the search times, to within one tree. The default suffices for a complete
/// search with about a hundred ranks.
struct refined {
    static constexpr const char* name = "refined";
    static constexpr const char* source = "local search, here";
    std::int64_t work = std::int64_t{1} << 25;  ///< most edges that the search times, to within one tree

    constexpr tree_plan operator()(const tree_plan::request& request) const { return improved(request, false); }
    constexpr tree_plan back(const tree_plan::request& request) const { return improved(request, true); }
    bool operator==(const refined&) const = default;

  private:
    template <class Builder>
    static constexpr tree_plan built(const tree_plan::request& request, bool many_to_one) {
        if (many_to_one) return collsched::many_to_one(Builder{}, request);
        return Builder{}(request);
    }
    constexpr tree_plan improved(const tree_plan::request& request, bool many_to_one) const {
        tree_plan best = built<flat_tree>(request, many_to_one);
        detail::builders::for_each([&]<class Builder>() {
            if (tree_plan plan = built<Builder>(request, many_to_one); plan.completion < best.completion)
                best = std::move(plan);
        });
        const auto edges = [&] {
            detail::timed_tree tree(request, best);
            detail::improvement(tree, work).run();
            return tree.edges();
        };
        return tree_plan_of(request, edges, many_to_one);
    }
};

/// List of every planner: all::entries, all::find(name), all::for_each(f), all::append<more...>.
using all = detail::builders::append<refined, optimal>;

}}}  // namespace collsched::COLLSCHED_ABI::planners
