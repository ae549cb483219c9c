#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// So many small messages to a rank may be unmatched: it has room for no more of them.
inline constexpr int most_small = 32;

/// The small messages to a rank that it may not have matched, each with an id that no other one of this rank has had.
template <class Send>
class small_slots {
  public:
    struct slot {
        std::uint64_t id = 0;
        const void* owner = nullptr;
        std::uint64_t since = 0;  ///< number of ends of owners before it was complete
        Send* send = nullptr;     ///< as long as the send is not complete
    };

    /// Returns whether an id is one of a slot: no id of a message_pool has this bit.
    static bool is_id(std::uint64_t id) { return (id & of_slots) != 0; }

    bool is_full() const { return taken_ == ~std::uint32_t{0}; }
    /// Returns a new id, of a free slot. @pre not is_full()
    std::uint64_t new_id() {
        serial_ = (serial_ + most_small) % of_slots;
        return of_slots | serial_ | static_cast<std::uint64_t>(std::countr_one(taken_));
    }
    /// Fills the slot of an id, which it takes if it was free.
    void fill(std::uint64_t id, const void* owner, std::uint64_t since, Send* send) {
        taken_ |= bit(id);
        slots_[place_of(id)] = {id, owner, since, send};
    }
    /// The slot of this id, or null if it is free or another message's.
    slot* find(std::uint64_t id) {
        slot& kept = slots_[place_of(id)];
        return kept.id == id && (taken_ & bit(id)) != 0 ? &kept : nullptr;
    }
    /// @pre find(id)
    void free(std::uint64_t id) { taken_ &= ~bit(id); }
    void free_all() { taken_ = 0; }
    /// Calls f for each slot; f may free it.
    void for_each(auto f) {
        for (std::uint32_t left = taken_; left != 0; left &= left - 1)
            f(slots_[static_cast<std::size_t>(std::countr_zero(left))]);
    }

  private:
    static constexpr std::uint64_t of_slots = std::uint64_t{1} << 62;
    static_assert(most_small == 32);

    static std::size_t place_of(std::uint64_t id) { return id % most_small; }
    static std::uint32_t bit(std::uint64_t id) { return std::uint32_t{1} << place_of(id); }

    std::uint32_t taken_ = 0;  // slots, a bit each
    std::uint64_t serial_ = 0;
    std::array<slot, most_small> slots_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
