#pragma once

#include "collsched/core/checked.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched::inline v0_1 {

/// One part of a schedule after another: the steps of the second follow those of the first. Both are placed in the same
/// bigger schedule, and have its contract.
///
/// Rounds and bytes are the sums of both, and so are steps; a rank alone takes only those with something to copy. A
/// rank starts on the second part as soon as its data allow. Pacing is the narrower of the two windows.
template <schedule A, schedule B>
class sequence {
  public:
    rank_t ranks;

    constexpr sequence(const A& first, const B& second)
        : ranks(first.ranks), first_(first), second_(second), cut_(used(first)), behind_(used(second)) {}

    constexpr step_t steps() const { return cut_ + behind_; }
    constexpr step_t next(rank_t r, step_t k) const {
        if (k < cut_)
            if (const step_t here = first_.next(r, k); here < cut_) return here;
        const step_t rest = second_.next(r, k < cut_ ? 0 : k - cut_);
        return cut_ + (rest < behind_ ? rest : behind_);
    }

    constexpr step_ranges busy(rank_t r) const
        requires requires(const A& a, const B& b) { a.busy(r), b.busy(r); }
    {
        const step_range before = up_to(cut_, first_.busy(r).hull()), behind = up_to(behind_, second_.busy(r).hull());
        return {before, behind.empty() ? behind : step_range{cut_ + behind.first, cut_ + behind.last}};
    }

    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        if (k < cut_) detail::sends_of(first_, r, k, f);
        else detail::sends_of(second_, r, k - cut_, [&](const edge& e) { f(later(e, cut_)); });
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        if (k < cut_) detail::receives_of(first_, r, k, f);
        else detail::receives_of(second_, r, k - cut_, [&](const edge& e) { f(later(e, cut_)); });
    }

    constexpr bytes_t scratch(rank_t r) const { return larger(first_.scratch(r), second_.scratch(r)); }
    constexpr bytes_t staging(rank_t r) const { return larger(first_.staging(r), second_.staging(r)); }
    constexpr collsched::pacing pacing() const {
        const step_t a = first_.pacing().window, b = second_.pacing().window;
        if (a == 0 || b == 0) return {a + b};
        return {a < b ? a : b};
    }
    constexpr collsched::contract contract() const { return first_.contract(); }
    constexpr error check() const {
        if (error wrong = first_.check()) return wrong;
        if (error wrong = second_.check()) return wrong;
        if (second_.ranks != ranks) return {"ranks", second_.ranks, "as many ranks in both parts"};
        if (!(first_.contract() == second_.contract()))
            return {"contract", static_cast<std::int64_t>(second_.contract().what),
                    "one contract in both parts, by place()"};
        if (!(checked(cut_) + behind_).ok()) return {"steps", behind_, "less than 2^63 in both parts together"};
        return {};
    }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("then", first_.fingerprint(), second_.fingerprint());
    }

  private:
    static constexpr step_range up_to(step_t end, step_range steps) {
        return {steps.first, steps.last < end ? steps.last : end - 1};
    }
    /// All steps; of a rank alone those up to its last copy, as placing may have left nothing to do.
    template <schedule S>
    static constexpr step_t used(const S& s) {
        if (s.check()) return 0;
        const step_t all = s.steps();
        if (s.ranks > 1) return all;
        step_t last = 0;
        for (step_t k = s.next(0, 0); k < all; k = s.next(0, k + 1))
            detail::sends_of(s, 0, k, [&](const edge&) { last = k + 1; });
        return last;
    }
    static constexpr bytes_t larger(bytes_t a, bytes_t b) { return a < b ? b : a; }

    A first_;
    B second_;
    step_t cut_, behind_;
};

/// First a, then b; see sequence. Associative: how three are grouped changes no edge.
template <schedulable A, schedulable B>
constexpr auto then(const A& a, const B& b) {
    return sequence<schedule_of<A>, schedule_of<B>>(lower(a), lower(b));
}

}  // namespace collsched::inline v0_1
