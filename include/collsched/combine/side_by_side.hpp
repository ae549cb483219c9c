#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "collsched/combine/region.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched::inline v0_1 {

/// Disjoint groups of ranks: rank_groups, leaders_of, or such as compute their answers. A rank that has no part says
/// group -1.
///
///   ranks(), groups()          how many
///   group(r), index(r)         the group of rank r, or -1; which of its members it is
///   size(g), member(g, i)      how many members; the rank of one
///   kinds(f)                   f(group) for groups that between them show all sizes and schedules that there are
///   describe(f)                f(number) for the numbers that tell these groups from others
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

/// Schedules side by side, one in each group of ranks, as a part of what fulfils `promise`.
///
/// make(g), a schedule or an algorithm of g.size ranks, is what the members of group g do: what its rank i does,
/// member(g, i) does here. where(r, buffer) tells in which region of the whole the buffer of that rank's schedule lies.
/// Steps are those of the longest; messages and bytes are the sums. Ranks without a group are idle.
template <grouping_of_ranks Groups, class Make, class Where>
class side_by_side_schedule {
    using part_schedule = schedule_of<std::remove_cvref_t<std::invoke_result_t<const Make&, rank_t>>>;

    constexpr part_schedule part(rank_t g) const { return part_schedule(lower(make_(g))); }

  public:
    rank_t ranks;

    constexpr side_by_side_schedule(const Groups& groups, const Make& make, const Where& where,
                                    const collsched::contract& promise)
        : ranks(groups.ranks()), groups_(groups), make_(make), where_(where), promise_(promise) {
        groups_.kinds([&](rank_t g) {
            const auto here = part(g);
            if (!kept_) kept_.emplace(here), kept_group_ = g;
            if (here.check()) return;
            if (here.steps() > steps_) steps_ = here.steps();
            const step_t window = here.pacing().window;
            if (window > 0 && (window_ == 0 || window < window_)) window_ = window;
        });
    }

    constexpr step_t steps() const { return steps_; }
    constexpr step_t next(rank_t r, step_t k) const {
        step_t found = steps_;
        within(r, [&](const auto& here, rank_t) {
            if (k >= here.steps()) return;
            const step_t own = here.next(groups_.index(r), k);
            if (own < here.steps()) found = own;
        });
        return found;
    }
    constexpr step_ranges busy(rank_t r) const {
        step_ranges all{};
        within(r, [&](const auto& here, rank_t) { all = detail::busy_steps(here, groups_.index(r)); });
        return all;
    }

    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        within(r, [&](const auto& here, rank_t g) {
            if (k < here.steps()) detail::sends_of(here, groups_.index(r), k, [&](const edge& e) { tell(g, e, f); });
        });
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        within(r, [&](const auto& here, rank_t g) {
            if (k < here.steps()) detail::receives_of(here, groups_.index(r), k, [&](const edge& e) { tell(g, e, f); });
        });
    }

    constexpr bytes_t scratch(rank_t r) const {
        bytes_t most = 0;
        within(r, [&](const auto& here, rank_t) {
            most = detail::placed_scratch(here, groups_.index(r), [&](buffer b) -> region { return where_(r, b); });
        });
        return most;
    }
    constexpr bytes_t staging(rank_t r) const {
        bytes_t own = 0;
        within(r, [&](const auto& here, rank_t) { own = here.staging(groups_.index(r)); });
        return own;
    }
    constexpr collsched::pacing pacing() const { return {window_}; }
    constexpr collsched::contract contract() const { return promise_; }
    constexpr error check() const {
        if (promise_.ranks != ranks) return {"ranks", promise_.ranks, "as many ranks as the groups have"};
        error first;
        groups_.kinds([&](rank_t g) {
            if (first) return;
            const auto here = part(g);
            first = here.check();
            if (!first && here.ranks != groups_.size(g))
                first = {"ranks", here.ranks, "as many ranks as the group has", g};
        });
        return first ? first : check_contract(promise_);
    }
    /// O(ranks): of the schedules, the groups, the contract and every place.
    constexpr std::uint64_t fingerprint() const {
        description_hash all;
        groups_.kinds([&](rank_t g) { all(part(g).fingerprint()); });
        all(groups_);
        for (rank_t r = 0; r < ranks; ++r)
            if (groups_.group(r) >= 0)
                for (const buffer b : {buffer::input, buffer::output, buffer::scratch}) all(region(where_(r, b)));
        return fingerprint_of("side by side", promise_, all.value());
    }

  private:
    template <class F>
    constexpr void within(rank_t r, F f) const {
        const rank_t g = groups_.group(r);
        if (g < 0) return;
        if (g == kept_group_) f(*kept_, g);
        else f(part(g), g);
    }
    template <class F>
    constexpr void tell(rank_t g, edge e, F& f) const {
        e.src = groups_.member(g, e.src);
        e.dst = groups_.member(g, e.dst);
        detail::place_edge(e, where_(e.src, e.from), where_(e.dst, e.into), f);
    }

    Groups groups_;
    Make make_;
    Where where_;
    collsched::contract promise_;
    step_t steps_ = 0, window_ = 0;
    std::optional<part_schedule> kept_;  // of one group: of the only one, where there is one
    rank_t kept_group_ = -1;
};

/// make(g) in every group g; see side_by_side_schedule.
template <grouping_of_ranks Groups, class Make, class Where>
    requires requires(const Make& make, const Where& where, rank_t r, buffer b) {
        requires schedulable<std::remove_cvref_t<decltype(make(r))>>;
        { where(r, b) } -> std::convertible_to<region>;
    }
constexpr auto side_by_side(const Groups& groups, const Make& make, const Where& where, const contract& promise) {
    return side_by_side_schedule<Groups, Make, Where>(groups, make, where, promise);
}

}  // namespace collsched::inline v0_1
