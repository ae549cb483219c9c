#pragma once

#include "collsched/core/checked.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

template <schedule A, schedule B>
class sequence_schedule {
  public:
    rank_t ranks;

    constexpr sequence_schedule(const A& first, const B& second, step_t skipped)
        : ranks(first.ranks), first_(first), second_(second), error_(check_parts()) {
        if (error_) return;
        cut_ = start_ = used(first_), behind_ = used(second_);
        if (behind_ >= skipped) behind_ -= skipped, start_ -= skipped;
        if (!(checked(cut_) + behind_).ok()) error_ = {"steps", behind_, "less than 2^63 in both parts together"};
    }

    constexpr step_t steps() const { return cut_ + behind_; }
    constexpr step_t next(rank_t r, step_t k) const {
        if (k < cut_)
            if (const step_t next = first_.next(r, k); next < cut_) return next;
        const step_t next = start_ + second_.next(r, (k < cut_ ? cut_ : k) - start_);
        return next < steps() ? next : steps();
    }

    constexpr step_ranges busy(rank_t r) const
        requires requires(const A& a, const B& b) { a.busy(r), b.busy(r); }
    {
        const step_range before = up_to(cut_, first_.busy(r).hull()), behind = second_.busy(r).hull();
        if (behind.empty()) return {before, behind};
        const step_t first = start_ + behind.first;
        return {before, up_to(steps(), {first < cut_ ? cut_ : first, start_ + behind.last})};
    }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (k < cut_) sends_of(first_, r, k, f);
        else sends_of(second_, r, k - start_, [&](const edge& e) { f(delayed(e, start_)); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        if (k < cut_) receives_of(first_, r, k, f);
        else receives_of(second_, r, k - start_, [&](const edge& e) { f(delayed(e, start_)); });
    }

    constexpr bytes_t scratch(rank_t r) const { return larger(first_.scratch(r), second_.scratch(r)); }
    constexpr bytes_t staging(rank_t r) const { return larger(first_.staging(r), second_.staging(r)); }
    constexpr collsched::pacing pacing() const {
        const step_t a = first_.pacing().window, b = second_.pacing().window;
        if (a == 0 || b == 0) return {a + b};
        return {a < b ? a : b};
    }
    constexpr collsched::contract contract() const { return first_.contract(); }
    constexpr argument_error check() const { return error_; }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("then", first_.fingerprint(), second_.fingerprint());
    }

  private:
    constexpr argument_error check_parts() const {
        if (argument_error error = first_.check()) return error;
        if (argument_error error = second_.check()) return error;
        if (second_.ranks != ranks) return {"ranks", second_.ranks, "as many ranks in both parts"};
        if (!(first_.contract() == second_.contract()))
            return {"contract", static_cast<std::int64_t>(second_.contract().collective),
                    "one contract in both parts, by rename_buffers()"};
        return {};
    }
    static constexpr step_range up_to(step_t end, step_range steps) {
        return {steps.first, steps.last < end ? steps.last : end - 1};
    }
    /// Returns the number of steps; for a single rank up to its last copy, since renamed buffers may omit all copies.
    template <schedule S>
    static constexpr step_t used(const S& s) {
        const step_t all = s.steps();
        if (s.ranks > 1) return all;
        step_t last = 0;
        for (step_t k = s.next(0, 0); k < all; k = s.next(0, k + 1))
            sends_of(s, 0, k, [&](const edge&) { last = k + 1; });
        return last;
    }
    static constexpr bytes_t larger(bytes_t a, bytes_t b) { return a < b ? b : a; }

    A first_;
    B second_;
    argument_error error_;
    step_t cut_ = 0, behind_ = 0;
    step_t start_ = 0;  // step of step 0 of the second part
};

/// then(a, b) without the first `skipped` steps of b.
/// @pre these steps have no edges
template <schedulable A, schedulable B>
constexpr auto then_from(const A& a, const B& b, step_t skipped) {
    return sequence_schedule<schedule_of<A>, schedule_of<B>>(lower(a), lower(b), skipped);
}

}  // namespace detail

/// The steps of a, then those of b: both parts of one larger schedule, and with its contract.
///
/// Steps, rounds, messages and bytes are the sums; of a single rank only steps with an edge count. A rank starts b as
/// soon as its data and the pacing allow, which is the smaller window of the two. Scratch and staging: the larger of
/// both. Associative: then(then(a, b), c) and then(a, then(b, c)) have the same edges.
/// @param a  schedule or algorithm
/// @param b  schedule or algorithm
/// @return a schedule. check() fails where ranks or contracts differ (rename_buffers() gives a part another contract).
template <schedulable A, schedulable B>
constexpr auto then(const A& a, const B& b) {
    return detail::then_from(a, b, 0);
}

/// then(a, then(b, c, ...)).
/// @param a     schedule or algorithm
/// @param b     schedule or algorithm
/// @param c     schedule or algorithm
/// @param more  schedules or algorithms
/// @return a schedule
template <schedulable A, schedulable B, schedulable C, schedulable... More>
constexpr auto then(const A& a, const B& b, const C& c, const More&... more) {
    return then(a, then(b, c, more...));
}

}}  // namespace collsched::COLLSCHED_ABI
