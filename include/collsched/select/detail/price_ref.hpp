#pragma once

#include <concepts>
#include <functional>
#include <optional>

#include "collsched/core/argument_error.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/select/choice.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A reference to a price function, of one type for all functions. A function that takes a limit may return any price
/// from the limit on for schedules that are not cheaper. Its member bound() returns a lower bound of a price, and its
/// member estimate() a price that takes less time, if it has them.
class price_ref {
  public:
    template <class Price>
    explicit price_ref(const Price& price)
        : call_([&](const any_schedule& s, picoseconds limit) -> picoseconds {
              if constexpr (std::invocable<const Price&, const any_schedule&, picoseconds>) return price(s, limit);
              else return price(s);
          }),
          bound_([&](const any_schedule& s) -> picoseconds {
              if constexpr (requires { price.bound(s); }) return price.bound(s);
              else return 0;
          }) {
        if constexpr (requires(const any_schedule& s) { price.estimate(s, unpriced, unpriced); })
            if (price.has_estimates())
                estimate_ = [&](const any_schedule& s, picoseconds limit, picoseconds bound) {
                    return price.estimate(s, limit, bound);
                };
    }
    picoseconds operator()(const any_schedule& s, picoseconds limit) const { return call_(s, limit); }
    picoseconds bound(const any_schedule& s) const { return bound_(s); }
    bool has_estimates() const { return estimate_ != nullptr; }
    picoseconds estimate(const any_schedule& s, picoseconds limit, picoseconds bound) const {
        return estimate_(s, limit, bound);
    }

  private:
    std::function<picoseconds(const any_schedule&, picoseconds)> call_;
    std::function<picoseconds(const any_schedule&, picoseconds, picoseconds)> estimate_;
    std::function<picoseconds(const any_schedule&)> bound_;
};

/// Returns the result of a price, or nothing with an error.
/// @param price  callable without arguments; may throw bad_argument
template <class Price>
std::optional<picoseconds> caught(Price price, argument_error& error) {
    error = {"price", unpriced, "less"};
#if COLLSCHED_EXCEPTIONS
    try {
        if (const picoseconds cost = price(); cost != unpriced) return cost;
    } catch (const bad_argument& refused) {
        error = refused.error();
    }
#else
    if (const picoseconds cost = price(); cost != unpriced) return cost;
#endif
    return std::nullopt;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
