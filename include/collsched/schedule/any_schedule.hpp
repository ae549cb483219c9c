#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "collsched/schedule/lowering.hpp"

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

    step_t steps() const { return held_->steps(); }
    step_t next(rank_t r, step_t k) const { return held_->next(r, k); }
    template <class F>
    void sends(rank_t r, step_t k, F f) const {
        held_->sends(r, k, sink(f));
    }
    template <class F>
    void receives(rank_t r, step_t k, F f) const {
        held_->receives(r, k, sink(f));
    }
    bytes_t scratch(rank_t r) const { return held_->scratch(r); }
    bytes_t staging(rank_t r) const { return held_->staging(r); }
    collsched::pacing pacing() const { return held_->pacing(); }
    collsched::contract contract() const { return held_->contract(); }
    error check() const { return held_->check(); }
    std::uint64_t fingerprint() const { return held_->fingerprint(); }

  private:
    /// Refers to a callable that takes an edge.
    class sink {
      public:
        template <class F>
            requires(!std::same_as<F, sink>)
        explicit sink(F& f) : callable_(&f), call_([](void* c, const edge& e) { (*static_cast<F*>(c))(e); }) {}
        void operator()(const edge& e) const { call_(callable_, e); }

      private:
        void* callable_;
        void (*call_)(void*, const edge&);
    };

    struct concept_base {
        virtual ~concept_base() = default;
        virtual concept_base* clone() const = 0;
        virtual step_t steps() const = 0;
        virtual step_t next(rank_t, step_t) const = 0;
        virtual void sends(rank_t, step_t, sink) const = 0;
        virtual void receives(rank_t, step_t, sink) const = 0;
        virtual bytes_t scratch(rank_t) const = 0;
        virtual bytes_t staging(rank_t) const = 0;
        virtual collsched::pacing pacing() const = 0;
        virtual collsched::contract contract() const = 0;
        virtual error check() const = 0;
        virtual std::uint64_t fingerprint() const = 0;
    };

    template <schedule S>
    struct model final : concept_base {
        explicit model(S held) : s(std::move(held)) {}
        concept_base* clone() const override { return new model(s); }
        step_t steps() const override { return s.steps(); }
        step_t next(rank_t r, step_t k) const override { return s.next(r, k); }
        void sends(rank_t r, step_t k, sink f) const override { s.sends(r, k, f); }
        void receives(rank_t r, step_t k, sink f) const override { s.receives(r, k, f); }
        bytes_t scratch(rank_t r) const override { return s.scratch(r); }
        bytes_t staging(rank_t r) const override { return s.staging(r); }
        collsched::pacing pacing() const override { return s.pacing(); }
        collsched::contract contract() const override { return s.contract(); }
        error check() const override { return s.check(); }
        std::uint64_t fingerprint() const override { return s.fingerprint(); }

        S s;
    };

    template <schedule S>
    static const concept_base* hold(S s) {
        return new model<S>(std::move(s));
    }

    const concept_base* held_;
};

}  // namespace collsched::inline v0_1
