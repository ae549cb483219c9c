#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/core/config.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns for how many small messages of each rank a rank has room. In large groups, which have many pairs of ranks, fewer.
constexpr int most_small(rank_t ranks) { return ranks <= 16 ? 256 : 32; }
/// Returns how many small messages to a rank a rank sends before it has matched them. Where ranks run at the same time,
/// fewer, which stay in the cache; where they take turns, more, since each turn costs more than a cache.
constexpr int most_ahead(rank_t ranks, bool crowded) { return crowded ? most_small(ranks) : ranks <= 16 ? 128 : 32; }
/// Returns how many matches of small messages a rank reports together.
constexpr int reported_at_once(rank_t ranks) { return ranks <= 16 ? 16 : 4; }

/// The small messages to a rank that it may not have matched. Each has an id that no other one of this rank has had. Those
/// of messages that follow each other are neighbors, but for the ids whose slots are taken.
template <class Send>
class small_slots {
  public:
    struct slot {
        std::uint64_t id = 0;  ///< 0: it is free
        const void* owner = nullptr;
        std::uint64_t end_count = 0;  ///< number of ends of owners before it was complete
        Send* send = nullptr;         ///< as long as the send is not complete
    };

    /// @param capacity  number of slots, a power of two
    explicit small_slots(int capacity) : slots_(static_cast<std::size_t>(capacity)) {}

    /// Returns whether an id is one of a slot: no id of a message_pool has this bit.
    static bool is_id(std::uint64_t id) { return (id & slot_bit) != 0; }

    bool is_full() const { return used_count_ == slots_.size(); }
    /// Returns a new id, of a free slot, or 0 if there is none.
    std::uint64_t new_id() {
        if (is_full()) return 0;
        do ++last_;
        while (at(last_).id != 0);
        return last_;
    }
    /// Fills the slot of an id, which it takes if it was free.
    void fill(std::uint64_t id, const void* owner, std::uint64_t end_count, Send* send) {
        if (at(id).id == 0) ++used_count_;
        at(id) = {id, owner, end_count, send};
    }
    /// The slot of this id, or null if it is free or another message's.
    slot* find(std::uint64_t id) { return id != 0 && at(id).id == id ? &at(id) : nullptr; }
    /// @pre find(id)
    void free(std::uint64_t id) {
        at(id).id = 0;
        --used_count_;
    }
    /// Calls f for each slot that is taken; f may free it.
    void for_each(auto f) {
        for (slot& entry : slots_)
            if (entry.id != 0) f(entry);
    }

  private:
    static constexpr std::uint64_t slot_bit = std::uint64_t{1} << 62;

    slot& at(std::uint64_t id) { return slots_[id & (slots_.size() - 1)]; }

    std::size_t used_count_ = 0;
    std::uint64_t last_ = slot_bit;  // id
    std::vector<slot> slots_;
};

/// Ids of matched messages, to be reported together: of 64 neighbors, the first of which is a multiple of 64.
class matched_ids {
  public:
    /// Adds an id. False without effect if those that are there are not its neighbors: they must be taken before.
    bool add(std::uint64_t id) {
        if (count_ == 0) first_ = id / 64 * 64;
        if (id / 64 * 64 != first_) return false;
        ++count_;
        mask_ |= std::uint64_t{1} << id % 64;
        return true;
    }
    int count() const { return count_; }
    std::uint64_t first() const { return first_; }
    /// Which ids are there, from the first on, a bit each.
    std::uint64_t mask() const { return mask_; }
    void clear() { count_ = 0, mask_ = 0; }

  private:
    std::uint64_t first_ = 0, mask_ = 0;
    int count_ = 0;
};

/// When each owner of operations has last had all of them complete: the number of such ends, of any owner, up to that one.
class owner_ends {
  public:
    /// The owner has no operation in flight. O(1) for the owner of the last call, else O(owners).
    void add(const void* owner) {
        if (owner != last_.owner) select(owner);
        last_.end = ++count_;
    }
    /// Returns whether it is time to forget owners that are gone.
    bool is_full() const { return owners_.size() >= limit_; }
    /// Forgets the owners for which f returns true.
    void forget_if(auto f) {
        std::erase_if(owners_, [&](const owner_end& o) { return f(o.owner); });
        limit_ = std::max<std::size_t>(smallest_limit, 2 * owners_.size());
    }
    std::uint64_t count() const { return count_; }
    /// Returns the number of the last end of an owner, or 0. O(owners).
    std::uint64_t last_of(const void* owner) const {
        if (owner == last_.owner) return last_.end;
        const auto position = find(owner);
        return position == owners_.end() ? 0 : position->end;
    }

  private:
    struct owner_end {
        const void* owner = nullptr;
        std::uint64_t end = 0;
    };
    static constexpr std::size_t smallest_limit = 64;

    std::vector<owner_end>::const_iterator find(const void* owner) const {
        return std::find_if(owners_.begin(), owners_.end(), [owner](const owner_end& o) { return o.owner == owner; });
    }
    void select(const void* owner) {
        const auto position = find(owner);
        if (position != owners_.end()) owners_.erase(position);
        if (last_.owner != nullptr) owners_.push_back(last_);
        last_ = {owner, 0};
    }

    owner_end last_;
    std::uint64_t count_ = 0;
    std::vector<owner_end> owners_;
    std::size_t limit_ = smallest_limit;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
