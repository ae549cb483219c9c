#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/tree/detail/forest_hops.hpp"
#include "collsched/tree/forest.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

namespace detail {

/// A forest with the error of its check, the trees of each root, the edges of each rank and a hash. With an error the
/// forest has no trees.
struct forest_tables {
    argument_error error;
    forest value;
    owned_array<std::int64_t> first;  ///< the trees of root r are value.trees[first[r]] .. value.trees[first[r+1] - 1]
    collsched::detail::shared<forest_hops> hops;
    std::uint64_t hash = 0;

    constexpr explicit forest_tables(const argument_error& cause) : error(cause), hops(forest_hops()) {}
    constexpr explicit forest_tables(forest checked) : error(checked.check()) {
        if (!error) value = std::move(checked);
        hops = collsched::detail::shared(forest_hops(value, [](std::int64_t) { return true; }));
        if (!value.trees.empty()) first = owned_array<std::int64_t>(value.ranks + 1);
        for (const forest::tree& tree : value.trees) ++first[tree.root + 1];
        for (rank_t r = 0; r + 1 < first.size(); ++r) first[r + 1] += first[r];
        hash = description();
    }

    constexpr std::uint64_t description() const {
        collsched::detail::description_hash sum;
        for (const std::int64_t number : {value.ranks, value.total, value.trees.size()}) sum(number);
        for (const forest::tree& tree : value.trees) sum(tree.root), sum(tree.weight);
        for (const forest::edge& edge : value.edges)
            for (const std::int64_t number : {edge.from, edge.to, edge.end_vertex - edge.first_vertex}) sum(number);
        return sum.value();
    }
    constexpr bool operator==(const forest_tables& other) const { return error == other.error && value == other.value; }
};

inline const collsched::detail::shared<forest_tables>& static_forest() {
    static const auto& tables = *new collsched::detail::shared(forest_tables(forest{}));  // never destroyed
    return tables;
}

/// Returns the tables of the forest of one rank. At run time all default objects share them, so that one costs no
/// allocation.
constexpr collsched::detail::shared<forest_tables> default_forest() {
    if (std::is_constant_evaluated()) return collsched::detail::shared(forest_tables(forest{}));
    return static_forest();
}

}  // namespace detail

/// Stored forest that is checked; a parameter of algorithms. Copies share the forest, so a copy costs O(1).
///
/// check(p) reports a wrong forest, which then has no trees.
class planned_forest {
  public:
    /// The forest of one rank, without trees.
    constexpr planned_forest() : held_(detail::default_forest()) {}
    /// Checks and stores a forest. O(ranks + edges + vertices). Memory: the forest, and 48 bytes per edge.
    /// @param value  a forest; check() reports a wrong one
    constexpr planned_forest(forest value) : held_(detail::forest_tables(std::move(value))) {}
    /// Forest whose check() returns `error`.
    /// @param error  an error, not "no error"
    constexpr explicit planned_forest(const argument_error& error) : held_(detail::forest_tables(error)) {}

    /// Returns the forest.
    /// @return a forest, valid as long as this object or a copy of it
    constexpr const forest& value() const { return held_->value; }
    /// Returns the number of ranks.
    constexpr rank_t ranks() const { return value().ranks; }
    /// Returns the trees of a root. O(1).
    /// @param root  rank, 0 .. ranks()-1
    /// @return trees, none if the rank is no root; valid as long as the forest
    constexpr std::span<const forest::tree> trees_of(rank_t root) const {
        if (value().trees.empty()) return {};
        const auto first = static_cast<std::size_t>(held_->first[root]);
        return std::span<const forest::tree>(value().trees)
            .subspan(first, static_cast<std::size_t>(held_->first[root + 1]) - first);
    }

    /// Returns the edges of all trees at each rank, for schedules.
    /// @return edges, found once, when the forest was stored
    constexpr const collsched::detail::shared<detail::forest_hops>& hops() const { return held_->hops; }

    /// Returns an error unless the forest is valid and has p ranks.
    /// @param p  number of ranks
    constexpr argument_error check(rank_t p) const {
        if (!held_->error && p != ranks()) return {"ranks", p, "as many ranks as the forest has"};
        return held_->error;
    }
    /// Calls f with the hash of roots, weights, edges and the lengths of their paths. Other vertices of paths and
    /// `unit` change no schedule and are left out.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const { f(static_cast<std::int64_t>(held_->hash)); }
    /// Returns whether forests and errors are equal. O(1) for copies, else O(ranks + edges + vertices).
    /// @param other  another forest
    constexpr bool operator==(const planned_forest& other) const { return held_ == other.held_; }

  private:
    collsched::detail::shared<detail::forest_tables> held_;
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
