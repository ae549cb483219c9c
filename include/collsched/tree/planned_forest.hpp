#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/tree/detail/forest_hops.hpp"
#include "collsched/tree/forest.hpp"
#include "collsched/tree/transfer_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

namespace detail {

/// Hash of roots, weights, edges and the lengths of their paths. Other vertices of paths and `unit` change no schedule.
constexpr std::uint64_t hash_of(const forest& all) {
    collsched::detail::description_hash sum;
    for (const std::int64_t number : {all.ranks, all.total, all.trees.size()}) sum(number);
    for (const forest::tree& tree : all.trees) sum(tree.root), sum(tree.weight);
    for (const forest::edge& edge : all.edges)
        for (const std::int64_t number : {edge.from, edge.to, edge.end_vertex - edge.first_vertex}) sum(number);
    return sum.value();
}
/// Hash of chunks, ranks and steps. Links and times change no schedule beyond the steps.
constexpr std::uint64_t hash_of(const transfer_plan& all) {
    collsched::detail::description_hash sum;
    sum(all.ranks), sum(all.parts);
    const owned_array<step_t> steps = steps_of(all);
    for (std::int64_t i = 0; i < steps.size(); ++i) {
        const transfer_plan::transfer& transfer = all.transfers[i];
        sum(all.chunk(transfer)), sum(transfer.from), sum(transfer.to), sum(steps[i]);
    }
    return sum.value();
}

/// Stored forest or transfer_plan that is checked; a parameter of algorithms. Copies share the value, so a copy costs O(1).
///
/// check(p) reports a wrong value, which then has no edges.
template <class Value>
class planned_value {
  public:
    /// The value of one rank, without edges. At run time all default objects share it, so that one costs no allocation.
    constexpr planned_value() : held_(of_one_rank()) {}
    /// Checks and stores a value. Forest: O(ranks + edges + vertices), 48 bytes per edge beside the forest. Transfers:
    /// O(ranks^2 parts + hops log hops).
    /// @param value  a forest or transfers; check() reports a wrong value
    constexpr planned_value(Value value) : held_(tables(std::move(value))) {}
    /// Value whose check() returns `error`.
    /// @param error  an error, not "no error"
    constexpr explicit planned_value(const argument_error& error) : held_(tables(error)) {}

    /// Returns the value.
    /// @return a forest or transfers, valid as long as this object or a copy of it
    constexpr const Value& value() const { return held_->value; }
    /// Returns the number of ranks.
    constexpr rank_t ranks() const { return value().ranks; }
    /// Returns the edges of all trees, or the transfers with their steps, at each rank, for schedules.
    /// @return edges, grouped once, when the value was stored
    constexpr const collsched::detail::shared<forest_hops>& hops() const { return held_->hops; }

    /// Returns an error unless the value is valid and has p ranks.
    /// @param p  number of ranks
    constexpr argument_error check(rank_t p) const {
        if (held_->error || p == ranks()) return held_->error;
        constexpr bool is_forest = std::is_same_v<Value, forest>;
        return {"ranks", p, is_forest ? "as many ranks as the forest has" : "as many ranks as the transfers have"};
    }
    /// Calls f with the hash of all that a schedule depends on.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const { f(static_cast<std::int64_t>(held_->hash)); }
    /// Returns whether values and errors are equal. O(1) for copies, else linear in the value.
    /// @param other  another value
    constexpr bool operator==(const planned_value& other) const { return held_ == other.held_; }

  private:
    struct tables {
        argument_error error;
        Value value;
        collsched::detail::shared<forest_hops> hops;
        std::uint64_t hash = 0;

        constexpr explicit tables(const argument_error& cause) : error(cause), hops(forest_hops()) {}
        constexpr explicit tables(Value checked) : error(checked.check()) {
            if (!error) value = std::move(checked);
            hops = collsched::detail::shared(forest_hops(value, [](std::int64_t) { return true; }));
            hash = hash_of(value);
        }
        constexpr bool operator==(const tables& other) const { return error == other.error && value == other.value; }
    };
    static const collsched::detail::shared<tables>& static_tables() {
        static const auto& held = *new collsched::detail::shared(tables(Value{}));  // never destroyed
        return held;
    }
    static constexpr collsched::detail::shared<tables> of_one_rank() {
        if (std::is_constant_evaluated()) return collsched::detail::shared(tables(Value{}));
        return static_tables();
    }

    collsched::detail::shared<tables> held_;
};

}  // namespace detail

/// Stored forest that is checked.
class planned_forest : public detail::planned_value<forest> {
  public:
    using detail::planned_value<forest>::planned_value;

    /// Returns the trees of a root. O(log trees).
    /// @param root  rank, 0 .. ranks()-1
    /// @return trees, none if the rank is no root; valid as long as the forest
    constexpr std::span<const forest::tree> trees_of(rank_t root) const {
        const owned_array<forest::tree>& all = value().trees;
        const auto first_from = [&](rank_t r) {
            return collsched::detail::first_where(0, all.size(), [&](std::int64_t i) { return all[i].root >= r; });
        };
        return all.slice(first_from(root), first_from(root + 1));
    }
};

/// Stored transfers that are checked.
class planned_transfers : public detail::planned_value<transfer_plan> {
  public:
    using detail::planned_value<transfer_plan>::planned_value;
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
