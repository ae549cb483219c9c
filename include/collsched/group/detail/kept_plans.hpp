#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collsched/execute/bound_buffers.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/group/detail/call_key.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A plan for calls with equal keys, and its runs.
template <class Run>
struct kept_plan {
    call_key key;
    std::vector<std::int64_t> numbers{};  ///< of the key
    std::uint64_t hash = 0;
    neighborhood neighbors{};  ///< keeps the graph of the key
    plan steps{};
    std::string reason{};                      ///< why the schedule was chosen
    bytes_t input = 0, output = 0;             ///< bytes that the memory of a call has at least
    bytes_t input_at = 0, output_at = 0;       ///< offsets of the buffers of the plan in that memory
    std::vector<std::unique_ptr<Run>> runs{};  ///< all, in use or not
    Run* idle = nullptr;                       ///< first of those that are not in use; the others follow by `next`
    bytes_t copied = 0;                        ///< bytes of input that a start copies: the plan overwrites it too early
    bool compares = true;                      ///< the schedule is equal on all ranks
    std::int64_t in_use = 0;                   ///< operations that hold the plan
    bytes_t memory = 0;                        ///< bytes of the plan and its runs

    /// Returns the addresses of the plan's buffers within the memory of a call, which has the sizes of this plan.
    bound_buffers buffers(const collective_call& call) const {
        bound_buffers bound;
        bound.input = call.input.data() + input_at;
        bound.output = call.output.data() + output_at;
        return bound;
    }
};

/// The plans of a group, most recently used first. Their memory is bounded: those that were not used for longest are
/// given up, except those in use.
template <class Run>
class kept_plans {
  public:
    using entry = kept_plan<Run>;

    explicit kept_plans(bytes_t most) : most_(most) {}

    /// Returns the plan of a call, which becomes the most recently used one; null if none is kept. O(1).
    entry* find(const collective_call& call) {
        if (!all_.empty() && all_.front().key.is_of(call)) return &all_.front();
        const auto found = by_hash_.find(call_key(call).hash());
        if (found == by_hash_.end() || !found->second->key.is_of(call)) return nullptr;
        all_.splice(all_.begin(), all_, found->second);
        return &all_.front();
    }
    /// Keeps a plan, which becomes the most recently used one. One with an equal hash is no longer found.
    entry& keep(entry made) {
        all_.push_front(std::move(made));
        entry& kept = all_.front();
        kept.key.keep_numbers(kept.numbers);
        kept.hash = kept.key.hash();
        by_hash_[kept.hash] = all_.begin();
        kept.memory = static_cast<bytes_t>(sizeof(entry) + kept.numbers.size() * sizeof(std::int64_t)) +
                      kept.steps.footprint() - static_cast<bytes_t>(sizeof(plan));
        memory_ += kept.memory;
        trim(kept);
        return kept;
    }
    /// Counts the memory of a run that an entry has been given, and gives up plans until the rest is within the bound.
    void add_memory(entry& of, bytes_t bytes) {
        of.memory += bytes;
        memory_ += bytes;
        trim(of);
    }

    /// Calls f(entry) for every plan.
    void for_each(auto f) const {
        for (const entry& one : all_) f(one);
    }
    std::size_t size() const { return all_.size(); }
    bytes_t memory() const { return memory_; }

  private:
    using position = typename std::list<entry>::iterator;

    /// Gives up plans until the rest is within the bound, those in use and `last_made` aside.
    void trim(const entry& last_made) {
        for (auto last = all_.end(); memory_ > most_ && last != all_.begin();) {
            --last;
            if (last->in_use == 0 && &*last != &last_made) last = forget(last);
        }
    }
    /// Returns the position after it.
    position forget(position one) {
        if (const auto found = by_hash_.find(one->hash); found != by_hash_.end() && found->second == one)
            by_hash_.erase(found);
        memory_ -= one->memory;
        return all_.erase(one);
    }

    bytes_t most_, memory_ = 0;
    std::list<entry> all_;
    std::unordered_map<std::uint64_t, position> by_hash_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
