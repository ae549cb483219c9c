#pragma once

#include <concepts>
#include <utility>

#include "collsched/schedule/detail/schedule_ref.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Owner of a schedule of any type; itself a schedule. For programs that select algorithms at run time without
/// instantiating all other templates for each. A copy copies the schedule. Every method costs one virtual call.
class any_schedule {
  public:
    rank_t ranks = 0;  ///< number of ranks p of the schedule

    /// Stores a copy of the schedule of x.
    /// @param x  schedule or algorithm of another type
    template <class X>
        requires(schedulable<X> && !std::same_as<X, any_schedule>)
    explicit any_schedule(const X& x) : held_(hold(lower(x), ranks)) {}
    /// Copies the schedule.
    /// @param other  another owner
    any_schedule(const any_schedule& other)
        : ranks(other.ranks), held_(other.held_ == nullptr ? nullptr : other.held_->clone()) {}
    /// Takes the schedule of another owner. O(1).
    /// @param other  another owner; afterwards it may only be assigned and destroyed
    any_schedule(any_schedule&& other) noexcept : ranks(other.ranks), held_(std::exchange(other.held_, nullptr)) {}
    /// Replaces the schedule by that of another owner.
    /// @param other  another owner, which is copied or moved into the parameter
    /// @return this object
    any_schedule& operator=(any_schedule other) noexcept {
        std::swap(ranks, other.ranks);
        std::swap(held_, other.held_);
        return *this;
    }
    ~any_schedule() { delete held_; }

    /// Returns a reference to the schedule, valid as long as this object.
    detail::schedule_ref ref() const { return {ranks, calls()}; }
    step_t steps() const { return calls().steps(); }
    step_t next(rank_t r, step_t k) const { return calls().next(r, k); }
    void sends(rank_t r, step_t k, auto f) const { ref().sends(r, k, f); }
    void receives(rank_t r, step_t k, auto f) const { ref().receives(r, k, f); }
    bytes_t scratch(rank_t r) const { return calls().scratch(r); }
    bytes_t staging(rank_t r) const { return calls().staging(r); }
    collsched::pacing pacing() const { return calls().pacing(); }
    collsched::contract contract() const { return calls().contract(); }
    argument_error check() const { return calls().check(); }
    std::uint64_t fingerprint() const { return calls().fingerprint(); }

  private:
    struct owner {
        explicit owner(const detail::schedule_calls& of) : calls(of) {}
        owner(const owner&) = delete;
        owner& operator=(const owner&) = delete;
        virtual ~owner() = default;
        virtual const owner* clone() const = 0;
        const detail::schedule_calls& calls;
    };
    template <schedule S>
    struct owner_of final : owner {
        explicit owner_of(const S& schedule) : owner(dispatch), s(schedule), dispatch(s) {}
        const owner* clone() const override { return new owner_of(s); }
        const S s;
        const detail::calls_of<S> dispatch;
    };

    template <schedule S>
    static const owner* hold(const S& s, rank_t& ranks) {
        ranks = s.ranks;
        return new owner_of<S>(s);
    }
    const detail::schedule_calls& calls() const { return held_->calls; }

    const owner* held_;
};

}}  // namespace collsched::COLLSCHED_ABI
