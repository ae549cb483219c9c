#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>

#include "collsched/core/byte_range.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A bound of memory that the plans of several owners share.
struct plan_budget {
    bytes_t most = 0;              ///< bytes
    std::atomic<bytes_t> used{0};  ///< bytes
};

/// Plans of an owner, most recently used first. Their memory is bounded: those that were not used for longest are given
/// up, except those in use. Plan has the members
///
///     key          what determines the plan: key.is_of(call), key.hash(), and its type can be made from a call
///     footprint()  bytes
template <class Plan>
class kept_plans {
  public:
    /// A plan that is kept.
    struct entry : Plan {
        std::uint64_t hash = 0;   ///< of the key
        std::int64_t in_use = 0;  ///< operations that hold the plan
        bytes_t memory = 0;       ///< bytes of the plan and of what was added to it
    };

    /// @param budget  outlives the plans
    explicit kept_plans(plan_budget& budget) : budget_(&budget) {}
    kept_plans(const kept_plans&) = delete;
    kept_plans& operator=(const kept_plans&) = delete;
    ~kept_plans() { budget_->used -= memory_; }

    /// Returns the plan of a call, which becomes the most recently used one; null if none is kept. O(1).
    entry* find(const auto& call) {
        if (!all_.empty() && all_.front().key.is_of(call)) return &all_.front();
        const auto found = by_hash_.find(decltype(entry::key)(call).hash());
        if (found == by_hash_.end() || !found->second->key.is_of(call)) return nullptr;
        all_.splice(all_.begin(), all_, found->second);
        return &all_.front();
    }
    /// Keeps a plan, which becomes the most recently used one. One with an equal hash is no longer found.
    entry& keep(Plan made) {
        all_.push_front({std::move(made)});
        entry& kept = all_.front();
        kept.hash = kept.key.hash();
        by_hash_[kept.hash] = all_.begin();
        add_memory(kept, kept.footprint());
        return kept;
    }
    /// Counts memory of an entry, and gives up other plans until the rest is within the bound.
    void add_memory(entry& of, bytes_t bytes) {
        of.memory += bytes;
        memory_ += bytes;
        budget_->used += bytes;
        give_up(&of, [&] { return budget_->used > budget_->most; });
    }
    /// Gives up plans until the rest has up to `most` bytes, those in use aside.
    void trim(bytes_t most) {
        give_up(nullptr, [&] { return memory_ > most; });
    }

    /// Calls f(entry) for every plan.
    void for_each(auto f) const {
        for (const entry& one : all_) f(one);
    }
    std::size_t size() const { return all_.size(); }
    bytes_t memory() const { return memory_; }

  private:
    using position = typename std::list<entry>::iterator;

    /// Gives up the plans that were not used for longest while a condition holds, those in use and one other aside.
    void give_up(const entry* except, auto while_true) {
        for (auto last = all_.end(); last != all_.begin() && while_true();) {
            --last;
            if (last->in_use == 0 && &*last != except) last = forget(last);
        }
    }
    /// Returns the position after it.
    position forget(position one) {
        if (const auto found = by_hash_.find(one->hash); found != by_hash_.end() && found->second == one)
            by_hash_.erase(found);
        memory_ -= one->memory;
        budget_->used -= one->memory;
        return all_.erase(one);
    }

    plan_budget* budget_;
    bytes_t memory_ = 0;
    std::list<entry> all_;
    std::unordered_map<std::uint64_t, position> by_hash_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
