#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

#include "collsched/core/byte_range.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// A bound of memory that the plans of several owners share.
struct plan_budget {
    bytes_t limit = 0;              ///< largest memory of all plans in bytes
    std::atomic<bytes_t> bytes{0};  ///< memory of all plans in bytes
};

}  // namespace detail

/// Plans of an owner, most recently used first. Their memory is bounded: those that were not used for longest are given
/// up, except those in use. Plan has the members
///
///     key          what determines the plan: key.is_of(call), key.hash(), and its type can be made from a call
///     footprint()  bytes
template <class Plan>
class plan_cache {
  public:
    using budget = detail::plan_budget;  ///< bound of memory that the plans of several owners share

    /// A plan that is kept.
    struct entry : Plan {
        std::uint64_t hash = 0;   ///< of the key
        std::int64_t in_use = 0;  ///< operations that hold the plan
        bytes_t memory = 0;       ///< bytes of the plan and of what was added to it
    };

    /// No plans.
    /// @param shared  outlives the plans
    explicit plan_cache(budget& shared) : budget_(&shared) {}
    plan_cache(const plan_cache&) = delete;
    plan_cache& operator=(const plan_cache&) = delete;
    ~plan_cache() { budget_->bytes -= memory_; }

    /// Returns the plan of a call, which becomes the most recently used one; null if none is kept. O(1).
    entry* find(const auto& call) {
        if (!entries_.empty() && entries_.front().key.is_of(call)) return &entries_.front();
        const auto match = by_hash_.find(decltype(entry::key)(call).hash());
        if (match == by_hash_.end() || !match->second->key.is_of(call)) return nullptr;
        entries_.splice(entries_.begin(), entries_, match->second);
        return &entries_.front();
    }
    /// Adds a plan, which becomes the most recently used one. One with an equal hash is no longer found.
    entry& add(Plan plan) {
        entries_.push_front({std::move(plan)});
        entry& added = entries_.front();
        added.hash = added.key.hash();
        by_hash_[added.hash] = entries_.begin();
        add_memory(added, added.footprint());
        return added;
    }
    /// Counts memory of an entry, and evicts other plans until the remaining ones are within the bound.
    void add_memory(entry& owner, bytes_t bytes) {
        owner.memory += bytes;
        memory_ += bytes;
        budget_->bytes += bytes;
        evict_while([&] { return budget_->bytes > budget_->limit; }, &owner);
    }
    /// Evicts plans until the remaining ones have up to `limit` bytes, those in use aside.
    void trim(bytes_t limit) {
        evict_while([&] { return memory_ > limit; });
    }

    /// Calls f(entry) for every plan.
    void for_each(auto f) const {
        for (const entry& plan : entries_) f(plan);
    }
    /// Returns the number of plans.
    std::size_t size() const { return entries_.size(); }
    /// Returns the memory of the plans of this owner. @return bytes
    bytes_t memory() const { return memory_; }

  private:
    using iterator = typename std::list<entry>::iterator;

    /// Evicts the least recently used plans while a condition holds, those in use and `except` aside.
    void evict_while(auto condition, const entry* except = nullptr) {
        for (auto last = entries_.end(); last != entries_.begin() && condition();) {
            --last;
            if (last->in_use == 0 && &*last != except) last = evict(last);
        }
    }
    /// Returns the position after it.
    iterator evict(iterator plan) {
        if (const auto match = by_hash_.find(plan->hash); match != by_hash_.end() && match->second == plan)
            by_hash_.erase(match);
        memory_ -= plan->memory;
        budget_->bytes -= plan->memory;
        return entries_.erase(plan);
    }

    budget* budget_;
    bytes_t memory_ = 0;
    std::list<entry> entries_;
    std::unordered_map<std::uint64_t, iterator> by_hash_;
};

}}  // namespace collsched::COLLSCHED_ABI
