#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The completions of one rank in the mock network, each of which may be handed out from its time on.
class mock_reports {
  public:
    struct report {
        completion report;
        std::int64_t due = 0;
        bool sends = false;     ///< of a send
        bool repeated = false;  ///< the second one of a message
    };

    void push(const report& entry) { all_.push_back(entry); }

    /// The first one whose time has come, or another one that `choose(n)` picks from it and those behind it: a number
    /// below n. Without an owner: none.
    template <class Choose>
    report pop(std::int64_t now, Choose choose) {
        std::size_t i = first_;
        while (i < all_.size() && all_[i].due > now) ++i;
        if (i == all_.size()) return {};
        if (const std::size_t other = i + choose(all_.size() - i); all_[other].due <= now) i = other;
        const report entry = all_[i];
        std::swap(all_[i], all_[first_]);
        if (++first_ == all_.size()) clear();
        return entry;
    }

    /// `f(due)` for each.
    template <class F>
    void for_each_due(F f) const {
        for (std::size_t i = first_; i < all_.size(); ++i) f(all_[i].due);
    }

    /// Drops those of an owner; `f(entry)` for each.
    template <class F>
    void cancel(const void* owner, F f) {
        all_.erase(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
        std::erase_if(all_, [&](const report& entry) {
            if (entry.report.request.owner != owner) return false;
            f(entry);
            return true;
        });
    }

    void clear() {
        all_.clear();
        first_ = 0;
    }

  private:
    std::vector<report> all_;
    std::size_t first_ = 0;  // those before are handed out
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
