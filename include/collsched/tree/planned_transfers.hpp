#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/tree/detail/forest_hops.hpp"
#include "collsched/tree/transfer_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

namespace detail {

/// Transfers with the error of their check, their steps at each rank and a hash. With an error the plan has none.
struct transfer_tables {
    argument_error error;
    transfer_plan value;
    collsched::detail::shared<forest_hops> hops;
    std::uint64_t hash = 0;

    constexpr explicit transfer_tables(const argument_error& cause) : error(cause), hops(forest_hops()) {}
    constexpr explicit transfer_tables(transfer_plan checked) : error(checked.check()) {
        if (!error) value = std::move(checked);
        hops = collsched::detail::shared(forest_hops(value, [](std::int64_t) { return true; }));
        collsched::detail::description_hash sum;
        sum(value.ranks), sum(value.parts);
        const owned_array<step_t> steps = steps_of(value);
        for (std::int64_t i = 0; i < steps.size(); ++i) {
            const transfer_plan::transfer& transfer = value.transfers[i];
            sum(value.chunk(transfer)), sum(transfer.from), sum(transfer.to), sum(steps[i]);
        }
        hash = sum.value();
    }
    constexpr bool operator==(const transfer_tables& other) const {
        return error == other.error && value == other.value;
    }
};

inline const collsched::detail::shared<transfer_tables>& static_transfers() {
    static const auto& tables = *new collsched::detail::shared(transfer_tables(transfer_plan{}));  // never destroyed
    return tables;
}

/// Returns the tables of the transfers of one rank. At run time all default objects share them, so that one costs no
/// allocation.
constexpr collsched::detail::shared<transfer_tables> default_transfers() {
    if (std::is_constant_evaluated()) return collsched::detail::shared(transfer_tables(transfer_plan{}));
    return static_transfers();
}

}  // namespace detail

/// Stored transfers that are checked; a parameter of algorithms. Copies share the transfers, so a copy costs O(1).
///
/// check(p) reports a wrong plan, which then has no transfers.
class planned_transfers {
  public:
    /// The transfers of one rank: none.
    constexpr planned_transfers() : held_(detail::default_transfers()) {}
    /// Checks and stores transfers, and finds their steps. O(ranks^2 parts + hops log hops).
    /// @param value  transfers; check() reports a wrong plan
    constexpr planned_transfers(transfer_plan value) : held_(detail::transfer_tables(std::move(value))) {}
    /// Transfers whose check() returns `error`.
    /// @param error  an error, not "no error"
    constexpr explicit planned_transfers(const argument_error& error) : held_(detail::transfer_tables(error)) {}

    /// Returns the transfers.
    /// @return a plan, valid as long as this object or a copy of it
    constexpr const transfer_plan& value() const { return held_->value; }
    /// Returns the number of ranks.
    constexpr rank_t ranks() const { return value().ranks; }
    /// Returns the transfers at each rank with their steps, for schedules.
    /// @return transfers, grouped once, when the plan was stored
    constexpr const collsched::detail::shared<detail::forest_hops>& hops() const { return held_->hops; }

    /// Returns an error unless the plan is valid and has p ranks.
    /// @param p  number of ranks
    constexpr argument_error check(rank_t p) const {
        if (!held_->error && p != ranks()) return {"ranks", p, "as many ranks as the transfers have"};
        return held_->error;
    }
    /// Calls f with the hash of chunks, ranks and steps. Links and times change no schedule beyond the steps and are
    /// left out.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const { f(static_cast<std::int64_t>(held_->hash)); }
    /// Returns whether transfers and errors are equal. O(1) for copies, else O(hops).
    /// @param other  other transfers
    constexpr bool operator==(const planned_transfers& other) const { return held_ == other.held_; }

  private:
    collsched::detail::shared<detail::transfer_tables> held_;
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
