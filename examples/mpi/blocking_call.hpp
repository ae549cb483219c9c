#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "direct_call.hpp"
#include "operation.hpp"

namespace collsched::preload {

/// A blocking call of a communicator.
struct blocking_call {
    explicit blocking_call(communicator_state& on) : run(on, todo) {}

    void begin(const arguments& call) {
        const int rank = run.on().rank(), ranks = run.on().size();
        described = call;
        lasts = says_all(call, rank, ranks);
        if (lasts) copy_arrays(call, rank, ranks, entries);
        todo = {};
        plan.reset();
        run.forget();
        direct.forget();
    }
    bool repeated_by(const arguments& call) const {
        if (!lasts || plan == nullptr || !(described == call)) return false;
        if (!call.send.arrays() && !call.receive.arrays()) return true;
        return has_arrays(call, run.on().rank(), run.on().size(), entries);
    }

    arguments described;
    bool lasts = false;                 ///< equal arguments and arrays always mean the same call
    std::vector<std::int64_t> entries;  ///< of the arrays
    work todo;
    std::shared_ptr<prepared_plan> plan;  ///< null until it is prepared
    operation run;
    direct_call direct;
};

/// The last few calls. Programs repeat calls, which need not be checked and described again.
class blocking_calls {
  public:
    explicit blocking_calls(communicator_state& on)
        : last_{blocking_call(on), blocking_call(on), blocking_call(on), blocking_call(on)} {}

    /// Returns the call that this one repeats, or a new one without a plan.
    blocking_call& of(const arguments& call) {
        for (blocking_call& one : last_)
            if (one.repeated_by(call)) return one;
        blocking_call& oldest = last_[next_ % last_.size()];
        oldest.begin(call);
        if (oldest.lasts) ++next_;  // other calls need no entry of their own
        return oldest;
    }

  private:
    std::array<blocking_call, 4> last_;
    std::size_t next_ = 0;
};

}  // namespace collsched::preload
