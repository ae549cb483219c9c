#pragma once

#include <exception>
#include <utility>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Keeps an exception until the work that it interrupted is in order.
class deferred_exception {
  public:
    /// Calls f. False if it threw; of several exceptions the first is kept.
    template <class F>
    bool run(F f) {
#if COLLSCHED_EXCEPTIONS
        try {
            f();
        } catch (...) {
            if (exception_ == nullptr) exception_ = std::current_exception();
            return false;
        }
#else
        f();
#endif
        return true;
    }

    /// Throws the exception that is kept, if there is one, once.
    void rethrow() {
#if COLLSCHED_EXCEPTIONS
        if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
#endif
    }

  private:
#if COLLSCHED_EXCEPTIONS
    std::exception_ptr exception_;
#endif
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
