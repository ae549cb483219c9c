#pragma once

#include <type_traits>

#include "collsched/schedule/detail/edge_sink.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Virtual methods of a schedule.
struct schedule_calls {
    constexpr virtual step_t steps() const = 0;
    constexpr virtual step_t next(rank_t, step_t) const = 0;
    constexpr virtual void sends(rank_t, step_t, edge_sink) const = 0;
    constexpr virtual void receives(rank_t, step_t, edge_sink) const = 0;
    constexpr virtual bytes_t scratch(rank_t) const = 0;
    constexpr virtual bytes_t staging(rank_t) const = 0;
    constexpr virtual collsched::pacing pacing() const = 0;
    constexpr virtual collsched::contract contract() const = 0;
    constexpr virtual argument_error check() const = 0;
    constexpr virtual std::uint64_t fingerprint() const = 0;

  protected:
    constexpr ~schedule_calls() = default;
};

/// Dispatch to a schedule that outlives this object.
template <class S>
struct calls_of final : schedule_calls {
    constexpr explicit calls_of(const S& schedule) : s(schedule) {}
    constexpr step_t steps() const override { return s.steps(); }
    constexpr step_t next(rank_t r, step_t k) const override { return s.next(r, k); }
    constexpr void sends(rank_t r, step_t k, edge_sink f) const override { s.sends(r, k, f); }
    constexpr void receives(rank_t r, step_t k, edge_sink f) const override { s.receives(r, k, f); }
    constexpr bytes_t scratch(rank_t r) const override { return s.scratch(r); }
    constexpr bytes_t staging(rank_t r) const override { return s.staging(r); }
    constexpr collsched::pacing pacing() const override { return s.pacing(); }
    constexpr collsched::contract contract() const override { return s.contract(); }
    constexpr argument_error check() const override { return s.check(); }
    constexpr std::uint64_t fingerprint() const override { return s.fingerprint(); }

    const S& s;
};

/// Reference to a schedule of any type; itself a schedule, also during constant evaluation. A function that takes one
/// is compiled once for all algorithms. The schedule must outlive it. Every method, and every edge, costs one virtual
/// call.
class schedule_ref {
  public:
    rank_t ranks;

    constexpr schedule_ref(rank_t p, const schedule_calls& calls) : ranks(p), calls_(&calls) {}

    /// Returns visit(reference) for a reference to s, or for s.ref() if s is a reference or an any_schedule.
    template <schedule S, class Visit>
    static constexpr auto visit(const S& s, const Visit& visit) {
        if constexpr (requires { s.ref(); }) {
            return visit(s.ref());
        } else {
            const calls_of<S> calls(s);
            return visit(schedule_ref(s.ranks, calls));
        }
    }

    constexpr schedule_ref ref() const { return *this; }
    constexpr step_t steps() const { return calls_->steps(); }
    constexpr step_t next(rank_t r, step_t k) const { return calls_->next(r, k); }
    constexpr void sends(rank_t r, step_t k, auto f) const {
        edge_sink::pass(f, [&](const edge_sink& sink) { calls_->sends(r, k, sink); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        edge_sink::pass(f, [&](const edge_sink& sink) { calls_->receives(r, k, sink); });
    }
    constexpr bytes_t scratch(rank_t r) const { return calls_->scratch(r); }
    constexpr bytes_t staging(rank_t r) const { return calls_->staging(r); }
    constexpr collsched::pacing pacing() const { return calls_->pacing(); }
    constexpr collsched::contract contract() const { return calls_->contract(); }
    constexpr argument_error check() const { return calls_->check(); }
    constexpr std::uint64_t fingerprint() const { return calls_->fingerprint(); }

  private:
    const schedule_calls* calls_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
