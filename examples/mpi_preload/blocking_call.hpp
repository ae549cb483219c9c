#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "operation.hpp"

namespace collsched::preload {

/// A blocking call of a communicator.
struct blocking_call {
    explicit blocking_call(communicator& on) : run(on, todo) {}

    void begin(const arguments& call) {
        asked = call;
        lasts = says_all(call);
        todo = {};
        plan.reset();
        run.forget();
    }
    bool repeated_by(const arguments& call) const { return lasts && plan != nullptr && asked == call; }

    arguments asked;
    bool lasts = false;  ///< equal arguments mean the same call
    work todo;
    std::shared_ptr<prepared_plan> plan;  ///< null until it is known
    operation run;
};

/// The last few: programs make the same calls again and again, which need not be checked and described every time.
class blocking_calls {
  public:
    explicit blocking_calls(communicator& on)
        : last_{blocking_call(on), blocking_call(on), blocking_call(on), blocking_call(on)} {}

    /// The one that this repeats, or one that is yet to be described: it has no plan.
    blocking_call& of(const arguments& call) {
        for (blocking_call& one : last_)
            if (one.repeated_by(call)) return one;
        blocking_call& oldest = last_[next_ % last_.size()];
        oldest.begin(call);
        if (oldest.lasts) ++next_;  // others need no place of their own
        return oldest;
    }

  private:
    std::array<blocking_call, 4> last_;
    std::size_t next_ = 0;
};

}  // namespace collsched::preload
