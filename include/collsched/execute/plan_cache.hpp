#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "collsched/execute/plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Plans by key. Holds at most `capacity` plans and evicts the least recently used one. Callers keep evicted plans
/// alive through their shared_ptr. Threads may share a cache. A look-up costs the schedule's fingerprint, and
/// O(capacity) comparisons of keys.
class plan_cache {
  public:
    /// Cache without plans.
    /// @param capacity  largest number of plans; 0: none is kept
    explicit plan_cache(std::size_t capacity = 64) : capacity_(capacity) {}

    /// Returns the plan of a rank with the schedule's own pacing and the default limit of staging. Makes it if the
    /// cache does not hold it.
    /// A plan whose check() has an error is returned and not kept. Failure: wrong parameters throw bad_argument where
    /// exceptions are on.
    /// @param x        schedule or algorithm
    /// @param rank     0 .. p-1
    /// @param binding  how input and output overlap
    /// @return a plan, never null
    template <schedulable X>
    std::shared_ptr<const plan> get(const X& x, rank_t rank, binding binding = binding::separate) {
        const auto& s = lower(x);
        if (s.check()) return std::make_shared<const plan>(s, rank, binding);
        const detail::plan_key key = detail::plan_key::of(s, rank, binding, s.pacing());
        if (std::shared_ptr<const plan> known = find(key)) return known;
        auto made = std::make_shared<const plan>(s, rank, binding);
        return made->check() ? made : keep(made);
    }

    /// Returns the number of plans that the cache holds.
    /// @return 0 .. capacity
    std::size_t size() const {
        const std::lock_guard hold(lock_);
        return plans_.size();
    }

  private:
    std::shared_ptr<const plan> find(const detail::plan_key& key) {
        const std::lock_guard hold(lock_);
        return look_up(key);
    }
    /// @pre the lock is held. The most recently used plan is the last one.
    std::shared_ptr<const plan> look_up(const detail::plan_key& key) {
        for (std::size_t i = plans_.size(); i-- > 0;) {
            if (plans_[i]->key() != key) continue;
            for (; i + 1 < plans_.size(); ++i) std::swap(plans_[i], plans_[i + 1]);
            return plans_[i];
        }
        return nullptr;
    }
    /// Returns the equal plan that another thread has made meanwhile, if there is one.
    std::shared_ptr<const plan> keep(const std::shared_ptr<const plan>& made) {
        const std::lock_guard hold(lock_);
        if (capacity_ == 0) return made;
        if (std::shared_ptr<const plan> known = look_up(made->key())) return known;
        if (plans_.size() == capacity_) plans_.erase(plans_.begin());
        plans_.push_back(made);
        return made;
    }

    std::size_t capacity_;
    mutable std::mutex lock_;
    std::vector<std::shared_ptr<const plan>> plans_;
};

}}  // namespace collsched::COLLSCHED_ABI
