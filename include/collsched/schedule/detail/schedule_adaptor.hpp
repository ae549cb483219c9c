#pragma once

#include <type_traits>

#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Base class of a schedule that is another schedule, its base, with changed edges: the result type of most
/// combinators. A member that the derived class does not define has the value of the base.
///
/// The derived class defines
///
///   adapt(e, f)               calls f(edge) for every edge that replaces edge e of the base: none, one or
///                             several, all with the step of e
///   base_rank(r)              optional: the rank of the base whose edges rank r has (default r)
///
/// and all other members that differ: contract(), check() and fingerprint() nearly always do.
///
/// @tparam Derived  the derived class
/// @tparam Base     type of the base: `S` to store a copy, `const S&` to refer to a schedule that outlives this one
template <class Derived, class Base>
    requires schedule<std::remove_cvref_t<Base>>
class schedule_adaptor {
  public:
    using base_schedule = std::remove_cvref_t<Base>;

    rank_t ranks;

    constexpr step_t steps() const { return base_.steps(); }
    constexpr step_t next(rank_t r, step_t k) const { return base_.next(derived().base_rank(r), k); }
    constexpr step_ranges busy(rank_t r) const
        requires requires(const base_schedule& s) { s.busy(r); }
    {
        return base_.busy(derived().base_rank(r));
    }
    constexpr void sends(rank_t r, step_t k, auto f) const {
        sends_of(base_, derived().base_rank(r), k, [&](const edge& e) { derived().adapt(e, f); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        receives_of(base_, derived().base_rank(r), k, [&](const edge& e) { derived().adapt(e, f); });
    }
    constexpr bytes_t scratch(rank_t r) const { return base_.scratch(derived().base_rank(r)); }
    constexpr bytes_t staging(rank_t r) const { return base_.staging(derived().base_rank(r)); }
    constexpr collsched::pacing pacing() const { return base_.pacing(); }
    constexpr collsched::contract contract() const { return base_.contract(); }
    constexpr argument_error check() const { return base_.check(); }

    constexpr rank_t base_rank(rank_t r) const { return r; }

  protected:
    constexpr explicit schedule_adaptor(const base_schedule& base) : ranks(base.ranks), base_(base) {}
    constexpr const base_schedule& base() const { return base_; }

  private:
    constexpr const Derived& derived() const { return static_cast<const Derived&>(*this); }

    Base base_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
