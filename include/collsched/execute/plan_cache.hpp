#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "collsched/execute/plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Plans by key: who asks again for a plan gets the one that was made. Of more than `most` plans that which was asked for
/// longest ago is forgotten; whoever still has it keeps it. Threads may share a cache. A look-up costs the schedule's
/// fingerprint, and O(most) comparisons of keys.
class plan_cache {
  public:
    explicit plan_cache(std::size_t most = 64) : most_(most) {}

    /// A plan with a mistake (see plan::check) is handed out and not kept. Never null.
    template <schedulable X>
    std::shared_ptr<const plan> get(const X& x, rank_t rank, binding binding = binding::separate) {
        const auto& s = lower(x);
        if (s.check()) return std::make_shared<const plan>(s, rank, binding);
        const detail::plan_key key{s.fingerprint(), rank, binding, s.pacing().window};
        if (std::shared_ptr<const plan> known = find(key)) return known;
        auto made = std::make_shared<const plan>(s, rank, binding);
        return made->check() ? made : keep(made);
    }

    std::size_t size() const {
        const std::lock_guard hold(lock_);
        return plans_.size();
    }

  private:
    std::shared_ptr<const plan> find(const detail::plan_key& key) {
        const std::lock_guard hold(lock_);
        return look_up(key);
    }
    /// With the lock held. The plan asked for last stands at the end.
    std::shared_ptr<const plan> look_up(const detail::plan_key& key) {
        for (std::size_t i = plans_.size(); i-- > 0;) {
            if (plans_[i]->key() != key) continue;
            for (; i + 1 < plans_.size(); ++i) std::swap(plans_[i], plans_[i + 1]);
            return plans_[i];
        }
        return nullptr;
    }
    /// Another thread may have made the same meanwhile: then that one.
    std::shared_ptr<const plan> keep(const std::shared_ptr<const plan>& made) {
        const std::lock_guard hold(lock_);
        if (most_ == 0) return made;
        if (std::shared_ptr<const plan> known = look_up(made->key())) return known;
        if (plans_.size() == most_) plans_.erase(plans_.begin());
        plans_.push_back(made);
        return made;
    }

    std::size_t most_;
    mutable std::mutex lock_;
    std::vector<std::shared_ptr<const plan>> plans_;
};

}}  // namespace collsched::COLLSCHED_ABI
