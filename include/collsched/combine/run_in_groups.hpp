#pragma once

#include <concepts>
#include <type_traits>

#include "collsched/combine/region.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Disjoint groups of ranks: rank_groups, the result of leaders_of(), or a type that computes them.
///
///   ranks(), groups()          numbers of ranks and of groups
///   group(r), index(r)         the group of rank r (-1: none), and the position of r in it
///   size(g), member(g, i)      the number of members of group g, and the rank of member i
///   kinds(f)                   f(group) for groups that represent all sizes, schedules and places
///   describe(f)                f(number) for the numbers that distinguish these groups from others
template <class G>
concept grouping_of_ranks = requires(const G& g, rank_t r, detail::any_call f) {
    { g.ranks() } -> std::same_as<rank_t>;
    { g.groups() } -> std::same_as<rank_t>;
    { g.group(r) } -> std::same_as<rank_t>;
    { g.index(r) } -> std::same_as<rank_t>;
    { g.size(r) } -> std::same_as<rank_t>;
    { g.member(r, r) } -> std::same_as<rank_t>;
    g.kinds(f);
    g.describe(f);
};

namespace detail {

template <grouping_of_ranks Groups, class Make, class Where>
class grouped_schedule {
    using part_schedule = detail::schedule_of<std::remove_cvref_t<std::invoke_result_t<const Make&, rank_t>>>;

    constexpr part_schedule part(rank_t g) const { return part_schedule(lower(make_(g))); }

  public:
    rank_t ranks;

    constexpr grouped_schedule(const Groups& groups, const Make& make, const Where& where,
                               const collsched::contract& contract)
        : ranks(groups.ranks()),
          groups_(groups),
          make_(make),
          where_(where),
          contract_(contract),
          kept_group_(first_kind()),
          kept_(first_part()) {
        if (contract_.ranks != ranks) error_ = {"ranks", contract_.ranks, "as many ranks as the groups have"};
        groups_.kinds([&](rank_t g) { with_part(g, [&](const part_schedule& schedule) { add_kind(schedule, g); }); });
        if (!error_) error_ = check_contract(contract_);
    }

    constexpr step_t steps() const { return steps_; }
    constexpr step_t next(rank_t r, step_t k) const {
        step_t found = steps_;
        within(r, [&](const auto& schedule, rank_t) {
            if (k >= schedule.steps()) return;
            const step_t step = schedule.next(groups_.index(r), k);
            if (step < schedule.steps() && step < found) found = step;
        });
        return found;
    }
    constexpr step_ranges busy(rank_t r) const {
        step_ranges all{};
        within(r, [&](const auto& schedule, rank_t) { all = busy_steps(schedule, groups_.index(r)); });
        return all;
    }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        within(r, [&](const auto& schedule, rank_t g) {
            if (k < schedule.steps()) sends_of(schedule, groups_.index(r), k, [&](const edge& e) { adapt(g, e, f); });
        });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        within(r, [&](const auto& schedule, rank_t g) {
            if (k < schedule.steps())
                receives_of(schedule, groups_.index(r), k, [&](const edge& e) { adapt(g, e, f); });
        });
    }

    constexpr bytes_t scratch(rank_t r) const {
        bytes_t bytes = 0;
        within(r, [&](const auto& schedule, rank_t) {
            bytes = placed_scratch(schedule, groups_.index(r), [&](buffer b) -> region { return where_(r, b); });
        });
        return bytes;
    }
    constexpr bytes_t staging(rank_t r) const {
        bytes_t bytes = 0;
        within(r, [&](const auto& schedule, rank_t) { bytes = schedule.staging(groups_.index(r)); });
        return bytes;
    }
    constexpr collsched::pacing pacing() const { return {window_}; }
    constexpr collsched::contract contract() const { return contract_; }
    constexpr argument_error check() const { return error_; }
    /// O(ranks): of the schedules, the groups, the contract and every place.
    constexpr std::uint64_t fingerprint() const {
        description_hash all;
        groups_.kinds(
            [&](rank_t g) { with_part(g, [&](const part_schedule& schedule) { all(schedule.fingerprint()); }); });
        all(groups_);
        for (rank_t r = 0; r < ranks; ++r)
            if (groups_.group(r) >= 0)
                for (const buffer b : {buffer::input, buffer::output, buffer::scratch}) all(region(where_(r, b)));
        return fingerprint_of("side by side", contract_, all.value());
    }

  private:
    constexpr rank_t first_kind() const {
        rank_t first = -1;
        groups_.kinds([&](rank_t g) { first = first < 0 ? g : first; });
        return first;
    }
    constexpr fixed_optional<part_schedule> first_part() const {
        if (kept_group_ < 0) return {};
        return fixed_optional<part_schedule>(part(kept_group_));
    }
    constexpr void add_kind(const part_schedule& schedule, rank_t g) {
        if (const argument_error error = check_part(schedule, g)) {
            if (!error_) error_ = error;
            return;
        }
        if (schedule.steps() > steps_) steps_ = used_steps(schedule, g);
        const step_t window = schedule.pacing().window;
        if (window > 0 && (window_ == 0 || window < window_)) window_ = window;
    }
    /// Returns steps_, or more where the part of group g takes more. A rank alone only copies, and its places may omit all
    /// copies of a step.
    constexpr step_t used_steps(const part_schedule& schedule, rank_t g) const {
        if (schedule.ranks > 1) return schedule.steps();
        step_t used = steps_;
        const auto count = [&](const edge& e) { used = e.step < used ? used : e.step + 1; };
        for (step_t k = schedule.next(0, steps_); k < schedule.steps(); k = schedule.next(0, k + 1))
            sends_of(schedule, 0, k, [&](const edge& e) { adapt(g, e, count); });
        return used;
    }
    constexpr argument_error check_part(const part_schedule& schedule, rank_t g) const {
        if (argument_error error = schedule.check()) return error;
        if (schedule.ranks != groups_.size(g)) return {"ranks", schedule.ranks, "as many ranks as the group has", g};
        return {};
    }
    constexpr void with_part(rank_t g, auto f) const {
        if (g == kept_group_) f(*kept_);
        else f(part(g));
    }
    constexpr void within(rank_t r, auto f) const {
        if (const rank_t g = groups_.group(r); g >= 0)
            with_part(g, [&](const part_schedule& schedule) { f(schedule, g); });
    }
    constexpr void adapt(rank_t g, edge e, auto& f) const {
        e.src = groups_.member(g, e.src);
        e.dst = groups_.member(g, e.dst);
        place_edge(e, where_(e.src, e.from), where_(e.dst, e.into), f);
    }

    Groups groups_;
    Make make_;
    Where where_;
    collsched::contract contract_;
    argument_error error_;
    step_t steps_ = 0, window_ = 0;
    rank_t kept_group_;
    fixed_optional<part_schedule> kept_;  // of one group: of the only one, where there is one
};

}  // namespace detail

/// One schedule per group of ranks, all at the same time, as parts of a larger schedule. Rank i of make(g) is rank
/// groups.member(g, i) of the result. Ranks without a group are idle.
///
/// Steps: those of the longest part; of a part for one rank, up to its last copy. Messages and bytes: the sums.
/// @param make      make(g) returns the schedule or algorithm of group g, with groups.size(g) ranks
/// @param where     where(rank, buffer) returns the location or region, in the larger schedule, of that rank's buffer
/// @param groups    disjoint groups of ranks, such as rank_groups
/// @param contract  the contract of the larger schedule
/// @return a schedule. check() fails where ranks of groups, parts and contract differ.
/// Complexity: every access makes the part of its group, except those of the first group, whose part is kept.
template <grouping_of_ranks Groups, class Make, class Where>
    requires requires(const Make& make, const Where& where, rank_t r, buffer b) {
        requires schedulable<std::remove_cvref_t<decltype(make(r))>>;
        { where(r, b) } -> std::convertible_to<region>;
    }
constexpr auto run_in_groups(const Groups& groups, const Make& make, const Where& where, const contract& contract) {
    return detail::grouped_schedule<Groups, Make, Where>(groups, make, where, contract);
}

}}  // namespace collsched::COLLSCHED_ABI
