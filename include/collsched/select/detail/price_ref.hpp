#pragma once

#include <concepts>

#include "collsched/cost/picoseconds.hpp"
#include "collsched/schedule/any_schedule.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A reference to a price function, of one type for all functions. A function that takes a limit may return any price
/// from the limit on for schedules that are not cheaper. Its member bound() returns a lower bound of a price, if it has
/// one.
class price_ref {
  public:
    template <class Price>
    explicit price_ref(const Price& price)
        : price_(&price),
          call_([](const void* p, const any_schedule& s, picoseconds limit) -> picoseconds {
              const Price& called = *static_cast<const Price*>(p);
              if constexpr (std::invocable<const Price&, const any_schedule&, picoseconds>) return called(s, limit);
              else return called(s);
          }),
          bound_([](const void* p, const any_schedule& s) -> picoseconds {
              if constexpr (requires(const Price& q) { q.bound(s); }) return static_cast<const Price*>(p)->bound(s);
              else return 0;
          }) {}
    picoseconds operator()(const any_schedule& s, picoseconds limit) const { return call_(price_, s, limit); }
    picoseconds bound(const any_schedule& s) const { return bound_(price_, s); }

  private:
    const void* price_;
    picoseconds (*call_)(const void*, const any_schedule&, picoseconds);
    picoseconds (*bound_)(const void*, const any_schedule&);
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
