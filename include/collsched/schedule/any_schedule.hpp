#pragma once

#include <concepts>
#include <utility>

#include "collsched/schedule/schedule_ref.hpp"

namespace collsched::inline v0_1 {

/// A schedule of whatever type, owned; itself a schedule. For programs that choose algorithms while they run and would
/// not instantiate everything for each of them.
class any_schedule {
  public:
    rank_t ranks = 0;

    template <class X>
        requires(schedulable<X> && !std::same_as<X, any_schedule>)
    explicit any_schedule(const X& x) : ranks(lower(x).ranks), held_(hold(lower(x))) {}
    any_schedule(const any_schedule& other)
        : ranks(other.ranks), held_(other.held_ == nullptr ? nullptr : other.held_->clone()) {}
    any_schedule(any_schedule&& other) noexcept : ranks(other.ranks), held_(std::exchange(other.held_, nullptr)) {}
    any_schedule& operator=(any_schedule other) noexcept {
        std::swap(ranks, other.ranks);
        std::swap(held_, other.held_);
        return *this;
    }
    ~any_schedule() { delete held_; }

    schedule_ref ref() const { return {ranks, *held_}; }
    step_t steps() const { return held_->steps(); }
    step_t next(rank_t r, step_t k) const { return held_->next(r, k); }
    template <class F>
    void sends(rank_t r, step_t k, F f) const {
        ref().sends(r, k, f);
    }
    template <class F>
    void receives(rank_t r, step_t k, F f) const {
        ref().receives(r, k, f);
    }
    bytes_t scratch(rank_t r) const { return held_->scratch(r); }
    bytes_t staging(rank_t r) const { return held_->staging(r); }
    collsched::pacing pacing() const { return held_->pacing(); }
    collsched::contract contract() const { return held_->contract(); }
    error check() const { return held_->check(); }
    std::uint64_t fingerprint() const { return held_->fingerprint(); }

  private:
    struct owned_calls : detail::schedule_calls {
        constexpr virtual ~owned_calls() = default;
        virtual owned_calls* clone() const = 0;
    };
    template <schedule S>
    struct owned final : detail::schedule_model<owned_calls, S> {
        using detail::schedule_model<owned_calls, S>::schedule_model;
        owned_calls* clone() const override { return new owned(this->s); }
    };

    template <schedule S>
    static const owned_calls* hold(const S& s) {
        return new owned<S>(s);
    }

    const owned_calls* held_;
};

}  // namespace collsched::inline v0_1
