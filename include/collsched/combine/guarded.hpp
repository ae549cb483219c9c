#pragma once

#include "collsched/schedule/lowering.hpp"

namespace collsched::inline v0_1 {

/// A schedule that was made from parameters with a mistake in them tells this mistake first. It may be made of anything
/// that can be made then.
template <schedule S>
class guarded_schedule : public S {
  public:
    constexpr guarded_schedule(const error& wrong, const S& s) : S(s), wrong_(wrong) {}

    constexpr error check() const { return wrong_ ? wrong_ : S::check(); }

  private:
    error wrong_;
};

/// x, which check() refuses if something is wrong already.
template <schedulable X>
constexpr auto guarded(const error& wrong, const X& x) {
    return guarded_schedule<schedule_of<X>>(wrong, lower(x));
}

}  // namespace collsched::inline v0_1
