#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "collsched/schedule/detail/block_store.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/detail/named_members.hpp"
#include "collsched/schedule/detail/edge_schedule.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the store of an algorithm, or the default store of its collective.
template <block_algorithm A>
constexpr auto store_of(const A& a) {
    if constexpr (requires { a.store(); }) {
        return a.store();
    } else {
        static_assert(A::info.collective == collective::allgather, "an algorithm of this collective names its store");
        return output_store{a.block, a.ranks};
    }
}

/// Schedule of a block algorithm. It converts peers and blocks to edges between buffers, with the first read from
/// `input`, wrap-around, gaps, zero counts and local copies.
template <block_algorithm A>
class lowered {
    static_assert(names_every_member<A>::value);

  public:
    rank_t ranks;

    constexpr explicit lowered(const A& algorithm)
        : ranks(algorithm.ranks), algorithm_(algorithm), store_(store_of(algorithm)) {}

    constexpr step_t steps() const { return store_.steps(algorithm_.steps()); }

    constexpr step_t next(rank_t r, step_t k) const {
        const step_t last = algorithm_.steps(), end = steps();
        step_t messages = k;
        if constexpr (requires { algorithm_.next(r, k); }) {
            if (k < last) messages = algorithm_.next(r, k);
        } else if constexpr (requires {
                                 { algorithm_.active(r) } -> std::same_as<step_range>;
                             }) {
            messages = algorithm_.active(r).from(k, end);
        }
        if (messages >= last) messages = end;
        const step_t copies = store_.copy_steps(r, last).from(k, end);
        return copies < messages ? copies : messages;
    }

    /// Returns the steps of all messages and copies of rank r.
    constexpr step_ranges busy(rank_t r) const {
        const step_t last = algorithm_.steps();
        step_range messages{0, last - 1};
        if constexpr (requires {
                          { algorithm_.active(r) } -> std::same_as<step_range>;
                      })
            messages = algorithm_.active(r);
        return {messages, store_.copy_steps(r, last)};
    }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        const step_t last = algorithm_.steps();
        store_.copies(r, k, last, [&](run_cursor from, run_cursor into) { join_runs(frame(k, r, r), from, into, f); });
        if (k < last) algorithm_.targets(r, k, [&](rank_t dst) { transfers(r, dst, k, f); });
    }

    constexpr void receives(rank_t r, step_t k, auto f) const {
        if (k < algorithm_.steps()) algorithm_.sources(r, k, [&](rank_t src) { transfers(src, r, k, f); });
    }

    /// Whether the store declares that no rank needs scratch.
    static constexpr bool scratchless = requires { decltype(store_of(std::declval<const A&>()))::scratchless; };
    constexpr bytes_t scratch(rank_t r) const { return store_.scratch(r); }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const {
        if constexpr (requires { algorithm_.window; }) return {algorithm_.window};
        else return {A::info.window};
    }
    constexpr collsched::contract contract() const { return contract_of(algorithm_); }
    constexpr argument_error check() const { return check_parameters(algorithm_); }
    constexpr std::uint64_t fingerprint() const { return describe(algorithm_); }

  private:
    static constexpr edge frame(step_t k, rank_t src, rank_t dst) { return {.step = k, .src = src, .dst = dst}; }

    [[gnu::always_inline]] constexpr void transfers(rank_t src, rank_t dst, step_t k, auto& f) const {
        // A wrong rank or block must not index a layout: verify rejects the edge that replaces it.
        const auto emit_invalid = [&] { f(edge{.step = k, .src = src, .dst = dst, .size = -1}); };
        if (src < 0 || src >= ranks || dst < 0 || dst >= ranks) return emit_invalid();
        const auto transfer = [&](block_interval blocks) {
            const rank_t all = store_.block_count();
            if (blocks.first < 0 || blocks.first >= all || blocks.count < 0 || blocks.count > all)
                return emit_invalid();
            if constexpr (requires { store_.transfers(frame(k, src, dst), blocks, f); })
                store_.transfers(frame(k, src, dst), blocks, f);
            else join_runs(frame(k, src, dst), store_.read(src, k, blocks), store_.write(dst, blocks), f);
        };
        algorithm_.message(src, dst, k, [&]<class Interval>(const Interval& blocks) {
            static_assert(std::is_same_v<Interval, block_interval>,
                          "message(src, dst, step, f) must call f(block_interval)");
            transfer(blocks);
        });
    }

    A algorithm_;
    decltype(store_of(std::declval<const A&>())) store_;
};

/// Schedule of a derived algorithm: its view(), with the fingerprint of the algorithm. check() checks its parameters
/// before the parts.
template <derived_algorithm A>
class derived_schedule : public std::remove_cvref_t<decltype(std::declval<const A&>().view())> {
    using view_schedule = std::remove_cvref_t<decltype(std::declval<const A&>().view())>;
    static_assert(names_every_member<A>::value);

  public:
    constexpr explicit derived_schedule(const A& a) : view_schedule(a.view()), algorithm_(a) {}

    constexpr argument_error check() const {
        if constexpr (requires { algorithm_.ranks; }) {
            if (argument_error first = check_parameters(algorithm_)) return first;
        } else if constexpr (requires { algorithm_.check(); }) {
            if (argument_error first = algorithm_.check()) return first;
        }
        return view_schedule::check();
    }
    constexpr std::uint64_t fingerprint() const {
        if constexpr (describable<A>) return describe(algorithm_);
        else return view_schedule::fingerprint();
    }

  private:
    A algorithm_;
};

}  // namespace detail

/// Returns the schedule of an algorithm by value, or a reference to x if x is a schedule.
///
/// The result keeps a copy of the algorithm. Wrong parameters are reported by check() of the result. O(1) for block and
/// edge algorithms; derived algorithms construct their view.
/// @param x  schedule or algorithm
template <schedulable X>
constexpr decltype(auto) lower(const X& x) {
    if constexpr (schedule<X>) return (x);
    else if constexpr (derived_algorithm<X>) return detail::derived_schedule<X>(x);
    else if constexpr (edge_algorithm<X>) return detail::edge_schedule<X>(x);
    else return detail::lowered<X>(x);
}

namespace detail {

/// Returns steps that contain all edges of rank r: busy(r) of the schedule, or all steps.
template <schedule S>
constexpr step_ranges busy_steps(const S& s, rank_t r) {
    if constexpr (requires { s.busy(r); }) return s.busy(r);
    else return {{0, s.steps() - 1}};
}

/// Type of the schedule that lower() returns for X.
template <schedulable X>
using schedule_of = std::remove_cvref_t<decltype(lower(std::declval<const X&>()))>;

}  // namespace detail

/// Returns the first error in the parameters of x, or no error.
/// @param x  schedule or algorithm
template <schedulable X>
constexpr argument_error check(const X& x) {
    return lower(x).check();
}

}}  // namespace collsched::COLLSCHED_ABI
